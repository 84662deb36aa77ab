"""The twin test over a season: a program and its exact copy in three tournaments, one of them under another
name in each, and no table parts them. On the cards of the twin test of one tournament (test_twins.py).
"""

from collections.abc import Iterator
from typing import Final

import pytest

from arena.director.entries import MatchPlayed, RoundPaired, match_id
from arena.director.season import SeasonRecord
from arena.director.state import Record
from arena.entrants.entrant import Entrant
from arena.process.launch import Launch
from protocol.outcome import Outcome
from tests.support.ahead import created
from tests.support.twins import POLICIES, tournament
from tournaments.standings import Standing

EVENTS: Final = ("spring", "summer", "autumn")
COPY: Final = ("b", "bea", "b.2")
"""What the copy is called in each; its digest is its own all the time."""


def record(seed: str, rounds: int, name: str) -> Record:
    """A tournament of test_twins.py, in which the copy has this name."""
    field = tournament(seed, rounds)
    names = {one: name if one == "b" else one for one in POLICIES}
    entrants = tuple(Entrant(names[one], Launch(("true",), "/"), f"digest of {one}") for one in POLICIES)
    run = Record([created("", rounds, seed=seed, entrants=entrants, duplicates=True)])
    for round_no, pods in enumerate(field.drawn, 1):
        run.add(RoundPaired(round_no, tuple(tuple(names[one] for one in pod) for pod in pods)))
        for result in field.results:
            if result.round_no == round_no:
                own = match_id(round_no, 1, result.seating_no)
                seats = tuple(names[one] for one in result.entrants)
                outcome = Outcome(result.gains, result.gains, result.placings)
                run.add(MatchPlayed(own, round_no, 1, result.seating_no, seats, outcome, (), ""))
    return run


def season(number: int, rounds: int) -> SeasonRecord:
    """Three tournaments on cards of their own."""
    runs = (record(f"{number}/{event}", rounds, name) for event, name in zip(EVENTS, COPY, strict=True))
    return SeasonRecord(dict(zip(EVENTS, runs, strict=True)))


def parted(found: SeasonRecord) -> bool:
    """Whether the intervals of the two do not touch, or one is called better than the other."""
    twins = {name for name, one in found.programs.items() if one.digest in ("digest of a", "digest of b")}
    assert len(twins) == 2
    one, other = (row for row in found.table.entrants if row.name in twins)
    significant = (pair for pair in found.superiority if pair.holm < 0.05)
    return any(apart(one, other)) or any({pair.better, pair.worse} == twins for pair in significant)


def apart(one: Standing, other: Standing) -> Iterator[bool]:
    for low, high in ((one.low, other.high), (other.low, one.high)):
        yield low is not None and high is not None and low > high


@pytest.mark.exhaustive
@pytest.mark.parametrize("rounds", [1, 2])
def test_hardly_anything_parts_a_program_and_its_copy_over_a_season(rounds: int) -> None:
    times = sum(parted(season(number, rounds)) for number in range(20))
    print(f"3 tournaments of {rounds} rounds: parted {times} times of 20")
    assert times <= 2
