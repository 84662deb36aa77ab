"""`arena league`: a long-running contest."""

import contextlib
from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import Any, Final

import click

from arena.cli import DONE, INTERRUPTED, NO
from arena.cli.derived import KINDS, argument, derived_option, takes
from arena.cli.faults import print_in_full
from arena.cli.options import checked_place, file_option, json_option, league_argument, refuse_given
from arena.cli.output import Column, print_hanging, print_json, print_table, say, say_hanging, stdout
from arena.cli.plot import Span, plot
from arena.commands import league_logs
from arena.commands.league import AddBot, NewAuthor, NewLeague, RunLeague, read
from arena.commands.league import verify as verified
from arena.director.wording import named
from arena.league import tables
from arena.league.carried import CURRENT, PAUSED
from arena.league.copies import HELD_BACK, copy
from arena.league.entries import DrawAnnulled, Entry, Paused, Received, Restored, Retired
from arena.league.finals import short_finals
from arena.league.hand import FINALS, Close, Freeze, Prune, Request, Reveal, as_it_is, twins
from arena.league.orders import request
from arena.league.state import LeagueState
from arena.playing.arguments import declared
from arena.system.errors import UserError
from arena.system.temporary import temporary_folder
from arena.system.text import shell_word
from arena.system.wording import counted, gain_text, interval, moment

OF_BOARDS: Final = {
    one.name: one.flag
    for one in declared(NewLeague)
    if one.flag and one.name not in ("boards", "after", "with_authors", "anchors", "segment")
}
"""Options of `new` that boards keep from an earlier league, by the names of their parameters."""


class ClockTime(click.DateTime):
    """A time, of which an error shows an example and no format."""

    def convert(self, value: Any, param: click.Parameter | None, context: click.Context | None) -> datetime:
        """Raises click.BadParameter."""
        try:
            return super().convert(value, param, context)
        except click.BadParameter:
            self.fail(f"{value!r} is not a time like 2026-12-18T18:00", param, context)


class LeagueGroup(click.Group):
    """Lists the first sentence of each command whole, where click would cut it."""

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands in the order in which a league needs them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, one.get_short_help_str(200)) for name, one in self.commands.items()])


@click.group("league", cls=LeagueGroup)
def command() -> None:
    """Run a league. Authors send versions of their bots at any time; each is checked, and ranked by what it
    gains against a fixed panel of bots. A league runs until you close it.

    Example: arena league new autumn --board sticheln:4
    """


_hidden_option = click.option(
    "--hidden",
    is_flag=True,
    help="While the league is frozen: show its current state, for the organiser only.",
)


@command.command("new")
@takes(NewLeague)
@click.pass_context
def new(context: click.Context, call: NewLeague) -> None:
    """Create a league in DIR, with the sample bots as its anchors.

    Example: arena league new autumn --board sticheln:4
    """
    if call.after is not None and not call.boards:
        why = f"the boards of {call.after} keep their settings; --board GAME:SEATS makes a new one"
        refuse_given(context, OF_BOARDS, why)
    call.carry_out(say)
    author = f"arena league author {shell_word(call.folder)} NAME"
    then = f"arena league run {shell_word(call.folder)}" if call.with_authors else author
    say(f"{call.folder} is ready; next: {then}")


@command.command("author")
@takes(NewAuthor)
def author(call: NewAuthor) -> None:
    """Register AUTHOR, and print a token. It is shown only once; the league keeps its hash.

    Example: arena league author autumn red --title "Team Red"
    """
    token = call.carry_out(say)
    say(f"the token of {call.author}, which proves who sends a version over a network; it is shown only now:")
    click.echo(token)


@command.command("authors")
@league_argument
@_hidden_option
@json_option
def authors(folder: Path, hidden: bool, as_json: bool) -> None:
    """Show the authors of the league in DIR, with their current versions.

    Example: arena league authors autumn
    """
    rows = tables.author_rows(_shown(folder, hidden=hidden))
    if as_json:
        print_json(rows)
        return
    columns = [
        Column("author"),
        Column("title"),
        Column("versions", right=True),
        Column("current", folds=True),
    ]
    texts = [[row.author, row.title, str(row.versions), ", ".join(row.current)] for row in rows]
    print_table("Authors", columns, texts, stdout())


@command.command("add")
@takes(AddBot)
def add(call: AddBot) -> int:
    """Send BOT to the league in DIR: a file, a folder or an archive. It is built and checked. If that
    succeeds, it becomes the current version of its bot; otherwise the version before it stays current.

    Example: arena league add autumn mybot.py --author red
    """
    version = call.carry_out(say)
    click.echo(f"{version.id}: {version.status}" + (f", {version.why}; {version.cure}" * bool(version.why)))
    return DONE if version.status == CURRENT else NO


@command.command("run")
@takes(RunLeague)
def run(call: RunLeague) -> int:
    """Play the league in DIR until Ctrl-C. Run the command again to continue. It keeps the league's pages up
    to date; any web server can publish their folder.

    Example: arena league run autumn
    """

    def on_entry(state: LeagueState, entry: Entry) -> None:
        if line := entry.sentence():
            say_hanging(line)
        if isinstance(entry, Received) and (same := twins(state, entry.version)):
            say_hanging(f"{entry.version} is the same program as {named(same)}")

    if call.carry_out(say, on_entry):
        say(f"interrupted; to continue: arena league run {shell_word(call.folder)}")
        return INTERRUPTED
    return DONE


def _shown(folder: Path, draw: int | None = None, *, hidden: bool) -> LeagueState:
    """The state that may be shown. Says on standard error if the league is frozen."""
    state = read(folder, draw, hidden=hidden)
    if frozen := state.frozen:
        since = f"{moment(frozen.at)}: {frozen.reason}"
        say(
            f"frozen since {since}; "
            + (
                "this is the current state, which is hidden from others"
                if hidden
                else "this is the state at the freeze"
            )
        )
    return state


BOARD_COLUMNS: Final = (
    Column("rank", right=True),
    Column("version", ends=True),
    Column("author", spare=1, cut=True),
    Column("strength", right=True),
    Column("95 % interval", right=True),
    Column("plot", spare=4),
    Column("ahead of", right=True),
    Column("pods", right=True),
    Column("against its predecessor", spare=3),
)


@command.command("standings")
@league_argument
@_hidden_option
@json_option
def standings(folder: Path, hidden: bool, as_json: bool) -> None:
    """Show the boards of the league in DIR.

    Example: arena league standings autumn
    """
    state = _shown(folder, hidden=hidden)
    if as_json:
        print_json(tables.standings(state))
        return
    found = {board: tables.board_rows(state, board) for board in state.boards}
    plots = {board: plot([_span(row) for row in rows]) for board, rows in found.items()}
    texts = {
        board: [
            [(tables.board_cells(row) | {"plot": bar})[column.heading] for column in BOARD_COLUMNS]
            for row, bar in zip(rows, plots[board].bars, strict=True)
        ]
        for board, rows in found.items()
    }
    for board, drawn in plots.items():
        shown = print_table(board, BOARD_COLUMNS, texts[board], stdout(), [*chain(*texts.values())])
        if "plot" in shown and drawn.high > drawn.low:
            print_hanging(drawn.legend, stdout(), 2)
        sentences = (
            tables.who_is_ahead(state, board),
            tables.said_earlier(state, board),
            tables.expected(state, board, tables.forecast(state, board)),
        )
        for sentence in filter(None, sentences):
            print_hanging(sentence, stdout(), 2)
    print_hanging(tables.what_statements_mean(state), stdout(), 0)
    for version in state.waiting():
        click.echo(f"{version.id} is waiting to be checked")
    for version in map(state.versions.__getitem__, state.current.values()):
        if version.status == PAUSED:
            print_hanging(f"{version.id} is paused: {version.why}", stdout(), 2)


@command.command("versions")
@league_argument
@click.argument("bot")
@_hidden_option
@json_option
def versions(folder: Path, bot: str, hidden: bool, as_json: bool) -> None:
    """Show all versions of BOT, with their numbers. BOT is `author/bot`, or an author for all their bots.

    Example: arena league versions autumn red/mybot
    """
    rows = tables.version_rows(_shown(folder, hidden=hidden), bot)
    if as_json:
        print_json(rows)
        return
    plots = {
        board: plot([_span(row) for row in rows if row.board == board])
        for board in dict.fromkeys(row.board for row in rows)
    }
    bars = {board: iter(drawn.bars) for board, drawn in plots.items()}
    texts = [
        [
            row.version,
            row.status,
            row.board or "",
            gain_text(row.strength),
            interval(row.low, row.high),
            next(bars[row.board]),
            str(row.pods),
            row.against,
            str(row.faults),
        ]
        for row in rows
    ]
    shown = print_table(bot, _version_columns(len(plots)), texts, stdout())
    for board, drawn in plots.items():
        if "plot" in shown and board is not None and drawn.high > drawn.low:
            print_hanging(f"{board}: {drawn.legend}", stdout(), 2)
    _print_remarks(rows)


def _version_columns(boards: int) -> list[Column]:
    """The columns of versions on one or several boards. Those that tell rows apart stay."""
    several = boards > 1
    return [
        Column("version", ends=True),
        Column("status"),
        Column("board", spare=0 if several else 1),
        Column("strength", right=True),
        Column("95 % interval", right=True, spare=1 if several else 0),
        Column("plot", spare=3),
        Column("pods", right=True),
        Column("against its predecessor", spare=4),
        Column("faults", right=True, spare=2),
    ]


def _print_remarks(rows: Iterable[tables.VersionRow]) -> None:
    """What a table of versions has no room for. It is never cut."""
    for row in {row.version: row for row in rows}.values():
        if row.why:
            cure = f"; {row.cure}" if row.cure else ""
            print_hanging(f"{row.version}: {row.status}, {row.why}{cure}", stdout(), 2)
        if row.same_as:
            print_hanging(f"{row.version} is the same program as {named(row.same_as)}", stdout(), 2)


@command.command("faults")
@league_argument
@click.option("--bot", help="Show only those of this bot, author or version.")
@click.option("--full", is_flag=True, help="Show each with what was sent and received.")
@_hidden_option
@json_option
def faults(folder: Path, bot: str | None, full: bool, hidden: bool, as_json: bool) -> None:
    """Show the matches that versions forfeited in the league in DIR.

    Example: arena league faults autumn --bot red/mybot --full
    """
    if full:
        found = league_logs.faults(folder, bot, say, hidden=hidden)
        if as_json:
            print_json(found)
        elif found:
            print_in_full(found)
        else:
            click.echo("no version has forfeited a match")
        return
    rows = tables.fault_rows(_shown(folder, hidden=hidden), bot)
    if as_json:
        print_json(rows)
        return
    if not rows:
        click.echo("no version has forfeited a match")
        return
    columns = [Column("match"), Column("version"), Column("fault"), Column("deal", right=True)]
    texts = [[row.match, row.version, row.kind, str(row.deal_no)] for row in rows]
    print_table("Forfeits", columns, texts, stdout())


@command.command("log")
@league_argument
@click.argument("match")
@_hidden_option
def log(folder: Path, match: str, hidden: bool) -> None:
    """Print the log of MATCH, such as 12-1-3: draw 12, its first version, the third seating. `arena replay`,
    `review`, `rerun` and `rematch` read it.

    Example: arena league log autumn 12-1-3 > match.jsonl
    """
    click.echo(league_logs.match_log(folder, match, say, hidden=hidden), nl=False)


@command.command("replay")
@league_argument
@click.argument("match")
@click.option("--deal", type=click.IntRange(1), help="Show only this deal.")
@click.option("--seat", type=click.IntRange(0), help="Show only what this seat knew.")
@click.option("--print", "as_text", is_flag=True, help="Print text instead of stepping through.")
@file_option("--html", "Write a page for a browser.")
@_hidden_option
def replay(
    folder: Path,
    match: str,
    deal: int | None,
    seat: int | None,
    as_text: bool,
    html: Path | None,
    hidden: bool,
) -> int:
    """Step through MATCH, such as 12-1-3, or print it.

    Example: arena league replay autumn 12-1-3 --html match.html
    """
    given = {"--deal": deal, "--seat": seat, "--html": html}
    options = [word for flag, value in given.items() if value is not None for word in (flag, str(value))]
    from arena.cli.replay import command as replayed

    with temporary_folder() as place:
        path = Path(place) / f"{match.replace('/', '-')}.jsonl"
        path.write_bytes(league_logs.match_log(folder, match, say, hidden=hidden))
        words = [*options, *(("--print",) if as_text else ()), str(path)]
        status: int = replayed.main(words, "arena league replay", standalone_mode=False)
    return status


@command.command("report")
@league_argument
@click.option(
    "--out",
    callback=checked_place,
    type=KINDS["new folder"],
    help="Write the pages here.  [default: DIR/site]",
)
@derived_option(argument(RunLeague, "title"))
@derived_option(argument(RunLeague, "address"))
def report(folder: Path, out: Path | None, title: str, address: str) -> None:
    """Write the pages of the league in DIR, for any web server: its boards, a page for each bot, and replays
    of its last matches. They show nothing private, and no hand from a draw that is not over. The league may
    be playing meanwhile; `arena league run` keeps the pages up to date.

    Example: arena league report autumn --title "Autumn League"
    """
    # Imported here because Jinja is slow to load.
    from arena.report.league_site import write_site

    click.echo(write_site(folder, out, title, address))


@command.command("why")
@league_argument
@click.argument("number", type=click.IntRange(1))
@_hidden_option
@json_option
def why(folder: Path, number: int, hidden: bool, as_json: bool) -> None:
    """Show why draw NUMBER was played, and its result.

    Example: arena league why autumn 1
    """
    lines = tables.why(_shown(folder, number, hidden=hidden), number)
    if as_json:
        print_json(lines)
        return
    for line in lines:
        print_hanging(line, stdout(), 2)


@command.command("verify")
@league_argument
@_hidden_option
@click.option("--digest", help="Require this earlier digest of the journal, such as the one in frozen.json.")
@json_option
def verify(folder: Path, hidden: bool, digest: str | None, as_json: bool) -> int:
    """Derive every draw, result and checkpoint of the league in DIR again from its journal and the public
    part of its logs, and compare.

    Example: arena league verify autumn
    """
    found = verified(folder, digest, hidden=hidden)
    if as_json:
        print_json(found.as_data())
    else:
        for line in found.wrong:
            click.echo(line)
        for what, times in Counter(one.what for one in found.unchecked).items():
            click.echo(f"not checked for {counted(times, 'draw')}: {what}")
        click.echo(
            f"{counted(found.draws, 'draw')}; {'nothing' if not found.wrong else len(found.wrong)} wrong"
        )
        if found.held:
            click.echo(f"the journal had the digest {digest}")
        click.echo(f"digest {found.digest}")
    if found.held_back:
        say("the league is frozen: everything after the freeze was left out")
    return NO if found.wrong else DONE


_reason = click.option("--reason", required=True, help="The reason, which everybody will see.")


@command.command("pause")
@league_argument
@click.argument("version")
@_reason
def pause(folder: Path, version: str, reason: str) -> None:
    """Stop VERSION from playing, until `arena league restore` or until its author sends another version.

    Example: arena league pause autumn red/mybot@1 --reason "it floods the log"
    """
    _ask(folder, Paused(version, reason))


@command.command("retire")
@league_argument
@click.argument("version")
@_reason
def retire(folder: Path, version: str, reason: str) -> None:
    """Take VERSION off the boards. `arena league restore` puts it back.

    Example: arena league retire autumn red/mybot@1 --reason "its author's wish"
    """
    _ask(folder, Retired(version, reason))


@command.command("restore")
@league_argument
@click.argument("version")
@_reason
def restore(folder: Path, version: str, reason: str) -> None:
    """Let a paused or retired VERSION play again.

    Example: arena league restore autumn red/mybot@1 --reason "fixed"
    """
    _ask(folder, Restored(version, reason))


@command.command("annul")
@league_argument
@click.argument("number", type=click.IntRange(1))
@_reason
def annul(folder: Path, number: int, reason: str) -> None:
    """Annul draw NUMBER: it no longer counts.

    Example: arena league annul autumn 1 --reason "the machine was asleep"
    """
    _ask(folder, DrawAnnulled(number, reason))


@command.command("panel")
@league_argument
@click.argument("versions", nargs=-1)
@click.option("--board", metavar="GAME:SEATS", help="The board, if the league has several.")
@_hidden_option
@json_option
def panel(folder: Path, versions: tuple[str, ...], board: str | None, hidden: bool, as_json: bool) -> None:
    """Make VERSIONS the panel of a board, against which all others are measured from now on. Without
    VERSIONS, show the panels. The strengths at the last checkpoint convert earlier measurements to the new
    panel.

    Example: arena league panel autumn
    """
    if versions:
        _ask(folder, tables.renewed(read(folder, hidden=True), board, versions))
        return
    state = _shown(folder, hidden=hidden)
    if as_json:
        print_json({one.board: one.members for one in state.panels.values()})
        return
    for one in state.panels.values():
        print_hanging(f"{one.board}: {', '.join(one.members)}; {one.zero} has strength 0", stdout(), 2)


@command.command("freeze")
@league_argument
@_reason
def freeze(folder: Path, reason: str) -> None:
    """Freeze what others see of the league in DIR until `arena league reveal`; it continues to be played.

    Example: arena league freeze autumn --reason "until the award"
    """
    _ask(folder, Freeze(reason))


@command.command("reveal")
@league_argument
def reveal(folder: Path) -> None:
    """End a freeze: show the current state of the league in DIR to everybody.

    Example: arena league reveal autumn
    """
    _ask(folder, Reveal())


@command.command("close")
@league_argument
@_reason
@click.option(
    "--at",
    "closes",
    type=ClockTime(("%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M%z")),
    metavar="TIME",
    help="Close it at this time: 2026-12-18T18:00, which is local time, or 2026-12-18T18:00+01:00.",
)
@click.option(
    "--finals",
    type=click.IntRange(0, 1_000_000),
    help="Comparisons in each board's final, between versions of which none is certainly ahead.  "
    f"[default: as announced with the deadline, or {FINALS}]",
)
def close(folder: Path, reason: str, closes: datetime | None, finals: int | None) -> None:
    """Close the league in DIR, now or at a deadline: it then accepts no further versions. Versions already
    received are placed, each board's leading group plays its final, and then the league is sealed.

    Example: arena league close autumn --reason "the term is over"
    """
    _ask(folder, Close(reason, finals, None if closes is None else _seconds(closes)))
    state = read(folder, hidden=True)
    for short in short_finals(state):
        say(
            f"{short.board}: of {short.versions} versions none is certainly ahead of another, and the final "
            f"compares {short.comparisons} of their {short.pairs} pairs, the leader's first"
        )
    if closes and state.closes:
        here = datetime.fromtimestamp(state.closes.closes).astimezone()
        say(f"that is {here:%Y-%m-%d %H:%M %Z} here; to move it, close the league again with another --at")
    elif state.sealed:
        say("the league is sealed: nothing was left to play")
    else:
        say(f"next: arena league run {shell_word(folder)} plays what is left, then seals the league")


def _seconds(closes: datetime) -> int:
    """A time on the command line, without a zone in local time, in seconds since 1970. Raises UserError."""
    with contextlib.suppress(OverflowError, ValueError, OSError):  # A year near the first or the last.
        if (seconds := int(closes.timestamp())) >= 0:
            return seconds
    raise UserError(f"--at {closes}: that time is before 1970, or after the year 9999; name another one")


def _ask(folder: Path, asked: Request) -> None:
    """Carry out a request of the organiser, and print what was written."""
    entries = request(folder, asked, say)
    state = read(folder, hidden=True)
    for entry in entries:
        click.echo(entry.sentence())
    if not entries:
        click.echo(as_it_is(state, asked))


def _span(row: tables.BoardRow | tables.VersionRow) -> Span | None:
    return None if row.strength is None else Span(row.low, row.strength, row.high)


@command.command("export")
@league_argument
@click.argument("target", type=click.Path(path_type=Path))
@click.option(
    "--backup",
    is_flag=True,
    help="Copy everything, with secrets and programs, so that the copy can continue.",
)
def export(folder: Path, target: Path, backup: bool) -> None:
    """Copy the league in DIR to TARGET: all that others need to verify it, and nothing private. The league
    may be playing meanwhile.

    Example: arena league export autumn public
    """
    last = copy(folder, target, everything=backup)
    say(f"copied to {target}" + ("; this user can continue the league from it" if backup else ""))
    say(f"digest {last.digests[-1]}")
    if not last.whole:
        say(f"the league is frozen: {HELD_BACK} has only the digests of everything after the freeze")


@command.command("prune")
@league_argument
@click.option("--to", "last", type=click.IntRange(1), required=True, help="Delete logs up to this draw.")
@click.option("--private", is_flag=True, help="Delete only the private parts.")
def prune(folder: Path, last: int, private: bool) -> None:
    """Delete the logs of the first draws. The journal records which, and keeps their digests.

    Example: arena league prune autumn --to 3 --private
    """
    _ask(folder, Prune(last, private))
