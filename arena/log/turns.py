"""A match as turns: what the seats did in one state, and the next state. Replaying a log yields turns, from
which stories, scenes, transcripts and rows are made.

Knows the interface of games, not how a log is read or verified.
"""

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from arena.games.events import Dealt, Event
from arena.games.game import Action, State
from arena.log.entries import Acted, SeatEntry
from protocol.cards import Seat


class Turn(msgspec.Struct, frozen=True):
    """One step of a match."""

    before: State | None
    """None in the first turn."""
    entries: tuple[SeatEntry, ...]
    """What the seats did in the state `before`, in order; handshakes in the first turn."""
    events: tuple[Event, ...]
    """What followed, and led to the state `after`."""
    after: State

    @property
    def actions(self) -> Mapping[Seat, Action]:
        """The action of each seat, whether the bot or the substitute chose it."""
        return {entry.seat: entry.action for entry in self.entries if isinstance(entry, Acted)}

    @property
    def by_deal(self) -> Iterator[tuple[State, Sequence[Event]]]:
        """The events by deal, each part with the state that it led to: the end of a deal also deals the next
        one."""
        before, first = self.before, 0
        if before is not None:
            new = (at for at, event in enumerate(self.events) if _begins(event, before.deal_no + 1))
            first = next(new, 0)
            if first:
                yield _ended(before, self.actions), self.events[:first]
        if self.events[first:]:
            yield self.after, self.events[first:]


def _begins(event: Event, deal_no: int) -> bool:
    return isinstance(event, Dealt) and event.deal_no == deal_no


def _ended(state: State, actions: Mapping[Seat, Action]) -> State:
    """The state after these actions if the deal were the last of the match. In the real state the next deal
    is dealt already, and nothing of this one is visible."""
    assert isinstance(state, msgspec.Struct)
    setting = msgspec.structs.replace(state.setting, deals=state.deal_no)
    last: State = msgspec.structs.replace(state, setting=setting)
    return last.apply(actions).state
