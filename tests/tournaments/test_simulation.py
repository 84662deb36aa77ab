"""Whole tournaments of bots of known strength, through the real pairing, seatings and standings: the claimed
intervals hold the truth as often as they promise."""

import random
from typing import NamedTuple

import pytest

from protocol.outcome import best_first, totals
from protocol.streams import pairing_stream, pod_key, seating_labels
from tournaments.formats import Field, format_named, house_bots
from tournaments.pairing import first_pods
from tournaments.results import MatchResult, Pod, Round
from tournaments.seatings import seatings
from tournaments.standings import standings

SWISS = format_named("swiss")


class Coverage(NamedTuple):
    held: int
    intervals: int
    low: int
    """Truth below the interval."""

    @property
    def share(self) -> float:
        return self.held / self.intervals


def play(round_no: int, pod_no: int, pod: Pod, strength: dict[str, float], seed: str) -> list[MatchResult]:
    """A deal has luck of its own for each seat, the same in all seatings, and noise of each seating."""
    deal, noise = random.Random(f"{seed}/{round_no}/{pod_no}"), random.Random(f"{seed}/{round_no}/{pod_no}/n")
    luck = [[deal.gauss(0, 600) for _ in pod] for _ in pod]
    labels = seating_labels(pod_key(seed, round_no, pod_no), len(pod))
    results = []
    for seating_no, order in enumerate(seatings(pod, labels), start=1):
        gains = tuple(
            tuple(
                round(strength[name] + at_seat + noise.gauss(0, 600))
                for name, at_seat in zip(order, seat_luck, strict=True)
            )
            for seat_luck in luck
        )
        placings = best_first(totals(gains, len(pod)))
        results.append(MatchResult(round_no, pod_no, seating_no, order, gains, placings, ()))
    return results


def tournament(entrants: Pod, rounds: int, strength: dict[str, float], seed: str, swiss: bool) -> Coverage:
    drawn: tuple[Round, ...] = ()
    results: tuple[MatchResult, ...] = ()
    for round_no in range(1, rounds + 1):
        if swiss:
            pods = SWISS.draw(Field(entrants, 4, rounds, seed, drawn, results))
            assert pods is not None
        else:
            pods = first_pods(entrants, 4, pairing_stream(seed, round_no))
        drawn = (*drawn, pods)
        for pod_no, pod in enumerate(pods, start=1):
            results += tuple(play(round_no, pod_no, pod, strength, seed))
    mean = sum(strength[name] for name in entrants) / len(entrants)
    held = low = 0
    for row in standings(results, entrants).entrants:
        assert row.low is not None
        assert row.high is not None
        held += row.low <= strength[row.name] - mean <= row.high
        low += strength[row.name] - mean < row.low
    return Coverage(held, len(entrants), low)


def coverage(count: int, rounds: int, tournaments: int, swiss: bool) -> Coverage:
    entrants = tuple(f"e{number:02}" for number in range(count))
    rng = random.Random(f"{count}/{rounds}")
    played = []
    for number in range(tournaments):
        strength = {name: rng.gauss(0, 300) for name in entrants} | dict.fromkeys(
            house_bots(count, 4), -300.0
        )
        played.append(tournament(entrants, rounds, strength, str(number), swiss))
    return Coverage(*(sum(column) for column in zip(*played, strict=True)))


def test_intervals_hold_the_truth_where_pods_are_drawn_at_random() -> None:
    """2,240 intervals, which depend on each other a little: a standard error of about .006."""
    found = coverage(16, 5, tournaments=140, swiss=False)
    assert 0.92 < found.share < 0.975
    assert 0.25 < found.low / (found.intervals - found.held) < 0.75  # they miss on either side


def test_swiss_intervals_are_nearly_as_good_with_few_entrants() -> None:
    assert 0.89 < coverage(7, 4, tournaments=60, swiss=True).share < 0.98


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("count", "rounds", "swiss", "least"),
    [(8, 3, False, 0.94), (8, 3, True, 0.92), (32, 5, False, 0.94), (32, 5, True, 0.9)],
)
def test_a_thousand_tournaments(count: int, rounds: int, swiss: bool, least: float) -> None:
    """Adaptive pairing makes the intervals too narrow; by how much is what the bounds write down."""
    assert least < coverage(count, rounds, tournaments=1000, swiss=swiss).share < 0.965
