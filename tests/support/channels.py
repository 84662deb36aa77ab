"""Channels by which one bot could tell another something: a program for each, in C and Python."""

import contextlib
import os
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO

from arena.process.launch import Launch, base_interpreter, bot_environment
from arena.process.sandbox import Level, Sandbox, bounds, calls_refused, command, inherited, seat_uid
from arena.process.seccomp import REFUSED

NUMBERS = {call.name: getattr(call, os.uname().machine, None) for call in REFUSED}


# Each is three pieces of Python: what the receiver does first, what the sender leaves and holds, what the
# receiver finds then. `file` is a file that both see and can only read.
CHANNELS: Mapping[str, tuple[str, str, str]] = {
    "a page that has been put out of memory": (
        "open(file).read()",
        "os.posix_fadvise(os.open(file, 0), 0, 0, os.POSIX_FADV_DONTNEED)",
        "os.preadv(os.open(file, 0), [bytearray(9)], 0, os.RWF_NOWAIT)",
    ),
    "the same, by mincore": (
        "open(file).read()",
        "os.posix_fadvise(os.open(file, 0), 0, 0, os.POSIX_FADV_DONTNEED)",
        "resident(file)",
    ),
    "flock": (
        "",
        "keep(flock(os.open(file, 0), fcntl.LOCK_EX))",
        "flock(os.open(file, 0), fcntl.LOCK_EX | fcntl.LOCK_NB) and None",
    ),
    "a lock by fcntl": (
        "",
        "keep(os.open(file, 0)); fcntl.fcntl(kept[-1], fcntl.F_SETLK, LOCK % fcntl.F_RDLCK)",
        "fcntl.fcntl(os.open(file, 0), fcntl.F_GETLK, LOCK % fcntl.F_WRLCK)[:2]",
    ),
    "a lock of an open file": (
        "",
        "keep(os.open(file, 0)); fcntl.fcntl(kept[-1], 37, LOCK % fcntl.F_RDLCK)",
        "fcntl.fcntl(os.open(file, 0), 36, LOCK % fcntl.F_WRLCK)[:2]",
    ),
    "what a file is going to be used for": (
        "",
        "fcntl.fcntl(os.open(file, 0), 1036, struct.pack('Q', 4))",
        "struct.unpack('Q', fcntl.fcntl(os.open(file, 0), 1035, bytes(8)))[0]",
    ),
    "watching who opens a file": (
        "watch = libc.inotify_init1(0o4000); libc.inotify_add_watch(watch, b'.', 0x20)",
        "os.open('other', 0)",
        "len(os.read(watch, 99))",
    ),
    "the session's keys": (
        "",
        "number('add_key', b'user', b'arena-test', b'x', 1, -3)",
        "number('request_key', b'user', b'arena-test', None, 0) > 0",
    ),
    "the user's keys": (
        "",
        "number('add_key', b'user', b'arena-test', b'x', 1, -4)",
        "number('keyctl', 10, -4, b'user', b'arena-test', 0) > 0",
    ),
    "requests to the disk at a time": (
        "",
        "keep(ctypes.c_ulong()); number('io_setup', 3000, ctypes.byref(kept[-1]))",
        "int(open('/proc/sys/fs/aio-nr').read()) // 3000",
    ),
}


PRELUDE = """\
import ctypes, ctypes.util, fcntl, json, mmap, os, signal, socket, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
file, numbers, channels, leaves = json.loads(sys.argv[1])
kept, keep = [], lambda thing: kept.append(thing)
pack = struct.pack
class Lock:
    def __mod__(self, kind): return pack("hhlliq", kind, 0, 0, 0, 0, 0)
LOCK = Lock()
def flock(fd, how):
    fcntl.flock(fd, how)
    return fd
def number(name, *arguments):
    done = libc.syscall(numbers[name], *arguments)
    if done < 0: raise OSError(ctypes.get_errno(), name)
    return done
def resident(file):
    size = os.path.getsize(file)
    libc.mmap.restype = ctypes.c_void_p
    at = libc.mmap(None, ctypes.c_size_t(size), 1, 1, os.open(file, 0), ctypes.c_long(0))
    pages = (ctypes.c_ubyte * (size // 4096 + 1))()
    done = libc.mincore(ctypes.c_void_p(at), ctypes.c_size_t(size), pages)
    if done: raise OSError(ctypes.get_errno(), "mincore")
    return sum(page & 1 for page in pages)
"""
"""What the pieces are written in. Its argument is JSON: `file`, NUMBERS, channels, and whether it leaves."""


@contextlib.contextmanager
def sandboxed(
    folder: Path, source: str, *arguments: str, filtered: bool = True
) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """A Python program in a sandbox of its own that is shown the folder; the ends of its dialogue."""
    launch = Launch((base_interpreter(), "-I", "-S", "-c", source, *arguments), str(folder), owns_folder=True)
    with calls_refused(Level.BWRAP) as refused:
        handed = refused if filtered else None
        child = subprocess.Popen(
            command(launch, Level.BWRAP, bounds(Sandbox()), uid=seat_uid(), refused=handed),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=bot_environment(),
            pass_fds=inherited(handed),
        )
    assert child.stdin is not None
    assert child.stdout is not None
    try:
        yield child.stdin, child.stdout
    finally:
        child.stdin.close()
        child.stdout.close()
        child.wait()
