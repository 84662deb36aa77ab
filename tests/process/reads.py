"""`python -m tests.process.reads`: reads as its task says, in ways that strangers would choose."""

import os
import socket
import time
from collections.abc import Callable, Sequence
from typing import BinaryIO

from arena.process.reader import FRAME, serve


def attempt(act: Callable[[], object]) -> str:
    try:
        act()
    except OSError as error:
        return f"{type(error).__name__} {error.errno}"
    return "done"


def read(task: bytes, files: Sequence[BinaryIO], say: Callable[[bytes], None]) -> None:
    match task.decode():
        case "reads":
            for file in files:
                say(file.read())
        case "hangs":
            while True:
                pass
        case "sleeps":
            time.sleep(3600)
        case "grows":
            bytearray(1 << 40)
        case "dies":
            os._exit(9)
        case "fails":
            raise KeyError
        case "says on and on":
            while True:
                say(bytes(1000))
        case "says too much":
            say(bytes(FRAME + 1))
        case "writes":
            say(attempt(lambda: (files[0].write(bytes(100_000)), files[0].flush())).encode())
        case "acts":
            say(attempt(lambda: os.open("/etc/passwd", os.O_RDONLY)).encode())
            say(attempt(lambda: os.open("/tmp/x", os.O_WRONLY | os.O_CREAT)).encode())
            say(attempt(socket.socket).encode())
            say(attempt(os.fork).encode())
            say(str(os.geteuid()).encode())


if __name__ == "__main__":
    serve(read)
