"""Hearts in step: the rules a second time, as numpy arrays, many deals at once. The numbers H-… are the
rulings of rules.md.
"""

from collections.abc import Sequence
from typing import Any, Final, Self

import numpy as np
import numpy.typing as npt

from arena.games.api import Trick, all_barred, barred_by_following, clockwise, hand_sizes, held_by
from arena.games.instep.batch import Deck, Indexes, Mask, Match, Owners, Points, alike, dealt, held
from arena.games.instep.hidden import imagined_owners
from arena.games.instep.tricks import FinishedTricks, TrickBatch
from arena_hearts.rules import (
    DECK,
    DIRECTIONS,
    MOON,
    OPENING,
    PASSED,
    SEATS,
    STEPS,
    Hearts,
    HeartsOptions,
    HeartsState,
    HeartsView,
    barred_by_hearts,
    breaks,
    direction,
    penalty,
)

PLACE: Final = {card: at for at, card in enumerate(DECK)}
PENALTIES: Final = np.array([penalty(card) for card in DECK])
SUITS, VALUES = Deck.of(Hearts(), SEATS)
HEARTS: Final = np.array([card[0] == "H" for card in DECK])
HIGHEST: Final = max(VALUES) + 1


class HeartsBatch(TrickBatch):
    """Each deal begins with three cards that every seat passes, a card of each seat in turn and in secret,
    unless this is a deal in which none are passed; then the two of clubs lies there (H-3)."""

    def __init__(self, match: Match, owner: Owners, leader: npt.ArrayLike) -> None:
        super().__init__(match, owner, leader)
        options = match.options
        assert isinstance(options, HeartsOptions)
        self._bloody = options.bloody
        self._breaks = np.array([breaks(card, options.queen_breaks) for card in DECK])
        self._steps = STEPS[direction(match.deal_no)]
        self._passed: Indexes = np.zeros((PASSED, SEATS, self.size), np.intp)
        self._passes = 0
        """How many cards have been chosen in each deal."""
        self._broken: Mask = np.zeros(self.size, np.bool_)
        self._penalty: Points = np.zeros((self.size, SEATS), np.int64)

    @classmethod
    def _begun(cls, match: Match, owner: Owners) -> Self:
        """The beginning of deals with these hands."""
        batch = cls(match, owner, 0)
        if not batch._steps:
            batch._open()
        return batch

    @classmethod
    def _first(cls, match: Match, size: int, rng: np.random.Generator) -> Self:
        return cls._begun(match, dealt(len(DECK), SEATS, size, rng))

    def following(self, rng: np.random.Generator) -> Self:
        self._require_next()
        match = self.match._replace(deal_no=self.match.deal_no + 1, totals=self.match.totals + self.points)
        return self._begun(match, dealt(len(DECK), SEATS, self.size, rng))

    @classmethod
    def of(cls, game: Any, states: Sequence[Any]) -> Self:
        def point(state: HeartsState) -> tuple[int, ...]:
            return sum(map(len, state.hands)), len(state.passed[0]), len(state.pending)

        match = alike(game, states, point)
        batch = cls(match, held(game, states), [state.trick.leader for state in states])
        passed = [[[PLACE[card] for card in cards] for cards in state.passed] for state in states]
        batch._put_passed(np.array(passed, np.intp).T)
        batch._show([state.view(0) for state in states])
        return batch

    @classmethod
    def imagine(cls, game: Any, view: Any, size: int, rng: np.random.Generator, *, copies: int = 1) -> Self:
        match = Match.of_view(game, view, size * copies)
        begun = (*view.tricks, Trick(view.leader, view.trick))
        choosing, steps = not (view.tricks or view.trick), STEPS[view.direction]
        barred = all_barred(
            barred_by_following(begun, DECK, SEATS),
            barred_by_hearts(begun, HeartsOptions(view.queen_breaks, view.bloody)),
            held_by(clockwise(view.seat, steps, SEATS), view.passed, SEATS) if steps and not choosing else {},
        )
        sizes = hand_sizes(begun[-1], view.seat, len(view.hand), SEATS)
        seen = [trick.cards for trick in begun]
        owner = imagined_owners(view.seat, view.hand, sizes, DECK, seen, barred, size, rng)
        passed = _imagined_passes(view, begun, owner, rng)
        batch = cls(match, np.repeat(owner, copies, axis=0), view.leader)
        batch._put_passed(np.repeat(passed, copies, axis=2))
        batch._show([view])
        return batch

    @property
    def points(self) -> Points:
        """H-7, H-8."""
        moon = (self._penalty == MOON).any(axis=1)
        points: Points = np.where(moon[:, None], MOON - self._penalty, self._penalty)
        return points

    @property
    def gains(self) -> Points:
        return -self.points

    def legal(self) -> Mask:
        hand = self.hands()
        if self.over:
            return hand
        if self._passing:
            for cards in self._passed[: self._passes // SEATS]:
                hand[self._row, cards[self.turn[0]]] = False
            return hand
        if self._laid:
            led = SUITS[self._trick[0]]
            hand = _preferring(hand, led[:, None] == SUITS)
            # H-5.
            return hand if self._finished or self._bloody else _preferring(hand, PENALTIES == 0)
        # H-6.
        return np.where(self._broken[:, None], hand, _preferring(hand, ~HEARTS))

    @property
    def _passing(self) -> bool:
        return self._steps > 0 and self._passes < PASSED * SEATS

    def _may_play(self, actions: Indexes, held: Mask) -> Mask:
        return held & self.legal()[self._row, actions]

    def _go(self, actions: Indexes, at: Indexes) -> None:
        if not self._passing:
            self._broken |= self._breaks[actions]
            super()._go(actions, at)
            return
        number, seat = divmod(self._passes, SEATS)
        self._passed[number, seat] = actions
        self._passes += 1
        self.turn = (self.turn + 1) % SEATS
        if not self._passing:  # H-2: all have chosen, and the cards change hands.
            for giver in range(SEATS):
                for cards in self._passed[:, giver]:
                    self._owners[self._of_action + cards] = clockwise(giver, self._steps, SEATS)
            self._open()

    def _open(self) -> None:
        """H-3."""
        self._passed.sort(axis=0)
        self._leader = self.turn = self._owner[:, PLACE[OPENING]].astype(np.intp)
        opening = np.full(self.size, PLACE[OPENING], np.intp)
        self._passes = PASSED * SEATS
        self._go(opening, self._of_action + opening)

    def _finish(self, cards: Indexes, leader: Indexes) -> FinishedTricks:
        """H-4."""
        strength = VALUES[cards] + HIGHEST * (SUITS[cards] == SUITS[cards[0]])
        taker = (leader + strength.argmax(axis=0)) % SEATS
        self._penalty[self._row, taker] += PENALTIES[cards].sum(axis=0)
        return FinishedTricks(cards, leader, (taker,))

    def _put_passed(self, passed: Indexes) -> None:
        """These cards are passed, by their number, giver and deal: those that all have chosen so far."""
        self._passed[: len(passed)] = passed
        self._passes = passed.shape[0] * SEATS

    def _show(self, views: Sequence[HeartsView]) -> None:
        """Go on from what these views show."""
        self._broken[:] = [view.broken for view in views]
        if views[0].tricks or views[0].trick:
            self._passes = PASSED * SEATS
            self._resume(views)

    def _catch_up(self, public: npt.NDArray[np.int32]) -> None:
        assert isinstance(self.match.options, HeartsOptions)
        self._write("queen_breaks", self.match.options.queen_breaks)
        self._write("bloody", self.match.options.bloody)
        self._write("direction", 1 + DIRECTIONS.index(direction(self.match.deal_no)))
        self._write("broken", self._broken)
        self._write("penalty", self._penalty)
        super()._catch_up(public)
        if self._passing:
            self._write("leader", 0)

    def observe(self) -> npt.NDArray[np.int32]:
        observed = super().observe()
        if self.over or not self._steps:
            return observed
        chosen = self._passes // SEATS
        giver = (self.turn - self._steps) % SEATS
        for name, seat in (("passed", self.turn), ("received", giver))[: 1 if self._passing else 2]:
            cards = np.sort(self._passed[:chosen, seat, self._row], axis=0)
            for place, card in enumerate(cards, 1):
                observed[self._row, self._at[name].start + card] = place
        return observed


def _preferring(cards: Mask, wanted: Mask) -> Mask:
    """By deal, the cards that are wanted, or all if none is."""
    preferred: Mask = cards & wanted
    return np.where(preferred.any(axis=1)[:, None], preferred, cards)


def _imagined_passes(
    view: HeartsView, begun: Sequence[Trick], owner: Owners, rng: np.random.Generator
) -> Indexes:
    """By number, giver and deal, cards that each seat can have passed, as the plain rules imagine them."""
    steps, choosing = STEPS[view.direction], not (view.tricks or view.trick)
    passed = np.zeros((len(view.passed), SEATS, len(owner)), np.intp)
    had = owner.copy()
    for trick in begun:
        for at, card in enumerate(trick.cards):
            had[:, PLACE[card]] = clockwise(trick.leader, at, SEATS)
    for giver in range(SEATS):
        receiver = clockwise(giver, steps, SEATS)
        known = view.passed if giver == view.seat else view.received if receiver == view.seat else ()
        if known and (giver == view.seat or not choosing):
            passed[:, giver] = np.array([PLACE[card] for card in known])[:, None]
        elif len(passed):
            mine = had == (giver if choosing else receiver)
            order = np.argsort(np.where(mine, rng.random(had.shape), 2.0), axis=1)
            passed[:, giver] = np.sort(order[:, : len(passed)], axis=1).T
    return passed
