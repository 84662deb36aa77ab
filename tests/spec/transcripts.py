"""The transcripts of SPEC.md: one short match of each game, from its pod key alone, since the substitutes
play all seats. Run as a script it writes them into SPEC.md.

    {"game":…}                      the first line: everything needed to repeat the match
    0:G4 1:G9 2:R2 {"event":…}      what the seats chose, one after another, and the event that came of it
    {"event":"scored",…}            one more event of the same step

An event `played` that says no more than `2:R2` is left out.

Knows no process and no clock.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from arena.games import GAMES
from arena.games.events import Event
from arena.games.game import State
from protocol.streams import DealSource, match_key, pod_key, substitute_stream

SPEC: Final = Path(__file__).parents[2] / "SPEC.md"
BLOCK: Final = re.compile(r"^```transcript\n(.*?)^```$", re.MULTILINE | re.DOTALL)

_encode: Final = msgspec.json.Encoder().encode


class Shown(msgspec.Struct, frozen=True):
    """A match of SPEC.md: `key` is the pod key, that of `arena match --seed` with a seed chosen because much
    happens in it."""

    game: str
    options: dict[str, Any]
    seats: int
    deals: int
    key: str


SHOWN: Final = (
    Shown("sticheln", {}, 3, 1, pod_key("585", 0, 0)),
    Shown("sticheln-1993", {}, 3, 1, pod_key("630", 0, 0)),
    Shown("david-and-goliath", {}, 3, 1, pod_key("104", 0, 0)),
    Shown("ole", {}, 3, 2, pod_key("596", 0, 0)),
)


class Turn(NamedTuple):
    """`actions` led from `before` to `after`; the first turn of a match has neither."""

    before: State | None
    actions: Mapping[int, str]
    events: tuple[Event, ...]
    after: State


def turns(shown: Shown) -> Iterator[Turn]:
    """The match from first deal to last, its seats played by substitutes."""
    game = GAMES[shown.game]
    options = msgspec.convert(shown.options, game.options)
    substitutes = [substitute_stream(match_key(shown.key, 1), seat) for seat in range(shown.seats)]
    step = game.start(shown.seats, options, shown.deals, DealSource(shown.key))
    yield Turn(None, {}, step.events, step.state)
    while step.state.pending:
        before = step.state
        actions = {seat: substitutes[seat].choice(before.legal(seat)) for seat in before.pending}
        step = before.apply(actions)
        yield Turn(before, actions, step.events, step.state)


def transcript(shown: Shown) -> str:
    lines, chosen = [_encode(shown).decode()], list[str]()
    for turn in turns(shown):
        chosen += [f"{seat}:{action}" for seat, action in turn.actions.items()]
        plays = [plain_play(seat, action) for seat, action in turn.actions.items()]
        for event in (_encode(event).decode() for event in turn.events):
            if event not in plays:
                lines.append(" ".join([*chosen, event]))
                chosen = []
    return "".join(line + "\n" for line in lines)


def plain_play(seat: int, action: str) -> str:
    """The event that says no more than `seat:action`."""
    return f'{{"event":"played","seat":{seat},"card":"{action}"}}'


def blocks() -> list[str]:
    return [transcript(shown) for shown in SHOWN]


if __name__ == "__main__":
    pieces = iter(blocks())
    text = BLOCK.sub(lambda _: f"```transcript\n{next(pieces)}```", SPEC.read_text("utf-8"))
    SPEC.write_text(text, "utf-8")
