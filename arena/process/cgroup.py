"""A control group (cgroup v2) for each bot. By it all processes of the bot are stopped, continued and killed
together, whatever they do to sessions, parents and signals, and the kernel adds up what they use, ended ones
included.

A group is made below our own group, where we need write access: root has it, and an ordinary user in a group
that systemd delegates. Controllers are optional, since cgroup.freeze, cgroup.kill and cpu.stat exist without
any. Knows files; neither bots nor their limits.
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
"""The group to which we move ourselves where controllers are enabled for the groups below: then no process
may be in the group above them."""
OF_A_BOT: Final = "arena-{pid}-{number}"
NAMES: Final = re.compile(r"arena-(\d+)-\d+")
OWN_SHARE: Final = 8
"""memory.max also counts pages that the kernel uses for a bot, such as kernel stacks, which the watchdog does
not see. An eighth of the limit and SPARE_BYTES are added for them."""
SPARE_BYTES: Final = 32 << 20
END_SECONDS: Final = 0.5
"""How long to wait for the end of killed processes, so that their group can be removed."""

_numbers: Final = itertools.count(1)


class Cgroup:
    """A bot's group. Must be ended by `end`. Another process of our user may have removed the group: then
    `freeze` and `thaw` return False, and the other methods find or do nothing."""

    def __init__(self, folder: Path) -> None:
        """`folder` is an existing group. Raises OSError."""
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
        """Stop all processes; whether that worked. They stop some microseconds later, each on its core."""
        return self._set(b"1")

    def settle(self, seconds: float) -> None:
        """Yield the core until all processes have stopped after `freeze`, or for `seconds` at most."""
        until = time.monotonic() + seconds
        with contextlib.suppress(OSError):
            while b"frozen 0" in os.pread(self._events, 64, 0) and time.monotonic() < until:
                os.sched_yield()

    def thaw(self) -> bool:
        """Let all processes go on, except those that were stopped by a signal; whether that worked."""
        return self._set(b"0")

    def cpu(self) -> float:
        """Seconds of CPU time of all processes that are or were in the group; 0 if it is gone."""
        try:
            text = os.pread(self._cpu, 64, 0)
            return int(text[len(b"usage_usec ") : text.index(b"\n")]) / 1e6
        except (OSError, ValueError):
            return 0.0

    def others(self, pids: Iterable[int]) -> Iterator[int]:
        """The processes of `pids` that are not in the group."""
        pids, members = list(pids), set[int]()
        with contextlib.suppress(OSError):
            members.update(map(int, (self.folder / "cgroup.procs").read_bytes().split()))
        for pid in pids:
            # cgroup.procs does not list processes that have ended and were not waited for.
            with contextlib.suppress(OSError):
                if pid not in members and not self._holds(pid):
                    yield pid

    def memory_exceeded(self) -> int:
        """The bytes of memory that the group had at most, if the kernel killed it for reaching its own
        memory.max; else 0. If the machine or a group above ran out of memory, `oom` is not counted here."""
        events = _counts(self.folder / "memory.events")
        if not events.get("oom") or not events.get("oom_kill"):
            return 0
        with contextlib.suppress(OSError, ValueError):
            return int((self.folder / "memory.peak").read_bytes())
        return 1

    def oom_kills(self) -> int | None:
        """How many of its processes the kernel has killed for lack of memory, here or in a group above; None
        without the memory controller."""
        return _counts(self.folder / "memory.events").get("oom_kill")

    def kill(self) -> None:
        """Kill all processes in the group, frozen or not."""
        with contextlib.suppress(OSError):
            (self.folder / "cgroup.kill").write_bytes(b"1")

    def end(self) -> None:
        """Kill all processes in the group, wait until they are gone, and remove the group."""
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
    """A child that is started inside this context begins in a new group, which is limited to `memory` bytes
    and to `processes` where there are controllers. Yields None if no group can be made. Raises MachineError.

    We are in the group ourselves while the child is started. A child that moved itself would begin outside,
    and its failure to move could not be distinguished from a failure of its program."""
    if (home := home_of_groups()) is None:
        yield None
        return
    own = _own_now(home)
    folder = home / OF_A_BOT.format(pid=os.getpid(), number=next(_numbers))
    with _failing_as_machine_error():
        folder.mkdir()
        group = Cgroup(folder)
    try:
        with _failing_as_machine_error():
            _bound(folder, memory, processes)
            _enter(folder)
        try:
            yield group
        finally:
            with _failing_as_machine_error():
                _enter(own)
    except BaseException:
        group.end()
        raise


@contextlib.contextmanager
def _failing_as_machine_error() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise MachineError(f"a bot's control group could not be made: {error}") from None


@functools.cache
def home_of_groups() -> Path | None:
    """The folder in which groups for bots can be made; None if there is none. Tries it once by making a group
    and entering it. Then enables controllers for the groups below if possible, and removes the empty groups
    of processes that have ended."""
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
    _enable_controllers(home)
    _sweep(home)
    return home


@functools.cache
def _own_now(home: Path) -> Path:
    """The group that we are in after `_enable_controllers`, which may have moved us."""
    return _own() or home


def end_groups_of(pid: int) -> None:
    """End the groups, and the processes in them, that an ended process `pid` had made."""
    if (home := home_of_groups()) is not None:
        for folder, maker in _groups(home):
            if maker == pid:
                with contextlib.suppress(OSError):
                    Cgroup(folder).end()


def _sweep(home: Path) -> None:
    """Remove the groups of processes that have ended. A group with a living process stays."""
    for folder, maker in _groups(home):
        if not os.path.exists(f"/proc/{maker}"):
            _removed(folder)


def _groups(home: Path) -> list[tuple[Path, int]]:
    """The groups of bots, each with the pid of the process that made it."""
    with contextlib.suppress(OSError):
        return [(path, int(made[1])) for path in home.iterdir() if (made := NAMES.fullmatch(path.name))]
    return []


def _own() -> Path | None:
    """The folder of the group that we are in; None if it cannot be seen from here."""
    with contextlib.suppress(OSError, ValueError):
        path = _unified(Path("/proc/self/cgroup").read_text())
        for line in Path("/proc/self/mountinfo").read_text().splitlines():
            fields, _, rest = line.partition(" - ")
            if rest.split(" ", 1)[0] == "cgroup2" and path is not None:
                _, _, _, root, mount, *_ = fields.split(" ")
                return Path(mount) / Path(path).relative_to(root)
    return None


def _unified(memberships: str) -> str | None:
    """The path of the version 2 group in /proc/PID/cgroup; None if it is outside of our cgroup namespace,
    where the path begins with `/..`."""
    for line in memberships.splitlines():
        if line.startswith("0::/") and not line.startswith("0::/.."):
            return line.removeprefix("0::")
    return None


def _enable_controllers(home: Path) -> None:
    """Enable CONTROLLERS for the groups below `home`, if possible. The kernel refuses it while a process is
    in `home`, so we move into a group below; another process in `home` makes it impossible."""
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
    """Limit a group as far as there are controllers. With memory.oom.group the kernel kills all of a bot:
    otherwise the rest would go on and be blamed for what it does."""
    for name, value in (
        ("memory.max", memory + memory // OWN_SHARE + SPARE_BYTES),
        ("memory.swap.max", 0),
        ("memory.oom.group", 1),
        ("pids.max", processes),
    ):
        if (file := folder / name).exists():
            file.write_text(str(value))


def _enter(folder: Path) -> None:
    """Move this process, with all its threads, into a group. Raises OSError."""
    (folder / "cgroup.procs").write_bytes(b"0")


def _removed(folder: Path) -> bool:
    """Remove a group; whether it is gone. A group that is not empty stays."""
    try:
        folder.rmdir()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


def _counts(file: Path) -> Mapping[str, int]:
    """The content of a file with a name and a number in each line; {} if it cannot be read."""
    with contextlib.suppress(OSError, ValueError):
        return {name: int(number) for name, number in map(str.split, file.read_text().splitlines())}
    return {}
