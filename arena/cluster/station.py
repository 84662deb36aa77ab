"""What runs inside a Dask worker: a match goes to an `arena.workers.worker`, a child that stays for the next.

All arguments and results are bytes, so that Dask need not know what is in them. The child ends when its input
does, so that nothing is left if the Dask worker is killed. Never raises for what a bot or this machine does.
Knows no tournament.
"""

import contextlib
import functools
import os
import platform
import subprocess
import tempfile
import threading
from collections import defaultdict
from pathlib import Path
from typing import Final

import msgspec
from distributed import get_worker

from arena import __version__
from arena.cluster.parcel import Label, ParcelError, is_there, launch, unpack
from arena.entrants.entrant import Entrant
from arena.entrants.find import of_the_house
from arena.match.job import Job, Report, Void, void_by
from arena.process.lag import lag_ms, work_ms
from arena.process.launch import Launch
from arena.process.sandbox import Level, probe
from arena.workers.child import FAREWELL_SECONDS, Death, WorkerProcess

STDERR_LIMIT: Final = 64 * 1024


class Order(msgspec.Struct, frozen=True):
    """A match to be played. `labels` by seat: None is a house bot, which every machine has."""

    run: str
    job: Job
    labels: tuple[Label | None, ...]


class Ready(msgspec.Struct, frozen=True, tag=True):
    """A worker that can play. Two that share a `host` share its cores; `lag_ms` as all of them waited at
    once, `work_ms` a fixed piece of work."""

    host: str
    lag_ms: float
    work_ms: float


class Unfit(msgspec.Struct, frozen=True, tag=True):
    """Why this machine cannot play what it should; no bot's fault."""

    host: str
    reason: str


class Lacking(msgspec.Struct, frozen=True, tag=True):
    """Parcels that have to be brought first."""

    labels: tuple[Label, ...]


class Done(msgspec.Struct, frozen=True, tag=True):
    """`stderr` are files by name."""

    report: Report
    stderr: dict[str, bytes]


Answer = Ready | Unfit | Lacking | Done

_encoder = msgspec.msgpack.Encoder()
_orders = msgspec.msgpack.Decoder(Order)
_labels = msgspec.msgpack.Decoder(Label)
_reports: msgspec.json.Decoder[Report] = msgspec.json.Decoder(Report)


def join(version: str, level: str, matches: int) -> bytes:
    """Whether this worker can play: Ready or Unfit. It has the arena of our version and keeps the sandbox's
    level; `matches` is how many it will play at a time."""
    if version != __version__:
        return _unfit(f"it has arena {__version__}, here is {version}")
    if reason := probe(Level(level)):
        return _unfit(f"--sandbox {level}: {reason}")
    return _encoder.encode(Ready(platform.node(), lag_ms(matches), work_ms()))


def receive(label: bytes, parcel: bytes) -> bytes:
    """Unpack a bot: Lacking nothing, or Unfit."""
    try:
        unpack(parcel, _labels.decode(label), _cache())
    except ParcelError as error:
        return _unfit(str(error))
    return _encoder.encode(Lacking(()))


def play(order: bytes) -> bytes:
    """Play a match: Done, or what stands in the way."""
    asked = _orders.decode(order)
    try:
        cache = _cache()
        lacking = tuple(label for label in asked.labels if label and not is_there(label, cache))
        if lacking:
            return _encoder.encode(Lacking(lacking))
        return _encoder.encode(_played(asked, cache))
    except ParcelError as error:
        return _unfit(str(error))
    except Exception as error:
        void = void_by(asked.job.match_id, error)
        return _encoder.encode(
            Done(msgspec.structs.replace(void, reason=f"{platform.node()}: {void.reason}"), {})
        )


def stop(run: str) -> None:
    """End the children of a run, whatever they are doing."""
    with _lock:
        children = _children.pop(run, [])
    for child in children:
        child.hang_up()
    for child in children:
        child.stop()


class Child(WorkerProcess):
    """Waited for by the thread that has a match played. Must be ended by `stop`."""

    def __init__(self) -> None:
        super().__init__()
        self.busy = True
        self.stopped = False

    def play(self, job: Job) -> Report | None:
        """The report of one match; None if the child died over it, or says what is no report."""
        try:
            self._stdin.write(msgspec.json.encode(job) + b"\n")
            self._stdin.flush()
            return _reports.decode(self._stdout.readline())
        except (BrokenPipeError, ValueError, msgspec.MsgspecError):
            return None

    def hang_up(self) -> None:
        """Close its input, which ends its bots and it."""
        self.stopped = True
        with contextlib.suppress(BrokenPipeError):
            self._stdin.close()

    def stop(self) -> None:
        """Hang up, and kill it if it does not go."""
        self.hang_up()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._child.wait(FAREWELL_SECONDS)
        self.kill()


_children: defaultdict[str, list[Child]] = defaultdict(list)
"""Those of this Dask worker, by run: as many as it has had threads at work."""
_launches: dict[tuple[str, Label], Launch] = {}
"""By the game and the bot: to find out again would mean to read all its files again."""
_lock = threading.Lock()


def _played(order: Order, cache: Path) -> Done:
    """Raises ParcelError."""
    job = order.job
    seated = tuple(map(functools.partial(_here, job, cache), job.entrants, order.labels))
    with tempfile.TemporaryDirectory(prefix="arena-") as stderr:
        report = _passed_on(
            order.run,
            msgspec.structs.replace(job, entrants=seated, stderr=stderr if job.stderr else ""),
        )
        return Done(report, {path.name: path.read_bytes()[-STDERR_LIMIT:] for path in Path(stderr).iterdir()})


def _here(job: Job, cache: Path, entrant: Entrant, label: Label | None) -> Entrant:
    """The entrant as it is started on this machine. Raises ParcelError."""
    if label is None:
        ours = of_the_house(entrant)
        if ours is None or ours.digest != entrant.digest:
            raise ParcelError(f"{entrant.name} is another program here")
        return ours
    if (job.game, label) not in _launches:
        _launches[job.game, label] = launch(entrant, label, cache, job.game, job.sandbox)
    return msgspec.structs.replace(entrant, launch=_launches[job.game, label])


def _passed_on(run: str, job: Job) -> Report:
    """The report of a child; a match over which two of them died is void."""
    death = Death("it was stopped", bug=False)
    for _ in range(2):
        child = _taken(run)
        report = child.play(job)
        if report is not None:
            child.busy = False
            return report
        if child.stopped:
            break
        with _lock:
            _children[run].remove(child)
        death = child.death()
        child.stop()
    return Void(job.match_id, f"{platform.node()}: {death.reason}", death.bug)


def _taken(run: str) -> Child:
    with _lock:
        for child in _children[run]:
            if not child.busy:
                child.busy = True
                return child
        child = Child()
        _children[run].append(child)
        return child


def _cache() -> Path:
    """Where the Dask workers of this user on this machine keep bots: beside their own scratch folders, since
    a home may be shared with machines that are built otherwise. Raises ParcelError."""
    folder = Path(get_worker().local_directory).parent / f"arena-{os.geteuid()}"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if folder.is_symlink() or folder.stat().st_uid != os.geteuid():
        raise ParcelError(f"{folder} belongs to somebody else")
    return folder


def _unfit(reason: str) -> bytes:
    return _encoder.encode(Unfit(platform.node(), reason))
