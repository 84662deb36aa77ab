"""`arena export`: a tournament as rows of CSV or JSON lines."""

import sys
from pathlib import Path

import click

from arena.calls.export import csv_lines, json_lines
from arena.cli.options import folder_argument
from arena.log.entries import LogError
from arena.running.export import ROWS
from arena.running.journal import Journal
from arena.system.errors import UserError


@click.command("export")
@folder_argument
@click.option("--rows", type=click.Choice(list(ROWS)), default="deals", show_default=True, help="One row a …")
@click.option(
    "--csv/--json", "as_csv", default=True, show_default=True, help="CSV, or an object of JSON a line."
)
def command(folder: Path, rows: str, as_csv: bool) -> None:
    """Write the tournament in DIR to standard output as rows: one for each seat of a match, for each seat of
    a deal, or for each decision.

    In CSV a text that begins like a formula gets a ' before it, since a bot's note must not be computed by a
    spreadsheet. --json leaves every text as it is.

    Example: arena export spring --rows decisions --json > decisions.jsonl
    """
    with Journal(folder) as journal:
        try:
            found = ROWS[rows](journal)
            if as_csv:
                sys.stdout.writelines(csv_lines(found))
            else:
                for line in json_lines(found):
                    # Written as bytes: JSON is UTF-8 whatever the locale is.
                    click.echo(line.encode(), nl=False)
        except LogError as error:
            raise UserError(f"{folder}: {error}; arena verify {folder} says more") from None
