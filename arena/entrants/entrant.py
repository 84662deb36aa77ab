"""A bot that takes part, as a value.

Knows neither how bots are found nor what they play.
"""

import hashlib
from typing import Final

import msgspec

from arena.process.launch import Launch
from arena.system.text import called
from protocol.messages import Limits
from protocol.units import Ms

DAY_MS: Final = Ms(86_400_000)
UNTIMED: Final = Limits(start_ms=DAY_MS, decision_ms=DAY_MS, bank_ms=Ms(0))
"""The limits of a person or a function: a day for each decision."""
FUNCTION: Final = "<function>"
"""Used in place of a program for an entrant that has none."""


class Entrant(msgspec.Struct, frozen=True):
    """A bot under the name that it plays by."""

    name: str
    launch: Launch
    digest: str
    """The SHA-256 of its program."""
    source: str = ""
    """Where the program was found, as written on a command line."""
    author: str = ""
    """From its manifest."""
    limits: Limits | None = None
    """Its own limits; None for those of the match."""
    title: str = ""
    """What people read instead of the name, in any script; "" for the name itself."""
    ours: bool = False
    """Whether it is one of the arena's own programs, so that its failures are our bugs. Old journals:
    False."""

    @property
    def called(self) -> str:
        """What people read: the title if there is one, otherwise the name."""
        return called(self.name, self.title)

    @property
    def program(self) -> str:
        """The source without the name that the command line gave it."""
        return self.source.removeprefix(f"{self.name}=")

    @property
    def is_function(self) -> bool:
        """Whether it is a function of the program that called the arena, which no other program can start."""
        return self.launch.argv[:1] == (FUNCTION,)


class Function(msgspec.Struct, frozen=True):
    """A function of the program that calls the arena, which plays under this name. `number`: its index among
    the functions of the call."""

    name: str
    number: int

    @property
    def entrant(self) -> Entrant:
        """The function as an entrant without time limits. Its digest depends on its name only."""
        digest = hashlib.sha256(f"{FUNCTION} {self.name}".encode()).hexdigest()
        return Entrant(
            self.name, Launch((FUNCTION, str(self.number)), f"/{FUNCTION}"), digest, limits=UNTIMED
        )
