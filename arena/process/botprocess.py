"""The child process of a bot: writes to it, reads from it, freezes it between its turns, and ends it.

A bot can do anything to the resources that it shares with us. That becomes a value here, never an exception:

    its input              full                 the rest is sent later; the bot's time runs
                           closed               what is sent is lost; at the end of its time: exited
    its output             empty                no reply yet; the bot's time runs
                           closed, or broken    its output has ended: exited
    its standard error     in any state         what can be read is stored; no fault
    its process group      gone, or not ours    no process is stopped
    its folders in memory  cannot be read       they count as empty
    its entries in /proc   gone                 they count as no usage

Knows bytes, descriptors and signals; neither messages nor games, nor what is a fault.
"""

import contextlib
import fcntl
import os
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import trio

from arena.process.cgroup import Cgroup
from arena.process.excess import TAIL_SECONDS, ExcessMeter
from arena.process.private import BotFolder
from arena.process.sandbox import BEGIN, IN_MEMORY
from arena.process.sandbox_init import (
    GROUP_GRACE_SECONDS,
    PIDFD_SIGNAL_PROCESS_GROUP,
    SandboxInit,
    ends_within,
)
from arena.process.stderr import STDERR_KEPT, Stderr
from arena.process.tree import Resident, children, clock, end_children, mark_of, read_clocks, tree, usage
from arena.system.errors import MachineError
from arena.system.machine import oom_kills
from arena.system.machine import shortage as machine_shortage
from arena.system.text import caption

READ_SIZE: Final = 64 * 1024
POLL_SECONDS: Final = 0.02
"""How long a wait for a bot blocks in `poll`, and thus blocks the event loop, before it parks in trio.
Parking costs more than all the rest of a decision."""
FORK_SECONDS: Final = 0.001
"""Upper bound for the time of a fork: see `_answers_within`."""
SEND_SECONDS: Final = 0.001
"""Pause between two attempts to send the rest of a request."""
SIGNALLED: Final = range(129, 193)
"""Exit statuses by which a sandbox reports that its process was killed by a signal: 128 + its number."""
LISTEN_SECONDS: Final = 0.01
"""The interval at which `rest_of_output` checks whether the process has ended."""
GOODBYE_SECONDS: Final = 1.0
"""The time in which all bots of a finished match must exit by themselves."""


class BotProcess:
    """Created by `spawn`. Waits, and executes the bot at the first write or read. Must be ended by `kill`."""

    frozen = False
    excess_seen = 0.0
    """The excess, in seconds, for which it was killed; 0 if it was not."""
    processes = 0
    """The number of its processes at the last `look`, without those of the sandbox."""
    processes_seen = 0
    """The number of processes for which it was killed; 0 if it was not."""
    computed_seen = 0.0
    """The value of `computed` at the last `look`."""
    computed_billed = 0.0
    """What a SpentMeter has attributed of `computed`, in this match or an earlier one."""
    _memory_seen = 0
    _looked_at = False
    _unsent = BEGIN
    _sure_to_go_on = True

    def __init__(
        self,
        child: "subprocess.Popen[bytes]",
        stderr: Path | None,
        inner: SandboxInit | None = None,
        mark: str = "",
        cgroup: Cgroup | None = None,
        private: BotFolder | None = None,
    ) -> None:
        """`inner`: the first process inside the sandbox if the child is bwrap. `mark`: otherwise, the value
        of MARK in the environment of the child and its descendants. `cgroup`: contains them all, if there is
        one. `private`: is deleted when they have ended. `stderr`: see `stderr_kept`."""
        assert child.stdin is not None
        assert child.stdout is not None
        assert child.stderr is not None
        self.mark = mark
        self._oom_kills = oom_kills()
        self._child = child
        self._cgroup = cgroup
        self._private = private
        self._excess = ExcessMeter()
        self._inner = inner
        self._group = inner.pid if inner and inner.pid else child.pid
        self._inner_group = inner.group if inner else None
        self._stdin, self._stdout = child.stdin, child.stdout
        self._stderr = Stderr(child.stderr)
        self.stderr_kept = stderr
        """The file that `cut_stderr` writes; None to discard standard error."""
        self._strict = False
        """Whether `freeze` freezes the cgroup instead of signalling the process group."""
        self._has_escaped = False
        self._resident: Mapping[int, Resident] = {}
        """Of its processes at the last `look`."""
        # Looked up once: calling `fileno` at every decision would cost as much as the write.
        self._input, self._output = self._stdin.fileno(), self._stdout.fileno()
        os.set_blocking(self._input, False)
        os.set_blocking(self._output, False)
        self._poll = _poll_for_input(self._output, self._stderr.descriptor)

    @property
    def pid(self) -> int:
        """The pid of the child, which is bwrap inside a sandbox, and otherwise the bot."""
        return self._child.pid

    @property
    def memory_seen(self) -> int:
        """Bytes of memory for which we, or the kernel at the cgroup's limit, killed it; 0 if not killed."""
        return self._memory_seen or (self._cgroup.memory_exceeded() if self._cgroup else 0)

    @property
    def excess(self) -> float:
        """Seconds of CPU time that it has used while frozen, beyond what freezing cannot prevent."""
        return self._excess.seconds

    def begin(self) -> None:
        """Execute the bot, if the process still waits to do so."""
        self.write(b"")

    def write(self, data: bytes) -> None:
        """Send what fits into the pipe; later calls of `read` send the rest. Never blocks, never raises."""
        if self._unsent:
            data = self._unsent + data
        try:
            sent = os.write(self._input, data)
        except BlockingIOError:
            sent = 0  # `read` sends the rest.
        except BrokenPipeError:
            sent = len(data)  # No process will read it.
        self._unsent = data[sent:]

    def read_now(self) -> bytes | None:
        """The available output; b"" at its end, None if there is none yet."""
        try:
            return os.read(self._output, READ_SIZE)
        except BlockingIOError:
            return None
        except OSError:
            return b""  # Only the bot can make its pipe fail.

    async def read(self, deadline: float) -> bytes | None:
        """Wait for output; b"" at its end, None if none has arrived by `deadline`. A closed input is ignored,
        since it is a matter of chance when that is noticed."""
        now = trio.current_time()
        rest_at = now + POLL_SECONDS
        ready = self._answers_within(min(FORK_SECONDS, deadline - now))
        while True:
            if not ready and not short_poll(self, deadline):
                with trio.move_on_at(deadline) as waiting:
                    await self._park()
                if waiting.cancelled_caught:
                    # We may have been woken late, so look once more before this becomes a timeout.
                    return self.read_now()
            ready = False
            data = self.read_now()
            if data is not None:
                return data
            if self._unsent:
                self.write(b"")
            # Output on standard error also ends the wait. It must neither extend the deadline nor let the
            # bot block the event loop.
            now = trio.current_time()
            if now >= deadline:
                return self.read_now()
            if now >= rest_at:
                await trio.lowlevel.checkpoint()
                rest_at = now + POLL_SECONDS

    def ready_within(self, seconds: float) -> bool:
        """Block until there is output, or room for unsent input; False after `seconds`. Drains stderr."""
        if self._unsent:
            self._poll.register(self._input, select.POLLOUT)
        ready = self._poll.poll(seconds * 1000)
        if self._unsent:
            self._poll.unregister(self._input)
        for descriptor, _ in ready:
            if descriptor == self._stderr.descriptor:
                self._drain_stderr()
        return bool(ready)

    def unread(self) -> int:
        """The bytes of its input that the bot has not read yet; 0 if the system does not report them."""
        if self._input < 0:
            return 0
        try:
            return int.from_bytes(fcntl.ioctl(self._input, termios.FIONREAD, bytes(4)), sys.byteorder)
        except OSError:
            return 0

    def freeze(self) -> None:
        """Stop all its processes until `thaw`, so that it neither computes between its turns nor takes CPU
        time from other bots.

        This normally signals the process group, which costs a third of freezing the cgroup. The cgroup is
        frozen instead once a process has left the group, the bot has several threads, or it has computed
        while frozen. Processes that have escaped from both are signalled one by one. A thread needs the core
        in order to stop, so we wait for those of a frozen cgroup; no bot's time runs meanwhile."""
        grouped = self._cgroup if self._strict and self._cgroup and self._cgroup.freeze() else None
        if grouped is None:
            self._signal(signal.SIGSTOP)
        if self._has_escaped:
            _signal_each(list(self.escaped()), signal.SIGSTOP)
        self.frozen = True
        self._excess.freeze()
        if grouped is not None:
            grouped.settle(TAIL_SECONDS)
        if not self._looked_at:  # Find helpers that it started before its `ready`.
            self.look()

    def thaw(self) -> None:
        """Resume all its processes. Does nothing if it is not frozen."""
        if self.frozen:
            self._excess.thaw()
            self.frozen = False
            # SIGCONT is sent with a cgroup too, so that a bot that has stopped itself resumes in any case.
            self._continue()
            self._sure_to_go_on = False
            if self._strict and self._cgroup is not None:
                self._cgroup.thaw()

    def _continue(self) -> None:
        if self._has_escaped:
            _signal_each(list(self.escaped()), signal.SIGCONT)
        self._signal(signal.SIGCONT)

    def _answers_within(self, seconds: float) -> bool:
        """Whether output arrives within `seconds` of a thaw; if not, send SIGCONT once more. A process that
        is being forked while SIGSTOP and SIGCONT arrive may keep the stop and lose the SIGCONT (Linux 6.18).
        If it loses this one too, `look` repeats it."""
        if self._sure_to_go_on:
            return False
        self._sure_to_go_on = True
        if self.ready_within(max(0.0, seconds)):
            return True
        self._continue()
        return False

    def wake(self) -> float:
        """Thaw it, yield the core once, and return the seconds of CPU time that it used. Does nothing without
        a cgroup, since that time is unknown then."""
        if self._cgroup is None:
            return 0.0
        before = self._cgroup.cpu()
        self.thaw()
        os.sched_yield()
        return self._cgroup.cpu() - before

    def look(self) -> int:
        """Return the bytes of memory of its processes and its folders in memory. Must be called regularly,
        since it adds up the excess, and finds processes that left the group and stops them while it is
        frozen."""
        self._looked_at = True
        pids = list(self._processes())
        beside = list(self._beside_group(pids))
        escaped = list(self._cgroup.others(beside)) if self._cgroup is not None else beside
        used = usage(pids, self._resident)
        self._resident = used.resident
        inside = [pid for pid in pids if pid not in self._walls]  # Walls only wait for the bot.
        self.processes, self.computed_seen = len(inside), used.cpu
        if self._cgroup is None:
            self._excess.look(inside, used.waited, self.frozen)
        else:
            alone = escaped if self._strict else inside
            outside, group = usage(escaped), self._cgroup.cpu()
            self.computed_seen = group + outside.cpu
            self._excess.look(alone, outside.waited, self.frozen, group)
        self._has_escaped = bool(escaped)
        if self.frozen and escaped:
            _signal_each(escaped, signal.SIGSTOP)
            self._signal(signal.SIGSTOP)  # One of them may have sent SIGCONT to the group.
        if used.stopped and not self.frozen:
            self._continue()
        several = used.threads - len(self._walls) > 1
        if self._cgroup is not None and not self._strict and (beside or self.excess or several):
            self._strict = True
            if self.frozen:
                self._cgroup.freeze()
        return used.memory + self.scratch(inside)

    def computed(self) -> float:
        """Seconds of CPU time of all its processes so far; without a cgroup, of those that still live."""
        if self._cgroup is None:
            return read_clocks(map(clock, tree(self.pid)))
        return self._cgroup.cpu() + (usage(self.escaped()).cpu if self._has_escaped else 0.0)

    def shortage(self) -> str | None:
        """What this machine has run out of, which may be why the bot ended or is late; None if nothing."""
        if self.status() == -signal.SIGKILL and self._lacked_memory():
            return "there was no memory left, and the kernel killed processes"
        folders = () if self._inner is not None else IN_MEMORY
        return machine_shortage(folders)

    def _lacked_memory(self) -> bool:
        """Whether the kernel has killed one of its processes for lack of memory. Without the memory
        controller any process of the machine counts, since the kernel does not report whose it was."""
        killed = self._cgroup.oom_kills() if self._cgroup is not None else None
        return oom_kills() > self._oom_kills if killed is None else killed > 0

    def escaped(self) -> Iterator[int]:
        """Its processes that are neither in its process group nor in its cgroup."""
        beside = self._beside_group(self._processes())
        return self._cgroup.others(beside) if self._cgroup is not None else beside

    def scratch(self, pids: Sequence[int]) -> int:
        """Bytes that a sandbox keeps in memory for these processes inside, beside their own."""
        return self._inner.scratch(pids) if self._inner else 0

    def kill_over_limit(self, *, memory: int = 0, processes: int = 0, excess: float = 0.0) -> None:
        """Kill all its processes, and record the cause: bytes of memory, the number of processes, or `excess`
        seconds of CPU time while frozen. `kill` must still be called to clean up."""
        self._memory_seen, self.processes_seen, self.excess_seen = memory, processes, excess
        doomed = list(self._processes())  # Listed first: children of a killed process get another parent.
        if self._cgroup is not None:
            self._cgroup.kill()
        self._end_group()
        # Errors are ignored: we may not kill a program that has changed its user.
        _signal_each(doomed, signal.SIGKILL)

    def close_input(self) -> None:
        """Close its input; a bot must exit at the end of its input."""
        self._input = -1  # The number may soon belong to another file.
        with contextlib.suppress(BrokenPipeError):
            self._stdin.close()

    async def rest_of_output(self, deadline: float) -> bytes:
        """Close its input and return the rest of its output, up to the end of the output or of the process:
        about READ_SIZE bytes at most, and nothing after `deadline`."""
        self.close_input()
        words = b""
        while len(words) < READ_SIZE and trio.current_time() < deadline:
            gone = self.status() is not None
            with trio.move_on_after(LISTEN_SECONDS):
                await trio.lowlevel.wait_readable(self._stdout)
            self._drain_stderr()
            data = self.read_now()
            if data == b"" or (data is None and gone):
                break
            words += data or b""
        return words

    async def exited_by(self, deadline: float) -> bool:
        """Thaw it, since a frozen process cannot exit, and wait for the exit; False if none by `deadline`."""
        self.thaw()
        with contextlib.suppress(AttributeError, OSError):  # Not every kernel has pidfds; then it is polled.
            pidfd = os.pidfd_open(self.pid)
            ends_within(pidfd, short_wait(deadline))
            os.close(pidfd)
        pause = 0.001
        while self.status() is None:
            if trio.current_time() >= deadline:
                return False
            self._drain_stderr()  # A full pipe would keep it from exiting.
            await trio.sleep(pause)
            pause = min(2 * pause, 0.02)
        return True

    def status(self) -> int | None:
        """The exit status, negative for a signal; None while the process lives. The process is not reaped, so
        that its process group id is not reused. Raises MachineError if bwrap failed and not the bot."""
        ended = self._ended()
        if ended is None:
            return None
        killed_by_us = self.memory_seen or self.processes_seen or self.excess_seen
        if self._inner is not None and not killed_by_us and ended < 0:
            # A bot cannot see bwrap. If the first process inside is killed, that is the bot's doing.
            raise MachineError("a bot's sandbox was killed from outside")
        if self._inner is not None and ended > 0 and not self._inner.executed:
            why = self.stderr_tail(STDERR_KEPT).decode("utf-8", "replace").strip() or "bwrap does not say why"
            raise MachineError(f"the sandbox could not be set up: {caption(why)}")
        if self._inner is not None and ended in SIGNALLED:
            return 128 - ended
        return ended

    def kill(self) -> int:
        """Kill the process group, reap the child, close the pipes; the exit status, negative for a signal.
        The rest of the group are not our children, so we poll until they have ended."""
        if self._inner is not None:
            self._inner.end()
        self._end_group()
        status = self._child.wait()
        patience = time.monotonic() + GROUP_GRACE_SECONDS
        while self._inner is None and self._end_group() and time.monotonic() < patience:
            time.sleep(0.0005)
        if self.mark:  # Helpers in sessions of their own have become our children.
            end_children(lambda pid: mark_of(pid) == self.mark)
        if self._cgroup is not None:
            self._cgroup.end()
        self.close_input()
        self._stdout.close()
        try:
            self.cut_stderr()
        finally:
            self._stderr.close()
            if self._private is not None:
                self._private.discard()
        return status

    def cut_stderr(self) -> None:
        """Write the last 64 KiB of its standard error to the file `stderr_kept`, forget them, and set
        `stderr_kept` to None. Raises MachineError."""
        text, file = self.stderr_tail(STDERR_KEPT), self.stderr_kept
        self._stderr.forget()
        self.stderr_kept = None
        if file is None:
            return
        try:
            file.unlink(missing_ok=True)  # A void attempt at the same match may have left one.
            if text:
                with file.open("xb") as new:
                    new.write(text)
        except OSError as error:
            raise MachineError(f"what a bot wrote to its standard error cannot be kept: {error}") from None

    def stderr_tail(self, size: int) -> bytes:
        """The last bytes of its standard error since `cut_stderr`, 64 KiB at most."""
        self._drain_stderr()
        tail = self._stderr.tail(size)
        return tail if self._private is None else self._private.in_its_words(tail)

    def has_closed_input(self) -> bool:
        """Whether every process has closed the reading end of the bot's input."""
        poll = select.poll()
        poll.register(self._stdin, 0)
        return bool(poll.poll(0))

    async def _park(self) -> None:
        """Let other tasks run until there is output or standard error. It is rare that part of a request is
        unsent (the bot has 64 KiB unread): then only sleep briefly, and the caller tries again."""
        if self._unsent:
            await trio.sleep(SEND_SECONDS)
            return
        async with trio.open_nursery() as nursery:
            for descriptor in (self._output, self._stderr.descriptor):
                if descriptor >= 0:
                    nursery.start_soon(_readable, descriptor, nursery.cancel_scope)

    def _drain_stderr(self) -> None:
        """Read standard error. At its end stop polling it, since it would always be ready, and close it."""
        descriptor = self._stderr.descriptor
        if not self._stderr.drain() and descriptor >= 0:
            self._poll.unregister(descriptor)
            self._stderr.close()

    def _ended(self) -> int | None:
        """The status of the child, negative for a signal; None while it lives. On macOS before Python 3.13
        there is no waitid: the child is reaped, and its pid may be reused."""
        if not hasattr(os, "waitid"):
            return self._child.poll()
        ended = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG)
        if ended is None:
            return None
        return ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status

    @property
    def _walls(self) -> tuple[int, ...]:
        """The pids of the sandbox itself: bwrap and the first process inside."""
        return (self.pid, self._inner.pid) if self._inner else ()

    def _processes(self) -> Iterator[int]:
        """The pids of all its processes, including those of the sandbox, and orphans with its mark."""
        yield from tree(self.pid)
        if self.mark:
            for pid in children(os.getpid()):
                if pid != self.pid and mark_of(pid) == self.mark:
                    yield from tree(pid)

    def _beside_group(self, pids: Iterable[int]) -> Iterator[int]:
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                if os.getpgid(pid) not in (self.pid, self._group):
                    yield pid

    def _signal(self, number: signal.Signals) -> None:
        try:
            if self._inner_group is not None:
                signal.pidfd_send_signal(self._inner_group, number, None, PIDFD_SIGNAL_PROCESS_GROUP)
            elif self._inner is None or self._ended() is None:
                # Inside a sandbox the leader is not our child: after the end of bwrap the number may belong
                # to another group.
                os.killpg(self._group, number)
        except (ProcessLookupError, PermissionError):
            pass  # No process of the group is left.

    def _end_group(self) -> bool:
        """Kill the child's process group; False if it was empty."""
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            return False
        return True


def _poll_for_input(*descriptors: int) -> "select.poll":
    poll = select.poll()
    for descriptor in descriptors:
        poll.register(descriptor, select.POLLIN)
    return poll


async def _readable(descriptor: int, waiting: trio.CancelScope) -> None:
    """Cancel `waiting` when the descriptor has data or has reached its end."""
    await trio.lowlevel.wait_readable(descriptor)
    waiting.cancel()


def _signal_each(pids: Iterable[int], number: signal.Signals) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


async def shut_down(processes: Sequence[BotProcess]) -> None:
    """Close the input of the bots of a finished match, and give them GOODBYE_SECONDS to exit by themselves.
    `kill` must still be called for each."""
    for process in processes:
        process.close_input()
        process.thaw()
    deadline = trio.current_time() + GOODBYE_SECONDS
    for process in processes:
        await process.exited_by(deadline)


def short_poll(process: BotProcess, deadline: float) -> bool:
    """Block briefly before parking; whether there is something to read or room to send. A module function so
    that tests can replace it."""
    return process.ready_within(short_wait(deadline))


def short_wait(deadline: float) -> float:
    """Seconds to block in the kernel: POLL_SECONDS, or less if the deadline is nearer."""
    return min(POLL_SECONDS, max(0.0, deadline - trio.current_time()))
