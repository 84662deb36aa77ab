"""Symptoms: all that was seen of a bot from the line that it did not answer well until its process was gone,
and the words in which an advice speaks of it.

Knows bytes and words, no process; and not what they mean (signs.py, mendings.py).
"""

import json
import signal
from collections.abc import Mapping
from functools import cached_property
from typing import Any, Final

import msgspec

from arena.sanitise import caption, visible
from protocol.faults import FaultKind

NO_JSON: Final = object()
QUOTED: Final = 60
"""Characters of a bot's own words in an advice."""


class Symptoms(msgspec.Struct, frozen=True, dict=True):
    """All that was seen. `line` is the offending line, or action; `legal` what the open request allowed, and
    `offered` what earlier ones did; `answered` counts the lines that were answered well before.

    `said` came since the line was sent; `nudged` after one more line; `pressed` after many more, or when it
    ended over the one; `afterwards` when the input had ended. `busy` is the share of its time in which the
    process computed, or would have if the machine had let it. `new` is the kind of decision, where it is the
    first of its kind and not the first of all. `elsewhere` says where the same bot does better, `again` by
    which commands all this is seen again.
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
    nudged: bytes = b""
    pressed: bytes = b""
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
        said = self.said + self.nudged + self.pressed + self.afterwards
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
        return self.said.rpartition(b"\n")[2].strip()

    @property
    def last_error(self) -> str:
        """The last line of the standard error."""
        return caption(self.stderr.strip().rpartition("\n")[2])

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


def parsed(data: bytes) -> Any:
    """The JSON that `data` is, or NO_JSON."""
    try:
        return json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return NO_JSON
