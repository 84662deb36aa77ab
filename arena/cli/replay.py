"""`arena replay`: shows a logged match, by steps in a terminal, as text, or as a page; or verifies logs."""

from pathlib import Path
from typing import Any, Final

import click

from arena.cli import DONE, NO
from arena.cli.meant import PlaceType
from arena.cli.options import file_option, json_option, refuse_given
from arena.cli.output import print_json, say
from arena.commands.replay import LogVerdict, VerifyLogs, as_data, checked_seat, read_log
from arena.log.retrace import Log, Mismatch
from arena.process.interruptible import run_tasks
from arena.screens.show.steps import Steps
from arena.screens.show.story import story
from arena.screens.terminal.stepping import Stepping, step_through
from arena.screens.terminal.terminal import terminal, usable
from arena.system.errors import UserError
from arena.system.outputs import require_other, write_file
from arena.system.places import PlaceKind
from arena.system.wording import counted

SHOWN: Final = {
    "deal": "--deal",
    "seat": "--seat",
    "notes": "--notes",
    "as_text": "--print",
    "with_stderr": "--with-stderr",
    "html": "--html",
}
"""Options that select or shape what is shown, by parameter."""


@click.command("replay")
@click.argument("logs", nargs=-1, required=True, metavar="LOG...", type=PlaceType(PlaceKind.LOG))
@click.option("--deal", type=click.IntRange(1), help="Show only this deal.")
@click.option("--seat", type=click.IntRange(0), help="Show only what this seat knew.")
@click.option("--notes", is_flag=True, help="Also show the bots' notes.")
@click.option(
    "--print",
    "as_text",
    is_flag=True,
    help="Print text instead of stepping through; the default without a terminal.",
)
@click.option("--verify", "only_verify", is_flag=True, help="Play the logs again, and compare every line.")
@click.option(
    "--with-stderr", is_flag=True, help="With --html: include what the bots wrote to standard error."
)
@file_option("--html", "Write a page for a browser.")
@json_option
@click.pass_context
def command(
    context: click.Context,
    logs: tuple[Path, ...],
    deal: int | None,
    seat: int | None,
    notes: bool,
    as_text: bool,
    only_verify: bool,
    with_stderr: bool,
    html: Path | None,
    as_json: bool,
) -> int:
    """Step through a logged match with the arrow keys, or print it.

    With --html, write one page that shows the match in any browser, without a network, with the views of all
    seats. With --seat, it contains only what that seat knew.

    With --verify, deal the logs again from their keys, play them by the rules, and compare. Exits with 1 if a
    log does not verify.

    \b
    arena replay match.jsonl                           # as text
    arena replay match.jsonl --html match.html         # as a page
    arena replay --verify matches/*.jsonl
    """
    if only_verify:
        refuse_given(context, SHOWN, "--verify compares whole logs and does not show them")
        return _verify(logs, as_json)
    if len(logs) > 1:
        raise UserError("only one log at a time can be shown; --verify takes many")
    (path,) = logs
    log = read_log(path, say)
    checked_seat(log, seat, path)
    if as_json and (notes or as_text):
        raise UserError("--json writes data, with all notes: leave out --print and --notes")
    if html is not None and (deal is not None or notes or as_json):
        raise UserError("--html writes the whole match: leave out --deal, --notes and --json")
    require_other("--html", html, path)
    if with_stderr and html is None:
        raise UserError("--with-stderr needs --html FILE")
    if deal is not None and deal > log.opened.deals:
        raise UserError(f"--deal {deal}: {path} has deals 1 to {log.opened.deals}")
    try:
        if html is not None:
            # Imported here because the templates are slow to load.
            from arena.report.replay import replay_page, stderr_beside

            stderr = stderr_beside(path, log.seats) if with_stderr else None
            write_file("--html", html, replay_page(log, seat, stderr=stderr).encode())
        elif as_json:
            print_json(as_data(log, deal, seat))
        elif not as_text and usable():
            step(log, deal, seat)
        else:
            click.echo("\n".join(story(log, deal, seat, notes=notes)))
    except Mismatch as mismatch:
        raise UserError(f"{path}: {mismatch}") from None
    return DONE


def step(log: Log, deal: int | None, seat: int | None) -> None:
    """Step through the match in the terminal. Raises Mismatch before anything is shown."""
    steps = Steps(log.opened)
    for entry in log.entries[1:]:
        steps.take(entry)

    async def show() -> None:
        async with terminal() as screen:
            await step_through(screen, Stepping(steps, seat=seat, deal=deal))

    if steps.turns:
        run_tasks(show)
    else:
        click.echo("\n".join(story(log, None, None, notes=False)))


def _verify(paths: tuple[Path, ...], as_json: bool) -> int:
    verdicts = VerifyLogs(logs=tuple(map(str, paths))).carry_out(say)
    good = sum(verdict.wrong is None for verdict in verdicts)
    if as_json:
        print_json([*map(_verdict_as_json, verdicts)])
    else:
        click.echo(f"{good} of {counted(len(paths), 'log')} verified")
    return DONE if good == len(paths) else NO


def _verdict_as_json(verdict: LogVerdict) -> dict[str, Any]:
    data: dict[str, Any] = {"log": verdict.log, "true": verdict.wrong is None}
    if (wrong := verdict.wrong) is not None:
        data |= {"detail": wrong.detail, "line": wrong.line, "deal": wrong.deal, "seat": wrong.seat}
    return data
