"""The order of the dialogue, as a table. Each side says one line and then waits for the other.

    starting ──ready──▶ idle ──request──▶ asked ──reply──▶ idle ── … ──end──▶ ended ──hello──▶ starting

Knows neither the content of a line nor a clock. After a fault the dialogue is over: the referee sends nothing
more to a process that it is about to kill.
"""

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

Phase: TypeAlias = Literal["new", "starting", "idle", "asked", "ended"]
"""Where one process's dialogue stands; see the diagram above. "new" is before the first `hello`."""

REFEREE_SAYS: Final[Mapping[tuple[Phase, str], Phase]] = {
    ("new", "hello"): "starting",
    ("idle", "request"): "asked",
    ("idle", "end"): "ended",
    ("ended", "hello"): "starting",  # where processes are reused for several matches
}
"""The phase after a line of the referee's. What is not here would be a bug of ours."""

BOT_SAYS: Final[Mapping[tuple[Phase, str], Phase]] = {
    ("starting", "ready"): "idle",
    ("asked", "reply"): "idle",
}
"""The phase after a line of the bot's. What is not here may not come."""
