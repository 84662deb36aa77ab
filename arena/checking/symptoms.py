"""Symptoms: everything seen of a bot from the line that it answered wrongly until its process was gone, with
the phrases in which advice describes it.

Knows bytes and words, no process; does not know what they mean (predicates.py, cures.py).
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
"""Stands for a line that is not JSON, since JSON's null is None."""
MISSING_KEY: Final = re.compile(r"""\bKeyError\b.*['":]([a-z_]{2,40})\b""")
"""The key in what Python and Ruby say of one that is not there."""
HAPPENED: Final[Mapping[FaultKind, str]] = {
    FaultKind.SPAWN: "it could not be started",
    FaultKind.HANDSHAKE: "it did not answer `hello` with a valid `ready` in time",
    FaultKind.TIMEOUT: "it did not answer {asked} in time",
    FaultKind.MALFORMED: "its answer to {asked} was not a reply",
    FaultKind.ILLEGAL: "its answer to {asked} was not legal",
    FaultKind.EXITED: "it ended, or closed its pipes, before it had answered {asked}",
    FaultKind.FLOOD: "it wrote 64 KiB without an answer to {asked}",
    FaultKind.MEMORY: "it used more memory than allowed at {asked}",
    FaultKind.EXCESS: "it computed between its turns before {asked}",
}
"""What a bot did, without a word of its own."""
ALIKE: Final = 0.7
"""difflib's ratio from which a name is taken for another one misspelt: above that of `pain` and `points`."""
QUOTED: Final = 60
"""Characters of a bot's own words that advice quotes."""


class Symptoms(msgspec.Struct, frozen=True, dict=True):
    """All that was seen. Times are in seconds.

    The request: `sent` is the line that was answered wrongly, `legal` what it allowed, `offered` what earlier
    requests allowed. `answered` counts the lines that were answered correctly before. `new` is the kind of
    decision if it is the first of its kind, but not the first request of all; else "".

    The answer: `line` is the offending line, or action. `said` is the output within the `had` seconds that
    there were for it. `late` is the output within the next `waited` seconds, in which nothing was sent.
    `took` is the time until a line came, 0 if none did. For at least `queued` seconds of it, or of the
    whole time, the machine had no core for one of the bot's threads.

    What more input brought: `nudged` is the output after one more line, and `heard` says whether it read that
    line. `pressed` is the output after many more lines, or after the one line if the process ended then
    (`ended`). `afterwards` is the output after the end of its input.

    `busy` is the share of the time before that one more line in which the process computed or was ready to,
    `computed` that in which it computed.
    `script_with_returns` is a shell script of the bot's that has carriage returns in it.
    `obstacle` is what keeps it from being started, for the fault `spawn`.
    `elsewhere` says where the same bot does better, `again` holds the commands that reproduce all this.
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
    computed: float = 0.0
    new: str = ""
    script_with_returns: str | None = None
    obstacle: ObstacleKind = ObstacleKind.OTHER
    elsewhere: str = ""
    again: str = ""

    @property
    def before(self) -> str:
        """What had been answered correctly."""
        requests = self.answered - 1
        return "`hello`" + (f" and {requests} request{'s' * (requests > 1)}" if requests else "")

    @property
    def greeting(self) -> bool:
        """Whether the line was `hello`."""
        return self.request_id == 0

    @property
    def asked(self) -> str:
        """The line that was answered wrongly, as advice names it."""
        return "`hello`" if self.greeting else f"request {self.request_id}"

    @property
    def happened(self) -> str:
        """What the bot did, in a sentence that needs no dialogue beside it."""
        return HAPPENED[self.kind].format(asked=self.asked)

    @property
    def asked_in_full(self) -> str:
        """The same, with the kind of decision if that is new."""
        return f"{self.asked}, the first with the decision `{self.new}`," if self.new else self.asked

    @property
    def example(self) -> str:
        """A legal action in quotes, as a reply has to hold it."""
        return f'"{self.legal[0]}"' if self.legal else '"…"'

    @property
    def wanted(self) -> str:
        """The kind of answer that was due."""
        return "`ready`" if self.greeting else "reply"

    @cached_property
    def everything(self) -> bytes:
        """All its output from the offending line on."""
        said = self.said + self.late + self.nudged + self.pressed + self.afterwards
        at = said.find(self.line)
        # The line may have arrived before ours was sent, and is not in `said` then.
        return said[at:] if at >= 0 else self.line + b"\n" + said

    @cached_property
    def message(self) -> Any:
        """The offending line as decoded JSON, or NO_JSON."""
        return parsed(self.line)

    @cached_property
    def fields(self) -> Mapping[str, Any]:
        """The fields of the offending line; empty if it is no object."""
        return self.message if isinstance(self.message, dict) else {}

    @property
    def text(self) -> str:
        """The offending line as text."""
        return self.line.decode("utf-8", "replace").strip()

    @property
    def quoted(self) -> str:
        """The beginning of the offending line, harmless and in quotes."""
        text = caption(visible(self.line[:200], 200))
        return f"“{text[:QUOTED]}…”" if len(text) > QUOTED else f"“{text}”"

    @property
    def unfinished(self) -> bytes:
        """The output behind the last newline."""
        return (self.said + self.late).rpartition(b"\n")[2].strip()

    @property
    def last_error(self) -> str:
        """The line of standard error that says why it ended."""
        return last_error(self.stderr)

    @cached_property
    def misspelt(self) -> tuple[str, str] | None:
        """The field that the bot looked for and the request does not hold, and the one most like it that it
        does hold; None where its last error names no such field."""
        named = MISSING_KEY.search(self.last_error)
        request = parsed(self.sent)
        if named is None or not isinstance(request, dict):
            return None
        view = request.get("view")
        held = [*request, *(view if isinstance(view, dict) else ())]
        like = difflib.get_close_matches(named[1], held, 1, ALIKE)
        return (named[1], like[0]) if like and named[1] not in held else None

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
        """How long the late line took, and how much time there was for it."""
        return f"it took {duration(self.took)}, and there were {duration(self.had)} for it"

    @property
    def queued_for(self) -> str:
        """How long the machine had no core for the bot."""
        return duration(self.queued)

    @property
    def starved(self) -> bool:
        """Whether the bot stood in the queue for a core for most of the time, and computed for less than it
        was allowed to."""
        seconds = self.had + self.waited
        return self.queued > seconds / 2 and self.computed * seconds < self.had

    @property
    def waited_for(self) -> str:
        """How long the check waited altogether for a bot that never answered."""
        return duration(self.had + self.waited)

    @property
    def would_do(self) -> str:
        """The option that would give it enough time, as the end of a sentence."""
        limit = enough(self.took * 1000)
        option = "--startup" if self.greeting else "--time"
        return (
            f"{option} {duration(limit / 1000, '')} would be enough" if limit else "no usual limit is enough"
        )

    @property
    def signal_name(self) -> str:
        """The signal that ended it: `SIGKILL`, or `signal 40` where it has no name."""
        number = -(self.status or 0)
        try:
            return signal.Signals(number).name
        except ValueError:
            # Of the real-time signals only the first and the last have a name.
            return f"signal {number}"

    @property
    def id_sent(self) -> Any:
        """The `id` of the offending line; None if it has none."""
        return self.fields.get("id")


def duration(seconds: float, gap: str = " ") -> str:
    """`310 ms`, `2.5 s`, with `gap` between number and unit."""
    return f"{seconds * 1000:.0f}{gap}ms" if seconds < 1 else f"{float(f'{seconds:.2g}'):g}{gap}s"


def parsed(data: bytes) -> Any:
    """`data` decoded as JSON, or NO_JSON; a byte order mark is passed over."""
    try:
        return json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return NO_JSON
