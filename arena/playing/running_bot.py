"""A started bot: its process and the dialogue with it.

Knows one bot; neither matches nor what follows from a fault.
"""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from arena.playing.conversation import Conversation
from arena.process.botprocess import BotProcess
from arena.process.launch import Launch
from arena.process.obstacle import Obstacle
from arena.process.sandbox import Sandbox
from arena.process.spawn import spawn
from protocol.faults import Fault, FaultKind
from protocol.messages import Limits

Spawn = Callable[[Launch, Path | None, Sandbox], BotProcess | Obstacle]


class RunningBot(NamedTuple):
    """A started bot. Its process must be ended."""

    process: BotProcess
    conversation: Conversation


def start(
    launch: Launch,
    limits: Limits,
    sandbox: Sandbox,
    *,
    stderr: Path | None = None,
    ponder: bool = False,
    spawn: Spawn = spawn,
) -> RunningBot | Fault:
    """Start a program; the next step is to greet it. `stderr`: as in BotProcess. Raises MachineError."""
    process = spawn(launch, stderr, sandbox)
    if isinstance(process, Obstacle):
        return Fault(FaultKind.SPAWN, process.text)
    return RunningBot(process, Conversation(process, limits, ponder=ponder))
