"""`arena export`: a tournament as rows of CSV or JSON lines."""

import sys
from collections.abc import Iterable
from pathlib import Path

import click

from arena.cli.options import folders_argument
from arena.cli.output import say
from arena.director.export import ROWS, ExportRow
from arena.director.journal import Journal
from arena.director.row_lines import csv_lines, json_lines
from arena.log.entries import LogError
from arena.system.errors import UserError
from arena.system.text import shell_word


@click.command("export")
@folders_argument
@click.option(
    "--rows",
    type=click.Choice(list(ROWS)),
    default="deals",
    show_default=True,
    help="What each row describes.",
)
@click.option(
    "--csv/--json", "as_csv", default=True, show_default=True, help="Write CSV, or one JSON object per line."
)
def command(folders: tuple[Path, ...], rows: str, as_csv: bool) -> None:
    """Write the tournament in DIR to standard output as rows: one for each seat of a match, each seat of a
    deal, or each decision. Several tournaments of one game get two more columns: `event` names the
    tournament, and `program` is the digest of the bot's program.

    In CSV, a string that begins like a formula gets a ' in front, so that a spreadsheet does not evaluate a
    bot's note. --json leaves every string as it is.

    \b
    arena export spring --rows decisions --json > decisions.jsonl
    arena export spring summer autumn --rows matches > season.csv
    """
    if len(folders) > 1:
        from arena.director.season_data import exported, read_season

        _write(exported(read_season(folders, say), folders, rows), as_csv=as_csv)
        return
    (folder,) = folders
    with Journal(folder) as journal:
        try:
            _write(ROWS[rows](journal), as_csv=as_csv)
        except LogError as error:
            raise UserError(f"{folder}: {error}; arena verify {shell_word(folder)} shows more") from None


def _write(rows: Iterable[ExportRow], *, as_csv: bool) -> None:
    if as_csv:
        sys.stdout.writelines(csv_lines(rows))
    else:
        for line in json_lines(rows):
            # Written as bytes: JSON is UTF-8 whatever the locale is.
            click.echo(line.encode(), nl=False)
