"""The place of a folder's control socket: a folder of its own that no other user may enter.

The socket is addressed through a descriptor of that folder, since a socket's address has at most 108 bytes
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
_DESCRIPTORS: Final = "/proc/self/fd"
_CREDENTIALS: Final = struct.Struct("3i")


@contextlib.contextmanager
def entered(folder: Path, *, make: bool = False) -> Iterator[int]:
    """Yield a descriptor of the folder that holds the socket; `make` creates it if it is missing. Raises
    OSError, also if it is a link or belongs to another user."""
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
    """The address of the socket. `inside` is a descriptor of its folder."""
    if os.path.isdir(_DESCRIPTORS):
        return f"{_DESCRIPTORS}/{inside}/{SOCKET}"
    return str(folder / FOLDER / SOCKET)


def is_ours(inside: int) -> bool:
    """Whether the socket exists, belongs to this user and is not a link."""
    try:
        status = os.stat(SOCKET, dir_fd=inside, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return stat.S_ISSOCK(status.st_mode) and status.st_uid == os.geteuid()


def process(connection: socket.socket) -> str:
    """A space and the id of the process at the other end; "" if the system does not reveal it."""
    if not hasattr(socket, "SO_PEERCRED"):
        return ""
    credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    return f" {_CREDENTIALS.unpack(credentials)[0]}"


def is_same_user(connection: "socket.socket | trio.socket.SocketType") -> bool:
    """Whether the process at the other end runs as this user. True if the system does not reveal it, since
    the mode of the folder keeps others out."""
    if not hasattr(socket, "SO_PEERCRED"):
        return True
    credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    _, user, _ = _CREDENTIALS.unpack(credentials)
    return bool(user == os.geteuid())
