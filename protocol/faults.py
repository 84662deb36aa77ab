"""Faults: what a bot can do wrong, as data.

A fault is a value that is returned, never an exception. This file says what a bot did wrong; the referee
decides what follows.
"""

import enum
from collections.abc import Mapping
from typing import Final

import msgspec


class FaultKind(enum.StrEnum):
    """The kinds of faults; MEANING explains each. The values stand in logs and in the journal."""

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
"""Faults after which the process can still be asked. With `--faults N` each of the first N−1 costs the seat
one action instead of the match."""

SILENT: Final = frozenset({FaultKind.HANDSHAKE, FaultKind.TIMEOUT})
"""Faults that, without a line as evidence, mean that nothing came in time."""

EVIDENCE_LIMIT: Final = 4096
"""The number of bytes of a raw request or reply that a record keeps."""


class Fault(msgspec.Struct, frozen=True):
    """One fault of a bot. `detail` says in words what was wrong; `evidence` is the offending output, cut to
    EVIDENCE_LIMIT bytes."""

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
