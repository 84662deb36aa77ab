"""The games that can be played, and the facts about each: `arena games`."""

from typing import Any

import msgspec

from arena.games import GAMES, registry
from arena.games.game import Game
from arena.games.package import GamePackage
from arena.games.schema import wire_schema
from arena.system.errors import UserError


class GameFacts(msgspec.Struct, frozen=True):
    """The facts about one game."""

    game: str
    """The id."""
    title: str
    rules: int
    """The version of the rules."""
    seats: tuple[int, ...]
    """The numbers of seats with which it can be played."""
    deals: dict[int, int]
    """By number of seats: the default number of deals in a match."""
    decisions: tuple[str, ...]
    """The kinds of decisions."""
    options: dict[str, Any]
    """The defaults."""
    package: GamePackage | None
    """The package that brings the game; None for the arena's own."""


class GameWithDeck(GameFacts, frozen=True):
    """The facts about one game, with its decks."""

    deck: dict[int, tuple[str, ...]]
    """By number of seats: all cards."""


class ListedGame(msgspec.Struct, frozen=True):
    """A game as described by an installed package, which is not loaded."""

    game: str
    """The id."""
    package: str
    """Its name and version; several if they are at odds."""
    about: str
    """The package's summary."""
    obstacle: str | None
    """Why the game cannot be played, if that is known without loading it; otherwise None."""


def own_games() -> tuple[GameFacts, ...]:
    """The arena's own games."""
    return tuple(GameFacts(**_facts(game)) for game in GAMES.values())


def listed_games() -> tuple[ListedGame, ...]:
    """The games that installed packages bring; none is loaded."""
    return tuple(ListedGame(one.id, one.package, one.about, one.obstacle) for one in registry.from_packages())


def described(id: str) -> GameWithDeck:
    """The facts about a game. Raises UserError."""
    game = registry.game(id)
    return GameWithDeck(**_facts(game), deck={seats: tuple(game.deck(seats)) for seats in game.seats})


def rules_of(id: str) -> str:
    """The rules of a game as text, in Markdown. Raises UserError if its package brings none."""
    if text := registry.rules_of(id):
        return text
    raise UserError(f"{id}: its package, {registry.package_of(id)}, provides no text of its rules")


def schema_of(id: str) -> dict[str, Any]:
    """What a bot reads and writes in a game, as a JSON Schema. Raises UserError."""
    return wire_schema([registry.game(id)])


def _facts(game: Game) -> dict[str, Any]:
    return {
        "game": game.id,
        "title": game.title,
        "rules": game.rules,
        "seats": tuple(game.seats),
        "deals": {seats: game.deals(seats) for seats in game.seats},
        "decisions": game.decisions,
        "options": msgspec.to_builtins(game.options()),
        "package": registry.package_of(game.id),
    }
