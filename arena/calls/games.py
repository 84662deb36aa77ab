"""The games that can be played, and the facts about each: `arena games`."""

import re
from typing import Any, Final

import msgspec

from arena import registry
from arena.games import GAMES
from arena.games.game import Game
from arena.games.schema import wire_schema
from arena.registry.package import GamePackage
from arena.system.errors import UserError
from arena.system.shipped import shipped
from arena.system.text import visible

RULES_LENGTH: Final = 256 * 1024


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


class GameDescribed(GameFacts, frozen=True):
    """With the `deck` by the number of seats."""

    deck: dict[int, tuple[str, ...]]


class GameListed(msgspec.Struct, frozen=True):
    """A game by what an installed package says of itself. `obstacle`: why it cannot be played, so far as that
    is known without loading it."""

    game: str
    package: str
    about: str
    obstacle: str | None


def own_games() -> tuple[GameFacts, ...]:
    """The arena's own games."""
    return tuple(GameFacts(**_facts(game)) for game in GAMES.values())


def listed_games() -> tuple[GameListed, ...]:
    """The games that installed packages bring; none is loaded."""
    return tuple(GameListed(one.id, one.package, one.about, one.obstacle) for one in registry.from_packages())


def described(id: str) -> GameDescribed:
    """The facts about a game. Raises UserError."""
    game = registry.game(id)
    return GameDescribed(**_facts(game), deck={seats: tuple(game.deck(seats)) for seats in game.seats})


def rules_of(id: str) -> str:
    """The section of SPEC.md about one of the arena's own games, or the text that a package brings, made
    harmless. Raises UserError if it brings none."""
    if id in GAMES:
        sections = re.split(r"^#{2,3} ", shipped("SPEC.md").read_text("utf-8"), flags=re.MULTILINE)
        begins = f"\n\n`{id}`"
        return next(f"# {section}" for section in sections if begins in section[:100])
    if text := registry.extras(registry.game(id)).rules:
        return visible(text.encode(), RULES_LENGTH) + "\n"
    raise UserError(f"{id}: its package, {registry.package_of(id)}, brings no text of its rules")


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
