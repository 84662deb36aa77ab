import json
import sys


def say(message):
    print(json.dumps(message), flush=True)


def choose(request):
    return request["legal"][0]


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        say({"type": "ready", "name": "mybot"})
    elif message["type"] == "request":
        action = choose(message)
        say({"type": "reply", "id": message["id"], "action": action})
