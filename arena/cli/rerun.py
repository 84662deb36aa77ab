"""`arena rerun`: sends the logged lines of one seat to a program again, without a clock."""

import shlex
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from arena.calls.terms import playable
from arena.calls.walls import Walls
from arena.calls.wording import counted
from arena.cli import DONE, NO
from arena.cli.options import json_option, sandbox_options
from arena.cli.output import Column, print_json, print_table, say, stdout
from arena.cli.replay import checked_seat, read_log
from arena.entrants.find import LENT
from arena.log.retrace import Mismatch
from arena.log.transcript import transcript
from arena.playing.rerun import Compared, answers, started
from arena.process.launch import Launch
from arena.process.sandbox import Level, Sandbox
from arena.system.errors import UserError


@click.command("rerun", context_settings={"ignore_unknown_options": True})
@click.argument("path", metavar="LOG", type=click.Path(path_type=Path))
@click.option("--seat", type=click.IntRange(0), required=True, help="The seat whose requests are sent again.")
@sandbox_options
@json_option
@click.argument("words", nargs=-1, required=True, metavar="BOT | -- COMMAND...", type=click.UNPROCESSED)
def command(path: Path, seat: int, walls: Walls, as_json: bool, words: tuple[str, ...]) -> int:
    """Send a program the lines that SEAT got in LOG, byte for byte, and show where its answers differ.
    Whatever it answers, the next request is the logged one. There is no clock before the last line. Its
    standard error is shown.

    A BOT is started as in a match: in its folder, with the same environment and sandbox. A COMMAND of several
    words is started likewise, in this folder. With --sandbox none a COMMAND is started as your shell would
    start it, so it may be a debugger.

    Exits with 0 if every answer is that of the log, or a legal one where the log has a fault; with 1 if an
    answer differs or is a fault, even if the log has the same fault.

    \b
    arena rerun match.jsonl --seat 0 mybot
    arena rerun match.jsonl --seat 0 --sandbox none -- python3 -m pdb mybot/bot.py
    """
    sandbox, _ = walls.settled()
    log = read_log(path)
    checked_seat(log, seat, path)
    try:
        lines = list(transcript(log, seat))
    except Mismatch as mismatch:
        raise UserError(f"{path}: {mismatch}") from None
    program = _program(words, log.game.id, sandbox)
    with started(program, sandbox, say, _show) as process:
        rows = list(answers(lines, process, say))
    if as_json:
        _print_json(rows)
    else:
        _print(rows, cut_off=bool(lines[-1].fault))
    return NO if any(row.differs or row.faults for row in rows) else DONE


def _program(words: Sequence[str], game: str, sandbox: Sandbox) -> Launch | Sequence[str]:
    """The program of a bot, or the words of a command line that our shell would start. Raises UserError."""
    is_bot = len(words) == 1 and not _is_program(words[0])
    if sandbox.level is Level.NONE and not is_bot:
        return words
    (bot,) = playable(words if is_bot else [f"COMMAND={shlex.join(words)}"], game, sandbox)
    return bot.launch


def _is_program(word: str) -> bool:
    """Whether the word names a program on the PATH, and no bot."""
    return "/" not in word and word not in LENT and not Path(word).exists() and shutil.which(word) is not None


def _show(text: str) -> None:
    click.echo(text, err=True, nl=False)


def _print_json(rows: Sequence[Compared]) -> None:
    def data(row: Compared) -> dict[str, Any]:
        return {"request": row.request, "deal": row.deal, "before": row.before, "now": row.now}

    print_json(
        {
            "requests": len(rows),
            "differences": [data(row) for row in rows if row.differs],
            "mended": [data(row) for row in rows if row.mended],
            "faults_again": [data(row) for row in rows if row.faults and not row.differs],
        }
    )


def _print(rows: Sequence[Compared], *, cut_off: bool) -> None:
    """Print the comparison. `cut_off` says that the log ends for this seat with a fault."""
    differences = [row for row in rows if row.differs]
    again = [row for row in rows if row.faults and not row.differs]
    mended = [row for row in rows if row.mended]
    forfeits_again = cut_off and again[-1:] == list(rows[-1:])
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
        kind = row.before.partition(":")[0]
        last = "; the log has no further requests for this seat" if cut_off and row is rows[-1] else ""
        click.echo(f"where the log has a fault ({kind}) it answers {row.now} now{last}")
