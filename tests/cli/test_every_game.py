"""Every game at every seat count, with the sample bots, from the command line to the verified log."""

import re
from pathlib import Path

import pytest

from arena.games import GAMES
from tests.cli.calls import BOTS, arena

PAIRS = [(game, seats) for game, rules in GAMES.items() for seats in rules.seats]
EXTREMES = [(game, seats) for game, rules in GAMES.items() for seats in (rules.seats[0], rules.seats[-1])]


def test_there_are_eighteen_pairs() -> None:
    assert len(PAIRS) == 18


# Each game once; tests/games/test_laws.py plays every number of seats, without processes.
@pytest.mark.parametrize(
    ("game", "seats"),
    [
        pytest.param(game, seats, marks=() if seats == GAMES[game].seats[0] else pytest.mark.thorough)
        for game, seats in PAIRS
    ],
)
def test_a_match(game: str, seats: int, tmp_path: Path) -> None:
    log = tmp_path / "match.jsonl"
    bots = (BOTS * 3)[:seats]
    call = arena("match", *bots, "--game", game, "--deals", 2, "--seed", 7, "--log", log, "--json")
    assert call.status == 0, call.err
    assert call.json["faults"] == []  # type: ignore[index]
    assert arena("replay", "--verify", log).status == 0
    told = arena("replay", log)
    assert "match" not in told.out.splitlines()[0]
    assert told.status == 0
    assert told.out.count("begins") == 2
    assert len(re.findall(rf"^  \d\. .* -?\d+ {GAMES[game].counts}?$", told.out, re.MULTILINE)) == seats


@pytest.mark.thorough
@pytest.mark.parametrize(("game", "seats"), EXTREMES)
def test_a_tournament(game: str, seats: int, tmp_path: Path) -> None:
    run = tmp_path / "run"
    call = arena("tournament", *BOTS, "--game", game, "--seats", seats, "--rounds", 1, "--out", run)
    assert call.status == 0, call.err
    assert "forfeits" not in call.err
    logs = sorted((run / "matches").iterdir())
    assert arena("replay", "--verify", *logs).out == f"{len(logs)} of {len(logs)} logs verified\n"
    assert arena("verify", run).status == 0
