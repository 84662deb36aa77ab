"""The organiser's entries: they withdraw an entrant, admit one, replace its program, or annul a match. Each
is added to the journal; no earlier entry is changed. A director that runs the tournament adds it itself, and
is asked to; without one the journal's lock is taken.
"""

import time
from pathlib import Path
from typing import Annotated, Final, TypeAlias, TypeVar

import msgspec

from arena.commands.trust import RunFolder, Trust, TrustedLevel, refuse_functions, require_trusted
from arena.director.entries import Admitted, ByOrganiser, MatchAnnulled, Replaced, Withdrawn
from arena.director.journal import Journal
from arena.director.orders import enter, ordered
from arena.director.organiser import OrderDone
from arena.director.state import Record
from arena.entrants.entrant import Entrant
from arena.journal.writers import LockedError
from arena.playing.arguments import Argument, Command
from arena.playing.spellings import PathText
from arena.playing.terms import Say, Titles, playable, with_titles
from arena.report import REPORT
from arena.report.hands import remove_open_replays, remove_report
from arena.system.errors import UserError
from arena.system.text import shell_word

PATIENCE_SECONDS: Final = 10.0
"""A director holds the lock for some seconds before it can be asked, and after that."""
RETRY_SECONDS: Final = 0.1
REASON: Final = "The reason, which the standings show."
Reason: TypeAlias = Annotated[str, Argument(REASON)]

Entry = TypeVar("Entry", bound=ByOrganiser)


class Withdraw(msgspec.Struct, frozen=True):
    """An entrant is withdrawn from the next round on. Its matches so far count."""

    folder: RunFolder
    name: Annotated[str, Argument("The entrant.", positional=True)]
    reason: Reason

    def carry_out(self, say: Say) -> Withdrawn:
        """Adds the entry, and says what follows from it. Raises UserError."""
        return _given(Withdrawn(self.name, self.reason), _Run(Path(self.folder)), say)


class AdmitOptions(Command, frozen=True, kw_only=True):
    """What is said of a late bot, besides what it is."""

    titles: Titles = msgspec.field(default_factory=dict)
    may_win: Annotated[
        bool, Argument("Allow it to rank first although it plays in fewer than half of the rounds.")
    ] = False
    trust: Trust = False
    sandbox: TrustedLevel = None


class Admit(AdmitOptions, frozen=True):
    """A late bot plays from the next round on. Without `may_win` it is never first if it plays in fewer than
    half of the rounds."""

    folder: RunFolder
    bot: Annotated[PathText, Argument("A bot, named as on the command line.", positional=True)]

    def carry_out(self, say: Say) -> Admitted:
        """Adds the entry, and says what follows from it. Raises UserError."""
        run = _Run(Path(self.folder))
        entrant = run.built(str(self.bot), say, trust=self.trust, level=self.sandbox)
        (entrant,) = with_titles([entrant], self.titles, say, run.record.entrants.values())
        return _given(Admitted(entrant, self.may_win), run, say)


class ReplaceOptions(Command, frozen=True, kw_only=True):
    """What is said of a new version, besides what it is."""

    titles: Titles = msgspec.field(default_factory=dict)
    trust: Trust = False
    sandbox: TrustedLevel = None


class Replace(ReplaceOptions, frozen=True):
    """An entrant gets a new version from the next round on: the bot has the entrant's name, and its title
    unless it has one itself."""

    folder: RunFolder
    bot: Annotated[PathText, Argument("A bot, named as on the command line.", positional=True)]
    reason: Annotated[str, Argument(REASON, after="titles")]

    def carry_out(self, say: Say) -> Replaced:
        """Adds the entry, and says what follows from it. Raises UserError."""
        run = _Run(Path(self.folder))
        entrant = run.built(str(self.bot), say, trust=self.trust, level=self.sandbox)
        before = run.record.entrants.get(entrant.name)
        own = msgspec.structs.replace(entrant, title=entrant.title or (before.title if before else ""))
        others = [other for other in run.record.entrants.values() if other is not before]
        (entrant,) = with_titles([own], self.titles, say, others)
        return _given(Replaced(entrant, self.reason), run, say)


class Annul(msgspec.Struct, frozen=True):
    """A match counts no longer, and is to be played again under its id."""

    folder: RunFolder
    match: Annotated[str, Argument("The match's id.", positional=True)]
    reason: Reason

    def carry_out(self, say: Say) -> MatchAnnulled:
        """Adds the entry, sets the match's log aside, removes the pages that may show hands of its pod, and
        says what follows. Raises UserError, also for a page that stays."""
        run = _Run(Path(self.folder))
        page = run.folder / REPORT
        there = page.is_file()
        entry = _given(MatchAnnulled(self.match, self.reason), run, say)
        with Journal(run.folder) as journal:
            stays = remove_open_replays(journal)
            # A director removes it too, and writes it anew.
            if not journal.is_played:
                stays |= remove_report(journal)
                if there and not page.exists():
                    say(
                        f"{page} was removed, since it may show hands that will be played again; to write "
                        f"it again: arena report {shell_word(run.folder)}"
                    )
        if stays:
            places = "; ".join(f"{place}: {why}" for place, why in stays.items())
            raise UserError(
                f"{self.match} is annulled; these pages may show hands that will be played again, but could "
                f"not be removed, so remove them: {places}"
            )
        return entry


class _Run:
    """A run as it was when it was read, for which an entry is made. Whoever adds the entry decides on it by
    the journal as it is then."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with Journal(folder) as journal:
            self.digest = journal.digest
            self.journal = journal
        self.record = Record(journal.entries)
        self.trusted = False

    def built(self, bot: str, say: Say, *, trust: bool, level: str | None) -> Entrant:
        """The bot that a word names; it is built by this process, at the run's sandbox level. Raises
        UserError unless the run is trusted."""
        sandbox, entrants = self.record.created.sandbox, self.record.entrants.values()
        require_trusted(self.journal, sandbox, entrants, say, trust=trust, level=level)
        self.trusted = True
        (entrant,) = playable([bot], self.record.created.game, sandbox, one_each=True)
        return entrant

    def add(self, entry: ByOrganiser) -> tuple[ByOrganiser, OrderDone, bool]:
        """Adds an entry with the lock held; and whether anything is left to be played then. Raises
        LockedError where another process has that, and else UserError."""
        with Journal(self.folder, write=True) as journal:
            if self.trusted and self.digest not in journal.digests:
                raise UserError(
                    f"{self.folder}: its journal was replaced by another one in the meantime; try again"
                )
            record = Record(journal.entries)
            if not isinstance(entry, Withdrawn):
                # Without the program that they are functions of, no match can be played.
                named = (name for name, entrant in record.entrants.items() if entrant.is_function)
                refuse_functions(self.folder, named)
            if self.trusted:
                journal.trust()

            def add(entry: ByOrganiser) -> None:
                if not isinstance(entry, MatchAnnulled):
                    journal.add(entry)
                    return
                # Pages before the entry, so that none of them stays if this is killed after it.
                remove_open_replays(journal, entry)
                remove_report(journal)
                try:
                    journal.add(entry)
                except UserError as error:
                    again = f"to write the removed pages again: arena report {shell_word(self.folder)}"
                    raise UserError(f"{error}; {again}") from None
                journal.set_log_aside(entry.match_id)

            added, done = enter(entry, record, self.folder, add)
            return added, done, not Record(journal.entries).over


def _given(entry: Entry, run: _Run, say: Say) -> Entry:
    """Has the director add an entry, or adds it with the lock held. Says what it did."""
    # First by what was read, so that an error names the folder as the user does, and not the director.
    enter(entry, run.record, run.folder, lambda _: None)
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        if (done := ordered(entry, run.folder)) is not None:
            say(f"{done.text}{_way_on(done, run.folder, runs=True)}")
            return entry
        try:
            added, done, is_open = run.add(entry)
        except LockedError:
            if time.monotonic() > deadline:
                raise
            time.sleep(RETRY_SECONDS)
        else:
            assert isinstance(added, type(entry))
            say(f"{done.text}{_way_on(done, run.folder, runs=False, is_open=is_open)}")
            return added


def _way_on(done: OrderDone, folder: Path, *, runs: bool, is_open: bool = True) -> str:
    """The end of a sentence: what is left for the organiser to do."""
    if done.waits:
        after = " after this one has ended" if runs else ""
        return f": arena resume {shell_word(folder)} --rounds +1{after}"
    return "" if runs or not is_open else f"; to continue: arena resume {shell_word(folder)}"
