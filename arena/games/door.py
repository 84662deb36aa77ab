"""What a game from a package must be, as can be seen without playing. The laws judge what it does
(`arena check --game`).

The limits are those of the wire and of all screens that show a match; each refusal names its limit.
"""

import inspect
import re
import typing
from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from arena.games.api import API
from arena.games.events import Event
from arena.games.extras import Extras
from arena.games.game import MOST_SEATS, Game, Options, View
from protocol.cards import HIGHEST_VALUE

CARD: Final = re.compile("[A-Z](0|[1-9][0-9]?)")
WORD: Final = re.compile("[A-Za-z0-9]{1,32}")
KINDS: Final = {
    "id": str,
    "title": str,
    "counts": str,
    "rules": int,
    "seats": range,
    "independent_deals": bool,
    "decisions": tuple,
    "words": tuple,
}
"""The fields of a game that are plain values, with their types."""
PROPERTIES: Final[Mapping[type, tuple[str, ...]]] = {
    Options: ("open_ended",),
    View: ("finished_tricks", "open_trick", "deal_points"),
    Event: ("audience", "continues", "revealed_hands"),
}
"""Subclasses may override these, but only by properties."""
METHODS: Final = ("suits", "deck", "ranked", "deals", "largest_lead", "start", "imagine")


def obstacle(game: Any, id: str) -> str | None:
    """Why this object cannot be played as the game `id`; None if it can. May raise what its methods raise."""
    return next(_obstacles(game, id), None)


def _obstacles(game: Any, id: str) -> Iterator[str]:
    if isinstance(game, type):
        yield f"the entry point names the class {game.__name__}; make it name an instance"
    if (api := getattr(game, "api", None)) != API:
        yield (
            "it does not say which `api` it was written for; version 1 has `api = 1`"
            if api is None
            else f"it was written for version {api} of arena.games.api; this arena has version {API}"
        )
    for name, kind in KINDS.items():
        value = getattr(game, name, None)
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            yield f"its `{name}` is {value!r} but should be of type {kind.__name__}"
    for name in METHODS:
        if not callable(getattr(game, name, None)):
            yield f"it has no method `{name}`"
    yield from _in_values(game, id)
    yield from _in_types(game)
    for seats in game.seats:
        yield from _in_deck(game, seats)


def _in_values(game: Game, id: str) -> Iterator[str]:
    if game.id != id:
        yield f"it calls itself {game.id!r}, but its package lists it as {id!r}"
    if not game.title.strip() or not game.title.isprintable():
        yield "its `title` cannot be shown"
    if not 1 <= game.rules <= 1_000_000:
        yield f"its `rules` is {game.rules}; versions of rules count from 1"
    if not game.seats or game.seats.step != 1 or game.seats[0] < 2 or game.seats[-1] > MOST_SEATS:
        yield f"its `seats` are {game.seats}; a match has 2 to {MOST_SEATS}"
    for kind in ("decisions", "words"):
        for word in getattr(game, kind):
            if not isinstance(word, str) or not WORD.fullmatch(word):
                yield f"`{kind}` contains {word!r}; a word has 1 to 32 letters and digits"
            if kind == "words" and CARD.fullmatch(word):
                yield f"`words` contains {word!r}, which is spelled like a card"
    if not game.decisions:
        yield "its `decisions` are empty"


def _in_types(game: Game) -> Iterator[str]:
    for name, base in (("options", Options), ("views", View)):
        if not _is_kind_of(getattr(game, name, None), base):
            yield f"its `{name}` is not a subclass of {base.__name__}"
    events = typing.get_args(getattr(game, "events", None)) or (getattr(game, "events", None),)
    for event in events:
        if not _is_kind_of(event, Event):
            yield f"its `events` contain {event!r}, which is not a subclass of Event"
    for kind, names in PROPERTIES.items():
        for type_ in (game.options, game.views, *events):
            for name in names:
                if _is_kind_of(type_, kind) and not isinstance(inspect.getattr_static(type_, name), property):
                    yield f"`{name}` of {type_.__name__} is not a property; write @property above it"
    try:
        game.options()
    except TypeError as error:
        yield f"an option has no default ({error})"
    try:
        msgspec.json.Decoder(game.events)
    except TypeError as error:
        yield f"its `events` cannot be distinguished ({error})"
    if not isinstance(getattr(game, "extras", Extras()), Extras):
        yield "its `extras` are not of type Extras"


def _is_kind_of(value: Any, base: type) -> bool:
    return isinstance(value, type) and issubclass(value, base)


def _in_deck(game: Game, seats: int) -> Iterator[str]:
    suits, deck = game.suits(seats), game.deck(seats)
    for letter in suits:
        if not re.fullmatch("[A-Z]", letter):
            yield f"the suit {letter!r}: a suit is one capital letter"
    for name in suits.values():
        if not re.fullmatch("[a-z]{1,16}", name):
            yield f"the suit's name {name!r}: a name is 1 to 16 lowercase letters"
    for card in deck:
        if not isinstance(card, str) or not CARD.fullmatch(card):
            yield f"the card {card!r}: a card is its suit's letter and a value from 0 to {HIGHEST_VALUE}"
        if card[0] not in suits:
            yield f"the card {card}: no suit has the letter {card[0]}"
    if len(set(deck)) < len(deck):
        double = next(card for card in deck if deck.count(card) > 1)
        yield f"{double} is in the deck twice at {seats} seats; give the second one a different letter"
    place = {letter: number for number, letter in enumerate(suits)}
    if list(deck) != sorted(deck, key=lambda card: (place[card[0]], int(card[1:]))):
        yield (
            f"the deck at {seats} seats is not in order: it must be sorted by suit, in the order of "
            "`suits`, then by value"
        )
    if game.deals(seats) < 1:
        yield f"a match at {seats} seats has {game.deals(seats)} deals"
