"""The moments of a match that a replay marks on its slider: faults, the ends of deals, the deal that decided
the match, and in each deal the step that changed the points most. A game that counts points only at the end
of a deal has no such steps. Knows scenes, but no page.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Literal

import msgspec

from arena.log.entries import MatchClosed
from arena.log.scenes import Scene
from arena.system.wording import minus
from protocol.cards import Seat
from protocol.outcome import decisive_deal, seats_by_placing


class Moment(msgspec.Struct, frozen=True, omit_defaults=True):
    """A moment. `scene` shows it; `text` says where and what it was. `seat`: the only seat that knows of it,
    None if all do. `size`: the size of a swing relative to the largest one."""

    scene: int
    kind: Literal["fault", "end", "decisive", "swing"]
    text: str
    seat: Seat | None = None
    size: float = 1.0


class _Swing(msgspec.Struct, frozen=True):
    """A step that `moved` the points of seats, and one seat by `size` from the mean of all."""

    scene: int
    place: str
    moved: Sequence[int]
    size: float


def moments(
    scenes: Sequence[Scene], names: Sequence[str], closed: MatchClosed, counts: str
) -> tuple[Moment, ...]:
    """The moments in the order of the scenes; within a scene, the end of the deal comes first and faults
    last. `counts` is the game's word for points, since more penalty points are worse."""
    largest: dict[int, _Swing] = {}
    counts_underway = any(scene.deal_points for scene in scenes)
    for swing, deal_no in _swings(scenes, len(names)) if counts_underway else ():
        if deal_no not in largest or swing.size > largest[deal_no].size:
            largest[deal_no] = swing
    unit = max((swing.size for swing in largest.values()), default=1)
    found = [
        Moment(
            swing.scene,
            "swing",
            f"{swing.place}{_unit(counts)}: {_moved(swing.moved, names)}, the largest swing of the deal",
            size=round(swing.size / unit, 3),
        )
        for swing in largest.values()
    ]
    ends, faults = _ends(scenes, names, counts), _faults(scenes, names)
    decisive = _decisive(scenes, names, closed)
    return tuple(sorted([*ends, *decisive, *found, *faults], key=lambda moment: moment.scene))


def _swings(scenes: Iterable[Scene], seats: int) -> Iterator[tuple[_Swing, int]]:
    """Each step that changes how a seat stands against the others, with its deal."""
    before: Sequence[int] = (0,) * seats
    for at, scene in enumerate(scenes):
        now = _standing(scene, seats)
        moved = [new - old for new, old in zip(now, before, strict=True)]
        mean = sum(moved) / seats
        if size := max(abs(points - mean) for points in moved):
            yield _Swing(at, _place(scene), moved, size), scene.deal_no
        before = now


def _standing(scene: Scene, seats: int) -> Sequence[int]:
    """The points by seat, including those of an unfinished deal if the game reveals them."""
    nothing = (0,) * seats
    of_deal = (scene.deal_points or nothing) if scene.due else nothing
    return [sum(both) for both in zip(scene.shared.get("points", nothing), of_deal, strict=True)]


def _ends(scenes: Iterable[Scene], names: Sequence[str], counts: str) -> Iterator[Moment]:
    before: Sequence[int] = (0,) * len(names)
    for at, scene in enumerate(scenes):
        if scene.due:
            continue
        points = scene.shared.get("points", before)
        gains = (new - old for new, old in zip(points, before, strict=True))
        gained = (f"{name} {_signed(gain)}" for name, gain in zip(names, gains, strict=True))
        yield Moment(at, "end", f"deal {scene.deal_no} ends{_unit(counts)}: {', '.join(gained)}")
        before = points


def _decisive(scenes: Iterable[Scene], names: Sequence[str], closed: MatchClosed) -> Iterator[Moment]:
    deal_no = decisive_deal(closed.gains, closed.placings)
    if deal_no is None:
        return
    winner, second, *_ = seats_by_placing(closed.placings)
    gains = closed.gains[deal_no - 1]
    lead = gains[winner] - gains[second]
    text = f"deal {deal_no} decided the match: {names[winner]} gained {lead} more than {names[second]}"
    of_deal = (at for at, scene in enumerate(scenes) if scene.deal_no == deal_no)
    yield from (Moment(begins, "decisive", text) for begins in islice(of_deal, 1))


def _faults(scenes: Iterable[Scene], names: Sequence[str]) -> Iterator[Moment]:
    for at, scene in enumerate(scenes):
        for fault in scene.faults:
            yield Moment(
                at, "fault", f"{_place(scene)}: fault of {names[fault.seat]}, {fault.kind}", fault.seat
            )


def _place(scene: Scene) -> str:
    return f"deal {scene.deal_no}" + (f", trick {scene.trick_no}" if scene.trick_no else "")


def _moved(points: Sequence[int], names: Sequence[str]) -> str:
    """Each seat whose points changed, the largest change first."""
    farthest_first = sorted(range(len(points)), key=lambda seat: -abs(points[seat]))
    return ", ".join(f"{names[seat]} {_signed(points[seat])}" for seat in farthest_first if points[seat])


def _unit(counts: str) -> str:
    return "" if counts == "points" else f", {counts}"


def _signed(points: int) -> str:
    """The number with the minus sign that is used on pages."""
    return minus(f"{points:+}") if points else "0"
