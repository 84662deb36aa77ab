"""The functions that run inside a Dask worker. Each match is played by a child `arena.playing.worker`, which
is kept for later matches.

All arguments and results are bytes, so that Dask need not know their types. The child exits at the end of its
input, so that nothing is left if the Dask worker is killed. No function raises for what a bot or this machine
does. Knows no tournament.
"""

import functools
import os
import platform
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
from arena.process.child import AskedProcess, Death
from arena.process.lag import lag_ms, work_ms
from arena.process.launch import Launch
from arena.process.sandbox import Level, probe
from arena.system.errors import UserError

STDERR_LIMIT: Final = 64 * 1024
"""The number of bytes from the end of each bot's standard error that are sent back."""


class MatchOrder(msgspec.Struct, frozen=True):
    """A match to be played. `labels`: by seat, None for a house bot, which every machine has. `run`:
    identifies the tournament whose children `stop` ends."""

    run: str
    job: Job
    labels: tuple[Label | None, ...]


class WorkerRequirements(msgspec.Struct, frozen=True):
    """What a worker must have to join."""

    version: str
    """Of the arena."""
    level: Level
    """Of the sandbox."""
    matches: int
    """How many it will play at a time."""
    game: str
    game_package: GamePackage | None = None
    """The package whose code the game must have; None for the arena's own games."""


class FitWorker(msgspec.Struct, frozen=True, tag=True):
    """A worker that can play. Two on the same `host` share its cores. `lag_ms`: measured with as many
    processes as it will play matches at a time. `work_ms`: the time of a fixed amount of work."""

    host: str
    lag_ms: float
    work_ms: float


class UnfitWorker(msgspec.Struct, frozen=True, tag=True):
    """This machine cannot play a match, for a reason that is not a bot's fault."""

    host: str
    reason: str


class MissingBundles(msgspec.Struct, frozen=True, tag=True):
    """The bundles that must be sent first; none if nothing is missing."""

    labels: tuple[Label, ...]


class RemoteMatch(msgspec.Struct, frozen=True, tag=True):
    """A match that was played. `stderr`: the files with the bots' standard error, by name."""

    report: Report
    stderr: dict[str, bytes]


Answer = FitWorker | UnfitWorker | MissingBundles | RemoteMatch

_encoder = msgspec.msgpack.Encoder()
_questions = msgspec.msgpack.Decoder(WorkerRequirements)
_orders = msgspec.msgpack.Decoder(MatchOrder)
_labels = msgspec.msgpack.Decoder(Label)
_reports: msgspec.json.Decoder[Report] = msgspec.json.Decoder(Report)


def join(question: bytes) -> bytes:
    """Check whether this worker meets WorkerRequirements. Returns FitWorker or UnfitWorker."""
    asked = _questions.decode(question)
    if asked.version != __version__:
        return _unfit(f"it has arena {__version__}, but the tournament runs on {asked.version}")
    try:
        registry.required(asked.game, asked.game_package)
    except UserError as error:
        return _unfit(str(error))
    if reason := probe(asked.level):
        return _unfit(f"--sandbox {asked.level}: {reason}")
    return _encoder.encode(FitWorker(platform.node(), lag_ms(asked.matches), work_ms()))


def receive(label: bytes, bundle: bytes) -> bytes:
    """Unpack a bot. Returns MissingBundles without labels, or UnfitWorker."""
    try:
        unpack(bundle, _labels.decode(label), _cache())
    except BundleError as error:
        return _unfit(str(error))
    return _encoder.encode(MissingBundles(()))


def play_order(order: bytes) -> bytes:
    """Play a match. Returns RemoteMatch, or MissingBundles or UnfitWorker if it cannot be played."""
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
    """End the children of a run, whatever they are doing."""
    with _lock:
        children = _children.pop(run, [])
    for child in children:
        child.hang_up()
    for child in children:
        child.stop()


class Child(AskedProcess):
    """A worker that plays one match at a time, while a thread waits for it. Must be ended by `stop`."""

    def __init__(self) -> None:
        super().__init__("arena.playing.worker")
        self.busy = True
        self.stopped = False

    def play_job(self, job: Job) -> Report | None:
        """Play one match; its report, None if the child died in it, or wrote something else."""
        try:
            self.tell(msgspec.json.encode(job))
            line = self.answer()
            return None if line is None else _reports.decode(line)
        except (ValueError, msgspec.MsgspecError):
            return None

    def hang_up(self) -> None:
        """Close the child's input, at which it ends its bots and itself."""
        self.stopped = True
        super().hang_up()


_children: defaultdict[str, list[Child]] = defaultdict(list)
"""The children of this Dask worker by run: as many as it has played matches at a time."""
_launches: dict[tuple[str, Label], Launch] = {}
"""How to start a bot, by game and bundle. Otherwise all files of a bot would be read for each match."""
_lock = threading.Lock()


def _played(order: MatchOrder, cache: Path) -> RemoteMatch:
    """Play a match whose bundles are all present. Raises BundleError."""
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
    """The entrant with its launch on this machine. Raises BundleError."""
    if label is None:
        ours = of_the_house(entrant, job.settings.game)
        if ours is None or ours.digest != entrant.digest:
            raise BundleError(f"{entrant.name} is a different program here")
        return ours
    if (job.settings.game, label) not in _launches:
        _launches[job.settings.game, label] = launch(
            entrant, label, cache, job.settings.game, job.settings.sandbox
        )
    return msgspec.structs.replace(entrant, launch=_launches[job.settings.game, label])


def _passed_on(run: str, job: Job) -> Report:
    """Play the match in a child. The match is void if two children die in it."""
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
    """Mark an idle child of the run, or a new one if all are busy, as busy and return it."""
    with _lock:
        for child in _children[run]:
            if not child.busy:
                child.busy = True
                return child
        child = Child()
        _children[run].append(child)
        return child


def _cache() -> Path:
    """The folder in which this user's Dask workers on this machine keep bots. It is next to their scratch
    folders, since a home folder may be shared with other kinds of machines. Raises BundleError."""
    folder = Path(get_worker().local_directory).parent / f"arena-{os.geteuid()}"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if folder.is_symlink() or folder.stat().st_uid != os.geteuid():
        raise BundleError(f"{folder} belongs to another user")
    return folder


def _unfit(reason: str) -> bytes:
    return _encoder.encode(UnfitWorker(platform.node(), reason))
