"""Random: any legal action, each equally likely. Whoever loses to it has a mistake to look for.

The lesson: same seed, same play. All chance comes from the seed in `hello`, so a match can be played again
move by move, and a bug that was seen once can be seen twice.

This file is called random.py, so `import random` could import itself. A generator is one line anyway.
"""

import json
import sys

MODULUS = 2**31 - 1  # a prime; MULTIPLIER runs through all of 1 … MODULUS − 1 before it repeats
MULTIPLIER = 48271  # Park and Miller's "minimal standard"


class Chance:
    """The same seed gives the same numbers, in every language and for ever."""

    def __init__(self, seed: int) -> None:
        self.number = seed % (MODULUS - 1) + 1  # never 0: that would stay 0

    def choice(self, items: list[str]) -> str:
        self.number = self.number * MULTIPLIER % MODULUS
        return items[self.number % len(items)]


def main() -> None:
    chance = Chance(0)
    for line in sys.stdin:  # ends by itself when the input does
        message = json.loads(line)
        if message["type"] == "hello":
            chance = Chance(message["seed"])
            say(type="ready", name="random", version="1", language="Python")
        elif message["type"] == "request":
            say(type="reply", id=message["id"], action=chance.choice(message["legal"]))


def say(**message: object) -> None:
    """One message, one line, sent at once: an unflushed line is a line that nobody reads."""
    print(json.dumps(message), flush=True)


if __name__ == "__main__":
    main()
