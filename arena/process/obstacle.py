"""Why a program cannot be started: a kind for code, and a sentence for people. Knows no files."""

import enum

import msgspec

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


class Obstacle(msgspec.Struct, frozen=True):
    """Why a program cannot be started. `text`: a sentence without its full stop. It names files and commands
    of strangers, so it is made harmless here."""

    kind: ObstacleKind
    text: str

    def __post_init__(self) -> None:
        msgspec.structs.force_setattr(self, "text", caption(self.text, SENTENCE_LIMIT))

    def __str__(self) -> str:
        return self.text
