"""Why a program cannot be started: a kind for code, and a sentence for people. Knows no files."""

import enum
from typing import NamedTuple

from arena.system.text import SENTENCE_LIMIT, caption


class ObstacleKind(enum.StrEnum):
    """What is wrong with a program. `arena check` reports the values as its `diagnosis`."""

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
    """Why a program cannot be started. `raw`: a sentence without its full stop, in which the names of files
    and commands are as strangers chose them."""

    kind: ObstacleKind
    raw: str

    @property
    def text(self) -> str:
        """The sentence, made harmless."""
        return caption(self.raw, SENTENCE_LIMIT)

    def __str__(self) -> str:
        return self.text
