"""Plays jobs by several workers: jobs go in, reports come out in the order in which the matches end. A worker
that dies is replaced, and its match is played again.

Knows jobs, not what they belong to.
"""

from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from typing import Final, Protocol, Self

import msgspec
import trio

from arena.playing.job import Job, LogLine, Report, Void
from arena.process.child import AwaitedProcess
from arena.process.private import discard_abandoned_by

DEATHS_PER_MATCH: Final = 2
"""A match is void when this many workers died over it."""
QUICK_SECONDS: Final = 0.05
"""A worker whose last match took less than this is handed one job in advance: waiting for it would take half
a millisecond. Behind a slow match a job would wait there while another worker may be idle."""

_encoder = msgspec.json.Encoder()
_decoder: msgspec.json.Decoder[Report | LogLine] = msgspec.json.Decoder(Report | LogLine)

OnLine = Callable[[bytes], None]
OnBegun = Callable[[Job], None]


def never_stop() -> bool:
    """The `stopping` of a caller who does not stop."""
    return False


def ignore_line(line: bytes) -> None:
    """The `on_line` of a caller who watches no match."""


def ignore_begun(job: Job) -> None:
    """The `on_begun` of a caller who does not say what is being played."""


class Worker(AwaitedProcess):
    """A worker, pinned to a core together with its bots, or to none. Must be ended by `stop`."""

    def __init__(self, core: int | None = None) -> None:
        super().__init__("arena.playing.worker", core)

    async def begin(self, job: Job) -> None:
        """Hands over a match, which is played after those handed over before. If the worker has died,
        `report` says so."""
        placed = msgspec.structs.replace(job, own_core=self.core is not None)
        await self.tell(_encoder.encode(placed))

    async def report(self, on_line: OnLine) -> Report | None:
        """The report of the next match, in the order in which matches were handed over; None if the worker
        died over it. `on_line` is called with the lines of its log if the job is `watched`."""
        while (line := await self.next_line()) is not None:
            report = _decoder.decode(line)
            if not isinstance(report, LogLine):
                return report
            on_line(report.line.encode())
        return None


class PlayAll(Protocol):
    """A way to have matches played: that of a Pool, of a cluster (arena/cluster/), or of this process
    (here.py)."""

    async def __call__(
        self,
        jobs: Iterable[Job],
        workers: int,
        done: Callable[[Report], None],
        stopping: Callable[[], bool] = ...,
    ) -> None: ...


class Pool:
    """Workers that are started when there is something to play, and kept for later jobs. A context manager:
    at its end they are gone."""

    def __init__(self, workers: int, cores: Sequence[int] = (), on_begun: OnBegun = ignore_begun) -> None:
        """At most `workers` of them. The first ones get one of the `cores` each, which no other run may use.
        `on_begun` is called with each job that is handed to a worker; one in advance is begun moments later,
        and one over which a worker died begins again."""
        self._on_begun = on_begun
        self._idle: list[Worker] = []
        self._free: list[int | None] = [*cores[:workers], *[None] * (workers - len(cores))][::-1]

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        async with trio.open_nursery() as nursery:
            for worker in self._idle:
                nursery.start_soon(worker.stop)

    async def play_all(
        self,
        jobs: Iterable[Job],
        workers: int,
        done: Callable[[Report], None],
        stopping: Callable[[], bool] = never_stop,
        on_line: OnLine = ignore_line,
    ) -> None:
        """Plays every job, by at most `workers` workers, and calls `done` with each report when it comes. Two
        matches of the same deals do not run at the same time while other jobs wait: bots that run at the same
        time may find a way to tell each other the cards. A job over which DEATHS_PER_MATCH workers died is
        void. Once `stopping` returns true no further job is handed over. `on_line` is called with the log's
        lines of jobs that are `watched`; they begin anew where a worker died."""
        queue = _Queue(jobs)
        async with trio.open_nursery() as nursery:
            for _ in range(min(len(self._idle) + len(self._free), workers, len(queue))):
                nursery.start_soon(self._work, queue, done, stopping, on_line)

    async def _work(
        self,
        queue: "_Queue",
        done: Callable[[Report], None],
        stopping: Callable[[], bool],
        on_line: OnLine,
    ) -> None:
        """Plays jobs of the queue by one worker, until none waits."""
        worker = self._idle.pop() if self._idle else Worker(self._free.pop())
        begun: deque[Job] = deque()
        quick = False
        try:
            while True:
                # One job at a time, or two if the worker is quick.
                while len(begun) <= quick and len(queue) and not stopping():
                    begun.append(queue.take())
                    self._on_begun(begun[-1])
                    await worker.begin(begun[-1])
                if not begun:
                    break
                since = trio.current_time()
                report = await worker.report(on_line)
                quick = trio.current_time() - since < QUICK_SECONDS
                job = begun.popleft()
                queue.ended(job)
                if report is None:
                    report = Void(job.match_id, *worker.death())
                    await worker.stop()
                    discard_abandoned_by(entrant.launch for entrant in job.entrants)
                    worker = Worker(worker.core)
                    queue.give_back(begun)
                    begun.clear()
                    if queue.tried_again(job):
                        continue
                done(report)
        except BaseException:
            # The worker may be in the middle of a match, so it cannot be kept.
            self._free.append(worker.core)
            await worker.stop()
            raise
        self._idle.append(worker)


class _Queue:
    """The jobs of one call that are still to be played; its length is the number of those that wait."""

    def __init__(self, jobs: Iterable[Job]) -> None:
        self._waiting = list(jobs)[::-1]
        """The last one is next."""
        self._playing: Counter[str] = Counter()
        """Matches that run, by pod key: those of one pod have the same deals."""
        self._deaths: Counter[str] = Counter()

    def __len__(self) -> int:
        return len(self._waiting)

    def take(self) -> Job:
        """The next job: the first of a pod that is not being played, if there is one."""
        last = len(self._waiting) - 1
        apart = (at for at in range(last, -1, -1) if not self._playing[self._waiting[at].pod_key])
        job = self._waiting.pop(next(apart, last))
        self._playing[job.pod_key] += 1
        return job

    def ended(self, job: Job) -> None:
        """A job that was taken is not being played any more."""
        self._playing[job.pod_key] -= 1

    def give_back(self, jobs: Sequence[Job]) -> None:
        """Lets jobs that were taken and not begun wait again, in front of the others."""
        self._waiting.extend(reversed(jobs))
        self._playing.subtract(job.pod_key for job in jobs)

    def tried_again(self, job: Job) -> bool:
        """Whether a job over which a worker died waits again, since too few workers died over it."""
        self._deaths[job.match_id] += 1
        if again := self._deaths[job.match_id] < DEATHS_PER_MATCH:
            self._waiting.append(job)
        return again


async def play_all(
    jobs: Iterable[Job],
    workers: int,
    done: Callable[[Report], None],
    stopping: Callable[[], bool] = never_stop,
    cores: Sequence[int] = (),
    on_line: OnLine = ignore_line,
) -> None:
    """Plays jobs by a pool of their own, as Pool.play_all."""
    async with Pool(workers, cores) as pool:
        await pool.play_all(jobs, workers, done, stopping, on_line)
