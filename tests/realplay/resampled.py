"""Whole tournaments resampled from a bank of real play: pairing, seatings, forfeits and standings are the
real ones, and what a pod gains is what its versions gained in that order on cards drawn with replacement.

So neighbours, orders and the interaction of programs are in it, other than in tests/tournaments/simulated.py.
A forfeited seat is the random version's from its faulted deal on.

**The truth** is the adjusted gain in an endless tournament of the same entrants, with pods and orders drawn
at random and as many forfeits. It is reckoned exactly, from the means of all words of the bank: least squares
over every deal that could be played, each as often as it would be. Swiss pods estimate something else where
programs interact; how far off that is, is reported as bias.
"""

import itertools
from collections import Counter
from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from protocol.faults import FaultKind
from protocol.outcome import Forfeit, best_first, with_forfeits
from protocol.streams import pairing_stream
from tests.realplay.bank import SEATS, WORDS, Bank, word_number
from tests.realplay.versions import VERSIONS
from tournaments.formats import Field, format_named
from tournaments.pairing import first_pods
from tournaments.results import MatchResult, Pod
from tournaments.seatings import seatings

SWISS: Final = format_named("swiss")

EIGHT: Final = (*VERSIONS, "careful", "greedy")
"""A field of eight: six programs, of two of which there is an exact copy. Larger fields are several of it."""

_NUMBER: Final[Mapping[str, int]] = {version: number for number, version in enumerate(VERSIONS)}
_RANDOM: Final = _NUMBER["random"]
_SUBSTITUTE: Final = len(VERSIONS)
"""Its column, behind those of the versions."""

Programs = Mapping[str, int]
"""Entrant to the number of its version."""


class Design(msgspec.Struct, frozen=True):
    """entrants: a multiple of eight. deals: a match. forfeits: the chance that a seat forfeits its match,
    somewhere in it."""

    game: str
    entrants: int
    rounds: int
    deals: int
    pods: Literal["swiss", "random"] = "random"
    forfeits: float = 0.0

    @property
    def versions(self) -> list[int]:
        """Of all entrants."""
        return [_NUMBER[version] for version in EIGHT] * (self.entrants // len(EIGHT))

    def programs(self, number: int) -> dict[str, int]:
        """Those of tournament `number`: always the same ones, under other names, as names decide ties."""
        names = [f"e{at:02}" for at in np.random.default_rng(number).permutation(self.entrants)]
        return dict(sorted(zip(names, self.versions, strict=True)))


def tournament(bank: Bank, design: Design, number: int) -> Field:
    """From the first drawing to the last result. The same number gives the same tournament."""
    programs, chance = design.programs(number), np.random.default_rng((number, 1))
    field = Field(tuple(programs), SEATS, design.rounds, str(number), (), ())
    for round_no in range(1, design.rounds + 1):
        if design.pods == "swiss":
            pods = SWISS.draw(field)
            assert pods is not None
        else:
            pods = first_pods(field.entrants, SEATS, pairing_stream(field.seed, round_no))
        results = tuple(
            result
            for pod_no, pod in enumerate(pods, start=1)
            for result in play(bank, (round_no, pod_no), pod, programs, chance, design.deals, design.forfeits)
        )
        field = msgspec.structs.replace(field, drawn=(*field.drawn, pods), results=field.results + results)
    return field


def play(
    bank: Bank,
    place: tuple[int, int],
    pod: Pod,
    programs: Programs,
    chance: np.random.Generator,
    deals: int,
    forfeits: float = 0.0,
) -> list[MatchResult]:
    """A pod's matches, in all seatings, on the same cards and in an order drawn at random."""
    square = seatings(pod, chance.permutation(len(pod)).tolist())
    count, size = bank.gains.shape[:2]
    drawn = chance.integers(count, size=-(-deals // size)).repeat(size)[:deals]
    within = np.arange(deals) % size
    results = []
    for seating_no, order in enumerate(square, start=1):
        word = [programs[name] for name in order]
        words: NDArray[np.intp] = np.full(deals, word_number(word))
        fallen = []
        for seat in np.flatnonzero(chance.random(SEATS) < forfeits) if forfeits else ():
            faulted = int(chance.integers(deals))
            # The random version in that seat, in a word that may have others already.
            words[faulted:] += (_RANDOM - word[seat]) * len(VERSIONS) ** (SEATS - 1 - seat)
            fallen.append(Forfeit(int(seat), faulted + 1, FaultKind.EXITED, True))
        gains = bank.gains[drawn, within, words]
        placings = best_first(gains.sum(axis=0, dtype=np.int64).tolist())
        results.append(
            MatchResult(
                *place,
                seating_no,
                order,
                tuple(map(tuple, gains.tolist())),
                with_forfeits(placings, {forfeit.seat for forfeit in fallen}),
                tuple(fallen),
            )
        )
    return results


class _Fate(NamedTuple):
    """Of the four seats in one deal. fallen: forfeit this match. replaced: have done so by this deal."""

    fallen: tuple[int, ...]
    replaced: tuple[int, ...]


def truth(bank: Bank, design: Design) -> list[float]:
    """By version, the adjusted gain of an endless tournament; its mean over the entrants is 0."""
    columns = len(VERSIONS) + 1
    unit = np.eye(columns)
    words = np.array(WORDS)
    weight = _likelihood(design)
    mean, lowest = bank.gains.mean(axis=0), bank.gains.min(axis=-1).mean(axis=0)
    normal, moment = np.zeros((columns, columns)), np.zeros(columns)
    for fate, shares in _fates(design, bank.gains.shape[1]).items():
        played, table = words.copy(), words.copy()
        played[:, fate.replaced], table[:, fate.replaced] = _RANDOM, _SUBSTITUTE
        numbers = played @ len(VERSIONS) ** np.arange(SEATS)[::-1]
        average = unit[table].mean(axis=1)
        for within, share in enumerate(shares):
            gains = mean[within, numbers]
            own = gains.copy()
            own[:, fate.fallen] = lowest[within, numbers, None]
            # As in the standings: an entrant's row for every seat, and one for each substitute.
            rows = [(words[:, seat], own[:, seat]) for seat in range(SEATS)]
            rows += [(table[:, seat], gains[:, seat]) for seat in fate.replaced]
            for who, gain in rows:
                x = unit[who] - average
                y = gain - gains.mean(axis=1)
                normal += share * (x * weight[:, None]).T @ x
                moment += share * (x * weight[:, None]).T @ y
    strengths = (np.linalg.pinv(normal) @ moment)[:_SUBSTITUTE]
    found: list[float] = (strengths - strengths[design.versions].mean()).tolist()
    return found


def _likelihood(design: Design) -> NDArray[np.float64]:
    """By word, how likely it is that four entrants drawn at random sit so."""
    counts = Counter(design.versions)
    likely = []
    for word in WORDS:
        ways = 1
        for seat, version in enumerate(word):
            ways *= counts[version] - word[:seat].count(version)
        likely.append(ways)
    found: NDArray[np.float64] = np.array(likely) / sum(likely)
    return found


def _fates(design: Design, block: int) -> dict[_Fate, list[float]]:
    """What befalls the seats in a deal, with how often it does at each place of a block."""
    found: dict[_Fate, list[float]] = {}
    for states in itertools.product(("well", "fallen", "replaced"), repeat=SEATS):
        shares = [0.0] * block
        for deal in range(design.deals):
            replaced = design.forfeits * (deal + 1) / design.deals
            likely = {"well": 1 - design.forfeits, "fallen": design.forfeits - replaced, "replaced": replaced}
            shares[deal % block] += float(np.prod([likely[state] for state in states])) / design.deals
        if any(shares):
            fallen = tuple(seat for seat, state in enumerate(states) if state != "well")
            replaced_seats = tuple(seat for seat, state in enumerate(states) if state == "replaced")
            found[_Fate(fallen, replaced_seats)] = shares
    return found
