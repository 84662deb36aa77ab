"""`arena match`: one match between bots, here and now."""

import hashlib
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click
import msgspec
import trio

from arena.cli.faults import print_faults
from arena.cli.options import (
    DurationType,
    checked_seed,
    chosen_sandbox,
    game_options,
    play_options,
    with_startup,
)
from arena.cli.output import Column, print_json, print_table, say, stdout
from arena.cores import claimed
from arena.descendants import adopt_orphans
from arena.entrants import find, house_bot, numbered
from arena.errors import UserError
from arena.faults import fault_rows
from arena.games.game import Game
from arena.job import Entrant, Finished, Job, Report, Void
from arena.journal import write_whole
from arena.matchlog import Opened, parse_line
from arena.pool import play_all
from arena.sandbox import Sandbox
from arena.screen.keys import INTERRUPT
from arena.screen.stepping import Stepping, step_through
from arena.screen.steps import Steps
from arena.screen.terminal import terminal, usable
from protocol.messages import Limits
from protocol.outcome import totals
from protocol.streams import pod_key


@click.command("match")
@click.argument("bots", nargs=-1, required=True, metavar="BOT...", type=click.Path())
@click.option("--seats", type=int, help="Seats; house bots fill the empty ones.  [default: as many as bots]")
@play_options
@click.option("--log", type=click.Path(dir_okay=False, path_type=Path), help="Write the match log here.")
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
    game: Game,
    options: tuple[str, ...],
    deals: int | None,
    seed: str | None,
    time: Limits,
    startup: int,
    faults: int,
    level: str | None,
    memory: int,
    as_json: bool,
    log: Path | None,
    watched: bool,
    pause: int,
) -> None:
    """Play one match. The first bot has seat 0, the others sit to its left in the order given; a bot named
    twice plays against a copy of itself.

    Example: arena match bots/careful.py bots/greedy.py bots/random.py --seed 7 --log match.jsonl
    """
    sandbox, what_it_means = chosen_sandbox(level, memory)
    entrants = seated(playable(bots, game, sandbox), game, seats)
    seed = checked_seed(seed)
    variant = game_options(game, options)
    job = Job(
        match_id="match",
        game=game.id,
        options=msgspec.to_builtins(variant),
        deals=deals or game.deals(len(entrants), variant),
        pod_key=pod_key(seed, 0, 0),
        seating_no=1,
        entrants=entrants,
        limits=with_startup(time, startup),
        faults=faults,
        sandbox=sandbox,
        watched=watched,
    )
    require_folder(log)
    if watched and not usable():
        raise UserError("--watch needs a terminal; elsewhere --log FILE and then arena replay FILE")
    say(what_it_means)
    finished = play(job, partial(watch, pause / 1000) if watched else alone)
    write_log(log, finished)
    if as_json:
        print_json(as_data(job, seed, finished))
    else:
        print_match(job, game, finished)
        say(f"seed: {seed}")
        if log is not None:
            say(f"arena replay {log} shows it trick by trick")


def playable(bots: Sequence[str], game: Game, sandbox: Sandbox) -> tuple[Entrant, ...]:
    """The bots that these words name. Raises UserError for one that names none, or one that cannot play."""
    found = find(bots, game.id, sandbox)
    for left_out in found.left_out:
        raise UserError(f"{left_out.name} cannot play: {left_out.reason}")
    for word, reason in found.passed_over:
        raise UserError(f"{word}: not a bot ({reason})")
    return found.entrants


def seated(entrants: Sequence[Entrant], game: Game, seats: int | None) -> tuple[Entrant, ...]:
    """By seat, house bots on the empty ones. Raises UserError where they do not fit the game."""
    entrants = numbered(entrants)
    wanted = seats or max(len(entrants), game.seats[0])
    if wanted not in game.seats:
        raise UserError(f"{game.id} is played by {game.seats[0]} to {game.seats[-1]} seats, not {wanted}")
    if wanted < len(entrants):
        raise UserError(
            f"--seats {wanted}: {len(entrants)} bots do not fit; leave out {len(entrants) - wanted}"
        )
    houses = (house_bot(f"house-{number}") for number in range(1, wanted - len(entrants) + 1))
    return (*entrants, *houses)


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


def require_folder(log: Path | None) -> None:
    """Raises UserError where --log names a folder that is not there: before the match, not after it."""
    if log is not None and not log.absolute().parent.is_dir():
        raise UserError(f"--log {log}: there is no folder {log.absolute().parent}")


def write_log(log: Path | None, finished: Finished) -> None:
    if log is None:
        return
    try:
        write_whole(log, finished.log.encode())
    except OSError as error:
        raise UserError(f"--log {log}: {error.strerror}") from None


def as_data(job: Job, seed: str | None, finished: Finished) -> dict[str, Any]:
    """A match for machines; without a seed where only the key is known that was made from it."""
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


def print_match(job: Job, game: Game, finished: Finished) -> None:
    points, placings = finished.outcome.points, finished.outcome.placings
    sums = totals(points, len(job.entrants))
    forfeited = {forfeit.seat: forfeit.kind for forfeit in finished.forfeits}
    columns = [Column("place", right=True), Column("bot"), Column("seat", right=True)]
    columns += [Column(f"deal {deal_no}", right=True, spare=deal_no) for deal_no in range(1, len(points) + 1)]
    columns += [Column("points", right=True), Column("")]
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
