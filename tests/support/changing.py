"""A tournament whose field changes while it is played."""

import random
from collections.abc import Callable, Iterator

import msgspec

from protocol.outcome import Forfeit, best_first, totals, with_forfeits
from tournaments.formats import Field, format_named
from tournaments.results import MatchResult, Pod, Round


def names(count: int) -> Pod:
    return tuple(f"e{number:02}" for number in range(count))


def result(rng: random.Random, round_no: int, pod_no: int, pod: Pod, forfeits: float) -> MatchResult:
    """The later name tends to be the better one; gains are small, so that there are ties."""
    gains = tuple(tuple(rng.randrange(4) + int(name[-1:]) // 3 for name in pod) for _ in range(2))
    fallen = tuple(Forfeit(seat, 1, "exited", True) for seat in range(len(pod)) if rng.random() < forfeits)
    placings = with_forfeits(best_first(totals(gains, len(pod))), {forfeit.seat for forfeit in fallen})
    return MatchResult(round_no, pod_no, 1, pod, gains, placings, fallen)


Change = Callable[[int, Pod], Pod]
"""Who takes part in a round, from its number and from who took part in the one before."""


def play(
    format: str, count: int, pod_size: int, change: Change = lambda _, entrants: entrants, seed: str = "7"
) -> Iterator[tuple[Field, Round]]:
    """Every round, with what was known before it."""
    rng = random.Random(f"{format}/{count}/{pod_size}/{seed}")
    entrants = names(count)
    challengers = entrants[: max(1, count // 4)]
    rounds = format_named(format).default_rounds(count, pod_size, len(challengers))
    authors = {name: f"author {at // 2}" for at, name in enumerate(entrants) if at % 5}
    field = Field(entrants, pod_size, rounds, seed, (), (), authors, challengers)
    while True:
        field = msgspec.structs.replace(field, entrants=change(len(field.drawn) + 1, field.entrants))
        if (pods := format_named(format).draw(field)) is None:
            return
        yield field, pods
        played = [result(rng, len(field.drawn) + 1, n, pod, 0.05) for n, pod in enumerate(pods, start=1)]
        field = msgspec.structs.replace(field, drawn=(*field.drawn, pods), results=(*field.results, *played))


def come_and_go(round_no: int, entrants: Pod) -> Pod:
    """One withdraws after the first round, one joins in the third."""
    return {2: entrants[1:], 3: (*entrants, "late-1")}.get(round_no, entrants)
