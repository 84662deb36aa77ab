"""Turns the output of one bot into answers and faults: bytes in, verdicts out.

    accepted     the `ready` of an open handshake, the reply to the open request
    dropped      blank lines, replies to earlier requests: they are only counted
    fault        the first line that is anything else; 64 KiB without an answer

If a process is reused for several matches, all lines before its second and later `ready` are dropped too.

A verdict must not depend on how the bytes were split into reads. Three rules ensure that:
 1. Lines are read only while a request (or the handshake) is open, and only up to its answer.
 2. Bytes after the answer stay in the inbox and are the first bytes of the next request.
 3. The 64 KiB are counted from the first byte after the previous answer.

Knows no process, no clock and no game: it does not judge whether an action is legal.
"""

from typing import Final

from protocol.codec import LineError, decode_from_bot
from protocol.dialogue import BOT_SAYS, Phase
from protocol.faults import EVIDENCE_LIMIT, Fault, FaultKind
from protocol.messages import PROTOCOL, Ready, Reply

FLOOD_LIMIT: Final = 64 * 1024
"""This many bytes of output without an answer to the open request are a flood."""

_BOM: Final = b"\xef\xbb\xbf"


class Inbox:
    """The output of one process, from its first byte to its last."""

    def __init__(self) -> None:
        self.dropped = 0
        self._bytes = b""
        self._at = 0
        """The position of the first byte that has not been read."""
        self._phase: Phase = "new"
        self._open_id = 0
        self._spent = 0
        """Bytes read for the open request."""
        self._at_start = True
        self._handshakes = 0

    def open(self, phase: Phase, request_id: int) -> None:
        """Wait for `ready` ("starting"), or for the reply to `request_id` ("asked")."""
        self._phase = phase
        self._open_id = request_id
        self._spent = 0
        self._handshakes += phase == "starting"

    def take(self, data: bytes = b"", *, at_end: bool = False) -> Ready | Reply | Fault | None:
        """Add `data` to the output; its next answer or fault, None if more is needed.

        `at_end`: the output has ended, so a complete last line without its newline still counts.
        """
        if data:
            self._bytes = self._bytes[self._at :] + data
            self._at = 0
        while (end := self._bytes.find(b"\n", self._at, self._at + FLOOD_LIMIT - self._spent)) >= 0:
            if verdict := self._judge(end):
                return verdict
            self.dropped += 1
        if (unread := len(self._bytes) - self._at) >= FLOOD_LIMIT - self._spent:
            detail = f"{FLOOD_LIMIT // 1024} KiB of output without {self._wanted()} in it"
            # The evidence ends with the 64 KiB: how much more has been read depends on the split into reads.
            seen = min(EVIDENCE_LIMIT, FLOOD_LIMIT - self._spent)
            return Fault(FaultKind.FLOOD, detail, self._bytes[self._at : self._at + seen])
        return self._unterminated() if at_end and unread > 0 else None

    def _unterminated(self) -> Ready | Reply | None:
        """The answer in a complete last line without a newline. Half a line is not a fault of its own: the
        fault is that the process has exited."""
        verdict = self._judge(len(self._bytes))
        return verdict if isinstance(verdict, Ready | Reply) else None

    def _judge(self, end: int) -> Ready | Reply | Fault | None:
        """Remove the first line, which ends at `end`; the verdict on it, None to drop it."""
        line = self._bytes[self._at : end]
        self._spent += end + 1 - self._at
        self._at = end + 1
        if self._at_start:
            self._at_start = False
            line = line.removeprefix(_BOM)
        line = line.strip(b" \t\r")
        if not line:
            return None
        try:
            message = decode_from_bot(line)
        except LineError as error:
            return self._fault(str(error), line)
        if isinstance(message, Reply):
            due = BOT_SAYS.get((self._phase, "reply"))
            if due and message.id == self._open_id:
                return message
            if 1 <= message.id < self._open_id:
                return None
            if due:
                detail = f"request {message.id} was never asked, {self._open_id} is open"
                return self._fault(detail, line)
        elif BOT_SAYS.get((self._phase, "ready")):
            if message.protocol == PROTOCOL:
                return message
            return self._fault(f"protocol {message.protocol} is not spoken here, {PROTOCOL} is", line)
        return self._fault(f"{self._wanted()} was due", line)

    def _wanted(self) -> str:
        return "a `ready`" if self._phase == "starting" else f"a reply to request {self._open_id}"

    def _fault(self, detail: str, line: bytes) -> Fault | None:
        if self._phase != "starting":
            return Fault(FaultKind.MALFORMED, detail, line[:EVIDENCE_LIMIT])
        if self._handshakes > 1:
            return None  # The bot may have written it when its last match ended.
        return Fault(FaultKind.HANDSHAKE, detail, line[:EVIDENCE_LIMIT])
