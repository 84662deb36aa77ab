"""The games that can be played, and the facts about each: `arena games`."""

from typing import Any

import msgspec

from arena.games import GAMES, registry
from arena.games.game import Game
from arena.games.package import GamePackage
from arena.games.schema import wire_schema
from arena.system.errors import UserError


class GameFacts(msgspec.Struct, frozen=True):
    """`game` is the id, `rules` the version of its rules. `seats` are the numbers of seats with which it can
    be played, `deals` those of a match by them. `options` are the defaults. `package` is what brings the
    game, None for the arena's own."""

    game: str
    title: str
    rules: int
    seats: tuple[int, ...]
    deals: dict[int, int]
    decisions: tuple[str, ...]
    options: dict[str, Any]
    package: GamePackage | None


class GameWithDeck(GameFacts, frozen=True):
    """With the `deck` by the number of seats."""

    deck: dict[int, tuple[str, ...]]


class ListedGame(msgspec.Struct, frozen=True):
    """A game by what an installed package says of itself. `obstacle`: why it cannot be played, so far as that
    is known without loading it."""

    game: str
    package: str
    about: str
    obstacle: str | None


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
