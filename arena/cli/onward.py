"""Suggests the next command as a line that can be copied: words are quoted, and it repeats the game and the
terms of the present command.

Knows the command lines; not what any command does.
"""

import os
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click

WORDS: Final = "arena.cli.words"
"""The key under which the context keeps the words of the command line after the command."""
SAID_AGAIN: Final = (
    *("--game", "--option", "--seats", "--time", "--startup", "--faults", "--ponder"),
    *("--sandbox", "--memory", "--allow"),
)


def onward(*words: object) -> str:
    """`arena` with these words, quoted if a shell would split or change them."""
    return shlex.join(("arena", *map(str, words)))


def log_for(words: Sequence[str]) -> Path:
    """A place for the log of a match between the bots that these words name: here, or in a parent folder if a
    bot could read it here; never over an existing log."""
    from arena.entrants.apart import outside
    from arena.process.sandbox import below
    from arena.system.outputs import beside

    paths = (word if os.path.isdir(word) else word.partition("=")[2] for word in words)
    folders = [os.path.realpath(path) for path in paths if os.path.isdir(path)]
    log = Path("match.jsonl")
    if below(os.path.realpath("."), folders):
        log = outside(log, lambda folder: below(str(folder), folders))
    return beside(log) if log.exists() else log


def how_to_serve(run: Path) -> tuple[str, str]:
    """Lines that say how to see a report with too many matches for one file."""
    serve = ("python3", "-m", "http.server", "-b", "127.0.0.1", "-d", str(run))
    return (
        "too many matches for one file: publish report.html, replay.html, report/ and replays/ on a server",
        f"to see it here: {shlex.join(serve)} and open http://127.0.0.1:8000/report.html",
    )


def said_again(command: click.Command) -> Sequence[str]:
    """The options of SAID_AGAIN that the command line has and that `command` takes as well."""
    context = click.get_current_context()
    given, _, _ = context.command.make_parser(context).parse_args(list(context.meta[WORDS]))
    taken = {flag for parameter in command.params for flag in parameter.opts}
    words: list[str] = []
    for parameter in context.command.params:
        flag = parameter.opts[0]
        if parameter.name not in given or flag not in SAID_AGAIN or flag not in taken:
            continue
        value = given[parameter.name]
        if isinstance(parameter, click.Option) and parameter.is_flag:
            words.append(flag)
        else:
            for text in value if parameter.multiple else (value,):
                words += (flag, text)
    return words
