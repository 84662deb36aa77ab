"""The organiser's entries: they withdraw an entrant, admit one, replace its program, or annul a match. Each
is added to the journal; no earlier entry is changed.
"""

from pathlib import Path

import msgspec

from arena.calls.terms import Say, playable, require_apart, with_titles
from arena.calls.trust import refuse_functions, require_trusted
from arena.calls.wording import counted
from arena.entrants.entrant import Entrant
from arena.entrants.find import require_unique
from arena.process.sandbox import Level
from arena.running.journal import Admitted, Annulled, Journal, Replaced, Withdrawn
from arena.running.state import Record
from arena.system.errors import UserError, did_you_mean


class Withdraw(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """An entrant is withdrawn from the next round on. Its matches so far count."""

    folder: str
    name: str
    reason: str

    def carry_out(self, say: Say) -> Withdrawn:
        """Adds the entry, and says what follows from it. Raises UserError."""
        folder = Path(self.folder)
        with Journal(folder, write=True) as journal:
            record = Record(journal.entries)
            _require_entrant(record, self.name)
            if self.name in record.withdrawn:
                raise UserError(f"{self.name} is withdrawn already")
            entry = Withdrawn(self.name, self.reason)
            journal.add(entry)
        if _all_drawn(record):
            say(f"{self.name} is listed last now, without a rank; all rounds were drawn already")
        else:
            _say_how_to_go_on(folder, f"{self.name} plays no further round", say)
        return entry


class Admit(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """A late bot plays from the next round on. Without `may_win` it is never first if it plays in fewer than
    half of the rounds. `titles` are by name. `trust`, `level`: as for arena.calls.resume.Resume."""

    folder: str
    bot: str
    titles: dict[str, str] = {}
    may_win: bool = False
    trust: bool = False
    level: Level | None = None

    def carry_out(self, say: Say) -> Admitted:
        """Adds the entry, and says what follows from it. Raises UserError."""
        folder = Path(self.folder)
        with Journal(folder, write=True) as journal:
            record = Record(journal.entries)
            _require_round(record, folder)
            _refuse_functions(record, folder)
            _require_trusted(journal, record, say, trust=self.trust, level=self.level)
            entrant = _one(self.bot, record, folder)
            require_unique([*record.entrants.values(), entrant])
            (entrant,) = with_titles([entrant], self.titles, say, record.entrants.values())
            entry = Admitted(entrant, self.may_win)
            journal.add(entry)
        _say_how_to_go_on(folder, f"{entrant.name} plays from the next round on", say)
        return entry


class Replace(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """An entrant gets a new version from the next round on: `bot`, which has the entrant's name, and its
    title unless it has one itself. `titles` are by name. `trust`, `level`: as for
    arena.calls.resume.Resume."""

    folder: str
    bot: str
    reason: str
    titles: dict[str, str] = {}
    trust: bool = False
    level: Level | None = None

    def carry_out(self, say: Say) -> Replaced:
        """Adds the entry, and says what follows from it. Raises UserError."""
        folder = Path(self.folder)
        with Journal(folder, write=True) as journal:
            record = Record(journal.entries)
            _require_round(record, folder)
            _refuse_functions(record, folder)
            _require_trusted(journal, record, say, trust=self.trust, level=self.level)
            entrant = _one(self.bot, record, folder)
            _require_entrant(record, entrant.name)
            if entrant.name in record.withdrawn:
                way_out = f"let it in under another name: arena admit {folder} NAME={entrant.source}"
                raise UserError(f"{entrant.name} is withdrawn and has no successor; {way_out}")
            before = record.entrants[entrant.name]
            others = [other for other in record.entrants.values() if other is not before]
            own = msgspec.structs.replace(entrant, title=entrant.title or before.title)
            (entrant,) = with_titles([own], self.titles, say, others)
            entry = Replaced(entrant, self.reason)
            journal.add(entry)
        _say_how_to_go_on(folder, f"{entrant.name} plays in its new version from the next round on", say)
        return entry


class Annul(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """A match counts no longer, and is to be played again under its id."""

    folder: str
    match_id: str
    reason: str

    def carry_out(self, say: Say) -> Annulled:
        """Adds the entry, sets the match's log aside, and says what follows. Raises UserError."""
        folder, match_id = Path(self.folder), self.match_id
        with Journal(folder, write=True) as journal:
            record = Record(journal.entries)
            _refuse_functions(record, folder)
            played = record.played
            if match_id not in played:
                raise UserError(
                    f"{folder}: no match {match_id!r} was played{did_you_mean(match_id, sorted(played)[:8])}"
                )
            entry = Annulled(match_id, self.reason)
            journal.add(entry)
            journal.set_log_aside(match_id)
        _say_how_to_go_on(folder, f"{match_id} will be played again", say)
        return entry


def _require_trusted(journal: Journal, record: Record, say: Say, *, trust: bool, level: Level | None) -> None:
    """Raises UserError unless the run is trusted, since a build is run at the journal's sandbox level. Marks
    the run as trusted from now on."""
    sandbox, entrants = record.created.sandbox, record.entrants.values()
    require_trusted(journal, sandbox, entrants, say, trust=trust, level=level)
    journal.trust()


def _refuse_functions(record: Record, folder: Path) -> None:
    """Raises UserError where a match would have to be played that nobody can play."""
    refuse_functions(folder, (name for name, entrant in record.entrants.items() if entrant.is_function))


def _require_entrant(record: Record, name: str) -> None:
    if name not in record.entrants:
        raise UserError(f"no entrant is called {name!r}{did_you_mean(name, record.names)}")


def _all_drawn(record: Record) -> bool:
    """Whether no round is left to be drawn."""
    return record.over or len(record.drawn) >= record.created.rounds


def _require_round(record: Record, folder: Path) -> None:
    if _all_drawn(record):
        raise UserError(f"{folder}: {counted(len(record.drawn), 'round')} drawn, and none is left to play in")


def _one(bot: str, record: Record, folder: Path) -> Entrant:
    """The bot that a word names. Raises UserError if it could see files of the others, or they its own."""
    sandbox = record.created.sandbox
    (entrant,) = playable([bot], record.created.game, sandbox)
    others = [other for other in record.entrants.values() if other.name != entrant.name]
    require_apart(entrant, others, sandbox, folder)
    return entrant


def _say_how_to_go_on(folder: Path, what: str, say: Say) -> None:
    say(f"{what}; arena resume {folder} goes on")
