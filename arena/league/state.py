"""The state of a league after the entries of its journal: authors, versions, boards, days, draws in flight.

Pure: entries in, values out. Everything that is shown or decided follows from it. Knows that an entry can be
applied, and offers the operations for that, but not the kinds of entries.
"""

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, TypeAlias

import msgspec

from arena.league.carried import CURRENT, PAUSED, RECEIVED, RESTING, CarriedState, Version
from arena.league.days import SECONDS_A_DAY
from arena.league.ids import HOUSE, BoardId, VersionId, author_of, version_parts
from arena.league.numbers import Numbers
from arena.league.statements import RULE, SECOND_RULE
from tournaments.statistics import FEWEST_PODS

if TYPE_CHECKING:
    from arena.league import entries as kinds


Question: TypeAlias = tuple[BoardId, tuple[VersionId, ...]]
"""A board, and the versions compared or placed there, in the order of their arrival."""

Basis: TypeAlias = tuple[int, int, int, int, tuple[VersionId, ...]]

CHECKS_ON_A_CORE: Final = 3
"""Versions that are checked at a time on one core: checks mostly wait."""
RUSH_SECONDS: Final = 3600
"""So long before a deadline all cores check versions."""
GIVEN_UP: Final = 3
"""A question with this many void draws in one segment is not drawn again: a bug of the arena or a game may
void it for ever."""


class LeagueState:
    """The state after some entries; the first is the founding, or begins a further segment."""

    def __init__(self, entries: "Iterable[kinds.Entry]") -> None:
        self.founded: kinds.Founded
        self.boards: Mapping[BoardId, kinds.Board] = {}
        self.numbers: dict[BoardId, Numbers] = {}
        self.panels: dict[BoardId, kinds.PanelSet] = {}
        self.authors: dict[str, kinds.Registered] = {}
        self.versions: dict[VersionId, Version] = {}
        self.checked: set[VersionId] = set()
        """The versions that passed the check of the intake, in the segments read so far."""
        self.check_seconds: deque[float] = deque(maxlen=20)
        """How long the last checks took, in the segments read so far."""
        self.current: dict[str, VersionId] = {}
        """By `author/bot`."""
        self.committed: dict[int, str] = {}
        self.revealed: dict[int, str] = {}
        self.last_day = -1
        """The latest day of a draw, in the segments read so far."""
        self.draws: dict[int, kinds.DrawScheduled] = {}
        """The draws of this segment, by number; so are the next two."""
        self.played: dict[int, kinds.DrawPlayed] = {}
        self.over: dict[int, kinds.DrawVoided | kinds.DrawAnnulled] = {}
        """Draws that are void or annulled."""
        self._voids: Counter[Question] = Counter()
        """The void draws of each question in this segment."""
        self.in_flight: dict[int, kinds.DrawScheduled] = {}
        self.panel_at: dict[int, tuple[VersionId, ...]] = {}
        """By draw of this segment, the panel from which its companions were chosen."""
        self._at_fault: defaultdict[int, Counter[VersionId]] = defaultdict(Counter)
        """By draw of this segment, how many matches each version forfeited that count towards its pause."""
        self.milliseconds: Counter[VersionId] = Counter()
        """Core time of all pods that were played for a version."""
        self.pod_count: Counter[VersionId] = Counter()
        """The number of those pods."""
        self.first_draw = 1
        self.by_organiser: list[kinds.ByOrganiser] = []
        self.pruned: list[kinds.Pruned] = []
        self.started: kinds.Started | None = None
        self.frozen: kinds.Frozen | None = None
        self.closes: kinds.Closes | None = None
        """Its deadline, until it is closed."""
        self.closed: kinds.Closed | None = None
        self.finals: kinds.Finals | None = None
        self.finals_drawn: Counter[BoardId] = Counter()
        """Comparisons of the final of each board that count or are still in flight."""
        self.finals_of: Counter[Question] = Counter()
        """The same by pair."""
        self.sealed: kinds.Sealed | None = None
        self.at = 0
        """The latest clock reading."""
        self._ranked: dict[BoardId, list[VersionId]] = {}
        """A cache, cleared when a version changes its status or a board its panel."""
        self.unchanged: dict[BoardId, Basis] = {}
        """A cache: by board, a basis that led to no other statements than those made."""
        self._of_digest: defaultdict[str, list[VersionId]] = defaultdict(list)
        for entry in entries:
            self.add(entry)

    def add(self, entry: "kinds.Entry") -> None:
        """Apply the next entry."""
        entry.apply(self)

    def found(self, founded: "kinds.Founded") -> None:
        """Set the settings, and boards without numbers."""
        self.founded = founded
        self.boards = MappingProxyType({board.id: board for board in founded.boards})
        self.numbers = {
            id: Numbers(board.cap, board.deviation, partial(self.kept, id))
            for id, board in self.boards.items()
        }

    def carried(self) -> CarriedState:
        """The state as a value for the next segment; no draw may be in flight."""
        return CarriedState(
            boards={
                board: numbers.carried(self.panels[board].members) for board, numbers in self.numbers.items()
            },
            titles={name: author.title for name, author in self.authors.items()},
            tokens={name: author.token for name, author in self.authors.items()},
            versions=tuple(self.versions.values()),
            current=self.current,
            committed=self.committed,
            revealed=self.revealed,
            last_draw=self.last_draw,
            pods=dict(self.pod_count),
            milliseconds=dict(self.milliseconds),
            at=self.at,
            finals=tuple((*pair, times) for pair, times in self.finals_of.items()),
        )

    def carry_on(
        self,
        carried: CarriedState,
        authors: "Iterable[kinds.Registered]",
        panels: "Iterable[kinds.PanelSet]",
        holding: "Iterable[kinds.Entry]",
    ) -> None:
        """Begin a segment with the previous one's state, in which `holding` is still in force."""
        self.authors = {author.author: author for author in authors}
        self.panels = {panel.board: panel for panel in panels}
        self.versions, self._of_digest = {}, defaultdict(list)
        for version in carried.versions:
            self.arrives(version)
        self.current = dict(carried.current)
        self.committed, self.revealed = dict(carried.committed), dict(carried.revealed)
        self.draws, self.played, self.over, self.in_flight, self.panel_at = {}, {}, {}, {}, {}
        self._at_fault, self._voids = defaultdict(Counter), Counter()
        self.first_draw = carried.last_draw + 1
        self.pod_count, self.milliseconds = Counter(carried.pods), Counter(carried.milliseconds)
        self.at = carried.at
        self.finals_drawn, self.finals_of = Counter(), Counter()
        for board, versions, times in carried.finals:
            self.finals_drawn[board] += times
            self.finals_of[board, versions] = times
        self.by_organiser, self.pruned = [], []
        self.started = self.frozen = self.closes = self.closed = self.finals = None
        self.reordered()
        for entry in holding:
            entry.apply(self)
        # Last, since the rule that is in force says which strengths are kept.
        for board, before in carried.boards.items():
            self.numbers[board].carry_on(before)

    def start(self, started: "kinds.Started") -> None:
        """A process begins to play."""
        self.started = started
        for numbers in self.numbers.values():
            numbers.rule = started.rule

    @property
    def rule(self) -> int:
        """By which draws are chosen and statements made."""
        return self.started.rule if self.started else RULE

    def basis(self, board: BoardId) -> Basis:
        """All that what a board says depends on. It has changed if this has."""
        numbers = self.numbers[board]
        counts = numbers.draws, numbers.since_checkpoint, numbers.evidence.draws
        return self.rule, *counts, tuple(self.ranked(board))

    def passes(self, at: int) -> None:
        """Register a clock reading. Time never goes back."""
        self.at = max(self.at, at)

    def arrives(self, version: Version) -> None:
        """Add a new version."""
        self.versions[version.id] = version
        self._of_digest[version.digest].append(version.id)

    def change(self, version: VersionId, **fields: object) -> None:
        """Set fields of a version."""
        self.versions[version] = msgspec.structs.replace(self.versions[version], **fields)
        if "status" in fields:
            self.reordered()

    def reordered(self) -> None:
        """Clear the cache: a version has changed its status, or a board its panel."""
        self._ranked = {}

    def forfeited(self, no: int, version: VersionId) -> None:
        """Count a forfeit of a version in draw `no`."""
        self.change(version, faults=self.versions[version].faults + 1)
        self._at_fault[no][version] += 1

    def forgive(self, version: VersionId) -> None:
        """Reset the forfeits that count towards the pause of a version."""
        self.change(version, faults=0)
        for at_fault in self._at_fault.values():
            at_fault.pop(version, None)

    def drop(self, entry: "kinds.DrawVoided | kinds.DrawAnnulled", *, is_void: bool = False) -> None:
        """Make a draw void or annulled, with its forfeits."""
        self.in_flight.pop(entry.no, None)
        self.over[entry.no] = entry
        draw = self.draws[entry.no]
        self.numbers[draw.board].dropped(draw)
        self.count_final(draw, -1)
        self._voids[draw.board, draw.versions] += is_void
        for version, times in self._at_fault.pop(entry.no, Counter[VersionId]()).items():
            self.change(version, faults=self.versions[version].faults - times)

    def try_again(self, version: VersionId) -> None:
        """Draw the questions about a version again, although their draws were void."""
        for board, versions in [question for question in self._voids if version in question[1]]:
            del self._voids[board, versions]

    def count_final(self, draw: "kinds.DrawScheduled", by: int) -> None:
        """Add `by` to the comparisons of a final; -1 for one that does not count, which is drawn again."""
        if draw.why == "final":
            self.finals_drawn[draw.board] += by
            self.finals_of[draw.board, draw.versions] += by

    def checkpoints_due(self) -> Iterator[tuple[BoardId, dict[VersionId, float]]]:
        """The boards that need a checkpoint before the next draw, each with its strengths."""
        for board, numbers in self.numbers.items():
            if numbers.checkpoint_due and (strengths := numbers.exact_strengths()):
                yield board, strengths

    def waits_for(self, board: BoardId) -> VersionId | None:
        """The zero of a board if it is paused, else None. Nothing is measured there until it is restored."""
        zero = self.numbers[board].zero
        return zero if self.versions[zero].status == PAUSED else None

    def candidates(self, board: BoardId, versions: Iterable[VersionId]) -> tuple[VersionId, ...]:
        """The panel members that may sit with these versions of a question. None of them is one of the
        versions. Except for anchors, none is by one of their authors either, who could let their bots
        collude."""
        asked = tuple(versions)
        authors = {author_of(version) for version in asked} - {HOUSE}
        return tuple(
            member
            for member in self.panels[board].members
            if member not in asked
            and author_of(member) not in authors
            and self.versions[member].status in (CURRENT, RESTING)
        )

    def given_up(self, board: BoardId, versions: tuple[VersionId, ...]) -> bool:
        """Whether a question is not drawn again in this segment, since its draws are void each time.
        Restoring one of its versions reopens it."""
        return self._voids[board, versions] >= GIVEN_UP

    def may_be_asked(self, board: BoardId, versions: tuple[VersionId, ...]) -> bool:
        """Whether these versions, in the order of their arrival, can be drawn: there are enough companions,
        and the question was not given up."""
        others = self.boards[board].seats - 1
        return len(self.candidates(board, versions)) >= others and not self.given_up(board, versions)

    def ranked(self, board: BoardId) -> Sequence[VersionId]:
        """The versions that play on a board, by arrival: all that are current, and the panel."""
        if board not in self._ranked:
            members = self.panels[board].members
            self._ranked[board] = [
                version.id
                for version in self.versions.values()
                if (version.status == CURRENT and board in version.boards)
                or (version.id in members and version.status == RESTING)
            ]
        return self._ranked[board]

    def kept(self, board: BoardId) -> frozenset[VersionId]:
        """The versions of a board whose strengths may be needed: the ranked ones and their predecessors."""
        return frozenset((*self.ranked(board), *self.predecessors(board).values()))

    def predecessors(self, board: BoardId) -> dict[VersionId, VersionId]:
        """The predecessor of each ranked version that has one."""
        found = ((version, self.predecessor(board, version)) for version in self.ranked(board))
        return {version: before for version, before in found if before is not None}

    def predecessor(self, board: BoardId, version: VersionId) -> VersionId | None:
        """The latest earlier version of the same bot that has pods enough for an interval on the board. By
        the first two rules, the latest that passed the intake."""
        author, bot, number = version_parts(version)
        earlier = (f"{author}/{bot}@{before}" for before in range(number - 1, 0, -1))
        if self.rule <= SECOND_RULE:
            return next((version for version in earlier if self.versions[version].boards), None)
        pods = self.numbers[board].pods
        return next((version for version in earlier if pods.get(version, 0) >= FEWEST_PODS), None)

    def next_version(self, author: str, bot: str) -> VersionId:
        """The id of the next version of a bot."""
        number = sum(version.bot == f"{author}/{bot}" for version in self.versions.values())
        return f"{author}/{bot}@{number + 1}"

    def with_digest(self, digest: str) -> list[VersionId]:
        """The versions of all authors with this digest."""
        return self._of_digest.get(digest, [])

    def file_of(self, digest: str) -> str | None:
        """The file name of a program in the store; None if it never arrived."""
        return next((self.versions[version].file for version in self.with_digest(digest)), None)

    def waiting(self) -> Iterator[Version]:
        """The versions that wait for the intake, in its order: every author's first version of a day comes
        before anybody's second of that day, and so on; otherwise by arrival."""
        received = [version for version in self.versions.values() if version.status == RECEIVED]
        if len(received) > 1:
            turns = self._turn()
            received.sort(key=lambda version: turns[version.id])
        return iter(received)

    @property
    def checks_at_a_time(self) -> int:
        """How many versions are checked at a time: on half of the cores, and on all from an hour before the
        deadline on."""
        jobs = self.started.jobs if self.started else 1
        is_rush = self.closed or (self.closes and self.closes.closes - self.at <= RUSH_SECONDS)
        return CHECKS_ON_A_CORE * (jobs if is_rush else max(1, jobs // 2))

    def _turn(self) -> Mapping[VersionId, int]:
        """For each version, how many versions its author had sent earlier on the same day."""
        sent: Counter[tuple[str, int]] = Counter()
        turns = {}
        for version in self.versions.values():
            whose = author_of(version.id), version.at // SECONDS_A_DAY
            turns[version.id] = sent[whose]
            sent[whose] += 1
        return turns

    def sent_on(self, author: str, day: int) -> int:
        return sum(
            author_of(version.id) == author and version.at // SECONDS_A_DAY == day
            for version in self.versions.values()
        )

    def cost(self, version: VersionId) -> int:
        """The core time, in milliseconds, that a pod of this version is expected to take: its own mean, or
        else the mean of all versions."""
        if pods := self.pod_count[version]:
            return max(1, self.milliseconds[version] // pods)
        return max(1, self.milliseconds.total() // max(1, self.pod_count.total()))

    @property
    def last_draw(self) -> int:
        """The number of the last draw, 0 before the first."""
        return self.first_draw - 1 + len(self.draws)
