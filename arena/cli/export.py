"""`arena export`: a tournament as rows of CSV or JSON lines."""

import csv
import itertools
import sys
from pathlib import Path
from typing import Final

import click
import msgspec

from arena.cli.options import folder_argument
from arena.log.entries import LogError
from arena.running.export import ROWS
from arena.running.journal import Journal
from arena.system.errors import UserError
from arena.system.text import first_seen

BEGINNINGS: Final = frozenset("=+-@＝＋－＠﹦﹢﹣﹫−")
"""Characters with which a formula may begin (https://owasp.org/www-community/attacks/CSV_Injection); a
spreadsheet may leave out invisible characters before them."""
QUOTED_BEGINNINGS: Final = ("'", "\t", "\r", "\n")
"""Other characters that get a ' before them."""


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
            if not as_csv:
                for row in found:
                    click.echo(msgspec.json.encode(row))
            elif first := next(found, None):
                writer = csv.writer(sys.stdout, lineterminator="\n")
                writer.writerow(first)
                writer.writerows(map(_cell, row.values()) for row in itertools.chain([first], found))
        except LogError as error:
            raise UserError(f"{folder}: {error}; arena verify {folder} says more") from None


def _cell(value: object) -> object:
    """The value for a cell of CSV. Lists and objects become JSON. A text that a spreadsheet would take for a
    formula gets a `'` before it, and so does one that begins with a `'`, so that removing one `'` restores
    either."""
    if isinstance(value, str) and (value[:1] in QUOTED_BEGINNINGS or first_seen(value) in BEGINNINGS):
        return f"'{value}"
    return msgspec.json.encode(value).decode() if isinstance(value, list | dict | bool) else value
