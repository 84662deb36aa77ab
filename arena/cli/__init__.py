"""The `arena` command: words in, tables out. Each command has a file, which is loaded only when the command
is called, so that `arena --help` starts quickly.

Exit codes: 0 done, 1 the answer is no, 2 your mistake, 3 undecided, 4 our bug, 130 interrupted.
"""

import contextlib
import importlib
import json
import os
import sys
from collections.abc import Mapping
from typing import Any, Final, NoReturn

import click

from arena.cli.onward import WORDS
from arena.process.prepare import prepare_process
from arena.system.errors import UserError, did_you_mean
from arena.system.interruption import asked, begin, discard_output, ignore
from arena.system.leaving import STATUS
from arena.system.machine import require_room
from arena.system.text import caption, visible

DONE: Final = 0
NO: Final = 1
USER_ERROR: Final = 2
UNDECIDED: Final = 3
BUG: Final = 4
INTERRUPTED: Final = STATUS

SECTIONS: Final[Mapping[str, Mapping[str, str]]] = {
    "Write a bot": {
        "new": "Create a first bot in a language of your choice.",
        "bots": "List the bots that come with the arena, or copy the samples.",
        "check": "Check a bot or a game, and say how to fix it.",
        "games": "List the games, or describe one.",
        "docs": "Print a document, such as the specification or tutorial.",
    },
    "Play and compare": {
        "match": "Play one match between bots.",
        "play": "Play a match against bots yourself.",
        "compare": "Find out whether one bot is better than another.",
    },
    "Look back at a match": {
        "replay": "Show a logged match, or verify logs.",
        "review": "Show which decisions cost a bot most.",
        "rerun": "Send a seat's logged requests to a bot again, and compare.",
        "rematch": "Play a logged match again with a different bot in a seat.",
    },
    "Hold a tournament": {
        "tournament": "Play a tournament of several rounds, and rank the bots.",
        "standings": "Show the standings of a tournament, finished or not.",
        "faults": "Show what bots did wrong in a tournament.",
        "report": "Write the pages of a tournament, for a browser.",
        "pairings": "Show who met whom in each round, and why.",
        "export": "Export a tournament as rows of CSV or JSON.",
        "config": "Print the settings of a tournament as TOML.",
        "verify": "Check a tournament's journal and every log.",
        "seed": "Make a secret seed, and print its hash for publishing.",
    },
    "Change or continue a tournament": {
        "resume": "Continue a tournament after an interruption.",
        "withdraw": "Take an entrant out of a tournament.",
        "admit": "Let a late entrant into a tournament.",
        "replace": "Give an entrant a new version.",
        "annul": "Have a match of a tournament played again.",
    },
    "Hold a league": {"league": "Run a league, to which bots may be sent at any time."},
    "Set up your shell": {"completion": "Print the completion script of a shell."},
}
"""The commands in the order of `arena --help`, each with its line there, by what people want to do."""
COMMANDS: Final = tuple(name for commands in SECTIONS.values() for name in commands)

SHARED_MODULES: Final = dict.fromkeys(("withdraw", "admit", "replace", "annul"), "organiser")
"""Commands that share a module, each under its own name there. Any other is `command` in a module of its
name."""

TAKE_BOTS: Final = ("check", "match", "tournament", "compare", "play", "rematch", "rerun", "admit", "replace")
WHAT_A_BOT_IS: Final = (
    "A BOT is an executable file, a file with a known suffix (.py, .js, .sh …), a folder with a bot.toml, "
    "NAME=COMMAND LINE as one word, or a builtin bot: heuristic, search. Put NAME= before a file or a folder "
    "to give it another name."
)

TRACE_LIMIT: Final = 64 * 1024
MESSAGE_LIMIT: Final = 2000
"""Characters of an error message."""
HIDDEN: Final = ("worker",)
"""Commands that `arena --help` does not list."""


class LazyGroup(click.Group):
    """Knows its commands by name, and imports each when it is called."""

    def list_commands(self, context: click.Context) -> list[str]:
        """In the order of `arena --help`."""
        return list(COMMANDS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """The command, imported; None if there is none of this name."""
        if name not in COMMANDS and name not in HIDDEN:
            return None
        module = importlib.import_module(f"arena.cli.{SHARED_MODULES.get(name, name)}")
        command = getattr(module, name if name in SHARED_MODULES else "command")
        assert isinstance(command, click.Command)
        begin()
        if name in TAKE_BOTS:
            command.epilog = WHAT_A_BOT_IS
        return command

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        """`help` is read as `--help`, `help COMMAND` as `COMMAND --help`."""
        if args[:1] == ["help"]:
            args = [*args[1:2], "--help"]
        return super().parse_args(context, args)

    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Raises UserError for an unknown command, with the names that are like it."""
        if args and self.get_command(context, args[0]) is None and not args[0].startswith("-"):
            raise UserError(f"unknown command {args[0]!r}{did_you_mean(args[0], COMMANDS)}")
        context.meta[WORDS] = tuple(args[1:])
        return super().resolve_command(context, args)

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands in sections, without importing them."""
        width = max(map(len, COMMANDS))
        for heading, commands in SECTIONS.items():
            with formatter.section(heading):
                formatter.write_dl([(name.ljust(width), line) for name, line in commands.items()])


def _print_version(context: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked:
        from arena.cli.version import version

        click.echo(version())
        context.exit()


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show all versions and exit.",
)
def arena() -> None:
    """An arena for card-playing bots in any language. To begin, read `arena docs tutorial`.

    \b
    arena new python mybot                       make a bot
    arena check mybot                            find its mistakes
    arena match mybot bots/careful.py            play one match
    arena tournament mybot bots/*                play a tournament
    """


def main() -> NoReturn:
    """Run a command. An error becomes one line and an exit code."""
    prepare_process()
    try:
        require_room()
        status = arena.main(prog_name="arena", standalone_mode=False)
    except BaseException as error:
        status = _failed(error)
    status = _delivered(status)
    ignore()
    if status == INTERRUPTED:
        # If Ctrl-C has interrupted an exec() of text, which imports may run, CPython kills itself by SIGINT
        # at its exit although the interrupt was caught. Everything is unwound here, so skip that exit.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
    sys.exit(status if isinstance(status, int) else DONE)


def _failed(error: BaseException) -> int:
    """Say in one line what went wrong. The exit code."""
    match error:
        case UserError():
            return _interrupted(f"; {error}") if asked() else _complain(str(error), USER_ERROR)
        case click.exceptions.NoArgsIsHelpError():
            error.show()
            return USER_ERROR
        case click.NoSuchOption(ctx=click.Context() as context, option_name=option) if any(
            isinstance(one, click.Argument) and f"--{one.name}" == option for one in context.command.params
        ):
            words = " ".join(context.command.collect_usage_pieces(context))
            meant = f"{option} is an argument and takes no flag: {context.command_path} {words}"
            return _complain(meant, USER_ERROR)
        case click.UsageError():
            # click has lost the command's context when it reports an option without its value.
            called = " ".join(["arena", *(word for word in sys.argv[1:2] if word in COMMANDS)])
            where = error.ctx.command_path if error.ctx else called
            return _complain(f"{error.format_message()} (see {where} --help)", USER_ERROR)
        case click.ClickException():
            return _complain(error.format_message(), USER_ERROR)
        case click.Abort() | KeyboardInterrupt():
            return _interrupted()
        case SystemExit():
            # click raises this when the reader of a pipe has closed it; a packaged game may raise it too.
            return _complain(reason, USER_ERROR) if (reason := _blamed(error)) else DONE
    from arena.commands.failure import failure_of

    failure = failure_of(error)
    if failure.kind == "interrupted":
        return _interrupted()
    if failure.kind == "bug":
        return _our_bug(failure.text)
    return _complain(failure.text, USER_ERROR)


def _delivered(status: Any) -> Any:
    """Flush standard output. The status, or that of an error if the output could not be written."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        discard_output()  # The reader has closed the pipe, which is no error.
    except OSError as error:
        discard_output(1)
        return _complain(f"standard output: {error.strerror}", USER_ERROR)
    return status


def _interrupted(what: str = "") -> int:
    ignore()
    return _complain(f"interrupted{what}", INTERRUPTED)


def _blamed(error: BaseException) -> str | None:
    """Names the game's package that raised the error, if one did."""
    from arena.games.registry import blame

    return blame(error)


def _our_bug(trace: str) -> int:
    click.echo(visible(trace.encode(), TRACE_LIMIT), err=True, nl=False)
    return _complain("this is a bug in the arena; please report it with the lines above", BUG)


def _complain(message: str, status: int) -> int:
    """Print one line on standard error; with --json also an object on standard output. The message is made
    harmless, since it may quote any text."""
    message = caption(message, MESSAGE_LIMIT)
    click.echo(f"arena: {message}", err=True)
    if "--json" in sys.argv:
        with contextlib.suppress(OSError):  # Standard output itself may be the error.
            click.echo(json.dumps({"error": message, "exit": status}))
    return status
