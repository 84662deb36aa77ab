"""Workers as one: jobs go in, reports come out in the order in which they are done. A worker that dies is
replaced, and what it was playing is played again.

Knows jobs, not what they belong to.
"""

import contextlib
import os
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, Protocol, Self

import msgspec
import trio

from arena.match.job import Job, Report, Void, Wrote
from arena.workers.child import FAREWELL_SECONDS, WorkerProcess
from arena.workers.worker import Lines

DEATHS_PER_MATCH: Final = 2
QUICK_SECONDS: Final = 0.05
"""Where the last match took less, a worker is handed the next one ahead: asking for it would take half a
millisecond. Behind a slow match it could wait in vain while another worker is idle."""

_encoder = msgspec.json.Encoder()
_decoder: msgspec.json.Decoder[Report | Wrote] = msgspec.json.Decoder(Report | Wrote)

Told = Callable[[bytes], None]


def never() -> bool:
    return False


def nobody(line: bytes) -> None:
    """Is told of a match that nobody watches."""


class Worker(WorkerProcess):
    """Waited for with trio. Bound to a core and its bots with it, or to none. Must be ended by `stop`."""

    def __init__(self, core: int | None = None) -> None:
        super().__init__()
        self.core = core
        if core is not None:
            with contextlib.suppress(OSError):
                os.sched_setaffinity(self.pid, {core})
        self._jobs = trio.lowlevel.FdStream(os.dup(self._stdin.fileno()))
        self._reports = Lines(os.dup(self._stdout.fileno()))
        self._stdin.close()

    async def begin(self, job: Job) -> None:
        """Hand over a match; it is played when those before it are. If the worker has died, `report` says
        so."""
        placed = msgspec.structs.replace(job, own_core=self.core is not None)
        with contextlib.suppress(trio.BrokenResourceError):
            await self._jobs.send_all(_encoder.encode(placed) + b"\n")

    async def report(self, told: Told) -> Report | None:
        """What came of the next match, in the order in which they were handed over; None if the worker died
        over it."""
        while (line := await self._reports.next()) is not None:
            report = _decoder.decode(line)
            if not isinstance(report, Wrote):
                return report
            told(report.line.encode())
        return None

    async def stop(self) -> None:
        """Close its input, which ends its bots and it; kill it if it does not go. May be called again."""
        with trio.CancelScope(shield=True):
            await self._jobs.aclose()
            deadline = trio.current_time() + FAREWELL_SECONDS
            while self._child.poll() is None and trio.current_time() < deadline:
                await trio.sleep(0.005)
            self.kill()
            await self._reports.aclose()


class PlayAll(Protocol):
    """A way to have matches played: that of a Pool, here, or of a cluster (arena/cluster/)."""

    async def __call__(
        self,
        jobs: Iterable[Job],
        workers: int,
        done: Callable[[Report], None],
        stopping: Callable[[], bool] = ...,
    ) -> None: ...


class Pool:
    """So many workers, begun when there is something to play and kept for what comes later. Used as a context
    manager, behind which they are gone."""

    def __init__(self, workers: int, cores: Sequence[int] = ()) -> None:
        """`cores`: one for each of the first workers, which nobody else uses."""
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
        stopping: Callable[[], bool] = never,
        told: Told = nobody,
    ) -> None:
        """Play every job, by so many workers at most, and hand its report to `done` when it comes. The same
        deals are not played twice at a time while there are others to play: bots that play at a time may find
        a way to tell each other. A job over which two workers died is void. Once `stopping` says so no
        further job is handed over. The lines of a job that is watched are `told`; they begin anew where a
        worker died."""
        waiting = list(jobs)[::-1]
        deaths: Counter[str] = Counter()
        playing: Counter[str] = Counter()
        async with trio.open_nursery() as nursery:
            for _ in range(min(len(self._idle) + len(self._free), workers, len(waiting))):
                nursery.start_soon(self._work, waiting, playing, deaths, done, stopping, told)

    async def _work(
        self,
        waiting: list[Job],
        playing: Counter[str],
        deaths: Counter[str],
        done: Callable[[Report], None],
        stopping: Callable[[], bool],
        told: Told,
    ) -> None:
        worker = self._idle.pop() if self._idle else Worker(self._free.pop())
        begun: deque[Job] = deque()
        quick = False
        try:
            while True:
                while len(begun) <= quick and waiting and not stopping():
                    begun.append(_taken(waiting, playing))
                    playing[begun[-1].pod_key] += 1
                    await worker.begin(begun[-1])
                if not begun:
                    break
                since = trio.current_time()
                report = await worker.report(told)
                quick = trio.current_time() - since < QUICK_SECONDS
                job = begun.popleft()
                playing[job.pod_key] -= 1
                if report is None:
                    report = Void(job.match_id, *worker.death())
                    await worker.stop()
                    worker = Worker(worker.core)
                    waiting.extend(reversed(begun))
                    playing.subtract(ahead.pod_key for ahead in begun)
                    begun.clear()
                    deaths[job.match_id] += 1
                    if deaths[job.match_id] < DEATHS_PER_MATCH:
                        waiting.append(job)
                        continue
                done(report)
        except BaseException:
            # It may be in the middle of a match.
            self._free.append(worker.core)
            await worker.stop()
            raise
        self._idle.append(worker)


def _taken(waiting: list[Job], playing: Mapping[str, int]) -> Job:
    """The next job off those that wait, the last one first: one of a pod that is not being played, if there
    is any."""
    last = len(waiting) - 1
    return waiting.pop(next((at for at in range(last, -1, -1) if not playing[waiting[at].pod_key]), last))


async def play_all(
    jobs: Iterable[Job],
    workers: int,
    done: Callable[[Report], None],
    stopping: Callable[[], bool] = never,
    cores: Sequence[int] = (),
    told: Told = nobody,
) -> None:
    """Play jobs by workers of their own."""
    async with Pool(workers, cores) as pool:
        await pool.play_all(jobs, workers, done, stopping, told)
