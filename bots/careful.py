"""Careful: the advice of people who know the games, put into numbers.

The lesson: give every legal action a worth, as a sum of a few reasons, and take the best. Advice becomes a
line of code, and a wrong weight is found by playing. No memory is needed: all of it stands in `view`.

Sticheln: a cheap pain card in a colour of middle length. In play, a trick that others still add to is
a trap: they put my pain colour into it. So duck early, take what is good when playing last, get rid of high
pain cards where they cannot take the trick, and give to others what hurts them.
"""

import json
import sys

TRAP = 1.5  # what each seat still to play costs the one who takes the trick
RELIEF = 0.3  # what each point of a pain card is worth when it goes where it does no harm


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


def no_idea(view: dict, legal: list[str]) -> tuple[str, str]:
    return legal[0], "a game I do not know"


STICHELN = {"pain": choose_pain, "play": play_card}
IDEAS = {"sticheln": STICHELN, "sticheln-1993": STICHELN}  # game -> decision -> idea


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
