"""Advice for a fault in a match log: what a check would advise, as far as the log contains the symptoms.

A log ends where a check would keep listening, so for a bot that was silent the advice is to run the check.
Knows no process.
"""

from typing import Final

from arena.checking.cures import BY_KIND, diagnose
from arena.checking.symptoms import Symptoms, parsed
from arena.log.fault_report import FaultRow
from protocol.faults import SILENT, FaultKind

OF_A_LINE: Final = (FaultKind.MALFORMED, FaultKind.ILLEGAL)
"""Faults that only the offending line explains."""


def advice(row: FaultRow, *, with_stderr: bool) -> str | None:
    """What the author of the bot should do; None if that depends on a line that the log does not contain.
    `with_stderr`: whether it may quote the bot's standard error."""
    if row.kind is FaultKind.SPAWN:
        return BY_KIND[row.kind]
    if row.kind in SILENT and not row.reply:
        if row.machine_may_be_to_blame:
            return "run `arena check` on it when the machine is less busy: the machine may have been too busy"
        return "run `arena check` on it, which waits for the answer and finds out why it was late"
    if row.kind in OF_A_LINE and not row.reply:
        return None
    if row.kind is FaultKind.EXITED and row.stderr and not with_stderr:
        return "read what it wrote to standard error: `arena faults` shows the last part"
    return diagnose(_symptoms(row, row.stderr if with_stderr else "")).advice


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
        answered=row.request,  # All were answered, including `hello`, unless a fault was forgiven.
        # The log contains only the end of the output, so a missing newline means nothing.
        said=line + b"\n",
        status=row.status,
        stderr=stderr,
    )
