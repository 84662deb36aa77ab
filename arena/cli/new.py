"""`arena new`: creates a folder with a first bot, or with a game of one's own. Either works as it is."""

import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import click

from arena import registry
from arena.cli.output import say
from arena.entrants.find import LENT
from arena.entrants.names import NAME
from arena.games.game import Game
from arena.registry.package import ID_RULE, is_id
from arena.starters import STARTERS, make, make_game, missing
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
@click.argument("language", metavar="LANGUAGE", required=False)
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path), required=False)
@click.option("--game", "id", help="A bot for this game only; alone: a new game of this name.")
@click.option("--kit", is_flag=True, help="Add kit.py, which turns lines of JSON into calls (Python).")
def command(language: str | None, folder: Path | None, id: str | None, kit: bool) -> None:
    """Create a folder DIR with a short program in LANGUAGE that plays every game correctly, but badly. It
    needs the standard library only, and a comment in it says where your idea goes. The bot has the name of
    its folder.

    With --game alone, create a folder of that name with a package: a simple game, its rules as text, a
    picture, advice for bots, and tests, for you to turn into your own game.

    \b
    arena new python mybot               the program is mybot/bot.py
    arena new rust mybot --game ole      for one game; built by the arena, in its sandbox
    arena new --game mygame              a game of your own
    """
    if language is None:
        if id is None or kit:
            raise UserError("which language, and which folder? Say: arena new python mybot")
        _new_game(id)
    elif folder is None:
        raise UserError(f"which folder? Say: arena new {language} mybot")
    else:
        _new_bot(language, folder, None if id is None else registry.game(id), kit)


def _new_game(id: str) -> None:
    if registry.is_known(id):
        raise UserError(
            f"--game {id}: there is a game of that name; for a bot: arena new python mybot --game {id}"
        )
    if not is_id(id):
        raise UserError(f"--game {id}: a game's name is {ID_RULE}")
    folder = Path(id)
    make_game(folder, id)
    click.echo(
        f"{folder} is a package with a game; its rules go into src/. Install it beside the arena, then:"
    )
    click.echo(f"  {shlex.quote(sys.executable)} -m pip install -e {folder}")
    click.echo(f"  arena check --game {id}")
    click.echo(f"  arena match --game {id} {' '.join(LENT)}")
    click.echo("  arena docs your-game")


def _new_bot(language: str, folder: Path, game: Game | None, kit: bool) -> None:
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
