"""The lines of SPEC.md that a bot can be fed: chosen ones of real matches, in which what is rare happens. Run
as a script it writes them into SPEC.md.

The substitutes play all seats. Of each match one seat reads `hello`, the requests that are chosen, and `end`;
requests are numbered as if no others had been, also from one match to the next.

Knows no process and no clock: no time is drawn from the bank.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec
from msgspec import Raw

from arena.games import GAMES
from arena.games.events import Event
from arena.log.hello import hello
from protocol.codec import encode, raw
from protocol.messages import End, Limits, Request
from protocol.outcome import totals
from protocol.streams import DealSource, match_key, pod_key, substitute_stream

SPEC: Final = Path(__file__).parents[2] / "SPEC.md"
BLOCK: Final = re.compile(r"^```line\n(.*?)\n```$", re.MULTILINE)

Chosen = Callable[[Request], bool]


class Match(NamedTuple):
    """A match of which `seat` reads the first request to which each of `chosen` applies, in this order. With
    this seed they come early."""

    game: str
    options: Mapping[str, Any]
    seats: int
    deals: int
    seed: str
    seat: int
    chosen: tuple[Chosen, ...]


MATCHES: Final = (
    Match(
        "sticheln",
        {},
        3,
        2,
        "802",
        2,
        (
            lambda request: request.decision == "pain",
            lambda request: any(trick.taker is None for trick in request.view.tricks),
            lambda request: request.view.deal_no == 2,
        ),
    ),
    Match(
        "sticheln-1993",
        {"target": 20},
        4,
        40,
        "986",
        0,
        (lambda request: request.view.deal_no == 2, lambda request: len(request.view.trick) == 2),
    ),
    Match(
        "david-and-goliath",
        {},
        3,
        1,
        "1211",
        2,
        (
            lambda request: not request.view.trick,
            lambda request: len(request.legal) < len(request.view.hand),
        ),
    ),
    Match(
        "ole",
        {},
        3,
        2,
        "951",
        2,
        (
            lambda request: request.view.phase == "opening",
            lambda request: request.view.phase == "turn" and request.legal[1:][-1:] == ("chip",),
            lambda request: request.view.phase == "series" and request.legal == ("chip",),
            lambda request: request.decision == "top",
        ),
    ),
    Match(
        "ole",
        {"forced_play": True},
        3,
        1,
        "584",
        1,
        (lambda request: request.view.phase == "turn" and "chip" not in request.legal,),
    ),
)


def lines() -> list[str]:
    """All lines, in the order in which a process reads them."""
    asked, found = 0, []
    for match in MATCHES:
        for message in _read(match, asked):
            asked += isinstance(message, Request)
            found.append(encode(message).decode("ascii").removesuffix("\n"))
    return found


def _read(match: Match, asked: int) -> Iterator[Any]:
    """What the seat of a match reads, of which `asked` requests came before."""
    game, seat, limits = GAMES[match.game], match.seat, Limits()
    pod = pod_key(match.seed, 0, 0)
    key = match_key(pod, 1)
    options = msgspec.convert(match.options, game.options)
    yield hello(
        game,
        msgspec.to_builtins(options),
        seats=match.seats,
        seat=seat,
        deals=match.deals,
        limits=limits,
        match_key=key,
        entrant=f"seat-{seat}",
    )
    substitutes = [substitute_stream(key, seat) for seat in range(match.seats)]
    chosen, unread = list(match.chosen), list[Event]()
    state, happened = game.start(match.seats, options, match.deals, DealSource(pod))
    unread += happened
    while state.pending:
        if seat in state.pending:
            events, unread = _may_know(unread, seat), []
            ms = limits.decision_ms + limits.bank_ms
            request = Request(asked + 1, state.pending[seat], state.legal(seat), events, state.view(seat), ms)
            if chosen and chosen[0](request):
                asked += 1
                chosen.pop(0)
                yield request
        actions = {seat: substitutes[seat].choice(state.legal(seat)) for seat in state.pending}
        state, happened = state.apply(actions)
        unread += happened
    assert not chosen, f"{match.game} {match.seed}: request {asked + 1} does not come"
    outcome = state.tally()
    yield End(_may_know(unread, seat), totals(outcome.points, match.seats), outcome.placings, "finished")


def _may_know(events: list[Event], seat: int) -> list[Raw]:
    return [raw(event) for event in events if event.audience in (None, seat)]


if __name__ == "__main__":
    pieces = iter(lines())
    SPEC.write_text(BLOCK.sub(lambda _: f"```line\n{next(pieces)}\n```", SPEC.read_text("utf-8")), "utf-8")
