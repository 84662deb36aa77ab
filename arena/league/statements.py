"""What a board says: which version is ahead of which, now and for certain. The arithmetic is in
tournaments/evidence.py.

Rows are counted in the order in which their draws were scheduled, up to the first draw that is not over,
since how a pod goes may make it end early. They are bet on only when somebody asks, so whoever only reads a
league pays nothing. Pure.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

import msgspec

from arena.league.carried import CarriedEvidence, CountedDraw, StandingStatement
from arena.league.ids import Seconds, VersionId
from tournaments.evidence import Evidence, certain, log_weight, standing

FIRST_RULE: Final = 1
SECOND_RULE: Final = 2
RULE: Final = 3
"""The rule by which draws are chosen and statements made. Leagues by earlier rules are still read and
continued. By the first, statements rested on comparisons alone and were never taken back
(tournaments/eprocess.py). By the second, a predecessor was the version before, even if it had hardly played;
nothing was said about it once it was replaced; and the copy of a copy was asked about."""

Pair: TypeAlias = tuple[VersionId, VersionId]
"""The version that is ahead, then the other one."""


class Statements(NamedTuple):
    """The statements of a board at a moment."""

    now: Mapping[Pair, Seconds] = {}
    """Since when each has been made, in seconds since 1970. These may be taken back."""
    certain: frozenset[Pair] = frozenset()
    """These never are."""

    def ahead(self, one: VersionId, other: VersionId) -> bool:
        """Whether the board says that `one` is ahead of `other`."""
        return (one, other) in self.now or (one, other) in self.certain

    @property
    def carried(self) -> tuple[StandingStatement, ...]:
        """As a value for the next segment, sorted."""
        pairs = sorted({*self.now, *self.certain})
        return tuple(StandingStatement(*pair, self.now.get(pair), pair in self.certain) for pair in pairs)

    @classmethod
    def carry_on(cls, carried: Sequence[StandingStatement]) -> "Statements":
        """The statements at the beginning of a segment."""
        return cls(
            {(one.above, one.below): one.since for one in carried if one.since is not None},
            frozenset((one.above, one.below) for one in carried if one.certain),
        )


class BoardEvidence:
    """The evidence of a board, from its draws."""

    def __init__(self, deviation: float, before: CarriedEvidence | None = None) -> None:
        """`deviation`: see `Board`. `before`: what the segments before have counted."""
        self._deviation = deviation
        self.panel = before.panel if before else 0
        """How many panels there were before the present one."""
        names = before.arrived if before else ()
        self._arrived: dict[VersionId, int] = {name: number for number, name in enumerate(names, 1)}
        """By version, its place in the order of the first draws."""
        self._counted: list[tuple[int, CountedDraw]] = [
            (0, draw) for draw in (before.draws if before else ())
        ]
        """The draws that are counted, with their numbers; 0 for those of earlier segments."""
        self._waiting: dict[int, CountedDraw] = {}
        """The draws that are not counted yet, without rows until they are played."""
        self._evidence, self._bet = Evidence(deviation), 0
        """The evidence of so many of the counted draws."""

    def scheduled(self, no: int, versions: Sequence[VersionId]) -> None:
        """Register a draw."""
        numbers = [self._arrived.setdefault(version, len(self._arrived) + 1) for version in versions]
        self._waiting[no] = CountedDraw(tuple(numbers), (), self.panel)

    def played(self, no: int, rows: tuple[float, ...]) -> None:
        """Register a result."""
        self._waiting[no] = msgspec.structs.replace(self._waiting[no], rows=rows, panel=self.panel)
        self._count()

    def dropped(self, no: int) -> None:
        """Forget a draw that no longer counts, or never did."""
        if self._waiting.pop(no, None) is None:
            self._counted = [draw for draw in self._counted if draw[0] != no]
            self._evidence, self._bet = Evidence(self._deviation), 0
        self._count()

    def renewed(self) -> None:
        """The panel has changed."""
        self.panel += 1

    def carried(self) -> CarriedEvidence:
        """The evidence as a value for the next segment; no draw may be in flight."""
        return CarriedEvidence(tuple(self._arrived), tuple(draw for _, draw in self._counted), self.panel)

    @property
    def draws(self) -> int:
        """How many draws are counted."""
        return len(self._counted)

    def said(self, pairs: Iterable[Pair], alpha: float) -> tuple[frozenset[Pair], frozenset[Pair]]:
        """Which of these statements may be made at this moment, and which are certain by their evidence."""
        known = self._known()
        evidence = {
            (above, below): known.log_of(above, below)
            + log_weight(self._arrived[above], self._arrived[below], panel)
            for above, below in pairs
            if (panel := known.begun(above, below)) is not None
        }
        return standing(evidence, alpha), certain(evidence, alpha)

    def _count(self) -> None:
        while self._waiting and (first := next(iter(self._waiting.items())))[1].rows:
            del self._waiting[first[0]]
            self._counted.append(first)

    def _known(self) -> Evidence:
        names = list(self._arrived)
        for _, draw in self._counted[self._bet :]:
            versions = [names[number - 1] for number in draw.numbers]
            if len(versions) == 1:
                self._evidence.placed(versions[0], draw.rows[0], draw.panel)
            else:
                self._evidence.compared((versions[0], versions[1]), draw.rows[0], draw.rows[1], draw.panel)
        self._bet = len(self._counted)
        return self._evidence
