"""Verifies a league from its journal and the public part of its logs: derives every draw from the entries
before it and the revealed seeds, every result from its log, and every checkpoint from the results.

What bots chose, how long they took, when versions arrived and what the organiser did cannot be derived, and
is taken from the journal. Knows journals and logs, and writes nothing.
"""

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from arena.director.verify import EntryCheck, opened_otherwise
from arena.entrants.digest import rule_of
from arena.entrants.entrant import Entrant
from arena.journal.chained import DamageError
from arena.league import logs
from arena.league.alike import choices_alike
from arena.league.days import SECONDS_A_DAY, pod_key
from arena.league.drawing import Drawer, asked, companions, kind_of
from arena.league.entries import (
    Checkpoint,
    Continued,
    DrawPlayed,
    DrawScheduled,
    DrawVoided,
    Entry,
    Founded,
    Pruned,
    Received,
    Revealed,
    Started,
)
from arena.league.journal import LOGS, PRIVATE, VERSIONS
from arena.league.pods import jobs, row_of
from arena.league.rules import require_same_rules
from arena.league.shown import Segment
from arena.league.state import LeagueState
from arena.league.statements import FIRST_RULE
from arena.league.store import KeptProgram
from arena.log.entries import LogError, parse
from arena.log.retrace import of_entries, verify
from arena.playing.job import Finished, Job, opening
from arena.process.launch import Launch
from arena.system.errors import UserError
from protocol.outcome import Outcome

ALPHA: Final = 0.05
"""The greatest acceptable probability of any wrong statement in the life of a board."""
TOLERANCE: Final = 1e-4
"""Largest difference to a checkpoint, in gain per deal, since machines round differently."""


def findings(folder: Path, segments: Sequence[Segment]) -> Iterator[EntryCheck]:
    """Check the entries of all segments; yield one finding for each, then one for each draw without a result.
    Entries are numbered through all segments. Raises UserError if a game is not installed."""
    entries = [entry for segment in segments for entry in segment.entries]
    assert isinstance(entries[0], Founded)
    require_same_rules(entries[0].boards)
    audit = _LeagueAudit(folder, entries, [segment.digests[-1] for segment in segments])
    if entries[0].alpha > ALPHA:
        yield EntryCheck(1, wrong=f"its statements may be wrong with a probability of {entries[0].alpha:g}")
    for entry_no, entry in enumerate(entries[1:], 2):
        yield audit.finding(entry_no, entry)
    if missing := audit.without_panel:
        yield EntryCheck(len(entries), wrong=f"no entry sets the panel of {', '.join(missing)}")
    for entry_no, entry in enumerate(entries, 1):
        if isinstance(entry, DrawScheduled) and audit.has_no_result(entry):
            yield EntryCheck(entry_no, unchecked="it has no result yet")


class _LeagueAudit:
    """Replays a league entry by entry. Does not apply an entry that is impossible at its place."""

    def __init__(self, folder: Path, entries: Sequence[Entry], digests: Sequence[str]) -> None:
        """`digests` has the digest of each segment's last entry."""
        first = entries[0]
        assert isinstance(first, Founded)
        self._folder = folder
        self._digests = digests
        self._state = LeagueState([first])
        self._drawer = Drawer()
        self._seeds = {entry.day: entry.seed for entry in entries if isinstance(entry, Revealed)}
        self._pruned = {
            no
            for entry in entries
            if isinstance(entry, Pruned) and not entry.private_only
            for no in range(entry.first, min(entry.last, len(entries)) + 1)
        }
        """The draws whose whole logs, not only the private parts, were deleted."""
        self._before: Entry = first
        """The previous entry."""

    def finding(self, entry_no: int, entry: Entry) -> EntryCheck:
        """Check the next entry and apply it."""
        wrong = self._out_of_place(entry) or self._not_told_apart(entry)
        self._before = entry
        if wrong is not None:
            return EntryCheck(entry_no, wrong=wrong)
        unchecked = None
        match entry:
            case Started():
                self._drawer = Drawer()
            case Received():
                wrong = self._program(entry)
            case DrawScheduled():
                wrong = self._drawn(entry)
                if wrong is None and entry.day not in self._seeds:
                    unchecked = "its companions and deals, since the seed of its day is not revealed yet"
                elif wrong is None and self._state.rule == FIRST_RULE:
                    unchecked = "whose turn it was, since an earlier arena chose by another rule"
            case DrawPlayed():
                wrong, unchecked = self._played(entry)
            case DrawVoided(no=no) if logs.log_path(
                self._folder, self._state.draws[no].day, no, LOGS
            ).exists():
                unchecked = f"draw {no} counts for nobody, but its log still exists"
            case Checkpoint():
                wrong = self._checkpoint(entry)
        self._state.add(entry)
        return EntryCheck(entry_no, wrong=wrong, unchecked=unchecked, counts=isinstance(entry, DrawPlayed))

    @property
    def without_panel(self) -> list[str]:
        return [board for board in self._state.boards if board not in self._state.panels]

    def has_no_result(self, entry: DrawScheduled) -> bool:
        """Whether a draw was neither played nor voided."""
        return self._state.in_flight.get(entry.no) == entry

    def _out_of_place(self, entry: Entry) -> str | None:
        """Why an entry is impossible at its place; None if it is not."""
        match entry:
            case Continued(number=number, before=before) if not self._state.in_flight:
                if before != self._digests[number - 2]:
                    return f"segment {number} does not continue the one before it"
        problem = entry.problem(self._state)
        return problem and problem.finding

    def _not_told_apart(self, entry: Entry) -> str | None:
        """Why a `Started` entry and the reason of its segment contradict each other: another arena, Python or
        machine begins a segment that says so."""
        stated = self._before.why if isinstance(self._before, Continued) else ""
        before = self._state.started
        actual = entry.unlike(before) if isinstance(entry, Started) and before else ""
        if actual and actual != stated:
            return f"{actual}: it plays without its own segment"
        return f"the segment begins for a different reason than {stated}" if stated != actual else None

    def _program(self, entry: Received) -> str | None:
        path = KeptProgram(entry.digest, entry.file).path(self._folder)
        if not (self._folder / VERSIONS).is_dir():
            return None  # A public copy has no programs.
        try:
            rule = rule_of(entry.digest, path)
        except (OSError, ValueError) as error:
            return f"{entry.version}: its program cannot be read ({error})"
        return None if rule else f"{entry.version}: its program is not the one that was received"

    def _drawn(self, entry: DrawScheduled) -> str | None:
        state = self._state
        if entry.at < state.at or entry.day != entry.at // SECONDS_A_DAY:
            return f"draw {entry.no} has a wrong time"
        if entry.day not in state.committed:
            return f"draw {entry.no} is of day {entry.day}, whose seed was not committed"
        if state.started is None or len(state.in_flight) >= state.started.jobs:
            return f"draw {entry.no} was drawn when no core was free: {len(state.in_flight)} have no result"
        if state.rule > FIRST_RULE and (other := self._not_chosen(entry)):
            return other
        if entry.day in self._seeds:
            lots = companions(state, entry.board, entry.no, entry.versions, self._seeds[entry.day])
            if lots != entry.companions:
                return f"the lots of draw {entry.no} give different companions: {', '.join(lots)}"
        elif not {*entry.companions} <= {*state.candidates(entry.board, entry.versions)}:
            return f"draw {entry.no} has companions that are not allowed"
        return None

    def _not_chosen(self, entry: DrawScheduled) -> str | None:
        """Why a draw does not follow from the entries before it; None if it does."""
        state, chosen = self._state, self._drawer.chosen(self._state)
        if chosen is None:
            return f"draw {entry.no} was drawn when nothing was open"
        due = (chosen.board, asked(state, chosen.wish), kind_of(state, chosen.wish))
        if (entry.board, entry.versions, entry.why) == due:
            return None
        return (
            f"draw {entry.no} is not the one derived from the entries before it: {due[2]} of "
            f"{' and '.join(due[1])} on {chosen.board}"
        )

    def _played(self, entry: DrawPlayed) -> tuple[str | None, str | None]:
        """What is wrong with a result or its log, and what could not be checked."""
        drawn = self._state.in_flight[entry.no]
        try:
            data = logs.read(self._folder, drawn.day, entry.no)
            private = logs.read(self._folder, drawn.day, entry.no, PRIVATE)
        except DamageError as error:
            return str(error), None
        if private is not None and hashlib.sha256(private).hexdigest() != entry.private:
            return (
                f"{logs.log_path(self._folder, drawn.day, entry.no, PRIVATE)}: this is not what was written"
            ), None
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

    def _not_the_result(self, entry: DrawPlayed, drawn: DrawScheduled, data: bytes) -> str | None:
        """How a result differs from its log. Raises LogError, UserError."""
        rows = [row for matches in entry.matches for row in matches]
        texts = list(logs.matches(data))
        if len(texts) != len(rows):
            return f"draw {entry.no} has {len(texts)} logs for {len(rows)} matches"
        due: list[Job] = []
        for number, text in enumerate(texts):
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
                return f"match {due[number].match_id}: the journal's result differs from the log's"
        alike = choices_alike(data, drawn.versions) if self._state.rule > FIRST_RULE else entry.alike
        if alike != entry.alike:
            return f"draw {entry.no}: its versions took {alike} choices alike, not {entry.alike}"
        return None

    def _jobs(self, drawn: DrawScheduled, key: str) -> list[Job]:
        """The matches of a draw. `key` is used if the seed of its day is not revealed."""
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
        if not numbers.checkpoint_due:
            return f"no checkpoint of {entry.board} was due"
        given = numbers.exact_strengths()
        if given.keys() != entry.strengths.keys():
            return f"the checkpoint of {entry.board} has different versions from its comparisons"
        for version, strength in given.items():
            if abs(strength - entry.strengths[version]) > TOLERANCE:
                return (
                    f"the checkpoint gives {version} {entry.strengths[version]:+}, but the fit gives "
                    f"{strength:+}"
                )
        return None
