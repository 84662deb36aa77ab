"""What a sensible player would do. Advice may use only the hand of its own seat and what is public, although
the state holds all hands."""

from arena.games.api import Action, Seat, suit, value
from arena_mygame.game import MyGameState


def advise(state: MyGameState, seat: Seat, legal: tuple[Action, ...]) -> Action:
    """Your idea goes here. For now: the lowest card that would take the trick, or else the lowest."""
    cards = state.trick.cards
    lowest_first = sorted(legal, key=value)
    if not cards:
        return lowest_first[-1]
    led = suit(cards[0])
    highest = max(value(card) for card in cards if suit(card) == led)
    taking = [card for card in lowest_first if suit(card) == led and value(card) > highest]
    return (taking or lowest_first)[0]
