"""`python -m tests.cli.preloaded`: a process that has loaded what the commands of `arena` load, and forks for
each call. Importing took most of a call's time; everything else happens as in a process of its own.

Descriptor 0 is a socket. A request is a line of JSON, {"argv", "folder", "env"}, with the descriptors of the
call's three streams; the answer is the exit status as text.
"""

import contextlib
import gc
import importlib
import io
import json
import os
import signal
import socket
import sys
import traceback
from typing import Any, NoReturn

import numpy
import scipy.stats

import arena.__main__
from arena.cli import COMMANDS, SHARED_MODULES

REQUEST_LIMIT = 1 << 20


def serve(requests: socket.socket) -> None:
    while True:
        text, streams, _, _ = socket.recv_fds(requests, REQUEST_LIMIT, 3)
        if not text:
            return
        pid = os.fork()
        if pid == 0:
            requests.close()
            _call(json.loads(text), streams)
        for stream in streams:
            os.close(stream)
        _, status = os.waitpid(pid, 0)
        requests.send(str(os.waitstatus_to_exitcode(status)).encode())


def _stream(number: int, mode: str, **how: Any) -> io.TextIOWrapper:
    return io.TextIOWrapper(open(number, f"{mode}b", closefd=False), "utf-8", **how)


def _call(request: dict[str, Any], streams: list[int]) -> NoReturn:
    status: Any = 1
    try:
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        os.chdir(request["folder"])
        os.environ.clear()
        os.environ.update(request["env"])
        path = os.environ["PYTHONPATH"].split(os.pathsep)
        sys.path[:] = [*path, *(place for place in sys.path if place not in path)]
        sys.argv = ["arena", *request["argv"]]
        sys.stdin = _stream(0, "r")
        sys.stdout = _stream(1, "w")
        sys.stderr = _stream(2, "w", errors="backslashreplace", line_buffering=True)
        arena.__main__.main()
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(status)


if __name__ == "__main__":
    for name in COMMANDS:
        # A command that cannot be loaded fails when it is called, and there the error can be read.
        with contextlib.suppress(Exception):
            importlib.import_module(f"arena.cli.{SHARED_MODULES.get(name, name)}")
    for name in (
        "arena.report.files",
        "arena.director.export",
        "arena.director.comparison",
        "arena.screens.web",
    ):
        importlib.import_module(name)
    assert numpy is not None
    assert scipy.stats is not None
    signal.signal(signal.SIGINT, signal.default_int_handler)
    gc.freeze()
    serve(socket.socket(fileno=0))
