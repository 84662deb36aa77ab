"""A control group (cgroup v2) for each bot. It freezes, thaws and kills all processes of the bot, whatever
they do to sessions, parents and signals. The kernel adds up what they use, including those that have ended.

A group is created below our own, which requires write access there: root has it, and an ordinary user in a
group that systemd delegates. Controllers are optional, since cgroup.freeze, cgroup.kill and cpu.stat exist
without any. Knows files; neither bots nor their limits.
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
"""The group into which we move ourselves to enable controllers: a group whose children have controllers must
not contain processes itself."""
OF_A_BOT: Final = "arena-{pid}-{number}"
NAMES: Final = re.compile(r"arena-(\d+)-\d+")
OWN_SHARE: Final = 8
"""memory.max also counts what the kernel uses for a bot, such as kernel stacks, which the watchdog does not
see. So it is an eighth plus SPARE_BYTES above the bot's limit."""
SPARE_BYTES: Final = 32 << 20
END_SECONDS: Final = 0.5
"""How long to wait until killed processes are gone and their group can be removed."""
NEW_SECONDS: Final = 60
"""A younger empty group may be that of a bot about to start, in an arena whose pids we do not see."""

_numbers: Final = itertools.count(1)


class Cgroup:
    """The group of one bot. Must be ended by `end`. If another process of our user has removed it, `freeze`
    and `thaw` return False, and the other methods find or do nothing."""

    def __init__(self, folder: Path) -> None:
        """`folder`: an existing group. Raises OSError."""
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
        """Stop all processes; False if that failed. They stop some microseconds later, each on its core."""
        return self._set(b"1")

    def settle(self, seconds: float) -> None:
        """Yield the core until all processes have stopped after `freeze`, or for `seconds` at most."""
        until = time.monotonic() + seconds
        with contextlib.suppress(OSError):
            while b"frozen 0" in os.pread(self._events, 64, 0) and time.monotonic() < until:
                os.sched_yield()

    def thaw(self) -> bool:
        """Resume all processes, except those stopped by a signal; False if that failed."""
        return self._set(b"0")

    def cpu(self) -> float:
        """Seconds of CPU time of all processes that are or were in the group; 0 if the group is gone."""
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
            # cgroup.procs does not list zombies.
            with contextlib.suppress(OSError):
                if pid not in members and not self._holds(pid):
                    yield pid

    def memory_exceeded(self) -> int:
        """The group's peak memory in bytes if the kernel killed it at its own memory.max, 1 if the peak is
        unknown, otherwise 0. `oom` does not count shortages of the machine or of a group above."""
        events = _counts(self.folder / "memory.events")
        if not events.get("oom") or not events.get("oom_kill"):
            return 0
        with contextlib.suppress(OSError, ValueError):
            return int((self.folder / "memory.peak").read_bytes())
        return 1

    def oom_kills(self) -> int | None:
        """The number of its processes that the kernel has killed for lack of memory, here or in a group
        above; None without the memory controller."""
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
    """Start children of this context in a new group, limited to `memory` bytes and `processes` where there
    are controllers. Yields None if groups cannot be created. Raises MachineError.

    We enter the group ourselves while the child is started. If the child moved itself, it would begin
    outside, and a failure to move would look like a failure of its program."""
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
    """The folder in which groups for bots can be created; None if there is none. Tries it once by creating
    and entering a group, enables controllers if possible, and removes the groups of ended processes."""
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
    """Our own group, looked up after `_enable_controllers`, which may have moved us."""
    return _own() or home


def end_groups_of(pid: int) -> None:
    """End the groups that a process `pid`, which has ended, had created, with the processes in them."""
    if (home := home_of_groups()) is not None:
        for folder, maker in _groups(home):
            if maker == pid:
                with contextlib.suppress(OSError):
                    Cgroup(folder).end()


def _sweep(home: Path) -> None:
    """Remove the groups of processes that have ended, except new ones and those that contain a process."""
    for folder, maker in _groups(home):
        with contextlib.suppress(OSError):
            if not os.path.exists(f"/proc/{maker}") and time.time() - folder.stat().st_mtime > NEW_SECONDS:
                _removed(folder)


def _groups(home: Path) -> list[tuple[Path, int]]:
    """The groups of bots, each with the pid of the process that created it."""
    with contextlib.suppress(OSError):
        return [(path, int(made[1])) for path in home.iterdir() if (made := NAMES.fullmatch(path.name))]
    return []


def _own() -> Path | None:
    """The folder of our own group; None if it is not visible here."""
    with contextlib.suppress(OSError, ValueError):
        path = _unified(Path("/proc/self/cgroup").read_text())
        for line in Path("/proc/self/mountinfo").read_text().splitlines():
            fields, _, rest = line.partition(" - ")
            if rest.split(" ", 1)[0] == "cgroup2" and path is not None:
                _, _, _, root, mount, *_ = fields.split(" ")
                return Path(mount) / Path(path).relative_to(root)
    return None


def _unified(memberships: str) -> str | None:
    """The path of the version 2 group in the text of /proc/PID/cgroup; None if there is none, or it is
    outside our cgroup namespace (its path begins with `/..`)."""
    for line in memberships.splitlines():
        if line.startswith("0::/") and not line.startswith("0::/.."):
            return line.removeprefix("0::")
    return None


def _enable_controllers(home: Path) -> None:
    """Enable CONTROLLERS for the groups below `home` if possible. The kernel refuses this while `home`
    contains a process, so we move into a group below it; if another process stays in `home`, it fails."""
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
    """Limit a group as far as there are controllers. memory.oom.group makes the kernel kill all processes of
    a bot: those left would go on, and the bot would be blamed for what they do."""
    for name, value in (
        ("memory.max", memory + memory // OWN_SHARE + SPARE_BYTES),
        ("memory.swap.max", 0),
        ("memory.oom.group", 1),
        ("pids.max", processes),
    ):
        if (file := folder / name).exists():
            file.write_text(str(value))


def _enter(folder: Path) -> None:
    """Move this process with all its threads into a group. Raises OSError."""
    (folder / "cgroup.procs").write_bytes(b"0")


def _removed(folder: Path) -> bool:
    """Remove a group if it is empty; whether it is gone."""
    try:
        folder.rmdir()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


def _counts(file: Path) -> Mapping[str, int]:
    """Parse a file with a name and a number on each line; {} if it cannot be read."""
    with contextlib.suppress(OSError, ValueError):
        return {name: int(number) for name, number in map(str.split, file.read_text().splitlines())}
    return {}
