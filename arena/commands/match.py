"""One match between bots that belongs to no tournament: `arena match`."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Annotated, TypeAlias

import msgspec

from arena.entrants.apart import require_unread
from arena.playing.arguments import Argument
from arena.playing.job import Finished, Job, Report, Void
from arena.playing.pool import PlayAll, play_all
from arena.playing.spellings import PathText
from arena.playing.terms import BotWords, Say, Terms, Titles
from arena.process.cores import claimed
from arena.process.interruptible import run_tasks
from arena.process.lag import too_late
from arena.system.outputs import require_place, write_file
from arena.system.temporary import temporary_folder
from arena.system.wording import flag

Run: TypeAlias = Callable[[Job, Callable[[Report], None]], Awaitable[None]]
"""Runs a match and calls the second argument with its report."""


class PlayedMatch(msgspec.Struct, frozen=True):
    """A match that was played, with its seed; None where only the pod key is known."""

    job: Job
    finished: Finished
    seed: str | None


class MatchOptions(Terms, frozen=True, kw_only=True):
    """What is said of a match that belongs to no tournament, besides its bots."""

    seats: Annotated[
        int | None,
        Argument(
            "Number of seats; house bots, which play at random, fill the empty ones.",
            otherwise="as many as needed",
        ),
    ] = None
    titles: Titles = msgspec.field(default_factory=dict)
    log: Annotated[
        PathText | None, Argument("Write the match log to this file.", kind="file", after="allow")
    ] = None


class PlayMatch(MatchOptions, frozen=True):
    """The first bot has seat 0, the others sit to its left in the order given; a bot named twice plays
    against a copy of itself."""

    bots: BotWords

    def carry_out(self, say: Say, run: Run | None = None, *, watched: bool = False) -> PlayedMatch:
        """Plays the match, and writes its log. `watched`: `run` is given its lines as they are written.
        Raises UserError, and RuntimeError for an error of ours."""
        terms = self.settled()
        job = terms.job(
            terms.seated(terms.playable(self.bots), self.seats, self.titles, say), watched=watched
        )
        log = None if self.log is None else Path(self.log)
        require_place(flag.log, log)
        require_unread(log, job.entrants, terms.sandbox)
        say(terms.sandbox_line)
        if late := too_late(job.settings.limits.decision_ms, 1):
            say(late)
        finished = play_single(job, run or run_plainly)
        write_log(log, finished)
        return PlayedMatch(job, finished, terms.seed)


async def run_plainly(job: Job, on_report: Callable[[Report], None]) -> None:
    """Runs a match by a worker on a core of its own."""
    with claimed(1) as cores:
        await play_all([job], 1, on_report, cores=cores)


def run_by(plays: PlayAll) -> Run:
    """Has a match run by `plays`, while a core is claimed for it."""

    async def run(job: Job, on_report: Callable[[Report], None]) -> None:
        with claimed(1):
            await plays([job], 1, on_report)

    return run


def play_single(job: Job, run: Run = run_plainly) -> Finished:
    """Plays a match. The bots' standard error is kept until its end is in the faults of the log. Raises the
    error of a void match."""
    reports: list[Report] = []
    with temporary_folder() as folder:
        job = msgspec.structs.replace(job, stderr=folder)
        run_tasks(run, job, reports.append)
    match reports[0]:
        case Finished() as finished:
            return finished
        case Void() as void:
            raise void.error


def write_log(log: Path | None, finished: Finished) -> None:
    """Writes the match log; nothing for None. Raises UserError."""
    if log is not None:
        write_file(flag.log, log, finished.log.encode())
