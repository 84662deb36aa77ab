"""A bot that takes part: a value, whoever found it.

Knows neither how bots are found nor what they play.
"""

import msgspec

from arena.process.launch import Launch
from arena.system.text import called
from protocol.messages import Limits


class Entrant(msgspec.Struct, frozen=True):
    """A bot under the name it plays by. `digest` is the SHA-256 of its program, `source` where that was
    found, as it would be written on the command line, `author` what its manifest says. `limits` are its own
    where it does not have those of the match. `title` is what people read in the place of the name, in any
    script; "" where that is the name."""

    name: str
    launch: Launch
    digest: str
    source: str = ""
    author: str = ""
    limits: Limits | None = None
    title: str = ""

    @property
    def called(self) -> str:
        """For people."""
        return called(self.name, self.title)
