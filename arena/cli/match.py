"""`arena match`: one match between bots, here and now."""

import hashlib
import tempfile
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

import click
import msgspec
import trio

from arena.cli.faults import print_faults
from arena.cli.options import DurationType, bots_argument, json_option, log_option
from arena.cli.output import Column, print_json, print_table, say, stdout
from arena.cli.terms import Terms, seats_option, terms_options
from arena.cores import claimed
from arena.descendants import adopt_orphans
from arena.errors import UserError
from arena.faults import fault_rows
from arena.games import GAMES
from arena.job import Finished, Job, Report, Void
from arena.journal import write_whole
from arena.matchlog import Opened, parse_line
from arena.pool import play_all
from arena.screen.keys import INTERRUPT
from arena.screen.stepping import Stepping, step_through
from arena.screen.steps import Steps
from arena.screen.terminal import terminal, usable
from protocol.outcome import totals


@click.command("match")
@bots_argument
@seats_option
@terms_options
@json_option
@log_option
@click.option("--watch", "watched", is_flag=True, help="See it as it is played; space stops, ? helps.")
@click.option(
    "--pause",
    type=DurationType(),
    default="600ms",
    show_default=True,
    help="With --watch: how long a step is shown.",
)
def command(
    bots: tuple[str, ...],
    seats: int | None,
    terms: Terms,
    as_json: bool,
    log: Path | None,
    watched: bool,
    pause: int,
) -> None:
    """Play one match. The first bot has seat 0, the others sit to its left in the order given; a bot named
    twice plays against a copy of itself.

    Example: arena match bots/careful.py bots/greedy.py bots/random.py --seed 7 --log match.jsonl
    """
    job = terms.job(terms.seated(terms.playable(bots), seats), watched=watched)
    if watched and not usable():
        raise UserError("--watch needs a terminal; elsewhere --log FILE and then arena replay FILE")
    say(terms.sandbox_line)
    finished = play(job, partial(watch, pause / 1000) if watched else alone)
    write_log(log, finished)
    show(job, finished, seed=terms.seed, log=log, as_json=as_json)


Run = Callable[[Job, Callable[[Report], None]], Awaitable[None]]
"""How a match is run: its report goes to the second argument."""


async def alone(job: Job, done: Callable[[Report], None]) -> None:
    with claimed(1) as cores:
        await play_all([job], 1, done, cores=cores)


async def watch(pause: float, job: Job, done: Callable[[Report], None]) -> None:
    """With somebody who looks on: what is seen lags behind as they like, and the match waits for nobody."""
    opened = trio.Event()
    seen: list[Stepping] = []

    def told(line: bytes) -> None:
        entry = parse_line(line)
        if isinstance(entry, Opened):
            seen[:] = [Stepping(Steps(entry), pause=pause, running=True)]
            opened.set()
        else:
            seen[0].steps.take(entry)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(partial(play_all, [job], 1, done, told=told))
        await opened.wait()
        async with terminal() as screen:
            last = await step_through(screen, seen[0])
        if last == INTERRUPT and seen[0].live:
            raise KeyboardInterrupt


def play(job: Job, run: Run = alone) -> Finished:
    """Play a single match. What the bots write to their standard error is kept as long as it takes to put
    the end of it into the log's faults."""
    reports: list[Report] = []
    adopt_orphans()
    with tempfile.TemporaryDirectory(prefix="arena-") as folder:
        job = msgspec.structs.replace(job, stderr=folder)
        trio.run(run, job, reports.append)
    match reports[0]:
        case Finished() as finished:
            return finished
        case Void() as void:
            raise void.error


def write_log(log: Path | None, finished: Finished) -> None:
    if log is None:
        return
    try:
        write_whole(log, finished.log.encode())
    except OSError as error:
        raise UserError(f"--log {log}: {error.strerror}") from None


def show(job: Job, finished: Finished, *, seed: str | None, log: Path | None, as_json: bool) -> None:
    """A match that was played; without a seed where only the key is known that was made from it."""
    if as_json:
        print_json(_as_data(job, finished, seed))
        return
    _print(job, finished)
    if seed is not None:
        say(f"seed: {seed}")
    if log is not None:
        say(f"arena replay {log} shows it trick by trick")


def _as_data(job: Job, finished: Finished, seed: str | None) -> dict[str, Any]:
    points = finished.outcome.points
    return {
        "game": job.game,
        "options": job.options,
        "seed": seed,
        "deals": job.deals,
        "seats": [
            {
                "seat": seat,
                "name": entrant.name,
                "points": [deal[seat] for deal in points],
                "total": totals(points, len(job.entrants))[seat],
                "placing": finished.outcome.placings[seat],
            }
            for seat, entrant in enumerate(job.entrants)
        ],
        "faults": fault_rows(finished.log),
        "log_sha256": hashlib.sha256(finished.log.encode()).hexdigest(),
    }


def _print(job: Job, finished: Finished) -> None:
    game = GAMES[job.game]
    points, placings = finished.outcome.points, finished.outcome.placings
    sums = totals(points, len(job.entrants))
    forfeited = {forfeit.seat: forfeit.kind for forfeit in finished.forfeits}
    columns = [Column("place", right=True), Column("bot"), Column("seat", right=True)]
    columns += [Column(f"deal {deal_no}", right=True, spare=deal_no) for deal_no in range(1, len(points) + 1)]
    columns += [Column(game.counts, right=True), Column("")]
    rows = [
        (
            str(placings[seat]),
            job.entrants[seat].name,
            str(seat),
            *(str(deal[seat]) for deal in points),
            str(sums[seat]),
            f"forfeited: {forfeited[seat]}" if seat in forfeited else "",
        )
        for seat in sorted(range(len(job.entrants)), key=lambda seat: (placings[seat], seat))
    ]
    print_table(game.title, columns, rows, stdout())
    print_faults(fault_rows(finished.log), stdout())
