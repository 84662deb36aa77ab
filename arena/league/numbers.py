"""The numbers of one board: the sums of its draws.

Rows are added as results arrive. The comparisons of a pair are counted in the order in which they were drawn,
since how a comparison goes may make it end early. The arithmetic is in tournaments/strength.py; what the
board says is in statements.py. Pure.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

import msgspec

from arena.league.carried import CarriedBoard, CarriedPair
from arena.league.ids import VersionId
from arena.league.statements import FIRST_RULE, RULE, SECOND_RULE, BoardEvidence, Statements
from tournaments.eprocess import PairEvidence, after
from tournaments.evidence import closed
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
"""The least number of draws between two checkpoints of a board; later it is a tenth of all draws."""
COPY: Final = 200
"""Two versions that took this many choices in their comparisons, and never differed, are copies."""
Pair: TypeAlias = tuple[VersionId, VersionId]
"""The version that arrived earlier comes first."""
Rows: TypeAlias = tuple[float, ...]


class _Base(NamedTuple):
    """The data of the last exact fit."""

    singles: dict[VersionId, Sums]
    pairs: dict[Pair, PairSums]
    resting: tuple[VersionId, ...]


class Numbers:
    """The numbers of a board after some results.

    The fit is exact at checkpoints and whenever a version has its first comparison; in between it is updated
    incrementally. Which of the two follows from the results alone, so it can be repeated. It is computed
    lazily.
    """

    def __init__(self, cap: float, deviation: float, kept: Callable[[], Collection[VersionId]]) -> None:
        """`cap`, `deviation`: see `Board`. `kept` returns the versions whose strengths may be needed; all
        others are marginalised."""
        self._cap = cap
        self._deviation = deviation
        self._kept = kept
        self.evidence = BoardEvidence(deviation)
        self._alike: dict[int, int] = {}
        """By draw, the choices that its two versions took alike."""
        self.statements = Statements()
        self.rule = RULE
        """The rule by which comparisons count now."""
        self.zero = ""
        self.known: Mapping[VersionId, float] = {}
        """The strengths of the last checkpoint."""
        self.since_checkpoint = 0
        self._history: list[tuple[DrawScheduled, Rows | None]] = []
        """Each draw, without rows when it was scheduled, and again with rows when it was played."""
        self._before: CarriedBoard | None = None
        """The numbers at the beginning of this segment of the journal."""
        self._reset()

    def _reset(self) -> None:
        before = self._before
        self.singles: dict[VersionId, Sums] = dict(before.singles) if before else {}
        self.pairs: dict[Pair, PairSums] = {}
        self.versus: dict[Pair, PairEvidence] = {}
        for pair in before.pairs if before else ():
            if pair.versus is not None:
                self.versus[pair.first, pair.second] = pair.versus
            if pair.sums is not None:
                self.pairs[pair.first, pair.second] = pair.sums
        self.versus = dict(sorted(self.versus.items(), key=lambda item: item[1].opened))
        alike = before.alike if before else ()
        self.alike: dict[Pair, int] = {(one, other): choices for one, other, choices in alike}
        """By pair, the choices that they took alike, if they never differed."""
        self.pods: dict[VersionId, int] = dict(before.pods) if before else {}
        self.draws = before.draws if before else 0
        """Draws that were played and count."""
        self._waiting: dict[Pair, dict[int, Rows | None]] = {}
        """The draws of a pair that are not counted yet, in order, with their rows once played."""
        self._base = _Base({}, {}, ())
        self._fit: StrengthFit | None = None
        self._carried: frozenset[VersionId] = frozenset()
        """The versions whose comparisons can be added to the fit incrementally."""
        self._since: list[tuple[Pair, float, float]] = []
        """The comparisons that are not in the fit yet."""

    def drawn(self, draw: "DrawScheduled") -> None:
        """Register a scheduled draw in the order of its pair. The first one opens the pair."""
        self._history.append((draw, None))
        self.evidence.scheduled(draw.no, draw.versions)
        self._begin(draw)

    def played(
        self, draw: "DrawScheduled", leads: Sequence[float], panel: Collection[VersionId], alike: int = 0
    ) -> None:
        """Count a result. `leads` holds the lead of each version (`lead_of`); `panel` is the current panel,
        including members that could not sit with the versions. `alike`: see `DrawPlayed`."""
        self._alike[draw.no] = alike
        rows = corrected(leads, draw.versions, draw.companions, panel, self.known)
        self._history.append((draw, rows))
        self.evidence.played(draw.no, rows)
        self.since_checkpoint += 1
        self._count(draw, rows)

    def dropped(self, draw: "DrawScheduled") -> None:
        """Remove a draw that no longer counts, or never did, and count everything again without it."""
        self._history = [event for event in self._history if event[0].no != draw.no]
        self.evidence.dropped(draw.no)
        opened = {pair: PairEvidence(opened=versus.opened) for pair, versus in self.versus.items()}
        self._reset()
        self.versus = opened | self.versus  # Keep the order of opening: it determined the shares of α.
        self._begin_anew()
        for before, rows in self._history:
            if rows is None:
                self._begin(before)
            else:
                self._count(before, rows)

    def checkpoint(self, strengths: Mapping[VersionId, float]) -> None:
        """Correct later rows by these strengths, and fit anew."""
        self.known, self.since_checkpoint = strengths, 0
        self._begin_anew()

    def renewed(self, before: Collection[VersionId], panel: Collection[VersionId]) -> None:
        """Change the panel: shift all rows so far by the difference between the strengths of both panels."""
        self.evidence.renewed()
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
                msgspec.structs.replace(pair, sums=pair.sums and pair_moved(pair.sums, by))
                for pair in self._before.pairs
            )
            singles = {version: moved(sums, by) for version, sums in self._before.singles.items()}
            self._before = msgspec.structs.replace(self._before, singles=singles, pairs=pairs)
        self._begin_anew()

    def carried(self, panel: tuple[VersionId, ...]) -> CarriedBoard:
        """The numbers as a value for the next segment; no draw may be in flight."""
        order = [*self.pairs, *(pair for pair in self.versus if pair not in self.pairs)]
        return CarriedBoard(
            panel=panel,
            zero=self.zero,
            known=dict(self.known),
            since_checkpoint=self.since_checkpoint,
            singles=self.singles,
            pairs=tuple(CarriedPair(*pair, self.versus.get(pair), self.pairs.get(pair)) for pair in order),
            pods=self.pods,
            draws=self.draws,
            alike=tuple((*pair, choices) for pair, choices in self.alike.items()),
            evidence=self.evidence.carried(),
            statements=self.statements.carried,
        )

    def carry_on(self, before: CarriedBoard) -> None:
        """Begin a segment with these numbers."""
        self.zero, self.known, self.since_checkpoint = before.zero, before.known, before.since_checkpoint
        self._before, self._history = before, []
        self.evidence = BoardEvidence(self._deviation, before.evidence)
        self.statements = Statements.carry_on(before.statements)
        self._reset()
        self._begin_anew()

    def fit(self) -> StrengthFit | None:
        """The fit of all versions that have a comparison; None before the first one."""
        if self._fit is None and self._base.pairs:
            self._fit = fitted(*self._base)
        for pair, first, second in self._since:
            assert self._fit is not None
            self._fit = self._fit.after(pair, first, second)
        self._since = []
        return self._fit

    def exact(self) -> dict[VersionId, Strength]:
        """The strengths of all versions by a new exact fit; {} before the zero has a comparison."""
        if not any(self.zero in pair for pair in self.pairs):
            return {}
        return fitted(self.singles, self.pairs, self._resting()).relative_to(self.zero)

    @property
    def settled(self) -> set[Pair]:
        """The pairs that are not asked about any more: a statement is made, or they play alike."""
        copies = {pair for pair, choices in self.alike.items() if choices >= COPY}
        if self.rule > SECOND_RULE:
            copies = {*closed((*copies, *(pair[::-1] for pair in copies)))}
        return copies | {*self.statements.now} | self.statements.certain

    @property
    def checkpoint_due(self) -> bool:
        """Whether enough draws were played since the last checkpoint."""
        return self.since_checkpoint >= max(LEAST_BETWEEN, self.draws // 10)

    def exact_strengths(self) -> dict[VersionId, float]:
        """Like `exact`, without intervals."""
        return {version: strength.strength for version, strength in self.exact().items()}

    def strengths(self, versions: Iterable[VersionId]) -> dict[VersionId, Strength]:
        """Strengths relative to the zero: all in the fit, and those of `versions` with placements only."""
        fit = self.fit()
        if fit is None or self.zero not in fit.names:
            return {}
        strengths = fit.relative_to(self.zero)
        for version in versions:
            if version not in strengths and version in self.singles:
                strength = placed(self.singles[version], fit, self.zero)
                if strength is not None:
                    strengths[version] = strength
        return strengths

    def _begin(self, draw: "DrawScheduled") -> None:
        if len(draw.versions) == 2:
            pair = draw.versions[0], draw.versions[1]
            if self.rule == FIRST_RULE:
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
        while waiting and (ready := waiting[no := next(iter(waiting))]) is not None:
            del waiting[no]
            first, second = ready
            self._count_alike(pair, self._alike[no])
            self.pairs[pair] = pair_added(self.pairs.get(pair, PairSums()), first, second)
            if self.rule == FIRST_RULE:
                self.versus[pair] = after(self.versus[pair], first - second, self._cap)
            if {*pair} <= self._carried:
                self._since.append((pair, first, second))
            else:
                self._begin_anew()

    def _count_alike(self, pair: Pair, choices: int) -> None:
        """Count a comparison whose versions took these choices alike; 0 if they differed."""
        never_differed = pair in self.alike or pair not in self.pairs
        if choices and never_differed:
            self.alike[pair] = self.alike.get(pair, 0) + choices
        else:
            self.alike.pop(pair, None)

    def _begin_anew(self) -> None:
        """Make the next fit exact, from all data so far."""
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
    """The lead of the version in question: its gain per deal minus the mean of its companions, averaged over
    all seatings. In a match that it forfeited it counts as the lowest seat of each deal, so that no forfeit
    ever pays."""
    leads = []
    for match in matches:
        forfeited = any(forfeit.seat == 0 for forfeit in match.forfeits)
        for own, *others in match.gains:
            leads.append((min(own, *others) if forfeited else own) - sum(others) / len(others))
    return round(sum(leads) / len(leads), 6)
