"""The house's bots in games that were written by the guide, where seats decide with empty hands; and where
the code of a game fails under them."""

import itertools
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest
from arena_cockroach_poker import CockroachPoker
from arena_take_five import TakeFive

from arena.games.api import DealSource, Game
from arena.laws import house, learners
from arena.laws.judge import LAWS, judge
from arena.laws.trial import Trial, Variant, variants
from arena.players.house import search
from protocol.messages import Hello, Limits, Request
from tests.cli.calls import arena
from tests.plugins.installed import PLUGINS, environment, listed

TABLES = [Variant(game, game.seats[-1], game.options()) for game in (TakeFive(), CockroachPoker())]
ALL = variants(TakeFive(), CockroachPoker())
FAILING = '''
import sys, time
sys.path.append({source!r})
from arena_take_five import TakeFive

class Failing(TakeFive):
    """Whose number of seats says how it fails when a state is imagined."""

    id = "failing"

    def imagine(self, view, stream):
        match view.seats:
            case 2:
                raise ZeroDivisionError("two")
            case 3:
                sys.exit("three")
            case 4:
                return self.imagine(view, stream)
            case 5:
                raise MemoryError
        while True:
            time.sleep(0.001)

class Hollow(TakeFive):
    """Which fails for empty hands."""

    id = "hollow"

    def imagine(self, view, stream):
        if not view.hand:
            raise ValueError("an empty hand")
        return super().imagine(view, stream)

FAILING, HOLLOW = Failing(), Hollow()
'''
SAID = {2: "ZeroDivisionError: two", 3: "SystemExit: three", 4: "RecursionError", 5: "MemoryError", 6: ""}
"""By number of seats, what is told of the failure; nothing of what only took too long."""


@pytest.mark.parametrize("variant", TABLES, ids=str)
def test_the_laws_of_bots_and_learners_are_kept(variant: Variant) -> None:
    trial = Trial(variant)
    for law in (house.builtin_bots_can_play, learners.learners_can_tell_views_apart):
        assert judge(law, [[trial]]).broken == ()


@pytest.mark.thorough  # Thirty laws in ten variants.
@pytest.mark.parametrize("variant", ALL, ids=str)
def test_every_law_is_kept(variant: Variant, monkeypatch: pytest.MonkeyPatch) -> None:
    # The second process of a law has to find them too.
    monkeypatch.syspath_prepend(PLUGINS / variant.game.id / "src")
    trial = Trial(variant)
    judged = [judge(law, [[trial]]) for law in LAWS]
    assert [one for one in judged if one.broken or one.untried] == []


def empty_handed(game: Game, seats: int) -> Any:
    """A state of the last deal in which a seat has to choose with an empty hand."""
    for key in itertools.count():
        state = (
            Trial(Variant(game, seats, game.options()), f"empty/{key}", 1).start(DealSource(str(key))).state
        )
        while state.pending:
            seat = next(iter(state.pending))
            if not state.hands[seat] and len(state.legal(seat)) > 1:
                return state
            state = state.apply({seat: state.legal(seat)[-1] for seat in state.pending}).state


@pytest.mark.parametrize("bank_ms", [0, 1000])
def test_search_decides_with_an_empty_hand_in_the_last_deal(bank_ms: int) -> None:
    game = TakeFive()
    state = empty_handed(game, 4)
    (seat,) = state.pending
    limits = Limits(decision_ms=1, bank_ms=bank_ms)
    hello = Hello(1, game.id, {}, 4, seat, 1, game.deck(4), dict(game.suits(4)), limits, seed=7, match="m")
    think = search.begin(game, hello, warm_up_ms=0)
    request = Request(1, "row", state.legal(seat), [], None, ms=1)
    assert think(request, state.view(seat), time.perf_counter()).action in request.legal


@pytest.fixture(scope="module")
def failing(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """The environment in which the games of FAILING are installed."""
    folder = tmp_path_factory.mktemp("failing")
    (folder / "failinggame.py").write_text(FAILING.format(source=str(PLUGINS / "take-five" / "src")))
    for id in ("failing", "hollow"):
        listed(folder, id, f"failinggame:{id.upper()}")
    return environment(folder)


def lines(id: str, seats: int) -> Iterator[bytes]:
    """A match as a bot is told of it: hello, and one request."""
    game = TakeFive()
    limits = Limits(start_ms=2000, decision_ms=200, bank_ms=0)
    deck, suits = game.deck(seats), dict(game.suits(seats))
    yield msgspec.json.encode(Hello(1, id, {}, seats, 0, 1, deck, suits, limits, 7, "m"))
    state = game.start(seats, game.options(), 1, DealSource("failing")).state
    yield msgspec.json.encode(Request(1, "card", state.legal(0), [], state.view(0), ms=200))


def test_what_fails_inside_gives_way_and_is_told(failing: Mapping[str, str]) -> None:
    """One process plays a match after the other; the last one fails in nothing."""
    matches = [*(("failing", seats) for seats in SAID), ("hollow", 2)]
    told = b"".join(line + b"\n" for match in matches for line in lines(*match))
    done = subprocess.run(
        [sys.executable, "-P", "-m", "arena.players.house.search"],
        input=told,
        env={**os.environ, **failing},
        capture_output=True,
        check=True,
    )
    replies = [json.loads(line) for line in done.stdout.splitlines()][1::2]
    for reply, said in zip(replies, [*SAID.values(), ""], strict=True):
        assert reply["action"] in TakeFive().deck(2)
        assert said in reply.get("bug", "")
        assert bool(said) == ("bug" in reply)


def test_a_match_goes_on_and_tells_of_it_as_our_bug(failing: Mapping[str, str], tmp_path: Path) -> None:
    log = tmp_path / "match.jsonl"
    words = (
        "search",
        "heuristic",
        "--game",
        "failing",
        "--sandbox",
        "none",
        "--deals",
        1,
        "--time",
        "1s",
        "--log",
        log,
    )
    call = arena("match", *words, "--json", folder=tmp_path, env=failing)
    assert call.status == 0
    played: Any = call.json
    assert played["faults"] == []
    (bug,) = played["bugs"]
    assert (bug["bot"], bug["seat"], bug["match"]) == ("search", 0, "match")
    assert "ZeroDivisionError: two (failinggame" in bug["what"]
    assert bug["times"] >= 9
    first = json.loads(log.read_text().splitlines()[bug["line"] - 1])
    assert (first["type"], first["seat"], first["bug"]) == ("action", 0, bug["what"])
    assert f"arena rerun {log} --seat 0 search" in call.err


@pytest.mark.thorough  # Plays for seconds, by real bots.
def test_a_comparison_stops_at_the_third_pod_and_a_tournament_tells(
    failing: Mapping[str, str], tmp_path: Path
) -> None:
    bots = [tmp_path / f"{name}.py" for name in ("ada", "bob")]
    for bot in bots:
        bot.write_text(LOWEST + f"# {bot.stem}\n")
    of = ("--game", "hollow", "--time", "100ms+2s", "--deals", 3, "--sandbox", "none")
    compared = arena("compare", *bots, "--against", "search", "--seats", 3, "--budget", 36, *of, env=failing)
    assert compared.status == 4
    assert "3 pods were spoilt" in compared.err
    words = (*bots, "search", "--seats", 3, "--rounds", 1, "--out", tmp_path / "run")
    run: Any = arena("tournament", *words, *of, "--quiet", "--json", env=failing).json
    assert [bug["bot"] for bug in run["bugs"]] == ["search"]
    assert "an empty hand" in run["bugs"][0]["what"]
    assert arena("verify", tmp_path / "run", env=failing).status == 0


LOWEST = """#!/usr/bin/env python3
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if asked["type"] == "hello":
        print('{"type":"ready","name":"lowest"}', flush=True)
    elif asked["type"] == "request":
        print(json.dumps({"type": "reply", "id": asked["id"], "action": asked["legal"][0]}), flush=True)
"""


class Unimaginable(TakeFive):
    """What it gives cannot be imagined once a hand is empty."""

    def imagine(self, view: Any, stream: Any) -> Any:
        if not view.hand:
            raise LookupError("nothing in hand")
        return super().imagine(view, stream)


def test_a_bot_that_fails_breaks_a_law() -> None:
    game = Unimaginable()
    judged = judge(house.builtin_bots_can_play, [[Trial(Variant(game, 6, game.options()))]])
    (broken,) = judged.broken
    assert "search fails at 'row'" in broken.found
    assert "LookupError: nothing in hand" in broken.found
    assert broken.where.startswith("deal 1, after step ")
