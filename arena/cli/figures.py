"""The figures behind a table of standings, as tables; and how many rounds a given margin takes."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from rich.console import Console

from arena.cli.output import Column, print_table
from arena.director.figures import SIGNIFICANT
from arena.director.standings import figures_as_data
from arena.director.state import Record
from arena.director.wording import gain_text, interval, probability


def print_figures(record: Record, margin: float | None, console: Console) -> None:
    """The same as tables and sentences."""
    data = figures_as_data(record, margin)
    print_superiority(data["superiority"], record.called, console)
    _print_meetings(data["meetings"], record.called, console)
    seats = [
        (
            str(seat["seat"]),
            gain_text(seat["gain"]),
            "–" if seat["error"] is None else f"{seat['error']:.2f}",
            probability(seat["p"]),
        )
        for seat in data["seats"]
    ]
    headings = ("seat", "gain", "± error", "p")
    print_table("Gain by seat, per deal", [Column(one, right=True) for one in headings], seats, console)
    if data["duplication"] is not None:
        worth = f"{data['duplication']:.2f}"
        console.print(
            f"duplicate deals divided the variance that comes from the luck of the cards by {worth}"
        )
    if data["deviation"] is not None:
        common = f"{data['correlation']:.0%} of its variance is common to the deals of a pod"
        console.print(f"standard deviation of a bot's gain in a deal: {data['deviation']:.2f}; {common}")
    if "rounds_for_margin" in data:
        rounds = data["rounds_for_margin"]
        enough = "no number of rounds is enough" if rounds is None else f"{rounds} rounds like these"
        console.print(f"for ±{margin:g}: {enough}")


def print_superiority(
    superiority: Iterable[Mapping[str, Any]], called: Callable[[str], str], console: Console
) -> None:
    """The pairs of a tournament or a season, as data. `called` turns a name into what people read."""
    pairs = [
        (
            called(one["better"]),
            called(one["worse"]),
            gain_text(one["difference"]),
            f"{one['error']:.2f}",
            probability(one["p"]),
            probability(one["holm"]),
            "significant" if one["holm"] < SIGNIFICANT else "",
        )
        for one in superiority
    ]
    if pairs:
        columns = [Column("better"), Column("than"), Column("by", right=True), Column("± error", right=True)]
        columns += [Column("p", right=True), Column("Holm's p", right=True), Column("")]
        print_table("Who gains more than whom, per deal", columns, pairs, console)


def _print_meetings(
    meetings: Iterable[Mapping[str, Any]], called: Callable[[str], str], console: Console
) -> None:
    rows = [
        (
            called(one["one"]),
            called(one["other"]),
            str(one["pods"]),
            gain_text(one["difference"]),
            interval(one["low"], one["high"]),
        )
        for one in meetings
    ]
    if rows:
        columns = [Column("bot"), Column("met"), Column("pods", right=True)]
        columns += [Column("gained more", right=True), Column("95 % interval", right=True)]
        print_table("Who met whom, and gained how much more per deal there", columns, rows, console)
