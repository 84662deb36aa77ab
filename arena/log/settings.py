"""What is settled about a match before it is played. A tournament's first entry, a job and the first line of
a log each hold these fields among their own, so that old files stay readable.
"""

from typing import Annotated, Any, TypeAlias

import msgspec

from arena.games.package import GamePackage
from arena.process.sandbox import Sandbox
from protocol.messages import Limits

Number: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=1_000_000)]
"""A number of rounds, pods, seatings or deals. The bound is more than anybody plays, and small enough to
count up to."""


class MatchSettings(msgspec.Struct, frozen=True, kw_only=True):
    """`game_package` is the package that brings the game, None for the arena's own. `options` are the game's,
    as plain values. `faults` is the number of faults that forfeit the match. With `ponder`, bots are not
    frozen while others decide."""

    game: str
    options: dict[str, Any]
    deals: Number
    limits: Limits
    faults: Number
    sandbox: Sandbox = Sandbox()
    ponder: bool = False
    game_package: GamePackage | None = None

    @property
    def settings(self) -> dict[str, Any]:
        """These fields alone, to be passed on by `**`."""
        return {field: getattr(self, field) for field in MatchSettings.__struct_fields__}
