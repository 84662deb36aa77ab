"""One child process that plays for a seat: written to, read from, frozen between its turns, ended.

Whatever a bot does to what it shares with us is a value here, from which a verdict comes, and never an error:

    its input              full                 the rest is sent later, while its time passes
                           closed               what is sent is lost; no reply when its time is over: exited
    its output             empty                no reply yet, while its time passes
                           closed, or broken    its output has ended: exited
    its standard error     whatever it is       what can be read is kept; no verdict
    its process group      gone, or not ours    nobody is stopped
    its folders in memory  cannot be read       they hold nothing
    its entries in /proc   gone                 it uses nothing

Knows bytes, descriptors and signals; neither messages nor games nor what is a fault.
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
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

import trio

from arena.process.cgroup import Cgroup
from arena.process.excess import TAIL_SECONDS, Excess
from arena.process.sandbox import IN_MEMORY
from arena.process.sandbox_init import GROUP_GRACE_SECONDS, PIDFD_SIGNAL_PROCESS_GROUP, Inner, ends_within
from arena.process.stderr import STDERR_KEPT, Stderr
from arena.process.tree import children, end_children, mark_of, tree, usage
from arena.system.errors import MachineError
from arena.system.machine import oom_kills, shortage
from arena.system.text import caption

READ_SIZE: Final = 64 * 1024
POLL_SECONDS: Final = 0.02
"""How long we wait in the kernel for a bot before we park in trio, which costs more than all the rest of a
decision. So long nobody else has our thread."""
SEND_SECONDS: Final = 0.001
"""Between two attempts to send the rest of a request."""
SIGNALLED: Final = range(129, 193)
"""A sandbox reports death by signal n, of which there are 64, as exit status 128 + n."""
LISTEN_SECONDS: Final = 0.01
GOODBYE_SECONDS: Final = 1.0
"""How long bots that are done may take, together, to go by themselves."""


class BotProcess:
    """Made by `spawn`. Must be ended by `kill`."""

    def __init__(
        self,
        child: "subprocess.Popen[bytes]",
        stderr: Path | None,
        inner: Inner | None = None,
        mark: str = "",
        cgroup: Cgroup | None = None,
    ) -> None:
        """`stderr`: see `stderr_kept`. `inner`: where the child is the wall of a sandbox, the first process
        within. `mark`: where it is not, what all that the child starts bears. `cgroup`: where there is one,
        what all of them are in."""
        assert child.stdin is not None
        assert child.stdout is not None
        assert child.stderr is not None
        self.frozen = False
        self.excess_seen = 0.0
        """Seconds of excess for which it was killed; 0 if it was not."""
        self._memory_seen = 0
        self.mark = mark
        self._oom_kills = oom_kills()
        self._child = child
        self._cgroup = cgroup
        self._excess = Excess()
        self._strict = False
        """Whether its cgroup is frozen, and not its process group alone."""
        self._strayed = False
        self._looked_at = False
        self._inner = inner
        self._group = inner.pid if inner and inner.pid else child.pid
        self._inner_group = inner.group if inner else None
        self._stdin, self._stdout = child.stdin, child.stdout
        self._stderr = Stderr(child.stderr)
        self.stderr_kept = stderr
        """The file to which `cut_stderr` writes; None for nowhere."""
        self._unsent = b""
        # Looked up once: asking the files for them at every decision costs as much as writing does.
        self._input, self._output = self._stdin.fileno(), self._stdout.fileno()
        os.set_blocking(self._input, False)
        os.set_blocking(self._output, False)
        self._poll = select.poll()
        self._poll.register(self._output, select.POLLIN)
        self._poll.register(self._stderr.descriptor, select.POLLIN)

    @property
    def pid(self) -> int:
        return self._child.pid

    @property
    def memory_seen(self) -> int:
        """Bytes for which it was killed, by us or for its own limit by the kernel; 0 if it was not."""
        return self._memory_seen or (self._cgroup.memory_exceeded() if self._cgroup else 0)

    @property
    def excess(self) -> float:
        """Seconds of CPU time that it has taken while it was frozen, as far as they are not to be avoided."""
        return self._excess.seconds

    def write(self, data: bytes) -> None:
        """Hand over what fits; the rest follows with later calls of `read`. Never blocks, never raises."""
        if self._unsent:
            data = self._unsent + data
        try:
            sent = os.write(self._input, data)
        except BlockingIOError:
            sent = 0  # `read` sends the rest.
        except BrokenPipeError:
            sent = len(data)  # Nobody will read it.
        self._unsent = data[sent:]

    def read_now(self) -> bytes | None:
        """What has come; b"" at the end of its output, None when there is nothing."""
        try:
            return os.read(self._output, READ_SIZE)
        except BlockingIOError:
            return None
        except OSError:
            return b""  # What a bot puts into its pipe is all that can make this fail.

    async def read(self, deadline: float) -> bytes | None:
        """More output; b"" at its end; None when nothing has come by `deadline`. Whether the bot has closed
        its input decides nothing: when that is noticed is a race."""
        rest_at = trio.current_time() + POLL_SECONDS
        while True:
            if not short_poll(self, deadline):
                with trio.move_on_at(deadline) as waiting:
                    await self._park()
                if waiting.cancelled_caught:
                    # Our own lag is nobody's fault: look once more before a timeout is said.
                    return self.read_now()
            data = self.read_now()
            if data is not None:
                return data
            if self._unsent:
                self.write(b"")
            # One that floods its standard error gets no more time by it, nor keeps the thread.
            now = trio.current_time()
            if now >= deadline:
                return self.read_now()
            if now >= rest_at:
                await trio.lowlevel.checkpoint()
                rest_at = now + POLL_SECONDS

    def ready_within(self, seconds: float) -> bool:
        """Wait in the kernel until there is something to read or room to send. Standard error is emptied."""
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
        """Bytes that were sent to it and that it has not read yet. 0 where the system does not say."""
        if self._input < 0:
            return 0
        try:
            return int.from_bytes(fcntl.ioctl(self._input, termios.FIONREAD, bytes(4)), sys.byteorder)
        except OSError:
            return 0

    def freeze(self) -> None:
        """Stop all its processes until `thaw`: no thinking on the others' time, nor taking it. By a signal to
        its process group, which costs a third of freezing its cgroup; that is for those that need it, and
        where there is none what has strayed is signalled too. Each thread needs the core to come to its stop,
        so a cgroup's are waited for, on nobody's time."""
        grouped = self._cgroup if self._strict and self._cgroup and self._cgroup.freeze() else None
        if grouped is None:
            self._signal(signal.SIGSTOP)
        if self._strayed:
            _signal_each(list(self.strays()), signal.SIGSTOP)
        self.frozen = True
        self._excess.freeze()
        if grouped is not None:
            grouped.settle(TAIL_SECONDS)
        if not self._looked_at:  # What it has started until it was ready does not get a moment.
            self.look()

    def thaw(self) -> None:
        if self.frozen:
            self._excess.thaw()
            self.frozen = False
            if self._strayed:
                _signal_each(list(self.strays()), signal.SIGCONT)
            # A bot that has stopped itself goes on everywhere, or nowhere: with a cgroup too.
            self._signal(signal.SIGCONT)
            if self._strict and self._cgroup is not None:
                self._cgroup.thaw()

    def look(self) -> int:
        """To be called every now and then: the bytes that all its processes use, and its folders in memory.
        What a signal to its process group does not stop is found here, and stopped if it is frozen now."""
        self._looked_at = True
        pids = list(self._processes())
        beside = list(self._beside_group(pids))
        strays = list(self._cgroup.others(beside)) if self._cgroup is not None else beside
        used = usage(pids)
        if self._cgroup is None:
            # The first process in a sandbox only waits for the others.
            self._excess.look([pid for pid in pids if pid not in self._walls], used.waited, self.frozen)
        else:
            alone = strays if self._strict else [pid for pid in pids if pid not in self._walls]
            self._excess.look(alone, usage(strays).waited, self.frozen, self._cgroup.cpu())
        self._strayed = bool(strays)
        if self.frozen and strays:
            _signal_each(strays, signal.SIGSTOP)
            self._signal(signal.SIGSTOP)  # One of them may have woken it.
        several = used.threads - len(self._walls) > 1
        if self._cgroup is not None and not self._strict and (beside or self.excess or several):
            self._strict = True
            if self.frozen:
                self._cgroup.freeze()
        return used.memory + self.scratch()

    def excuse(self) -> str | None:
        """What this machine has run out of, which may be why the bot has ended or is late; None if nothing is
        to be seen."""
        if self.status() == -signal.SIGKILL and oom_kills() > self._oom_kills:
            return "there was no memory left, and the kernel ended processes"
        folders = () if self._inner is not None else IN_MEMORY
        return shortage(folders)

    def strays(self) -> Iterator[int]:
        """Those of its processes that neither its process group nor its cgroup holds."""
        beside = self._beside_group(self._processes())
        return self._cgroup.others(beside) if self._cgroup is not None else beside

    def scratch(self) -> int:
        """Bytes in the folders that a sandbox keeps in memory."""
        return self._inner.scratch() if self._inner else 0

    def condemn(self, *, memory: int = 0, excess: float = 0.0) -> None:
        """Kill it, because so many bytes of memory, or seconds of CPU time while it was frozen, are too many.
        It is left to `kill` to clean up."""
        self._memory_seen, self.excess_seen = memory, excess
        doomed = list(self._processes())  # Found first: the children of the dead hang elsewhere in the tree.
        if self._cgroup is not None:
            self._cgroup.kill()
        self._end_group()
        # A program that changed its user is not ours to kill.
        _signal_each(doomed, signal.SIGKILL)

    def close_input(self) -> None:
        """The end of input: a bot that is done may go."""
        self._input = -1  # The number is free for somebody else's file.
        with contextlib.suppress(BrokenPipeError):
            self._stdin.close()

    async def last_words(self, deadline: float) -> bytes:
        """Close its input and hear it out: what it still writes until its output or it has ended, one read's
        fill of it at most, and not after `deadline`."""
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
        """Whether the process has ended by `deadline`. What is on its way out must not be frozen."""
        self.thaw()
        with contextlib.suppress(AttributeError, OSError):  # Not every kernel lets us wait for it.
            pidfd = os.pidfd_open(self.pid)
            ends_within(pidfd, short_wait(deadline))
            os.close(pidfd)
        pause = 0.001
        while self.status() is None:
            if trio.current_time() >= deadline:
                return False
            self._drain_stderr()  # It may have more to say than the pipe holds.
            await trio.sleep(pause)
            pause = min(2 * pause, 0.02)
        return True

    def status(self) -> int | None:
        """How the process ended, negative for a signal; None while it lives. It is left unreaped, so that
        its process group stays ours to signal. Raises MachineError where not the bot has failed, but bwrap
        before it."""
        ended = self._ended()
        if ended is None:
            return None
        by_signal = ended.si_code != os.CLD_EXITED
        condemned = self.memory_seen or self.excess_seen
        if self._inner is not None and not condemned and (by_signal or self._inner.killed):
            # No bot reaches the wall around it.
            raise MachineError("the sandbox of a bot was ended from outside")
        if by_signal:
            return -ended.si_status
        if self._inner is not None and ended.si_status and not self._inner.executed:
            why = self.stderr_tail(STDERR_KEPT).decode("utf-8", "replace").strip() or "bwrap does not say why"
            raise MachineError(f"the sandbox could not be set up: {caption(why)}")
        if self._inner is not None and ended.si_status in SIGNALLED:
            return 128 - ended.si_status
        return ended.si_status

    def kill(self) -> int:
        """End the whole process group, reap the child, close the pipes. Returns the exit status, negative
        for a signal. The others of the group are not ours to reap, so their end is waited for."""
        if self._inner is not None:
            self._inner.end()
        self._end_group()
        status = self._child.wait()
        patience = time.monotonic() + GROUP_GRACE_SECONDS
        while self._inner is None and self._end_group() and time.monotonic() < patience:
            time.sleep(0.0005)
        if self.mark:  # The helpers that it has put into sessions of their own, to be reaped too.
            end_children(lambda pid: mark_of(pid) == self.mark)
        if self._cgroup is not None:
            self._cgroup.end()
        self.close_input()
        self._stdout.close()
        try:
            self.cut_stderr()
        finally:
            self._stderr.close()
        return status

    def cut_stderr(self) -> None:
        """Write the last 64 KiB of its standard error to their file, and begin anew: without a file, until
        `stderr_kept` names one. Raises MachineError."""
        text, file = self.stderr_tail(STDERR_KEPT), self.stderr_kept
        self._stderr.forget()
        self.stderr_kept = None
        if file is None:
            return
        try:
            file.unlink(missing_ok=True)  # It may be there from an attempt that was void.
            if text:
                with file.open("xb") as new:
                    new.write(text)
        except OSError as error:
            raise MachineError(f"what a bot wrote to its standard error cannot be kept: {error}") from None

    def stderr_tail(self, size: int) -> bytes:
        """The last bytes of its standard error since `cut_stderr`, 64 KiB at most."""
        self._drain_stderr()
        return self._stderr.tail(size)

    def deaf(self) -> bool:
        """Whether nobody holds the other end of the bot's input."""
        poll = select.poll()
        poll.register(self._stdin, 0)
        return bool(poll.poll(0))

    async def _park(self) -> None:
        """Give the thread away until there is output, or standard error. A request that is not yet all sent
        is rare (the bot has 64 KiB unread), so that is not worth a wait: it is tried again and again."""
        if self._unsent:
            await trio.sleep(SEND_SECONDS)
            return
        async with trio.open_nursery() as nursery:
            for descriptor in (self._output, self._stderr.descriptor):
                if descriptor >= 0:
                    nursery.start_soon(_readable, descriptor, nursery.cancel_scope)

    def _drain_stderr(self) -> None:
        """At its end it would be ready for ever, and is not looked at any more."""
        descriptor = self._stderr.descriptor
        if not self._stderr.drain() and descriptor >= 0:
            self._poll.unregister(descriptor)
            self._stderr.close()

    def _ended(self) -> os.waitid_result | None:
        return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG)

    @property
    def _walls(self) -> tuple[int, ...]:
        """Processes of ours around the bot."""
        return (self.pid, self._inner.pid) if self._inner else ()

    def _processes(self) -> Iterator[int]:
        """All its processes, ours around it included, and those whose parents have gone."""
        yield from tree(self.pid)
        if self.mark:
            for pid in children(os.getpid()):
                if pid != self.pid and mark_of(pid) == self.mark:
                    yield from tree(pid)

    def _beside_group(self, pids: Iterable[int]) -> Iterator[int]:
        """Those that have left its process group."""
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                if os.getpgid(pid) not in (self.pid, self._group):
                    yield pid

    def _signal(self, number: signal.Signals) -> None:
        """To the bot's process group."""
        try:
            if self._inner_group is not None:
                signal.pidfd_send_signal(self._inner_group, number, None, PIDFD_SIGNAL_PROCESS_GROUP)
            elif self._inner is None or self._ended() is None:
                # Else that group was never ours to reap, so its number may belong to a stranger by now.
                os.killpg(self._group, number)
        except (ProcessLookupError, PermissionError):
            pass  # All of the group have gone.

    def _end_group(self) -> bool:
        """Kill the child's process group. Whether anybody of it was left."""
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            return False
        return True


async def _readable(descriptor: int, waiting: trio.CancelScope) -> None:
    """End the waiting when there is something to read, or nobody writes any more."""
    await trio.lowlevel.wait_readable(descriptor)
    waiting.cancel()


def _signal_each(pids: Iterable[int], number: signal.Signals) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


async def see_off(processes: Sequence[BotProcess]) -> None:
    """End the input of bots that are done, and let them go by themselves."""
    for process in processes:
        process.close_input()
        process.thaw()
    deadline = trio.current_time() + GOODBYE_SECONDS
    for process in processes:
        await process.exited_by(deadline)


def short_poll(process: BotProcess, deadline: float) -> bool:
    """The short wait before parking. A function of its own so that tests can take it out."""
    return process.ready_within(short_wait(deadline))


def short_wait(deadline: float) -> float:
    """Seconds that we wait in the kernel at most."""
    return min(POLL_SECONDS, max(0.0, deadline - trio.current_time()))
