"""David & Goliath. A pile is worth what it may still become: one or two high cards of a colour are a treasure
until a third one comes, and the more of that colour are still out, the likelier it does. A card is worth what
it brings to my pile where it becomes the high or the low one; low cards are kept, since the lowest wins the
highest.
"""

import functools
import math
from collections.abc import Mapping, Sequence
from typing import Final

from arena.games.david_and_goliath import DUST, HIGHEST, SUITS, DavidAndGoliathState, high_and_low, won
from arena.games.game import Action
from protocol.cards import Card, Seat, Suit, suit, unseen, value

SHARE: Final = 0.16
"""How likely a card that is still out comes to a certain pile."""
SPITE: Final = 0.15
"""What a point of another seat costs me."""
KEEP: Final = 5.5
"""What the lowest card is worth in the hand, the highest being worth nothing."""

Values = Mapping[Suit, Sequence[int]]


def advise(state: DavidAndGoliathState, seat: Seat, legal: tuple[Action, ...]) -> Action:
    if len(legal) == 1:
        return legal[0]
    seats, trick = state.setting.seats, state.trick
    piles = won(state.tricks, seats)
    hidden = unseen(state.setting.deck, state.hands[seat], trick, *piles)
    out, coming = by_suit(hidden), by_suit([*hidden, *state.hands[seat]])
    mine = [by_suit(pile) for pile in piles]

    def worth(card: Card) -> float:
        laid = (*trick, card)
        total = KEEP * value(card) / HIGHEST[seats]
        for chance, position, cards in prizes(laid, out[suit(laid[0])], seats):
            winner = (state.leader + position) % seats
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
    """What the high card of the trick as it lies wins, and what the low card: how likely it stays so, its
    position, and the cards. Those still to play are taken to follow suit, with a middling card of what is
    `out` of it."""
    to_come = seats - len(trick)
    if len(out) < to_come:
        out = range(1, HIGHEST[seats] + 1)  # too few can follow: any value may come
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
    """What the values of one colour in a pile are worth in the end, if each of those that are `coming` falls
    to it with the chance SHARE, and they are as high as their mean."""
    held, others = len(pile), len(coming)
    expected = others * SHARE
    if held >= DUST:
        return held + expected
    mean = sum(coming) / others if others else 0.0
    worth, dusty, more = 0.0, 1.0, expected
    for count in range(DUST - held):
        chance = binomial(others, count)
        worth += chance * (sum(pile) + count * mean)
        dusty -= chance
        more -= chance * count
    return worth + dusty * held + more


@functools.cache
def binomial(others: int, count: int) -> float:
    return math.comb(others, count) * SHARE**count * (1 - SHARE) ** (others - count)


def by_suit(cards: Sequence[Card]) -> Values:
    values: dict[Suit, list[int]] = {letter: [] for letter in SUITS}
    for card in cards:
        values[suit(card)].append(value(card))
    return values


def share(cases: Sequence[bool]) -> float:
    """How many of `cases` hold, from 0 to 1; all, where there are none."""
    return sum(cases) / len(cases) if cases else 1.0
