"""Turns words of the command line into values: BOT=VALUE, and the options of a game."""

from collections.abc import Sequence
from typing import Final

import msgspec

from arena.games.game import Game, Options
from arena.system.errors import UserError, did_you_mean

_SWITCH: Final = ("true", "false")


def of_bots(words: Sequence[str], flag: str, question: str) -> dict[str, str]:
    """The words BOT=VALUE of an option as values by bot. Raises UserError, which asks `question`."""
    found = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals:
            raise UserError(f"{flag} {word}: {question} {flag} {name}={flag[2:].upper()}")
        found[name] = value
    return found


def variant_of(game: Game, pairs: Sequence[str]) -> Options:
    """The options of `game` from texts KEY=VALUE. Raises UserError with the key and the allowed values."""
    known = {field.name for field in msgspec.structs.fields(game.options)}
    values: dict[str, str] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if key not in known:
            allowed = did_you_mean(key, sorted(known)) if known else "; it has none"
            raise UserError(f"--option {pair}: {game.id} has no such option{allowed}")
        switch = isinstance(getattr(game.options(), key), bool)
        if not equals:
            raise UserError(
                f"--option {key}: {key} needs a value: --option {key}={'true' if switch else 100}"
            )
        if switch and value.lower() not in (*_SWITCH, "1", "0"):
            raise UserError(f"--option {pair}: {key} is {' or '.join(_SWITCH)}, not {value!r}")
        values[key] = value
    try:
        return msgspec.convert(values, game.options, strict=False)
    except msgspec.ValidationError as error:
        raise UserError(f"--option of {game.id}: {error}") from None
