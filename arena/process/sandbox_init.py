"""Signals, measures and ends the first process inside a sandbox, from outside.

It is bwrap's child and not ours, so we refer to it by a pidfd. Knows neither what runs inside nor how the
sandbox is built.
"""

import contextlib
import errno
import functools
import json
import os
import select
import signal
from collections.abc import Sequence
from typing import IO, Final

from arena.process.sandbox import FOLDER_BYTES, IN_MEMORY
from arena.process.tree import could_watch, descriptors, opened
from arena.system.machine import MIB

PIDFD_SIGNAL_PROCESS_GROUP: Final = 1 << 2
FILE_BYTES: Final = 1536
"""Memory that the kernel uses for a file and its name, even if the file is empty."""
SOCKET_BYTES: Final = 416 << 10
"""The maximum that the kernel buffers in a socket by default: net.core.wmem_default plus one datagram of that
size, which it accepts from a sender below the limit. Bots cannot change it. TCP may buffer more by itself, up
to net.ipv4.tcp_mem for the whole machine."""
WATCHED_BYTES: Final = 400
"""More than what an epoll keeps for a descriptor that it waits for."""
MOST_WATCHED: Final = 2_000_000
"""How many are counted: more would take seconds."""
PROC_FILE_BYTES: Final = MIB
"""More than what is kept for a file of /proc, unless that shows a path of many folders or a whole epoll."""
PATH_BYTES: Final = 2048
"""The maximum that a folder adds to that: a name of 255 signs takes four bytes each, and a buffer is doubled
until the text fits."""
LEAST_KEPT: Final = 64 * MIB
"""What could be kept for descriptors is not counted up to this total: counting reads a link for each."""
GROUP_GRACE_SECONDS: Final = 0.5
"""How long to wait for killed processes that are not our children."""


class SandboxInit:
    """The first process inside; all others inside end with it. bwrap may end before it. `status`: the pipe to
    which bwrap reports the pid inside and the exit code."""

    def __init__(self, status: IO[bytes]) -> None:
        """Blocks until the process exists or bwrap has failed."""
        self._status = status
        self._descriptor: int | None = None
        self.pid = 0
        """0 if the process has already ended or never existed."""
        self._sockets: int | None = None
        self._most_files = 0
        """The most files in its folders in memory at a look: what was read stays when they are deleted."""
        with contextlib.suppress(ValueError, ProcessLookupError):
            pid: int = json.loads(status.readline())["child-pid"]
            self._descriptor = os.pidfd_open(pid)
            self.pid = pid
            with contextlib.suppress(OSError):
                self._sockets = os.open(f"/proc/{pid}/net/sockstat", os.O_RDONLY | os.O_CLOEXEC)

    @functools.cached_property
    def executed(self) -> bool:
        """Whether the sandbox was set up and the bot executed. Read this only after bwrap has ended."""
        return b"exit-code" in self._status.read()

    @property
    def group(self) -> int | None:
        """A pidfd by which the whole process group can be signalled; None if that is not possible."""
        return self._descriptor if groups_have_descriptors() else None

    def scratch(self, pids: Sequence[int]) -> int:
        """Bytes in the folders that the sandbox keeps in memory, plus a bound for what the kernel keeps for
        sockets and descriptors of these processes inside."""
        folders = [_in_memory(f"/proc/{self.pid}/root{folder}") for folder in IN_MEMORY] if self.pid else []
        self._most_files = max(self._most_files, sum(files for _, files in folders))
        return sum(size for size, _ in folders) + self.sockets() * SOCKET_BYTES + self._kept(pids)

    def _kept(self, pids: Sequence[int]) -> int:
        """A bound for what the kernel keeps for epolls and files of /proc."""
        path = max(PROC_FILE_BYTES, self._most_files * PATH_BYTES)
        counts = map(descriptors, pids)
        most = sum(could_watch(count) * WATCHED_BYTES + count * path for count in counts)
        if most <= LEAST_KEPT and not self.sockets():
            return 0
        held = opened(pids, MOST_WATCHED)
        # A buffer that was too small has been doubled.
        text = max(path, 2 * held.list_bytes)
        return held.watched * WATCHED_BYTES + (held.proc_files + held.in_transit) * text

    def sockets(self) -> int:
        """The number of sockets of all kinds in the sandbox's network, including those closed before their
        data was sent. The kernel may keep timers for each, which run while the bot is stopped."""
        if self._sockets is None:
            return 0
        with contextlib.suppress(OSError, ValueError):
            text = os.pread(self._sockets, 64, 0)
            return int(text[len(b"sockets: used ") : text.index(b"\n")])
        return 0

    def end(self) -> None:
        """Kill it, wait until all processes inside are gone, and close the descriptors."""
        if self._descriptor is not None:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._descriptor, signal.SIGKILL)
            ends_within(self._descriptor, GROUP_GRACE_SECONDS)
            with contextlib.suppress(ChildProcessError):  # It is ours if we adopt orphans.
                os.waitid(os.P_PIDFD, self._descriptor, os.WEXITED | os.WNOHANG)
            os.close(self._descriptor)
        if self._sockets is not None:
            os.close(self._sockets)
        self._status.close()


@functools.cache
def groups_have_descriptors() -> bool:
    """Whether the kernel can signal a process group by the pidfd of its leader (Linux 6.9 and later)."""
    ours = os.pidfd_open(os.getpid())
    try:
        signal.pidfd_send_signal(ours, 0, None, PIDFD_SIGNAL_PROCESS_GROUP)
    except OSError as error:
        return error.errno != errno.EINVAL
    finally:
        os.close(ours)
    return True


def ends_within(pidfd: int, seconds: float) -> bool:
    """Block until a process ends; False if it has not after `seconds`."""
    poll = select.poll()
    poll.register(pidfd, select.POLLIN)
    return bool(poll.poll(seconds * 1000))


def _in_memory(folder: str) -> tuple[int, int]:
    """The bytes and the number of files in a sandbox's folder in memory; 0 if the file system is not
    FOLDER_BYTES large. Before bwrap has mounted it, and after the end, the path may show another one."""
    try:
        stat = os.statvfs(folder)
    except OSError:
        return 0, 0
    if stat.f_blocks * stat.f_frsize != FOLDER_BYTES:
        return 0, 0
    files = stat.f_files - stat.f_ffree
    return (stat.f_blocks - stat.f_bfree) * stat.f_frsize + files * FILE_BYTES, files
