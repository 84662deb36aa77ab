"""The Swiss format: nobody is eliminated, and every round brings together who stands alike.

Knows no cost and no search: those are the pairing's.
"""

from typing import Final

from protocol.streams import pairing_stream
from tournaments.formats import Field, authors_of, house_bots
from tournaments.pairing import first_pods, house_meetings, meetings, next_pods
from tournaments.results import Round, total_scores

ADAPTIVE: Final = True
ELIMINATES: Final = False

FEWEST_ROUNDS: Final = 6
"""Intervals rest on the pods that an entrant sat in. After three rounds they are t(2) · s / √3 = 2.5 s wide
either way, after six t(5) · s / √6 = 1.0 s, for s the standard deviation of a pod."""


def default_rounds(entrants: int, pod_size: int, challengers: int = 0) -> int:
    """⌈log₂ N⌉, and never fewer than FEWEST_ROUNDS."""
    return max(FEWEST_ROUNDS, (entrants - 1).bit_length())


def pods_by_round(entrants: int, pod_size: int, rounds: int, challengers: int = 0) -> list[int]:
    return [-(-entrants // pod_size)] * rounds


def draw(field: Field) -> Round | None:
    """Pairing numbers go by name, those of the house bots behind; these are kept apart as one author's bots
    are, have no score, and go round. One entrant alone has nobody to meet."""
    round_no = len(field.drawn) + 1
    if round_no > field.rounds or len(field.entrants) < 2:
        return None
    names = (*sorted(field.entrants), *house_bots(len(field.entrants), field.pod_size))
    authors = authors_of(field, names)
    stream = pairing_stream(field.seed, round_no)
    if round_no == 1:
        return first_pods(names, field.pod_size, stream, authors, version=field.pairing)
    met = meetings(field.drawn, field.entrants)
    house = house_meetings(field.drawn)
    totals = total_scores(field.results)
    scores = {name: totals[name] for name in field.entrants}
    return next_pods(
        *(names, field.pod_size, stream, scores, met, authors, house),
        hasty=field.hasty,
        version=field.pairing,
    )
