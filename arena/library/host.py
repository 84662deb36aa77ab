"""`python -m arena.library.host CALLER CHANNEL [FUNCTIONS]` carries out one call for another program, whose
process id comes first. It spawns, pins, reaps and hears signals, so that the caller's process does none of
it.

The call is read from the socket CHANNEL, to which remarks, progress and the result are written. FUNCTIONS is
a socket to the functions that take seats. When the caller closes its end, or ends in whatever way, the call
is broken off and nothing of it is left.
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
"""How often we look whether the caller has ended. A process that it has forked may hold its end open."""
AGAIN_SECONDS: Final = 0.2
"""Between the signal that asks a tournament to stop, and the one that breaks it off."""
PATIENCE_SECONDS: Final = 15.0
"""How long it may take to break a call off. After it this process ends as if it was killed."""
PROGRESS_SECONDS: Final = 0.1
"""Progress is told at most so often."""


class Outlet:
    """Writes to the caller. What cannot be written any more is dropped, since the call is broken off then."""

    def __init__(self, channel: socket.socket) -> None:
        self._channel = channel
        self._lock = threading.Lock()
        self._next = 0.0
        self._untold: Callable[[], Progress] | None = None

    def tell(self, message: FromHost) -> None:
        """Writes a message; from any thread."""
        with self._lock, contextlib.suppress(OSError):
            self._channel.sendall(encode(message) + b"\n")

    def say(self, text: str) -> None:
        """Passes a remark on."""
        self.tell(CallRemark(text))

    def progress(self, progress: Callable[[], Progress]) -> None:
        """Passes progress on, unless some was told just now; then it waits for `tell_rest`."""
        self._untold = progress
        if time.monotonic() >= self._next:
            self.tell_rest()
            self._next = time.monotonic() + PROGRESS_SECONDS

    def tell_rest(self) -> None:
        """Passes on the progress that was not told yet."""
        untold, self._untold = self._untold, None
        if untold is not None:
            self.tell(untold())

    def compared(self, so_far: "CompareResult") -> None:
        """Passes on what is known of two bots."""
        pods = so_far.question.budget
        self.progress(lambda: Progress(so_far.sentence, so_far.answer.units, pods))

    def reviewed(self, pace: "ReviewPace") -> None:
        """Passes on how far a review is."""
        self.progress(lambda: Progress(str(pace), pace.deals_done, pace.deals, pace.seconds_left))

    @contextlib.contextmanager
    def shown(self, created: "Created", entries: "list[JournalEntry]") -> "Iterator[Display]":
        """Shows a tournament: passes on how far it is."""
        from arena.director.progress import TournamentPace  # noqa: PLC0415

        yield TournamentProgress(self, TournamentPace(created, entries))


class TournamentProgress:
    """Passes on how far a tournament is, with each entry of its journal."""

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
    """Passes on which bot is at which step of its check."""

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
    """Passes on which law is looked at."""

    def __init__(self, outlet: Outlet) -> None:
        self._outlet = outlet
        self._done = 0

    def on_begun(self, begun: "LawStarted", laws: int) -> None:
        self._outlet.progress(lambda: Progress(f"{begun.law}: {begun.variant}", self._done, laws))

    def on_judged(self, judged: "LawResult") -> None:
        self._done += 1


def carry_out(call: Any, outlet: Outlet, here_by: PlayAll | None) -> Any:
    """The result of a call. `here_by` plays its matches if functions take seats."""
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
    """Waits for the end of the caller or of its interest, and then breaks the call off."""
    poll = select.poll()
    poll.register(channel, select.POLLIN)
    while os.getppid() == caller and not poll.poll(LOOK_SECONDS * 1000):
        pass  # The caller writes nothing after the call, so that its end is all that can come.
    for pause in (AGAIN_SECONDS, PATIENCE_SECONDS):
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(pause)
    os._exit(1)


def main() -> None:
    """Carries out the call that comes."""
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
    """Ends this process if the caller ends before it has asked for anything."""
    poll = select.poll()
    poll.register(channel, select.POLLIN)
    while not poll.poll(LOOK_SECONDS * 1000):
        if os.getppid() != caller:
            sys.exit()


if __name__ == "__main__":
    main()
