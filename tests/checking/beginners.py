"""What beginners write: whole programs, each with one classic mistake in it."""

DEBUG_TEXT = """\
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "ready", "name": "chatty"}), flush=True)
    elif message["type"] == "request":
        print("my hand is", message["view"]["hand"], flush=True)
        print(json.dumps({"type": "reply", "id": message["id"], "action": message["legal"][0]}), flush=True)
"""

NO_FLUSH = """\
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "ready", "name": "buffered"}))
    elif message["type"] == "request":
        print(json.dumps({"type": "reply", "id": message["id"], "action": message["legal"][0]}))
"""

READS_TO_THE_END = """\
import json, sys
for line in sys.stdin.read().splitlines():
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "ready", "name": "patient"}), flush=True)
    elif message["type"] == "request":
        print(json.dumps({"type": "reply", "id": message["id"], "action": message["legal"][0]}), flush=True)
"""

COUNTS_FROM_ZERO = """\
import json, sys
count = 0
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "ready", "name": "counter"}), flush=True)
    elif message["type"] == "request":
        print(json.dumps({"type": "reply", "id": count, "action": message["legal"][0]}), flush=True)
        count += 1
"""

INDEX = """\
import json, random, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "ready", "name": "index"}), flush=True)
    elif message["type"] == "request":
        choice = random.randrange(len(message["legal"]))
        print(json.dumps({"type": "reply", "id": message["id"], "action": choice}), flush=True)
"""

CARD_OBJECT = """\
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "ready", "name": "objects"}), flush=True)
    elif message["type"] == "request":
        card = message["legal"][0]
        action = {"suit": card[0], "value": int(card[1:])}
        print(json.dumps({"type": "reply", "id": message["id"], "action": action}), flush=True)
"""

TWO_LINES = """\
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "ready", "name": "pretty"}), flush=True)
    elif message["type"] == "request":
        reply = {"type": "reply", "id": message["id"], "action": message["legal"][0]}
        print(json.dumps(reply, indent=4), flush=True)
"""

NO_READY = """\
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "request":
        print(json.dumps({"type": "reply", "id": message["id"], "action": message["legal"][0]}), flush=True)
"""

ONE_KIND_OF_DECISION = """\
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "ready", "name": "half"}), flush=True)
    elif message["type"] == "request":
        if message["decision"] == "pain":
            action = message["legal"][0]
        elif message["decision"] == "card":
            card = message["legal"][-1]
        print(json.dumps({"type": "reply", "id": message["id"], "action": action}), flush=True)
        del action
"""

FOUR_SEATS = """\
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "ready", "name": "four"}), flush=True)
    elif message["type"] == "request":
        points = message["view"]["points"]
        leader = max(range(4), key=lambda seat: points[seat])
        print(json.dumps({"type": "reply", "id": message["id"], "action": message["legal"][0]}), flush=True)
"""

ONE_GAME = """\
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "ready", "name": "one-game"}), flush=True)
    elif message["type"] == "request":
        pains = message["view"]["pain"]
        print(json.dumps({"type": "reply", "id": message["id"], "action": message["legal"][0]}), flush=True)
"""

SLEEPS = """\
import json, sys, time
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "ready", "name": "sleepy"}), flush=True)
    elif message["type"] == "request":
        time.sleep(30)
        print(json.dumps({"type": "reply", "id": message["id"], "action": message["legal"][0]}), flush=True)
"""

REPLIES_TWICE = """\
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "ready", "name": "twice"}), flush=True)
    elif message["type"] == "request":
        reply = {"type": "reply", "id": message["id"], "action": message["legal"][0]}
        print(json.dumps(reply), flush=True)
        reply["action"] = message["legal"][-1]
        print(json.dumps(reply), flush=True)
"""

UTF_16 = """\
import json, sys
sys.stdin.reconfigure(encoding="utf-16")
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "ready", "name": "wide"}), flush=True)
    elif message["type"] == "request":
        print(json.dumps({"type": "reply", "id": message["id"], "action": message["legal"][0]}), flush=True)
"""

ONE_DEAL = """\
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "ready", "name": "once"}), flush=True)
    elif message["type"] == "request":
        print(json.dumps({"type": "reply", "id": message["id"], "action": message["legal"][0]}), flush=True)
        if len(message["view"]["hand"]) == 1:
            break
"""

BYTE_ORDER_MARKS = """\
import json, sys
sys.stdout.reconfigure(encoding="utf-8")
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print("\\ufeff" + json.dumps({"type": "ready", "name": "marked"}), flush=True)
    elif message["type"] == "request":
        reply = {"type": "reply", "id": message["id"], "action": message["legal"][0]}
        print("\\ufeff" + json.dumps(reply), flush=True)
"""
