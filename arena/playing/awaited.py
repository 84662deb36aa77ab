"""A child process that is awaited with trio: lines go in, lines come out. Knows not what they say."""

import contextlib
import os

import trio

from arena.playing.child import FAREWELL_SECONDS, WorkerProcess
from arena.playing.worker import Lines


class AwaitedProcess(WorkerProcess):
    """Must be ended by `stop`."""

    def __init__(self, module: str) -> None:
        """Starts `module`. Raises MachineError where this machine has no room for a process."""
        super().__init__(module)
        self._input = trio.lowlevel.FdStream(os.dup(self._stdin.fileno()))
        self._output = Lines(os.dup(self._stdout.fileno()))
        self._stdin.close()

    async def tell(self, line: bytes) -> None:
        """Sends a line, given without its newline. If the child has died, `next_line` says so."""
        with contextlib.suppress(trio.BrokenResourceError):
            await self._input.send_all(line + b"\n")

    async def next_line(self) -> bytes | None:
        """The child's next line; None if it has ended."""
        return await self._output.next()

    async def stop(self) -> None:
        """Closes the child's input, which ends it and its bots; kills it if it does not end. May be called
        again."""
        with trio.CancelScope(shield=True):
            await self._input.aclose()
            deadline = trio.current_time() + FAREWELL_SECONDS
            while self._child.poll() is None and trio.current_time() < deadline:
                await trio.sleep(0.005)
            self.kill()
            await self._output.aclose()
