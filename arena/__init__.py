"""An arena for card-playing bots: pure rules below, processes above them, the command line on top.

    import arena

    run = arena.tournament(["bots/careful.py", "bots/greedy.py", "bots/random.py"], rounds=3)
    print(run.standings)

Most commands have a call: `arena docs reference` lists both. `play`, `completion`, and whatever starts, plays
or changes a league are commands only; `open_league` reads a league. Names are loaded when they are used,
since every worker imports this.
"""

import importlib
import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from arena.games.selfplay import play as selfplay
    from arena.library.awaiting import asynchronous
    from arena.library.caller import ArenaBug
    from arena.library.calls import (
        check,
        check_async,
        check_game,
        match,
        match_async,
        new,
        rematch,
        rerun,
        review,
    )
    from arena.library.contests import compare, compare_async, plan, tournament, tournament_async
    from arena.library.league import League, open_league
    from arena.library.reading import (
        all_games,
        arguments,
        bots,
        docs,
        game,
        new_game,
        rules,
        schema,
        seed,
        verify,
    )
    from arena.library.replay import Replay, replay
    from arena.library.rows import Rows
    from arena.library.run import Run
    from arena.library.run import open_run as open
    from arena.library.season import Season, season
    from arena.playing.spellings import Progress
    from arena.system.errors import MachineError, UserError

__version__ = "0.1.0"

__all__ = [
    "ArenaBug",
    "League",
    "MachineError",
    "Progress",
    "Replay",
    "Rows",
    "Run",
    "Season",
    "UserError",
    "all_games",
    "arguments",
    "asynchronous",
    "bots",
    "check",
    "check_async",
    "check_game",
    "compare",
    "compare_async",
    "docs",
    "game",
    "match",
    "match_async",
    "new",
    "new_game",
    "open",
    "open_league",
    "plan",
    "rematch",
    "replay",
    "rerun",
    "review",
    "rules",
    "schema",
    "season",
    "seed",
    "selfplay",
    "tournament",
    "tournament_async",
    "verify",
]

_HOMES: Final = {
    "ArenaBug": "arena.library.caller",
    "League": "arena.library.league",
    "MachineError": "arena.system.errors",
    "Progress": "arena.playing.spellings",
    "Replay": "arena.library.replay",
    "Rows": "arena.library.rows",
    "Run": "arena.library.run",
    "Season": "arena.library.season",
    "UserError": "arena.system.errors",
    "all_games": "arena.library.reading",
    "arguments": "arena.library.reading",
    "asynchronous": "arena.library.awaiting",
    "bots": "arena.library.reading",
    "check": "arena.library.calls",
    "check_async": "arena.library.calls",
    "check_game": "arena.library.calls",
    "compare": "arena.library.contests",
    "compare_async": "arena.library.contests",
    "docs": "arena.library.reading",
    "game": "arena.library.reading",
    "match": "arena.library.calls",
    "match_async": "arena.library.calls",
    "new": "arena.library.calls",
    "new_game": "arena.library.reading",
    "open": "arena.library.run:open_run",
    "open_league": "arena.library.league",
    "plan": "arena.library.contests",
    "rematch": "arena.library.calls",
    "replay": "arena.library.replay",
    "rerun": "arena.library.calls",
    "review": "arena.library.calls",
    "rules": "arena.library.reading",
    "schema": "arena.library.reading",
    "season": "arena.library.season",
    "seed": "arena.library.reading",
    "selfplay": "arena.games.selfplay:play",
    "tournament": "arena.library.contests",
    "tournament_async": "arena.library.contests",
    "verify": "arena.library.reading",
}
"""Where each public name is defined; behind a colon what it is called there."""


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'arena' has no attribute {name!r}")
    place, _, there = _HOMES[name].partition(":")
    try:
        module = importlib.import_module(place)
    except ModuleNotFoundError as error:
        from arena.system.errors import MachineError, machine_trouble  # noqa: PLC0415

        if trouble := machine_trouble(error):
            raise MachineError(trouble) from None
        raise
    found = globals()[name] = getattr(module, there or name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})


def _require_own(package: str) -> None:
    """Raises ImportError where Python finds a package of another project under the name of one of ours."""
    # It is looked for and not imported: in a sandbox it may be missing, and many need only a part of us.
    spec, ours = importlib.util.find_spec(package), Path(__file__).parent.parent / package
    found = [] if spec is None else [*(spec.submodule_search_locations or [str(spec.origin)])]
    if found and Path(found[0]).resolve() != ours.resolve():
        raise ImportError(
            f"the arena needs its own package {package!r}, in {ours}, but Python finds a different one "
            f"first: {found[0]}. Uninstall or rename that one, or install the arena in its own environment"
        )


for _package in ("protocol", "tournaments"):
    _require_own(_package)
