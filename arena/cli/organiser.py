"""The organiser's entries: they withdraw an entrant, admit one, replace its program, or annul a match. Each
is added to the journal; no earlier entry is changed.
"""

from pathlib import Path

import click
import msgspec

from arena.calls.terms import playable, require_apart, with_titles
from arena.calls.wording import counted
from arena.cli.options import folder_argument, titles_option
from arena.cli.output import say
from arena.cli.terms import titles_from
from arena.cli.trust import level_option, require_trusted, trust_option
from arena.entrants.entrant import Entrant
from arena.entrants.find import require_unique
from arena.running.journal import Admitted, Annulled, Journal, Replaced, Withdrawn
from arena.running.state import Record
from arena.system.errors import UserError, did_you_mean

_reason = click.option("--reason", required=True, help="Why; shown in the standings.")


@click.command("withdraw")
@folder_argument
@click.argument("name")
@_reason
def withdraw(folder: Path, name: str, reason: str) -> None:
    """Take NAME out of the tournament in DIR from the next round on. Its matches so far count.

    Example: arena withdraw spring ada --reason "her own wish"
    """
    with Journal(folder, write=True) as journal:
        record = Record(journal.entries)
        _require_entrant(record, name)
        if name in record.withdrawn:
            raise UserError(f"{name} is withdrawn already")
        journal.add(Withdrawn(name, reason))
    if _all_drawn(record):
        say(f"{name} is listed last now, without a rank; all rounds were drawn already")
    else:
        _go_on(folder, f"{name} plays no further round")


@click.command("admit")
@folder_argument
@click.argument("bot")
@titles_option
@click.option(
    "--may-win", is_flag=True, help="Let it be first even if it plays in fewer than half of the rounds."
)
@trust_option
@level_option
def admit(
    folder: Path, bot: str, titles: tuple[str, ...], may_win: bool, trust: bool, level: str | None
) -> None:
    """Let a late BOT into the tournament in DIR from the next round on. An entrant that plays in fewer than
    half of the rounds is never first without --may-win.

    Example: arena admit spring late.py
    """
    with Journal(folder, write=True) as journal:
        record = Record(journal.entries)
        _require_round(record, folder)
        _require_trusted(journal, record, trust, level)
        entrant = _one(bot, record, folder)
        require_unique([*record.entrants.values(), entrant])
        (entrant,) = with_titles([entrant], titles_from(titles), say, record.entrants.values())
        journal.add(Admitted(entrant, may_win))
    _go_on(folder, f"{entrant.name} plays from the next round on")


@click.command("replace")
@folder_argument
@click.argument("bot")
@titles_option
@_reason
@trust_option
@level_option
def replace(
    folder: Path, bot: str, titles: tuple[str, ...], reason: str, trust: bool, level: str | None
) -> None:
    """Give an entrant of the tournament in DIR a new version from the next round on. BOT must have the name
    of the entrant. It keeps the entrant's title unless it has one itself. The pairing continues from the
    entrant's score; in the table each version has its own row.

    Example: arena replace spring ada=./ada-2 --reason "a crash mended"
    """
    with Journal(folder, write=True) as journal:
        record = Record(journal.entries)
        _require_round(record, folder)
        _require_trusted(journal, record, trust, level)
        entrant = _one(bot, record, folder)
        _require_entrant(record, entrant.name)
        if entrant.name in record.withdrawn:
            way_out = f"let it in under another name: arena admit {folder} NAME={entrant.source}"
            raise UserError(f"{entrant.name} is withdrawn and has no successor; {way_out}")
        before = record.entrants[entrant.name]
        others = [other for other in record.entrants.values() if other is not before]
        own = msgspec.structs.replace(entrant, title=entrant.title or before.title)
        (entrant,) = with_titles([own], titles_from(titles), say, others)
        journal.add(Replaced(entrant, reason))
    _go_on(folder, f"{entrant.name} plays in its new version from the next round on")


@click.command("annul")
@folder_argument
@click.argument("match_id", metavar="MATCH")
@_reason
def annul(folder: Path, match_id: str, reason: str) -> None:
    """Annul MATCH of the tournament in DIR: it no longer counts, and will be played again under its id.

    Example: arena annul spring r02-p001-s03 --reason "the machine was asleep"
    """
    with Journal(folder, write=True) as journal:
        played = Record(journal.entries).played
        if match_id not in played:
            raise UserError(
                f"{folder}: no match {match_id!r} was played{did_you_mean(match_id, sorted(played)[:8])}"
            )
        journal.add(Annulled(match_id, reason))
        journal.set_log_aside(match_id)
    _go_on(folder, f"{match_id} will be played again")


def _require_trusted(journal: Journal, record: Record, trust: bool, level: str | None) -> None:
    """Raises UserError unless the run is trusted, since a build is run at the journal's sandbox level. Marks
    the run as trusted from now on."""
    sandbox, entrants = record.created.sandbox, record.entrants.values()
    require_trusted(journal, sandbox, entrants, trust=trust, level=level)
    journal.trust()


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


def _go_on(folder: Path, what: str) -> None:
    say(f"{what}; arena resume {folder} goes on")
