"""echo.py that computes for some two milliseconds before it answers."""

import json
import sys

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "ready", "name": "thinker"}), flush=True)
    elif message["type"] == "request":
        sum(number * number for number in range(40_000))
        action = message["legal"][0]
        print(json.dumps({"type": "reply", "id": message["id"], "action": action}), flush=True)
