"""Verifies a league from its journal and the public part of its logs alone: derives every draw again from the
entries before it and the revealed seeds, every result from its log, every checkpoint from the results.

What bots chose, how long they took, what came in when, and what the organiser did is taken as it stands in
the journal: it follows from nothing else. Knows journals and logs; writes nothing.
"""

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from arena.director.verify import Finding, opened_otherwise
from arena.entrants.digest import rule_of
from arena.entrants.entrant import Entrant
from arena.journal.chained import DamageError
from arena.league import logs
from arena.league.carried import RECEIVED, RESTING
from arena.league.days import SECONDS_A_DAY, commitment, pod_key
from arena.league.drawing import Drawer, asked, companions, jobs, kind_of, row_of
from arena.league.due import checkpoint_due, strengths_of
from arena.league.entries import (
    LOGS,
    PRIVATE,
    VERSIONS,
    Annulled,
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
    MatchRow,
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
from arena.league.finals import finals_due, seal_due
from arena.league.ids import HOUSE, VersionId, author_of
from arena.league.panel import unfit
from arena.league.rules import require_same_rules
from arena.league.shown import Segment
from arena.league.state import State
from arena.league.store import Program
from arena.log.entries import LogError, parse
from arena.log.retrace import of_entries, verify
from arena.playing.job import Finished, Job, opening
from arena.process.launch import Launch
from arena.system.errors import UserError
from protocol.outcome import Outcome

ALPHA: Final = 0.05
"""How probable it may be at most that anything is ever said wrongly on a board."""
TOLERANCE: Final = 1e-4
"""In gains: by how much a checkpoint may differ from the fit here, since machines round differently."""


def findings(folder: Path, segments: Sequence[Segment]) -> Iterator[Finding]:
    """Checks the entries of all segments, and yields one finding for each, then one for each draw that has no
    result. Entries are numbered through all segments. Raises UserError for games that are not known here."""
    entries = [entry for segment in segments for entry in segment.entries]
    assert isinstance(entries[0], Founded)
    require_same_rules(entries[0].boards)
    audit = _Audit(folder, entries, [segment.digests[-1] for segment in segments])
    if entries[0].alpha > ALPHA:
        yield Finding(1, wrong=f"its statements may be wrong with a probability of {entries[0].alpha:g}")
    for entry_no, entry in enumerate(entries[1:], 2):
        yield audit.finding(entry_no, entry)
    if without := audit.without_panel:
        yield Finding(len(entries), wrong=f"no entry makes the panel of {', '.join(without)}")
    for entry_no, entry in enumerate(entries, 1):
        if isinstance(entry, Drawn) and audit.has_no_result(entry):
            yield Finding(entry_no, unchecked="it has no result yet")


class _Audit:
    """A league that is repeated entry by entry. An entry that is impossible at its place is not applied."""

    def __init__(self, folder: Path, entries: Sequence[Entry], digests: Sequence[str]) -> None:
        """`digests` are those of the last entries of the segments."""
        first = entries[0]
        assert isinstance(first, Founded)
        self._folder = folder
        self._digests = digests
        self._state = State([first])
        self._drawer = Drawer()
        self._seeds = {entry.day: entry.seed for entry in entries if isinstance(entry, Revealed)}
        self._pruned = {
            no
            for entry in entries
            if isinstance(entry, Pruned) and not entry.private_only
            for no in range(entry.first, min(entry.last, len(entries)) + 1)
        }
        """The draws whose whole logs were deleted."""
        self._last_day = -1
        """Of the draws so far."""
        self._checked: set[VersionId] = set()
        self._before: Entry = first
        """The last entry."""

    def finding(self, entry_no: int, entry: Entry) -> Finding:
        """Checks the next entry and applies it."""
        wrong = self._impossible(entry) or self._not_told_apart(entry)
        self._before = entry
        if wrong is not None:
            return Finding(entry_no, wrong=wrong)
        unchecked = None
        match entry:
            case Started():
                self._drawer = Drawer()
            case Passed(version=version, stage="checked"):
                self._checked.add(version)
            case Received():
                wrong = self._program(entry)
            case Drawn(day=day):
                wrong = self._drawn(entry)
                self._last_day = max(self._last_day, day)
                if wrong is None and entry.day not in self._seeds:
                    unchecked = "its companions and deals, as the seed of its day is not revealed yet"
            case Played():
                wrong, unchecked = self._played(entry)
            case Voided(no=no) if logs.log_path(self._folder, self._state.draws[no].day, no, LOGS).exists():
                unchecked = f"draw {no} counts for nobody, and its log is there all the same"
            case Checkpoint():
                wrong = self._checkpoint(entry)
        self._state.add(entry)
        return Finding(entry_no, wrong=wrong, unchecked=unchecked, counts=isinstance(entry, Played))

    @property
    def without_panel(self) -> list[str]:
        """The boards for which there is no panel."""
        return [board for board in self._state.boards if board not in self._state.panels]

    def has_no_result(self, entry: Drawn) -> bool:
        """Whether a draw was neither played nor given up."""
        return self._state.in_flight.get(entry.no) == entry

    def _impossible(self, entry: Entry) -> str | None:
        """Why an entry cannot be applied at its place; None if it can."""
        state = self._state
        match entry:
            case Founded():
                return "the settings come first, and once"
            case Continued():
                return self._not_continued(entry)
            case _ if state.sealed and not isinstance(entry, Pruned | Frozen | Unfrozen):
                return "the league was sealed"
            case Received() | Registered() | Closed() if state.closed:
                return "the league was closed"
            case Continued() | Closed() | Finals() | Sealed() | Drawn() if (
                state.panels.keys() != state.boards.keys()
            ):
                return "a board has no panel yet"
            case Finals() if entry != finals_due(state):
                return "no finals of these versions were due"
            case Sealed() if not seal_due(state):
                return "not all was played when it was sealed"
            case Sealed() if unknown := [
                day for day in state.committed if day <= self._last_day and day not in state.revealed
            ]:
                return f"it was sealed before the seed of day {unknown[0]} was revealed"
            case Received(version=version) if version != state.next_version(*_author_and_bot(version)):
                return f"{version} is not the next version of its bot"
            case Received(version=version) if author_of(version) not in {*state.authors, HOUSE}:
                return f"{author_of(version)} is no author"
            case Passed(version=version) | Refused(version=version):
                known = state.versions.get(version)
                return None if known and known.status == RECEIVED else f"{version} is not being taken in"
            case Current(version=version, boards=boards):
                return self._not_current(version, boards)
            case Paused(version=version) | Retired(version=version) | Restored(version=version):
                known = state.versions.get(version)
                return None if known and known.boards else f"{version} did not pass the intake"
            case PanelSet():
                return unfit(state, entry)
            case Committed(day=day) if day in state.committed:
                return f"the seed of day {day} was committed before"
            case Committed(day=day) if day <= self._last_day:
                return f"the seed of day {day} was committed when pods had been drawn from it"
            case Revealed(day=day, seed=seed) if state.committed.get(day) != commitment(seed):
                return f"this is not the seed of day {day} that was committed"
            case Revealed(day=day) if any(draw.day == day for draw in state.in_flight.values()):
                return f"the seed of day {day} was revealed while a pod of it was played"
            case Drawn() | Finals() | Sealed() if missing := self._checkpoint_missing():
                return f"the checkpoint of {missing} that was due before is missing"
            case Drawn(board=board) if board not in state.boards or board not in state.panels:
                return f"there is no board {board}"
            case Drawn(no=no, day=day) if day in state.revealed:
                return f"draw {no} was drawn from a seed that was known"
            case Drawn(no=no) if no != state.last_draw + 1:
                return f"draw {no} stands where draw {state.last_draw + 1} is due"
            case Drawn(versions=versions, companions=others, board=board):
                if any(one not in state.versions for one in (*versions, *others)):
                    return "a version that never came in was drawn"
                if len({*versions, *others}) < len(versions) + len(others):
                    return "a version sits twice in one pod"
                if len(others) != state.boards[board].seats - 1:
                    return f"its pods are not of {state.boards[board].seats}"
            case Played(no=no) if no not in state.in_flight:
                return f"draw {no} is not being played"
            case Played(no=no, matches=matches):
                return _not_whole(state.in_flight[no], matches)
            case Checkpoint(board=board) if board not in state.boards:
                return f"there is no board {board}"
            case Voided(no=no) if no not in state.in_flight:
                return f"draw {no} is not being played"
            case Pruned(last=last) if last > state.last_draw:
                return f"draw {last} is not over yet"
            case Frozen() if state.frozen:
                return "it was frozen before"
            case Unfrozen() if not state.frozen:
                return "it was not frozen"
            case Annulled(no=no) if no not in state.played or no in state.over:
                return f"draw {no} does not count"
        return None

    def _checkpoint_missing(self) -> str | None:
        """A board that was due a checkpoint before anything is drawn again."""
        return next(
            (
                board
                for board, numbers in self._state.numbers.items()
                if checkpoint_due(numbers) and strengths_of(numbers)
            ),
            None,
        )

    def _not_continued(self, entry: Continued) -> str | None:
        state = self._state
        if state.in_flight:
            return f"segment {entry.number} was begun while something was played"
        if entry.before != self._digests[entry.number - 2]:
            return f"segment {entry.number} does not go on with the one before it"
        if entry != state.continued(entry.number, entry.before, entry.why):
            return f"segment {entry.number} begins with another state than the one before it has led to"
        return None

    def _not_told_apart(self, entry: Entry) -> str | None:
        """What is wrong where one who plays differs from the one before: a segment begins with that."""
        told = self._before.why if isinstance(self._before, Continued) else ""
        before = self._state.started
        found = entry.unlike(before) if isinstance(entry, Started) and before else ""
        if found and found != told:
            return f"{found}: it plays without a segment of its own"
        return f"the segment begins for another reason than {told}" if told != found else None

    def _not_current(self, version: VersionId, boards: tuple[str, ...]) -> str | None:
        known = self._state.versions.get(version)
        if known is None:
            return f"{version} never came in"
        if not boards or not {*boards} <= {*self._state.boards}:
            return f"{version} is on a board that is not there"
        if known.status == RESTING or author_of(version) == HOUSE or version in self._checked:
            return None
        return f"{version} was not checked"

    def _program(self, entry: Received) -> str | None:
        """What is wrong with the program of a version, where it is kept here."""
        path = Program(entry.digest, entry.file).path(self._folder)
        if not (self._folder / VERSIONS).is_dir():
            return None  # In a copy for others the programs are left out.
        try:
            found = rule_of(entry.digest, path)
        except (OSError, ValueError) as error:
            return f"{entry.version}: its program cannot be read ({error})"
        return None if found else f"{entry.version}: its program is not the one that came in"

    def _drawn(self, entry: Drawn) -> str | None:
        state = self._state
        if entry.at < state.at or entry.day != entry.at // SECONDS_A_DAY:
            return f"draw {entry.no} is out of its time"
        if entry.day not in state.committed:
            return f"draw {entry.no} is of day {entry.day}, whose seed was not committed"
        if state.started is None or len(state.in_flight) >= state.started.jobs:
            return f"draw {entry.no} was drawn when no core was free: {len(state.in_flight)} have no result"
        found = self._drawer.chosen(state)
        if found is None:
            return f"draw {entry.no} was drawn when nothing was open"
        due = (found.board, asked(state, found.wish), kind_of(state, found.wish))
        if (entry.board, entry.versions, entry.why) != due:
            return (
                f"draw {entry.no} is not what the entries before it give: {due[2]} of "
                f"{' and '.join(due[1])} on {found.board}"
            )
        if entry.day in self._seeds:
            lots = companions(state, entry.board, entry.no, entry.versions, self._seeds[entry.day])
            if lots != entry.companions:
                return f"the lots of draw {entry.no} give other companions: {', '.join(lots)}"
        elif not {*entry.companions} <= {*state.candidates(entry.board, entry.versions)}:
            return f"draw {entry.no} has companions that may not sit there"
        return None

    def _played(self, entry: Played) -> tuple[str | None, str | None]:
        """What is wrong with a result or its log, and what could not be checked."""
        drawn = self._state.in_flight[entry.no]
        try:
            data = logs.read(self._folder, drawn.day, entry.no)
            private = logs.read(self._folder, drawn.day, entry.no, PRIVATE)
        except DamageError as error:
            return str(error), None
        if private is not None and hashlib.sha256(private).hexdigest() != entry.private:
            return f"{logs.log_path(self._folder, drawn.day, entry.no, PRIVATE)}: not what was written", None
        path = logs.log_path(self._folder, drawn.day, entry.no, LOGS)
        if data is None:
            if entry.no in self._pruned:
                return None, "its log was pruned"
            return f"{path} is missing, and no entry says that it was pruned", None
        if hashlib.sha256(data).hexdigest() != entry.public:
            return f"{path} is not the log that was written", None
        try:
            return self._not_the_result(entry, drawn, data), None
        except (LogError, UserError) as error:
            return f"{path}: {error}", None

    def _not_the_result(self, entry: Played, drawn: Drawn, data: bytes) -> str | None:
        """How a result differs from its log. Raises LogError, UserError."""
        rows = [row for matches in entry.matches for row in matches]
        found = list(logs.matches(data))
        if len(found) != len(rows):
            return f"draw {entry.no} has {len(found)} logs of {len(rows)} matches"
        due: list[Job] = []
        for number, text in enumerate(found):
            log = of_entries(parse(text))
            verify(log)
            if not due:
                due = self._jobs(drawn, log.opened.pod_key)
            if wrong := opened_otherwise(log.game, log.opened, opening(due[number])):
                return f"match {due[number].match_id}: {wrong}"
            closed = log.closed
            outcome = Outcome(closed.points, closed.gains, closed.placings)
            logged = Finished(log.opened.match_id, outcome, closed.forfeits, "")
            key = due[number].pod_key
            if row_of(drawn, logged, due[number].seating_no, key) != rows[number]:
                return f"match {due[number].match_id}: the journal gives another result than the log"
        return None

    def _jobs(self, drawn: Drawn, key: str) -> list[Job]:
        """The matches of a draw; by the key of its log where the seed of its day is not revealed."""
        state = self._state
        nowhere = Launch((), "/")
        entrants = {
            version: Entrant(version, nowhere, state.versions[version].digest)
            for version in (*drawn.versions, *drawn.companions)
        }
        if drawn.day in self._seeds:
            key = pod_key(self._seeds[drawn.day], drawn.board, drawn.no)
        return list(jobs(state.boards[drawn.board], drawn, key, entrants))

    def _checkpoint(self, entry: Checkpoint) -> str | None:
        numbers = self._state.numbers[entry.board]
        if not checkpoint_due(numbers):
            return f"no checkpoint of {entry.board} was due"
        given = strengths_of(numbers)
        if given.keys() != entry.strengths.keys():
            return f"the checkpoint of {entry.board} is of other versions than its comparisons"
        for version, strength in given.items():
            if abs(strength - entry.strengths[version]) > TOLERANCE:
                return f"the checkpoint gives {version} {entry.strengths[version]:+}, the fit {strength:+}"
        return None


def _author_and_bot(version: VersionId) -> tuple[str, str]:
    author, _, rest = version.partition("/")
    return author, rest.partition("@")[0]


def _not_whole(drawn: Drawn, matches: tuple[tuple[MatchRow, ...], ...]) -> str | None:
    """Why results cannot be those of a draw, however it was played."""
    size = 1 + len(drawn.companions)
    if len(matches) != len(drawn.versions) or len({len(rows) for rows in matches}) != 1:
        return f"draw {drawn.no} has results of another number of matches"
    for row in (row for rows in matches for row in rows):
        if not row.gains or any(len(deal) != size for deal in row.gains):
            return f"draw {drawn.no} has results that are not of {size} seats"
        if any(not 0 <= forfeit.seat < size for forfeit in row.forfeits):
            return f"draw {drawn.no} has a forfeit of no seat"
    return None
