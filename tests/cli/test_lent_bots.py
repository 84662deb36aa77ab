"""The bots that the house lends: they enter by their name, and are faultless in every game."""

import re
from pathlib import Path

import pytest

from arena.entrants.find import BUILTIN_BOTS
from arena.games import GAMES
from arena.process.tree import TICK_SECONDS
from tests.cli.calls import arena

IN_THE_GATE = "sticheln"
"""What they have for each game is tested without processes, in tests/players/house and tests/games/advice."""


@pytest.mark.parametrize(
    "game",
    [pytest.param(game, marks=() if game == IN_THE_GATE else pytest.mark.thorough) for game in GAMES],
)
def test_they_play_any_game_and_say_what_they_thought(game: str, tmp_path: Path) -> None:
    log = tmp_path / "match.jsonl"
    words = ("match", "search", "heuristic", "search", "--game", game, "--deals", 1, "--time", "10ms+2s")
    call = arena(*words, "--seed", 7, "--log", log, "--json", folder=tmp_path)
    assert call.status == 0, call.err
    assert call.json["faults"] == []  # type: ignore[index]
    assert re.search(r'"note":"\d+ playouts: \w+ [+-]\d', log.read_text())


@pytest.mark.thorough
@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("name", BUILTIN_BOTS)
def test_they_pass_the_check(name: str, game: str) -> None:
    call = arena("check", name, "--game", game, "--time", "10ms+9s")
    assert call.status == 0, call.out


@pytest.mark.parametrize(
    "seed",
    [pytest.param(n, marks=pytest.mark.thorough if n == 0 else pytest.mark.exhaustive) for n in range(10)],
)
def test_a_search_seat_is_never_late(seed: int, tmp_path: Path) -> None:
    """A hundred matches each at 10 ms a decision. The bank is for the machine, on which bots that need a
    quarter of a millisecond have waited for five. On a busy machine it may not be enough: then the bot was
    not computing when its time was over. The kernel counts that in whole ticks."""
    run = tmp_path / "run"
    words = ("tournament", "search", "heuristic", "bots/greedy.py", "bots/random.py", "--rounds", 25)
    assert arena(*words, "--seed", seed, "--time", "10ms+200ms", "--out", run).status == 0
    faults = arena("faults", run, "--bot", "search", "--json").json["faults"]  # type: ignore[index]
    assert {fault["kind"] for fault in faults} <= {"timeout"}
    spent = [fault["measured"] for fault in faults]
    assert not [one for one in spent if one["cpu_us"] - 1e6 * TICK_SECONDS > one["us"] / 2]
