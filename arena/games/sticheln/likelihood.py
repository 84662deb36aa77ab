"""How seats decide in Sticheln: about as advised (arena/games/sticheln/advice.py). What reveals most about a
hand is the pain card, and that no card was played that would have been worth much."""

from typing import Final, NamedTuple

import numpy as np

from arena.games.instep.batch import Deck, Indexes, Worths
from arena.games.instep.decisions import Decisions, Player
from arena.games.sticheln.advice_in_step import following, leading
from arena.games.sticheln.rules import Sticheln, StichelnView


class StichelnPlayer(NamedTuple):
    """A kind of player."""

    length: float
    """What each card of the same suit adds to the worth of a pain card."""
    value: float
    """What each point of its value takes from the worth of a pain card."""
    play: float
    """The factor of the advised worths of other cards."""
    error: float


KINDS: Final = (
    StichelnPlayer(30.0, 5.0, 12.0, 0.02),
    StichelnPlayer(2.5, 2.5, 0.55, 0.07),
    StichelnPlayer(0.0, 20.0, 0.15, 0.22),
)
"""Fitted by likelihood to 5768 decisions in 50 matches of `heuristic`, `search` and the bots of bots/, most
with four seats. The first is the heuristic; the second is mostly `search`, careful and counter; the third,
whose pain card is its lowest, is mostly greedy, modest, random and dreamer. Three kinds give a decision a
probability of 0.24, one kind alone 0.21, and a blind choice 0.16 (geometric means)."""


def decisions(game: Sticheln, view: StichelnView) -> Decisions | None:
    """The other seats' decisions that a view shows; None if there are none."""
    if not view.pain:
        return None
    deck, seats = Deck.of(game, view.seats), view.seats
    number = {card: i for i, card in enumerate(game.deck(seats))}
    pain = np.array([number[card] for card in view.pain])
    cards = np.full((len(view.tricks) + 1, seats), -1)
    for row, trick in zip(cards, (*(trick.cards for trick in view.tricks), view.trick), strict=True):
        row[: len(trick)] = [number[card] for card in trick]
    leader = np.array([*(trick.leader for trick in view.tricks), view.leader])
    seat = (leader[:, None] + np.arange(seats)) % seats
    others = np.delete(np.arange(seats), view.seat)
    played = np.nonzero((cards >= 0) & (seat != view.seat))
    advised = _advised(deck, pain, cards, leader)[played]
    players = []
    for kind in KINDS:
        as_pain_cards = np.tile(-kind.value * deck.values, (len(others), 1))
        worths = np.concatenate((as_pain_cards, kind.play * advised))
        lengths = np.repeat((kind.length, 0.0), (len(others), len(advised)))
        players.append(Player(worths, lengths, kind.error))
    seats_of, actions = np.concatenate((others, seat[played])), np.concatenate((pain[others], cards[played]))
    return Decisions(seats_of, actions, np.ones(worths.shape, np.bool_), players)


def _advised(deck: Deck, pain: Indexes, cards: Indexes, leader: Indexes) -> Worths:
    """The worth by trick, place and card. `cards`: what was played, by trick and place, or -1."""
    seats, every = len(pain), np.arange(len(deck.suits))[None]
    worths = np.zeros((*cards.shape, len(deck.suits)))
    colours = deck.suits[pain]
    for place in range(seats):
        tricks = np.flatnonzero(cards[:, place] >= 0)
        if not len(tricks):
            break
        first, laid = leader[tricks], cards[tricks, :place].T

        def colour_of(places: Indexes, first: Indexes = first) -> Indexes:
            colour: Indexes = colours[(first + places) % seats]
            return colour

        own = colour_of(np.array(place))
        if place == 0:
            worths[tricks, 0] = leading(deck, every, own)
        else:
            worths[tricks, place] = following(deck, laid, colour_of, seats - place - 1, every, own)
    return worths
