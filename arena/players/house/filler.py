"""The house bot, which fills a pod: in every game it chooses a random legal action. This is a program, not a
module: it imports nothing of the arena and knows only SPEC.md."""

import json
import sys


def main() -> None:
    """Play until the end of input. Chance is the Lehmer generator with the multiplier 48271."""
    state = 1
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            state = message["seed"] % 2147483646 + 1
            print('{"type":"ready","name":"house","version":"1"}', flush=True)
        elif message["type"] == "request":
            state = state * 48271 % 2147483647
            legal = message["legal"]
            action = legal[state * len(legal) // 2147483647]
            print(json.dumps({"type": "reply", "id": message["id"], "action": action}), flush=True)


main()
