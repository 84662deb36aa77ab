"""Whole tournaments of synthetic bots of known strength, without a process and without cards: pairing,
seatings, resamples and standings are the real ones, only what happens at a table is made up.

A deal has luck of its own for each seat, the same in all seatings, and noise of each seating, both normal.
One entrant may be sensitive to the order round the table: then its strength is another in every pod. What
neighbours do to each other is in none of this; it is in tests/realplay/.
"""

import random
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from statistics import fmean
from typing import Literal, NamedTuple, TypeAlias

import msgspec
from scipy.special import ndtri
from scipy.stats import kendalltau

from protocol.outcome import Forfeit, best_first, totals, with_forfeits
from protocol.streams import pairing_stream, pod_key, seating_labels
from tournaments.formats import Field, format_named, house_bots
from tournaments.pairing import first_pods
from tournaments.resamples import widening
from tournaments.results import MatchResult, Pod
from tournaments.seatings import seatings
from tournaments.standings import Standings, standings

SWISS = format_named("swiss")
POD_SIZE = 4
LUCK = NOISE = 600.0
SUBSTITUTE = -300.0
"""Its strength, and that of house bots."""

Strengths: TypeAlias = dict[str, float]


class Design(msgspec.Struct, frozen=True):
    """How tournaments are simulated. deviation: of the strengths, which are spread as a normal sample is on
    average. forfeits: the chance that a seat forfeits its match, somewhere in it. sensitive: the standard
    deviation of what the order of a pod adds to the gain of one entrant, the first by name."""

    entrants: int
    rounds: int
    deals: int = 4
    pods: Literal["swiss", "random"] = "swiss"
    deviation: float = 300.0
    forfeits: float = 0.0
    sensitive: float = 0.0

    @property
    def names(self) -> Pod:
        return tuple(f"e{number:02}" for number in range(self.entrants))

    def strengths(self, number: int) -> Strengths:
        """Those of tournament `number`: always the same ones, given to other names."""
        spread = [self.deviation * float(ndtri((k + 0.5) / self.entrants)) for k in range(self.entrants)]
        house = dict.fromkeys(house_bots(self.entrants, POD_SIZE), SUBSTITUTE)
        return dict(zip(random.Random(number).sample(self.names, self.entrants), spread, strict=True)) | house


class Trial(NamedTuple):
    """What one tournament showed. held, low: the share of intervals that hold the truth, and of those it
    lies below. ranges: the share of rank ranges that hold. adjusted, plain: Kendall's τ of these gains with
    the true order; NaN among equals. sensitive: 1 if the interval of the first by name, who is the sensitive
    one, holds the truth, or else 0."""

    held: float
    low: float
    ranges: float
    adjusted: float
    plain: float
    widening: float
    sensitive: float


def trials(design: Design, count: int) -> Iterator[Trial]:
    """One tournament after the other."""
    for number in range(count):
        strength = design.strengths(number)
        field = tournament(design, strength, str(number))
        wider = widening(field, SWISS) if design.pods == "swiss" else 1.0
        table = standings(field.results, design.names, widening=wider)
        yield judged(table, truth(design, strength, count), plain_gains(field))


def tournament(design: Design, strength: Strengths, seed: str) -> Field:
    """From the first drawing to the last result."""
    field = Field(design.names, POD_SIZE, design.rounds, seed, (), ())
    everybody = (*design.names, *house_bots(design.entrants, POD_SIZE))
    for round_no in range(1, design.rounds + 1):
        if design.pods == "swiss":
            pods = SWISS.draw(field)
            assert pods is not None
        else:
            pods = first_pods(everybody, POD_SIZE, pairing_stream(seed, round_no))
        results = tuple(
            result
            for pod_no, pod in enumerate(pods, start=1)
            for result in play(
                (round_no, pod_no),
                pod,
                with_order(design, strength, f"{seed}/{round_no}/{pod_no}"),
                seed,
                deals=design.deals,
                forfeits=design.forfeits,
            )
        )
        field = msgspec.structs.replace(field, drawn=(*field.drawn, pods), results=field.results + results)
    return field


def with_order(design: Design, strength: Strengths, pod: str) -> Strengths:
    """The strengths in one pod."""
    name = design.names[0]
    return strength | {name: strength[name] + random.Random(f"{pod}/order").gauss(0, design.sensitive)}


def play(
    place: tuple[int, int], pod: Pod, strength: Strengths, seed: str, *, deals: int = 4, forfeits: float = 0.0
) -> list[MatchResult]:
    """A pod's matches, in all seatings."""
    chance = random.Random(f"{seed}/{place}")
    luck = [[chance.gauss(0, LUCK) for _ in pod] for _ in range(deals)]
    labels = seating_labels(pod_key(seed, *place), len(pod))
    results = []
    for seating_no, order in enumerate(seatings(pod, labels), start=1):
        faulted = {
            seat: chance.randrange(1, deals + 1) for seat in range(len(pod)) if chance.random() < forfeits
        }
        gains = tuple(
            tuple(
                round(
                    (SUBSTITUTE if faulted.get(seat, deals + 1) <= deal_no else strength[name])
                    + seat_luck[seat]
                    + chance.gauss(0, NOISE)
                )
                for seat, name in enumerate(order)
            )
            for deal_no, seat_luck in enumerate(luck, start=1)
        )
        placings = with_forfeits(best_first(totals(gains, len(pod))), faulted)
        fallen = tuple(Forfeit(seat, deal_no, "exited", True) for seat, deal_no in faulted.items())
        results.append(MatchResult(*place, seating_no, order, gains, placings, fallen))
    return results


def truth(design: Design, strength: Strengths, count: int) -> Strengths:
    """What the intervals are to hold: the strengths, mean 0. A bot that forfeits now and then is worse than
    its strength: then it is the mean of what `count` tournaments with pods drawn at random find."""
    if not design.forfeits:
        mean = fmean(strength[name] for name in design.names)
        return {name: strength[name] - mean for name in design.names}
    return {
        name: _worth(msgspec.structs.replace(design, pods="random"), count)[strength[name]]
        for name in design.names
    }


@cache
def _worth(design: Design, count: int) -> dict[float, float]:
    """By strength, the mean adjusted gain."""
    found = defaultdict[float, list[float]](list)
    for number in range(count):
        strength = design.strengths(number)
        for row in standings(tournament(design, strength, f"worth/{number}").results, design.names).entrants:
            assert row.gain is not None
            found[strength[row.name]].append(row.gain)
    return {strength: fmean(gains) for strength, gains in found.items()}


def judged(table: Standings, true: Strengths, plain: Strengths) -> Trial:
    """A range of ranks holds if it has one that the truth allows: of equals, each may be first or last."""
    held = low = ranges = sensitive = 0
    count = len(table.entrants)
    for row in table.entrants:
        assert row.low is not None
        assert row.high is not None
        assert row.rank_low is not None
        assert row.rank_high is not None
        own = true[row.name]
        held += row.low <= own <= row.high
        sensitive += row.name == min(true) and row.low <= own <= row.high
        low += own < row.low
        best = 1 + sum(other > own for other in true.values())
        worst = count - sum(other < own for other in true.values())
        ranges += row.rank_low <= worst and best <= row.rank_high
    order = [true[row.name] for row in table.entrants]
    return Trial(
        held / count,
        low / count,
        ranges / count,
        kendalltau(order, [row.gain for row in table.entrants]).statistic,
        kendalltau(order, [plain[row.name] for row in table.entrants]).statistic,
        table.widening,
        float(sensitive),
    )


def plain_gains(field: Field) -> Strengths:
    """By name, the mean of what it gained above its tables' means, whoever sat there; forfeits as in the
    standings."""
    gains = defaultdict[str, list[float]](list)
    for result in field.results:
        fallen = {forfeit.seat for forfeit in result.forfeits}
        for deal in result.gains:
            lowest, mean = min(deal), fmean(deal)
            for seat, name in enumerate(result.entrants):
                gains[name].append((lowest if seat in fallen else deal[seat]) - mean)
    return {name: fmean(of) for name, of in gains.items()}
