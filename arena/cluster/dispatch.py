"""Plays matches on Dask workers, in place of arena.playing.pool. Each worker plays as many matches at a time
as it has threads, and reports are passed on as they arrive.

    a worker that cannot play   refused with a message: other version, weaker sandbox, missing interpreter
    a worker that joins late    plays from then on
    a worker that leaves        another one plays its matches again

Knows jobs, not what they belong to. Dask's client has its own threads; we call it from trio.
"""

import contextlib
import logging
import math
import os
import signal
import subprocess
import sys
import uuid
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec
import trio
from distributed import Client, Future
from distributed.comm import get_address_host_port
from distributed.security import Security

from arena import __version__
from arena.cluster import remote
from arena.cluster.bundle import Label, pack
from arena.cluster.local import WITHOUT_PAGES, SchedulerAddress
from arena.cluster.remote import Answer, FitWorker, MatchOrder, MissingBundles, RemoteMatch, UnfitWorker
from arena.entrants.entrant import Entrant
from arena.entrants.find import of_the_house
from arena.playing.job import Job, Report, Void
from arena.process.lag import safe_ms
from arena.system.errors import UserError
from arena.system.text import caption
from arena.system.wording import flag

CONNECT_SECONDS: Final = 10
JOIN_SECONDS: Final = 60.0
LOOK_SECONDS: Final = 0.5
"""The interval at which we check which workers are present."""
FAREWELL_SECONDS: Final = 3.0
MOST_ATTEMPTS: Final = 8
"""A match is void after this many attempts that lost their worker."""
HOSTS_NAMED: Final = 4
ALIKE: Final = 1.25
"""Machines whose speeds differ by at most this factor count as equally fast."""

_encoder = msgspec.msgpack.Encoder()
_answers: msgspec.msgpack.Decoder[Answer] = msgspec.msgpack.Decoder(Answer)


@contextlib.contextmanager
def cluster(address: str, matches: int, say: Callable[[str], None]) -> "Iterator[Cluster]":
    """Connect to the workers of the Dask scheduler at `address`, or for "local" start `matches` workers on
    this machine. `say` shows a message to the user. Raises UserError."""
    # Our own messages of one line each replace Dask's about workers that join and leave.
    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)
    with contextlib.ExitStack() as at_end:
        security = None
        if address == "local":
            local = at_end.enter_context(_local(matches))
            address, security = local.scheduler, local.security()
        elif address.startswith("tls://") and not Security().tls_client_cert:
            raise UserError(
                f"{flag.dask} {address}: Dask's configuration here names no certificate; set "
                "distributed.comm.tls as shown in docs/cluster.md"
            )
        try:
            # With an invalid address the client would wait until its timeout.
            get_address_host_port(address, strict=True)
            client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False, security=security)
        except (OSError, ValueError) as error:
            raise UserError(
                f"{flag.dask} {address}: no scheduler is responding there ({caption(str(error))})"
            ) from None
        at_end.enter_context(client)
        workers = Cluster(client, say)
        at_end.callback(workers.stop)
        yield workers


@contextlib.contextmanager
def _local(matches: int) -> Iterator[SchedulerAddress]:
    """Run a scheduler and `matches` workers on this machine. Raises UserError."""
    argv = [sys.executable, "-P", "-m", "arena.cluster.local", str(matches)]
    with subprocess.Popen(
        argv,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
        text=True,
        env=os.environ | WITHOUT_PAGES,
    ) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        try:
            try:
                address = msgspec.json.decode(child.stdout.readline(), type=SchedulerAddress)
            except msgspec.DecodeError:
                raise UserError(
                    f"{flag.dask} local: no scheduler could be started, for the reason above"
                ) from None
            yield address
        finally:
            child.stdin.close()
            try:
                child.wait(FAREWELL_SECONDS)
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)


class LostError(Exception):
    """A task has no answer: its worker or Dask is gone, or the worker lacks the arena."""


class UnfitError(Exception):
    """A worker cannot play; the text is the host and the reason."""


class PendingMatches:
    """The matches of one call: those that wait, how many run (at most `most`) and are left in total."""

    def __init__(
        self, jobs: Sequence[Job], most: int, done: Callable[[Report], None], stopping: Callable[[], bool]
    ) -> None:
        self.done = done
        self.ended = trio.Event()
        self._put, self._take = trio.open_memory_channel[Job](math.inf)
        self._attempts: Counter[str] = Counter()
        self._limit = trio.Semaphore(most)
        self._left = len(jobs)
        self._running = 0
        self._stopping = stopping
        for job in jobs:
            self._put.send_nowait(job)

    @property
    def over(self) -> bool:
        """Whether nothing is left to wait for: all are played, or no more will begin."""
        return not self._left or (self._stopping() and not self._running)

    @contextlib.asynccontextmanager
    async def match(self) -> AsyncIterator[tuple[Job, int]]:
        """Wait for the next match, and yield it with the number of this attempt. If the context ends with an
        exception, the match waits again."""
        async with self._limit:
            job = await self._take.receive()
            if self._stopping():
                await trio.sleep_forever()  # until `_play_batch` cancels it: no more matches begin
            self._running += 1
            self._attempts[job.match_id] += 1
            try:
                yield job, self._attempts[job.match_id]
                self._left -= 1
            except BaseException:
                self._put.send_nowait(job)
                raise
            finally:
                self._running -= 1
                if self.over:
                    self.ended.set()


class Cluster:
    """The workers of a scheduler, for one tournament. Each is identified by its address."""

    def __init__(self, client: Client, say: Callable[[str], None]) -> None:
        self._client = client
        self._say = say
        self._run = uuid.uuid4().hex
        self._fit: dict[str, FitWorker] = {}
        self._refused: dict[str, str] = {}
        """By address, the reason."""
        self._labels: dict[Entrant, Label] = {}

    async def play_all(
        self,
        jobs: Iterable[Job],
        workers: int,
        done: Callable[[Report], None],
        stopping: Callable[[], bool] = lambda: False,
    ) -> None:
        """Like Pool.play_all, with at most `workers` matches at a time. Raises UserError if no Dask worker
        can play, or the scheduler is gone."""
        jobs = list(jobs)
        for entrant in {entrant: None for job in jobs for entrant in job.entrants}:
            if entrant not in self._labels and of_the_house(entrant, jobs[0].settings.game) is None:
                self._labels[entrant], _ = await _in_thread(pack, entrant)
        batch = PendingMatches(jobs, workers, done, stopping)
        try:
            await self._play_batch(batch, jobs[0])
        except BaseException:
            with trio.CancelScope(shield=True):
                await _in_thread(self.stop)
            raise

    async def _play_batch(self, batch: PendingMatches, sample: Job) -> None:
        """Play the batch on all workers that are present and fit. `sample`: a job, for the settings."""
        playing: dict[str, trio.CancelScope] = {}

        async def use(address: str, threads: int) -> None:
            """Play matches on all threads of a worker as long as it is present and fit."""
            try:
                with playing[address]:
                    async with trio.open_nursery() as nursery:
                        for _ in range(threads):
                            nursery.start_soon(self._work, address, batch)
            except* UnfitError as group:
                self._refuse(address, str(group.exceptions[0]))
            except* LostError:
                pass  # The next look shows whether it is present.
            finally:
                del playing[address]

        async with trio.open_nursery() as nursery:
            while not batch.over:
                present = await self._present()
                await self._admit(present, sample)
                for address in playing.keys() - present.keys():
                    playing[address].cancel()
                for address in (self._fit.keys() & present.keys()) - playing.keys():
                    playing[address] = trio.CancelScope()
                    nursery.start_soon(use, address, present[address])
                with trio.move_on_after(LOOK_SECONDS):
                    await batch.ended.wait()
            nursery.cancel_scope.cancel()

    def stop(self) -> None:
        """End the running matches. Ignores the many exceptions that Dask raises for lost workers."""
        with contextlib.suppress(Exception):
            self._client.run(remote.stop, self._run, on_error="ignore")

    async def _present(self) -> dict[str, int]:
        """The number of threads of each worker that is present. Raises UserError."""
        try:
            threads: dict[str, int] = await _in_thread(self._client.nthreads)
        except (OSError, RuntimeError) as error:
            raise UserError(f"the Dask scheduler is gone ({caption(str(error))})") from None
        return threads

    async def _admit(self, present: dict[str, int], sample: Job) -> None:
        """Ask new workers whether they can play. Raises UserError if there are workers and none can."""
        new = present.keys() - self._fit.keys() - self._refused.keys()
        async with trio.open_nursery() as nursery:
            for address in new:
                nursery.start_soon(self._ask, address, present[address], sample)
        if joined := {address: present[address] for address in sorted(new & self._fit.keys())}:
            self._announce(joined, sample)
        if present and present.keys() <= self._refused.keys():
            raise UserError(f"no Dask worker can play: {self._refused[min(present)]}")

    async def _ask(self, address: str, threads: int, sample: Job) -> None:
        try:
            with trio.fail_after(JOIN_SECONDS):
                level, package = sample.settings.sandbox.level, sample.settings.game_package
                asked = remote.WorkerRequirements(__version__, level, threads, sample.settings.game, package)
                answer = await self._task(address, "join", remote.join, msgspec.msgpack.encode(asked))
            assert isinstance(answer, FitWorker)
            self._fit[address] = answer
        except trio.TooSlowError:
            self._refuse(address, f"no answer within {JOIN_SECONDS:.0f} s")
        except (UnfitError, LostError) as error:
            self._refuse(address, str(error))

    def _refuse(self, address: str, reason: str) -> None:
        """Refuse a worker from now on. Report a reason once, not for all workers of a machine."""
        self._fit.pop(address, None)
        if reason not in self._refused.values():
            self._say(f"Dask worker {address} plays no matches: {reason}")
        self._refused[address] = reason

    def _announce(self, joined: dict[str, int], sample: Job) -> None:
        """Report which workers have joined, and warn if their machines lag or differ in speed. `joined`:
        their numbers of threads by address."""
        workers = [self._fit[address] for address in joined]
        machines = sorted({worker.host for worker in workers})
        self._say(
            f"Dask workers: {len(joined)} joined, on {', '.join(machines[:HOSTS_NAMED])}"
            f"{' …' if machines[HOSTS_NAMED:] else ''}; {sum(joined.values())} matches at a time"
        )
        latest = max(workers, key=lambda worker: worker.lag_ms)
        if sample.settings.limits.decision_ms < safe_ms(latest.lag_ms):
            self._say(
                f"{latest.host} is up to {latest.lag_ms:.0f} ms late: decision limits below "
                f"{safe_ms(latest.lag_ms)} ms are not safe there; use fewer threads or a longer {flag.time}"
            )
        fast, slow = (pick(self._fit.values(), key=lambda worker: worker.work_ms) for pick in (min, max))
        if fast.host != slow.host and slow.work_ms > ALIKE * fast.work_ms:
            self._say(
                f"these machines differ in speed: {slow.host} takes {slow.work_ms / fast.work_ms:.1f} times "
                f"as long as {fast.host}, so the same limit allows less thinking there"
            )

    async def _work(self, address: str, batch: PendingMatches) -> None:
        """Play one match after the other on a thread of a worker. Raises LostError and UnfitError; the match
        then waits for another worker."""
        while True:
            async with batch.match() as (job, attempt):
                try:
                    batch.done(await self._play(address, job))
                except LostError as error:
                    if attempt < MOST_ATTEMPTS:
                        raise
                    batch.done(Void(job.match_id, f"{attempt} workers were lost while playing it: {error}"))

    async def _play(self, address: str, job: Job) -> Report:
        """Play a match on a worker, sending it missing bots. Raises LostError, UnfitError and UserError."""
        order = _encoder.encode(MatchOrder(self._run, job, tuple(map(self._labels.get, job.entrants))))
        for _ in range(2):
            answer = await self._task(address, job.match_id, remote.play_order, order)
            if isinstance(answer, RemoteMatch):
                for name, content in answer.stderr.items():
                    Path(job.stderr, os.path.basename(name)).write_bytes(content)
                return answer.report
            assert isinstance(answer, MissingBundles)
            for label in answer.labels:
                await self._send(address, label)
        raise UnfitError(f"{self._fit[address].host}: bots that were sent there are missing")

    async def _send(self, address: str, label: Label) -> None:
        """Send a bot to a worker. Raises UserError if the bot's files have changed since the beginning."""
        entrant = next(entrant for entrant, known in self._labels.items() if known == label)
        now, bundle = await _in_thread(pack, entrant)
        if now != label:
            raise UserError(f"{entrant.name}: its files have changed since it entered")
        await self._task(address, entrant.name, remote.receive, _encoder.encode(label), bundle)

    async def _task(
        self, address: str, name: str, function: Callable[..., bytes], *arguments: object
    ) -> Answer:
        """Run a function of `remote` on the worker; its answer. `name` identifies the task in Dask's own
        pages. Raises LostError and UnfitError."""
        finished, token = trio.Event(), trio.lowlevel.current_trio_token()

        def tell(_: Future) -> None:
            # Dask calls this in a thread of its own.
            with contextlib.suppress(trio.RunFinishedError):
                token.run_sync_soon(finished.set)

        future: Future | None = None
        try:
            key = f"{function.__name__}-{name}-{uuid.uuid4()}"
            future = self._client.submit(function, *arguments, key=key, workers=[address], pure=False)
            future.add_done_callback(tell)
            await finished.wait()
            answer = _answers.decode(await _in_thread(future.result))
        except Exception as error:
            # Dask raises any kind of exception, and passes on those of a machine without the arena.
            raise LostError(caption(f"{type(error).__name__}: {error}")) from None
        finally:
            if future is not None:
                future.release()
        if isinstance(answer, UnfitWorker):
            raise UnfitError(f"{answer.host}: {answer.reason}")
        return answer


async def _in_thread(function: Callable[..., Any], *arguments: object) -> Any:
    return await trio.to_thread.run_sync(function, *arguments, abandon_on_cancel=True)
