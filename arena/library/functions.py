"""The caller's end of seats that are functions of the caller's program.

A function gets the view and the legal actions, as in `arena.selfplay`, and returns one of these. An object
with a method `__call__` may keep state, and have methods for the other messages to a bot: `begin(hello)`,
`observe(event)` and `end(end)`. A class is instantiated for each match."""

import os
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any, Final, TypeVar

import msgspec

from arena.entrants.entrant import Function
from arena.entrants.find import checked_name
from arena.entrants.names import name_of
from arena.games import registry
from arena.games.game import Action, Game, View
from arena.playing.arguments import declared
from arena.playing.spellings import BOT, BOTS, Bot, Bots, Word
from arena.system.errors import UserError
from protocol.codec import encode
from protocol.messages import End, Hello, Ready, Reply, Request

C = TypeVar("C", bound=msgspec.Struct)

_decoder: Final[msgspec.json.Decoder[Any]] = msgspec.json.Decoder(tuple[int, int, Hello | Request | End])


class PolicyInMatch:
    """A function in one match."""

    def __init__(self, policy: Any, hello: Hello) -> None:
        self._policy = policy() if isinstance(policy, type) else policy
        self._game: Game = registry.game(hello.game)
        self._events = msgspec.json.Decoder(self._game.events)
        self._observes = hasattr(self._policy, "observe")
        if hasattr(self._policy, "begin"):
            self._policy.begin(hello)

    def decide(self, request: Request) -> Action:
        """The action that the function chooses. Raises ValueError if it is not legal."""
        self._observe(request.events)
        view: View = msgspec.convert(request.view, self._game.views)
        action: Action = self._policy(view, request.legal)
        if action in request.legal:
            # An equal value may be of another class, such as a numpy string.
            return request.legal[request.legal.index(action)]
        legal = ", ".join(request.legal)
        raise ValueError(f"seat {view.seat}: {action!r} is not legal; the legal actions are {legal}")

    def end(self, end: End) -> None:
        """Pass on the last events and the result."""
        self._observe(end.events)
        if hasattr(self._policy, "end"):
            self._policy.end(end)

    def _observe(self, events: Sequence[msgspec.Raw]) -> None:
        if self._observes:
            for event in events:
                self._policy.observe(self._events.decode(event))


class FunctionSeats:
    """The functions of one call. They are called one at a time, in the thread that calls the arena."""

    def __init__(self) -> None:
        self._policies: list[Any] = []
        self._playing: dict[int, PolicyInMatch] = {}
        """By the number of the function. The next match replaces one that was aborted."""

    def __bool__(self) -> bool:
        return bool(self._policies)

    def plain(self, call: C) -> C:
        """The call in a form that can be sent to another process. Raises UserError."""
        changes: dict[str, Any] = {}
        for argument in declared(type(call)):
            name, spelling = argument.name, argument.spelling
            value = getattr(call, name)
            if spelling is BOT:
                changes[name] = self.word(value)
            elif spelling is BOTS:
                changes[name] = self.words(value)
            elif spelling is not None and (value is not None or argument.default is not None):
                changes[name] = spelling.plain(name, value)
        return msgspec.structs.replace(call, **changes)

    def words(self, seats: Bots) -> tuple[Word, ...]:
        """The form of several seats in a plain call. Raises UserError."""
        if isinstance(seats, str | os.PathLike | Set | Mapping) or not isinstance(seats, Iterable):
            raise UserError(f"{seats!r}: expected a list of bots, such as ['bots/careful.py', 'heuristic']")
        return tuple(map(self.word, seats))

    def word(self, seat: Bot) -> Word:
        """The form of a seat in a plain call. Raises UserError if it is neither a bot nor a function."""
        if isinstance(seat, str | os.PathLike):
            return os.fspath(seat)
        name, policy = seat if isinstance(seat, tuple) and len(seat) == 2 else (_called(seat), seat)
        if isinstance(policy, str | os.PathLike):
            return f"{name}={os.fspath(policy)}"
        if not callable(policy) or not isinstance(name, str):
            raise UserError(
                f"{policy!r}: a seat must be a bot (named as on the command line) or a function that takes "
                "a view"
            )
        self._policies.append(policy)
        name = checked_name(
            name_of(name), f"the function {name}", "give it a different name: ('NAME', function)"
        )
        return Function(name, len(self._policies) - 1)

    def answer(self, line: bytes) -> bytes:
        """Pass a line of the referee to its function; the line of the answer, which is empty at the end of
        the match. Raises whatever the function raises."""
        key, number, message = _decoder.decode(line)
        reply: Ready | Reply
        match message:
            case Hello():
                self._playing[number] = PolicyInMatch(self._policies[number], message)
                reply = Ready("function", language="Python")
            case Request():
                reply = Reply(message.id, self._playing[number].decide(message))
            case End():
                self._playing.pop(number).end(message)
                return b"[%d,]\n" % key
        return b"[%d,%b]\n" % (key, encode(reply)[:-1])


def _called(policy: Any) -> str:
    """The name of a function or a class, or that of the object's class."""
    name = getattr(policy, "__name__", None) or type(policy).__name__
    return "function" if name == "<lambda>" else str(name)
