"""mybot: a bot that thinks. In Sticheln it imagines the cards that it cannot see, plays each of its own out
against them, and plays the one that did best. In other games it plays its lowest legal card.

To use it, let bot.toml name thinking.py in place of bot.py.
"""

import functools
import json
import random
import sys
import time
from typing import Any

DEALS = 200  # what is imagined for a decision, at most
SHARE = 0.25  # of the time for a decision; the rest is a reserve

# ---- your idea -------------------------------------------------------------------------------------


def choose(hello: dict[str, Any], request: dict[str, Any], rng: random.Random) -> str:
    """Return one of request["legal"]. SPEC.md describes hello, request and its view."""
    legal: list[str] = request["legal"]
    if hello["game"] == "sticheln" and request["decision"] == "play":
        return best_in_playouts(hello, request, rng)
    return min(legal, key=value)


def best_in_playouts(hello: dict[str, Any], request: dict[str, Any], rng: random.Random) -> str:
    """All cards are played out in the same imagined deals, so that luck does not choose between them."""
    until = time.monotonic() + SHARE * min(request["ms"], hello["limits"]["decision_ms"]) / 1000
    legal: list[str] = request["legal"]
    view: dict[str, Any] = request["view"]
    hidden = hidden_cards(hello["deck"], view)
    total = dict.fromkeys(legal, 0.0)
    for _ in range(DEALS):
        rng.shuffle(hidden)
        own = rng.sample(legal, len(legal))
        for card in legal:
            total[card] += gain(view, card, own, hidden)
        if time.monotonic() > until:
            break
    return max(legal, key=lambda card: total[card])


def hidden_cards(deck: list[str], view: dict[str, Any]) -> list[str]:
    """The cards of the other seats: those of the deck that are neither mine nor played."""
    tricks = [card for trick in view["tricks"] for card in trick["cards"]]
    seen = {*view["hand"], *view["pain"], *view["trick"], *tricks}
    return [card for card in deck if card not in seen]


def gain(view: dict[str, Any], card: str, own: list[str], hidden: list[str]) -> float:
    """My points in the rest of the deal, less the mean of all seats, if I play `card` and then the others of
    `own`, and the other seats play `hidden`, all in the order in which the cards lie. That order is random,
    so all play at random."""
    seats: int = view["seats"]
    me: int = view["seat"]
    leader, trick = view["leader"], [*view["trick"]]
    mine, theirs = iter([card, *(other for other in own if other != card)]), iter(hidden)
    points = [0] * seats
    for _ in own:
        while len(trick) < seats:
            trick.append(next(mine if (leader + len(trick)) % seats == me else theirs))
        at = taking(trick)
        if at is not None:
            leader = (leader + at) % seats
            hurting = view["pain"][leader][0]
            points[leader] += sum(-value(taken) if taken[0] == hurting else 1 for taken in trick)
        trick = []
    return points[me] - sum(points) / seats


def taking(trick: list[str]) -> int | None:
    """The position of the card that takes a trick: the highest not of the led suit, else the highest; zeros
    never do."""
    led, best, best_power = trick[0][0], None, 0
    for at, card in enumerate(trick):
        power = value(card) and value(card) + 100 * (card[0] != led)
        if power > best_power:
            best, best_power = at, power
    return best


@functools.cache
def value(action: str) -> int:
    """The number of a card: 7 for G7. Words such as "chip" come last."""
    return int(action[1:]) if action[1:].isdigit() else 99


# ---- the wire: a line in, a line out -----------------------------------------------------------------


def main() -> None:
    hello: dict[str, Any] = {}
    rng = random.Random()
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            hello = message
            rng.seed(hello["seed"])
            say(type="ready", name="mybot", language="Python")
        elif message["type"] == "request":
            say(type="reply", id=message["id"], action=choose(hello, message, rng))


def say(**message: object) -> None:
    """Flushed, or nobody would read it. To debug, print to sys.stderr."""
    print(json.dumps(message), flush=True)


if __name__ == "__main__":
    main()
