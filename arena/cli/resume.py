"""`arena resume`: continues a tournament after an interruption, or after an entry of the organiser."""

from pathlib import Path

import click

from arena.calls.tournament import run
from arena.calls.workers import playing
from arena.cli.live import shown
from arena.cli.options import dask_option, folder_argument, jobs_option, json_option
from arena.cli.output import say, say_of_code
from arena.cli.tournament import quiet_option, report_option, show_ended
from arena.cli.trust import level_option, require_trusted, trust_option
from arena.entrants.digest import digest
from arena.entrants.entrant import Entrant
from arena.entrants.find import find, house_bot
from arena.process.sandbox import choose
from arena.running.journal import Journal
from arena.running.state import Record
from arena.system.errors import UserError


@click.command("resume")
@folder_argument
@jobs_option
@quiet_option
@report_option
@trust_option
@level_option
@json_option
@dask_option
def command(
    folder: Path,
    jobs: int | None,
    quiet: bool,
    report: bool,
    trust: bool,
    level: str | None,
    as_json: bool,
    dask: str | None,
) -> int:
    """Continue the tournament in DIR after any interruption. Matches that had not ended are played again. It
    is refused if a bot is no longer the program that entered.

    A run that was not made here by you names programs that somebody else chose: they are shown, and started
    only with --trust.

    Example: arena resume spring
    """
    with Journal(folder, write=True) as journal:
        record = Record(journal.entries)
        sandbox = record.created.sandbox
        require_trusted(journal, sandbox, _startable(record), trust=trust, level=level)
        journal.trust()
        # Raises UserError if this machine does not have the run's sandbox level.
        _, meaning = choose(sandbox.level, sandbox.memory_mb)
        say_of_code(record.created)
        _require_unchanged(record, folder)
        if not quiet:
            say(f"sandbox: {sandbox.level}, {sandbox.memory_mb} MB a bot; {meaning}")
            say(f"{len(record.played)} matches are played")
        with playing(dask, jobs, say, quiet=quiet) as how:
            ran = run(journal, how, say, shown(quiet=quiet), report=report)
    return show_ended(ran, report=report, as_json=as_json)


def _startable(record: Record) -> set[Entrant]:
    """The programs that the journal names, without our own house bots."""
    named = {*record.entrants.values(), *(entrant for job in record.due() for entrant in job.entrants)}
    return {entrant for entrant in named if entrant != house_bot(entrant.name)}


def _require_unchanged(record: Record, folder: Path) -> None:
    """Raises UserError if a bot of a due match or of a further round is no longer the program that entered.
    Matches of a round that was drawn before `arena replace` belong to the old version."""
    due = {entrant: job.match_id for job in reversed(record.due()) for entrant in job.entrants}
    further = {entrant for name, entrant in record.entrants.items() if name not in record.withdrawn}
    changed, way_out = [], f"put the old version back, or: arena replace {folder} BOT --reason …"
    for entrant in sorted({*due, *further}, key=lambda entrant: (entrant.name, entrant not in due)):
        newest = record.entrants.get(entrant.name)
        if newest is None or not entrant.source or not (reason := _changed(entrant, record)):
            continue  # This includes house bots, which have no source.
        if entrant != newest:
            reason += f", and {due[entrant]} is still to be played by the version before `arena replace`"
            reason += f" (digest {entrant.digest[:16]}…)"
            elsewhere = f"arena replace {folder} {entrant.name}=NEW --reason …"
            way_out = f"put that one back until its round is over, with the new one elsewhere: {elsewhere}"
        changed.append(reason)
    if changed:
        raise UserError(f"{'; '.join(changed)}; {way_out}")


def _changed(entrant: Entrant, record: Record) -> str | None:
    """Why an entrant is not what it was; None if it is."""
    try:
        found = find([entrant.source], record.created.game, record.created.sandbox)
    except UserError as error:
        return f"{entrant.name}: {error}"
    for left_out in found.left_out:
        return f"{entrant.name}: {left_out.reason}"
    same = [one for one in found.entrants if one.digest == entrant.digest]
    if not same:
        return f"{entrant.name}: {entrant.source} {_how_changed(entrant)}"
    if same[0].launch.prefixes != entrant.launch.prefixes:
        return f"{entrant.name}: its interpreter is another than when it entered, or an older arena ran this"
    return None


def _how_changed(entrant: Entrant) -> str:
    """Older arenas left links and empty folders out of the digest, so theirs may differ without a change."""
    path = Path(entrant.source.removeprefix(f"{entrant.name}="))
    try:
        older = path.is_dir() and digest([path], files_only=True) == entrant.digest
    except (OSError, ValueError):
        older = False
    if older:
        return "entered in an older arena, which did not look at its links and empty folders"
    return "has changed since it entered"
