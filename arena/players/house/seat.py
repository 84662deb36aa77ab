"""The bot of a seat that a person plays: it forwards lines between the referee and the screen without reading
them. Its argument is the path of the Unix socket on which the screen listens.

For the referee it is a bot like any other. When the person leaves, the screen closes the connection, and this
program ends.
"""

import contextlib
import os
import select
import socket
import sys

READ_SIZE = 65536


def main() -> None:
    """Forward both ways until either side ends. Raises ConnectionError if the screen is gone."""
    screen = socket.socket(socket.AF_UNIX)
    screen.connect(sys.argv[1])
    data = b"to begin with"
    while data:
        ready, _, _ = select.select([screen.fileno(), 0], [], [])
        if screen.fileno() in ready:
            data = screen.recv(READ_SIZE)
            write(data)
        else:
            data = os.read(0, READ_SIZE)
            screen.sendall(data)


def write(data: bytes) -> None:
    """Write all of `data` to standard output."""
    while data:
        data = data[os.write(1, data) :]


if __name__ == "__main__":
    with contextlib.suppress(ConnectionError):
        main()
