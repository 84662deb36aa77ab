"""`arena league`: a contest that does not end with the evening."""

from collections import Counter
from pathlib import Path

import click

from arena.calls import league_tables as tables
from arena.calls.league import MARGIN, AddBot, NewAuthor, NewLeague, RunLeague, read
from arena.calls.league import verify as verified
from arena.calls.outputs import require_folder
from arena.calls.walls import Walls
from arena.cli import DONE, INTERRUPTED, NO
from arena.cli.options import (
    DurationType,
    FiniteRange,
    TimeType,
    folder_argument,
    jobs_option,
    json_option,
    sandbox_options,
)
from arena.cli.output import Column, print_json, print_table, say, stdout
from arena.league.carried import CURRENT
from arena.league.copies import copy
from arena.league.entries import Annulled, Entry, Paused, Received, Restored, Retired
from arena.league.hand import Close, Prune, Request, twins
from arena.league.orders import request
from arena.league.progress import line_of
from arena.league.state import State
from protocol.messages import Limits
from protocol.units import Ms


@click.group("league")
def command() -> None:
    """Hold a league: versions of bots come in at any time, are checked, and are ranked by what they gain
    against a fixed mix of bots. It goes on until you close it.

    Example: arena league new autumn --board sticheln:4
    """


@command.command("new")
@folder_argument
@click.option("--board", "boards", multiple=True, metavar="GAME:SEATS", help="Such as sticheln:4.")
@click.option("--after", type=click.Path(), help="Begin with the anchors, and the boards, of this league.")
@click.option("--deals", type=click.IntRange(1, 1000), help="Deals of a match.  [default: the game's]")
@click.option(
    "--time",
    type=TimeType(),
    default="50ms+1s",
    show_default=True,
    help="Limit of a decision, and a match's bank for the time beyond it.",
)
@click.option("--startup", type=DurationType(), default="10s", show_default=True, help="Time to start up.")
@click.option(
    "--margin",
    type=FiniteRange(0, min_open=True),
    default=MARGIN,
    show_default=True,
    help="Strengths that differ by less, in gains a deal, are as good as equal.",
)
@click.option(
    "--segment",
    type=click.IntRange(1, 1_000_000),
    default=10_000,
    show_default=True,
    help="Draws in a file of the journal; only the last file is read to go on.",
)
@sandbox_options
def new(
    folder: Path,
    boards: tuple[str, ...],
    after: str | None,
    deals: int | None,
    time: Limits,
    startup: Ms,
    margin: float,
    segment: int,
    walls: Walls,
) -> None:
    """Found a league in DIR, with the sample bots as its anchors.

    Example: arena league new autumn --board sticheln:4
    """
    limits = Limits(start_ms=startup, decision_ms=time.decision_ms, bank_ms=time.bank_ms)
    call = NewLeague(
        folder=str(folder),
        boards=boards,
        after=after,
        deals=deals,
        limits=limits,
        walls=walls,
        margin=margin,
        segment=segment,
    )
    call.carry_out(say)
    say(f"{folder} is there; next: arena league author {folder} NAME")


@command.command("author")
@folder_argument
@click.argument("author")
@click.option("--title", default="", help="What people read, in any script.")
def author(folder: Path, author: str, title: str) -> None:
    """Register AUTHOR, and print a token: it is shown once, and stored by its hash only.

    Example: arena league author autumn red --title "Team Red"
    """
    click.echo(NewAuthor(folder=str(folder), author=author, title=title).carry_out(say))


@command.command("add")
@folder_argument
@click.argument("bot", type=click.Path())
@click.option("--author", required=True, help="Who sends it.")
@click.option("--name", help="What the bot is called.  [default: its file]")
def add(folder: Path, bot: str, author: str, name: str | None) -> int:
    """Send BOT, a file or a folder, to the league in DIR. It is built and checked; if that succeeds it is the
    current version of its bot, else the version before it stays.

    Example: arena league add autumn mybot.py --author red
    """
    version = AddBot(folder=str(folder), bot=bot, author=author, name=name).carry_out(say)
    click.echo(f"{version.id}: {version.status}" + (f", {version.why}; {version.cure}" * bool(version.why)))
    return DONE if version.status == CURRENT else NO


_FOLDER = click.Path(file_okay=False, path_type=Path)
_title_option = click.option("--title", default="", help="Heading of its pages.  [default: the name of DIR]")


def _folder(context: click.Context, parameter: click.Parameter, path: Path | None) -> Path | None:
    require_folder(parameter.opts[0], path)
    return path


@command.command("run")
@folder_argument
@jobs_option
@click.option("--until-asleep", is_flag=True, help="End when no question is open.")
@click.option("--draws", type=click.IntRange(0), help="End after this many draws.")
@click.option("--pages", callback=_folder, type=_FOLDER, help="Keep its pages here.  [default: DIR/site]")
@_title_option
def run(
    folder: Path, jobs: int | None, until_asleep: bool, draws: int | None, pages: Path | None, title: str
) -> int:
    """Play the league in DIR until Ctrl-C. Again to go on. Its pages are written anew while it is played: put
    any web server on their folder.

    Example: arena league run autumn
    """

    def on_entry(state: State, entry: Entry) -> None:
        if line := line_of(state, entry):
            say(line)
        if isinstance(entry, Received) and (same := twins(state, entry.version)):
            say(f"{entry.version} is the same program as {', '.join(same)}")

    call = RunLeague(
        folder=str(folder),
        jobs=jobs,
        until_asleep=until_asleep,
        draws=draws,
        pages=str(pages) if pages else None,
        title=title,
    )
    return INTERRUPTED if call.carry_out(say, on_entry) else DONE


@command.command("standings")
@folder_argument
@json_option
def standings(folder: Path, as_json: bool) -> None:
    """Show the boards of the league in DIR.

    Example: arena league standings autumn
    """
    state = read(folder)
    if as_json:
        print_json(tables.standings(state))
        return
    columns = [
        Column("place", right=True),
        Column("version"),
        Column("author", spare=1),
        Column("strength", right=True),
        Column("95 %", right=True),
        Column("group", right=True, spare=2),
        Column("pods", right=True),
        Column("better", spare=3),
    ]
    for board in state.boards:
        rows = [
            [
                "" if row.place is None else str(row.place),
                row.version,
                row.title,
                _signed(row.strength),
                _interval(row.low, row.high),
                "" if row.group is None else str(row.group),
                str(row.pods),
                {None: "", True: "yes", False: "not yet said"}[row.better],
            ]
            for row in tables.board_rows(state, board)
        ]
        print_table(board, columns, rows, stdout())
        click.echo(tables.expected(state, tables.forecast(state, board)))
    for version in state.waiting():
        click.echo(f"{version.id} waits to be taken in")


@command.command("versions")
@folder_argument
@click.argument("bot")
@json_option
def versions(folder: Path, bot: str, as_json: bool) -> None:
    """Show all versions of BOT, an `author/bot` or an author, with their numbers.

    Example: arena league versions autumn red/mybot
    """
    rows = tables.version_rows(read(folder), bot)
    if as_json:
        print_json(rows)
        return
    columns = [
        Column("version"),
        Column("status"),
        Column("board"),
        Column("strength", right=True),
        Column("95 %", right=True),
        Column("pods", right=True),
        Column("faults", right=True, spare=2),
        Column("remark", folds=True, spare=1),
    ]
    texts = [
        [
            row.version,
            row.status,
            row.board or "",
            _signed(row.strength),
            _interval(row.low, row.high),
            str(row.pods),
            str(row.faults),
            row.why or (f"the same program as {', '.join(row.same_as)}" if row.same_as else ""),
        ]
        for row in rows
    ]
    print_table(bot, columns, texts, stdout())


@command.command("faults")
@folder_argument
@click.option("--bot", help="Of this bot, author or version only.")
@json_option
def faults(folder: Path, bot: str | None, as_json: bool) -> None:
    """Show the matches that versions forfeited in the league in DIR.

    Example: arena league faults autumn --bot red/mybot
    """
    rows = tables.fault_rows(read(folder), bot)
    if as_json:
        print_json(rows)
        return
    if not rows:
        click.echo("no version has forfeited a match")
        return
    columns = [Column("match"), Column("version"), Column("fault"), Column("deal", right=True)]
    texts = [[row.match, row.version, row.kind, str(row.deal_no)] for row in rows]
    print_table("Forfeits", columns, texts, stdout())


@command.command("report")
@folder_argument
@click.option("--out", callback=_folder, type=_FOLDER, help="Write them here.  [default: DIR/site]")
@_title_option
def report(folder: Path, out: Path | None, title: str) -> None:
    """Write the league in DIR, whether it is played or not, as pages for any web server: its boards, a page
    for each bot, and replays of its last games. They show nothing that is private, and no hand of a draw that
    is not over. `arena league run` keeps them up to date.

    Example: arena league report autumn --title "Autumn League"
    """
    # Imported here because Jinja is slow to load.
    from arena.calls.league_site import write_site

    click.echo(write_site(folder, out, title))


@command.command("why")
@folder_argument
@click.argument("number", type=click.IntRange(1))
@json_option
def why(folder: Path, number: int, as_json: bool) -> None:
    """Say why draw NUMBER was played, and what came of it.

    Example: arena league why autumn 1
    """
    lines = tables.why(read(folder, number), number)
    if as_json:
        print_json(lines)
        return
    for line in lines:
        click.echo(line)


@command.command("verify")
@folder_argument
@json_option
def verify(folder: Path, as_json: bool) -> int:
    """Derive every draw, result and checkpoint of the league in DIR again, from its journal and the public
    part of its logs.

    Example: arena league verify autumn
    """
    found = verified(folder)
    if as_json:
        print_json(found)
    else:
        for line in found.wrong:
            click.echo(line)
        for what, times in Counter(line.partition(": ")[2] for line in found.unchecked).items():
            click.echo(f"not checked of {times} draws: {what}")
        click.echo(f"{found.draws} draws; {'nothing' if not found.wrong else len(found.wrong)} wrong")
        click.echo(f"digest {found.digest}")
    return NO if found.wrong else DONE


_reason = click.option("--reason", required=True, help="Why; shown to everybody.")


@command.command("pause")
@folder_argument
@click.argument("version")
@_reason
def pause(folder: Path, version: str, reason: str) -> None:
    """Let VERSION play no longer, until it is restored.

    Example: arena league pause autumn red/mybot@1 --reason "it floods the log"
    """
    _ask(folder, Paused(version, reason))


@command.command("retire")
@folder_argument
@click.argument("version")
@_reason
def retire(folder: Path, version: str, reason: str) -> None:
    """Take VERSION off the boards.

    Example: arena league retire autumn red/mybot@1 --reason "its author's wish"
    """
    _ask(folder, Retired(version, reason))


@command.command("restore")
@folder_argument
@click.argument("version")
@_reason
def restore(folder: Path, version: str, reason: str) -> None:
    """Let a paused or retired VERSION play again.

    Example: arena league restore autumn red/mybot@1 --reason "mended"
    """
    _ask(folder, Restored(version, reason))


@command.command("annul")
@folder_argument
@click.argument("number", type=click.IntRange(1))
@_reason
def annul(folder: Path, number: int, reason: str) -> None:
    """Let draw NUMBER count no longer.

    Example: arena league annul autumn 1 --reason "the machine was asleep"
    """
    _ask(folder, Annulled(number, reason))


@command.command("close")
@folder_argument
@_reason
def close(folder: Path, reason: str) -> None:
    """End the league in DIR: no version comes in any more, and nothing is drawn.

    Example: arena league close autumn --reason "the term is over"
    """
    _ask(folder, Close(reason))


def _ask(folder: Path, asked: Request) -> None:
    """Carry out a request of the organiser, and print what was written."""
    entries = request(folder, asked)
    state = read(folder)
    for entry in entries:
        click.echo(line_of(state, entry))
    if not entries:
        click.echo("it is so already")


def _signed(number: float | None) -> str:
    return "" if number is None else f"{number:+.2f}"


def _interval(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"{low:+.2f} … {high:+.2f}"


@command.command("export")
@folder_argument
@click.argument("target", type=click.Path(path_type=Path))
@click.option("--backup", is_flag=True, help="Everything, secrets and programs too: to go on with it.")
def export(folder: Path, target: Path, backup: bool) -> None:
    """Copy the league in DIR to TARGET, while it is played or not: what others need to verify it, and nothing
    private.

    Example: arena league export autumn public
    """
    copy(folder, target, everything=backup)
    say(f"{target} is there" + ("; it goes on where this user plays it" if backup else ""))


@command.command("prune")
@folder_argument
@click.option("--to", "last", type=click.IntRange(1), required=True, help="Up to this draw.")
@click.option("--private", is_flag=True, help="Only the private parts.")
def prune(folder: Path, last: int, private: bool) -> None:
    """Delete the logs of the first draws. An entry says which; their digests stay.

    Example: arena league prune autumn --to 3 --private
    """
    _ask(folder, Prune(last, private))
