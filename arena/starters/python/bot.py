"""mybot: a bot for the card arena. It always plays its lowest legal card."""

import json
import sys
from typing import Any

# ---- your idea -------------------------------------------------------------------------------------


def choose(decision: str, legal: list[str], view: dict[str, Any]) -> str:
    """Return one of `legal`. SPEC.md describes `view`, game by game."""
    return min(legal, key=value)


def value(action: str) -> int:
    """The number of a card: 7 for G7. Words such as "chip" come last."""
    return int(action[1:]) if action[1:].isdigit() else 99


# ---- the wire: a line in, a line out -----------------------------------------------------------------


def main() -> None:
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            say(type="ready", name="mybot", language="Python")
        elif message["type"] == "request":
            action = choose(message["decision"], message["legal"], message["view"])
            say(type="reply", id=message["id"], action=action)


def say(**message: object) -> None:
    """Flushed, or nobody would read it. To debug, print to sys.stderr."""
    print(json.dumps(message), flush=True)


if __name__ == "__main__":
    main()
