"""`arena check --game` without a bot, as the author of a game calls it."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.laws.judge import LAWS
from tests.cli.calls import Call, arena
from tests.cli.terminals import Terminal
from tests.laws.installed import install

Check = Callable[..., Call]


@pytest.fixture
def check(tmp_path: Path) -> Check:
    """Installs a game, which extends one of tests/games/leaky.py, and checks it."""

    def call(base: str, more: str, *words: object) -> Call:
        env = install(tmp_path, base, more)
        return arena("check", "--game", "mine", *words, folder=tmp_path, env=env)

    return call


def test_a_lawful_game_keeps_all() -> None:
    call = arena("check", "--game", "ole", "--seats", 3, "--matches", 1)
    assert call.status == 0, call.err
    *lines, summary = call.out.splitlines()
    assert [line[:10] for line in lines] == ["  kept    "] * len(LAWS)
    assert summary == f"ole: {len(LAWS)} laws kept in 2 variants, 1 match each"
    assert call.err == ""


def test_a_leak_is_told_with_its_place_and_the_way_out(check: Check) -> None:
    call = check("ValueShown", "", "--seats", 3, "--matches", 1)
    assert call.status == 1
    at = call.out.splitlines().index(
        "  BROKEN  no view depends on hidden cards: No view changes when cards that its seat cannot see "
        "change places."
    )
    where, found, fix, more = call.out.splitlines()[at + 1 : at + 5]
    assert re.fullmatch(r"    where   mine-3-double=False, (at the start|deal \d, after step \d+ .*)", where)
    assert re.fullmatch(
        r"    found   seat \d can tell where hidden cards are: `number` of its view is \d, but \d if "
        r"[AC]\d \(.*\) and [AC]\d \(.*\) change places",
        found,
    )
    assert fix.startswith("    fix     leave it out, or sort it")
    assert more == "    … also broken in mine-3-double=True"
    assert "  kept    cards are conserved" in call.out.splitlines()


def test_a_crash_is_told_with_the_lines_of_the_author(check: Check) -> None:
    more = "    def apply(self, state, actions):\n        return state.apply({}[state.deal_no])\n"
    call = check("Twist", more, "--seats", 2, "--json")
    assert call.status == 1
    found: object = call.json
    assert isinstance(found, dict)
    assert found["package"]["name"] == "minegame"
    first, second, *_ = found["laws"]
    assert first["law"] == "a match can be played"
    broken, _ = first["broken"]
    assert broken["found"] == "the game raised KeyError: 1"
    assert re.fullmatch(
        r".*minegame.py:8 in apply: return state.apply\({}\[state.deal_no\]\)", broken["trace"][-1]
    )
    assert second["untried"] == "a match of mine-2-double=True cannot be played"
    assert "Traceback" not in call.err


def test_a_game_that_hangs_is_stopped_and_said_where(check: Check) -> None:
    more = "    def legal(self, state, seat):\n        while True:\n            time.sleep(.01)\n"
    call = check("Twist", more, "--budget", "300ms")
    assert call.status == 1
    lines = call.out.splitlines()
    assert lines[0].startswith("  BROKEN  a match can be played: ")
    assert lines[1:3] == ["    where   mine-2-double=False", "    found   there was no end after 0.3 s"]
    words = " ".join(call.out.split())  # How lines are broken depends on the length of the path.
    assert re.search(r"minegame.py:(8 in legal: while True|9 in legal: time.sleep\(.01\))", words)
    assert "  untried legal actions exist exactly for pending seats: no match could be played" in lines


def test_a_game_that_ends_the_program_ends_only_its_own(check: Check) -> None:
    more = (
        "    def imagine(self, view, stream):\n        print('so there')\n        os._exit(0)\n"
        "    def tally(self, state):\n        raise SystemExit('enough')\n"
    )
    call = check("Twist", more, "--seats", 2)
    assert call.status == 1
    assert call.out.count("    found   the process ended in the game's code\n") == 6
    assert "    found   the game raised SystemExit: enough\n" in call.out
    assert "so there" not in call.out
    assert "Traceback" not in call.err


def test_a_terminal_shows_how_far_it_is(tmp_path: Path) -> None:
    with Terminal("check", "--game", "ole", "--seats", "3", "--matches", "1", folder=tmp_path) as terminal:
        assert terminal.end() == 0
        seen = terminal.received.decode()
    assert re.search(r"\d+ of \d+, \d+ s left · [a-z ]+: ole-3-forced_play=False", seen)
