"""Turns a view into a row of numbers, for every game alike, by the types of the view's fields.

    a number, a truth value      itself
    one of several words         its number, from 1; 0 for none
    a number by seat             one number for each seat
    a card                       a row of the deck: 1 at the card
    cards                        a row of the deck: at each card its position among them, from 1
    cards by seat                a row of the deck: at each card 1 + the seat
    tricks, plays …              a row of the deck with the number of the card's trick or play; then a row of
                                 the deck for each of its fields: 1 + the field's number at all its cards, or
                                 each card's position in the field, from 1

A row of the deck has a place for each card in deck order, with 0 at all other cards. Seats have the same
numbers as in the view. Knows no rules; what a seat may not know is not in its view.
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
"""Writes a field's value into its part of the row, which holds only 0 before."""

Places: TypeAlias = npt.NDArray[np.int_]
Written: TypeAlias = tuple[Places, Places, Numbers]

NUMBER: Final = np.int32
REMEMBERED: Final = 4096
"""How many tricks and plays are cached, since they stand in one view after the other."""


class Block(NamedTuple):
    """A field of the view: its part of the row, and how it is written there."""

    at: slice
    write: Write


class Observation:
    """The rows of one game at one number of seats. `size` is the length of a row."""

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
        """The part of the row that each field of the view takes."""
        return {name: block.at for name, block in self._blocks.items()}

    def of(self, view: View) -> Numbers:
        """The row of a view."""
        row = np.zeros(self.size, NUMBER)
        for name, (at, write) in self._blocks.items():
            write(getattr(view, name), row[at])
        return row

    def _written(self, kind: Any) -> tuple[int, Write]:
        """How many numbers a field of type `kind` takes, and how they are written. Raises TypeError for a
        type that no row above describes."""
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
        """A trick or play: the places of its cards in the deck; where the numbers of its fields go; and those
        numbers."""
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
