"""Trick-taking in step: hands, tricks and leaders. All deals of a batch are at the same card of the same
trick. Knows no rule by which a trick is taken or counted.
"""

import abc
from collections.abc import Sequence
from typing import Any, Final, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from arena.games.game import Game
from arena.games.imagining import Barred
from arena.games.instep.batch import GONE, Batch, Indexes, Mask, Match, Owners, alike, dealt, held
from arena.games.instep.hidden import imagined_owners
from arena.games.observation import Numbers
from arena.games.tricks import Trick, hand_sizes
from protocol.cards import Card

PLACES: Final = 8
"""More than a trick has places."""


class FinishedTricks(NamedTuple):
    """One trick of every deal."""

    cards: Indexes
    """By place in the trick and deal."""
    leader: Indexes
    to: tuple[Indexes, ...]
    """The seats that won something, in the order of the fields of the game's own finished trick."""


class TrickBatch(Batch):
    """Deals in which tricks are played, perhaps after another decision."""

    def __init__(self, match: Match, owner: Owners, leader: npt.ArrayLike) -> None:
        """`leader`: the seat that leads the current trick in each deal, or the first one."""
        super().__init__(match, owner)
        self._leader: Indexes = np.broadcast_to(leader, self.size).astype(np.intp)
        self._first_leader = self._leader
        self._trick: Indexes = np.zeros((self.seats, self.size), np.intp)
        self._laid = 0
        self._left = int(np.count_nonzero(self._owner[:1] != GONE))
        self._finished: list[FinishedTricks] = []
        self._observed = 0
        self.turn = self._leader

    @property
    def leader(self) -> Indexes:
        """The seat that leads the open trick in each deal."""
        return self._leader

    @property
    def hand(self) -> Indexes:
        """The cards of the seat in turn in each deal, in deck order. All hands have equally many."""
        return np.flatnonzero(self.hands()).reshape(self.size, -1) % self._cards

    @property
    def trick(self) -> Indexes:
        """The cards of the open trick, by place and deal."""
        return self._trick[: self._laid]

    @classmethod
    def _first(cls, match: Match, size: int, rng: np.random.Generator) -> Self:
        """S-1, D-1: the first leader is chosen by lot; with T-3 it is the dealer's left neighbour."""
        owner = dealt(len(match.game.deck(match.seats)), match.seats, size, rng)
        return cls(match, owner, rng.integers(match.seats, size=size))

    @classmethod
    def imagined(cls, game: Game, view: Any, size: int, rng: np.random.Generator) -> Owners:
        open_trick = Trick(view.leader, view.trick)
        sizes = hand_sizes(open_trick, view.seat, len(view.hand), view.seats)
        seen = [*cls._revealed(view), *(trick.cards for trick in (*view.tricks, open_trick))]
        barred = cls._barred(game, view)
        return imagined_owners(view.seat, view.hand, sizes, game.deck(view.seats), seen, barred, size, rng)

    @classmethod
    def with_owners(cls, game: Game, view: Any, owner: Owners) -> Self:
        batch = cls(Match.of_view(game, view, len(owner)), owner, view.leader)
        batch._resume([view])
        return batch

    @classmethod
    def of(cls, game: Game, states: Sequence[Any]) -> Self:
        match = alike(
            game, states, lambda state: (sum(map(len, state.hands)), next(iter(state.pending.values())))
        )
        views = [state.view(0) for state in states]
        batch = cls(match, held(game, states), [view.leader for view in views])
        batch._resume(views)
        return batch

    def following(self, rng: np.random.Generator) -> Self:
        self._require_next()
        match = self.match._replace(deal_no=self.match.deal_no + 1, totals=self.match.totals + self.points)
        owner = dealt(self._cards, self.seats, self.size, rng)
        return type(self)(match, owner, (self._first_leader + 1) % self.seats)

    @property
    def over(self) -> bool:
        return self._left == 0

    def step(self, actions: npt.ArrayLike) -> None:
        actions = self._as_actions(actions)
        if self.over:
            return
        fits = actions.view(np.uintp) < self._cards
        if fits.all():
            cells = self._of_action + actions
            fits = self._may_play(actions, self._owners.take(cells) == self.turn)
            if fits.all():
                self._go(actions, cells)
                return
        self._refuse(actions, fits)

    @classmethod
    def _barred(cls, game: Game, view: Any) -> Barred:
        """The cards that seats cannot hold, by what the view shows."""
        return {}

    @classmethod
    def _revealed(cls, view: Any) -> Sequence[Sequence[Card]]:
        """The cards that all have seen, except those in tricks."""
        return ()

    def _may_play(self, actions: Indexes, held: Mask) -> Mask:
        """Whether the action is legal in each deal; `held`: whether the seat in turn has the card."""
        return held

    @abc.abstractmethod
    def _finish(self, cards: Indexes, leader: Indexes) -> FinishedTricks:
        """Count a trick. The last of `to` leads next; the same leader if that is GONE."""

    def _resume(self, views: Sequence[Any]) -> None:
        """Set all but the hands to what these views show, or one view of all deals."""
        first = views[0]
        for number in range(len(first.tricks)):
            tricks = [view.tricks[number] for view in views]
            leader = np.empty(self.size, np.intp)
            leader[:] = [trick.leader for trick in tricks]
            self._finished.append(self._finish(self._numbers([trick.cards for trick in tricks]), leader))
        if self._finished:
            self._first_leader = self._finished[0].leader
        self._laid = len(first.trick)
        if self._laid:
            self._trick[: self._laid] = self._numbers([view.trick for view in views])
        self.turn = (self._leader + self._laid) % self.seats if self._left else self._nobody()

    def _numbers(self, cards: Sequence[Sequence[Card]]) -> Indexes:
        """Cards by deal and place as numbers by place and deal."""
        place = {card: i for i, card in enumerate(self.actions)}
        numbers = np.array([[place[card] for card in row] for row in cards], np.intp).T
        return np.broadcast_to(numbers, (len(numbers), self.size)).copy()

    def _go(self, actions: Indexes, cells: Indexes) -> None:
        """Play legal actions of the seats in turn; `cells`: where their cards are in `_owners`."""
        self._owners[cells] = GONE
        self._trick[self._laid] = actions
        self._laid += 1
        self._left -= 1
        if self._laid < self.seats:
            turn = self.turn + 1
            turn[turn == self.seats] = 0
            self.turn = turn
            return
        finished = self._finish(self._trick, self._leader)
        self._finished.append(finished)
        leads = finished.to[-1]
        self._leader = np.where(leads < 0, finished.leader, leads)
        self._trick = np.zeros_like(self._trick)  # The finished one is kept.
        self._laid = 0
        self.turn = self._leader if self._left else self._nobody()

    def _nobody(self) -> Indexes:
        return np.full(self.size, GONE, np.intp)

    def _catch_up(self, public: Numbers) -> None:
        self._write("leader", self._leader)
        for number in range(self._observed, len(self._finished)):
            cards, leader, to = self._finished[number]
            for place, card in enumerate(cards):
                self._put("trick", 0, card, 0)
                self._put("tricks", 0, card, number + 1)
                self._put("tricks", 1, card, leader + 1)
                self._put("tricks", 2, card, place + 1)
                for block, seats in enumerate(to, 3):
                    self._put("tricks", block, card, seats + 1)
        self._observed = len(self._finished)
        for place in range(self._laid):
            self._put("trick", 0, self._trick[place], place + 1)
