"""Where the control socket of a folder is: in a folder of its own, which nobody else may enter.

The socket is reached through a descriptor of that folder, since the address of a socket has at most 108 bytes
and the path of a run may be longer.
"""

import contextlib
import os
import socket
import stat
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import trio

from arena.system.foreign import NO_WAITING

FOLDER: Final = "control"
SOCKET: Final = "socket"
MESSAGE_LIMIT: Final = 1 << 20
"""Bytes of an order or an answer, its line break included."""
_DESCRIPTORS: Final = "/proc/self/fd"
_CREDENTIALS: Final = struct.Struct("3i")


@contextlib.contextmanager
def entered(folder: Path, *, make: bool = False) -> Iterator[int]:
    """A descriptor of the folder that holds the socket; `make` creates it if it is missing. Raises OSError,
    also where it is a link or belongs to another user."""
    place = folder / FOLDER
    if make:
        with contextlib.suppress(FileExistsError):
            place.mkdir(mode=0o700)
    inside = os.open(place, os.O_RDONLY | os.O_DIRECTORY | NO_WAITING)
    try:
        if os.fstat(inside).st_uid != os.geteuid():
            raise PermissionError(f"{place} belongs to another user")
        if make:
            os.fchmod(inside, 0o700)
        yield inside
    finally:
        os.close(inside)


def address(inside: int, folder: Path) -> str:
    """The address of the socket in the folder that `inside` is a descriptor of."""
    if os.path.isdir(_DESCRIPTORS):
        return f"{_DESCRIPTORS}/{inside}/{SOCKET}"
    return str(folder / FOLDER / SOCKET)


def is_ours(inside: int) -> bool:
    """Whether there is a socket of this user, and no link to one."""
    try:
        found = os.stat(SOCKET, dir_fd=inside, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return stat.S_ISSOCK(found.st_mode) and found.st_uid == os.geteuid()


def process(connection: socket.socket) -> str:
    """The number of the process at the other end after a space; "" where the system does not say."""
    if not hasattr(socket, "SO_PEERCRED"):
        return ""
    found = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    return f" {_CREDENTIALS.unpack(found)[0]}"


def is_same_user(connection: "socket.socket | trio.socket.SocketType") -> bool:
    """Whether the process at the other end runs as this user. Where the system does not say, the mode of the
    folder decides."""
    if not hasattr(socket, "SO_PEERCRED"):
        return True
    found = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    _, user, _ = _CREDENTIALS.unpack(found)
    return bool(user == os.geteuid())
