"""The order of messages, as tables. Each side sends one line and waits for an answer; `end` has none.

    new ──hello──▶ starting ──ready──▶ idle ──request──▶ asked ──reply──▶ idle … ──end──▶ ended ──hello──▶ …

Knows neither the content of a line nor a clock. After a fault the dialogue is over: the referee sends nothing
more to a process that it is about to kill.
"""

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

Phase: TypeAlias = Literal["new", "starting", "idle", "asked", "ended"]
"""Where the conversation with one process stands, as the referee sees it."""

REFEREE_SAYS: Final[Mapping[tuple[Phase, str], Phase]] = {
    ("new", "hello"): "starting",
    ("idle", "request"): "asked",
    ("idle", "end"): "ended",
    ("ended", "hello"): "starting",  # A process may be reused for several matches.
}
"""The phase after a line of the referee. A pair that is not here would be our own bug."""

BOT_SAYS: Final[Mapping[tuple[Phase, str], Phase]] = {
    ("starting", "ready"): "idle",
    ("asked", "reply"): "idle",
}
"""The phase after a line of the bot. A pair that is not here is the bot's fault."""
