"""The bots that were written from SPEC.md alone, its own and the samples, as real processes."""

import re
import shutil
import stat
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from arena.games import GAMES
from arena.games.game import Game
from protocol.codec import decode_from_bot
from protocol.messages import Ready, Reply
from tests.cli.calls import BOTS as HERE
from tests.spec.dialogue import dialogue
from tests.spec.processes import PATIENCE_SECONDS, PYTHON, command, play, shortest
from tests.spec.text import ROOT, every_game, listing
from tests.support.needs import require
from tests.support.samples import BOTS


def test_no_bot_is_forgotten() -> None:
    assert sorted(path.name for path in (ROOT / "bots").iterdir() if path.name[0] not in "._") == BOTS


def test_bots_need_no_executable_bit_and_nothing_of_ours() -> None:
    for path in (ROOT / "bots" / name for name in BOTS):
        assert not path.stat().st_mode & (stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
        assert not re.search(
            r"^\s*(from|import) (arena|protocol|tournaments|random)\b", path.read_text(), re.M
        )


everywhere = pytest.mark.parametrize(
    ("game", "seats"),
    [  # With all seats two dozen tables or more of real processes.
        pytest.param(game, seats, marks=[pytest.mark.thorough] * (seats != 4), id=f"{game.id}-{seats}")
        for game in GAMES.values()
        for seats in game.seats
    ],
)


@every_game
def test_the_shortest_bot_finishes_every_game(game: Game, tmp_path: Path) -> None:
    for seats in (min(game.seats), max(game.seats)):
        play([(*PYTHON, str(shortest(tmp_path)))] * seats, deals=1, seed="spec", game=game)


@every_game
def test_the_shell_bot_finishes_every_game(game: Game, tmp_path: Path) -> None:
    path = tmp_path / "shell.sh"
    path.write_text(listing("sh", "case"), "utf-8")
    play([("sh", str(path))] * 3, deals=1, seed="spec", game=game)


@everywhere
def test_every_bot_plays_every_game(game: Game, seats: int) -> None:
    """All bots, a table at a time, the last one filled up from the front. Who lacks an interpreter is missed
    here and skipped, with the reason, below."""
    here = [name for name in BOTS if str(ROOT / "bots" / name) in HERE]
    for start in range(0, len(here), seats):
        table = [here[(start + seat) % len(here)] for seat in range(seats)]
        play([command(name) for name in table], deals=1, seed="spec", game=game)


one_game = pytest.mark.parametrize(
    "game",
    [  # Two matches for each program.
        pytest.param(game, marks=[pytest.mark.thorough] * (game.id != "sticheln"), id=game.id)
        for game in GAMES.values()
    ],
)


@pytest.mark.thorough  # 2 s of processor.
@one_game
@pytest.mark.parametrize("name", BOTS)
def test_the_same_seed_is_played_the_same_way(name: str, game: Game) -> None:
    commands = [command(name)] * min(game.seats)
    assert play(commands, 1, "spec", game) == play(commands, 1, "spec", game)


@one_game
@pytest.mark.parametrize("awk", ["mawk", "gawk", "original-awk", "busybox"])
def test_the_shell_bot_of_ours_needs_no_particular_awk(awk: str, game: Game, tmp_path: Path) -> None:
    require(awk)
    (tmp_path / "awk").symlink_to(str(shutil.which(awk)))  # busybox looks at the name it is called by
    path = f"PATH={tmp_path}:/usr/bin:/bin"
    said = play([("env", path, "sh", str(ROOT / "bots" / "modest.sh"))] * 3, 1, "spec", game)
    assert said == play([command("modest.sh")] * 3, 1, "spec", game)


def test_random_plays_differently_with_another_seed() -> None:
    """The same requests, another seed in `hello`."""
    lines = [line[3:] for line in dialogue() if line.startswith("<- ")]
    outputs = [
        run_lines([re.sub(r'"seed":\d+', f'"seed":{seed}', line) for line in lines]) for seed in (0, 1, 1)
    ]
    assert outputs[0] != outputs[1]
    assert outputs[1] == outputs[2]


def run_lines(lines: Sequence[str], name: str = "random.py") -> list[Reply | Ready]:
    text = "".join(line + "\n" for line in lines).encode()
    run = subprocess.run(command(name), input=text, capture_output=True, timeout=PATIENCE_SECONDS, check=True)
    return [decode_from_bot(line) for line in run.stdout.splitlines()]


@pytest.mark.parametrize("name", BOTS)
def test_bots_play_a_game_they_have_never_heard_of(name: str) -> None:
    hello: Mapping[str, Any] = {"type": "hello", "game": "whist", "deck": ["R1"], "seed": 5, "news": [1]}
    request = {
        "type": "request",
        "id": 1,
        "decision": "bid",
        "legal": ["pass"],
        "view": {"seat": 0},
        "new": {},
    }
    ready, reply = run_lines([msgspec.json.encode(line).decode() for line in (hello, request)], name)
    assert isinstance(ready, Ready)
    assert isinstance(reply, Reply)
    assert (reply.id, reply.action) == (1, "pass")


def test_random_started_without_isolation_does_not_import_itself() -> None:
    """By hand it is `python bots/random.py`, with its own folder first on the path."""
    path = ROOT / "bots" / "random.py"
    run = subprocess.run([PYTHON[0], str(path)], input=b"", capture_output=True, timeout=PATIENCE_SECONDS)
    assert (run.returncode, run.stderr) == (0, b"")
