"""The functions that run inside a Dask worker: each match goes to a child `arena.playing.worker`, which stays
for later matches.

All arguments and results are bytes, so that Dask need not know what is in them. The child ends when its input
does, so that nothing is left if the Dask worker is killed. No function raises for what a bot or this machine
does. Knows no tournament.
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
from arena.cluster.bundle import BundleError, Label, is_there, launch, unpack
from arena.entrants.entrant import Entrant
from arena.entrants.find import of_the_house
from arena.games import registry
from arena.games.package import GamePackage
from arena.playing.job import Job, Report, Void, void_by
from arena.process.child import FAREWELL_SECONDS, ChildProcess, Death
from arena.process.lag import lag_ms, work_ms
from arena.process.launch import Launch
from arena.process.sandbox import Level, probe
from arena.system.errors import UserError

STDERR_LIMIT: Final = 64 * 1024
"""Bytes of each bot's standard error that are sent back, from its end."""


class MatchOrder(msgspec.Struct, frozen=True):
    """A match to be played. `labels` by seat: None is a house bot, which every machine has. `run` identifies
    the tournament, of which `stop` ends the children."""

    run: str
    job: Job
    labels: tuple[Label | None, ...]


class WorkerRequirements(msgspec.Struct, frozen=True):
    """What a worker must have to join: this version of the arena, this level of the sandbox, and the game
    with the code of this package. `matches` is how many it will play at a time."""

    version: str
    level: Level
    matches: int
    game: str
    game_package: GamePackage | None = None


class FitWorker(msgspec.Struct, frozen=True, tag=True):
    """A worker that can play. Two that share a `host` share its cores. `lag_ms` was measured while as many
    processes waited as it will play matches; `work_ms` is the time of a fixed piece of work."""

    host: str
    lag_ms: float
    work_ms: float


class UnfitWorker(msgspec.Struct, frozen=True, tag=True):
    """Why this machine cannot play a match; no fault of a bot."""

    host: str
    reason: str


class MissingBundles(msgspec.Struct, frozen=True, tag=True):
    """The bundles that have to be sent first; none where nothing is missing."""

    labels: tuple[Label, ...]


class RemoteMatch(msgspec.Struct, frozen=True, tag=True):
    """A match that was played. `stderr` are the files of the bots' standard error, by name."""

    report: Report
    stderr: dict[str, bytes]


Answer = FitWorker | UnfitWorker | MissingBundles | RemoteMatch

_encoder = msgspec.msgpack.Encoder()
_questions = msgspec.msgpack.Decoder(WorkerRequirements)
_orders = msgspec.msgpack.Decoder(MatchOrder)
_labels = msgspec.msgpack.Decoder(Label)
_reports: msgspec.json.Decoder[Report] = msgspec.json.Decoder(Report)


def join(question: bytes) -> bytes:
    """Whether this worker can play as Asked: the answer is Fit or Unfit."""
    asked = _questions.decode(question)
    if asked.version != __version__:
        return _unfit(f"it has arena {__version__}, here is {asked.version}")
    try:
        registry.required(asked.game, asked.game_package)
    except UserError as error:
        return _unfit(str(error))
    if reason := probe(asked.level):
        return _unfit(f"--sandbox {asked.level}: {reason}")
    return _encoder.encode(FitWorker(platform.node(), lag_ms(asked.matches), work_ms()))


def receive(label: bytes, bundle: bytes) -> bytes:
    """Unpacks a bot. Returns Missing with no labels, or Unfit."""
    try:
        unpack(bundle, _labels.decode(label), _cache())
    except BundleError as error:
        return _unfit(str(error))
    return _encoder.encode(MissingBundles(()))


def play_order(order: bytes) -> bytes:
    """Plays a match. Returns Done, or Missing or Unfit where it cannot be played."""
    asked = _orders.decode(order)
    try:
        cache = _cache()
        missing = tuple(label for label in asked.labels if label and not is_there(label, cache))
        if missing:
            return _encoder.encode(MissingBundles(missing))
        return _encoder.encode(_played(asked, cache))
    except BundleError as error:
        return _unfit(str(error))
    except Exception as error:
        void = void_by(asked.job, error)
        return _encoder.encode(
            RemoteMatch(msgspec.structs.replace(void, reason=f"{platform.node()}: {void.reason}"), {})
        )


def stop(run: str) -> None:
    """Ends the children of a run, whatever they are doing."""
    with _lock:
        children = _children.pop(run, [])
    for child in children:
        child.hang_up()
    for child in children:
        child.stop()


class Child(ChildProcess):
    """A worker for which a thread waits, one match at a time. Must be ended by `stop`."""

    def __init__(self) -> None:
        super().__init__("arena.playing.worker")
        self.busy = True
        self.stopped = False

    def play_job(self, job: Job) -> Report | None:
        """The report of one match; None if the child died over it, or wrote something else."""
        try:
            self._stdin.write(msgspec.json.encode(job) + b"\n")
            self._stdin.flush()
            return _reports.decode(self._stdout.readline())
        except (BrokenPipeError, ValueError, msgspec.MsgspecError):
            return None

    def hang_up(self) -> None:
        """Closes the child's input, which ends it and its bots."""
        self.stopped = True
        with contextlib.suppress(BrokenPipeError):
            self._stdin.close()

    def stop(self) -> None:
        """Hangs up, and kills the child if it does not end."""
        self.hang_up()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._child.wait(FAREWELL_SECONDS)
        self.kill()


_children: defaultdict[str, list[Child]] = defaultdict(list)
"""The children of this Dask worker, by run: as many as it has played matches at a time."""
_launches: dict[tuple[str, Label], Launch] = {}
"""How to start a bot, by game and bundle: without it, all files of the bot would be read for every match."""
_lock = threading.Lock()


def _played(order: MatchOrder, cache: Path) -> RemoteMatch:
    """Plays a match of which no bundle is missing. Raises BundleError."""
    job = order.job
    seated = tuple(map(functools.partial(_here, job, cache), job.entrants, order.labels))
    with tempfile.TemporaryDirectory(prefix="arena-") as stderr:
        report = _passed_on(
            order.run,
            msgspec.structs.replace(job, entrants=seated, stderr=stderr if job.stderr else ""),
        )
        return RemoteMatch(
            report, {path.name: path.read_bytes()[-STDERR_LIMIT:] for path in Path(stderr).iterdir()}
        )


def _here(job: Job, cache: Path, entrant: Entrant, label: Label | None) -> Entrant:
    """The entrant as it is started on this machine. Raises BundleError."""
    if label is None:
        ours = of_the_house(entrant, job.settings.game)
        if ours is None or ours.digest != entrant.digest:
            raise BundleError(f"{entrant.name} is another program here")
        return ours
    if (job.settings.game, label) not in _launches:
        _launches[job.settings.game, label] = launch(
            entrant, label, cache, job.settings.game, job.settings.sandbox
        )
    return msgspec.structs.replace(entrant, launch=_launches[job.settings.game, label])


def _passed_on(run: str, job: Job) -> Report:
    """Has a child play the match; the match is void if two of them die over it."""
    death = Death("it was stopped", bug=False)
    for _ in range(2):
        child = _idle_child(run)
        report = child.play_job(job)
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


def _idle_child(run: str) -> Child:
    """A child of the run that plays no match, now marked as busy; a new one where all are."""
    with _lock:
        for child in _children[run]:
            if not child.busy:
                child.busy = True
                return child
        child = Child()
        _children[run].append(child)
        return child


def _cache() -> Path:
    """The folder in which this user's Dask workers on this machine keep bots. It lies beside their own
    scratch folders, since a home folder may be shared with machines of another kind. Raises BundleError."""
    folder = Path(get_worker().local_directory).parent / f"arena-{os.geteuid()}"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if folder.is_symlink() or folder.stat().st_uid != os.geteuid():
        raise BundleError(f"{folder} belongs to another user")
    return folder


def _unfit(reason: str) -> bytes:
    return _encoder.encode(UnfitWorker(platform.node(), reason))
