"""Prints rows of standings and the figures behind them as tables, and how many rounds a given margin
takes."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from rich.console import Console

from arena.cli.output import Column, print_hanging, print_table
from arena.director.figures import SIGNIFICANT, figures
from arena.director.standings import rounds_for_margin
from arena.director.state import Record
from arena.director.wording import WORDS, meeting_cells, seat_cells, spent_text, superiority_cells

if TYPE_CHECKING:
    from tournaments.superiority import Superiority


def print_rows(
    title: str,
    rows: Iterable[Mapping[str, str]],
    console: Console,
    spare: Mapping[str, int] | None = None,
) -> None:
    """Print rows of texts by heading, as made by arena/director/wording.py. `spare`: by heading, as in
    Column."""
    rows, spare = list(rows), spare or {}
    columns = [
        Column(heading, right=heading not in WORDS, spare=spare.get(heading, 0))
        for heading in (rows[0] if rows else ())
    ]
    print_table(title, columns, [list(row.values()) for row in rows], console)


def print_figures(record: Record, margin: float | None, console: Console) -> None:
    """The same as tables and sentences."""
    found = figures(record)
    print_superiority(found.superiority, record.called, console)
    if found.meetings:
        rows = [meeting_cells(row, record.called) for row in found.meetings]
        print_rows("Who met whom, and how much more they gained per deal there", rows, console)
    print_rows("Gain by seat, per deal", map(seat_cells, found.seats), console)
    if found.duplication is not None:
        worth = f"{found.duplication:.2f}"
        console.print(f"duplicate deals divided the variance due to the luck of the cards by {worth}")
    if found.deviation is not None:
        common = f"deals of a pod share {found.correlation:.0%} of its variance"
        console.print(f"standard deviation of a bot's gain in a deal: {found.deviation:.2f}; {common}")
    if record.spent is not None:
        print_hanging(f"processor time of the matches: {spent_text(record.spent)}", console, 2)
    if margin is not None and found.deviation is not None:
        rounds = rounds_for_margin(record, found, margin)
        enough = "no number of rounds is enough" if rounds is None else f"{rounds} rounds like these"
        console.print(f"for ±{margin:g}: {enough}")


def print_superiority(
    superiority: "Sequence[Superiority]", called: Callable[[str], str], console: Console
) -> None:
    """Print the pairs of a tournament or a season. `called` turns a name into its title."""
    if superiority:
        rows = [
            superiority_cells(row, called) | {"": "significant" if row.holm < SIGNIFICANT else ""}
            for row in superiority
        ]
        print_rows("Who gains more than whom, per deal", rows, console)
