"""Prints data to standard output and remarks to standard error. Tables treat every text as plain text, and
fit the width of their terminal.
"""

import re
import shutil
import sys
import time
from collections.abc import Iterable, Sequence
from textwrap import TextWrapper
from typing import Any, Final, NamedTuple

import click
import msgspec
from rich.box import SIMPLE_HEAD
from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.table import Table
from rich.text import Text

from arena.system.text import escaped
from arena.system.wording import duration

PIPE_WIDTH: Final = 160
"""Width of a table, in characters, if there is no terminal."""
LINES_EVERY_SECONDS: Final = 15.0
"""Interval between progress lines if there is no terminal."""
GAP: Final = 3
"""Characters between two columns of a table."""
FOLDED: Final = 40
"""Minimum width of a column that folds, if its texts are longer."""
CUT: Final = 12
"""Minimum width of a column whose texts may be cut, if they are longer."""
ENDING: Final = 5
"""Characters at the end of a name that are kept when it is cut."""
WORDS_END: Final = re.compile(r'(\s+|(?<=,)(?=["{\[]))')
"""Places where a line may be broken: spaces, and between the parts of JSON."""


class Column(NamedTuple):
    """A column of a table. If the table is too wide, columns are left out in order of their `spare`, the
    largest first; a column with 0 is never left out. In a column that `folds`, a long text continues on the
    next line instead of being cut. A text that may be `cut` (another column identifies the row) is cut before
    any column is left out. A name that `ends` is cut in the middle, since its end identifies it."""

    heading: str
    right: bool = False
    spare: int = 0
    folds: bool = False
    ends: bool = False
    cut: bool = False


def stdout() -> Console:
    """Standard output, as wide as its terminal, or PIPE_WIDTH without one. Texts are printed as they are."""
    console = Console(highlight=False, markup=False, emoji=False)
    if not console.is_terminal or console.width < 1:  # Some terminals report 0.
        console.width = PIPE_WIDTH
    return console


def stderr() -> Console:
    """Standard error, on which texts are printed as they are."""
    return Console(stderr=True, highlight=False, markup=False, emoji=False)


def say(text: str) -> None:
    """Print a line on standard error. It is made harmless, since it may quote any text."""
    click.echo(escaped(text), err=True)


def say_hanging(text: str) -> None:
    """As `say`; in a terminal that is too narrow it is wrapped as by `print_hanging`."""
    print_hanging(escaped(text), stderr(), 2)


def show_status(text: str) -> None:
    """Show a line on standard error that the next one replaces, cut to the width; only in a terminal."""
    if sys.stderr.isatty():
        width = shutil.get_terminal_size().columns - 1
        line = text if cell_len(text) <= width else set_cell_size(text, width)
        click.echo(f"\r\x1b[K{line}\r", err=True, nl=False)


class Status:
    """Reports progress: continuously in a terminal, elsewhere in a line from time to time."""

    def __init__(self) -> None:
        self._begun = self._said_at = time.monotonic()

    def show(self, text: str) -> None:
        """Reports progress; in a terminal by `show_status`."""
        show_status(text)
        now = time.monotonic()
        if not sys.stderr.isatty() and now - self._said_at > LINES_EVERY_SECONDS:
            self._said_at = now
            say(text)

    def show_count(self, what: str, done: int, total: int) -> None:
        """Reports how many are done, and the time left."""
        left = (time.monotonic() - self._begun) / done * (total - done)
        self.show(f"{what} {done} of {total}, {duration(left)} left")


def clear_status() -> None:
    """Remove the line that `show_status` has shown."""
    if sys.stderr.isatty():
        click.echo("\r\x1b[K", err=True, nl=False)


def print_document(text: str) -> None:
    """Print a long text, in a terminal page by page."""
    if sys.stdout.isatty():
        click.echo_via_pager(text)
    else:
        click.echo(text, nl=False)


def print_json(value: Any) -> None:
    """Print a value that msgspec can encode as indented JSON on standard output."""
    click.echo(escaped(msgspec.json.format(msgspec.json.encode(value), indent=2).decode()))


def print_table(
    title: str,
    columns: Sequence[Column],
    rows: Iterable[Sequence[str]],
    console: Console,
    beside: Sequence[Sequence[str]] = (),
) -> frozenset[str]:
    """Print a table, and below it the names of the columns for which there was no room. Returns the names of
    the other columns. `beside`: rows of other tables that should have the same columns."""
    rows = list(rows)
    made = table(title, columns, rows, console.width, beside)
    if console.is_terminal:
        console.print(made)
    else:
        with console.capture() as captured:
            console.print(made)
        for line in captured.get().splitlines():
            console.print(line.rstrip(), soft_wrap=True)
    kept = _that_fit(columns, _widths(columns, [*rows, *beside]), console.width)
    if missing := [column.heading for at, column in enumerate(columns) if at not in kept]:
        place = "a wider terminal or --json" if console.is_terminal else "--json"
        them = "it" if len(missing) == 1 else "them"
        print_hanging(
            f"not shown at this width: {', '.join(ranges(missing))}; {place} shows {them}", console, 2
        )
        console.print()
    return frozenset(columns[at].heading for at in kept)


def ranges(headings: Sequence[str]) -> list[str]:
    """The headings, with consecutive ones such as `deal 3`, `deal 4` and `deal 5` combined to `deals 3–5`."""
    found: list[list[str]] = []
    for heading in headings:
        word, _, number = heading.rpartition(" ")
        if found and number.isdecimal() and found[-1][-1] == f"{word} {int(number) - 1}":
            found[-1].append(heading)
        else:
            found.append([heading])
    return [
        f"{first.rpartition(' ')[0]}s {first.rpartition(' ')[2]}–{more[-1].rpartition(' ')[2]}"
        if more
        else first
        for first, *more in found
    ]


def print_hanging(line: str, console: Console, indent: int) -> None:
    """Print a line. If the terminal is too narrow, wrap it between words or parts of JSON, and indent the
    further lines."""
    lines = [line]
    if console.is_terminal:
        wrapper = TextWrapper(console.width, subsequent_indent=" " * indent, break_on_hyphens=False)
        wrapper.wordsep_simple_re = WORDS_END
        lines = wrapper.wrap(line) or [""]
    for part in lines:
        console.print(part, soft_wrap=True)


def table(
    title: str,
    columns: Sequence[Column],
    rows: Iterable[Sequence[str]],
    width: int,
    beside: Sequence[Sequence[str]] = (),
) -> Table:
    """A table of at most `width` characters. First texts that may be cut are cut, then spare columns are left
    out, then names are cut. `beside` as for `print_table`."""
    rows = list(rows)
    widths = _widths(columns, rows)
    kept = _that_fit(columns, _widths(columns, [*rows, *beside]), width)
    made = Table(
        title=Text(title) if title else None,
        box=SIMPLE_HEAD,
        title_justify="left",
        title_style="bold",
        pad_edge=False,
    )
    _cut(widths, columns, kept, width)
    rows = [[_fitted(row[at], columns[at], widths[at]) for at in kept] for row in rows]
    for place, at in enumerate(kept):
        column = columns[at]
        least = widths[at]
        if column.ends or column.cut:
            least = max((cell_len(row[place]) for row in rows), default=0)
        made.add_column(
            Text(column.heading),
            justify="right" if column.right else "left",
            no_wrap=not column.folds,
            overflow="fold" if column.folds else "ellipsis",
            # Numbers are never cut, names only above; remarks may be cut here.
            min_width=least if column.right or column.ends or column.cut else None,
        )
    for row in rows:
        made.add_row(*map(Text, row))
    return made


def _fitted(text: str, column: Column, width: int) -> str:
    """The text, cut to the width if it may be cut: without its end, or for a name of one-cell characters
    without its middle."""
    if column.cut and cell_len(text) > width:
        return f"{set_cell_size(text, width - 1).rstrip()}…"
    width = max(width, 2 * ENDING)
    if column.ends and len(text) > width:
        return f"{text[: width - ENDING - 1]}…{text[-ENDING:]}"
    return text


def _widths(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> list[int]:
    """The width of each column's longest text."""
    return [
        max(cell_len(column.heading), *(cell_len(row[at]) for row in rows), 0)
        for at, column in enumerate(columns)
    ]


def _that_fit(columns: Sequence[Column], widths: Sequence[int], width: int) -> list[int]:
    """The indices of the columns for which there is room."""
    kept = list(range(len(columns)))
    needed = _needed(columns, widths)
    while sum(needed[at] + GAP for at in kept) > width and any(columns[at].spare for at in kept):
        kept.remove(max(kept, key=lambda at: columns[at].spare))
    return kept


def _cut(widths: list[int], columns: Sequence[Column], kept: Sequence[int], width: int) -> None:
    """Make columns whose texts may be cut narrower, in place, until the table fits."""
    needed = _needed(columns, widths)
    room = width - sum(needed[at] + GAP for at in kept)
    for at in kept:
        if columns[at].cut:
            widths[at] = min(widths[at], needed[at] + max(0, room))
            room -= widths[at] - needed[at]
        elif columns[at].ends:
            widths[at] += min(0, room)


def _needed(columns: Sequence[Column], widths: Sequence[int]) -> list[int]:
    """The smallest width of each column at which nothing is cut."""
    return [
        min(wide, FOLDED) if column.folds else min(wide, CUT) if column.cut else wide
        for column, wide in zip(columns, widths, strict=True)
    ]
