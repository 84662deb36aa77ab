"""`arena rematch`: a logged match once more, with another bot in one of its seats."""

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import click
import msgspec

from arena.cli.options import json_option, log_option, sandbox_options
from arena.cli.output import say
from arena.cli.replay import checked_seat, read_log
from arena.cli.single import play, show, write_log
from arena.cli.terms import playable
from arena.entrants import find, house_bot, unlike
from arena.errors import UserError
from arena.job import Entrant, Job
from arena.journal import FILE, Journal
from arena.matchlog import Closed
from arena.record import Record
from arena.replay import Log
from arena.sandbox import Sandbox
from protocol.outcome import totals


@click.command("rematch")
@click.argument("path", metavar="LOG", type=click.Path(path_type=Path))
@click.option("--seat", type=click.IntRange(0), required=True, help="The seat that another bot takes.")
@click.argument("bot", type=click.Path())
@click.argument("others", nargs=-1, type=click.Path())
@log_option
@sandbox_options
@json_option
def command(
    path: Path,
    seat: int,
    bot: str,
    others: tuple[str, ...],
    log: Path | None,
    sandbox: Sandbox,
    sandbox_line: str,
    as_json: bool,
) -> None:
    """Play the match in LOG again, with the same deals and limits, and BOT in SEAT. Nothing that stands in a
    log is executed, and it holds only the digests of the programs: those that sat in the other seats are
    found by them among OTHERS or, beside a tournament's journal, among its entrants. One that has changed
    since is not the same opponent, and is refused.

    Example: arena rematch match.jsonl --seat 0 mybot2.py bots/*
    """
    logged = read_log(path)
    checked_seat(logged, seat, path)
    known = [*find(others, logged.game.id, sandbox).entrants, *_entrants_of(path, logged, sandbox)]
    (newcomer,) = playable([bot], logged.game.id, sandbox)
    job = _job(logged, _seated(logged, seat, newcomer, known), sandbox)
    say(sandbox_line)
    finished = play(job)
    write_log(log, finished)
    show(job, finished, seed=None, log=log, as_json=as_json)
    if not as_json:
        say(f"in {path} seat {seat} was {_before(logged, seat)}")


def _before(log: Log, seat: int) -> str:
    before = log.entries[-1]
    assert isinstance(before, Closed)
    points = f"{totals(before.points, log.seats)[seat]} {log.game.counts}"
    return f"{log.opened.entrants[seat].name}, with {points}, placed {before.placings[seat]}"


def _entrants_of(path: Path, log: Log, sandbox: Sandbox) -> Iterator[Entrant]:
    """Those of the tournament to which a log belongs, if it does, as their programs are now."""
    folder = path.absolute().parent.parent
    if not (folder / FILE).is_file():
        return
    with Journal(folder) as journal:
        entrants = Record(journal.entries).entrants.values()
    for entrant in entrants:
        # One that has gone since matters only if it sat here, and is missed then.
        with contextlib.suppress(UserError):
            yield from find([entrant.source], log.game.id, sandbox).entrants


def _seated(log: Log, seat: int, newcomer: Entrant, known: Sequence[Entrant]) -> tuple[Entrant, ...]:
    """The entrants by seat; the old ones under the names that they had, since their seeds come from those.
    Raises UserError where one is not known."""
    by_digest = {entrant.digest: entrant for entrant in (*known, house_bot("house"))}
    names = [entrant.name for entrant in log.opened.entrants]
    others = [name for at, name in enumerate(names) if at != seat]
    seated = []
    for at, logged in enumerate(log.opened.entrants):
        same = newcomer if at == seat else by_digest.get(logged.digest)
        if same is None:
            changed = any(entrant.name == logged.name for entrant in known)
            why = "has changed since" if changed else "is not among the bots named behind BOT"
            raise UserError(f"seat {at}: the program of {logged.name} {why} (digest {logged.digest[:16]}…)")
        name = logged.name if at != seat else newcomer.name
        if at == seat and name in others:
            name = unlike(name, others, (f"-new{number}" for number in ("", *range(2, log.seats + 1))))
        seated.append(msgspec.structs.replace(same, name=name))
    return tuple(seated)


def _job(log: Log, entrants: tuple[Entrant, ...], sandbox: Sandbox) -> Job:
    opened = log.opened
    return Job(
        match_id=opened.match_id,
        game=opened.game,
        options=opened.options,
        deals=opened.deals,
        pod_key=opened.pod_key,
        seating_no=opened.seating_no,
        entrants=entrants,
        limits=opened.limits,
        faults=opened.faults,
        sandbox=sandbox,
        ponder=opened.ponder,
    )
