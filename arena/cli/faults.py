"""`arena faults`: shows each fault with its bot, time, consequence and evidence. Also makes the table of
faults that other commands print at their end.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import click
from rich.console import Console

from arena.cli.meant import PlaceType
from arena.cli.onward import onward
from arena.cli.options import json_option
from arena.cli.output import Column, print_hanging, print_json, print_table, say, stdout
from arena.commands.faults import faults_at
from arena.log.fault_report import ExcessRow, FaultRow, alike
from arena.log.house_bugs import HouseBugRow
from arena.system.errors import UserError, did_you_mean
from arena.system.places import PlaceKind
from protocol.units import us_to_ms

INDENT: Final = 10
"""Width of the labels of a fault."""


@click.command("faults")
@click.argument("place", type=PlaceType(PlaceKind.TOURNAMENT, PlaceKind.LOG), metavar="DIR")
@click.option(
    "--bot", "bots", multiple=True, metavar="NAME", help="Show only the faults of this bot; may be repeated."
)
@click.option("--full", is_flag=True, help="Show each fault with what was sent and received.")
@json_option
def command(place: Path, bots: tuple[str, ...], full: bool, as_json: bool) -> None:
    """Show all faults of the tournament in DIR, including forgiven ones, and which bots used CPU time while
    they were frozen. DIR may also be the log of one match.

    Example: arena faults arena-2026-11-20-1 --full
    """
    found = faults_at(place)
    for name in bots:
        if name not in found.names:
            raise UserError(
                f"--bot {name}: no bot in {place} has this name{did_you_mean(name, sorted(found.names))}"
            )
    rows, excess = found.faults, found.excess
    if bots:
        rows = tuple(row for row in rows if row.bot in bots)
        excess = tuple(row for row in excess if row.bot in bots)
    if as_json:
        print_json({"faults": rows, "excess": excess})
        return
    if not rows:
        click.echo("no faults")
    elif full:
        print_in_full(rows)
    else:
        print_faults(rows, stdout())
        if blamed := sum(row.machine_may_be_to_blame for row in rows):
            say(f"the machine may be to blame for {blamed} of these {len(rows)}: --full shows why")
    _print_excess(excess, stdout())


def print_faults(rows: Sequence[FaultRow], console: Console) -> None:
    """Print a table with one row for each group of similar faults; nothing if there were none."""
    if not rows:
        return
    columns = [Column("bot"), Column("fault"), Column("times", right=True), Column("first", spare=1)]
    columns.append(Column("why", folds=True))
    cells = [
        (one.rows[0].called, one.rows[0].kind, str(len(one.rows)), _when(one.rows[0]), one.why)
        for one in alike(rows, with_stderr=True)
    ]
    print_table("Faults", columns, cells, console)


def print_in_full(rows: Sequence[FaultRow]) -> None:
    """Print each fault with its evidence."""
    for row in rows:
        for line in _in_full(row):
            print_hanging(line, stdout(), INDENT)


def say_bugs(rows: Sequence[HouseBugRow], folder: Path | None = None) -> None:
    """Say what failed in builtin bots, and which command repeats it. Paths of logs are relative to
    `folder`."""
    for row in rows:
        say(row.sentence)
        if row.log:
            log = row.log if folder is None else folder / row.log
            say(f"{onward('rerun', log, '--seat', row.seat, row.program)} reproduces it; please report it")


def _print_excess(rows: Sequence[ExcessRow], console: Console) -> None:
    """Print a table of the bots that computed while frozen; nothing if there were none."""
    if not rows:
        return
    columns = [
        Column("bot"),
        Column("matches", right=True),
        Column("CPU time", right=True),
        Column("most in"),
    ]
    cells = []
    for bot in sorted({row.bot for row in rows}):
        own = [row for row in rows if row.bot == bot]
        worst = max(own, key=lambda row: row.seconds)
        cells.append((own[0].called, str(len(own)), f"{sum(row.seconds for row in own):.2f} s", worst.match))
    print_table("Used CPU time while frozen", columns, cells, console)


def _when(row: FaultRow) -> str:
    return f"{row.match}, {row.moment}"


def _in_full(row: FaultRow) -> Iterator[str]:
    """One fault as lines of text: a heading, then its evidence."""
    yield f"{row.match}, seat {row.seat}, {row.called}: {row.kind}, {row.moment}"
    parts = {
        "why": row.detail,
        "sent": row.sent,
        "came": row.reply,
        "after": f"{us_to_ms(row.us):.1f} ms" if row.us else "",
        "machine": row.machine,
        "": row.judgement,
        "ended": row.ended,
        "stderr": row.stderr,
        "so": "forfeits the match" if row.forfeits else "forgiven; the substitute chose one action",
    }
    for label, text in parts.items():
        for at, line in enumerate(text.strip().splitlines()):
            yield f"  {label if at == 0 else '':{INDENT - 2}}{line}"
    yield ""
