"""The program of a seat in which a person sits: what the referee says goes to the screen, what the screen
answers goes to the referee. The argument is the socket on which the screen listens.

So the referee plays with a bot like any other, whose terminal is elsewhere: bots have none. When the person
leaves, the screen closes its end, and this one ends.
"""

import contextlib
import os
import select
import socket
import sys

READ_SIZE = 65536


def main() -> None:
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
    while data:
        data = data[os.write(1, data) :]


if __name__ == "__main__":
    with contextlib.suppress(ConnectionError):
        main()
