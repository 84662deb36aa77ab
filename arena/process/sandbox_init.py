"""The first process inside a sandbox, seen from outside: signalled, measured, ended.

Its parent is not us but the wall around it, so we hold it by a descriptor. Knows neither what runs in there
nor how the wall is built.
"""

import contextlib
import errno
import fcntl
import functools
import json
import os
import select
import signal
import struct
from typing import IO, Final

from arena.process.sandbox import FOLDER_BYTES, IN_MEMORY

PIDFD_SIGNAL_PROCESS_GROUP: Final = 1 << 2
PIDFD_INFO_EXIT: Final = 1 << 3
PIDFD_INFO_SIZE: Final = 64
PIDFD_INFO_EXIT_CODE: Final = 60
"""Where the exit status stands in struct pidfd_info, linux/pidfd.h."""
PIDFD_GET_INFO: Final = 3 << 30 | PIDFD_INFO_SIZE << 16 | 0xFF << 8 | 11
FILE_BYTES: Final = 1024
"""What the kernel keeps of a file, be it empty, with its name."""
SOCKET_BYTES: Final = 208 << 10
"""What the kernel lets wait in a socket if nobody asks for more (net.core.wmem_default)."""
GROUP_GRACE_SECONDS: Final = 0.5
"""How long the end of killed processes is waited for that are not ours to reap."""


class Inner:
    """With it all others in there end. The wall may go before it. `told` is where bwrap says what becomes of
    both."""

    def __init__(self, told: IO[bytes]) -> None:
        """Waits until there is one, or bwrap has failed."""
        self._told = told
        self._descriptor: int | None = None
        self.pid = 0
        """0 where it has gone already, or never was."""
        self._sockets: int | None = None
        with contextlib.suppress(ValueError, ProcessLookupError):
            pid: int = json.loads(told.readline())["child-pid"]
            self._descriptor = os.pidfd_open(pid)
            self.pid = pid
            with contextlib.suppress(OSError):
                self._sockets = os.open(f"/proc/{pid}/net/sockstat", os.O_RDONLY | os.O_CLOEXEC)

    @functools.cached_property
    def executed(self) -> bool:
        """Whether the wall was built and the bot began. To be asked when the wall has ended."""
        return b"exit-code" in self._told.read()

    @functools.cached_property
    def killed(self) -> bool:
        """Whether the first process in there was ended by a signal, which no bot can send it. To be asked
        when the wall has ended; False where the kernel does not say, as before Linux 6.15."""
        if self._descriptor is None:
            return False
        info = bytearray(PIDFD_INFO_SIZE)
        struct.pack_into("Q", info, 0, PIDFD_INFO_EXIT)
        with contextlib.suppress(OSError):
            fcntl.ioctl(self._descriptor, PIDFD_GET_INFO, info)
            (mask,) = struct.unpack_from("Q", info, 0)
            (status,) = struct.unpack_from("i", info, PIDFD_INFO_EXIT_CODE)
            return bool(mask & PIDFD_INFO_EXIT) and os.WIFSIGNALED(status)
        return False

    @property
    def group(self) -> int | None:
        """A descriptor by which all of its process group can be signalled; None where there is none."""
        return self._descriptor if groups_have_descriptors() else None

    def scratch(self) -> int:
        """Bytes in the folders that the sandbox keeps in memory, and what its sockets may hold."""
        folders = sum(_in_memory(f"/proc/{self.pid}/root{folder}") for folder in IN_MEMORY) if self.pid else 0
        return folders + self.sockets() * SOCKET_BYTES

    def sockets(self) -> int:
        """How many there are in the sandbox's network, of all kinds, those included that were closed before
        their data had gone. For each the kernel may keep clocks, which go on when the bot is stopped."""
        if self._sockets is None:
            return 0
        with contextlib.suppress(OSError, ValueError):
            told = os.pread(self._sockets, 64, 0)
            return int(told[len(b"sockets: used ") : told.index(b"\n")])
        return 0

    def end(self) -> None:
        """Kill it and wait until all in there are gone."""
        if self._descriptor is not None:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._descriptor, signal.SIGKILL)
            ends_within(self._descriptor, GROUP_GRACE_SECONDS)
            os.close(self._descriptor)
        if self._sockets is not None:
            os.close(self._sockets)
        self._told.close()


@functools.cache
def groups_have_descriptors() -> bool:
    """Whether the kernel signals a group by the descriptor of its leader, as Linux does from 6.9 on."""
    ours = os.pidfd_open(os.getpid())
    try:
        signal.pidfd_send_signal(ours, 0, None, PIDFD_SIGNAL_PROCESS_GROUP)
    except OSError as error:
        return error.errno != errno.EINVAL
    finally:
        os.close(ours)
    return True


def ends_within(pidfd: int, seconds: float) -> bool:
    """Wait in the kernel for the end of a process."""
    poll = select.poll()
    poll.register(pidfd, select.POLLIN)
    return bool(poll.poll(seconds * 1000))


def _in_memory(folder: str) -> int:
    """Bytes in a sandbox's folder. It is known by its size: before bwrap has made it, and when all is over,
    something else may be found there."""
    try:
        stat = os.statvfs(folder)
    except OSError:
        return 0
    if stat.f_blocks * stat.f_frsize != FOLDER_BYTES:
        return 0
    return (stat.f_blocks - stat.f_bfree) * stat.f_frsize + (stat.f_files - stat.f_ffree) * FILE_BYTES
