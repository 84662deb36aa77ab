"""The transcripts of SPEC.md: made by the code, and replayed from their text alone."""

import re
from typing import Any

import msgspec
import pytest

from arena.games import GAMES
from arena.games.game import Game
from protocol import streams
from tests.spec import transcripts
from tests.spec.text import HEADINGS, blocks, every_game, section
from tests.spec.transcripts import Shown

every_transcript = pytest.mark.parametrize(
    "told", blocks("transcript"), ids=[s.game for s in transcripts.SHOWN]
)


def test_the_transcripts_are_what_the_code_makes() -> None:
    assert blocks("transcript") == transcripts.blocks(), "run tests/spec/transcripts.py, which writes them"


@every_transcript
def test_a_transcript_replays_from_its_text(told: str) -> None:
    """Read as SPEC.md explains it: the first line, then choices and what came of them. Nothing of the script
    that made it is used."""
    first, *lines = told.splitlines()
    match = msgspec.json.decode(first, type=Shown)
    game = GAMES[match.game]
    assert len(match.options) == 0
    state, due = game.start(match.seats, game.options(), match.deals, streams.DealSource(match.key))
    key = streams.match_key(match.key, 1)
    substitutes = [streams.substitute_stream(key, seat) for seat in range(match.seats)]
    for line in lines:
        *chosen, event = line.split(" ")
        while chosen:
            assert not due, "an event is missing"
            actions = {int(one.split(":")[0]): one.split(":")[1] for one in chosen[: len(state.pending)]}
            chosen = chosen[len(state.pending) :]
            for seat in state.pending:
                assert actions[seat] == substitutes[seat].choice(state.legal(seat))
            state, due = state.apply(actions)
            due = [one for one in due if not says_no_more(one, actions)]
        happened, *due = due
        assert msgspec.json.decode(event, type=game.events) == happened
    assert not due
    assert not state.pending


def says_no_more(event: Any, actions: dict[int, str]) -> bool:
    """Whether an event is a plain `played` of one of these actions."""
    told = msgspec.to_builtins(event)
    return any(told == {"event": "played", "seat": seat, "card": card} for seat, card in actions.items())


@every_game
def test_examples_of_events_and_views_come_from_the_deal_that_is_shown(game: Game) -> None:
    encode_again = msgspec.json.Encoder().encode
    whole = section("### Sticheln") + "".join(blocks("dialogue"))
    if game.id != "sticheln":
        (match,) = [match for match in transcripts.SHOWN if match.game == game.id]
        states = [turn.after for turn in transcripts.turns(match)]
        views = [encode_again(state.view(seat)).decode() for state in states for seat in range(match.seats)]
        whole = transcripts.transcript(match) + "\n".join(views)
    text = section(HEADINGS[game.id])
    examples = "".join(re.findall(r"^```json\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)).splitlines()
    assert len(examples) >= 2
    for line in examples:
        known: Any = game.events if "event" in msgspec.json.decode(line) else game.views
        assert encode_again(msgspec.json.decode(line, type=known)).decode() == line
        assert line in whole
