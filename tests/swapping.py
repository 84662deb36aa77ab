"""A stranger who lets files, folders and links change places as fast as the system can, so that others open
another than was looked at. Runs as a user of its own where root runs the tests.

`python tests/swapping.py swap` reads two folders and names from its input, and exchanges what has such a name
in both, until an empty line or the end. The folders may be moved meanwhile.
"""

import contextlib
import ctypes
import os
import select
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Final

import pytest

RENAME_EXCHANGE: Final = 2
STRANGER: Final = 65534
needs_exchange: Final = pytest.mark.needs("linux")  # Two files change places at once there only.


class Stranger:
    """The process, and what it is told to do."""

    def __init__(self, child: "subprocess.Popen[bytes]") -> None:
        assert child.stdin
        assert child.stdout
        self._stdin: IO[bytes] = child.stdin
        self._stdout: IO[bytes] = child.stdout

    def swaps(self, one: Path, other: Path, *names: str) -> None:
        """Begins to exchange what has such a name in both folders."""
        self._stdin.write("\0".join((str(one), str(other), *names)).encode() + b"\n")
        self._stdin.flush()
        assert self._stdout.readline() == b"begun\n"

    def rests(self) -> None:
        """Leaves everything where it is."""
        self._stdin.write(b"\n")
        self._stdin.flush()
        assert self._stdout.readline() == b"rests\n"


@contextlib.contextmanager
def stranger() -> Iterator[Stranger]:
    """A stranger who has begun nothing."""
    child = subprocess.Popen(
        [sys.executable, __file__, "swap"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        yield Stranger(child)
    finally:
        child.kill()
        child.wait()
        for pipe in (child.stdin, child.stdout):
            assert pipe
            pipe.close()


def owned(folder: Path) -> Path:
    """The folder, given to the stranger with all that is in it."""
    if os.geteuid() == 0:
        for path in (folder, *folder.rglob("*")):
            os.chown(path, STRANGER, STRANGER, follow_symlinks=False)
    return folder


def open_to_all(path: Path) -> None:
    """Lets everybody pass through the folders above a path that are ours."""
    for folder in path.parents:
        if folder.stat().st_uid == os.geteuid() and folder != Path(folder.anchor):
            folder.chmod(folder.stat().st_mode | 0o111)


def _swap() -> None:
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(STRANGER)
        os.setuid(STRANGER)
    exchange = ctypes.CDLL(None, use_errno=True).renameat2
    while line := sys.stdin.buffer.readline().rstrip(b"\n"):
        *folders, names = line.split(b"\0", 2)
        one, other = (os.open(folder, os.O_RDONLY) for folder in folders)
        os.write(1, b"begun\n")
        while not select.select([0], [], [], 0)[0]:
            for _ in range(20):
                for name in names.split(b"\0"):
                    exchange(one, name, other, name, RENAME_EXCHANGE)
        os.close(one)
        os.close(other)
        if sys.stdin.buffer.peek(1)[:1] == b"\n":
            sys.stdin.buffer.readline()
            os.write(1, b"rests\n")


if __name__ == "__main__" and sys.argv[1:] == ["swap"]:
    _swap()
