"""Verifies a tournament: derives every entry of its journal from those before it (the seed, the pods, the
seatings), and deals and judges every match again from its log.

What bots chose, how long they took, and what the organiser did (withdrawn, annulled, skipped …) cannot be
derived, and is taken from the journal. Knows journals and logs, and writes nothing.
"""

import contextlib
import hashlib
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

import msgspec

from arena.director.entries import (
    Created,
    JournalEntry,
    MatchAnnulled,
    MatchPlayed,
    RoundPaired,
    TimeUp,
    place,
)
from arena.director.journal import Journal
from arena.director.logs_checked import LogCheck, check_log, logs_checked
from arena.director.state import Record, unplayable
from arena.games import registry
from arena.games.game import Game
from arena.log.entries import LoggedEntrant, MatchOpened
from arena.playing.job import Job, opening
from arena.system.errors import UserError
from tournaments.formats import format_named
from tournaments.results import HOUSE_PREFIX, Round

_UNDEALT: Final = "the deals are not those derived from the seed"
DIFFERENT: Final = {
    "pod_key": _UNDEALT,
    "seating_no": _UNDEALT,
    "deals": _UNDEALT,
    "entrants": "the seats, or the programs in them, are not those that were drawn",
}
"""By field of a log's first line, the finding if the journal implies another value."""

_UNNUMBERED: Final = "not checked, since the journal does not say which version of the pairing rules drew it"


class EntryCheck(NamedTuple):
    """The result of checking one entry of a journal."""

    entry_no: int
    """From 1."""
    match_id: str = ""
    """Empty if the entry is not about a match."""
    wrong: str | None = None
    """What is wrong; None for nothing."""
    unchecked: str | None = None
    """What could not be checked; None for nothing."""
    counts: bool = False
    """Whether the entry is the result of its match that counts."""

    @property
    def place(self) -> str:
        """The entry and its match, if any, for messages."""
        return f"entry {self.entry_no}" + (f", {self.match_id}" if self.match_id else "")


def findings(journal: Journal) -> Iterator[EntryCheck]:
    """Check the entries in order; yield one finding for each, or only for the first if its settings cannot be
    played. Raises UserError for games and rules that are not installed."""
    created, *entries = journal.entries
    assert isinstance(created, Created)
    if registry.is_known(created.game) and (reason := unplayable(created)):
        yield EntryCheck(1, wrong=reason)
        return
    audit = _TournamentAudit(journal, Record([created]))
    yield EntryCheck(1, wrong=_not_as_announced(created))
    for entry_no, entry in enumerate(entries, 2):
        yield audit.finding(entry_no, entry)


def _not_as_announced(created: Created) -> str | None:
    if created.announced is None:
        return None
    if created.pairing == 0:
        return "a run that was announced must say which version of the pairing rules drew it"
    if created.announced.seed == created.seed:
        return None
    return "the seed is not the one derived from the secret seed and the public value"


class _TournamentAudit:
    """Replays a tournament entry by entry. An entry that is impossible at its place is not applied, so the
    entries after it are checked as if it were not there."""

    def __init__(self, journal: Journal, record: Record) -> None:
        self._journal = journal
        self._record = record
        self._jobs: dict[str, Job] = {}
        self._annulled = _annulled(journal.entries)
        due = (
            entry_no
            for entry_no, entry in enumerate(journal.entries, 1)
            if isinstance(entry, MatchPlayed) and entry_no not in self._annulled
        )
        self._logs = logs_checked(journal, list(due))
        """The checks of the logs that count, in the order of their entries."""
        self._cut_off = {
            pod for entry in journal.entries if isinstance(entry, TimeUp) for pod in entry.unfinished
        }

    def finding(self, entry_no: int, entry: JournalEntry) -> EntryCheck:
        """Check the next entry and apply it."""
        match entry:
            case RoundPaired():
                return self._drawn(entry_no, entry)
            case MatchPlayed():
                return self._played(entry_no, entry)
        problem = entry.problem(self._record)
        if problem is None:
            self._record.add(entry)
        return EntryCheck(entry_no, getattr(entry, "match_id", ""), problem and problem.finding)

    def _drawn(self, entry_no: int, entry: RoundPaired) -> EntryCheck:
        record, round_no = self._record, len(self._record.drawn) + 1
        if problem := entry.problem(record):
            return EntryCheck(entry_no, wrong=problem.finding)
        due = record.due()
        pods = None if due else format_named(record.created.format).draw(record.field())
        record.add(entry)
        self._jobs |= {job.match_id: job for job in record.jobs_of(round_no)}
        if due:
            return EntryCheck(
                entry_no, wrong=f"round {round_no} was drawn before {due[0].match_id} was played"
            )
        if pods == entry.pods:
            return EntryCheck(entry_no)
        if pods is None:
            return EntryCheck(entry_no, wrong=f"round {round_no} was drawn after the tournament was over")
        differs = (
            f"round {round_no} is not the one derived from the entries before it: "
            f"{_difference(entry.pods, pods)}"
        )
        if record.created.pairing == 0:
            return EntryCheck(entry_no, unchecked=f"{differs}; {_UNNUMBERED}")
        return EntryCheck(entry_no, wrong=differs)

    def _played(self, entry_no: int, entry: MatchPlayed) -> EntryCheck:
        checked = None if entry_no in self._annulled else next(self._logs)
        job = self._jobs.get(entry.match_id)
        if wrong := self._no_match(entry, job):
            return EntryCheck(entry_no, entry.match_id, wrong)
        assert job is not None
        self._record.add(entry)
        if checked is not None:
            counts = place(entry.match_id)[:2] not in self._cut_off
            return EntryCheck(entry_no, entry.match_id, _wrong(checked, job), counts=counts)
        if (number := self._set_aside(entry)) is not None:
            return EntryCheck(entry_no, entry.match_id, _wrong(check_log(self._journal, entry, number), job))
        gone = "a round was drawn from it before it was annulled, and its log is gone"
        return EntryCheck(entry_no, entry.match_id, unchecked=gone if self._annulled[entry_no] else None)

    def _no_match(self, entry: MatchPlayed, job: Job | None) -> str | None:
        """Why the entry cannot be a result of the match, however it was played; None if it can."""
        if job is None:
            return "it was never drawn"
        if problem := entry.problem(self._record):
            return problem.finding
        seats, outcome = len(job.entrants), entry.outcome
        rows = (entry.entrants, outcome.placings, *outcome.points, *outcome.gains)
        if any(len(row) != seats for row in rows) or any(f.seat >= seats for f in entry.forfeits):
            return f"it is not the result of a match of {seats} seats"
        return None

    def _set_aside(self, entry: MatchPlayed) -> int | None:
        """The number under which the log of an annulled match was set aside, 0 if it still has its own name;
        None if it is missing."""
        for number in range(1 + len(self._annulled)):
            with contextlib.suppress(UserError):
                data = self._journal.read_log(entry.match_id, number).encode()
                if hashlib.sha256(data).hexdigest() == entry.log:
                    return number
        return None


def _annulled(entries: Iterable[JournalEntry]) -> dict[int, bool]:
    """The entry numbers of annulled results, each with whether a round was drawn before it was annulled."""
    played: dict[str, int] = {}
    annulled: dict[int, bool] = {}
    last_drawn = 0
    for entry_no, entry in enumerate(entries, 1):
        match entry:
            case RoundPaired():
                last_drawn = entry_no
            case MatchPlayed(match_id=match_id):
                played[match_id] = entry_no
            case MatchAnnulled(match_id=match_id) if match_id in played:
                before = played.pop(match_id)
                annulled[before] = last_drawn > before
    return annulled


def _difference(pods: Round, given: Round) -> str:
    """The first difference between the pods of a round and those derived from earlier entries."""
    if len(pods) != len(given):
        return f"it has {len(pods)} pods instead of {len(given)}"
    pod_no, pod, other = next(
        (pod_no, pod, other)
        for pod_no, (pod, other) in enumerate(zip(pods, given, strict=True), 1)
        if pod != other
    )
    return f"pod {pod_no} is {' '.join(pod)} instead of {' '.join(other)}"


def _wrong(checked: LogCheck, job: Job) -> str | None:
    """What is wrong with a match's row or log, or with its place in the tournament; None for nothing."""
    if checked.opened is None:
        return checked.wrong
    return opened_otherwise(registry.game(checked.opened.game), checked.opened, opening(job))


def opened_otherwise(game: Game, opened: MatchOpened, due: MatchOpened) -> str | None:
    """How a log's first line differs from the one that the journal implies; None if it does not. The versions
    of the arena and of the game's code, and the house bots' programs, which belong to them, may differ."""
    for field in MatchOpened.__struct_fields__:
        logged, drawn = getattr(opened, field), getattr(due, field)
        match field:
            case "arena" | "game_package":
                continue
            case "options":
                # The version that played may have had fewer options; the others get their defaults.
                logged, drawn = (msgspec.convert(options, game.options) for options in (logged, drawn))
            case "entrants":
                logged, drawn = ([*map(_without_house_digest, seats)] for seats in (logged, drawn))
        if logged != drawn:
            return (
                DIFFERENT.get(field) or f"{field}: the log says {_text(logged)}, the journal {_text(drawn)}"
            )
    return None


def _without_house_digest(entrant: LoggedEntrant) -> LoggedEntrant:
    ours = entrant.name.startswith(HOUSE_PREFIX)
    return msgspec.structs.replace(entrant, digest="") if ours else entrant


def _text(value: object) -> str:
    return msgspec.json.encode(value).decode()
