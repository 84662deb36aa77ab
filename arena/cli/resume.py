"""`arena resume`: go on with a tournament that was interrupted, or to which the organiser put a hand."""

from pathlib import Path

import click

from arena.cli.cluster import dask_option, jobs_option, players
from arena.cli.options import folder_argument, json_option
from arena.cli.output import say
from arena.cli.tournament import play, quiet_option, report_option
from arena.entrants import find
from arena.errors import UserError
from arena.job import Entrant
from arena.journal import Journal
from arena.record import Record
from arena.sandbox import choose


@click.command("resume")
@folder_argument
@jobs_option
@quiet_option
@report_option
@json_option
@dask_option
def command(
    folder: Path, jobs: int | None, quiet: bool, report: bool, as_json: bool, dask: str | None
) -> int:
    """Go on with the tournament in DIR after any interruption: the matches that had not ended are played
    again. Refused where a bot is no longer the program that entered.

    Example: arena resume spring
    """
    with Journal(folder, write=True) as journal:
        record = Record(journal.entries)
        # What was played in one sandbox does not go on in a lesser one.
        choose(record.created.sandbox.level)
        if changed := [reason for entrant in _still_needed(record) if (reason := _changed(entrant, record))]:
            way_out = f"put the old version back, or: arena replace {folder} BOT --reason …"
            raise UserError(f"{'; '.join(changed)}; {way_out}")
        if not quiet:
            say(f"{len(record.played)} matches are played")
        with players(dask, jobs, quiet=quiet) as they:
            return play(journal, they, quiet=quiet, as_json=as_json, report=report)


def _still_needed(record: Record) -> list[Entrant]:
    """Who plays a match that is due, or may play a further round."""
    due = {entrant.name: entrant for job in record.due() for entrant in job.entrants}
    further = {name: entrant for name, entrant in record.entrants.items() if name not in record.withdrawn}
    return [
        entrant
        for entrant in {**due, **further}.values()
        if entrant.source and entrant.name in record.entrants
    ]


def _changed(entrant: Entrant, record: Record) -> str | None:
    """Why an entrant is not what it was; None if it is."""
    try:
        found = find([entrant.source], record.created.game, record.created.sandbox)
    except UserError as error:
        return f"{entrant.name}: {error}"
    for left_out in found.left_out:
        return f"{entrant.name}: {left_out.reason}"
    same = [one for one in found.entrants if one.digest == entrant.digest]
    return None if same else f"{entrant.name}: {entrant.source} has changed since it entered"
