"""Which system calls a bot is refused inside a sandbox, as a program that the kernel runs at each call.

Refused are those that give memory which nobody can see being used: in files without a name, in System V's
queues and segments, in file systems that one mounts in a user namespace of one's own. Nothing else is: this
is no list of what a bot needs. Knows numbers of calls and the kernel's classic BPF; not who is filtered.

Sources: linux/seccomp.h, linux/filter.h, linux/audit.h, and for the numbers asm/unistd_64.h (x86_64) and
asm-generic/unistd.h (aarch64).
"""

import contextlib
import errno
import fcntl
import functools
import os
import platform
import struct
import sys
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

CLONE_NEWUSER: Final = 0x10000000


class Call(NamedTuple):
    """`error` is what the caller is told. Where `bits` are given, only a call is refused that has all of them
    set in the argument of that place, counted from 0."""

    name: str
    x86_64: int
    aarch64: int
    error: int
    argument: int = 0
    bits: int = 0


REFUSED: Final = (
    # A user namespace makes everybody root in there. The flags of clone3 stand in memory, where a filter
    # cannot read them; libc falls back to clone.
    Call("unshare", 272, 97, errno.EPERM, 0, CLONE_NEWUSER),
    Call("clone", 56, 220, errno.EPERM, 0, CLONE_NEWUSER),
    Call("clone3", 435, 435, errno.ENOSYS),
    Call("mount", 165, 40, errno.EPERM),
    Call("fsopen", 430, 430, errno.EPERM),
    # Runtimes take what a kernel without these does, but for a kernel that forbids them.
    Call("memfd_create", 319, 279, errno.ENOSYS),
    Call("memfd_secret", 447, 447, errno.ENOSYS),
    Call("shmget", 29, 194, errno.ENOSYS),
    Call("semget", 64, 190, errno.ENOSYS),
    Call("msgget", 68, 186, errno.ENOSYS),
)
ARCHITECTURE: Final[Mapping[str, int]] = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
"""What the kernel calls it, AUDIT_ARCH_…, by the name of a machine. Both are little-endian."""
X32: Final = 0x40000000
"""On x86_64, calls from here on are the same ones by other numbers. Elsewhere there are none."""

# Where it stands in struct seccomp_data; of an argument, the lower half.
NUMBER, ARCH, ARGUMENTS = 0, 4, 16

LOAD, AND, RETURN = 0x20, 0x54, 0x06
"""A word of the data; the accumulator with a constant; the verdict."""
IF_EQUAL, IF_AT_LEAST = 0x15, 0x35
"""Each goes on with the next instruction, or skips so many."""

ALLOW: Final = 0x7FFF0000
KILL: Final = 0x80000000
ERROR: Final = 0x00050000


def known_machine() -> str | None:
    """Whose numbers hold for the programs here; None where they are not known."""
    name = platform.machine()
    return name if name in ARCHITECTURE and sys.maxsize > 2**32 else None


@functools.cache
def program(machine: str) -> bytes:
    """The filter. A process of another architecture, as of 32 bits, ends by SIGSYS: its calls have other
    numbers."""
    checked = (
        _do(LOAD, NUMBER),
        *_if(IF_AT_LEAST, X32, (_do(RETURN, ERROR | errno.ENOSYS),)),
        *(instruction for call in REFUSED for instruction in _refuse(call, machine)),
        _do(RETURN, ALLOW),
    )
    return b"".join(
        (_do(LOAD, ARCH), *_if(IF_EQUAL, ARCHITECTURE[machine], checked), _do(RETURN, KILL)),
    )


@contextlib.contextmanager
def handed(lowest: int) -> Iterator[int | None]:
    """A descriptor, `lowest` or above, from which the program of this machine can be read once; None where
    none is known. It is for a child to inherit, and closed when that has started."""
    here = known_machine()
    if here is None:
        yield None
        return
    low, writing = os.pipe()  # which holds more than that without a reader
    try:
        reading = fcntl.fcntl(low, fcntl.F_DUPFD_CLOEXEC, lowest)
        os.write(writing, program(here))
    finally:
        os.close(low)
        os.close(writing)
    try:
        yield reading
    finally:
        os.close(reading)


def _refuse(call: Call, machine: str) -> tuple[bytes, ...]:
    number = call.x86_64 if machine == "x86_64" else call.aarch64
    error = _do(RETURN, ERROR | call.error)
    if not call.bits:
        return _if(IF_EQUAL, number, (error,))
    argument = (_do(LOAD, ARGUMENTS + 8 * call.argument), _do(AND, call.bits))
    return _if(IF_EQUAL, number, (*argument, *_if(IF_EQUAL, call.bits, (error,)), _do(RETURN, ALLOW)))


def _if(test: int, value: int, then: tuple[bytes, ...]) -> tuple[bytes, ...]:
    """`then`, where the accumulator passes the test."""
    return (_do(test, value, otherwise=len(then)), *then)


def _do(code: int, value: int, otherwise: int = 0) -> bytes:
    """One instruction; `otherwise` is how many a failed test skips."""
    return struct.pack("<HBBI", code, 0, otherwise, value)
