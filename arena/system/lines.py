"""Processes of the arena that talk to each other, one line of JSON a message: what both ends share. Knows
neither what the lines say nor how anybody waits for them.
"""

import os
from typing import IO, Final

LAST_WORDS: Final = 4096
"""Bytes at the end of a process's standard error by which its death is explained."""


class Splitter:
    """Splits what comes in pieces into lines."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def lines(self, data: bytes) -> list[bytes]:
        """The lines that are complete with this piece, without their newlines."""
        first, *more = data.split(b"\n")
        self._parts.append(first)
        if not more:
            return []
        lines = [b"".join(self._parts), *more]
        self._parts = [lines.pop()]
        return lines


def take_streams() -> tuple[int, int]:
    """The two ends of this process's dialogue, which were its standard input and output. Those are empty and
    standard error from now on: no child inherits the dialogue, and nothing printed by accident gets into
    it."""
    asked, answers = os.dup(0), os.dup(1)
    nowhere = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nowhere, 0)
    os.close(nowhere)
    os.dup2(2, 1)
    return asked, answers


def write_line(descriptor: int, line: bytes) -> None:
    """Writes a line, given without its newline."""
    data = line + b"\n"
    while data:
        data = data[os.write(descriptor, data) :]


def last_words(errors: IO[bytes]) -> str:
    """The end of a process's standard error, which was written into this file."""
    errors.seek(0)
    return errors.read()[-LAST_WORDS:].decode("utf-8", "replace")
