"""Whether what was played long ago was played with the game's code that is installed here."""

from collections.abc import Callable

from arena.games import registry
from arena.log.settings import MatchSettings


def difference_of_code(settings: MatchSettings) -> str | None:
    """A sentence where the game was played with other code than is installed here; None where it was not."""
    sentence = registry.changed(settings.game_package, registry.package_of(settings.game))
    return sentence and f"{settings.game}: {sentence}"


def say_of_code(settings: MatchSettings, say: Callable[[str], None]) -> None:
    """Says that sentence, if there is one."""
    if sentence := difference_of_code(settings):
        say(sentence)
