"""`arena bots`: lists the sample bots, where they are and what each does, and the builtin bots."""

from pathlib import Path

import click

from arena.cli.options import json_option
from arena.cli.output import Column, print_json, print_table, stdout
from arena.commands.bots import BotFacts, CopyBots, shipped_bots
from arena.entrants.find import BUILTIN_BOTS
from arena.system.shipped import shipped


@click.command("bots")
@click.option(
    "--copy",
    "folder",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Copy the sample bots into the folder DIR, which must be missing or empty.",
)
@json_option
def command(folder: Path | None, as_json: bool) -> None:
    """List the bots that come with the arena, or copy the sample bots, to play against and to learn from.
    Builtin bots need only their name, as in `arena match mybot.py search`.

    Example: arena bots --copy bots
    """
    bots = shipped_bots() if folder is None else CopyBots(folder=str(folder)).carry_out()
    if as_json:
        print_json(bots)
        return
    columns = [Column("bot"), Column("what it does", folds=True), Column("language", spare=1)]
    rows = [(_word(bot), bot.does, bot.language) for bot in bots]
    print_table("Bots", columns, rows, stdout())
    click.echo(f"in {folder or shipped('bots')}")
    if folder is None:
        click.echo(f"{' and '.join(BUILTIN_BOTS)} need no path: use their names in any folder")


def _word(bot: BotFacts) -> str:
    """The bot's file name, or the name of a builtin bot."""
    return Path(bot.path or bot.bot).name
