"""Where things are printed: data to standard output, talk to standard error; tables that treat every text as
plain text, whatever stands in it.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import click
import msgspec
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

PIPE_WIDTH = 160
"""Columns of a table that does not go to a terminal."""


def stdout() -> Console:
    console = Console(highlight=False, markup=False, emoji=False)
    return (
        console
        if console.is_terminal
        else Console(highlight=False, markup=False, emoji=False, width=PIPE_WIDTH)
    )


def stderr() -> Console:
    return Console(stderr=True, highlight=False, markup=False, emoji=False)


def say(text: str) -> None:
    """One line of talk."""
    click.echo(text, err=True)


def print_json(value: Any) -> None:
    click.echo(msgspec.json.format(msgspec.json.encode(value), indent=2).decode())


def print_table(
    title: str, columns: Sequence[tuple[str, str]], rows: Iterable[Sequence[str]], console: Console
) -> None:
    """Columns are (heading, "left" | "right")."""
    table = Table(
        title=Text(title), box=SIMPLE_HEAD, title_justify="left", title_style="bold", pad_edge=False
    )
    for heading, side in columns:
        table.add_column(Text(heading), justify="right" if side == "right" else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    console.print(table)
