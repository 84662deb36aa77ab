"""The first process inside a sandbox, seen from outside: it is signalled, measured and ended.

It is a child of bwrap and not of ours, so we refer to it by a pidfd. Knows neither what runs inside nor how
the sandbox is built.
"""

import contextlib
import errno
import functools
import json
import os
import select
import signal
from typing import IO, Final

from arena.process.sandbox import FOLDER_BYTES, IN_MEMORY

PIDFD_SIGNAL_PROCESS_GROUP: Final = 1 << 2
FILE_BYTES: Final = 1536
"""Memory that the kernel uses for a file and its name, even if the file is empty."""
SOCKET_BYTES: Final = 416 << 10
"""The most that the kernel holds in a socket by default: net.core.wmem_default, and one datagram more of that
size, which it takes from a sender that is below it. Bots cannot change it. TCP may hold more by itself, up to
net.ipv4.tcp_mem for all of the machine."""
GROUP_GRACE_SECONDS: Final = 0.5
"""How long to wait for the end of killed processes that are not our children."""


class SandboxInit:
    """The first process inside: all others inside end with it. bwrap may end before it. `status`: the pipe to
    which bwrap reports the pid inside and the end of what was executed."""

    def __init__(self, status: IO[bytes]) -> None:
        """Blocks until the process exists or bwrap has failed."""
        self._status = status
        self._descriptor: int | None = None
        self.pid = 0
        """0 if it has already ended or never existed."""
        self._sockets: int | None = None
        with contextlib.suppress(ValueError, ProcessLookupError):
            pid: int = json.loads(status.readline())["child-pid"]
            self._descriptor = os.pidfd_open(pid)
            self.pid = pid
            with contextlib.suppress(OSError):
                self._sockets = os.open(f"/proc/{pid}/net/sockstat", os.O_RDONLY | os.O_CLOEXEC)

    @functools.cached_property
    def executed(self) -> bool:
        """Whether the sandbox was built and the bot was executed. Only known after the end of bwrap."""
        return b"exit-code" in self._status.read()

    @property
    def group(self) -> int | None:
        """A pidfd by which its whole process group can be signalled; None if there is none or the kernel
        cannot do that."""
        return self._descriptor if groups_have_descriptors() else None

    def scratch(self) -> int:
        """Bytes in the folders that the sandbox keeps in memory, and a bound for those in its sockets."""
        folders = sum(_in_memory(f"/proc/{self.pid}/root{folder}") for folder in IN_MEMORY) if self.pid else 0
        return folders + self.sockets() * SOCKET_BYTES

    def sockets(self) -> int:
        """The number of sockets of all kinds in the sandbox's network, with those that were closed before
        their data was sent. The kernel may keep timers for each, which run while the bot is stopped."""
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
            os.close(self._descriptor)
        if self._sockets is not None:
            os.close(self._sockets)
        self._status.close()


@functools.cache
def groups_have_descriptors() -> bool:
    """Whether the kernel can signal a process group by the pidfd of its leader, as Linux can since 6.9."""
    ours = os.pidfd_open(os.getpid())
    try:
        signal.pidfd_send_signal(ours, 0, None, PIDFD_SIGNAL_PROCESS_GROUP)
    except OSError as error:
        return error.errno != errno.EINVAL
    finally:
        os.close(ours)
    return True


def ends_within(pidfd: int, seconds: float) -> bool:
    """Block until a process ends, `seconds` at most; whether it has ended."""
    poll = select.poll()
    poll.register(pidfd, select.POLLIN)
    return bool(poll.poll(seconds * 1000))


def _in_memory(folder: str) -> int:
    """The bytes in a folder of a sandbox; 0 if the file system there has another size than FOLDER_BYTES.
    Before bwrap has made it, and after the end, another file system may be seen there."""
    try:
        stat = os.statvfs(folder)
    except OSError:
        return 0
    if stat.f_blocks * stat.f_frsize != FOLDER_BYTES:
        return 0
    return (stat.f_blocks - stat.f_bfree) * stat.f_frsize + (stat.f_files - stat.f_ffree) * FILE_BYTES
