"""Trick-taking, as functions of a `Trick`: who plays next, what may follow, which card takes a trick by the
usual rule, how many cards each hand has, and which cards a seat has shown that it does not hold.

Knows no scoring. A game in which tricks are taken by another rule has its own function for that.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence

import msgspec

from arena.games.game import OVER, PLAY, clockwise
from arena.games.imagining import Barred
from protocol.cards import Card, Hands, Seat, Suit, suit, value


class Trick(msgspec.Struct, frozen=True):
    """A trick in order of play, open or finished: `leader` led `cards[0]`, its left neighbour played the
    next. A finished trick has further fields for who got it."""

    leader: Seat
    cards: tuple[Card, ...]


class TakenTrick(Trick, frozen=True):
    """A finished trick, with the seat that took it; null: nobody."""

    taker: Seat | None


def next_to_play(trick: Trick, hands: Hands) -> Mapping[Seat, str]:
    """The `pending` of a state with this open trick: OVER when the seat that comes next has no card left."""
    seat = (trick.leader + len(trick.cards)) % len(hands)
    return PLAY[seat] if hands[seat] else OVER


def following(hand: tuple[Card, ...], trick: Trick) -> tuple[Card, ...]:
    """The cards that follow the led suit, or all if there are none."""
    if not trick.cards:
        return hand
    led = suit(trick.cards[0])
    return tuple([card for card in hand if suit(card) == led]) or hand


def highest(cards: Sequence[Card], trump: Suit | None = None) -> int:
    """The position of the card that takes a trick: the highest trump, else the highest of the led suit."""
    led = suit(cards[0])
    strength = [(suit(card) == trump, suit(card) == led, value(card)) for card in cards]
    return strength.index(max(strength))


def hand_sizes(trick: Trick, seat: Seat, held: int, seats: int) -> tuple[int, ...]:
    """The number of cards in each hand if `seat` has `held`. All were equal when the open trick began."""
    laid = [(other - trick.leader) % seats < len(trick.cards) for other in range(seats)]
    return tuple([held + laid[seat] - done for done in laid])


def barred_by_following(tricks: Iterable[Trick], deck: Collection[Card], seats: int) -> Barred:
    """The cards of `deck` that each seat cannot hold, if there is a duty to follow: those of a suit that it
    did not follow in one of `tricks`."""
    lacking: dict[Seat, set[Suit]] = {}
    for trick in tricks:
        for position, card in enumerate(trick.cards):
            if suit(card) != suit(trick.cards[0]):
                lacking.setdefault(clockwise(trick.leader, position, seats), set()).add(suit(trick.cards[0]))
    return {seat: {card for card in deck if suit(card) in suits} for seat, suits in lacking.items()}
