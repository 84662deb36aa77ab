"""`python -m arena.library.host CALLER CHANNEL [FUNCTIONS]` carries out one call for the process with the id
CALLER. It spawns, pins and reaps processes and handles signals, so that the caller does not have to.

It reads the call from the socket CHANNEL, and writes remarks, progress and the result to it. FUNCTIONS is a
socket to the functions that take seats. When the caller closes its end, or ends in any way, the call is
aborted and everything that it started ends. Knows which callbacks each command has.
"""

import contextlib
import os
import select
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import msgspec
import trio

from arena.checking.findings import Checked, NotChecked
from arena.commands.failure import failure_of
from arena.commands.match import run_by
from arena.library.messages import CallEnded, CallFailed, CallRemark, FromHost, decode_call, encode
from arena.playing.functions import Functions
from arena.playing.here import InProcessPool
from arena.playing.pool import PlayAll
from arena.playing.spellings import Progress
from arena.process.prepare import forget_caller, prepare_process
from arena.system.interruption import begin
from arena.system.machine import require_room
from arena.system.wording import for_python

if TYPE_CHECKING:  # These load slowly, or need what may not be installed; most calls do without.
    from arena.commands.compare import CompareResult
    from arena.commands.review import ReviewPace
    from arena.commands.tournament import Display
    from arena.director.entries import Created, JournalEntry
    from arena.director.progress import TournamentPace
    from arena.laws.apart import LawStarted
    from arena.laws.judge import LawResult

LOOK_SECONDS: Final = 0.5
"""The interval of checks whether the caller has ended: a process it forked may keep its end open."""
AGAIN_SECONDS: Final = 0.2
"""The time between the signal that asks a tournament to stop, and the one that aborts it."""
PATIENCE_SECONDS: Final = 15.0
"""How long it may take to abort a call. Then this process exits immediately."""
PROGRESS_SECONDS: Final = 0.1
"""The minimum interval between progress messages."""


class Outlet:
    """Writes to the caller. Drops what cannot be written any more, since the call is being aborted then."""

    def __init__(self, channel: socket.socket) -> None:
        self._channel = channel
        self._lock = threading.Lock()
        self._next = 0.0
        self._untold: Callable[[], Progress] | None = None

    def tell(self, message: FromHost) -> None:
        """Write a message. Thread-safe."""
        with self._lock, contextlib.suppress(OSError):
            self._channel.sendall(encode(message) + b"\n")

    def say(self, text: str) -> None:
        """Send a remark."""
        self.tell(CallRemark(text))

    def progress(self, progress: Callable[[], Progress]) -> None:
        """Send progress, unless it was sent less than PROGRESS_SECONDS ago; then keep it for `tell_rest`."""
        self._untold = progress
        if time.monotonic() >= self._next:
            self.tell_rest()
            self._next = time.monotonic() + PROGRESS_SECONDS

    def tell_rest(self) -> None:
        """Send the progress that was kept back."""
        untold, self._untold = self._untold, None
        if untold is not None:
            self.tell(untold())

    def compared(self, so_far: "CompareResult") -> None:
        """Send the progress of a comparison."""
        pods = so_far.question.budget
        self.progress(lambda: Progress(so_far.sentence, so_far.answer.units, pods))

    def reviewed(self, pace: "ReviewPace") -> None:
        """Send the progress of a review."""
        self.progress(lambda: Progress(str(pace), pace.deals_done, pace.deals, pace.seconds_left))

    @contextlib.contextmanager
    def shown(self, created: "Created", entries: "list[JournalEntry]") -> "Iterator[Display]":
        """Yield a display that sends the progress of a tournament."""
        from arena.director.progress import TournamentPace  # noqa: PLC0415

        yield TournamentProgress(self, TournamentPace(created, entries))


class TournamentProgress:
    """Sends the progress of a tournament at each entry of its journal."""

    def __init__(self, outlet: Outlet, pace: "TournamentPace") -> None:
        self._outlet = outlet
        self._pace = pace

    def on_entry(self, entry: "JournalEntry") -> None:
        self._outlet.progress(self._progress)

    def _progress(self) -> Progress:
        pace = self._pace
        return Progress(str(pace), pace.done, pace.total, pace.seconds_left)

    def say(self, line: str) -> None:
        self._outlet.say(line)


class BotSteps:
    """Sends the current step of each bot's check."""

    def __init__(self, outlet: Outlet) -> None:
        self._outlet = outlet
        self._names: tuple[str, ...] = ()
        self._done = 0

    def on_begun(self, names: tuple[str, ...]) -> None:
        self._names = names

    def on_step(self, number: int, step: str) -> None:
        text = f"{self._names[number]}: {step}"
        self._outlet.progress(lambda: Progress(text, self._done, len(self._names)))

    def on_done(self, number: int, result: Checked | NotChecked) -> None:
        self._done += 1


class Laws:
    """Sends which law is being checked."""

    def __init__(self, outlet: Outlet) -> None:
        self._outlet = outlet
        self._done = 0

    def on_begun(self, begun: "LawStarted", laws: int) -> None:
        self._outlet.progress(lambda: Progress(f"{begun.law}: {begun.variant}", self._done, laws))

    def on_judged(self, judged: "LawResult") -> None:
        self._done += 1


def carry_out(call: Any, outlet: Outlet, here_by: PlayAll | None) -> Any:
    """Carry out a call; its result. `here_by`: plays the matches if functions take seats, otherwise None."""
    say = outlet.say
    match type(call).__name__:
        case "PlayMatch" | "Rematch":
            return call.carry_out(say, run_by(here_by) if here_by else None)
        case "RunTournament" | "Resume":
            return call.carry_out(say, outlet.shown, here_by)
        case "Compare":
            return call.carry_out(say, outlet.compared, here_by)
        case "CheckBots":
            steps = BotSteps(outlet)
            return call.carry_out(say, steps.on_step, steps.on_done, steps.on_begun)
        case "CheckGame":
            laws = Laws(outlet)
            return call.carry_out(say, laws.on_begun, laws.on_judged)
        case "Review":
            return call.carry_out(say, outlet.reviewed)
        case "Rerun":
            return call.carry_out(say, say)
        case "NewBot":
            return call.carry_out()
    return call.carry_out(say)


def watch(caller: int, channel: socket.socket) -> None:
    """Wait until the caller ends or closes the channel, and then abort the call."""
    poll = select.poll()
    poll.register(channel, select.POLLIN)
    while os.getppid() == caller and not poll.poll(LOOK_SECONDS * 1000):
        pass  # The caller writes nothing after the call, so `poll` can only report the end.
    for pause in (AGAIN_SECONDS, PATIENCE_SECONDS):
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(pause)
    os._exit(1)


def main() -> None:
    """Read a call, carry it out, and send the result."""
    forget_caller()
    prepare_process()
    begin()
    caller, *descriptors = map(int, sys.argv[1:])
    channel, *seats = (socket.socket(fileno=descriptor) for descriptor in descriptors)
    for connected in (channel, *seats):
        connected.set_inheritable(False)
    outlet = Outlet(channel)
    try:
        _wait_for_call(caller, channel)
        with channel.makefile("rb") as lines:
            line = lines.readline()
        threading.Thread(target=watch, args=(caller, channel), daemon=True).start()
        require_room()
        with for_python():
            result = _carried_out(decode_call(line), outlet, seats)
        outlet.tell_rest()
        outlet.tell(CallEnded(msgspec.Raw(encode(result))))
    except BaseException as error:  # The code of a game from a package can raise anything.
        outlet.tell(CallFailed(failure_of(error)))


def _carried_out(call: Any, outlet: Outlet, seats: Sequence[socket.socket]) -> Any:
    if not seats:
        return carry_out(call, outlet, None)
    here = InProcessPool(Functions(seats[0]))
    try:
        return carry_out(call, outlet, here.play_all)
    finally:
        trio.run(here.end)


def _wait_for_call(caller: int, channel: socket.socket) -> None:
    """Exit if the caller ends before it has sent a call."""
    poll = select.poll()
    poll.register(channel, select.POLLIN)
    while not poll.poll(LOOK_SECONDS * 1000):
        if os.getppid() != caller:
            sys.exit()


if __name__ == "__main__":
    main()
