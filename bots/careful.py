"""Careful: the advice of people who know the games, put into numbers.

The lesson: give every legal action a worth, as a sum of a few reasons, and take the best. Advice becomes a
line of code, and a wrong weight is found by playing. No memory is needed: all of it stands in `view`.

Sticheln: a cheap pain card in a colour of middle length. In play, a trick that others still add to is
a trap: they put my pain colour into it. So duck early, take what is good when playing last, get rid of high
pain cards where they cannot take the trick, and give to others what hurts them.

David & Goliath: one or two high cards of a colour are worth most, a third turns them to dust. So look at
what each card does to the open piles, mine and the others', and keep low cards for playing last.

Olé!: low cards stick, so lay what is hardest to get rid of; a series sheds more, but can end in a chip.
"""

import json
import sys
from collections.abc import Iterable

TRAP = 1.5  # what each seat still to play costs the one who takes the trick
RELIEF = 0.3  # what each point of a pain card is worth when it goes where it does no harm
KEEP = 12  # David & Goliath: twice what the lowest cards are worth in the hand
SERIES = 0.3  # what a series that goes on is worth in Olé!, and what one that ends in a chip costs

COLOURS = {"red": "YGBR", "yellow": "RBGY"}  # Olé!: the colour on top, and all colours from low to high


def suit(card: str) -> str:
    return card[0]


def value(card: str) -> int:
    return int(card[1:])


def choose_pain(view: dict, legal: list[str]) -> tuple[str, str]:
    lengths = {suit(card): sum(suit(other) == suit(card) for other in legal) for card in legal}
    card = min(legal, key=lambda card: value(card) + abs(lengths[suit(card)] - 5))
    return card, f"costs {value(card)}, one of {lengths[suit(card)]} in its colour"


def play_card(view: dict, legal: list[str]) -> tuple[str, str]:
    worths = {card: worth(view, card) for card in legal}
    card = max(legal, key=lambda card: (worths[card], -value(card)))
    return card, f"worth {worths[card]:z.1f}; the other cards {min(worths.values()):z.1f} and up"


def worth(view: dict, card: str) -> float:
    """What playing `card` now brings me; what it takes from another seat counts as its share of my lead."""
    seats, colours = view["seats"], [suit(pain) for pain in view["pain"]]
    own = colours[view["seat"]]
    trick = [*view["trick"], card]
    still_to_play = seats - len(trick)
    at = taking(trick)
    taker = (view["leader"] + at) % seats
    holds = chance_to_hold(trick, at, highest={3: 8, 4: 11, 5: 14, 6: 14}[seats]) ** still_to_play
    pile = sum(-value(other) if suit(other) == colours[taker] else 1 for other in trick)
    if taker == view["seat"]:
        return holds * (pile - TRAP * still_to_play)
    return -holds * pile / (seats - 1) + (RELIEF * value(card) if suit(card) == own else 0)


def taking(trick: list[str]) -> int:
    """The position of the card that takes the trick as it lies; the first one if all are zeros."""

    def power(at: int) -> tuple:
        return value(trick[at]) > 0, suit(trick[at]) != suit(trick[0]), value(trick[at])

    return max(range(len(trick)), key=power)


def chance_to_hold(trick: list[str], at: int, highest: int) -> float:
    """A guess at how likely the next seat does not beat the card at `at`: any other colour beats the led."""
    height = value(trick[at]) / highest
    return 0.2 + 0.8 * height if suit(trick[at]) != suit(trick[0]) else 0.2 * height


def split_trick(view: dict, legal: list[str]) -> tuple[str, str]:
    worths = {card: split_worth(view, card) for card in legal}
    card = max(legal, key=lambda card: (worths[card], -value(card)))
    return card, f"worth {worths[card]:z.1f}; the other cards {min(worths.values()):z.1f} and up"


def split_worth(view: dict, card: str) -> float:
    """David & Goliath: what the trick adds to the piles, mine counted for me and another one against me, when
    those still to play follow suit with cards I have not seen."""
    seats, trick = view["seats"], [*view["trick"], card]
    still_to_play = seats - len(trick)
    highest = {3: 9, 4: 12, 5: 15, 6: 18}[seats]
    led = suit(trick[0])
    seen = {*view["hand"], *trick, *(other for pile in view["won"] for other in pile)}
    unseen = [number for number in range(1, highest + 1) if f"{led}{number}" not in seen]
    if len(unseen) < still_to_play:
        unseen = list(range(1, highest + 1))  # too few can follow: any number may come
    at_high = max(range(len(trick)), key=lambda at: (value(trick[at]), at))
    at_low = max(range(len(trick)), key=lambda at: (at != at_high, -value(trick[at]), at))
    stays_high = share(number < value(trick[at_high]) for number in unseen) ** still_to_play
    stays_low = share(number > value(trick[at_low]) for number in unseen) ** still_to_play
    middling = f"{led}{sum(unseen) // max(len(unseen), 1)}"

    def added(at: int, cards: list[str]) -> float:
        seat = (view["leader"] + at) % seats
        pile = view["won"][seat]
        points = pile_points([*pile, *cards]) - pile_points(pile)
        return points if seat == view["seat"] else -points / (seats - 1)

    others = [*trick[:at_high], *trick[at_high + 1 :], *[middling] * still_to_play]
    prize = trick[at_high] if len(trick) > 1 else f"{led}{max(unseen)}"  # a led card may end as either
    total = stays_high * added(at_high, others) + stays_low * added(at_low, [prize])
    return total - KEEP * max(0, 0.5 - value(card) / highest)


def share(cases: Iterable[bool]) -> float:
    """How many of `cases` hold, from 0 to 1; all, where there are none."""
    found = list(cases)
    return sum(found) / len(found) if found else 1.0


def pile_points(pile: list[str]) -> int:
    colours = [[value(card) for card in pile if suit(card) == colour] for colour in "RYGBV"]
    return sum(sum(values) if len(values) < 3 else len(values) for values in colours)


def choose_top(view: dict, legal: list[str]) -> tuple[str, str]:
    """Olé!: the order in which my values lie in higher colours."""

    def height(top: str) -> int:
        return sum(value(card) * COLOURS[top].index(suit(card)) for card in view["hand"])

    top = max(legal, key=height)
    return top, f"{height(top)} against {min(map(height, legal))}"


def lay(view: dict, legal: list[str]) -> tuple[str, str]:
    """Olé!: the card that sticks most, that is, can be laid on the fewest others; a chip only if I must."""
    order = COLOURS[view["top"]]
    cards = [card for card in legal if card != "chip"]
    if not cards:
        return "chip", "nothing outranks the table"

    def power(card: str, table: str) -> int:
        """1 where either colour or value is higher, 2 where both are: that begins a series."""
        return (order.index(suit(card)) > order.index(suit(table))) + (value(card) > value(table))

    def ease(card: str) -> float:
        """The share of the other colours and values that `card` outranks, and what its series is worth."""
        low_colour, low_value = 1 - order.index(suit(card)) / 4, 1 - (value(card) - 1) / 15
        ease = 1 - low_colour * low_value
        left = [other for other in view["hand"] if other != card]
        if view["phase"] != "opening" and power(card, view["table"]) == 2 and left:
            ease += -SERIES if any(power(other, card) for other in left) else SERIES
        return ease

    card = min(cards, key=ease)
    return card, f"{ease(card):z.2f} easy; the other cards up to {max(map(ease, cards)):z.2f}"


def no_idea(view: dict, legal: list[str]) -> tuple[str, str]:
    return legal[0], "a game I do not know"


STICHELN = {"pain": choose_pain, "play": play_card}
IDEAS = {  # game -> decision -> idea
    "sticheln": STICHELN,
    "sticheln-1993": STICHELN,
    "david-and-goliath": {"play": split_trick},
    "ole": {"top": choose_top, "play": lay},
}


def main() -> None:
    ideas: dict = {}
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            ideas = IDEAS.get(message["game"], {})
            say(type="ready", name="careful", version="1", language="Python")
        elif message["type"] == "request":
            idea = ideas.get(message["decision"], no_idea)
            action, why = idea(message["view"], message["legal"])
            say(type="reply", id=message["id"], action=action, note=why)


def say(**message: object) -> None:
    print(json.dumps(message), flush=True)


if __name__ == "__main__":
    main()
