"""Whole tournaments of bots of known strength, through the real pairing, seatings and standings: the claimed
intervals hold the truth as often as they promise. A hundred in the gate; a thousand of each design by
`python -m tests.bench.simulation`.
"""

from statistics import fmean

import msgspec
import pytest

from tests.tournaments.simulated import SWISS, Design, Trial, tournament, trials
from tournaments.formats import format_named
from tournaments.resamples import widening


def means(design: Design, count: int) -> Trial:
    return Trial(*map(fmean, zip(*trials(design, count), strict=True)))


@pytest.mark.thorough  # 2 s of processor.
@pytest.mark.parametrize("forfeits", [0.0, 0.05])
def test_intervals_hold_the_truth_where_pods_are_drawn_at_random(forfeits: float) -> None:
    """600 intervals, which depend on each other a little: a standard error of about .01. With forfeits and a
    house bot they would be .89 if a forfeit's deals were taken for independent."""
    found = means(Design(15, 5, pods="random", forfeits=forfeits), 40)
    assert 0.92 < found.held < 0.98
    assert 0.2 < found.low / (1 - found.held) < 0.8  # they miss on either side
    assert found.ranges >= 0.95
    assert found.adjusted > 0.7


@pytest.mark.thorough  # 4 s of processor.
def test_intervals_hold_the_truth_where_pods_are_drawn_from_results() -> None:
    """Of equal bots, whom luck alone decides about."""
    found = means(Design(8, 3, deviation=0.0), 10)
    assert 0.9 < found.held <= 1
    assert found.ranges >= 0.95
    assert found.widening > 1


def test_resamples_say_the_same_whoever_asks() -> None:
    """In whatever order results arrived."""
    design = Design(8, 4, 1, deviation=0.0, forfeits=0.05)
    field = tournament(design, dict.fromkeys(design.names, 0.0), "1")
    wider = widening(field, SWISS)
    assert 1.0 <= wider < 1.5
    again = msgspec.structs.replace(field, seed="2", results=field.results[::-1], entrants=design.names[::-1])
    assert widening(again, SWISS) == wider
    assert widening(field, format_named("round-robin")) == 1.0


@pytest.mark.thorough
def test_resamples_widen_intervals_where_pods_are_drawn_from_results() -> None:
    """Little: what rests on few pods is cautious, and of many pods luck is soon put to the test."""
    design = Design(15, 10, 1, deviation=0.0, forfeits=0.05)
    field = tournament(design, dict.fromkeys((*design.names, "house-1"), 0.0), "1")
    assert 1.0 < widening(field, SWISS) < 1.5


def test_resamples_of_tournaments_with_little_in_them() -> None:
    design = Design(5, 2)
    field = tournament(design, design.strengths(1), "1")
    first_round = tuple(result for result in field.results if result.round_no == 1)
    for results in ((), first_round):
        assert widening(msgspec.structs.replace(field, results=results), SWISS) == 1.0
    nothing_finished = tuple(msgspec.structs.replace(result, gains=()) for result in field.results)
    assert widening(msgspec.structs.replace(field, results=nothing_finished), SWISS) == 1.0
    unfinished = msgspec.structs.replace(field, results=field.results[:-3])
    assert widening(unfinished, SWISS, withdrawn=["e00"]) >= 1.0
    for wrong in ([], design.names):
        assert widening(field, SWISS, withdrawn=wrong) >= 1.0


@pytest.mark.thorough
@pytest.mark.parametrize("forfeits", [pytest.param(0.0, marks=pytest.mark.exhaustive), 0.05])
@pytest.mark.parametrize(
    "deviation",
    [
        pytest.param(0.0, marks=pytest.mark.exhaustive),
        100.0,
        pytest.param(300.0, marks=pytest.mark.exhaustive),
    ],
)
@pytest.mark.parametrize(
    ("pods", "entrants", "rounds"),
    [
        ("random", 8, 3),
        ("random", 31, 5),
        *(
            pytest.param(*design, marks=pytest.mark.exhaustive)  # Up to two minutes of processor each.
            for design in (
                ("random", 7, 3),
                ("swiss", 7, 3),
                ("swiss", 8, 3),
                ("swiss", 31, 5),
                ("random", 32, 5),
                ("swiss", 32, 5),
            )
        ),
    ],
)
def test_coverage(pods: str, entrants: int, rounds: int, deviation: float, forfeits: float) -> None:
    """7 and 31 play with a house bot. What rests on few pods is cautious. Where entrants hardly differ,
    correcting for opponents costs as much as it brings."""
    design = Design(entrants, rounds, pods=pods, deviation=deviation, forfeits=forfeits)  # type: ignore[arg-type]
    found = means(design, 200)
    print(f"{design}: intervals {found.held:.3f}, ranks {found.ranges:.3f}")
    assert 0.93 <= found.held <= (0.98 if entrants < 10 else 0.97)
    assert found.ranges >= 0.95
    assert not deviation or found.adjusted > found.plain - (0.05 if deviation == 100 else 0)
