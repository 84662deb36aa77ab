"""The Swiss format: no one is eliminated, and in every round entrants with similar scores meet.

Knows no cost and no search: those are in pairing.py.
"""

from typing import Final

from protocol.streams import pairing_stream
from tournaments.formats import Field, authors_of, house_bots
from tournaments.pairing import first_pods, next_pods
from tournaments.results import Round

ADAPTIVE: Final = True
ELIMINATES: Final = False
HAS_INTERVALS: Final = True

FEWEST_ROUNDS: Final = 6
"""An interval rests on the entrant's pods. If a pod has the standard deviation s, it is t(2) · s / √3 = 2.5 s
either way after three rounds, and t(5) · s / √6 = 1.0 s after six."""


def default_rounds(entrants: int, pod_size: int, challengers: int = 0) -> int:
    """⌈log₂ N⌉, but at least FEWEST_ROUNDS."""
    return max(FEWEST_ROUNDS, (entrants - 1).bit_length())


def pods_by_round(entrants: int, pod_size: int, rounds: int, challengers: int = 0) -> list[int]:
    return [-(-entrants // pod_size)] * rounds


def no_further(field: Field) -> str | None:
    """See `Format`: a Swiss tournament can always go on."""
    return None


def draw(field: Field) -> Round | None:
    """The next round; None also for a single entrant. Pairing numbers go by name, with house bots last. House
    bots have no score, are kept apart like bots of one author, and meet all entrants in turn."""
    round_no = len(field.drawn) + 1
    if round_no > field.rounds or len(field.entrants) < 2:
        return None
    names = (*sorted(field.entrants), *house_bots(len(field.entrants), field.pod_size))
    authors = authors_of(field, names)
    stream = pairing_stream(field.seed, round_no)
    if round_no == 1:
        return first_pods(names, field.pod_size, stream, authors, version=field.pairing)
    tally = field.tally
    scores = {name: tally.scores[name] for name in field.entrants}
    return next_pods(
        *(names, field.pod_size, stream, scores, tally.met, authors, tally.house_met),
        quick=field.quick,
        version=field.pairing,
    )
