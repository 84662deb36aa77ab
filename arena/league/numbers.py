"""The numbers of one board: what its draws have added up to.

Rows are taken from results as they come; the comparisons of a pair are counted in the order in which they
were drawn, since what ends early may end early because of how it went. The arithmetic is that of
tournaments/strength.py and tournaments/eprocess.py. Pure.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

import msgspec

from arena.league.carried import CarriedBoard, CarriedPair
from arena.league.ids import VersionId
from tournaments.eprocess import PairEvidence, after
from tournaments.strength import (
    PairSums,
    Strength,
    StrengthFit,
    Sums,
    added,
    corrected,
    fitted,
    moved,
    pair_added,
    pair_moved,
    panel_strength,
    placed,
    variances_of,
)

if TYPE_CHECKING:
    from arena.league.entries import DrawMatch, DrawScheduled

LEAST_BETWEEN: Final = 20
"""Draws between two checkpoints of a board, at least; later a tenth of all."""
Pair: TypeAlias = tuple[VersionId, VersionId]
"""By arrival: the first is the earlier version."""
Rows: TypeAlias = tuple[float, ...]


class _Base(NamedTuple):
    """From what a fit was last made exactly."""

    singles: dict[VersionId, Sums]
    pairs: dict[Pair, PairSums]
    resting: tuple[VersionId, ...]


class Numbers:
    """The numbers of a board after some results. `cap`: see tournaments/eprocess.py. `kept` gives the
    versions of which strengths are asked; all others are marginalised.

    The fit is made exactly at checkpoints, and whenever a version has its first comparison; in between it is
    carried on. Which of both follows from the results alone, so that it can be repeated; it is computed when
    it is asked for."""

    def __init__(self, cap: float, kept: Callable[[], Collection[VersionId]]) -> None:
        self.cap = cap
        self._kept = kept
        self.zero = ""
        self.known: Mapping[VersionId, float] = {}
        """The strengths of the last checkpoint."""
        self.since_checkpoint = 0
        self._history: list[tuple[DrawScheduled, Rows | None]] = []
        """Every draw, as it was drawn without rows, and once more when it was played."""
        self._before: CarriedBoard | None = None
        """The numbers at the beginning of this segment of the journal."""
        self._reset()

    def _reset(self) -> None:
        before = self._before
        self.singles: dict[VersionId, Sums] = dict(before.singles) if before else {}
        self.pairs: dict[Pair, PairSums] = {}
        self.versus: dict[Pair, PairEvidence] = {}
        for pair in before.pairs if before else ():
            self.versus[pair.first, pair.second] = pair.versus
            if pair.sums is not None:
                self.pairs[pair.first, pair.second] = pair.sums
        self.versus = dict(sorted(self.versus.items(), key=lambda item: item[1].opened))
        self.pods: dict[VersionId, int] = dict(before.pods) if before else {}
        self.draws = before.draws if before else 0
        """How many were played and count."""
        self._waiting: dict[Pair, dict[int, Rows | None]] = {}
        """The draws of a pair that are not counted, in their order, with their rows once they were played."""
        self._base = _Base({}, {}, ())
        self._fit: StrengthFit | None = None
        self._carried: frozenset[VersionId] = frozenset()
        """The versions by whose comparisons the fit can be carried on."""
        self._since: list[tuple[Pair, float, float]] = []
        """The comparisons that are not in the fit."""

    def drawn(self, draw: "DrawScheduled") -> None:
        """A comparison takes its place in the order of its pair; the first one opens the pair."""
        self._history.append((draw, None))
        self._begin(draw)

    def played(self, draw: "DrawScheduled", leads: Sequence[float], panel: Collection[VersionId]) -> None:
        """Counts a result: the lead of each version (`lead_of`). `panel` is the one of now, also those of it
        that could not sit with the versions."""
        rows = corrected(leads, draw.versions, draw.companions, panel, self.known)
        self._history.append((draw, rows))
        self.since_checkpoint += 1
        self._count(draw, rows)

    def dropped(self, draw: "DrawScheduled") -> None:
        """A draw counts no longer, or never did: everything is counted again without it."""
        self._history = [event for event in self._history if event[0].no != draw.no]
        opened = {pair: PairEvidence(opened=versus.opened) for pair, versus in self.versus.items()}
        self._reset()
        self.versus = opened | self.versus  # The order of opening decided the shares of α, and stays.
        self._begin_anew()
        for before, rows in self._history:
            if rows is None:
                self._begin(before)
            else:
                self._count(before, rows)

    def checkpoint(self, strengths: Mapping[VersionId, float]) -> None:
        """Later rows are corrected by these strengths, and the fit is made anew."""
        self.known, self.since_checkpoint = strengths, 0
        self._begin_anew()

    def renewed(self, before: Collection[VersionId], panel: Collection[VersionId]) -> None:
        """Another panel: all rows so far are moved to it."""
        was, now = panel_strength(before, self.known), panel_strength(panel, self.known)
        if was is None or now is None or was == now:
            return
        by = was - now
        self.singles = {version: moved(sums, by) for version, sums in self.singles.items()}
        self.pairs = {pair: pair_moved(sums, by) for pair, sums in self.pairs.items()}
        self._history = [(draw, _moved(rows, by)) for draw, rows in self._history]
        self._waiting = {
            pair: {no: _moved(rows, by) for no, rows in waiting.items()}
            for pair, waiting in self._waiting.items()
        }
        if self._before is not None:
            pairs = tuple(
                msgspec.structs.replace(one, sums=one.sums and pair_moved(one.sums, by))
                for one in self._before.pairs
            )
            singles = {version: moved(sums, by) for version, sums in self._before.singles.items()}
            self._before = msgspec.structs.replace(self._before, singles=singles, pairs=pairs)
        self._begin_anew()

    def carried(self, panel: tuple[VersionId, ...]) -> CarriedBoard:
        """As a value, for the next segment; nothing may be in flight."""
        order = [*self.pairs, *(pair for pair in self.versus if pair not in self.pairs)]
        return CarriedBoard(
            panel=panel,
            zero=self.zero,
            known=dict(self.known),
            since_checkpoint=self.since_checkpoint,
            singles=self.singles,
            pairs=tuple(CarriedPair(*pair, self.versus[pair], self.pairs.get(pair)) for pair in order),
            pods=self.pods,
            draws=self.draws,
        )

    def carry_on(self, before: CarriedBoard) -> None:
        """Begins a segment with these numbers."""
        self.zero, self.known, self.since_checkpoint = before.zero, before.known, before.since_checkpoint
        self._before, self._history = before, []
        self._reset()
        self._begin_anew()

    def fit(self) -> StrengthFit | None:
        """Of all versions that have a comparison; None before the first one."""
        if self._fit is None and self._base.pairs:
            self._fit = fitted(*self._base)
        for pair, first, second in self._since:
            assert self._fit is not None
            self._fit = self._fit.after(pair, first, second)
        self._since = []
        return self._fit

    def exact(self) -> dict[VersionId, Strength]:
        """The strengths of all versions of the fit, by a fit that is made anew; none before the zero has a
        comparison."""
        if not any(self.zero in pair for pair in self.pairs):
            return {}
        return fitted(self.singles, self.pairs, self._resting()).relative_to(self.zero)

    @property
    def checkpoint_due(self) -> bool:
        """Whether enough was played since the last checkpoint."""
        return self.since_checkpoint >= max(LEAST_BETWEEN, self.draws // 10)

    def exact_strengths(self) -> dict[VersionId, float]:
        """The strengths alone, by the exact fit."""
        return {version: found.strength for version, found in self.exact().items()}

    def strengths(self, versions: Iterable[VersionId]) -> dict[VersionId, Strength]:
        """Of those that have a number, relative to the zero of the board."""
        fit = self.fit()
        if fit is None or self.zero not in fit.names:
            return {}
        found = fit.relative_to(self.zero)
        for version in versions:
            if version not in found and version in self.singles:
                strength = placed(self.singles[version], fit, self.zero)
                if strength is not None:
                    found[version] = strength
        return found

    def _begin(self, draw: "DrawScheduled") -> None:
        if len(draw.versions) == 2:
            pair = draw.versions[0], draw.versions[1]
            self.versus.setdefault(pair, PairEvidence(opened=len(self.versus) + 1))
            self._waiting.setdefault(pair, {})[draw.no] = None

    def _count(self, draw: "DrawScheduled", rows: Rows) -> None:
        self.draws += 1
        for version in draw.versions:
            self.pods[version] = self.pods.get(version, 0) + 1
        if len(draw.versions) == 1:
            version = draw.versions[0]
            self.singles[version] = added(self.singles.get(version, Sums()), rows[0])
            return
        pair = draw.versions[0], draw.versions[1]
        waiting = self._waiting[pair]
        waiting[draw.no] = rows
        while waiting and (ready := waiting[next(iter(waiting))]) is not None:
            del waiting[next(iter(waiting))]
            first, second = ready
            self.pairs[pair] = pair_added(self.pairs.get(pair, PairSums()), first, second)
            self.versus[pair] = after(self.versus[pair], first - second, self.cap)
            if {*pair} <= self._carried:
                self._since.append((pair, first, second))
            else:
                self._begin_anew()

    def _begin_anew(self) -> None:
        """The fit is to be made exactly from what there is now."""
        self._base = _Base(dict(self.singles), dict(self.pairs), self._resting())
        self._fit, self._since, self._carried = None, [], frozenset()
        if variances_of(self.pairs).known:
            self._carried = frozenset(name for pair in self.pairs for name in pair) - {*self._base.resting}

    def _resting(self) -> tuple[VersionId, ...]:
        kept = {*self._kept(), self.zero}
        return tuple(dict.fromkeys(name for pair in self.pairs for name in pair if name not in kept))


def _moved(rows: Rows | None, by: float) -> Rows | None:
    return None if rows is None else tuple(row + by for row in rows)


def lead_of(matches: "Sequence[DrawMatch]") -> float:
    """How much more the version of a pod gained per deal than the mean of its companions, over all seatings.
    In a match that it forfeited it counts as the least of each deal, so that no forfeit ever pays."""
    leads = []
    for match in matches:
        forfeited = any(forfeit.seat == 0 for forfeit in match.forfeits)
        for own, *others in match.gains:
            leads.append((min(own, *others) if forfeited else own) - sum(others) / len(others))
    return round(sum(leads) / len(leads), 6)
