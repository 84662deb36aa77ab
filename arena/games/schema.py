"""The wire as a JSON Schema: every message, with the views, events and actions of every game. It is derived
from the types by which lines are written and read. SPEC.md says what the fields mean.
"""

from collections.abc import Iterable
from typing import Any, Final, TypeAlias

import msgspec

from arena.games.game import Game
from protocol.messages import PROTOCOL, FromBot, FromReferee

Schema: TypeAlias = dict[str, Any]

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
DIRECTIONS: Final = {"FromReferee": FromReferee, "FromBot": FromBot}


def wire_schema(games: Iterable[Game]) -> Schema:
    """The schema of any line in a match of one of `games`. In its `$defs`, a game's id is the schema of its
    lines, `ID.action` and `ID.event` are those of its actions and events, and messages, views and single
    events have their titles."""
    games = tuple(games)
    types = [*DIRECTIONS.values(), *(of for game in games for of in (game.views, game.events, game.options))]
    schemas, definitions = msgspec.json.schema_components(types, ref_template="#/$defs/{name}")
    for definition in definitions.values():
        definition["description"] = " ".join(definition.get("description", "").split())
    for schema in schemas:
        schema.pop("discriminator", None)  # A word of OpenAPI, which strict validators of JSON Schema refuse.
    in_order = iter(schemas)
    definitions |= dict(zip(DIRECTIONS, in_order, strict=False))
    for game in games:
        view, event, options = next(in_order), next(in_order), next(in_order)
        definitions |= _of_game(game, view=view, event=event, options=options)
    return {
        "$schema": DIALECT,
        "title": f"A line of the arena's wire, protocol {PROTOCOL}",
        "anyOf": [_reference(game.id) for game in games],
        "$defs": definitions,
    }


def _of_game(game: Game, view: Schema, event: Schema, options: Schema) -> dict[str, Schema]:
    cards = dict.fromkeys(card for seats in reversed(game.seats) for card in game.deck(seats))
    action, events = _reference(f"{game.id}.action"), {"items": _reference(f"{game.id}.event")}
    hello: Schema = {
        "protocol": {"const": PROTOCOL},
        "game": {"const": game.id},
        "options": options,
        "seats": {"minimum": game.seats[0], "maximum": game.seats[-1]},
        "deck": {"items": {"enum": list(cards)}},
    }
    request: Schema = {
        "decision": {"enum": list(game.decisions)},
        "legal": {"items": action, "minItems": 1},
        "events": events,
        "view": view,
    }
    lines = [
        _narrowed("Hello", hello),
        _narrowed("Request", request),
        _narrowed("End", {"events": events}),
        _narrowed("Ready", {"protocol": {"const": PROTOCOL}}),
        _narrowed("Reply", {"action": action}),
    ]
    return {
        game.id: {"title": game.title, "description": "A line in a match of this game.", "anyOf": lines},
        f"{game.id}.action": {"enum": [*cards, *game.words]},
        f"{game.id}.event": event,
    }


def _narrowed(message: str, properties: Schema) -> Schema:
    """The schema of a message in one game: that of any game, with some properties narrowed."""
    return _reference(message) | {"properties": properties}


def _reference(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}
