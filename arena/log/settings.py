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
    """The settings of a match. `game_package` is the package that brings the game, None for the arena's own.
    `options` are the game's, as plain values. `faults` is the number of faults that forfeit the match. With
    `ponder`, bots are not frozen while others decide."""

    game: str
    options: dict[str, Any]
    deals: Number
    limits: Limits
    faults: Number
    sandbox: Sandbox = Sandbox()
    ponder: bool = False
    game_package: GamePackage | None = None

    @property
    def settings(self) -> "MatchSettings":
        """These fields as a plain MatchSettings."""
        return MatchSettings(**{field: getattr(self, field) for field in MatchSettings.__struct_fields__})
