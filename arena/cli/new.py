"""`arena new`: creates a folder with a first bot, or with a game of one's own. Either works as it is."""

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
    comment in it says where your idea goes, and README.md what it needs. The bot has the name of its folder.
    In Python, JavaScript and C a larger bot stands beside it, which plays out what it cannot see.

    With --game alone, create a folder of that name with a package: a simple game, its rules as text, a
    picture, advice for bots, and tests, for you to turn into your own game.

    \b
    arena new python mybot               the program is mybot/bot.py
    arena new rust mybot --game ole      for one game; built by the arena, in its sandbox
    arena new --game mygame              a game of your own
    """
    # Here either may be missing.
    language: str | None = call.language
    folder: AnyPath | None = call.folder
    if language is None:
        if call.game is None or call.kit:
            raise UserError("which language, and which folder? Say: arena new python mybot")
        _print_game(NewGame(id=call.game).carry_out())
    elif folder is None and language.lower() not in {*LANGUAGES, *ALIASES}:
        # Whoever writes one word means the folder.
        raise UserError(f"which language? Say: arena new python {shlex.quote(language)}")
    elif folder is None:
        raise UserError(f"which folder? Say: arena new {language} mybot")
    else:
        _print_bot(call.carry_out(), folder, call.game)


def _print_game(folder: str) -> None:
    """Print the way on from a new game, which is called like its folder."""
    click.echo(
        f"{folder} is a package with a game; its rules go into src/. Install it beside the arena, then:"
    )
    click.echo(f"  {shlex.quote(sys.executable)} -m pip install -e {shlex.quote(str(folder))}")
    for words in (
        ("check", "--game", folder),
        ("match", "--game", folder, *BUILTIN_BOTS),
        ("docs", "your-game"),
    ):
        click.echo(f"  {onward(*words)}")


def _print_bot(made: NewBotResult, folder: AnyPath, game: str | None) -> None:
    click.echo(f"{made.program} is a bot; your idea goes where it says so. Then:")
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
