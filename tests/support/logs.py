"""Match logs without a process: chance plays, by the rules and from a key, and the log says so."""

from collections.abc import Sequence
from typing import Any

import msgspec

from arena.games import GAMES
from arena.games.game import Options
from arena.log.entries import (
    FORMAT,
    Acted,
    AnyEntry,
    Faulted,
    Greeted,
    LoggedEntrant,
    MatchClosed,
    MatchOpened,
    happened,
)
from arena.log.retrace import Log, of_entries
from protocol.codec import raw
from protocol.faults import FaultKind
from protocol.messages import Limits
from protocol.outcome import Forfeit, with_forfeits
from protocol.streams import DealSource, Stream, match_key, substitute_stream

KEY = "key"


def chance_log(
    game_id: str,
    seats: int,
    deals: int = 2,
    *,
    names: Sequence[str] = (),
    text: str = "",
    faulty: int | None = None,
    options: dict[str, Any] | None = None,
    opened: MatchOpened | None = None,
) -> Log:
    """`text` is every bot's caption and note. The seat `faulty` forfeits with its third request. `opened`: a
    first line with a key of its own; deals and options are then those that it names."""
    game = GAMES[game_id]
    key = opened.pod_key if opened else KEY
    seating_no = opened.seating_no if opened else 1
    deals = opened.deals if opened else deals
    options = opened.options if opened else options
    entries: list[AnyEntry] = [
        opened
        or MatchOpened(
            format=FORMAT,
            arena="0",
            protocol=1,
            match_id="r01-p001-s01",
            game=game_id,
            rules=game.rules,
            options=options or {},
            deals=deals,
            pod_key=key,
            seating_no=seating_no,
            entrants=tuple(
                LoggedEntrant(names[seat] if names else f"bot-{seat}", "") for seat in range(seats)
            ),
            limits=Limits(),
            faults=1,
        )
    ]
    entries += [Greeted(seat, 1000, text, text, text, text) for seat in range(seats)]
    chance = Stream(opened.match_id if opened else "chance")
    substitutes = [substitute_stream(match_key(key, seating_no), seat) for seat in range(seats)]
    asked = [0] * seats
    forfeits: dict[int, Forfeit] = {}
    state, events = game.start(
        seats, msgspec.convert(options or {}, game.options or Options), deals, DealSource(key)
    )
    entries.append(happened(map(raw, events)))
    while state.pending:
        actions = {}
        for seat in state.pending:
            asked[seat] += seat not in forfeits
            if seat == faulty and asked[seat] == 3 and seat not in forfeits:
                forfeits[seat] = Forfeit(seat, state.deal_no, FaultKind.EXITED, answered=True)
                entries.append(
                    Faulted(
                        seat,
                        state.deal_no,
                        asked[seat],
                        FaultKind.EXITED,
                        text or "it ended",
                        True,
                        reply=text,
                        request=" ".join(state.legal(seat)),
                        stderr=text,
                    )
                )
            if seat in forfeits:
                actions[seat] = substitutes[seat].choice(state.legal(seat))
                entries.append(Acted(seat, actions[seat]))
            else:
                actions[seat] = chance.choice(state.legal(seat))
                entries.append(Acted(seat, actions[seat], asked[seat], 1500, text))
        state, events = state.apply(actions)
        entries.append(happened(map(raw, events)))
    tally = state.tally()
    placings = with_forfeits(tally.placings, forfeits)
    entries.append(MatchClosed(tally.points, tally.gains, placings, tuple(forfeits.values())))
    return of_entries(entries)
