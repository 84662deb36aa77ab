"""The processes below a process, as /proc shows them: how much memory and CPU time they have, what they keep
in files without a name, and those whose parents have gone.

Knows no bots. Where there is no /proc (macOS) nothing is found.
"""

import contextlib
import ctypes
import itertools
import os
import signal
import sys
import time
from collections.abc import Collection, Iterable, Iterator
from typing import Final, NamedTuple

PAGE: Final = os.sysconf("SC_PAGE_SIZE")
TICK_SECONDS: Final = 1 / os.sysconf("SC_CLK_TCK")
PR_SET_CHILD_SUBREAPER: Final = 36
PATIENCE_SECONDS: Final = 2.0
DESCRIPTORS_AT_ONCE: Final = 2048
"""Some 10 ms of looking. Who opens hundreds of files in hundreds of processes must not make it longer."""
BLOCK: Final = 512
"""Of st_blocks, whatever the file system's own are."""

_UTIME, _STIME, _RSS = 11, 12, 21
"""Where they stand in /proc/PID/stat behind the command, which may hold anything."""


class Usage(NamedTuple):
    """Bytes of resident memory, and seconds of CPU time."""

    memory: int
    cpu: float


def children(pid: int) -> list[int]:
    """The living children, and those not yet reaped."""
    found: list[int] = []
    with contextlib.suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            with contextlib.suppress(OSError), open(f"/proc/{pid}/task/{thread}/children", "rb") as file:
                found += map(int, file.read().split())
    return found


def tree(pid: int) -> Iterator[int]:
    """The process and all below it."""
    waiting = [pid]
    while waiting:
        yield (pid := waiting.pop())
        waiting += children(pid)


def usage(pids: Iterable[int]) -> Usage:
    """What the processes use. Pages that several of them share count for each."""
    memory, ticks = 0, 0
    for pid in pids:
        with contextlib.suppress(OSError), open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
            memory += int(fields[_RSS]) * PAGE
            ticks += int(fields[_UTIME]) + int(fields[_STIME])
    return Usage(memory, ticks * TICK_SECONDS)


class NamelessFiles:
    """Those that are made by memfd_create and live in memory: what is written there, and mapped by nobody, is
    in no resident memory. Looked at so many descriptors at a time; where there are more, the next look goes
    on with them."""

    def __init__(self) -> None:
        self._left: Iterator[str] | None = None
        """The descriptors of this round that are still to be looked at; None where a new one is to begin."""
        self._sizes: dict[tuple[int, int], int] = {}
        """Of those found in this round, by device and inode, since many may have the same one open."""
        self._last_round = 0

    def look(self, pids: Iterable[int]) -> int:
        """The bytes in those that the processes have open: what the last round has found or, if that is more
        already, this one."""
        if self._left is None:
            self._left, self._sizes = _descriptors(pids), {}
        paths = list(itertools.islice(self._left, DESCRIPTORS_AT_ONCE))
        for path in paths:
            try:  # `suppress` would cost a quarter of all this.
                if os.readlink(path).startswith("/memfd:"):
                    file = os.stat(path)
                    self._sizes[file.st_dev, file.st_ino] = file.st_blocks * BLOCK
            except OSError:
                continue
        found = sum(self._sizes.values())
        if len(paths) < DESCRIPTORS_AT_ONCE:
            self._left, self._last_round = None, found
        return max(found, self._last_round)


def _descriptors(pids: Iterable[int]) -> Iterator[str]:
    for pid in pids:
        with contextlib.suppress(OSError):
            for number in os.listdir(f"/proc/{pid}/fd"):
                yield f"/proc/{pid}/fd/{number}"


def adopt_orphans() -> None:
    """From now on a descendant whose parent ends becomes our child, so that it can be found and ended. Only
    Linux knows how."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def end_orphans(spared: Collection[int] = ()) -> None:
    """Kill and reap our children, and what they leave behind, but for those `spared` and those in our own
    session: whatever a bot has started is in another."""
    ours = os.getsid(0)
    patience = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < patience:
        orphans = [pid for pid in children(os.getpid()) if pid not in spared and os.getsid(pid) != ours]
        if not orphans:
            return
        for pid in orphans:
            with contextlib.suppress(PermissionError):
                os.kill(pid, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
        time.sleep(0.001)
