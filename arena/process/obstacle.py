"""Why a program cannot be started: a kind for programs that decide by it, and a sentence for people."""

import enum
from typing import NamedTuple


class ObstacleKind(enum.StrEnum):
    """What is wrong with a program. The words are those of a check's `diagnosis`."""

    BUILD = "build-failed"
    CARRIAGE_RETURN = "carriage-return"
    NO_FIRST_LINE = "no-first-line"
    NO_EXECUTABLE_BIT = "no-executable-bit"
    NO_INTERPRETER = "no-interpreter"
    UNREADABLE = "unreadable"
    MANIFEST = "manifest"
    NOT_THERE = "not-there"
    OTHER = "not-started"


class Obstacle(NamedTuple):
    """What is wrong with a program, and the sentence that says it."""

    kind: ObstacleKind
    text: str

    def __str__(self) -> str:
        return self.text
