"""Advice for David & Goliath. A pile is worth the points that it is expected to have in the end. One or two
high cards of a colour are valuable until a third one comes, which is likelier the more cards of that colour
are still to come. A card is worth what it brings to my pile as the high or the low card of the trick. Low
cards are kept, since the lowest wins the highest. Works on states, not on views.
"""

import functools
import math
from collections.abc import Mapping, Sequence
from typing import Final

from arena.games.david_and_goliath.rules import DUST, HIGHEST, SUITS, DavidAndGoliathState, high_and_low
from arena.games.game import Action
from protocol.cards import Card, Seat, Suit, suit, unseen, value

SHARE: Final = 0.16
"""The probability that a card still to come goes to a given pile."""
SPITE: Final = 0.15
"""What a point of another seat costs me, in points."""
KEEP: Final = 5.5
"""The worth of playing the highest card rather than keeping it, in points; in proportion for lower cards."""
GRAIN: Final = 2.0**-20
"""A prospect is a multiple of this, in points. So sums of prospects are exact in any order, and the advice in
step, which adds in another order, gives the same worths."""

Values = Mapping[Suit, Sequence[int]]
"""The values of some cards, by suit."""


def advise(state: DavidAndGoliathState, seat: Seat, legal: tuple[Action, ...]) -> Action:
    """The legal card with the greatest worth; see the top of this file."""
    if len(legal) == 1:
        return legal[0]
    seats, trick = state.setting.seats, state.trick.cards
    hidden = unseen(state.setting.deck, state.hands[seat], trick, *state.won)
    out, coming = by_suit(hidden), by_suit([*hidden, *state.hands[seat]])
    mine = [by_suit(pile) for pile in state.won]

    def worth(card: Card) -> float:
        laid = (*trick, card)
        total = KEEP * value(card) / HIGHEST[seats]
        for chance, position, cards in prizes(laid, out[suit(laid[0])], seats):
            winner = (state.trick.leader + position) % seats
            points = sum(
                prospect((*mine[winner][colour], *values), tuple(coming[colour]))
                - prospect(tuple(mine[winner][colour]), tuple(coming[colour]))
                for colour, values in by_suit(cards).items()
                if values
            )
            total += chance * (points if winner == seat else -SPITE * points)
        return total

    return max(legal, key=worth)


def prizes(
    trick: tuple[Card, ...], out: Sequence[int], seats: int
) -> Sequence[tuple[float, int, Sequence[Card]]]:
    """What the high card of the trick so far wins, and what the low card wins: the probability that it stays
    the high or low card, its position, and the cards won. The seats still to play are assumed to follow suit
    with a card of average value. `out`: the values of that suit still to come."""
    to_come = seats - len(trick)
    if len(out) < to_come:
        out = range(1, HIGHEST[seats] + 1)  # Too few cards can follow, so any value may come.
    high, low = high_and_low(trick) if len(trick) > 1 else (0, 0)
    led = suit(trick[0])
    middling = [f"{led}{round(sum(out) / len(out))}"] * to_come if to_come else []
    prize = trick[high] if len(trick) > 1 else f"{led}{max(out)}"
    stays_high = share([other < value(trick[high]) for other in out]) ** to_come
    stays_low = share([other > value(trick[low]) for other in out]) ** to_come
    return (
        (stays_high, high, [*trick[:high], *trick[high + 1 :], *middling]),
        (stays_low, low, [prize]),
    )


@functools.lru_cache(100_000)
def prospect(pile: tuple[int, ...], coming: tuple[int, ...]) -> float:
    """The expected points of one colour in a pile with the values `pile`, if each card with a value in
    `coming` goes to it with probability SHARE. Each such card counts with the mean of `coming`."""
    return prospect_by_sums(len(pile), sum(pile), len(coming), sum(coming))


def prospect_by_sums(held: int, total: int, others: int, others_total: int) -> float:
    """The prospect of a pile of `held` cards with `total` points, if `others` cards are to come."""
    expected = others * SHARE
    if held >= DUST:
        return rounded(held + expected)
    mean = others_total / others if others else 0.0
    # A sum over the number of further cards: with fewer than DUST cards in all, the values count. `dusty` is
    # the probability of DUST or more, and `more` what that case adds to the expected number of further cards.
    worth, dusty, more = 0.0, 1.0, expected
    for count in range(DUST - held):
        chance = binomial(others, count)
        worth += chance * (total + count * mean)
        dusty -= chance
        more -= chance * count
    return rounded(worth + dusty * held + more)


def rounded(points: float) -> float:
    """The nearest multiple of GRAIN."""
    return round(points / GRAIN) * GRAIN


@functools.cache
def binomial(others: int, count: int) -> float:
    """The probability that `count` of `others` cards go to a pile."""
    return math.comb(others, count) * SHARE**count * (1 - SHARE) ** (others - count)


def by_suit(cards: Sequence[Card]) -> Values:
    """The values of `cards`, with an empty list for a suit without cards."""
    values: dict[Suit, list[int]] = {letter: [] for letter in SUITS}
    for card in cards:
        values[suit(card)].append(value(card))
    return values


def share(cases: Sequence[bool]) -> float:
    """The share of `cases` that are true, from 0 to 1; 1 if there are no cases."""
    return sum(cases) / len(cases) if cases else 1.0
