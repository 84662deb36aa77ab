"""SPEC.md's shortest bot, as a Python bot to measure."""

import json
import sys

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "ready", "name": "first"}), flush=True)
    elif message["type"] == "request":
        action = message["legal"][0]
        print(json.dumps({"type": "reply", "id": message["id"], "action": action}), flush=True)
