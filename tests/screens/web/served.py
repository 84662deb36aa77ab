"""`arena play --web` as a process, and its page's addresses."""

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from http.client import HTTPConnection
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

import msgspec

from tests.cli.calls import ROOT

WAIT = 60


class Answered(NamedTuple):
    status: int
    headers: Mapping[str, str]
    body: bytes


class Served:
    def __init__(
        self, *words: object, folder: Path, command: Sequence[object] = (sys.executable, "-m", "arena")
    ) -> None:
        self.process = subprocess.Popen(
            [*map(str, command), "play", "--web", *map(str, words)],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT)} if command[0] == sys.executable else None,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stderr is not None
        told = next(line for line in self.process.stderr if line.startswith("play at "))
        self.address = told.removeprefix("play at ").strip()
        found = re.fullmatch(r"http://(127\.0\.0\.1:\d+)(/[\w-]{20,}/)", self.address)
        assert found is not None
        self.host, self.start = found.groups()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def ask(
        self, method: str, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> Answered:
        connection = HTTPConnection(self.host, timeout=WAIT)
        try:
            connection.request(method, path, body, dict(headers or {}))
            response = connection.getresponse()
            return Answered(response.status, dict(response.getheaders()), response.read())
        finally:
            connection.close()

    def say(self, data: bytes) -> bytes:
        """Bytes that may be no request; the protocol and the status that come back, if any do."""
        name, port = self.host.split(":")
        with socket.create_connection((name, int(port)), WAIT) as connection:
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
            return connection.makefile("rb").read()[:12]

    def news(self, known: int = 0) -> dict[str, Any]:
        shown: dict[str, Any] = msgspec.json.decode(self.ask("GET", f"{self.start}news/{known}").body)
        return shown

    def send(self, intent: Mapping[str, Any]) -> int:
        return self.ask("POST", f"{self.start}intent", msgspec.json.encode(intent)).status

    def interrupt(self) -> None:
        self.process.send_signal(signal.SIGINT)

    def end(self) -> tuple[int, str]:
        """The exit status, and what was printed."""
        out, err = self.process.communicate(timeout=WAIT)
        return self.process.returncode, out + err


GO_ON = "() => { const found = document.querySelector('.go-on'); found?.click(); return !!found; }"
