"""Corrects a fault by the state of the bot's process: silence may be an exit, and an exit a kill for memory.
Also decides which faults of a house bot are bugs of ours.

Matches, checks and hints share these rules. Knows faults and processes; not what follows from either.
"""

import signal
from typing import Final

import trio

from arena.log.entries import BUG_LIMIT
from arena.log.last_error import last_error
from arena.process.botprocess import BotProcess
from arena.process.watchdog import MOST_PROCESSES
from arena.system.errors import MachineError
from arena.system.machine import MIB
from arena.system.text import caption, visible
from protocol.faults import INPUT_CLOSED, SILENT, Fault, FaultKind

EXIT_GRACE_SECONDS: Final = 0.25
PIPES_HELD: Final = Fault(FaultKind.EXITED, "it ended, and what it had started held its pipes open")
BY_ITS_CODE: Final = frozenset({FaultKind.EXITED, FaultKind.MALFORMED, FaultKind.ILLEGAL, FaultKind.FLOOD})
"""Faults that only a house bot's own code can cause. The machine or tight limits may cause the others."""
FROM_OUTSIDE: Final = (-signal.SIGKILL, -signal.SIGTERM)


async def exit_cause(fault: Fault, process: BotProcess, memory_mb: int) -> tuple[Fault, int | None]:
    """The corrected fault, and the exit status (negative for a signal); None if the process did not end by
    itself. `memory_mb`: its memory limit. Raises MachineError if this machine may be the cause."""
    silent = fault.kind in SILENT and not fault.evidence
    if silent and process.status() is not None:
        fault = PIPES_HELD
    elif silent and process.has_closed_input():
        fault = INPUT_CLOSED
    status = None
    if fault.kind is FaultKind.EXITED:
        # It may still be exiting, and its status explains more than a closed pipe.
        ended = await process.exited_by(trio.current_time() + EXIT_GRACE_SECONDS)
        status = process.status() if ended else None
        if seen := process.memory_seen:
            return Fault(FaultKind.MEMORY, f"{-(-seen // MIB)} MB in use, {memory_mb} MB are allowed"), status
        if many := process.processes_seen:
            return Fault(FaultKind.MEMORY, f"{many} processes, {MOST_PROCESSES} are allowed"), status
        if spent := process.excess_seen:
            return Fault(FaultKind.EXCESS, f"{spent:.2f} s of CPU time while it was frozen"), status
    if (fault.kind is FaultKind.EXITED or silent) and (missing := process.shortage()):
        raise MachineError(f"a bot failed while this machine had problems: {missing}")
    return fault, status


def house_bug(fault: Fault, status: int | None, stderr: bytes) -> str:
    """The description of our bug if a fault of a house bot proves one, otherwise ""."""
    if fault.kind not in BY_ITS_CODE or status in FROM_OUTSIDE:
        return ""
    said = last_error(visible(stderr, len(stderr)))
    return caption("; ".join(filter(None, (f"{fault.kind}: {fault.detail}", said))), BUG_LIMIT)
