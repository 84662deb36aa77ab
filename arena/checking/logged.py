"""Advice for a fault in a match log: the cure that a check would tell, as far as a log holds the symptoms.

A log ends where a check goes on listening. So a bot from which nothing came in time is sent to the check.
Knows no process.
"""

from collections.abc import Mapping
from typing import Final

from arena.checking.cures import diagnose
from arena.checking.symptoms import Symptoms, parsed
from arena.log.fault_report import FaultRow
from protocol.faults import SILENT, FaultKind

OF_A_LINE: Final = (FaultKind.MALFORMED, FaultKind.ILLEGAL)
"""Faults that only the line explains."""
PUBLIC_CURES: Final[Mapping[FaultKind, str]] = {
    FaultKind.SPAWN: "`arena check` says what keeps it from being started",
    FaultKind.HANDSHAKE: "`arena check` waits for its `ready`, and says what was wrong with it",
    FaultKind.TIMEOUT: "`arena check` measures how fast it answers; think for less time than the limit",
    FaultKind.MALFORMED: "answer with one line of JSON, and print nothing else to standard output",
    FaultKind.ILLEGAL: "choose one of the actions in `legal` of the request that is answered",
    FaultKind.EXITED: "it crashed or ended: play it by `arena match`, which shows what it wrote",
    FaultKind.FLOOD: "is there an endless loop that prints? Answer with one line for each request",
    FaultKind.MEMORY: "does something grow without end? `arena check` plays under the same limit",
    FaultKind.EXCESS: "let helpers, timers and threads come to rest before you answer",
}
"""What to do about a fault of which nothing but its kind is public."""


def advice(row: FaultRow, *, with_stderr: bool) -> str:
    """What the author of the bot should do; "" where the log does not say. Only `with_stderr` does it quote
    what the bot wrote to its standard error."""
    if row.kind in SILENT and not row.reply:
        if row.machine_may_be_to_blame:
            return "try `arena check` on it when the machine has less to do: it may have been too busy"
        return "try `arena check` on it, which waits for the answer and finds out why it was late"
    if row.kind in OF_A_LINE and not row.reply:
        return ""
    if row.kind is FaultKind.EXITED and row.stderr and not with_stderr:
        return "read what it wrote to its standard error: `arena faults` shows the end of it"
    return diagnose(_symptoms(row, row.stderr if with_stderr else "")).mend


def _symptoms(row: FaultRow, stderr: str) -> Symptoms:
    request = parsed(row.sent.encode())
    legal = request.get("legal") if isinstance(request, dict) else None
    line = row.reply.encode()
    return Symptoms(
        kind=row.kind,
        detail=row.detail,
        request_id=row.request,
        sent=row.sent.encode(),
        line=line,
        legal=tuple(action for action in legal if isinstance(action, str)) if isinstance(legal, list) else (),
        answered=row.request,
        # The log holds the end of the output, so nothing follows from its having no newline.
        said=line + b"\n",
        status=row.status,
        stderr=stderr,
    )
