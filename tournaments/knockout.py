"""The knockout: the best half of every pod goes on, until one pod is left, and of that the best.

Who is best in a pod: by the score of that round; ties by the adjusted gain in all rounds so far, then by
lot. Where no pod connects those who tie, gains cannot be compared, and lot decides among the groups. House
bots never go on. A late entrant joins the next round.
"""

from collections.abc import Collection, Iterable, Sequence
from itertools import chain
from math import inf
from typing import Final

import msgspec

from protocol.streams import lot_stream
from tournaments.formats import Field, house_bots
from tournaments.results import MatchResult, Round, is_house, total_scores
from tournaments.statistics import adjusted_gains

ADAPTIVE: Final = True
ELIMINATES: Final = True


class Course(msgspec.Struct, frozen=True):
    """How far everybody came: the last round that each sat in, and the number of the final, None while there
    are several pods. winner: None until that is played."""

    winner: str | None
    final: int | None
    came_to: dict[str, int]


def default_rounds(entrants: int, pod_size: int, challengers: int = 0) -> int:
    """Until one pod is left, and that pod's own round."""
    return len(pods_by_round(entrants, pod_size, entrants))


def pods_by_round(entrants: int, pod_size: int, rounds: int, challengers: int = 0) -> list[int]:
    pods: list[int] = []
    while entrants > 1 and len(pods) < rounds:
        pods.append(-(-entrants // pod_size))
        entrants = pods[-1] * (pod_size // 2) if pods[-1] > 1 else 1
    return pods


def draw(field: Field) -> Round | None:
    seen = {name for pods in field.drawn for pod in pods for name in pod}
    late = [name for name in field.entrants if name not in seen]
    return next_round([*survivors(field), *late], field)


def next_round(alive: Collection[str], field: Field) -> Round | None:
    """These go on; None when the rounds are over or one has won."""
    if len(field.drawn) >= field.rounds or len(alive) < 2:
        return None
    return seeded(best_first(alive, field.results, field), field.pod_size)


def survivors(field: Field) -> tuple[str, ...]:
    """Who has come through the last round drawn, all of whose results are in: one is the winner."""
    if not field.drawn:
        return ()
    last = [result for result in field.results if result.round_no == len(field.drawn)]
    go_on = field.pod_size // 2 if len(field.drawn[-1]) > 1 else 1
    pods = [[name for name in pod if name in field.entrants] for pod in field.drawn[-1]]
    best = best_first(chain.from_iterable(pods), last, field)
    place = {name: at for at, name in enumerate(best)}
    return tuple(name for pod in pods for name in sorted(pod, key=place.__getitem__)[:go_on])


def course(field: Field, *, over: bool) -> Course:
    """`over`: all is played; before, nobody has won."""
    rounds = enumerate(field.drawn, start=1)
    came_to = {name: no for no, pods in rounds for pod in pods for name in pod if not is_house(name)}
    last = survivors(field) if over else ()
    final = len(field.drawn) if field.drawn and len(field.drawn[-1]) == 1 else None
    return Course(winner=last[0] if final and len(last) == 1 else None, final=final, came_to=came_to)


def best_first(names: Iterable[str], scored: Iterable[MatchResult], field: Field) -> list[str]:
    """By score in `scored`, adjusted gain in all results, lot."""
    played = {name for result in field.results for name in result.entrants}
    entrants = sorted({name for name in played | {*field.entrants} if not is_house(name)})
    scores = total_scores(scored)
    gains = adjusted_gains(field.results, entrants)
    lot = {name: at for at, name in enumerate(lot_stream(field.seed).shuffled(entrants))}

    of_component: dict[int | None, int] = {}
    for name, estimate in gains.items():
        if name in lot:
            earliest = of_component.get(estimate.component, len(lot))
            of_component[estimate.component] = min(earliest, lot[name])

    def merit(name: str) -> tuple[int, float, float, int]:
        estimate = gains.get(name)
        if estimate is None or estimate.gain is None:
            return -scores[name], inf, inf, lot[name]
        return -scores[name], of_component[estimate.component], -estimate.gain, lot[name]

    return sorted(names, key=merit)


def seeded(ranked: Sequence[str], pod_size: int) -> Round:
    """The best are spread over the pods, one each, then the next, the other way round, and so on; the places
    left are filled with house bots. The best of all sits with the last of the second row: in pods of two the
    first meets the last. Members stand in that order, pods by their best."""
    names = (*ranked, *house_bots(len(ranked), pod_size))
    pods = len(names) // pod_size
    rows = [names[at : at + pods] for at in range(0, len(names), pods)]
    return tuple(zip(*(row[:: -1 if odd % 2 else 1] for odd, row in enumerate(rows)), strict=True))
