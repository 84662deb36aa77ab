"""The settings of a match. In memory they are one value. A tournament's first entry, a league's boards and
the first line of a log hold the same fields among their own, since their files always did."""

from typing import Annotated, Any, TypeAlias

import msgspec

from arena.games.package import GamePackage
from arena.process.sandbox import Sandbox
from protocol.messages import Limits

Number: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=1_000_000)]
"""A number of rounds, pods, seatings or deals: more than anybody plays, and few enough to iterate over."""


class MatchSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of a match."""

    game: str
    options: dict[str, Any]
    """The game's, as plain values."""
    deals: Number
    limits: Limits
    faults: Number
    """The number of faults that forfeit the match."""
    sandbox: Sandbox = Sandbox()
    ponder: bool = False
    """Whether bots may think while others decide; otherwise they are frozen."""
    game_package: GamePackage | None = None
    """The package that brings the game; None for the arena's own."""

    @property
    def settings(self) -> "MatchSettings":
        """These fields as a plain MatchSettings."""
        return MatchSettings(**{field: getattr(self, field) for field in MatchSettings.__struct_fields__})
