"""The round-robin format: pairs that have met least meet next, whatever the scores, until all pairs have met
equally often.

Each number of entrants and pod size has one schedule; lots assign the entrants to its places. Knows no
results.
"""

from collections.abc import Mapping
from itertools import combinations, count
from typing import Final

from protocol.streams import Stream, pairing_stream
from tournaments.formats import PAIRING, Field, house_bots
from tournaments.pairing import meetings, next_pods
from tournaments.results import Pod, Round

ADAPTIVE: Final = False
ELIMINATES: Final = False
HAS_INTERVALS: Final = True

PATIENCE: Final = 2
"""Until all pairs have met equally often, at most this many times the rounds are played in which all meet
once. Large pods of few entrants may never get there."""

LABELS: Final = {0: "arena1/round-robin", 1: "arena1/round-robin/1-3", 2: "arena1/round-robin/1-3"}
"""The label of the stream, by version of the pairing rules. Version 1 has the third label that was tried: the
first with which 16 entrants in pods of four all meet in five rounds."""

NO_SCORES: Final[Mapping[str, int]] = {}


def default_rounds(entrants: int, pod_size: int, challengers: int = 0) -> int:
    """The rounds until every pair has met and the numbers of meetings differ by at most 1; or until every
    pair has met, if that takes too long."""
    names = tuple(map(str, range(entrants)))
    drawn: tuple[Round, ...] = ()
    all_met = 0
    for round_no in count(1):
        drawn = (*drawn, _next_round(names, pod_size, drawn))
        met = meetings(drawn, names)
        often = [met.get(pair, 0) for pair in combinations(sorted(names), 2)]
        if min(often) and not all_met:
            all_met = round_no
        if all_met and max(often) - min(often) <= 1:
            return round_no
        if all_met and round_no >= PATIENCE * all_met:
            break
    return all_met


def pods_by_round(entrants: int, pod_size: int, rounds: int, challengers: int = 0) -> list[int]:
    return [-(-entrants // pod_size)] * rounds


def no_further(field: Field) -> str | None:
    """See `Format`: more rounds make sense until all have met."""
    all_met = all(field.tally.met[pair] for pair in combinations(sorted(field.entrants), 2))
    return "in this round robin all have met" if all_met else None


def draw(field: Field) -> Round | None:
    """The next round of the schedule. The lots of the first round assign its places to entrants."""
    if len(field.drawn) >= field.rounds or len(field.entrants) < 2:
        return None
    lot = pairing_stream(field.seed, 1).shuffled(sorted(field.entrants))
    return _next_round(lot, field.pod_size, field.drawn, field.pairing)


def _next_round(entrants: Pod, pod_size: int, drawn: tuple[Round, ...], version: int = PAIRING) -> Round:
    """The next round of the schedule. Its stream is the same in all tournaments; chance is in the order of
    `entrants`. House bots count like entrants here, so that entrants take turns with them."""
    names = (*entrants, *house_bots(len(entrants), pod_size))
    stream = Stream(f"{LABELS[version]}/{len(drawn) + 1}")
    return next_pods(names, pod_size, stream, NO_SCORES, meetings(drawn, names), version=version)
