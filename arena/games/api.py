"""What games from other packages are written against. Everything here stays as it is while API does; other
modules of the arena may change at any time.

A game is a value with the attributes of `Game`, with `api = 1`, and with `extras` if it has more to offer. A
package lists it as an entry point of the group `arena.games`. docs/your-game.md leads from nothing to a
tournament; `arena check --game ID` says which law a game breaks.
"""

from typing import Final

from arena.games.events import Dealt, Event, Naming, Played, Scored, Taken
from arena.games.extras import Advise, Extras, Luck, Paint, Picture, trick_line
from arena.games.game import (
    OVER,
    PLAY,
    Action,
    Game,
    IllegalAction,
    Options,
    Setting,
    State,
    Step,
    View,
    check,
    clockwise,
    deal_hands,
    deal_out,
    dealt,
)
from arena.games.imagining import (
    Barred,
    all_barred,
    booked,
    held_by,
    imagined_hands,
    imagined_with_stock,
)
from arena.games.tricks import (
    TakenTrick,
    Trick,
    barred_by_following,
    following,
    hand_sizes,
    highest,
    next_to_play,
)
from protocol.cards import Card, Hands, Seat, Suit, deck, laid, ordered, suit, unseen, value, without
from protocol.outcome import Deals, Outcome, fewest_points_win, most_points_win, totals
from protocol.streams import DealSource, Stream

API: Final = 1
"""The version of this module. It is increased when a game that was written for it could stop working."""

__all__ = [
    "API",
    "OVER",
    "PLAY",
    "Action",
    "Advise",
    "Barred",
    "Card",
    "DealSource",
    "Deals",
    "Dealt",
    "Event",
    "Extras",
    "Game",
    "Hands",
    "IllegalAction",
    "Luck",
    "Naming",
    "Options",
    "Outcome",
    "Paint",
    "Picture",
    "Played",
    "Scored",
    "Seat",
    "Setting",
    "State",
    "Step",
    "Stream",
    "Suit",
    "Taken",
    "TakenTrick",
    "Trick",
    "View",
    "all_barred",
    "barred_by_following",
    "booked",
    "check",
    "clockwise",
    "deal_hands",
    "deal_out",
    "dealt",
    "deck",
    "fewest_points_win",
    "following",
    "hand_sizes",
    "held_by",
    "highest",
    "imagined_hands",
    "imagined_with_stock",
    "laid",
    "most_points_win",
    "next_to_play",
    "ordered",
    "suit",
    "totals",
    "trick_line",
    "unseen",
    "value",
    "without",
]
