"""`arena rerun`: what one seat of a logged match was told, told to a program again, without a clock."""

import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any

import click

from arena.cli import DONE, NO
from arena.cli.options import json_option
from arena.cli.output import Column, print_json, print_table, stdout
from arena.cli.replay import checked_seat, read_log
from arena.errors import UserError
from arena.recorded import Told, told
from arena.replay import Mismatch
from arena.sanitise import caption
from protocol.codec import decode_from_referee
from protocol.dialogue import Phase
from protocol.faults import ENDED, FORGIVABLE, Fault, illegal
from protocol.inbox import Inbox
from protocol.messages import End, Hello, Ready, Reply, Request

READ_SIZE = 64 * 1024
GOODBYE_SECONDS = 1.0
"""How long a program may stay behind the last line, as in a match."""


@click.command("rerun", context_settings={"ignore_unknown_options": True})
@click.argument("path", metavar="LOG", type=click.Path(path_type=Path))
@click.option("--seat", type=click.IntRange(0), required=True, help="The seat whose requests are told again.")
@json_option
@click.argument("words", nargs=-1, required=True, metavar="-- COMMAND...", type=click.UNPROCESSED)
def command(path: Path, seat: int, as_json: bool, words: tuple[str, ...]) -> int:
    """Tell a program what SEAT was told in LOG, byte for byte, and show where it answers otherwise. Whatever
    it answers, the next request is the recorded one. There is no clock before the last line, and its standard
    error is yours, so that it may be stopped in a debugger. Exits with 1 if an answer differs.

    Example: arena rerun match.jsonl --seat 0 -- python3 -P mybot.py
    """
    log = read_log(path)
    checked_seat(log, seat, path)
    try:
        lines = list(told(log, seat))
    except Mismatch as mismatch:
        raise UserError(f"{path}: {mismatch}") from None
    answers = list(_answers(lines, words))
    differences = [row for row in answers if row["before"] != row["now"]]
    if as_json:
        print_json({"requests": len(answers), "differences": differences})
    else:
        _print(differences, len(answers))
    return NO if differences else DONE


def _answers(lines: Sequence[Told], words: Sequence[str]) -> Iterator[dict[str, Any]]:
    """What was answered before and is answered now to every request, up to a fault."""
    try:
        process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
    except OSError as error:
        raise UserError(f"{words[0]}: {error.strerror}") from None
    assert process.stdin is not None
    assert process.stdout is not None
    inbox = Inbox()
    with process:
        for line in lines:
            message = decode_from_referee(line.line)
            if isinstance(message, End):
                _write(process.stdin, line.line)
                break
            inbox.open(Phase.ASKED if line.request_id else Phase.STARTING, line.request_id)
            _write(process.stdin, line.line)
            answer = _answer(inbox, process.stdout)
            before = line.fault or line.action or "ready"
            now = _told(answer, message)
            yield {"request": line.request_id, "deal": line.deal_no, "before": before, "now": now}
            if isinstance(answer, Fault) and answer.kind not in FORGIVABLE:
                break
        process.stdin.close()
        process.stdout.close()
        try:
            process.wait(GOODBYE_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()


def _write(pipe: IO[bytes], line: bytes) -> None:
    """All of it; a program that reads no more is found out when it should answer."""
    try:
        while line:
            line = line[pipe.write(line) :]
    except BrokenPipeError:
        pass


def _answer(inbox: Inbox, output: IO[bytes]) -> Ready | Reply | Fault:
    while (verdict := inbox.take()) is None:
        data = output.read(READ_SIZE)
        if not data:
            return inbox.take(at_end=True) or ENDED
        inbox.feed(data)
    return verdict


def _told(answer: Ready | Reply | Fault, asked: Hello | Request) -> str:
    """The answer, or the fault that it is, as a log would tell it."""
    match answer:
        case Ready():
            return "ready"
        case Reply(action=action) if isinstance(asked, Request) and action not in asked.legal:
            answer = illegal(action)
        case Reply(action=action):
            return action
    return f"{answer.kind}: {caption(answer.detail)}"


def _print(differences: Sequence[dict[str, Any]], requests: int) -> None:
    if not differences:
        click.echo(f"the same {requests} answers")
        return
    columns = [Column("deal", right=True), Column("request", right=True), Column("in the log", folds=True)]
    columns.append(Column("now", folds=True))
    rows = [(str(row["deal"]), str(row["request"]), row["before"], row["now"]) for row in differences]
    print_table(f"{len(differences)} of {requests} answers differ", columns, rows, stdout())
