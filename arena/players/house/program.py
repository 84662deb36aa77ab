"""The main loop of builtin bots: they speak the wire like any other bot, and get views as the game's own
structs. Knows no strategy.

A builtin bot never forfeits by its own code. If its search fails or takes too long, advice replaces it; if
advice does too, the first legal action. The reply's `bug` reports a failure; the referee believes it of these
programs only."""

import contextlib
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from typing import Any, Final, NoReturn, TypeAlias

import msgspec

from arena.games import registry
from arena.games.game import Game, View
from arena.games.package import SEARCH_PATH
from arena.games.registry import extras
from protocol.codec import decode_from_referee, encode
from protocol.messages import Hello, Ready, Reply, Request
from protocol.streams import Stream
from protocol.units import ms_to_seconds

Think: TypeAlias = Callable[[Request, View, float], Reply]
"""From a request, its view, and the time at which it was read (`time.perf_counter`), to the reply."""
Begin: TypeAlias = Callable[[Game, Hello], Think]
"""Called at each hello."""

SHARE_TO_BEGIN: Final = 0.5
SHARE_TO_THINK: Final = 0.85
SHARE_TO_ADVISE: Final = 0.95
"""Shares of the time limit, bank included. Code that does not look at the clock itself, or not often enough,
such as a playout of a slow game, is interrupted then."""
FRAMES: Final = 3
"""The text of a failure names this many innermost calls."""
FAILURES: Final = (Exception, SystemExit)
"""The code of a package can raise anything, and may even want to end the program."""


class Overrun(BaseException):
    """The time is over. It is no Exception, so that no error handler in a game's code catches it."""


def play_matches(name: str, begin: Begin) -> None:
    """Play all matches that standard input brings. An argument SEARCH_PATH lists the folders in which the
    package of a game is found, since a bot has an environment of its own."""
    for word in sys.argv[1:]:
        sys.path += word.removeprefix(SEARCH_PATH).split(os.pathsep)
    signal.signal(signal.SIGALRM, _over)
    decider: Decider | None = None
    for line in sys.stdin.buffer:
        read_at = time.perf_counter()
        message = decode_from_referee(line)
        if isinstance(message, Hello):
            decider = Decider(name, begin, message, read_at)
            say(Ready(name, version="1", language="Python"))
        elif isinstance(message, Request):
            assert decider is not None, "a request before hello"
            say(decider.decide(message, read_at))


def say(message: Ready | Reply) -> None:
    """Send a message to the referee at once."""
    sys.stdout.buffer.write(encode(message))
    sys.stdout.buffer.flush()


class Decider:
    """Decides in one match: by what `begin` returns; if that fails, by advice or the first legal action."""

    def __init__(self, name: str, begin: Begin, hello: Hello, read_at: float) -> None:
        self._name = name
        self._views: Any = View
        self._advised: Think | None = None
        self._think: Think | None = None
        self._failed = ""
        """What failed at the beginning of the match."""
        try:
            game = registry.game(hello.game)
            self._views = game.views
            self._advised = advised(game, hello)
            with interrupted_at(read_at + SHARE_TO_BEGIN * ms_to_seconds(hello.limits.start_ms)):
                self._think = begin(game, hello)
        except Overrun:
            pass
        except FAILURES as error:
            self._failed = failure(error)

    def decide(self, request: Request, read_at: float) -> Reply:
        """The reply. Its action is always legal."""
        bugs = [self._failed] if self._failed else []
        limit = ms_to_seconds(request.ms)
        for way, share in ((self._think, SHARE_TO_THINK), (self._advised, SHARE_TO_ADVISE)):
            if way is None:
                continue
            try:
                with interrupted_at(read_at + share * limit):
                    reply = way(request, msgspec.convert(request.view, self._views), read_at)
            except Overrun:
                continue
            except FAILURES as error:
                bugs.append(failure(error))
                continue
            if reply.action in request.legal:
                return msgspec.structs.replace(reply, bug=self._report(bugs)) if bugs else reply
            bugs.append(f"it chose {reply.action!r}, which is not legal")
        return Reply(request.id, request.legal[0], "the first legal action", self._report(bugs))

    def _report(self, bugs: list[str]) -> str:
        return f"{self._name}: {'; '.join(bugs)}" if bugs else ""


def advised(game: Game, hello: Hello) -> Think | None:
    """Decides by the game's advice; None if there is none."""
    if (advise := extras(game).advise) is None:
        return None
    stream = Stream(f"arena1/advised/{hello.seed}")

    def think(request: Request, view: View, read_at: float) -> Reply:
        return Reply(request.id, advise(game.imagine(view, stream), view.seat, request.legal), "by advice")

    return think


@contextlib.contextmanager
def interrupted_at(deadline: float) -> Iterator[None]:
    """Raise Overrun within the block at this time (`time.perf_counter`). Nothing else may use SIGALRM."""
    signal.setitimer(signal.ITIMER_REAL, max(1e-6, deadline - time.perf_counter()))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _over(number: int, frame: object) -> NoReturn:
    raise Overrun


def failure(error: BaseException) -> str:
    """An error and the innermost calls that it came through, in one line. Reads no source, to save time."""
    calls = [
        f"{frame.f_globals.get('__name__')}:{line} in {frame.f_code.co_name}"
        for frame, line in traceback.walk_tb(error.__traceback__)
    ]
    text = " ".join(f"{type(error).__name__}: {error}".split())
    return f"{text} ({', '.join(reversed(calls[-FRAMES:]))})"
