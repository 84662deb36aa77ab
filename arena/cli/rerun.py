"""`arena rerun`: sends the logged lines of one seat to a program again, without a time limit."""

from typing import Any

import click

from arena.cli import DONE, NO
from arena.cli.derived import takes
from arena.cli.options import json_option
from arena.cli.output import Column, print_json, print_table, say, stdout
from arena.commands.rerun import Rerun, RerunResult
from arena.playing.resend import AnswerPair
from arena.system.wording import counted


@click.command("rerun", context_settings={"ignore_unknown_options": True})
@takes(Rerun)
@json_option
def command(call: Rerun, as_json: bool) -> int:
    """Send a program the lines that SEAT received in LOG, byte for byte, and show where its answers differ.
    Whatever it answers, the next request is the logged one. There is no time limit until the last line. The
    program's standard error is shown.

    A BOT is started as in a match: in its folder, with the same environment and sandbox. A COMMAND of several
    words is started in the same way, in this folder. With --sandbox none, a COMMAND is started as your shell
    would start it, so it may be a debugger.

    Exits with 0 if every answer is the logged one, or a legal one where the log has a fault. Exits with 1 if
    an answer differs or is a fault, even the same fault as in the log.

    \b
    arena rerun match.jsonl --seat 0 mybot
    arena rerun match.jsonl --seat 0 --sandbox none -- python3 -m pdb bot.py
    """
    done = call.carry_out(say, _show)
    if as_json:
        _print_json(done)
    else:
        _print(done)
    return NO if any(row.differs or row.faults for row in done.rows) else DONE


def _show(text: str) -> None:
    click.echo(text, err=True, nl=False)


def _print_json(done: RerunResult) -> None:
    def data(row: AnswerPair) -> dict[str, Any]:
        return {"request": row.request, "deal": row.deal, "before": row.before, "now": row.now}

    print_json(
        {
            "requests": len(done.rows),
            "differences": [data(row) for row in done.differences],
            "mended": [data(row) for row in done.mended],
            "faults_again": [data(row) for row in done.faults_again],
        }
    )


def _print(done: RerunResult) -> None:
    rows, differences, again, mended = done.rows, done.differences, done.faults_again, done.mended
    forfeits_again = done.cut_off and again[-1:] == [*rows[-1:]]
    if differences:
        columns = [Column("deal", right=True), Column("request", right=True)]
        columns += [Column("in the log", folds=True), Column("now", folds=True)]
        cells = [(str(row.deal), str(row.request), row.before, row.now) for row in differences]
        print_table(f"{len(differences)} of {len(rows)} answers differ", columns, cells, stdout())
    else:
        click.echo(f"the same {counted(len(rows) - len(mended) - len(again), 'answer')}")
    if forgiven := len(again) - forfeits_again:
        click.echo(f"{counted(forgiven, 'forgiven fault')} again")
    if forfeits_again:
        click.echo("then the recorded fault again")
    for row in mended:
        last = "; the log has no further requests for this seat" if done.cut_off and row is rows[-1] else ""
        click.echo(f"the log has a fault ({row.faulted}), but now it answers {row.now}{last}")
