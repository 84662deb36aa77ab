"""A bot that takes part, as a value.

Knows neither how bots are found nor what they play.
"""

import msgspec

from arena.process.launch import Launch
from arena.system.text import called
from protocol.messages import Limits


class Entrant(msgspec.Struct, frozen=True):
    """A bot under the name that it plays by. `digest` is the SHA-256 of its program. `source` is where that
    was found, as it would be written on the command line. `author` comes from its manifest. `limits` are its
    own, None for those of the match. `title` is what people read in place of the name, in any script; "" for
    the name itself."""

    name: str
    launch: Launch
    digest: str
    source: str = ""
    author: str = ""
    limits: Limits | None = None
    title: str = ""

    @property
    def called(self) -> str:
        """What people read: the title, or else the name."""
        return called(self.name, self.title)
