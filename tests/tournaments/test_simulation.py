"""Whole tournaments of bots of known strength, through the real pairing, seatings and standings: the claimed
intervals hold the truth as often as they promise."""

import random
from typing import NamedTuple

import msgspec
import pytest
from scipy.stats import kendalltau

from protocol.outcome import Forfeit, best_first, totals, with_forfeits
from protocol.streams import pairing_stream, pod_key, seating_labels
from tournaments import pairing
from tournaments.formats import Field, format_named, house_bots
from tournaments.pairing import first_pods
from tournaments.replays import widening
from tournaments.results import MatchResult, Pod
from tournaments.seatings import seatings
from tournaments.standings import Standings, standings

SWISS = format_named("swiss")

SUBSTITUTE = -300.0
"""Its strength, and that of house bots."""

Strengths = dict[str, float]


class Found(NamedTuple):
    """Sums over entrants and tournaments. low: truth below the interval. ranges: those of ranks that hold."""

    entrants: int
    held: int
    low: int
    ranges: int

    @property
    def share(self) -> float:
        return self.held / self.entrants


def play(
    round_no: int, pod_no: int, pod: Pod, strength: Strengths, seed: str, forfeits: float = 0.0
) -> list[MatchResult]:
    """A deal has luck of its own for each seat, the same in all seatings, and noise of each seating."""
    deal, noise = random.Random(f"{seed}/{round_no}/{pod_no}"), random.Random(f"{seed}/{round_no}/{pod_no}/n")
    luck = [[deal.gauss(0, 600) for _ in pod] for _ in pod]
    labels = seating_labels(pod_key(seed, round_no, pod_no), len(pod))
    results = []
    for seating_no, order in enumerate(seatings(pod, labels), start=1):
        faulted = {seat: noise.randrange(1, 5) for seat in range(len(pod)) if noise.random() < forfeits}
        gains = tuple(
            tuple(
                round(
                    (SUBSTITUTE if faulted.get(seat, 9) <= deal_no else strength[name])
                    + seat_luck[seat]
                    + noise.gauss(0, 600)
                )
                for seat, name in enumerate(order)
            )
            for deal_no, seat_luck in enumerate(luck, start=1)
        )
        placings = with_forfeits(best_first(totals(gains, len(pod))), faulted)
        fallen = tuple(Forfeit(seat, deal_no, "exited", True) for seat, deal_no in faulted.items())
        results.append(MatchResult(round_no, pod_no, seating_no, order, gains, placings, fallen))
    return results


def tournament(
    entrants: Pod, rounds: int, strength: Strengths, seed: str, *, swiss: bool, forfeits: float = 0.0
) -> Field:
    field = Field(entrants, 4, rounds, seed, (), ())
    for round_no in range(1, rounds + 1):
        pods = SWISS.draw(field) if swiss else first_pods(entrants, 4, pairing_stream(seed, round_no))
        assert pods is not None
        results = [
            result
            for pod_no, pod in enumerate(pods, start=1)
            for result in play(round_no, pod_no, pod, strength, seed, forfeits)
        ]
        field = msgspec.structs.replace(field, drawn=(*field.drawn, pods), results=(*field.results, *results))
    return field


def judge(table: Standings, strength: Strengths) -> Found:
    """A range of ranks holds if it has one that the truth allows: of equals, each may be first or last."""
    true = [strength[row.name] for row in table.entrants]
    mean = sum(true) / len(true)
    held = low = ranges = 0
    for row, own in zip(table.entrants, true, strict=True):
        assert row.low is not None
        assert row.high is not None
        assert row.rank_low is not None
        assert row.rank_high is not None
        held += row.low <= own - mean <= row.high
        low += own - mean < row.low
        best, worst = 1 + sum(other > own for other in true), len(true) - sum(other < own for other in true)
        ranges += row.rank_low <= worst and best <= row.rank_high
    return Found(len(true), held, low, ranges)


def strengths(rng: random.Random, entrants: Pod, deviation: float) -> Strengths:
    return {name: rng.gauss(0, deviation) for name in entrants} | dict.fromkeys(
        house_bots(len(entrants), 4), SUBSTITUTE
    )


def coverage(count: int, rounds: int, tournaments: int, *, swiss: bool, deviation: float = 300.0) -> Found:
    """With intervals widened by replays where pods are drawn from results."""
    entrants = tuple(f"e{number:02}" for number in range(count))
    rng = random.Random(f"{count}/{rounds}")
    found = []
    for number in range(tournaments):
        strength = strengths(rng, entrants, deviation)
        field = tournament(entrants, rounds, strength, str(number), swiss=swiss)
        wider = widening(field, SWISS) if swiss else 1.0
        found.append(judge(standings(field.results, entrants, widening=wider), strength))
    return Found(*(sum(column) for column in zip(*found, strict=True)))


def test_intervals_hold_the_truth_where_pods_are_drawn_at_random() -> None:
    """960 intervals, which depend on each other a little: a standard error of about .008."""
    found = coverage(16, 5, tournaments=60, swiss=False)
    assert 0.92 < found.share < 0.975
    assert 0.25 < found.low / (found.entrants - found.held) < 0.75  # they miss on either side


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replays make one tournament a hundred: that it ends, the search for pods is less thorough, in
    tournaments and replays alike."""
    monkeypatch.setattr(pairing, "RUNS", 2)
    monkeypatch.setattr(pairing, "SMALL_FIELD_RUNS", 0)


@pytest.mark.usefixtures("quick")
def test_replays_widen_intervals_where_pods_are_drawn_from_results() -> None:
    """And say the same whoever asks, in whatever order results arrived."""
    entrants = tuple(f"e{number:02}" for number in range(15))
    alike = dict.fromkeys((*entrants, "house-1"), 0.0)
    field = tournament(entrants, 4, alike, "1", swiss=True, forfeits=0.05)
    wider = widening(field, SWISS)
    assert 1.0 < wider < 1.5
    again = msgspec.structs.replace(field, seed="2", results=field.results[::-1], entrants=entrants[::-1])
    assert widening(again, SWISS) == wider
    assert widening(field, format_named("round-robin")) == 1.0


@pytest.mark.usefixtures("quick")
def test_replays_of_tournaments_with_little_in_them() -> None:
    entrants = tuple(f"e{number:02}" for number in range(5))
    strength = strengths(random.Random(1), entrants, 300)
    field = tournament(entrants, 2, strength, "1", swiss=True)
    first_round = tuple(result for result in field.results if result.round_no == 1)
    for results in ((), first_round):
        assert widening(msgspec.structs.replace(field, results=results), SWISS) == 1.0
    nothing_finished = tuple(msgspec.structs.replace(result, gains=()) for result in field.results)
    assert widening(msgspec.structs.replace(field, results=nothing_finished), SWISS) == 1.0
    unfinished = msgspec.structs.replace(field, results=field.results[:-3])
    assert widening(unfinished, SWISS, withdrawn=["e00"]) >= 1.0
    assert widening(field, SWISS, unit="pod") >= 1.0
    for wrong in ([], entrants):
        assert widening(field, SWISS, withdrawn=wrong) >= 1.0


@pytest.mark.thorough
@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("deviation", [0.0, 100.0, 300.0])
@pytest.mark.parametrize(
    ("count", "rounds", "swiss", "tournaments"),
    [(8, 3, False, 1000), (8, 3, True, 150), (32, 5, False, 300), (32, 5, True, 150)],
)
def test_coverage(count: int, rounds: int, swiss: bool, tournaments: int, deviation: float) -> None:
    found = coverage(count, rounds, tournaments, swiss=swiss, deviation=deviation)
    print(
        f"{count} × {rounds}, {'Swiss' if swiss else 'random'}, strengths ± {deviation:g}: "
        f"intervals {found.share:.3f}, ranks {found.ranges / found.entrants:.3f}"
    )
    assert 0.93 < found.share < 0.97
    assert found.ranges / found.entrants >= 0.95


@pytest.mark.thorough
@pytest.mark.parametrize(("count", "rounds", "least"), [(7, 3, 0.6), (31, 5, 0.6)])
def test_order_with_house_bots_and_forfeits(count: int, rounds: int, least: float) -> None:
    """200 tournaments in which 5 % of the seats forfeit: Kendall's τ with the true order."""
    entrants = tuple(f"e{number:02}" for number in range(count))
    rng = random.Random(count)
    adjusted, plain = 0.0, 0.0
    for number in range(200):
        strength = strengths(rng, entrants, 300)
        field = tournament(entrants, rounds, strength, str(number), swiss=True, forfeits=0.05)
        rows = standings(field.results, entrants).entrants
        true = [strength[row.name] for row in rows]
        adjusted += kendalltau(true, [row.gain for row in rows]).statistic / 200
        plain += kendalltau(true, [plain_gain(field, row.name) for row in rows]).statistic / 200
    print(f"{count} × {rounds}, 5 % forfeits: τ of adjusted gain {adjusted:.3f}, of plain gain {plain:.3f}")
    assert adjusted > max(plain, least)


def plain_gain(field: Field, name: str) -> float:
    """The mean of what it gained above its tables' means, whoever sat there."""
    gains = []
    for result in field.results:
        if name in result.entrants:
            seat = result.entrants.index(name)
            fallen = any(forfeit.seat == seat for forfeit in result.forfeits)
            gains += [(min(deal) if fallen else deal[seat]) - sum(deal) / len(deal) for deal in result.gains]
    return sum(gains) / len(gains)
