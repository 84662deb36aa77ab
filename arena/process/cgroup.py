"""A control group (cgroup v2) for each bot: all its processes stop, go on and end together, whatever they do
to sessions, parents and signals, and the kernel adds up what they use, the dead ones included.

A group is made below our own, so that has to be ours: root's is, and for an ordinary user one that systemd
delegates. Each file of it is looked for by itself, since freeze, kill and cpu.stat are there without any
controller. Knows files; neither bots nor their limits.
"""

import contextlib
import functools
import itertools
import os
import re
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from arena.system.errors import MachineError

NEEDED: Final = ("cgroup.events", "cgroup.freeze", "cgroup.kill", "cgroup.procs", "cpu.stat")
CONTROLLERS: Final = ("memory", "pids")
OURS: Final = "arena-self"
"""Where we are ourselves, where controllers are handed on: then no process may be beside the bots' groups."""
OF_A_BOT: Final = "arena-{pid}-{number}"
NAMES: Final = re.compile(r"arena-(\d+)-\d+")
OWN_SHARE: Final = 8
"""The kernel's own pages for a bot, as those of its stacks, are counted by memory.max and not by the
watchdog: an eighth of the limit and SPARE_BYTES are for them."""
SPARE_BYTES: Final = 32 << 20
END_SECONDS: Final = 0.5
"""How long the end of killed processes is waited for, so that their group can be removed."""

_numbers: Final = itertools.count(1)


class Cgroup:
    """A bot's group. Must be ended by `end`. Somebody who shares our user may have removed it: then what is
    done to it says so, or does nothing."""

    def __init__(self, folder: Path) -> None:
        """Raises OSError."""
        self.folder = folder
        with contextlib.ExitStack() as opened:
            self._freeze = os.open(folder / "cgroup.freeze", os.O_WRONLY)
            opened.callback(os.close, self._freeze)
            self._cpu = os.open(folder / "cpu.stat", os.O_RDONLY)
            opened.callback(os.close, self._cpu)
            self._events = os.open(folder / "cgroup.events", os.O_RDONLY)
            opened.callback(os.close, self._events)
            self._opened = opened.pop_all()

    def freeze(self) -> bool:
        """Whether all processes stop. That takes them some microseconds more, each on its own core."""
        return self._set(b"1")

    def settle(self, seconds: float) -> None:
        """Give the core away until all that were to stop have done so, or ended, for so long at most."""
        until = time.monotonic() + seconds
        with contextlib.suppress(OSError):
            while b"frozen 0" in os.pread(self._events, 64, 0) and time.monotonic() < until:
                os.sched_yield()

    def thaw(self) -> bool:
        """Whether all processes go on, except those that had stopped by a signal."""
        return self._set(b"0")

    def cpu(self) -> float:
        """Seconds of CPU time of all processes that are or were in it."""
        try:
            told = os.pread(self._cpu, 64, 0)
            return int(told[len(b"usage_usec ") : told.index(b"\n")]) / 1e6
        except (OSError, ValueError):
            return 0.0

    def others(self, pids: Iterable[int]) -> Iterator[int]:
        """Those of the processes that are not in it."""
        pids, members = list(pids), set[int]()
        with contextlib.suppress(OSError):
            members.update(map(int, (self.folder / "cgroup.procs").read_bytes().split()))
        for pid in pids:
            # It does not list those that have ended and were not waited for.
            with contextlib.suppress(OSError):
                if pid not in members and not self._holds(pid):
                    yield pid

    def memory_exceeded(self) -> int:
        """Bytes of memory that it had when the kernel ended all of it for reaching its own memory.max; 0 if
        that has not happened. Where the machine, or a group above, ran out of memory, no `oom` is counted
        here."""
        events = _counts(self.folder / "memory.events")
        if not events.get("oom") or not events.get("oom_kill"):
            return 0
        with contextlib.suppress(OSError, ValueError):
            return int((self.folder / "memory.peak").read_bytes())
        return 1

    def kill(self) -> None:
        """All processes in it, frozen or not."""
        with contextlib.suppress(OSError):
            (self.folder / "cgroup.kill").write_bytes(b"1")

    def end(self) -> None:
        """Kill all that is in it, wait until they are gone, and remove it."""
        self.kill()
        patience = time.monotonic() + END_SECONDS
        while not _removed(self.folder) and time.monotonic() < patience:
            time.sleep(0.0005)
        self._opened.close()

    def _holds(self, pid: int) -> bool:
        path = _unified(Path(f"/proc/{pid}/cgroup").read_text())
        return path is None or self.folder.name in path.split("/")

    def _set(self, frozen: bytes) -> bool:
        try:
            return os.pwrite(self._freeze, frozen, 0) == 1
        except OSError:
            return False


@contextlib.contextmanager
def in_new_cgroup(memory: int, processes: int) -> Iterator[Cgroup | None]:
    """What is started within is born in a new group, bounded where the controllers are there to that many
    bytes and processes; None where none can be had. Raises MachineError.

    We are in it ourselves for that moment. A child that moved itself would begin outside, and whether it
    succeeded could not be told from its own failure."""
    if (home := home_of_groups()) is None:
        yield None
        return
    own = _own_now(home)
    folder = home / OF_A_BOT.format(pid=os.getpid(), number=next(_numbers))
    with _ours_to_mend():
        folder.mkdir()
        group = Cgroup(folder)
    try:
        with _ours_to_mend():
            _bound(folder, memory, processes)
            _enter(folder)
        try:
            yield group
        finally:
            with _ours_to_mend():
                _enter(own)
    except BaseException:
        group.end()
        raise


@contextlib.contextmanager
def _ours_to_mend() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise MachineError(f"a bot's control group could not be made: {error}") from None


@functools.cache
def home_of_groups() -> Path | None:
    """The folder in which groups for bots can be made, None where there is none. It is really tried, once; on
    the way, controllers are handed on where they can be, and empty groups of arenas that have died go."""
    own = _own()
    if own is None:
        return None
    home = own.parent if own.name == OURS else own
    trial = home / OF_A_BOT.format(pid=os.getpid(), number=0)
    try:
        trial.mkdir()
    except OSError:
        return None
    try:
        if not all((trial / name).exists() for name in NEEDED):
            return None
        _enter(trial)
        _enter(own)
    except OSError:
        return None
    finally:
        _removed(trial)
    _hand_controllers_on(home)
    _sweep(home)
    return home


@functools.cache
def _own_now(home: Path) -> Path:
    """Where we are, since controllers have been handed on."""
    return _own() or home


def end_groups_of(pid: int) -> None:
    """Those that a process has left which has ended, and what is in them."""
    if (home := home_of_groups()) is not None:
        for folder, maker in _groups(home):
            if maker == pid:
                with contextlib.suppress(OSError):
                    Cgroup(folder).end()


def _sweep(home: Path) -> None:
    """Remove the empty groups of processes that have ended. One in which somebody lives stays."""
    for folder, maker in _groups(home):
        if not os.path.exists(f"/proc/{maker}"):
            _removed(folder)


def _groups(home: Path) -> list[tuple[Path, int]]:
    """The groups of bots, and who made them."""
    with contextlib.suppress(OSError):
        return [(path, int(made[1])) for path in home.iterdir() if (made := NAMES.fullmatch(path.name))]
    return []


def _own() -> Path | None:
    """The folder of the group that we are in; None where it is not to be seen."""
    with contextlib.suppress(OSError, ValueError):
        path = _unified(Path("/proc/self/cgroup").read_text())
        for line in Path("/proc/self/mountinfo").read_text().splitlines():
            fields, _, rest = line.partition(" - ")
            if rest.split(" ", 1)[0] == "cgroup2" and path is not None:
                _, _, _, root, mount, *_ = fields.split(" ")
                return Path(mount) / Path(path).relative_to(root)
    return None


def _unified(memberships: str) -> str | None:
    """Of /proc/PID/cgroup the line of version 2. One that lies outside of what we see begins with `/..`."""
    for line in memberships.splitlines():
        if line.startswith("0::/") and not line.startswith("0::/.."):
            return line.removeprefix("0::")
    return None


def _hand_controllers_on(home: Path) -> None:
    """To the groups below, if that can be had: where processes other than ours are beside them, it cannot."""
    with contextlib.suppress(OSError):
        there = set((home / "cgroup.controllers").read_text().split()) & set(CONTROLLERS)
        wanted = sorted(there - set((home / "cgroup.subtree_control").read_text().split()))
        if not wanted:
            return
        words = " ".join(f"+{name}" for name in wanted)
        try:
            (home / "cgroup.subtree_control").write_text(words)
        except OSError:
            (home / OURS).mkdir(exist_ok=True)
            _enter(home / OURS)
            try:
                (home / "cgroup.subtree_control").write_text(words)
            except OSError:
                _enter(home)
                _removed(home / OURS)


def _bound(folder: Path, memory: int, processes: int) -> None:
    """As far as there are controllers. All of a bot ends at once, or what is left of it would be judged."""
    for name, value in (
        ("memory.max", memory + memory // OWN_SHARE + SPARE_BYTES),
        ("memory.swap.max", 0),
        ("memory.oom.group", 1),
        ("pids.max", processes),
    ):
        if (file := folder / name).exists():
            file.write_text(str(value))


def _enter(folder: Path) -> None:
    """Move this process, with all its threads. Raises OSError."""
    (folder / "cgroup.procs").write_bytes(b"0")


def _removed(folder: Path) -> bool:
    """Whether it is gone. One that has anything in it stays."""
    try:
        folder.rmdir()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


def _counts(file: Path) -> Mapping[str, int]:
    """A file of names and numbers."""
    with contextlib.suppress(OSError, ValueError):
        return {name: int(number) for name, number in map(str.split, file.read_text().splitlines())}
    return {}
