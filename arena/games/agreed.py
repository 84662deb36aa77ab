"""Checks the seats, deals and options that a Python program asks for, and fills in the game's defaults."""

from collections.abc import Mapping
from typing import Any, SupportsIndex, TypeAlias

import msgspec

from arena.games.game import Game, Options

SomeOptions: TypeAlias = Options | Mapping[str, Any]
"""A game's options, or their values by name."""


def agreed(game: Game, seats: int, deals: int | None, options: SomeOptions | None) -> tuple[int, Options]:
    """The number of deals and the options. Raises ValueError if the game cannot be played so."""
    if not isinstance(seats, SupportsIndex) or seats not in game.seats:
        raise ValueError(f"{game.id} is played by {game.seats[0]} to {game.seats[-1]} seats, not {seats!r}")
    known = _options(game, options)
    if deals is None:
        return game.deals(seats, known), known
    if not isinstance(deals, int) or isinstance(deals, bool) or deals < 1:
        raise ValueError(f"deals={deals!r}: expected a whole number, at least 1, or None for the game's own")
    return deals, known


def _options(game: Game, options: SomeOptions | None) -> Options:
    if options is None:
        return game.options()
    if isinstance(options, game.options):
        return options
    try:
        if isinstance(options, Mapping):
            return msgspec.convert(dict(options), game.options)
        reason = f"expected a dictionary or {game.options.__name__}"
    except msgspec.ValidationError as error:
        known = ", ".join(game.options.__struct_fields__)
        reason = f"{error}; {game.id} has {f'the options {known}' if known else 'no options'}"
    raise ValueError(f"options={options!r}: {reason}")
