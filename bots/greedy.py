"""Greedy: takes what is good now, and never asks what comes next.

The lesson: no memory is needed. Every request carries a `view` with all that the seat may know, so a bot
can be one function from a request to an action. All that is remembered is which game it is.

Sticheln: pays as little as possible for its pain card; then plays the card that leaves it best off as the
trick lies now, as if nobody were to play after it. David & Goliath: the same, for its pile. Olé!: gets rid of
the card that costs most.
"""

import json
import sys


def suit(card: str) -> str:
    return card[0]


def value(card: str) -> int:
    return int(card[1:])


def cheapest(view: dict, legal: list[str]) -> str:
    return min(legal, key=value)


def best_now(view: dict, legal: list[str]) -> str:
    """Ties go to the lowest card, and then to the first in `legal`."""
    return max(legal, key=lambda card: (worth(view, [*view["trick"], card]), -value(card)))


def worth(view: dict, trick: list[str]) -> int:
    """What the trick would give me if it ended here: nothing, unless the card I played last takes it."""
    own = suit(view["pain"][view["seat"]])
    led = suit(trick[0])
    taking = max(trick, key=lambda card: (value(card) > 0, suit(card) != led, value(card)))
    if taking != trick[-1] or value(taking) == 0:
        return 0
    return sum(-value(card) if suit(card) == own else 1 for card in trick)


def best_pile(view: dict, legal: list[str]) -> str:
    return max(legal, key=lambda card: (pile_with(view, [*view["trick"], card]), -value(card)))


def pile_with(view: dict, trick: list[str]) -> int:
    """What my pile would be worth if the trick ended here: with the high card where I played the low one,
    with all others where I played the high one."""
    last = len(trick) - 1
    high = max(range(len(trick)), key=lambda at: (value(trick[at]), at))
    rest = trick[:high] + trick[high + 1 :]
    won = []
    if high == last:
        won = rest
    elif value(trick[last]) == min(map(value, rest)):
        won = [trick[high]]
    pile = [*view["won"][view["seat"]], *won]
    colours = [[value(card) for card in pile if suit(card) == colour] for colour in "RYGBV"]
    return sum(sum(values) if len(values) < 3 else len(values) for values in colours)


def dearest(view: dict, legal: list[str]) -> str:
    cards = [card for card in legal if card != "chip"]
    return max(cards, key=value) if cards else "chip"


def first(view: dict, legal: list[str]) -> str:
    """For games it has never heard of."""
    return legal[0]


STICHELN = {"pain": cheapest, "play": best_now}
IDEAS = {  # game -> decision -> idea
    "sticheln": STICHELN,
    "sticheln-1993": STICHELN,
    "david-and-goliath": {"play": best_pile},
    "ole": {"play": dearest},
}


def main() -> None:
    ideas: dict = {}
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            ideas = IDEAS.get(message["game"], {})
            say(type="ready", name="greedy", version="1", language="Python")
        elif message["type"] == "request":
            idea = ideas.get(message["decision"], first)
            action = idea(message["view"], message["legal"])
            say(type="reply", id=message["id"], action=action)


def say(**message: object) -> None:
    print(json.dumps(message), flush=True)


if __name__ == "__main__":
    main()
