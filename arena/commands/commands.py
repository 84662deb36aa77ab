"""Each command beside its call in Python, as a table for the reference.

Knows calls as plain words. tests/library/test_reference.py holds them against the command line and against
`import arena`.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

from arena.commands.tournament import RunTournament
from arena.playing.arguments import declared

RENAMED: Final[Mapping[str, str]] = {
    **{
        one.flag: one.name
        for one in declared(RunTournament)
        if one.flag and one.name.endswith("s") and one.repeated
    },
    "--quiet": "on_progress",
}
"""Options whose parameter has another name in every call. The others are called as their option is:
`--keep-bots` is `keep_bots`."""
SCREEN: Final[Mapping[str, str]] = {
    "--json": "a call returns values; `msgspec.json.encode` writes them as JSON",
}
"""Options that no call has, and why."""
OF_RUN: Final = {"folder": "arena.open(folder)"}


class PythonEquivalent(NamedTuple):
    """What stands beside a command: `call` for people, and the public names that it is made of. `options`:
    by option or argument, the parameter where it has another name, or a call of its own. `screen`: those that
    no call has, and why."""

    call: str
    names: tuple[str, ...] = ()
    options: Mapping[str, str] = {}
    screen: Mapping[str, str] = {}


COMMANDS: Final[Mapping[str, PythonEquivalent]] = {
    "new": PythonEquivalent("arena.new(language, folder)", ("new",), {"--game": "arena.new_game(id)"}),
    "bots": PythonEquivalent("arena.bots()", ("bots",)),
    "check": PythonEquivalent(
        "arena.check(bots), arena.check_game(game)",
        ("check", "check_game"),
        screen={"--verbose": "the result has every step"},
    ),
    "games": PythonEquivalent(
        "arena.all_games(), arena.game(id)",
        ("all_games", "game"),
        {"game": "id", "--rules": "arena.rules(game)", "--schema": "arena.schema(game)"},
    ),
    "docs": PythonEquivalent("arena.docs(name)", ("docs",)),
    "match": PythonEquivalent(
        "arena.match(bots)",
        ("match",),
        screen={
            "--watch": "it shows a match in a terminal while it is played",
            "--pause": "it belongs to --watch; a notebook displays a replay by itself",
        },
    ),
    "play": PythonEquivalent("it needs a screen: a person plays"),
    "compare": PythonEquivalent("arena.compare(one, other)", ("compare",)),
    "replay": PythonEquivalent(
        "arena.replay(log).story()",
        ("Replay.story",),
        {
            "logs": "arena.replay(log)",
            "--verify": "Replay.verify",
            "--html": "Replay.html(seat)",
            "--with-stderr": "Replay.html(with_stderr)",
        },
        {"--print": "`story` returns text"},
    ),
    "review": PythonEquivalent("arena.review(place, seat)", ("review",), {"--html": "Replay.html(review)"}),
    "rerun": PythonEquivalent("arena.rerun(log, seat, bot)", ("rerun",)),
    "rematch": PythonEquivalent("arena.rematch(log, seat, bot)", ("rematch",), {"--log": "out"}),
    "tournament": PythonEquivalent(
        "arena.tournament(bots)",
        ("tournament",),
        {
            "--plan": "arena.plan(margin)",
            "--like": "arena.plan(like)",
            "--config": "arena.arguments(config)",
        },
    ),
    "standings": PythonEquivalent(
        "arena.open(folder).standings, arena.season(*folders).standings",
        ("Run.standings", "Season.standings"),
        {
            "folders": "arena.season(folders)",
            "--full": "Run.figures",
            "--margin": "Run.rounds_for(margin)",
            "--points": "Season.points(scale)",
        },
    ),
    "faults": PythonEquivalent(
        "arena.open(folder).faults, arena.replay(log).faults",
        ("Run.faults", "Replay.faults"),
        {"place": "arena.open(folder)"},
        {"--bot": "filter the rows", "--full": "every row has what was sent and received"},
    ),
    "report": PythonEquivalent(
        "arena.open(folder).report(), arena.season(*folders).report()",
        ("Run.report", "Season.report"),
        {"folders": "arena.season(folders)", "--title": "title", "--points": "points"},
    ),
    "pairings": PythonEquivalent(
        "arena.open(folder).pairings()",
        ("Run.pairings",),
        OF_RUN,
        {"--explain": "every row has the reasons"},
    ),
    "export": PythonEquivalent(
        "arena.open(folder).export(file), arena.season(*folders).export(file)",
        ("Run.export", "Run.matches", "Run.deals", "Run.decisions", "Season.export"),
        {"folders": "arena.season(folders)", "--csv": "as_json"},
    ),
    "config": PythonEquivalent("arena.open(folder).config", ("Run.config",), OF_RUN),
    "verify": PythonEquivalent("arena.open(folder).verify()", ("Run.verify",), OF_RUN),
    "seed": PythonEquivalent("arena.seed(path)", ("seed",)),
    "resume": PythonEquivalent("arena.open(folder).resume()", ("Run.resume",), OF_RUN),
    "withdraw": PythonEquivalent("arena.open(folder).withdraw(name, reason)", ("Run.withdraw",), OF_RUN),
    "admit": PythonEquivalent("arena.open(folder).admit(bot)", ("Run.admit",), OF_RUN),
    "replace": PythonEquivalent("arena.open(folder).replace(bot, reason)", ("Run.replace",), OF_RUN),
    "annul": PythonEquivalent("arena.open(folder).annul(match, reason)", ("Run.annul",), OF_RUN),
    "league": PythonEquivalent(
        "arena.open_league(folder).standings()",
        ("open_league", "League.standings", "League.versions", "League.faults", "League.why"),
    ),
    "completion": PythonEquivalent("it is only for shells"),
}
"""Each command, in the order of `arena --help`."""


def parameter(command: str, word: str) -> str | None:
    """What an option or argument of a command is in Python: a parameter of its call, or a call of its own,
    with a dot in it. None if it is of the screen only."""
    beside = COMMANDS[command]
    if not beside.names or word in beside.screen or word in SCREEN:
        return None
    return beside.options.get(word) or RENAMED.get(word) or word.removeprefix("--").replace("-", "_")


def table() -> str:
    """The table, as Markdown, and what no call has."""
    lines = ["| command | call | options with a different name, or with their own call |", "|---|---|---|"]
    for command, beside in COMMANDS.items():
        call = f"`{beside.call}`" if beside.names else beside.call
        others = (f"`{word}`: `{name}`" for word, name in beside.options.items() if word.startswith("--"))
        lines.append(f"| `arena {command}` | {call} | {', '.join(others)} |")
    renamed = ", ".join(f"`{option}` is `{name}`" for option, name in RENAMED.items())
    screens = {
        **{f"arena {command}": beside.call for command, beside in COMMANDS.items() if not beside.names},
        "arena league": "commands that start, play or change a league; the call only reads",
        **SCREEN,
        **{
            f"arena {command} {option}": why
            for command, beside in COMMANDS.items()
            for option, why in beside.screen.items()
        },
    }
    return "\n".join(
        [
            *lines,
            "",
            "Other options are parameters of the same name: `--keep-bots` is `keep_bots`, and",
            f"`--no-duplicates` is `duplicates=False`. In all calls {renamed} (False).",
            "",
            "What only commands have:",
            "",
            *(f"* `{words}`: {why}" for words, why in screens.items()),
            "",
            "What only Python has: functions that take seats, `arena.selfplay`, and calls that are awaited.",
        ]
    )
