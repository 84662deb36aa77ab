"""Symptoms: all that was seen of a bot from the line that it did not answer well until its process was gone,
and the words in which an advice speaks of it.

Knows bytes and words, no process; and not what they mean (signs.py, mendings.py).
"""

import json
import re
import signal
from collections.abc import Mapping
from functools import cached_property
from typing import Any, Final

import msgspec

from arena.check.pace import enough
from arena.system.text import caption, visible
from protocol.faults import FaultKind

NO_JSON: Final = object()
WHERE_IT_WAS: Final = re.compile(
    r"\s*$|(\s|\\t)+(?!what\(\))|[}\])]+$|Node\.js v|Require stack:|- /|note: |stack traceback:|"
    r"Stack trace:|#\d+ |goroutine \d|exit status \d|created by |\S+\(.*\)$|Aborted|For more details"
)
"""Lines that runtimes print behind the one that says what was wrong: the stack, their version."""
QUOTED: Final = 60
"""Characters of a bot's own words in an advice."""


class Symptoms(msgspec.Struct, frozen=True, dict=True):
    """All that was seen. `line` is the offending line, or action; `legal` what the open request allowed, and
    `offered` what earlier ones did; `answered` counts the lines that were answered well before.

    `said` came since the line was sent, within the `had` seconds that there were for it; `late` in the
    `waited` seconds behind them, in which nothing was sent: `took` is how long it took in all until a line
    was there, 0 if none came, and for `queued` seconds of it the machine had no core for it. `nudged` came
    after one more line, which it read if it `heard`; `pressed` after many more, or when it ended over the
    one; `afterwards` when the input had ended. `busy` is the share of its time, until the one more line, in
    which the process computed, or would have if the machine had let it. `new` is the kind of decision, where
    it is the first of its kind and not the first of all. `elsewhere` says where the same bot does better,
    `again` by which commands all this is seen again.
    """

    kind: FaultKind
    detail: str
    request_id: int = 0
    sent: bytes = b""
    line: bytes = b""
    legal: tuple[str, ...] = ()
    offered: tuple[str, ...] = ()
    answered: int = 0
    said: bytes = b""
    had: float = 0.0
    waited: float = 0.0
    late: bytes = b""
    took: float = 0.0
    queued: float = 0.0
    heard: bool = False
    nudged: bytes = b""
    pressed: bytes = b""
    ended: bool = False
    afterwards: bytes = b""
    status: int | None = None
    stderr: str = ""
    busy: float = 0.0
    new: str = ""
    elsewhere: str = ""
    again: str = ""

    @property
    def before(self) -> str:
        return "`hello`" if self.answered == 1 else f"`hello` and {self.answered - 1} requests"

    @property
    def greeting(self) -> bool:
        return self.request_id == 0

    @property
    def asked(self) -> str:
        return "`hello`" if self.greeting else f"request {self.request_id}"

    @property
    def asked_in_full(self) -> str:
        return f"{self.asked}, the first with the decision `{self.new}`," if self.new else self.asked

    @property
    def example(self) -> str:
        """An action, as it has to be sent."""
        return f'"{self.legal[0]}"' if self.legal else '"…"'

    @property
    def wanted(self) -> str:
        return "`ready`" if self.greeting else "reply"

    @cached_property
    def everything(self) -> bytes:
        """All its output from the offending line on, or since we spoke."""
        said = self.said + self.late + self.nudged + self.pressed + self.afterwards
        at = said.find(self.line)
        return said[at:] if at >= 0 else self.line + b"\n" + said

    @cached_property
    def message(self) -> Any:
        """The offending line as JSON."""
        return parsed(self.line)

    @cached_property
    def fields(self) -> Mapping[str, Any]:
        """Its fields, where it is an object."""
        return self.message if isinstance(self.message, dict) else {}

    @property
    def text(self) -> str:
        """The offending line as text."""
        return self.line.decode("utf-8", "replace").strip()

    @property
    def quoted(self) -> str:
        text = caption(visible(self.line[:200], 200))
        return f"“{text[:QUOTED]}…”" if len(text) > QUOTED else f"“{text}”"

    @property
    def unfinished(self) -> bytes:
        """What stands behind the last newline."""
        return (self.said + self.late).rpartition(b"\n")[2].strip()

    @property
    def last_error(self) -> str:
        """The line of the standard error that says why it ended: the last one before where that was."""
        lines = self.stderr.strip().splitlines()
        said = next(
            (line for line in reversed(lines) if not WHERE_IT_WAS.match(line)), lines[-1] if lines else ""
        )
        return caption(said)

    @property
    def with_status(self) -> str:
        return "" if self.status is None else f" (status {self.status})"

    @property
    def last_words(self) -> str:
        return f" (“{self.last_error}”)" if self.last_error else ""

    @property
    def lateness(self) -> str:
        """How late the line was that came by itself."""
        return f"it took {duration(self.took)}, and there were {duration(self.had)} for it"

    @property
    def queued_for(self) -> str:
        return duration(self.queued)

    @property
    def waited_for(self) -> str:
        """What a bot that never answered had altogether."""
        return duration(self.had + self.waited)

    @property
    def would_do(self) -> str:
        """The option that gives it time enough."""
        limit = enough(self.took * 1000)
        option = "--startup" if self.greeting else "--time"
        return (
            f"{option} {duration(limit / 1000, '')} would be enough" if limit else "no usual limit is enough"
        )

    @property
    def signal_name(self) -> str:
        number = -(self.status or 0)
        try:
            return signal.Signals(number).name
        except ValueError:
            # Those of real time between the first and the last have no name.
            return f"signal {number}"

    @property
    def id_sent(self) -> Any:
        return self.fields.get("id")


def duration(seconds: float, gap: str = " ") -> str:
    """`310 ms`, `2.5 s`."""
    return f"{seconds * 1000:.0f}{gap}ms" if seconds < 1 else f"{float(f'{seconds:.2g}'):g}{gap}s"


def parsed(data: bytes) -> Any:
    """The JSON that `data` is, or NO_JSON."""
    try:
        return json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return NO_JSON
