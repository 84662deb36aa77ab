"""Oracles for likelihood: every decision of every seat, weighed one hand at a time."""

import functools
import math
from collections import Counter
from typing import Any

import msgspec
import numpy as np

from arena.games.instep.decisions import LEAST, RARE
from arena.games.instep.registered import in_step
from arena.games.ole import likelihood as ole
from arena.games.ole.advice import BLOCKS, COSTS, LATE, STICKS
from arena.games.ole.rules import CHIP, SERIES, rule
from arena.games.sticheln import likelihood as sticheln
from arena.games.sticheln.advice import KEEP, LEAD_OWN, TRAP
from protocol.cards import Card, Seat, suit, value
from protocol.streams import DealSource
from tests.games.playing import REGISTERED, Variant

WEIGHED = [one for one in REGISTERED if in_step(one.game).decisions and not one.options.open_ended]


History = list[tuple[Any, dict[Seat, str]]]
"""The states of a deal so far, each with what was chosen there."""


def moments(variant: Variant, key: str, deal_no: int = 2) -> list[tuple[History, Any]]:
    """Some moments of a deal, each with all that came before it."""
    rng = np.random.default_rng(len(key))
    state = variant.game.start(variant.seats, variant.options, 2, DealSource(key)).state
    history: History = []
    found: list[tuple[History, Any]] = []
    while state.pending:
        if state.deal_no == deal_no:
            found.append((list(history), state))
        chosen = {seat: some_action(state.legal(seat), rng) for seat in state.pending}
        if state.deal_no == deal_no:
            history.append((state, chosen))
        state = state.apply(chosen).state
    return found[:: max(1, len(found) // 12)]


def some_action(legal: tuple[str, ...], rng: np.random.Generator) -> str:
    """Any, but seldom a chip where there is a card."""
    cards = [action for action in legal if action != CHIP]
    return str(rng.choice(cards if cards and rng.random() < 0.9 else legal))


def with_hands(history: History, hands: list[set[Card]]) -> History:
    """The same, but with what the seats held if these are their hands now."""
    hands, changed = [set(hand) for hand in hands], []
    for state, chosen in reversed(history):
        if "top" in state.pending.values():
            break  # Which card opens is not known there, and the decision is not weighed.
        for seat, action in chosen.items():
            if action in state.setting.deck:
                hands[seat].add(action)
        held = tuple(tuple(card for card in state.setting.deck if card in hand) for hand in hands)
        changed.append((msgspec.structs.replace(state, hands=held), chosen))
    return changed[::-1]


def plain_log(variant: Variant, history: History, viewer: Seat) -> float:
    """The logarithm of the probability of what the seats but one have decided."""
    kinds: tuple[Any, ...] = ole.KINDS if variant.game.id == "ole" else sticheln.KINDS
    by_seat: dict[Seat, list[float]] = {}
    for state, chosen in history:
        if "top" in state.pending.values():
            continue
        for seat, action in chosen.items():
            legal = state.legal(seat)
            if seat == viewer or (variant.game.id == "ole" and state.setting.forced_play and action == CHIP):
                continue
            products = by_seat.setdefault(seat, [1.0] * len(kinds))
            worths = worths_in_ole if variant.game.id == "ole" else worths_in_sticheln
            for at, by_action in enumerate(worths(kinds, state, seat, legal)):
                kind = kinds[at]
                most = max(by_action.values())
                shares = {one: math.exp(worth - most) for one, worth in by_action.items()}
                errors = {one: RARE if one == CHIP else 1.0 for one in legal}
                chance = (1 - kind.error) * shares[action] / sum(shares.values())
                chance += kind.error * errors[action] / sum(errors.values())
                products[at] *= max(chance, LEAST)
    return sum(math.log(sum(products) / len(products)) for products in by_seat.values())


Worths = list[dict[str, float]]
"""What each kind of player thinks each action worth."""


def worths_in_sticheln(kinds: Any, state: Any, seat: Seat, legal: tuple[Card, ...]) -> Worths:
    if not state.pain:
        lengths = Counter(map(suit, legal))
        return [
            {card: kind.length * lengths[suit(card)] - kind.value * value(card) for card in legal}
            for kind in kinds
        ]
    own, trick = suit(state.pain[seat]), state.trick.cards
    if trick:
        played = {card: following(state, own, trick, card) for card in legal}
    else:
        played = {
            card: -(LEAD_OWN[0] + LEAD_OWN[1] * value(card) if suit(card) == own else KEEP * value(card))
            for card in legal
        }
    return [{card: kind.play * worth for card, worth in played.items()} for kind in kinds]


def following(state: Any, own: str, trick: tuple[Card, ...], card: Card) -> float:
    """What it is worth to play the card, told a second time from the words of
    arena/games/sticheln/advice.py."""
    led, to_come = suit(trick[0]), len(state.pain) - len(trick) - 1

    def takes_from(one: Card, other: Card) -> bool:
        if suit(one) != led and value(one) > 0:
            return suit(other) == led or value(one) > value(other)
        return suit(one) == led and suit(other) == led and value(one) > value(other)

    at = 0
    for place, other in enumerate(trick):
        # A zero of another colour takes nothing, and a led zero holds against it.
        if takes_from(other, trick[at]):
            at = place
    theirs = suit(state.pain[(state.trick.leader + at) % len(state.pain)])
    others_lie = any(suit(one) != led and value(one) > 0 for one in trick)

    def points(cards: tuple[Card, ...], pain: str) -> float:
        return sum(-value(one) if suit(one) == pain else 1 for one in cards)

    takes = takes_from(card, trick[at]) if suit(card) != led or not to_come else False
    if takes:
        worth = points((*trick, card), own) - TRAP * to_come
    else:
        left = 0.0 if not others_lie and to_come else points(trick, theirs) - TRAP * to_come
        worth = -left - points((card,), theirs)
    return worth - (0.0 if suit(card) == own else KEEP * value(card))


def worths_in_ole(kinds: Any, state: Any, seat: Seat, legal: tuple[str, ...]) -> Worths:
    """As told in arena/games/ole/advice.py, but that what is to come in a series is worth SERIES."""
    deck, top, table = state.setting.deck, state.top, state.table
    shortest = min(len(hand) for other, hand in enumerate(state.hands) if other != seat)

    def worth(card: Card) -> float:
        sticks_on, carries = among(deck, card, top)
        begins = state.phase != "opening" and rule(card, table, top) == SERIES
        later = ole.SERIES if begins else BLOCKS * (1 - carries)
        return STICKS * sticks_on + (COSTS + LATE / (1 + shortest)) * value(card) + later

    played = {card: worth(card) for card in legal if card != CHIP}
    chip = min(map(worth, deck)) if CHIP in legal else 0.0
    return [
        {card: kind.cards * worth for card, worth in played.items()}
        | ({CHIP: kind.cards * chip - ole.CHIP_COSTS} if CHIP in legal else {})
        for kind in kinds
    ]


@functools.cache
def among(deck: tuple[Card, ...], card: Card, top: Any) -> tuple[float, float]:
    """The shares of the deck on which a card cannot be played, and which can be played on it."""
    sticks_on = sum(not rule(card, other, top) for other in deck)
    carries = sum(bool(rule(other, card, top)) for other in deck)
    return sticks_on / len(deck), carries / len(deck)


def hands_of(owner: Any, deck: tuple[Card, ...], seats: int) -> list[set[Card]]:
    return [
        {card for card, other in zip(deck, owner.tolist(), strict=True) if other == seat}
        for seat in range(seats)
    ]
