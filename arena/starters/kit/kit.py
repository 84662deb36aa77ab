"""The Python kit: turns the lines of the arena's protocol into one call for each decision. Copy this file
beside your bot (`arena new python DIR --kit` does that) and write

    from kit import Card, Request, play

    def choose(request: Request) -> Card | str:
        return max(request.cards, key=lambda card: card.value)

    play(choose, name="mybot")

It needs only Python 3.11 and its standard library. SPEC.md explains the fields, and the view of each game.
"""

import json
import re
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, TextIO

_CARD = re.compile(r"([A-Z])(\d+)")


class Card(NamedTuple):
    """`G11` is Card("G", 11), and str() of it is `G11` again."""

    suit: str
    value: int

    def __str__(self) -> str:
        return f"{self.suit}{self.value}"


def card(text: str) -> Card | None:
    """The card that a text names; None for words such as `chip`."""
    match = _CARD.fullmatch(text)
    return Card(match[1], int(match[2])) if match else None


def cards(texts: list[str]) -> tuple[Card, ...]:
    """The cards among `texts`, in their order."""
    return tuple(found for found in map(card, texts) if found is not None)


@dataclass(frozen=True)
class Hello:
    """The match that begins. `seed` is for your own randomness: random.Random(hello.seed). `data` is the
    whole message."""

    game: str
    options: dict[str, Any]
    seats: int
    seat: int
    deals: int
    deck: tuple[Card, ...]
    seed: int
    data: dict[str, Any]


@dataclass(frozen=True)
class Request:
    """A decision that you have to make. `legal`: all legal actions as texts; `cards`: those that are cards;
    `hand`: your cards; `trick`: the cards on the table (empty in a game without tricks). `deadline`: when the
    referee must have read the answer, in seconds as counted by time.monotonic()."""

    hello: Hello
    decision: str
    legal: tuple[str, ...]
    cards: tuple[Card, ...]
    hand: tuple[Card, ...]
    trick: tuple[Card, ...]
    view: dict[str, Any]
    events: list[dict[str, Any]]
    deadline: float


@dataclass(frozen=True)
class End:
    """The end of a match: the last events, and points and placings by seat."""

    hello: Hello
    points: list[int]
    placings: list[int]
    events: list[dict[str, Any]]


Action = Card | str
Choice = Action | tuple[Action, str]
"""An action, or an action with a note that says why: up to 200 characters, shown in replays."""


def play(
    choose: Callable[[Request], Choice],
    *,
    name: str,
    begin: Callable[[Hello], None] | None = None,
    finish: Callable[[End], None] | None = None,
) -> None:
    """Play until the end of input. Calls `begin` when a match begins, `choose` for each decision, and
    `finish` when a match is over. What they print goes to standard error, where it does no harm."""
    output, sys.stdout = sys.stdout, sys.stderr
    try:
        _converse(choose, name, begin, finish, output)
    finally:
        sys.stdout = output


def _converse(
    choose: Callable[[Request], Choice],
    name: str,
    begin: Callable[[Hello], None] | None,
    finish: Callable[[End], None] | None,
    output: TextIO,
) -> None:
    hello: Hello | None = None
    for line in sys.stdin:
        now = time.monotonic()
        message = json.loads(line)
        if message["type"] == "hello":
            hello = _hello(message)
            if begin:
                begin(hello)
            _say(output, type="ready", name=name, language="Python")
        elif message["type"] == "request" and hello:
            choice = choose(_request(hello, message, now))
            if isinstance(choice, str | Card):
                _say(output, type="reply", id=message["id"], action=str(choice))
            else:
                action, note = choice
                _say(output, type="reply", id=message["id"], action=str(action), note=note)
        elif message["type"] == "end" and hello and finish:
            finish(End(hello, message["points"], message["placings"], message["events"]))


def _say(output: TextIO, **message: object) -> None:
    print(json.dumps(message), file=output, flush=True)


def _hello(message: dict[str, Any]) -> Hello:
    return Hello(
        game=message["game"],
        options=message["options"],
        seats=message["seats"],
        seat=message["seat"],
        deals=message["deals"],
        deck=cards(message["deck"]),
        seed=message["seed"],
        data=message,
    )


def _request(hello: Hello, message: dict[str, Any], now: float) -> Request:
    view = message["view"]
    return Request(
        hello=hello,
        decision=message["decision"],
        legal=tuple(message["legal"]),
        cards=cards(message["legal"]),
        hand=cards(view["hand"]),
        trick=cards(view.get("trick", [])),
        view=view,
        events=message["events"],
        deadline=now + message["ms"] / 1000,
    )
