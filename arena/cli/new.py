"""`arena new`: creates a folder with a first bot, which is correct."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import click

from arena.cli.options import GameType
from arena.cli.output import say
from arena.entrants.find import LENT
from arena.entrants.names import NAME
from arena.games.game import Game
from arena.starters import STARTERS, make, missing
from arena.system.errors import UserError, did_you_mean

ALIASES: Final[Mapping[str, str]] = {
    "bash": "sh",
    "c++": "cpp",
    "golang": "go",
    "js": "javascript",
    "node": "javascript",
    "pl": "perl",
    "py": "python",
    "python3": "python",
    "rb": "ruby",
    "rs": "rust",
    "shell": "sh",
    "ts": "typescript",
}
"""Other names of languages."""


@click.command("new", epilog=f"Languages: {', '.join(STARTERS)}.")
@click.argument("language", metavar="LANGUAGE")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--game", type=GameType(), help="Play this game only.  [default: all games]")
@click.option("--kit", is_flag=True, help="Add kit.py, which turns lines of JSON into calls (Python).")
def command(language: str, folder: Path, game: Game | None, kit: bool) -> None:
    """Create a folder DIR with a short program in LANGUAGE that plays every game correctly, but badly. It
    needs the standard library only, and a comment in it says where your idea goes. The bot has the name of
    its folder.

    \b
    arena new python mybot               the program is mybot/bot.py
    arena new rust mybot --game ole      for one game; built by the arena, in its sandbox
    """
    called, language = language, ALIASES.get(language.lower(), language.lower())
    if language not in STARTERS:
        raise UserError(f"unknown language {called!r}{did_you_mean(language, STARTERS)}")
    if kit and language != "python":
        raise UserError(f"--kit: there is a kit for python only, not for {language}")
    name = folder.absolute().name
    if not NAME.fullmatch(name) or not name[0].isalnum():
        allowed = "1 to 32 of A–Z a–z 0–9 . _ -, a letter or digit first"
        raise UserError(f"{folder}: {name!r} cannot be a bot's name ({allowed})")
    starter = STARTERS[language]
    make(language, folder, name, game.id if game else None, kit=kit)
    click.echo(f"{folder / starter.program} is a bot; your idea goes where it says so. Then:")
    only = f" --game {game.id}" if game else ""
    click.echo(f"  arena check {folder}")
    click.echo(f"  arena match {folder} {' '.join(LENT)}{only}")
    click.echo("  arena docs tutorial")
    for program, package in missing(starter).items():
        way_out = f"Debian, Ubuntu: apt install {package}"
        say(f"it cannot play on this machine yet: {program} is missing ({way_out})")
