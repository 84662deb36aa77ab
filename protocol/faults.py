"""Faults: what a bot can do wrong, as data.

A fault is a value that is handed over, never an exception. Blame is all this file knows; what follows from
a fault is the referee's business.
"""

import enum
from collections.abc import Mapping
from typing import Final

import msgspec


class FaultKind(enum.StrEnum):
    SPAWN = "spawn"
    HANDSHAKE = "handshake"
    TIMEOUT = "timeout"
    MALFORMED = "malformed"
    ILLEGAL = "illegal"
    EXITED = "exited"
    FLOOD = "flood"
    MEMORY = "memory"
    EXCESS = "excess"


MEANING: Final[Mapping[FaultKind, str]] = {
    FaultKind.SPAWN: "the program could not be executed",
    FaultKind.HANDSHAKE: "no valid `ready` in time",
    FaultKind.TIMEOUT: "no reply in time",
    FaultKind.MALFORMED: "the line was not a reply",
    FaultKind.ILLEGAL: "the action was not among `legal`",
    FaultKind.EXITED: "the process ended, or closed its pipes, before the match was over",
    FaultKind.FLOOD: "64 KiB of output without a reply in it",
    FaultKind.MEMORY: "the process used more memory than allowed",
    FaultKind.EXCESS: "the process computed between its turns, while it was frozen",
}

FORGIVABLE: Final = frozenset({FaultKind.TIMEOUT, FaultKind.MALFORMED, FaultKind.ILLEGAL})
"""Faults that leave a process which can still be asked: with `--faults N` the first N−1 cost one action."""

EVIDENCE_LIMIT: Final = 4096
"""Bytes of a raw request or reply that a record keeps."""


class Fault(msgspec.Struct, frozen=True):
    """One misdeed. `detail` says in words what was wrong, `evidence` is the offending output (cut)."""

    kind: FaultKind
    detail: str
    evidence: bytes = b""


ENDED: Final = Fault(FaultKind.EXITED, "the output ended without an answer")
DEAF: Final = Fault(FaultKind.EXITED, "it had closed its input, and its time passed without an answer")


def illegal(action: str) -> Fault:
    """The fault of a reply whose action is not among `legal`."""
    return Fault(FaultKind.ILLEGAL, f"{action!r} is not legal", action.encode()[:EVIDENCE_LIMIT])
