"""Pages of a running command, which a server of the test's own can hold back."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any


class Answers(SimpleHTTPRequestHandler):
    """Counts what it is asked for, and the bytes of each answer with its headers."""

    asked: list[tuple[str, int]]

    def __init__(self, *args: Any, asked: list[tuple[str, int]], **kwargs: Any) -> None:
        self.asked = asked
        super().__init__(*args, **kwargs)

    def do_GET(self) -> None:
        before = self.wfile
        counting = Counting(before)
        self.wfile = counting  # type: ignore[assignment]
        try:
            super().do_GET()
        finally:
            self.wfile = before
            self.asked.append((self.path, counting.bytes))

    def log_message(self, *_: object) -> None:
        pass


class Counting:
    def __init__(self, file: Any) -> None:
        self._file = file
        self.bytes = 0

    def write(self, data: bytes) -> int:
        self.bytes += len(data)
        written: int = self._file.write(data)
        return written

    def flush(self) -> None:
        self._file.flush()


@contextmanager
def served(folder: Path) -> Iterator[tuple[str, list[tuple[str, int]]]]:
    """The folder's address, and what was asked for so far with its bytes."""
    asked: list[tuple[str, int]] = []
    handler: Callable[..., Answers] = partial(Answers, directory=str(folder), asked=asked)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/report.html", asked
        server.shutdown()


HIDE = """(hidden) => {
  Object.defineProperty(document, "hidden", { configurable: true, get: () => hidden });
  document.dispatchEvent(new Event("visibilitychange"));
}"""
