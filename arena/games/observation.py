"""Turns a view into a row of numbers, in the same way for every game, by the types of the view's fields.

    a number, a truth value      itself; if it may be missing, a 1 before it says that it is there
    one of several words         its number, from 1; 0 for none
    numbers, words …             one after the other: one for each seat; as many as the type has, in
                                 `tuple[int, int]`; or their count first, if the type has a `max_length`
    a card                       a row of the deck: 1 at the card
    cards                        a row of the deck: at each card its position among them, from 1
    cards in several lists       a row of the deck: at each card the number of its list, from 1; then one with
                                 its position there, unless the lists are Hands, which are in deck order
    tricks, plays …              a row of the deck with the number of the card's trick or play; then a row of
                                 the deck for each of its fields: 1 + the field's number at all its cards, or
                                 each card's position in the field, from 1; or with a `max_length` as numbers,
                                 field by field, which need no cards

`max_length` is that of msgspec: `Annotated[tuple[Bid, ...], msgspec.Meta(max_length=20)]`. A row of the deck
has a number for each card, in deck order, and 0 at all other cards. Seats have the same numbers as in the
view. Knows no rules; what a seat may not know is not in its view.
"""

import functools
import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Annotated, Any, Final, Literal, NamedTuple, TypeAlias

import msgspec
import numpy as np
import numpy.typing as npt

from arena.games.game import Game, View
from arena.games.named import named, of_name
from protocol.cards import IN_DECK_ORDER, Card

Numbers: TypeAlias = npt.NDArray[np.int32]
Write: TypeAlias = Callable[[Any, Numbers], None]
"""Writes a field's value into its part of the row, until then all 0. Raises ValueError if it does not fit."""

Places: TypeAlias = npt.NDArray[np.int_]
Written: TypeAlias = tuple[Places, Places, Numbers]

NUMBER: Final = np.int32
REMEMBERED: Final = 4096
"""This many tricks and plays are cached, since they are in one view after the other."""


class Form(NamedTuple):
    """How values of a type are written as `size` numbers."""

    size: int
    write: Write


class Block(NamedTuple):
    """A field of the view: its part of the row, and how it is written there."""

    part: slice
    write: Write


class Observation:
    """The rows of one game with one number of seats. `size` is the length of a row. Raises TypeError for a
    view with a field that no line above describes."""

    def __init__(self, game: Game, seats: int) -> None:
        self._game = game
        self._deck: Mapping[Card, int] = {card: i for i, card in enumerate(game.deck(seats))}
        self._seats = seats
        self._blocks: dict[str, Block] = {}
        self.size = 0
        for name, kind in typing.get_type_hints(game.views, include_extras=True).items():
            try:
                length, write = self._form(kind)
            except TypeError as error:
                raise TypeError(f"`{name}`: {error}") from None
            self._blocks[name] = Block(slice(self.size, self.size + length), write)
            self.size += length

    def __reduce__(self) -> tuple[Any, ...]:
        return _made, (named(self._game), self._seats)

    @property
    def layout(self) -> Mapping[str, slice]:
        """The part of the row that each field of the view takes."""
        return {name: block.part for name, block in self._blocks.items()}

    def of(self, view: View) -> Numbers:
        """The row of a view. Raises ValueError, OverflowError and KeyError for a view of another game."""
        row = np.zeros(self.size, NUMBER)
        for name, (part, write) in self._blocks.items():
            write(getattr(view, name), row[part])
        return row

    def _form(self, kind: Any) -> Form:
        """Raises TypeError for a type that no line above describes."""
        kind, metas = _unwrapped(kind)
        kind, optional = _present(kind)
        inner, more = _unwrapped(kind)
        metas += more
        most = next((meta.max_length for meta in metas if meta.max_length is not None), None)
        if inner in (int, bool):
            return _optional(Form(1, _number)) if optional else Form(1, _number)
        if inner is str:
            return Form(len(self._deck), lambda card, row: self._cards([card] if card else [], row))
        if typing.get_origin(inner) is Literal:
            words = typing.get_args(inner)
            return Form(1, lambda word, row: row.fill(0 if word is None else 1 + words.index(word)))
        form = (
            self._struct(inner) if _is_struct(inner) else self._several(inner, most, IN_DECK_ORDER in metas)
        )
        return _optional(form) if optional else form

    def _several(self, kind: Any, most: int | None, in_deck_order: bool) -> Form:
        if typing.get_origin(kind) is not tuple:
            raise TypeError(f"no way to write {kind} as numbers")
        each, *others = typing.get_args(kind)
        if others != [...]:
            return _in_a_row([self._form(item) for item in (each, *others)])
        deck = len(self._deck)
        plain = _unwrapped(each)[0]
        if plain is str:
            return Form(deck, self._cards)
        if plain == tuple[str, ...]:
            return Form(deck, self._hands) if in_deck_order else Form(2 * deck, self._lists)
        if most is not None:
            return _counted(self._form(each), most)
        if _is_struct(plain):
            return self._structs_with_cards(plain)
        form = self._form(each)
        if form.size > 1:
            raise TypeError(f"{kind} needs a `max_length`, so that it is known how much room it takes")
        return _by_seat(form.write, self._seats)

    def _struct(self, kind: type[msgspec.Struct]) -> Form:
        hints = typing.get_type_hints(kind, include_extras=True)
        parts = [self._form(hints[name]) for name in kind.__struct_fields__]
        whole = _in_a_row(parts)
        return Form(
            whole.size,
            lambda struct, row: whole.write([getattr(struct, name) for name in kind.__struct_fields__], row),
        )

    def _structs_with_cards(self, kind: type[msgspec.Struct]) -> Form:
        """Raises TypeError for a struct without cards, since nothing of it would be written."""
        hints = typing.get_type_hints(kind)
        fields = [_field(hints[name]) for name in kind.__struct_fields__]
        if None in fields or "cards" not in fields:
            raise TypeError(
                f"{kind.__name__} does not consist of cards, numbers and words, with at least one card; "
                "give it a `max_length`"
            )
        words = [_words(hints[name]) for name in kind.__struct_fields__]
        known = functools.lru_cache(REMEMBERED)(functools.partial(self._one_struct, words))

        def write(structs: Sequence[msgspec.Struct], row: Numbers) -> None:
            for number, struct in enumerate(structs, 1):
                places, cells, values = known(struct)
                row[places] = number
                row[cells] = values

        return Form(len(self._deck) * (1 + len(fields)), write)

    def _cards(self, cards: Iterable[Card], row: Numbers) -> None:
        for place, card in enumerate(cards, 1):
            row[self._deck[card]] = place

    def _hands(self, hands: Iterable[Iterable[Card]], row: Numbers) -> None:
        for seat, hand in enumerate(hands):
            for card in hand:
                row[self._deck[card]] = 1 + seat

    def _lists(self, lists: Sequence[Sequence[Card]], row: Numbers) -> None:
        deck = len(self._deck)
        self._hands(lists, row[:deck])
        for cards in lists:
            self._cards(cards, row[deck:])

    def _one_struct(self, words: Sequence[tuple[str, ...]], struct: msgspec.Struct) -> Written:
        """A trick or play: the places of its cards in the deck; where its fields' numbers go; and those
        numbers. `words`: for each field, the words of its Literal."""
        deck, fields = self._deck, [getattr(struct, field) for field in struct.__struct_fields__]
        places = [deck[card] for field in fields for card in _several(field) if card in deck]
        written: dict[int, int] = {}
        for row, (field, known) in enumerate(zip(fields, words, strict=True), 1):
            if known and field is not None:
                field = known.index(field)
            if isinstance(field, int):
                written |= {row * len(deck) + place: 1 + field for place in places}
            elif field is not None:
                cards = (card for card in _several(field) if card in deck)
                written |= {row * len(deck) + deck[card]: place for place, card in enumerate(cards, 1)}
        return np.array(places, int), np.array(list(written), int), np.array(list(written.values()), NUMBER)


def _made(game: Game | str, seats: int) -> Observation:
    return Observation(of_name(game), seats)


def _unwrapped(kind: Any) -> tuple[Any, tuple[msgspec.Meta, ...]]:
    """A type without its annotations, and these."""
    if typing.get_origin(kind) is not Annotated:
        return kind, ()
    inner, *notes = typing.get_args(kind)
    return inner, tuple(note for note in notes if isinstance(note, msgspec.Meta))


def _present(kind: Any) -> tuple[Any, bool]:
    """A type without None, and whether None was part of it. Raises TypeError for any other union."""
    if not isinstance(kind, types.UnionType) and typing.get_origin(kind) is not typing.Union:
        return kind, False
    possible = [option for option in typing.get_args(kind) if option is not types.NoneType]
    if len(possible) != 1:
        raise TypeError(f"no way to write {kind} as numbers")
    return possible[0], True


def _is_struct(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)


def _field(kind: Any) -> str | None:
    """What a field of a struct with cards is; None if it cannot be written."""
    kind, _ = _present(kind)
    if kind in (str, tuple[str, ...]):
        return "cards"
    return "number" if kind in (int, bool) or typing.get_origin(kind) is Literal else None


def _words(kind: Any) -> tuple[str, ...]:
    kind, _ = _present(kind)
    return typing.get_args(kind) if typing.get_origin(kind) is Literal else ()


def _number(value: int, row: Numbers) -> None:
    row[0] = value


def _optional(form: Form) -> Form:
    def write(value: Any, row: Numbers) -> None:
        if value is not None:
            row[0] = 1
            form.write(value, row[1:])

    return Form(1 + form.size, write)


def _in_a_row(forms: Sequence[Form]) -> Form:
    """Values of different forms, one after the other."""
    ends = np.cumsum([form.size for form in forms], dtype=int).tolist()

    def write(values: Sequence[Any], row: Numbers) -> None:
        for value, form, end in zip(values, forms, ends, strict=True):
            form.write(value, row[end - form.size : end])

    return Form(ends[-1], write)


def _counted(form: Form, most: int) -> Form:
    """At most `most` values of one form, after their number."""

    def write(values: Sequence[Any], row: Numbers) -> None:
        if len(values) > most:
            raise ValueError(f"{len(values)} values, but its `max_length` is {most}")
        row[0] = len(values)
        for i, value in enumerate(values):
            form.write(value, row[1 + i * form.size : 1 + (i + 1) * form.size])

    return Form(1 + most * form.size, write)


def _by_seat(write_one: Write, seats: int) -> Form:
    def write(values: Sequence[Any], row: Numbers) -> None:
        if len(values) > seats:
            raise ValueError(f"{len(values)} values for {seats} seats; give it a `max_length`")
        if write_one is _number:
            row[: len(values)] = values
            return
        for i, value in enumerate(values):
            write_one(value, row[i : i + 1])

    return Form(seats, write)


def _several(value: Any) -> Iterable[Any]:
    return value if isinstance(value, tuple) else (value,)
