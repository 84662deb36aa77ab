"""Compares the code of a game that played a match with the code that is installed."""

from collections.abc import Callable

from arena.games import registry
from arena.log.settings import MatchSettings


def difference_of_code(settings: MatchSettings) -> str | None:
    """A sentence if other code of the game is installed now; None if it is the same."""
    sentence = registry.changed(settings.game_package, registry.package_of(settings.game))
    return sentence and f"{settings.game}: {sentence}"


def say_of_code(settings: MatchSettings, say: Callable[[str], None]) -> None:
    """Pass the sentence of `difference_of_code`, if any, to `say`."""
    if sentence := difference_of_code(settings):
        say(sentence)
