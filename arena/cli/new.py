"""`arena new`: creates a folder with a first bot or with a new game. Both work as they are."""

import shlex
import sys

import click

from arena.cli.derived import takes
from arena.cli.onward import onward
from arena.cli.output import say
from arena.commands.new import ALIASES, LANGUAGES, NewBot, NewBotResult, NewGame
from arena.entrants.find import BUILTIN_BOTS
from arena.playing.spellings import AnyPath
from arena.system.errors import UserError


@click.command("new", epilog=f"Languages: {', '.join(LANGUAGES)}.")
@takes(NewBot, {"language": {"required": False}, "folder": {"required": False}})
def command(call: NewBot) -> None:
    """Create a folder DIR with a short program in LANGUAGE that plays every game correctly, but badly. A
    comment in it says where your idea goes; README.md says what to install. The bot is named after its
    folder. For Python, JavaScript and C there is also a larger bot, which imagines the cards it cannot see.

    With only --game, create a package of that name for you to turn into your own game: a simple game, its
    rules as text, a picture, advice for bots, and tests.

    \b
    arena new python mybot            # the program is mybot/bot.py
    arena new rust mybot --game ole   # for one game; built in the sandbox
    arena new --game mygame           # a game of your own
    """
    # Both may be missing here.
    language: str | None = call.language
    folder: AnyPath | None = call.folder
    if language is None:
        if call.game is None or call.kit:
            raise UserError("name a language and a folder: arena new python mybot")
        _print_game(NewGame(id=call.game).carry_out())
    elif folder is None and language.lower() not in {*LANGUAGES, *ALIASES}:
        # A single word is most likely the folder.
        raise UserError(f"name a language too: arena new python {shlex.quote(language)}")
    elif folder is None:
        raise UserError(f"name a folder too: arena new {language} mybot")
    else:
        _print_bot(call.carry_out(), folder, call.game)


def _print_game(folder: str) -> None:
    """Print the next commands for a new game, which is named after its folder."""
    click.echo(f"{folder} is a package with a game; write its rules in src/. Install it, then try it:")
    click.echo(f"  {shlex.quote(sys.executable)} -m pip install -e {shlex.quote(str(folder))}")
    for words in (
        ("check", "--game", folder),
        ("match", "--game", folder, *BUILTIN_BOTS),
        ("docs", "your-game"),
    ):
        click.echo(f"  {onward(*words)}")


def _print_bot(made: NewBotResult, folder: AnyPath, game: str | None) -> None:
    click.echo(f"{made.program} is a bot. Put your idea where it says “your idea”, then:")
    only = ("--game", game) if game else ()
    for words in (
        ("check", folder),
        ("match", folder, *BUILTIN_BOTS, *only, "--log", "match.jsonl"),
        ("review", "match.jsonl", "--seat", 0),
        ("docs", "tutorial"),
    ):
        click.echo(f"  {onward(*words)}")
    for program, package in made.missing.items():
        way_out = f"Debian, Ubuntu: apt install {package}"
        say(f"it cannot play on this machine yet: {program} is missing ({way_out})")
