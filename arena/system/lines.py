"""Shared code of processes of the arena that exchange messages, one line of JSON each. Knows neither what the
lines say nor how a process waits for them."""

import os
import signal
from typing import IO, Final

LAST_WORDS: Final = 4096
"""Bytes kept from the end of a process's standard error, to explain its death."""


class Splitter:
    """Splits a stream that arrives in pieces into lines."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def lines(self, data: bytes) -> list[bytes]:
        """The lines that this piece completes, without their newlines."""
        first, *more = data.split(b"\n")
        self._parts.append(first)
        if not more:
            return []
        lines = [b"".join(self._parts), *more]
        self._parts = [lines.pop()]
        return lines


def take_streams() -> tuple[int, int]:
    """Take over standard input and output as the two ends of this process's dialogue. Standard input is then
    empty, and standard output goes to standard error, so that no child inherits the dialogue and nothing
    printed by accident gets into it. Ctrl-C, which a bot without a sandbox can send too, is for the parent,
    which ends this process by ending the input."""
    # If it were ignored, children would ignore it too.
    signal.signal(signal.SIGINT, lambda *_: None)
    asked, answers = os.dup(0), os.dup(1)
    nowhere = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nowhere, 0)
    os.close(nowhere)
    os.dup2(2, 1)
    return asked, answers


def write_line(descriptor: int, line: bytes) -> None:
    """Write a line; `line` has no newline."""
    data = line + b"\n"
    while data:
        data = data[os.write(descriptor, data) :]


def last_words(errors: IO[bytes]) -> str:
    """The end of a process's standard error, from the file into which it was written."""
    errors.seek(0)
    return errors.read()[-LAST_WORDS:].decode("utf-8", "replace")
