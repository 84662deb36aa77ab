"""Advice for David & Goliath in step; arena/games/david_and_goliath/advice.py says what it is and why. What
takes long to compute, or has to be exactly the same, is looked up in tables that the plain advice has filled.
"""

import functools
from typing import NamedTuple

import numpy as np

from arena.games.david_and_goliath.advice import KEEP, SPITE, prospect_by_sums
from arena.games.david_and_goliath.batch import COUNTED, DavidAndGoliathBatch, high_and_low
from arena.games.david_and_goliath.rules import DUST, HIGHEST
from arena.games.instep.batch import Indexes, Worths


class ProspectTables(NamedTuple):
    """Looked up by the sum of the bits of some cards of a suit: `size`, how many they are; `mean`, their
    mean value, rounded; `greatest`, their greatest value; `row`, where their prospects begin if they are
    those to come. `prospects`: from a `row` and the `column` of a pile. `chance`: by the number of seats to
    come, the number of cards that they may play, and the number of those that leave a card as it is, the
    probability that it stays."""

    size: Indexes
    mean: Indexes
    greatest: Indexes
    row: Indexes
    column: Indexes
    prospects: Worths
    chance: Worths


@functools.cache
def _tables(seats: int) -> ProspectTables:
    highest = HIGHEST[seats]
    count, total, greatest = (np.zeros(1, np.intp) for _ in range(3))
    for value in range(1, highest + 1):  # With the bit of this value, and without.
        count, total = np.append(count, count + 1), np.append(total, total + value)
        greatest = np.append(greatest, np.full(len(greatest), value))
    coming, row = np.unique(count * COUNTED + total, return_inverse=True)
    # Of DUST only the number counts. A pile may seem to hold as many more cards as are in a trick.
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
    """What the seats in turn know, by deal."""

    def __init__(self, batch: DavidAndGoliathBatch) -> None:
        hands, size = batch.hands_by_suit, batch.size
        self.tables = _tables(batch.seats)
        self.suits = hands.shape[2]
        self.piled = batch.deck.values + COUNTED
        """By card, what it adds to a pile."""
        self.row = np.arange(size)
        self.of_suit = self.row * self.suits
        """Where, in one dimension, a number stands that is kept by deal and suit."""
        self._piles = batch.piles.reshape(-1, self.suits)
        self._of_seat = self.row * batch.seats
        coming = np.einsum("ijk->ik", hands)
        self.own = hands.reshape(-1, self.suits).take(self._of_seat + batch.turn, axis=0)
        """By suit, the hand of the seat in turn."""
        self.hidden = coming - self.own
        """By suit, the hands of the others together."""
        self.rows = self.tables.row.take(coming)
        self.mine = self.won_by(batch.turn)

    def won_by(self, seats: Indexes) -> Indexes:
        """By suit, the pile of one seat."""
        return self._piles.take(self._of_seat + seats, axis=0)

    def at_place(self, trick: Indexes, places: Indexes) -> Indexes:
        """The card at one place of the trick."""
        return trick.reshape(-1).take(places * len(self.row) + self.row)

    def prospect(self, piles: Indexes, rows: Indexes) -> Worths:
        """The prospects of piles of one suit, if the cards of these rows are to come."""
        prospects: Worths = self.tables.prospects.take(rows + self.tables.column.take(piles))
        return prospects

    def gain(self, piles: Indexes, won: Indexes, rows: Indexes) -> Worths:
        """What these cards add to the prospects of these piles."""
        return self.prospect(piles + won, rows) - self.prospect(piles, rows)

    def may_come(self, hidden: Indexes, to_come: int) -> Indexes:
        """The cards of one suit that the seats to come may play: any, where too few are hidden."""
        return np.where(self.tables.size.take(hidden) < to_come, len(self.tables.size) - 1, hidden)

    def chance(self, out: Indexes, stay: Indexes, to_come: int) -> Worths:
        """The probability that of the cards `out` so many seats play only those of `stay`."""
        chance, size = self.tables.chance[to_come], self.tables.size
        chances: Worths = chance.reshape(-1).take(size.take(out) * len(chance) + size.take(stay))
        return chances


def below(cards: Indexes, value: Indexes) -> Indexes:
    """Those of some cards of one suit that have a smaller value."""
    return cards & (1 << (value - 1)) - 1


def above(cards: Indexes, value: Indexes) -> Indexes:
    """Those of some cards of one suit that have a greater value, each with a smaller one instead."""
    return cards >> value


def advise(batch: DavidAndGoliathBatch) -> Indexes:
    """By deal, the action of the seat in turn."""
    hand = batch.hand
    if hand.shape[1] == 1:
        return hand[:, 0]
    best = worths(batch, hand).argmax(axis=1)
    actions: Indexes = np.take_along_axis(hand, best[:, None], axis=1)[:, 0]
    return actions


def worths(batch: DavidAndGoliathBatch, hand: Indexes) -> Worths:
    """By deal and card in the hand of the seat in turn, what it is worth to play it; -inf for a card that
    does not follow suit."""
    seen, (suits, values) = Knowledge(batch), batch.deck
    found = np.full(hand.shape, -np.inf)
    if len(batch.trick):
        led = suits.take(batch.trick[0])
        cannot = seen.own.take(seen.of_suit + led) == 0
        # In one dimension, only the legal cards, which are few.
        legal = np.flatnonzero((suits.take(hand) == led[:, None]) | cannot[:, None])
        cards, deals = hand.take(legal), legal // hand.shape[1]
        high, low = _following(batch, seen, cards, deals)
    else:
        legal, cards, deals = np.arange(hand.size), hand.reshape(-1), np.repeat(seen.row, hand.shape[1])
        high, low = _leading(batch, seen, cards, deals)
    keep = KEEP * values / HIGHEST[batch.seats]
    found.reshape(-1)[legal] = keep.take(cards) + high + low
    return found


def _leading(
    batch: DavidAndGoliathBatch, seen: Knowledge, cards: Indexes, deals: Indexes
) -> tuple[Worths, Worths]:
    """What cards of these deals bring as the high card of the trick, and as the low one."""
    tables, (suits, values), to_come = seen.tables, batch.deck, batch.seats - 1
    out = seen.may_come(seen.hidden, to_come)
    rest = seen.gain(seen.mine, to_come * (COUNTED + tables.mean.take(out)), seen.rows)
    prize = seen.gain(seen.mine, COUNTED + tables.greatest.take(out), seen.rows)
    at, heights = seen.of_suit.take(deals) + suits.take(cards), values.take(cards)
    out = out.take(at)
    stays_high = seen.chance(out, below(out, heights), to_come)
    stays_low = seen.chance(out, above(out, heights), to_come)
    return stays_high * rest.take(at), stays_low * prize.take(at)


class OpenTrick(NamedTuple):
    """The open trick, by deal. `highest`, `lowest`: values. `high_pile`, `low_pile`: by suit, the piles of
    the seats that played these cards, the first with the rest of the trick. `rest`: what the trick brings me
    if I play the high card. If I do not: what the rest of it brings its winner (`for_high`), and the high
    card the winner or me (`for_low`, `for_me`). `out`: what may come of the led suit."""

    highest: Indexes
    lowest: Indexes
    high_pile: Indexes
    low_pile: Indexes
    rest: Worths
    for_high: Worths
    for_low: Worths
    for_me: Worths
    out: Indexes


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
    prize, at = seen.piled.take(highest), seen.of_suit + suits.take(highest)
    laid.reshape(-1)[at] -= prize
    each = np.ones(seen.suits)
    return OpenTrick(
        values.take(highest),
        values.take(lowest),
        high_pile + laid,
        low_pile,
        rest @ each,
        seen.gain(high_pile, laid, rows) @ each,
        seen.gain(low_pile.take(at), prize, rows.take(at)),
        seen.gain(seen.mine.take(at), prize, rows.take(at)),
        out,
    )


def _following(
    batch: DavidAndGoliathBatch, seen: Knowledge, cards: Indexes, deals: Indexes
) -> tuple[Worths, Worths]:
    """The same for a trick that has begun. Who plays the high card wins the rest of the trick; who plays the
    low one, the high card."""
    suits, values = batch.deck
    to_come = batch.seats - len(batch.trick) - 1
    begun = _begun(batch, seen, to_come)
    heights, at = values.take(cards), seen.of_suit.take(deals) + suits.take(cards)
    highest, lowest = begun.highest.take(deals), begun.lowest.take(deals)
    is_high, is_low = heights >= highest, heights <= lowest
    # Another seat wins the card: that with the low card, or that with the high one, and the rest with it.
    pile = np.where(is_high, begun.low_pile.take(at), begun.high_pile.take(at))
    lost = seen.gain(pile, seen.piled.take(cards), seen.rows.take(at))
    as_high = np.where(is_high, begun.rest.take(deals), -SPITE * (begun.for_high.take(deals) + lost))
    prize = np.where(is_low, begun.for_me.take(deals), -SPITE * begun.for_low.take(deals))
    as_low = np.where(is_high, -SPITE * lost, prize)
    if to_come:
        out = begun.out.take(deals)
        as_high *= seen.chance(out, below(out, np.maximum(heights, highest)), to_come)
        as_low *= seen.chance(out, above(out, np.minimum(heights, lowest)), to_come)
    return as_high, as_low
