"""Deals per second of a function against the house's bots: as a function seat, as a process, and by
`arena.selfplay`, in the same run. From the project's folder: `python -m tests.bench.functions [DEALS]`.

`search` thinks by the clock, so its rows say what is lost beside thinking; the others what a decision costs.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import arena
from arena.games import GAMES
from arena.games.game import Action, View
from arena.log.hello import hello
from arena.players.house import heuristic, search
from protocol.messages import Limits, Request
from protocol.units import Ms

GAME: Final = GAMES["sticheln"]
SEATS: Final = 3
DEALS: Final = 1000
MOST: Final = 1000
"""Deals of one match."""
CLOCK: Final = Limits(decision_ms=Ms(10), bank_ms=Ms(0))
LOWEST: Final = """\
import json, sys
for line in sys.stdin:
    m = json.loads(line)
    if m["type"] == "hello":
        print('{"type":"ready","name":"lowest"}', flush=True)
    elif m["type"] == "request":
        action = min(m["legal"], key=lambda card: int(card[1:]))
        print(json.dumps({"type": "reply", "id": m["id"], "action": action}), flush=True)
    else:
        break
"""


def lowest(view: Any, legal: tuple[Action, ...]) -> Action:
    return min(legal, key=lambda card: int(card[1:]))


def in_process(bot: Any, seat: int) -> Callable[[View, tuple[Action, ...]], Action]:
    """A bot of the house as a policy."""
    greeting = hello(
        GAME, {}, seats=SEATS, seat=seat, deals=1, limits=CLOCK, match_key="bench", entrant=f"bench-{seat}"
    )
    think = bot.begin(GAME, greeting)

    def decide(view: View, legal: tuple[Action, ...]) -> Action:
        request = Request(1, "play", legal, [], view, CLOCK.decision_ms)
        action: Action = think(request, view, time.perf_counter()).action
        return action

    return decide


def ways(name: str, bot: Any, process: str) -> dict[str, Callable[[int], object]]:
    kept: Any = {"seed": 7, "time": f"{CLOCK.decision_ms}ms", "faults": MOST, "on_progress": False}
    policies = [lowest, in_process(bot, 1), in_process(bot, 2)]
    return {
        "function seat": lambda deals: arena.match([lowest, name, name], deals=deals, **kept),
        "process": lambda deals: arena.match([process, name, name], deals=deals, **kept),
        "arena.selfplay": lambda deals: arena.selfplay(GAME, policies, "bench", deals=deals),
    }


def main(deals: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        process = Path(folder, "lowest.py")
        process.write_text(LOWEST)
        for name, bot in (("heuristic", heuristic), ("search", search)):
            for way, play in ways(name, bot, str(process)).items():
                begun = time.perf_counter()
                for done in range(0, deals, MOST):
                    play(min(MOST, deals - done))
                spent = time.perf_counter() - begun
                print(f"{name:10} {way:15} {deals / spent:8.1f} deals/s  ({spent:.1f} s)", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else DEALS)
