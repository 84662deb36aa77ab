"""An arena for card-playing bots: pure rules below, processes above them, the command line on top.

    import arena

    run = arena.tournament(["bots/careful.py", "bots/greedy.py", "bots/random.py"], rounds=3)
    print(run.standings)

What a command can do, a call can do. Names are loaded when they are used, since every worker imports this.
"""

import importlib
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

import protocol
import tournaments

if TYPE_CHECKING:
    from arena.games.selfplay import play as selfplay
    from arena.library.awaiting import asynchronous, match_async, tournament_async
    from arena.library.caller import ArenaBug
    from arena.library.calls import match, tournament
    from arena.library.replay import Replay, replay
    from arena.library.rows import Rows
    from arena.library.run import Run
    from arena.library.run import open_run as open
    from arena.system.errors import MachineError, UserError

__version__ = "0.1.0"

__all__ = [
    "ArenaBug",
    "MachineError",
    "Replay",
    "Rows",
    "Run",
    "UserError",
    "asynchronous",
    "match",
    "match_async",
    "open",
    "replay",
    "selfplay",
    "tournament",
    "tournament_async",
]

_HOMES: Final = {
    "ArenaBug": "arena.library.caller",
    "MachineError": "arena.system.errors",
    "Replay": "arena.library.replay",
    "Rows": "arena.library.rows",
    "Run": "arena.library.run",
    "UserError": "arena.system.errors",
    "asynchronous": "arena.library.awaiting",
    "match": "arena.library.calls",
    "match_async": "arena.library.awaiting",
    "open": "arena.library.run:open_run",
    "replay": "arena.library.replay",
    "selfplay": "arena.games.selfplay:play",
    "tournament": "arena.library.calls",
    "tournament_async": "arena.library.awaiting",
}
"""Where each public name is defined; behind a colon what it is called there."""


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'arena' has no attribute {name!r}")
    module, _, there = _HOMES[name].partition(":")
    found = globals()[name] = getattr(importlib.import_module(module), there or name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})


def _require_own(package: ModuleType) -> None:
    """Raises ImportError for a package of another project that has the name of one of ours."""
    ours, found = Path(__file__).parent.parent / package.__name__, getattr(package, "__file__", None)
    if found is None or Path(found).parent != ours:
        place = found or ", ".join(getattr(package, "__path__", ()))
        raise ImportError(
            f"the arena needs its own package {package.__name__!r}, in {ours}, and Python finds another one "
            f"first: {place}. Uninstall or rename that one, or give the arena an environment of its own"
        )


for _package in (protocol, tournaments):
    _require_own(_package)
