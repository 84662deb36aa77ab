"""Advice for David & Goliath in step. It gives the same actions as arena/games/david_and_goliath/advice.py,
which explains them, and fills the tables here: with what is slow to compute, or must be exactly the same.

Some cards of a suit are one number, the sum of their bits: bit n − 1 is the card with the value n.
"""

import functools
from typing import NamedTuple

import numpy as np

from arena.games.david_and_goliath.advice import KEEP, SPITE, prospect_by_sums
from arena.games.david_and_goliath.batch import COUNTED, DavidAndGoliathBatch, high_and_low
from arena.games.david_and_goliath.rules import DUST, HIGHEST
from arena.games.instep.batch import Indexes, Worths


class ProspectTables(NamedTuple):
    """The first four are looked up by the bits of some cards of a suit."""

    size: Indexes
    """The number of cards."""
    mean: Indexes
    """Their mean value, rounded."""
    greatest: Indexes
    """Their greatest value."""
    row: Indexes
    """Where their prospects begin, if they are the cards to come."""
    column: Indexes
    """By a pile of a suit (see COUNTED): its place after `row`."""
    prospects: Worths
    """At a row plus a column."""
    chance: Worths
    """The probability that a card stays high or low: by the number of seats to come, the number of cards that
    they may play, and how many of these leave it so."""


@functools.cache
def _tables(seats: int) -> ProspectTables:
    highest = HIGHEST[seats]
    count, total, greatest = (np.zeros(1, np.intp) for _ in range(3))
    for value in range(1, highest + 1):  # With the bit of this value, and without.
        count, total = np.append(count, count + 1), np.append(total, total + value)
        greatest = np.append(greatest, np.full(len(greatest), value))
    coming, row = np.unique(count * COUNTED + total, return_inverse=True)
    # From DUST cards on, only the number counts. A pile may get as many more cards as a trick has.
    held, points = np.divmod(np.arange((highest + seats) * COUNTED), COUNTED)
    points = np.where(held < DUST, np.minimum(points, held * highest), 0)
    piles, column = np.unique(held * COUNTED + points, return_inverse=True)
    prospects = [
        prospect_by_sums(*divmod(pile, COUNTED), *divmod(others, COUNTED))
        for others in coming.tolist()
        for pile in piles.tolist()
    ]
    chance = np.zeros((seats, highest + 1, highest + 1))
    for to_come, may, stay in np.ndindex(chance.shape):
        chance[to_come, may, stay] = (stay / may if may else 1.0) ** to_come
    return ProspectTables(
        count,
        np.rint(total / np.maximum(1, count)).astype(np.intp),
        greatest,
        row * len(piles),
        column,
        np.array(prospects),
        chance,
    )


class Knowledge:
    """What the seats in turn know in each deal."""

    def __init__(self, batch: DavidAndGoliathBatch) -> None:
        hands, size = batch.hands_by_suit, batch.size
        self.tables = _tables(batch.seats)
        self.suits = hands.shape[2]
        self.piled = batch.deck.values + COUNTED
        """What each card adds to a pile."""
        self.row = np.arange(size)
        self.of_suit = self.row * self.suits
        """Where each deal begins in a flat array by deal and suit."""
        self._piles = batch.piles.reshape(-1, self.suits)
        self._of_seat = self.row * batch.seats
        coming = np.einsum("ijk->ik", hands)
        self.own = hands.reshape(-1, self.suits).take(self._of_seat + batch.turn, axis=0)
        """The hand of the seat in turn, by suit."""
        self.hidden = coming - self.own
        """The hands of the others together, by suit."""
        self.rows = self.tables.row.take(coming)
        self.mine = self.won_by(batch.turn)

    def won_by(self, seats: Indexes) -> Indexes:
        """The pile of a seat in each deal, by suit."""
        return self._piles.take(self._of_seat + seats, axis=0)

    def at_place(self, trick: Indexes, places: Indexes) -> Indexes:
        """The card at a place of the trick in each deal."""
        return trick.reshape(-1).take(places * len(self.row) + self.row)

    def prospect(self, piles: Indexes, rows: Indexes) -> Worths:
        """The prospects of piles of a suit, if the cards of these rows are to come."""
        prospects: Worths = self.tables.prospects.take(rows + self.tables.column.take(piles))
        return prospects

    def gain(self, piles: Indexes, won: Indexes, rows: Indexes) -> Worths:
        """What these cards add to the prospects of these piles."""
        return self.prospect(piles + won, rows) - self.prospect(piles, rows)

    def may_come(self, hidden: Indexes, to_come: int) -> Indexes:
        """The cards of a suit that the seats to come may play: any, if too few are hidden."""
        return np.where(self.tables.size.take(hidden) < to_come, len(self.tables.size) - 1, hidden)

    def chance(self, out: Indexes, stay: Indexes, to_come: int) -> Worths:
        """The probability that `to_come` seats, which play cards of `out`, play only those of `stay`."""
        chance, size = self.tables.chance[to_come], self.tables.size
        chances: Worths = chance.reshape(-1).take(size.take(out) * len(chance) + size.take(stay))
        return chances


def below(cards: Indexes, value: Indexes) -> Indexes:
    """The bits of the cards with a smaller value."""
    return cards & (1 << (value - 1)) - 1


def above(cards: Indexes, value: Indexes) -> Indexes:
    """The bits of the cards with a greater value, shifted down: only their number is looked up."""
    return cards >> value


def advise(batch: DavidAndGoliathBatch) -> Indexes:
    """The action of the seat in turn in each deal."""
    hand = batch.hand
    if hand.shape[1] == 1:
        return hand[:, 0]
    best = worths(batch, hand).argmax(axis=1)
    actions: Indexes = np.take_along_axis(hand, best[:, None], axis=1)[:, 0]
    return actions


def worths(batch: DavidAndGoliathBatch, hand: Indexes) -> Worths:
    """The worth of each card (column) in the hand of each deal (row); -inf if it does not follow suit."""
    seen, (suits, values) = Knowledge(batch), batch.deck
    worth = np.full(hand.shape, -np.inf)
    if len(batch.trick):
        led = suits.take(batch.trick[0])
        cannot = seen.own.take(seen.of_suit + led) == 0
        # Only the legal cards, which are few, in one dimension.
        legal = np.flatnonzero((suits.take(hand) == led[:, None]) | cannot[:, None])
        cards, deals = hand.take(legal), legal // hand.shape[1]
        high, low = _following(batch, seen, cards, deals)
    else:
        legal, cards, deals = np.arange(hand.size), hand.reshape(-1), np.repeat(seen.row, hand.shape[1])
        high, low = _leading(batch, seen, cards, deals)
    keep = KEEP * values / HIGHEST[batch.seats]
    worth.reshape(-1)[legal] = keep.take(cards) + high + low
    return worth


def _leading(
    batch: DavidAndGoliathBatch, seen: Knowledge, cards: Indexes, deals: Indexes
) -> tuple[Worths, Worths]:
    """What leads bring as the high card of the trick and as the low one. `cards[i]` is in deal `deals[i]`."""
    tables, (suits, values), to_come = seen.tables, batch.deck, batch.seats - 1
    out = seen.may_come(seen.hidden, to_come)
    rest = seen.gain(seen.mine, to_come * (COUNTED + tables.mean.take(out)), seen.rows)
    prize = seen.gain(seen.mine, COUNTED + tables.greatest.take(out), seen.rows)
    cells, heights = seen.of_suit.take(deals) + suits.take(cards), values.take(cards)
    out = out.take(cells)
    stays_high = seen.chance(out, below(out, heights), to_come)
    stays_low = seen.chance(out, above(out, heights), to_come)
    return stays_high * rest.take(cells), stays_low * prize.take(cells)


class OpenTrick(NamedTuple):
    """The open trick in each deal."""

    highest: Indexes
    """The value of the high card so far."""
    lowest: Indexes
    """The value of the low card so far."""
    high_pile: Indexes
    """The pile, by suit, of the seat with the high card, with the rest of the trick."""
    low_pile: Indexes
    """The pile, by suit, of the seat with the low card."""
    rest: Worths
    """What the trick brings me if I play the high card."""
    for_high: Worths
    """If I do not: what the rest of the trick brings the seat with the high card."""
    for_low: Worths
    """What the high card brings the seat with the low card …"""
    for_me: Worths
    """… or me, if I play the low one."""
    out: Indexes
    """The cards of the led suit that may come."""


def _begun(batch: DavidAndGoliathBatch, seen: Knowledge, to_come: int) -> OpenTrick:
    tables, trick, rows, (suits, values) = seen.tables, batch.trick, seen.rows, batch.deck
    high, low = high_and_low(values.take(trick))
    highest, lowest = seen.at_place(trick, high), seen.at_place(trick, low)
    high_pile = seen.won_by((batch.leader + high) % batch.seats)
    low_pile = seen.won_by((batch.leader + low) % batch.seats)
    laid = np.zeros_like(seen.mine)
    for card in trick:
        laid.reshape(-1)[seen.of_suit + suits.take(card)] += seen.piled.take(card)
    led = seen.of_suit + suits.take(trick[0])
    out = seen.may_come(seen.hidden.take(led), to_come)
    if to_come:
        laid.reshape(-1)[led] += to_come * (COUNTED + tables.mean.take(out))
    rest = seen.gain(seen.mine, laid, rows)
    prize, cells = seen.piled.take(highest), seen.of_suit + suits.take(highest)
    laid.reshape(-1)[cells] -= prize
    each = np.ones(seen.suits)
    return OpenTrick(
        values.take(highest),
        values.take(lowest),
        high_pile + laid,
        low_pile,
        rest @ each,
        seen.gain(high_pile, laid, rows) @ each,
        seen.gain(low_pile.take(cells), prize, rows.take(cells)),
        seen.gain(seen.mine.take(cells), prize, rows.take(cells)),
        out,
    )


def _following(
    batch: DavidAndGoliathBatch, seen: Knowledge, cards: Indexes, deals: Indexes
) -> tuple[Worths, Worths]:
    """What cards bring if they follow, like `_leading`. The seat with the high card wins the rest of the
    trick; the seat with the low card wins the high card."""
    suits, values = batch.deck
    to_come = batch.seats - len(batch.trick) - 1
    begun = _begun(batch, seen, to_come)
    heights, cells = values.take(cards), seen.of_suit.take(deals) + suits.take(cards)
    highest, lowest = begun.highest.take(deals), begun.lowest.take(deals)
    is_high, is_low = heights >= highest, heights <= lowest
    # Another seat wins my card: the seat with the low card or, as part of the rest, that with the high one.
    pile = np.where(is_high, begun.low_pile.take(cells), begun.high_pile.take(cells))
    lost = seen.gain(pile, seen.piled.take(cards), seen.rows.take(cells))
    as_high = np.where(is_high, begun.rest.take(deals), -SPITE * (begun.for_high.take(deals) + lost))
    prize = np.where(is_low, begun.for_me.take(deals), -SPITE * begun.for_low.take(deals))
    as_low = np.where(is_high, -SPITE * lost, prize)
    if to_come:
        out = begun.out.take(deals)
        as_high *= seen.chance(out, below(out, np.maximum(heights, highest)), to_come)
        as_low *= seen.chance(out, above(out, np.minimum(heights, lowest)), to_come)
    return as_high, as_low
