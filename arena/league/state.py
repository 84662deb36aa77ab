"""The state of a league after its journal's entries: authors, versions, boards, days, what is being played.

Pure: entries in, values out. Whatever can be shown or decided follows from here.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Final, TypeAlias

import msgspec

from arena.league.carried import CURRENT, PAUSED, RECEIVED, REFUSED, RESTING, RETIRED, Carried, Version
from arena.league.days import SECONDS_A_DAY
from arena.league.entries import (
    Annulled,
    Board,
    ByOrganiser,
    Checkpoint,
    Closed,
    Committed,
    Continued,
    Current,
    Drawn,
    Entry,
    Finals,
    Founded,
    Frozen,
    PanelSet,
    Passed,
    Paused,
    Played,
    Pruned,
    Received,
    Refused,
    Registered,
    Restored,
    Retired,
    Revealed,
    Sealed,
    Started,
    Unfrozen,
    Voided,
)
from arena.league.ids import HOUSE, BoardId, VersionId, author_of, version_parts
from arena.league.numbers import Numbers, lead_of

Question: TypeAlias = tuple[BoardId, tuple[VersionId, ...]]
"""A board, and the versions that are asked about there, in the order of their arrival."""

GIVEN_UP: Final = 3
"""After so many void draws of a question in one segment, it is not drawn there again: what spoilt them is in
the arena or in a game, and may do so for ever."""


class State:
    """The state after some entries, the first of which is the founding."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        first, *rest = entries
        assert isinstance(first, Founded | Continued)
        self.founded = founded = first if isinstance(first, Founded) else first.founded
        self.boards: Mapping[BoardId, Board] = MappingProxyType({one.id: one for one in founded.boards})
        self.numbers = {one.id: Numbers(one.cap, partial(self.kept, one.id)) for one in founded.boards}
        self.panels: dict[BoardId, PanelSet] = {}
        self.authors: dict[str, Registered] = {}
        self.versions: dict[VersionId, Version] = {}
        self.current: dict[str, VersionId] = {}
        """By `author/bot`."""
        self.committed: dict[int, str] = {}
        self.revealed: dict[int, str] = {}
        self.draws: dict[int, Drawn] = {}
        """Those of this segment of the journal, as in the next two."""
        self.played: dict[int, Played] = {}
        self.over: dict[int, Voided | Annulled] = {}
        """Draws that count for nobody."""
        self._voids: Counter[Question] = Counter()
        """The draws of each question in this segment that were void."""
        self.in_flight: dict[int, Drawn] = {}
        self.panel_at: dict[int, tuple[VersionId, ...]] = {}
        """By draw of this segment, the panel from which its companions come."""
        self._at_fault: dict[int, Counter[VersionId]] = {}
        """By draw of this segment, the matches that versions forfeited in it and that count against them."""
        self.milliseconds: Counter[VersionId] = Counter()
        """Of a core, for all pods that were played for a version."""
        self.pod_count: Counter[VersionId] = Counter()
        """How many pods these were."""
        self.first_draw = 1
        """The number of the first draw of this segment."""
        self.by_organiser: list[ByOrganiser] = []
        self.pruned: list[Pruned] = []
        self.started: Started | None = None
        self.frozen: Frozen | None = None
        self.closed: Closed | None = None
        self.finals: Finals | None = None
        self.finals_drawn: Counter[BoardId] = Counter()
        """How many comparisons of its final each board has had that count, or may still."""
        self.finals_of: Counter[Question] = Counter()
        """How many of these each pair has had."""
        self.sealed: Sealed | None = None
        self.at = 0
        """The latest clock reading."""
        self._ranked: dict[BoardId, list[VersionId]] = {}
        self._kept: dict[BoardId, frozenset[VersionId]] = {}
        """Both are computed when they are asked for, and forgotten when a version changes its place."""
        self._of_digest: defaultdict[str, list[VersionId]] = defaultdict(list)
        for entry in (first, *rest) if isinstance(first, Continued) else rest:
            self.add(entry)

    def add(self, entry: Entry) -> None:
        """Applies one more entry, which follows all others."""
        match entry:
            case Continued(carried=carried, holding=holding):
                self._carry_on(carried)
                self.started = self.frozen = self.closed = self.finals = None
                for one in holding:
                    self.add(one)
            case Registered(author=author):
                self.authors[author] = entry
            case Started(at=at):
                self.started, self.at = entry, max(self.at, at)
            case Received(version=version):
                self._received(entry)
            case Passed(version=version):
                pass
            case Refused(version=version, reason=reason, cure=cure):
                self._change(version, status=REFUSED, why=reason, cure=cure)
            case Current():
                self._becomes_current(entry)
            case PanelSet():
                self._panel_set(entry)
            case Committed(day=day, sha256=sha256):
                self.committed[day] = sha256
            case Revealed(day=day, seed=seed):
                self.revealed[day] = seed
                # A day whose seed is known is over, even if the clock is set back to it.
                self.at = max(self.at, (day + 1) * SECONDS_A_DAY)
            case Drawn():
                self._drawn(entry)
            case Played():
                self._played(entry)
            case Checkpoint(board=board, strengths=strengths):
                self.numbers[board].checkpoint(strengths)
            case Voided(no=no) | Annulled(no=no):
                self.in_flight.pop(no, None)
                self.over[no] = entry
                draw = self.draws[no]
                self.numbers[draw.board].dropped(draw)
                self._count_final(draw, -1)
                self._voids[draw.board, draw.versions] += isinstance(entry, Voided)
                for version, times in self._at_fault.pop(no, Counter[VersionId]()).items():
                    self._change(version, faults=self.versions[version].faults - times)
            case Paused(version=version, reason=reason):
                self._change(version, status=PAUSED, why=reason)
            case Retired(version=version, reason=reason):
                self._change(version, status=RETIRED, why=reason)
            case Restored(version=version):
                is_current = self.current.get(self.versions[version].bot) == version
                self._change(version, status=CURRENT if is_current else RESTING, why="")
                self._forgive(version)
                for board, versions in [one for one in self._voids if version in one[1]]:
                    del self._voids[board, versions]
            case Closed():
                self.closed = entry
            case Finals():
                self.finals = entry
            case Sealed(at=at):
                self.sealed, self.at = entry, max(self.at, at)
            case Frozen():
                self.frozen = entry
            case Unfrozen():
                self.frozen = None
            case Pruned():
                self.pruned.append(entry)
            case Founded():
                pass
        if isinstance(entry, Continued | Current | PanelSet | Paused | Retired | Restored):
            self._ranked, self._kept = {}, {}
        if isinstance(entry, ByOrganiser):
            self.by_organiser.append(entry)

    def carried(self) -> Carried:
        """The state as a value, for the next segment; nothing may be in flight."""
        return Carried(
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

    def continued(self, number: int, before: str, why: str = "") -> Continued:
        """The first entry of the next segment."""
        holding = tuple(
            one for one in (self.started, self.frozen, self.closed, self.finals) if one is not None
        )
        return Continued(number, before, self.founded, self.carried(), holding, why)

    def _carry_on(self, carried: Carried) -> None:
        self.versions = {version.id: version for version in carried.versions}
        self._of_digest = defaultdict(list)
        for version in carried.versions:
            self._of_digest[version.digest].append(version.id)
        self.authors = {
            name: Registered(name, carried.titles[name], token) for name, token in carried.tokens.items()
        }
        self.current = dict(carried.current)
        self.committed, self.revealed = dict(carried.committed), dict(carried.revealed)
        self.draws, self.played, self.over, self.in_flight, self.panel_at = {}, {}, {}, {}, {}
        self._at_fault, self._voids = {}, Counter()
        self.first_draw = carried.last_draw + 1
        self.pod_count, self.milliseconds = Counter(carried.pods), Counter(carried.milliseconds)
        self.at = carried.at
        self.finals_drawn, self.finals_of = Counter(), Counter()
        for board, versions, times in carried.finals:
            self.finals_drawn[board] += times
            self.finals_of[board, versions] = times
        self.by_organiser, self.pruned = [], []
        self._ranked, self._kept = {}, {}
        for board, before in carried.boards.items():
            self.panels[board] = PanelSet(board, before.panel, before.zero)
        for board, before in carried.boards.items():
            self.numbers[board].carry_on(before)

    def _change(self, version: VersionId, **fields: object) -> None:
        self.versions[version] = msgspec.structs.replace(self.versions[version], **fields)

    def _forgive(self, version: VersionId) -> None:
        """What a version has forfeited so far counts no longer towards its pause."""
        self._change(version, faults=0)
        for at_fault in self._at_fault.values():
            at_fault.pop(version, None)

    def _received(self, entry: Received) -> None:
        self.at = max(self.at, entry.at)
        self.versions[entry.version] = Version(
            entry.version, entry.digest, entry.file, entry.at, len(self.versions) + 1
        )
        self._of_digest[entry.digest].append(entry.version)

    def _becomes_current(self, entry: Current) -> None:
        version = self.versions[entry.version]
        before = self.current.get(version.bot)
        if before not in (None, entry.version) and self.versions[before].status == CURRENT:
            self._change(before, status=RESTING)
        self._change(entry.version, status=CURRENT, boards=entry.boards, why="")
        self._forgive(entry.version)
        self.current[version.bot] = entry.version

    def _panel_set(self, entry: PanelSet) -> None:
        numbers, before = self.numbers[entry.board], self.panels.get(entry.board)
        self.panels[entry.board] = entry
        numbers.zero = entry.zero
        self._ranked, self._kept = {}, {}
        if before is not None:
            numbers.renewed(before.members, entry.members)

    def _drawn(self, draw: Drawn) -> None:
        self.at = max(self.at, draw.at)
        self.draws[draw.no] = self.in_flight[draw.no] = draw
        self.panel_at[draw.no] = self.panels[draw.board].members
        self.numbers[draw.board].drawn(draw)
        self._count_final(draw, 1)

    def _count_final(self, draw: Drawn, by: int) -> None:
        """Counts a comparison of a final, or no longer: one that counts for nobody is drawn again."""
        if draw.why == "final":
            self.finals_drawn[draw.board] += by
            self.finals_of[draw.board, draw.versions] += by

    def _played(self, played: Played) -> None:
        draw = self.in_flight.pop(played.no)
        self.played[played.no] = played
        for version, matches in zip(draw.versions, played.matches, strict=True):
            self.pod_count[version] += 1
            self.milliseconds[version] += round(played.seconds * 1000) // len(draw.versions)
            for place in (forfeit.seat for match in matches for forfeit in match.forfeits):
                at_fault = (version, *draw.companions)[place]
                self._change(at_fault, faults=self.versions[at_fault].faults + 1)
                self._at_fault.setdefault(played.no, Counter())[at_fault] += 1
        leads = [lead_of(matches) for matches in played.matches]
        self.numbers[draw.board].played(draw, leads, self.panels[draw.board].members)

    def waits_for(self, board: BoardId) -> VersionId | None:
        """The zero of a board, where it cannot be played any more: until it is restored nothing is measured
        there. None where it plays."""
        zero = self.numbers[board].zero
        return zero if self.versions[zero].status == PAUSED else None

    def candidates(self, board: BoardId, versions: Iterable[VersionId]) -> tuple[VersionId, ...]:
        """Those of the panel that may sit with these versions of a question: neither one of them nor, unless
        it is an anchor, of one of their authors, who could let them play into each other's hands."""
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
        """Whether a question is not drawn again in this segment, since its draws are void each time. It is
        again once one of the versions was restored."""
        return self._voids[board, versions] >= GIVEN_UP

    def may_be_asked(self, board: BoardId, versions: tuple[VersionId, ...]) -> bool:
        """Whether these versions, in the order of their arrival, can be played for: there are enough
        companions, and it was not given up."""
        others = self.boards[board].seats - 1
        return len(self.candidates(board, versions)) >= others and not self.given_up(board, versions)

    def ranked(self, board: BoardId) -> Sequence[VersionId]:
        """The versions that play on a board, in the order of their arrival: all that are current, and the
        panel."""
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
        """The versions of a board of which a strength may be asked: those that are ranked, and the one before
        each."""
        if board not in self._kept:
            ranked = self.ranked(board)
            self._kept[board] = frozenset((*ranked, *filter(None, map(self.predecessor, ranked))))
        return self._kept[board]

    def predecessor(self, version: VersionId) -> VersionId | None:
        """The version of the same bot before this one that passed the intake."""
        author, bot, number = version_parts(version)
        earlier = (f"{author}/{bot}@{before}" for before in range(number - 1, 0, -1))
        return next((one for one in earlier if self.versions[one].boards), None)

    def next_version(self, author: str, bot: str) -> VersionId:
        """What the next version of a bot is called."""
        number = sum(version.bot == f"{author}/{bot}" for version in self.versions.values())
        return f"{author}/{bot}@{number + 1}"

    def with_digest(self, digest: str) -> list[VersionId]:
        """The versions of this program, whoever sent them."""
        return self._of_digest.get(digest, [])

    def file_of(self, digest: str) -> str | None:
        """What a program is called in the store; None for one that never came in."""
        return next((self.versions[one].file for one in self.with_digest(digest)), None)

    def waiting(self) -> Iterator[Version]:
        """The versions whose intake is not over, in the order of it: what an author sent first on a day comes
        before what anybody sent second, and so on; else the earlier one."""
        received = [version for version in self.versions.values() if version.status == RECEIVED]
        if len(received) > 1:
            turns = self._turn()
            received.sort(key=lambda version: turns[version.id])
        return iter(received)

    def _turn(self) -> Mapping[VersionId, int]:
        """How many versions the author of each had sent before it on the same day."""
        sent: Counter[tuple[str, int]] = Counter()
        turns = {}
        for version in self.versions.values():
            whose = author_of(version.id), version.at // SECONDS_A_DAY
            turns[version.id] = sent[whose]
            sent[whose] += 1
        return turns

    def sent_on(self, author: str, day: int) -> int:
        """How many versions an author sent on a day."""
        return sum(
            author_of(version.id) == author and version.at // SECONDS_A_DAY == day
            for version in self.versions.values()
        )

    def cost(self, version: VersionId) -> int:
        """The milliseconds of a core that a pod of this version is expected to take: its own mean, else that
        of all."""
        if pods := self.pod_count[version]:
            return max(1, self.milliseconds[version] // pods)
        return max(1, self.milliseconds.total() // max(1, self.pod_count.total()))

    @property
    def last_draw(self) -> int:
        """The number of the last draw, 0 before the first."""
        return self.first_draw - 1 + len(self.draws)
