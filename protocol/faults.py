"""Faults: what a bot can do wrong, as data.

A fault is a value that is returned, never an exception. The referee decides what a fault costs.
"""

import enum
from collections.abc import Mapping
from typing import Final

import msgspec


class FaultKind(enum.StrEnum):
    """The kinds of faults; `protocol.faults.MEANING` explains each. The values stand in logs and journals."""

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
"""After these faults the process can still be asked. With `--faults N`, each of the first N−1 of them costs
the seat one action instead of the match."""

SILENT: Final = frozenset({FaultKind.HANDSHAKE, FaultKind.TIMEOUT})
"""Without a line as evidence, these faults mean that nothing came in time."""

EVIDENCE_LIMIT: Final = 4096
"""A log keeps at most this many bytes of a raw request or reply."""


class Fault(msgspec.Struct, frozen=True):
    """What was wrong, as a sentence (`detail`), and the offending output, up to EVIDENCE_LIMIT bytes."""

    kind: FaultKind
    detail: str
    evidence: bytes = b""


ENDED: Final = Fault(FaultKind.EXITED, "the output ended without an answer")
INPUT_CLOSED: Final = Fault(
    FaultKind.EXITED, "it had closed its input, and its time passed without an answer"
)


def illegal(action: str) -> Fault:
    """The fault of a reply whose action is not among `legal`."""
    return Fault(FaultKind.ILLEGAL, f"{action!r} is not legal", action.encode()[:EVIDENCE_LIMIT])
