"""The decisions of a logged match in which a seat had a choice, each with what it saw. Knows no playouts."""

from collections.abc import Iterator
from typing import Final

from arena.games.game import View
from arena.log.entries import Acted
from arena.log.retrace import Log, retrace
from arena.players.review.judged import PlayedChoice
from protocol.cards import Seat

LAST_CARDS: Final = 3
"""With at most this many cards in hand, a seat plays the last tricks."""


class Choice(PlayedChoice, frozen=True):
    """A choice, and what the seat saw."""

    view: View


def choices(log: Log, seat: Seat) -> Iterator[Choice]:
    """The choices of a seat in order, without a substitute's. Raises Mismatch if the log does not verify."""
    at = 0
    for turn in retrace(log):
        state = turn.before
        for entry in turn.entries:
            if not isinstance(entry, Acted) or entry.seat != seat or state is None:
                continue
            legal = state.legal(seat)
            if len(legal) > 1 and not entry.by_substitute:
                view = state.view(seat)
                yield Choice(
                    match=log.opened.match_id,
                    bot=log.opened.entrants[seat].name,
                    seat=seat,
                    deal=state.deal_no,
                    trick=0 if view.finished_tricks is None else view.finished_tricks + 1,
                    request=entry.id,
                    at=at,
                    kind=kind_of(state.pending[seat], view),
                    view=view,
                    legal=tuple(legal),
                    played=entry.action,
                )
            at += 1


def kind_of(decision: str, view: View) -> str:
    """The kind of a decision. If a card is played to a trick: whether the seat leads, follows, or plays one
    of the last tricks; else what the game calls it."""
    if decision != "play" or view.finished_tricks is None:
        return decision
    if len(view.hand) <= LAST_CARDS:
        return "last tricks"
    return "follow" if view.open_trick else "lead"
