"""A match that belongs to no tournament: plays it, writes its log, prints its result.

Knows no command.
"""

import hashlib
import shlex
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
import trio

from arena import registry
from arena.calls.titles import with_title
from arena.cli.faults import print_faults
from arena.cli.options import write_file
from arena.cli.output import Column, print_json, print_table, say, stdout
from arena.entrants.entrant import Entrant
from arena.log.fault_report import fault_rows
from arena.playing.job import Finished, Job, Report, Void
from arena.process.cores import claimed
from arena.workers.pool import play_all
from protocol.outcome import seats_by_placing, totals

Run: TypeAlias = Callable[[Job, Callable[[Report], None]], Awaitable[None]]
"""Runs a match and calls the second argument with its report."""


async def run_plainly(job: Job, on_report: Callable[[Report], None]) -> None:
    """Run a match on a core of its own, without a screen."""
    with claimed(1) as cores:
        await play_all([job], 1, on_report, cores=cores)


def play_single(job: Job, run: Run = run_plainly) -> Finished:
    """Play a match. The bots' standard error is kept until its end is in the faults of the log. Raises the
    error of a void match."""
    reports: list[Report] = []
    with tempfile.TemporaryDirectory(prefix="arena-") as folder:
        job = msgspec.structs.replace(job, stderr=folder)
        trio.run(run, job, reports.append)
    match reports[0]:
        case Finished() as finished:
            return finished
        case Void() as void:
            raise void.error


def write_log(log: Path | None, finished: Finished) -> None:
    """Write the match log; nothing for None. Raises UserError."""
    if log is not None:
        write_file("--log", log, finished.log.encode())


def show(job: Job, finished: Finished, *, seed: str | None, log: Path | None, as_json: bool) -> None:
    """Print the result of a match, its faults and what to do next. `seed` is None if only the pod key is
    known."""
    if as_json:
        print_json(_as_data(job, finished, seed))
        return
    _print(job, finished)
    if seed is not None:
        say(f"seed: {seed}")
    if log is not None:
        say(f"arena replay {log} shows it trick by trick")
    if faults := fault_rows(finished.log):
        _say_what_to_do(job.entrants[faults[0].seat], log)


def _say_what_to_do(faulty: Entrant, log: Path | None) -> None:
    # Persons and house bots have no source.
    if faulty.source:
        say(f"arena check {shlex.quote(faulty.source)} says how to mend it")
    if log is not None:
        say(f"arena faults {log} --full shows what was sent")


def _as_data(job: Job, finished: Finished, seed: str | None) -> dict[str, Any]:
    points = finished.outcome.points
    return {
        "game": job.game,
        "options": job.options,
        "seed": seed,
        "deals": job.deals,
        "seats": [
            with_title({"seat": seat, "name": entrant.name}, entrant.title)
            | {
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
    game = registry.game(job.game)
    points, placings = finished.outcome.points, finished.outcome.placings
    sums = totals(points, len(job.entrants))
    forfeited = {forfeit.seat: forfeit.kind for forfeit in finished.forfeits}
    columns = [Column("place", right=True), Column("bot"), Column("seat", right=True)]
    columns += [Column(f"deal {deal_no}", right=True, spare=deal_no) for deal_no in range(1, len(points) + 1)]
    columns += [Column(game.counts, right=True), Column("")]
    rows = [
        (
            str(placings[seat]),
            job.entrants[seat].called,
            str(seat),
            *(str(deal[seat]) for deal in points),
            str(sums[seat]),
            f"forfeited: {forfeited[seat]}" if seat in forfeited else "",
        )
        for seat in seats_by_placing(placings)
    ]
    print_table(game.title, columns, rows, stdout())
    print_faults(fault_rows(finished.log), stdout())
