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
"""The limits of a person or a function: a day for a decision."""
FUNCTION: Final = "<function>"
"""Stands where the entrant's program would stand if it had one."""


class Entrant(msgspec.Struct, frozen=True):
    """A bot under the name that it plays by. `digest` is the SHA-256 of its program. `source` is where that
    was found, as it would be written on the command line. `author` comes from its manifest. `limits` are its
    own, None for those of the match. `title` is what people read in place of the name, in any script; "" for
    the name itself. `ours`: it is one of the arena's own programs, and what fails in it is a bug of ours;
    False in journals from before that was written down."""

    name: str
    launch: Launch
    digest: str
    source: str = ""
    author: str = ""
    limits: Limits | None = None
    title: str = ""
    ours: bool = False

    @property
    def called(self) -> str:
        """What people read: the title, or else the name."""
        return called(self.name, self.title)

    @property
    def program(self) -> str:
        """The source without the name that the command line gave it."""
        return self.source.removeprefix(f"{self.name}=")

    @property
    def is_function(self) -> bool:
        """Whether it is a function of the program that called the arena, which nobody else can start."""
        return self.launch.argv[:1] == (FUNCTION,)


class Function(msgspec.Struct, frozen=True):
    """A function of the program that calls the arena, which plays under this name. `number` is its place
    among the functions of the call."""

    name: str
    number: int

    @property
    def entrant(self) -> Entrant:
        """It plays without a clock. Its digest says no more than its name."""
        digest = hashlib.sha256(f"{FUNCTION} {self.name}".encode()).hexdigest()
        return Entrant(
            self.name, Launch((FUNCTION, str(self.number)), f"/{FUNCTION}"), digest, limits=UNTIMED
        )
