"""Distributes jobs to several workers, and passes on their reports in the order in which matches end. A
worker that dies is replaced, and its match is played again.

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
"""A match is void after this many workers have died in it."""
QUICK_SECONDS: Final = 0.05
"""A worker whose last match took less than this gets one job in advance, which saves half a millisecond of
waiting. After a slow match the job might wait there while another worker is idle."""

_encoder = msgspec.json.Encoder()
_decoder: msgspec.json.Decoder[Report | LogLine] = msgspec.json.Decoder(Report | LogLine)

OnLine = Callable[[bytes], None]
OnBegun = Callable[[Job], None]


def never_stop() -> bool:
    """A `stopping` that never stops."""
    return False


def ignore_line(line: bytes) -> None:
    """An `on_line` that ignores log lines."""


def ignore_begun(job: Job) -> None:
    """An `on_begun` that ignores jobs."""


class Worker(AwaitedProcess):
    """A worker, pinned to a core together with its bots, or to none. Must be ended by `stop`."""

    def __init__(self, core: int | None = None) -> None:
        super().__init__("arena.playing.worker", core)

    async def begin(self, job: Job) -> None:
        """Queue a match, to be played after earlier ones. If the worker has died, `report` returns None."""
        placed = msgspec.structs.replace(job, own_core=self.core is not None)
        await self.tell(_encoder.encode(placed))

    async def report(self, on_line: OnLine) -> Report | None:
        """The report of the next queued match; None if the worker died in it. `on_line` is called with the
        lines of its log if the job is `watched`."""
        while (line := await self.next_line()) is not None:
            report = _decoder.decode(line)
            if not isinstance(report, LogLine):
                return report
            on_line(report.line.encode())
        return None


class PlayAll(Protocol):
    """The interface for playing matches: by a Pool, a cluster (arena/cluster/), or this process (here.py)."""

    async def __call__(
        self,
        jobs: Iterable[Job],
        workers: int,
        done: Callable[[Report], None],
        stopping: Callable[[], bool] = ...,
    ) -> None: ...


class Pool:
    """Workers that are started when needed, and kept for later jobs. A context manager, which ends them."""

    def __init__(self, workers: int, cores: Sequence[int] = (), on_begun: OnBegun = ignore_begun) -> None:
        """At most `workers` workers. The first ones are bound to one of the `cores` each, which no other run
        may use. `on_begun` is called with each job that a worker gets: one in advance begins moments later,
        and one in which a worker died is reported again."""
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
        """Play every job on at most `workers` workers, and call `done` with each report as it arrives. Two
        matches with the same deals do not run at the same time while other jobs wait, since bots that run
        simultaneously might find a way to reveal cards to each other. Once `stopping` returns true, no
        further job begins. `on_line` is called with the log lines of `watched` jobs, again from the first
        line after a worker has died."""
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
        """Play jobs of the queue on one worker until none waits."""
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
            # The worker may be in the middle of a match, so it cannot be reused.
            self._free.append(worker.core)
            await worker.stop()
            raise
        self._idle.append(worker)


class _Queue:
    """The jobs of one call; its length is the number of waiting ones."""

    def __init__(self, jobs: Iterable[Job]) -> None:
        self._waiting = list(jobs)[::-1]
        """In reverse order: the last one is next."""
        self._playing: Counter[str] = Counter()
        """The number of running matches by pod key; those of one pod have the same deals."""
        self._deaths: Counter[str] = Counter()

    def __len__(self) -> int:
        return len(self._waiting)

    def take(self) -> Job:
        """Remove the next job: the first whose pod is not being played, otherwise the first."""
        last = len(self._waiting) - 1
        apart = (index for index in range(last, -1, -1) if not self._playing[self._waiting[index].pod_key])
        job = self._waiting.pop(next(apart, last))
        self._playing[job.pod_key] += 1
        return job

    def ended(self, job: Job) -> None:
        """Record that a taken job is no longer being played."""
        self._playing[job.pod_key] -= 1

    def give_back(self, jobs: Sequence[Job]) -> None:
        """Put jobs that were taken but not begun back, before the others."""
        self._waiting.extend(reversed(jobs))
        self._playing.subtract(job.pod_key for job in jobs)

    def tried_again(self, job: Job) -> bool:
        """Put back a job in which a worker died, unless too many have; whether it was put back."""
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
    """Play jobs in a new pool, as Pool.play_all does."""
    async with Pool(workers, cores) as pool:
        await pool.play_all(jobs, workers, done, stopping, on_line)
