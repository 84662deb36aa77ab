"""`arena docs schema`, held against SPEC.md and logged matches with a validator that is not ours."""

import json
from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest
from jsonschema import Draft202012Validator

from arena.games import GAMES
from arena.games.game import Game
from arena.log.transcript import transcript
from protocol.codec import encode
from protocol.messages import Reply
from tests.cli.calls import arena
from tests.spec.dialogue import dialogue
from tests.spec.text import HEADINGS, blocks, every_game, section, transcript_of
from tests.support.logs import chance_log

LINES: Final = [json.loads(line[3:]) for line in dialogue()]
"""Of the example dialogue, both directions."""
FIRST: Final = {line["type"]: line for line in reversed(LINES)}
"""The first line of each type."""

Validators = Callable[[str], Draft202012Validator]


@pytest.fixture(scope="module")
def valid_as() -> Validators:
    """From the name of a definition to its validator."""
    schema = json.loads(arena("docs", "schema").out)
    Draft202012Validator.check_schema(schema)
    assert schema["anyOf"] == [{"$ref": f"#/$defs/{game}"} for game in GAMES]
    return lambda name: Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": schema["$defs"]})


def test_every_message_is_described(valid_as: Validators) -> None:
    assert set(FIRST) == {"hello", "request", "end", "ready", "reply"}
    for kind, message in FIRST.items():
        title = kind.capitalize()
        described = valid_as(title).schema["$defs"][title]
        assert described["description"]
        assert list(described["properties"])[: len(message)] == list(message)


def test_the_example_dialogue_is_valid(valid_as: Validators) -> None:
    for line in LINES:
        valid_as("sticheln").validate(line)
        valid_as("FromBot" if line["type"] in ("ready", "reply") else "FromReferee").validate(line)


@every_game
def test_the_examples_and_the_transcript_of_a_game_are_valid(game: Game, valid_as: Validators) -> None:
    event, view = valid_as(f"{game.id}.event"), valid_as(game.views.__name__)
    text = section(HEADINGS[game.id])
    examples = [block for block in blocks("json") if block in text]
    found = [
        json.loads(line[line.index("{") :])
        for block in (*examples, transcript_of(game.id))
        for line in block.splitlines()
        if "{" in line
    ]
    assert len(found) >= 2
    for example in found:
        if "event" in example:
            event.validate(example)
        elif "hand" in example:
            view.validate(example)


def wire(game: Game, seats: int) -> Iterator[Any]:
    """Every line of a match that is played by chance: to each seat, and from it."""
    log = chance_log(game.id, seats, 1, text="why", faulty=1)
    for seat in range(seats):
        for sent in transcript(log, seat):
            yield json.loads(sent.line)
            if sent.action:
                yield json.loads(encode(Reply(sent.request_id, sent.action, "why")))


@every_game
def test_every_line_of_a_logged_match_is_valid(game: Game, valid_as: Validators) -> None:
    of_game, others = valid_as(game.id), [valid_as(other) for other in GAMES if other != game.id]
    for line in wire(game, game.seats[0]):
        of_game.validate(line)
        if line["type"] == "hello":
            assert not any(other.is_valid(line) for other in others)
    for line in wire(game, game.seats[-1]):
        if line["type"] == "hello" or len(line.get("events", ())) > game.seats[-1]:
            of_game.validate(line)


@pytest.mark.parametrize("message", FIRST.values(), ids=FIRST)
def test_fields_may_be_added_and_not_left_out(message: dict[str, Any], valid_as: Validators) -> None:
    """As SPEC.md promises under Compatibility, a version to come may add fields."""
    valid_as("sticheln").validate({**message, "new": 1})
    for field in message:
        assert not valid_as("sticheln").is_valid({key: message[key] for key in message if key != field}), (
            field
        )


BROKEN: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "the id as text": ("reply", {"id": "1"}),
    "an id that is too large": ("reply", {"id": 2**31}),
    "an action that is no card of the game": ("reply", {"action": "R99"}),
    "a note that is null": ("reply", {"note": None}),
    "a number as a name": ("ready", {"name": 7}),
    "another protocol": ("ready", {"protocol": 2}),
    "another game": ("hello", {"game": "skat"}),
    "an option that the game does not have": ("hello", {"options": {"target": 5}}),
    "too many seats": ("hello", {"seats": 9}),
    "nothing legal": ("request", {"legal": []}),
    "a decision of another game": ("request", {"decision": "top"}),
    "an event of another game": (
        "request",
        {"events": [{"event": "chipped", "seat": 0, "chips_in_a_row": 1}]},
    ),
    "no view": ("request", {"view": {}}),
    "points as text": ("end", {"points": ["1", "2", "3"]}),
    "no message": ("end", {"type": "finished"}),
}


@pytest.mark.parametrize(("kind", "change"), BROKEN.values(), ids=BROKEN)
def test_a_broken_line_is_not_valid(kind: str, change: dict[str, Any], valid_as: Validators) -> None:
    assert not valid_as("sticheln").is_valid({**FIRST[kind], **change})
