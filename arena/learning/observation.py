"""A view as a row of numbers, the same way for every game: by the types of the view's fields.

    a number, yes or no          itself
    one word of several          its number from 1; 0 for none
    a number by seat             one for each seat
    a card                       a row of the deck: 1 where it is
    cards                        a row of the deck: the card's place among them from 1
    cards by seat                a row of the deck: 1 + the seat
    tricks, plays …              a row of the deck for each field: what the field says where the card is, 1
                                 added; before them one row with the number of the trick or the play

A row of the deck has a place for each card in deck order, and 0 where the card is not. Seats count as in the
view: absolutely. What a seat may not know is not in its view, so it is not here.
"""

import functools
import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple, TypeAlias

import msgspec
import numpy as np
import numpy.typing as npt

from arena.games.game import Game, View
from protocol.cards import Card

Numbers: TypeAlias = npt.NDArray[np.int32]
Write: TypeAlias = Callable[[Any, Numbers], None]
"""Puts a field's value into its part of the row, which is all 0 before."""

Places: TypeAlias = npt.NDArray[np.int_]
Written: TypeAlias = tuple[Places, Places, Numbers]

NUMBER: Final = np.int32
REMEMBERED: Final = 4096
"""Tricks and plays, which stand in view after view."""


class Block(NamedTuple):
    """A field of the view: where it stands in the row, and how it is written there."""

    at: slice
    write: Write


class Observation:
    """How the views of a game become numbers, at a number of seats."""

    def __init__(self, game: Game, seats: int) -> None:
        self._deck: Mapping[Card, int] = {card: at for at, card in enumerate(game.deck(seats))}
        self._seats = seats
        self._known = functools.lru_cache(REMEMBERED)(self._one_struct)
        self._blocks: dict[str, Block] = {}
        self.size = 0
        for name, kind in typing.get_type_hints(game.views).items():
            length, write = self._written(kind)
            self._blocks[name] = Block(slice(self.size, self.size + length), write)
            self.size += length

    @property
    def layout(self) -> Mapping[str, slice]:
        """Where each field of the view stands."""
        return {name: block.at for name, block in self._blocks.items()}

    def of(self, view: View) -> Numbers:
        row = np.zeros(self.size, NUMBER)
        for name, (at, write) in self._blocks.items():
            write(getattr(view, name), row[at])
        return row

    def _written(self, kind: Any) -> tuple[int, Write]:
        """How many numbers a field of this type is, and how they are written. Raises TypeError."""
        deck = len(self._deck)
        possible = [one for one in typing.get_args(kind) if one is not types.NoneType]
        if isinstance(kind, types.UnionType) or typing.get_origin(kind) is typing.Union:
            (kind,) = possible
            possible = list(typing.get_args(kind))
        if kind in (int, bool):
            return 1, _number
        if kind is str:
            return deck, lambda card, row: self._cards([card] if card else [], row)
        if typing.get_origin(kind) is Literal:
            return 1, lambda word, row: row.fill(0 if word is None else 1 + possible.index(word))
        if typing.get_origin(kind) is tuple:
            each = possible[0]
            if each is int:
                return self._seats, _by_seat
            if each is str:
                return deck, self._cards
            if each == tuple[str, ...]:
                return deck, self._hands
            if isinstance(each, type) and issubclass(each, msgspec.Struct):
                return deck * (1 + len(each.__struct_fields__)), self._structs
        raise TypeError(f"no way to write {kind} as numbers")

    def _cards(self, cards: Iterable[Card], row: Numbers) -> None:
        for place, card in enumerate(cards, 1):
            row[self._deck[card]] = place

    def _hands(self, hands: Iterable[Iterable[Card]], row: Numbers) -> None:
        for seat, hand in enumerate(hands):
            for card in hand:
                row[self._deck[card]] = 1 + seat

    def _structs(self, structs: Sequence[msgspec.Struct], row: Numbers) -> None:
        for number, struct in enumerate(structs, 1):
            places, at, values = self._known(struct)
            row[places] = number
            row[at] = values

    def _one_struct(self, struct: msgspec.Struct) -> Written:
        """The places of its cards; then its fields' numbers, and where they stand."""
        deck, fields = self._deck, [getattr(struct, field) for field in struct.__struct_fields__]
        places = [deck[card] for field in fields for card in _several(field) if card in deck]
        written: dict[int, int] = {}
        for row, field in enumerate(fields, 1):
            if isinstance(field, int):
                written |= {row * len(deck) + place: 1 + field for place in places}
            elif field is not None:
                cards = (card for card in _several(field) if card in deck)
                written |= {row * len(deck) + deck[card]: place for place, card in enumerate(cards, 1)}
        return np.array(places, int), np.array(list(written), int), np.array(list(written.values()), NUMBER)


def _number(value: int, row: Numbers) -> None:
    row[0] = value


def _by_seat(values: Sequence[int], row: Numbers) -> None:
    row[: len(values)] = values


def _several(value: Any) -> Iterable[Any]:
    return value if isinstance(value, tuple) else (value,)
