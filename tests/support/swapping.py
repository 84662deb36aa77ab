"""A stranger who lets files, folders and links change places as fast as the system can, so that others open
another than was looked at. Runs as a user of its own where root runs the tests.

`python tests/support/swapping.py swap` has a socket as its standard input. It gets two folders and names, and
swaps what has such a name in both, until it gets RESTS. The folders may be moved meanwhile.
"""

import contextlib
import ctypes
import os
import select
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

BEGUN: Final = b"b"
RESTS: Final = b"r"
RENAME_EXCHANGE: Final = 2
STRANGER: Final = 65534
needs_exchange: Final = pytest.mark.needs("linux")  # Two files change places at once there only.


class Stranger:
    """The process, at the other end of a socket."""

    def __init__(self, words: socket.socket) -> None:
        self._words = words

    def swaps(self, one: Path, other: Path, *names: str) -> None:
        """Begins to exchange what has such a name in both folders."""
        folders = [os.open(folder, os.O_RDONLY) for folder in (one, other)]
        try:
            socket.send_fds(self._words, ["\0".join(names).encode()], folders)
        finally:
            for folder in folders:
                os.close(folder)
        assert self._words.recv(1) == BEGUN

    def rests(self) -> None:
        """Leaves everything where it is."""
        self._words.send(RESTS)
        assert self._words.recv(1) == RESTS


@contextlib.contextmanager
def stranger() -> Iterator[Stranger]:
    """A stranger who has begun nothing."""
    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            child = subprocess.Popen([sys.executable, __file__, "swap"], stdin=theirs.fileno())
        try:
            yield Stranger(ours)
        finally:
            child.kill()
            child.wait()


def owned(folder: Path) -> Path:
    """The folder, given to the stranger with all that is in it."""
    if os.geteuid() == 0:
        for path in (folder, *folder.rglob("*")):
            os.chown(path, STRANGER, STRANGER, follow_symlinks=False)
    return folder


def _swap() -> None:
    words = socket.socket(fileno=0)
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(STRANGER)
        os.setuid(STRANGER)
    exchange = ctypes.CDLL(None).renameat2
    while True:
        names, folders, *_ = socket.recv_fds(words, 1000, 2)
        if not names:
            return
        words.send(BEGUN)
        while not select.select([words], [], [], 0)[0]:
            for _ in range(20):
                for name in names.split(b"\0"):
                    exchange(folders[0], name, folders[1], name, RENAME_EXCHANGE)
        words.send(words.recv(1))
        for folder in folders:
            os.close(folder)


if __name__ == "__main__" and sys.argv[1:] == ["swap"]:
    _swap()
