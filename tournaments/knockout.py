"""The knockout: the best half of every pod goes on until one pod is left, and the best of that pod wins.

The best of a pod have the highest score in that round; ties are broken by the adjusted gain in all rounds so
far, then by lot. If no pods connect entrants that tie, their gains cannot be compared, and lots decide among
the connected groups. House bots never go on. A late entrant joins the next round. Knows no seats.
"""

from collections.abc import Collection, Iterable, Sequence
from itertools import chain
from math import inf
from typing import TYPE_CHECKING, Final

import msgspec

from protocol.streams import lot_stream
from tournaments.formats import Field, house_bots
from tournaments.results import MatchResult, Round, is_house, total_scores

if TYPE_CHECKING:
    from tournaments.statistics import Estimate

ADAPTIVE: Final = True
ELIMINATES: Final = True
HAS_INTERVALS: Final = False


class KnockoutResult(msgspec.Struct, frozen=True):
    """How far each entrant came."""

    winner: str | None
    """None until the final has been played."""
    final: int | None
    """The round with one pod; None until there is one."""
    came_to: dict[str, int]
    """By name, the last round that it played in."""


def default_rounds(entrants: int, pod_size: int, challengers: int = 0) -> int:
    """The rounds until one pod is left, and that pod's own round."""
    return len(pods_by_round(entrants, pod_size, entrants))


def pods_by_round(entrants: int, pod_size: int, rounds: int, challengers: int = 0) -> list[int]:
    """Half of each pod goes on to the next round; nobody after the final."""
    pods: list[int] = []
    while entrants > 1 and len(pods) < rounds:
        pods.append(-(-entrants // pod_size))
        entrants = pods[-1] * (pod_size // 2) if pods[-1] > 1 else 1
    return pods


def no_further(field: Field) -> str | None:
    """See `Format`: nothing follows the final."""
    final = field.drawn and len(field.drawn[-1]) == 1
    return "the final of this knockout has been paired" if final else None


def draw(field: Field) -> Round | None:
    """A round of the survivors and of the late entrants."""
    seen = {name for pods in field.drawn for pod in pods for name in pod}
    late = [name for name in field.entrants if name not in seen]
    return next_round([*survivors(field), *late], field)


def next_round(alive: Collection[str], field: Field) -> Round | None:
    """The round of the entrants that are still `alive`; None if all rounds are over or one has won."""
    if len(field.drawn) >= field.rounds or len(alive) < 2:
        return None
    return seeded(by_merit(alive, field.results, field), field.pod_size)


def survivors(field: Field) -> tuple[str, ...]:
    """The entrants that go on from the last round, which must be finished; the winner, after the final."""
    if not field.drawn:
        return ()
    last = [result for result in field.results if result.round_no == len(field.drawn)]
    go_on = field.pod_size // 2 if len(field.drawn[-1]) > 1 else 1
    pods = [[name for name in pod if name in field.entrants] for pod in field.drawn[-1]]
    best = by_merit(chain.from_iterable(pods), last, field)
    place = {name: i for i, name in enumerate(best)}
    return tuple(name for pod in pods for name in sorted(pod, key=place.__getitem__)[:go_on])


def course(field: Field, *, over: bool) -> KnockoutResult:
    """How far each entrant came. `over`: the last round has been played; before that there is no winner."""
    rounds = enumerate(field.drawn, start=1)
    came_to = {name: no for no, pods in rounds for pod in pods for name in pod if not is_house(name)}
    last = survivors(field) if over else ()
    final = len(field.drawn) if field.drawn and len(field.drawn[-1]) == 1 else None
    return KnockoutResult(winner=last[0] if final and len(last) == 1 else None, final=final, came_to=came_to)


def by_merit(names: Iterable[str], scored: Iterable[MatchResult], field: Field) -> list[str]:
    """`names`, best first: by score in `scored`, then adjusted gain in all results, then lot."""
    played = {name for result in field.results for name in result.entrants}
    entrants = sorted({name for name in played | {*field.entrants} if not is_house(name)})
    scores = total_scores(scored)
    gains = _gains(field.results, entrants) if field.results else {}
    lot = {name: i for i, name in enumerate(lot_stream(field.seed).shuffled(entrants))}

    # Gains of different components cannot be compared: the earliest lot of its members ranks a component.
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


def _gains(results: Iterable[MatchResult], entrants: Collection[str]) -> "dict[str, Estimate]":
    # Imported here, since scipy is slow to load and the first round does not need it.
    from tournaments.statistics import adjusted_gains  # noqa: PLC0415

    return adjusted_gains(results, entrants)


def seeded(ranked: Sequence[str], pod_size: int) -> Round:
    """Pods by snake seeding: the best entrants go to one pod each, the next ones likewise in reverse order,
    and so on; house bots fill the remaining places. So in pods of two the first meets the last. Members and
    pods are in order of rank."""
    names = (*ranked, *house_bots(len(ranked), pod_size))
    pods = len(names) // pod_size
    rows = [names[i : i + pods] for i in range(0, len(names), pods)]
    return tuple(zip(*(row[:: -1 if odd % 2 else 1] for odd, row in enumerate(rows)), strict=True))
