"""Shows a running tournament on standard error: the standings so far, the progress, the time left, and every
fault as it happens. A terminal shows a table that is redrawn; a pipe or file gets a line from time to time.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.text import Text

from arena.cli.output import LINES_EVERY_SECONDS, Column, stderr, table
from arena.commands.tournament import Display, Shown, no_display
from arena.director.entries import (
    Created,
    JournalEntry,
    MatchPlayed,
    RoundPaired,
    TimeUp,
)
from arena.director.progress import TournamentPace
from arena.director.state import Record
from arena.director.wording import time_up_text
from arena.system.wording import gain_text
from tournaments.results import EARLY_DEATHS

TABLE_EVERY_SECONDS: Final = 1.0
TABLE_SHARE: Final = 0.05
"""The largest share of the time for computing standings that are soon replaced."""
LINES_AROUND: Final = 5
"""Lines of the screen besides rows of the table: its heading with a rule, the number of bots below, a blank
line, and the progress."""


def shown(*, quiet: bool) -> Shown:
    """The display that fits standard error."""
    return no_display if quiet else _display


@contextmanager
def _display(created: Created, entries: list[JournalEntry]) -> Iterator[Display]:
    console = stderr()
    progress = TournamentPace(created, entries)
    if console.is_terminal:
        screen = TableDisplay(console, progress, entries)
        with Live(
            console=console,
            get_renderable=screen.render,
            refresh_per_second=4,
            transient=True,
            redirect_stdout=False,
        ):
            yield screen
    else:
        yield LineDisplay(console, progress, entries)


def news(entry: JournalEntry, entries: list[JournalEntry]) -> Iterator[str]:
    """Lines about `entry`, the last of `entries`: withdrawals, forfeits, skipped matches, and changes by the
    organiser."""
    match entry:
        case RoundPaired(round_no=round_no):
            record = Record(entries)
            for name in record.died()[len(record.died(round_no - 1)) :]:
                died = f"it died in {EARLY_DEATHS} matches before its first reply"
                yield f"{record.called(name)} is withdrawn: {died}"
        case MatchPlayed(forfeits=forfeits, entrants=names, match_id=match_id) if forfeits:
            record = Record(entries)
            for forfeit in forfeits:
                yield f"{match_id}: {record.called(names[forfeit.seat])} forfeits ({forfeit.kind})"
        case TimeUp():
            yield time_up_text(entry)
        case _ if line := entry.sentence():
            yield line


class LineDisplay:
    """For a pipe or a file: lines about rounds, faults and progress."""

    def __init__(self, console: Console, progress: TournamentPace, entries: list[JournalEntry]) -> None:
        self._console = console
        self._progress = progress
        self._entries = entries
        self._last = time.monotonic()

    def on_entry(self, entry: JournalEntry) -> None:
        self._progress.look()
        for line in news(entry, self._entries):
            self.say(line)
        now = time.monotonic()
        if isinstance(entry, RoundPaired) or now - self._last > LINES_EVERY_SECONDS:
            self._last = now
            self.say(str(self._progress))

    def say(self, line: str) -> None:
        self._console.print(line, soft_wrap=True)


class TableDisplay:
    """For a terminal: the standings so far, and below them a line of progress."""

    COLUMNS: Final = (
        Column("rank", right=True),
        Column("bot"),
        Column("gain/deal", right=True),
        Column("score", right=True),
    )

    def __init__(self, console: Console, progress: TournamentPace, entries: list[JournalEntry]) -> None:
        self._console = console
        self._progress = progress
        self._entries = entries
        self._table: RenderableType | None = None
        self._next_table = 0.0

    def on_entry(self, entry: JournalEntry) -> None:
        self._progress.look()
        for line in news(entry, self._entries):
            self.say(line)
        now = time.monotonic()
        if isinstance(entry, MatchPlayed) and now >= self._next_table:
            self._table = self._standings()
            spent = time.monotonic() - now
            self._next_table = now + max(TABLE_EVERY_SECONDS, spent / TABLE_SHARE)

    def say(self, line: str) -> None:
        self._console.print(Text(line), overflow="ellipsis", no_wrap=True)

    def render(self) -> RenderableType:
        """The present content of the terminal."""
        line = Text(str(self._progress), no_wrap=True, overflow="ellipsis")
        return line if self._table is None else Group(self._table, "", line)

    def _standings(self) -> RenderableType:
        # Imported here because numpy and scipy are slow to load, and no match should wait for them.
        from arena.director.caveats import caveats

        record = Record(self._entries)
        standings = record.standings(exact=False)
        ranked = any(row.rank is not None for row in standings.entrants)
        why = "" if ranked else next(caveats(standings, (), record.called), "")
        room = max(1, self._console.height - LINES_AROUND - bool(why))
        rows = [
            (
                "–" if row.rank is None else str(row.rank),
                record.called(row.name),
                gain_text(row.gain),
                f"{row.score:g}/{row.max_score:g}",
            )
            for row in standings.entrants[:room]
        ]
        made = table("", self.COLUMNS, rows, self._console.width)
        made.show_edge = False
        more = len(standings.entrants) - len(rows)
        below = filter(None, (f"… {more} more" if more else "", why))
        return Group(made, *(Text(told, no_wrap=True, overflow="ellipsis") for told in below))
