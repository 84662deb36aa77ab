"""Trick-taking, as functions: who plays when, how many cards are left, what may follow.

Knows neither an order of cards, and so not who takes a trick, nor scoring.
"""

from collections.abc import Sequence

import msgspec

from protocol.cards import Card, Seat, suit


class Trick(msgspec.Struct, frozen=True):
    """A finished trick in order of play: `cards[0]` was led by `leader`, the next came from its left
    neighbour. `taker` is None when nobody took it."""

    leader: Seat
    cards: tuple[Card, ...]
    taker: Seat | None


def seat_of(leader: Seat, position: int, seats: int) -> Seat:
    """The seat that plays the card at `position` (from 0) of a trick."""
    return (leader + position) % seats


def sizes(held: int, leader: Seat, laid: int, seats: int) -> tuple[int, ...]:
    """Hand sizes by seat in a trick that began with `held` cards each and has `laid` cards so far."""
    return tuple(held - ((seat - leader) % seats < laid) for seat in range(seats))


def following(hand: tuple[Card, ...], trick: Sequence[Card]) -> tuple[Card, ...]:
    """The cards that a duty to follow the led suit leaves: those of that suit, or all if there are none."""
    if not trick:
        return hand
    led = suit(trick[0])
    return tuple(card for card in hand if suit(card) == led) or hand
