"""Symptoms: everything observed of a bot from the line that it answered wrongly to the end of its process,
with the phrases by which advice describes it.

Knows bytes and texts, no process; does not know what they mean (predicates.py, cures.py).
"""

import difflib
import json
import re
import signal
from collections.abc import Mapping
from functools import cached_property
from typing import Any, Final

import msgspec

from arena.checking.pace import enough
from arena.log.last_error import last_error
from arena.process.obstacle import ObstacleKind
from arena.system.text import caption, visible
from protocol.faults import FaultKind

NO_JSON: Final = object()
"""The value of a line that is not JSON; None would be JSON's null."""
MISSING_KEY: Final = re.compile(r"""\bKeyError\b.*['":]([a-z_]{2,40})\b""")
"""The key in the errors of Python and Ruby for a missing key."""
HAPPENED: Final[Mapping[FaultKind, str]] = {
    FaultKind.SPAWN: "it could not be started",
    FaultKind.HANDSHAKE: "it did not answer `hello` with a valid `ready` in time",
    FaultKind.TIMEOUT: "it did not answer {asked} in time",
    FaultKind.MALFORMED: "its answer to {asked} was not a reply",
    FaultKind.ILLEGAL: "its answer to {asked} was not legal",
    FaultKind.EXITED: "it exited, or closed its pipes, before it had answered {asked}",
    FaultKind.FLOOD: "it wrote 64 KiB without an answer to {asked}",
    FaultKind.MEMORY: "it used more memory than it may at {asked}",
    FaultKind.EXCESS: "it used CPU time between its turns, before {asked}",
}
"""What a bot did, without quoting it."""
ALIKE: Final = 0.7
"""difflib's ratio from which a name counts as a misspelling: above that of `pain` and `points`."""
QUOTED: Final = 60
"""The maximum number of characters of a bot's output that advice quotes."""


class Symptoms(msgspec.Struct, frozen=True, dict=True):
    """Everything that was observed. Times are in seconds."""

    kind: FaultKind
    detail: str
    request_id: int = 0
    sent: bytes = b""
    """The line that was answered wrongly."""
    line: bytes = b""
    """The offending line or action."""
    legal: tuple[str, ...] = ()
    offered: tuple[str, ...] = ()
    """The actions that were legal in earlier requests."""
    answered: int = 0
    """How many lines were answered correctly before."""
    said: bytes = b""
    """The output within the time limit `had`."""
    had: float = 0.0
    waited: float = 0.0
    """How long the check then waited without sending anything."""
    late: bytes = b""
    """The output in that time."""
    took: float = 0.0
    """The time until a line arrived; 0 if none did."""
    queued: float = 0.0
    """A lower bound of the time in `had` and `waited` for which a thread of the bot was queued for a core."""
    heard: bool = False
    """Whether it read one more line."""
    nudged: bytes = b""
    """The output after that line."""
    pressed: bytes = b""
    """The output after many more lines, or after the one line if the process `ended` at it."""
    ended: bool = False
    afterwards: bytes = b""
    """The output after the end of its input."""
    status: int | None = None
    stderr: str = ""
    busy: float = 0.0
    """The share of the time, before the one more line, in which it computed or was queued for a core."""
    computed: float = 0.0
    """The share of that time in which it computed."""
    new: str = ""
    """The kind of decision if this is its first request, but not the first of all; otherwise ""."""
    script_with_returns: str | None = None
    """A shell script of the bot's that contains carriage returns."""
    obstacle: ObstacleKind = ObstacleKind.OTHER
    """What keeps it from starting, for the fault `spawn`."""
    elsewhere: str = ""
    """Where the same bot does better."""
    again: str = ""
    """The commands that reproduce the fault."""

    @property
    def before(self) -> str:
        """A phrase for the lines that it answered correctly."""
        requests = self.answered - 1
        return "`hello`" + (f" and {requests} request{'s' * (requests > 1)}" if requests else "")

    @property
    def greeting(self) -> bool:
        """Whether the line was `hello`."""
        return self.request_id == 0

    @property
    def asked(self) -> str:
        """A phrase for the line that was answered wrongly."""
        return "`hello`" if self.greeting else f"request {self.request_id}"

    @property
    def happened(self) -> str:
        """What the bot did, in a sentence that is clear without the dialogue."""
        return HAPPENED[self.kind].format(asked=self.asked)

    @property
    def asked_in_full(self) -> str:
        """`asked`, with the kind of decision if that is new."""
        return f"{self.asked}, the first with the decision `{self.new}`," if self.new else self.asked

    @property
    def example(self) -> str:
        """A legal action in quotes, as a reply must contain it."""
        return f'"{self.legal[0]}"' if self.legal else '"…"'

    @property
    def wanted(self) -> str:
        """The kind of answer that was due."""
        return "`ready`" if self.greeting else "reply"

    @cached_property
    def everything(self) -> bytes:
        """All its output from the offending line on."""
        said = self.said + self.late + self.nudged + self.pressed + self.afterwards
        start = said.find(self.line)
        # If the line arrived before ours was sent, `said` does not contain it.
        return said[start:] if start >= 0 else self.line + b"\n" + said

    @cached_property
    def message(self) -> Any:
        """The offending line as decoded JSON, or NO_JSON."""
        return parsed(self.line)

    @cached_property
    def fields(self) -> Mapping[str, Any]:
        """The fields of the offending line; empty if it is not an object."""
        return self.message if isinstance(self.message, dict) else {}

    @property
    def text(self) -> str:
        """The offending line, decoded leniently and stripped."""
        return self.line.decode("utf-8", "replace").strip()

    @property
    def quoted(self) -> str:
        """The beginning of the offending line, sanitized and in quotes."""
        text = caption(visible(self.line[:200], 200))
        return f"“{text[:QUOTED]}…”" if len(text) > QUOTED else f"“{text}”"

    @property
    def unfinished(self) -> bytes:
        """The output after the last newline."""
        return (self.said + self.late).rpartition(b"\n")[2].strip()

    @property
    def last_error(self) -> str:
        """The line of standard error that explains why it ended."""
        return last_error(self.stderr)

    @cached_property
    def misspelt(self) -> tuple[str, str] | None:
        """The field that the bot looked for in vain, and the most similar field of the request; None if its
        last error names no such field."""
        named = MISSING_KEY.search(self.last_error)
        request = parsed(self.sent)
        if named is None or not isinstance(request, dict):
            return None
        view = request.get("view")
        fields = [*request, *(view if isinstance(view, dict) else ())]
        like = difflib.get_close_matches(named[1], fields, 1, ALIKE)
        return (named[1], like[0]) if like and named[1] not in fields else None

    @property
    def status_in_brackets(self) -> str:
        """The exit status in brackets; "" if there is none."""
        return "" if self.status is None else f" (status {self.status})"

    @property
    def error_in_brackets(self) -> str:
        """`last_error` in brackets; "" if there is none."""
        return f" (“{self.last_error}”)" if self.last_error else ""

    @property
    def lateness(self) -> str:
        """A phrase for how long the late line took, and its time limit."""
        return f"it took {duration(self.took)} and had only {duration(self.had)}"

    @property
    def queued_for(self) -> str:
        """How long the bot was queued for a core, as text."""
        return duration(self.queued)

    @property
    def starved(self) -> bool:
        """Whether the bot was queued for a core most of the time, and computed for less than its limit."""
        seconds = self.had + self.waited
        return self.queued > seconds / 2 and self.computed * seconds < self.had

    @property
    def waited_for(self) -> str:
        """The total time that the check waited for a bot that never answered, as text."""
        return duration(self.had + self.waited)

    @property
    def would_do(self) -> str:
        """The option that would give it enough time, as a clause."""
        limit = enough(self.took * 1000)
        option = "--startup" if self.greeting else "--time"
        return (
            f"{option} {duration(limit / 1000, '')} would be enough" if limit else "no usual limit is enough"
        )

    @property
    def signal_name(self) -> str:
        """The signal that ended it: `SIGKILL`, or `signal 40` if it has no name."""
        number = -(self.status or 0)
        try:
            return signal.Signals(number).name
        except ValueError:
            # Only the first and the last of the real-time signals have names.
            return f"signal {number}"

    @property
    def id_sent(self) -> Any:
        """The `id` of the offending line; None if it has none."""
        return self.fields.get("id")


def duration(seconds: float, gap: str = " ") -> str:
    """`310 ms`, `2.5 s`, with `gap` between number and unit."""
    return f"{seconds * 1000:.0f}{gap}ms" if seconds < 1 else f"{float(f'{seconds:.2g}'):g}{gap}s"


def parsed(data: bytes) -> Any:
    """Decode `data` as JSON, ignoring a byte order mark; NO_JSON if it is none."""
    try:
        return json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return NO_JSON
