"""`arena rematch`: plays a logged match again, with another bot at one seat."""

from pathlib import Path

import click

from arena.cli.meant import PlaceType
from arena.cli.options import BOT, json_option, log_option, sandbox_options, titles_option
from arena.cli.output import say
from arena.cli.single import show
from arena.cli.terms import titles_from
from arena.cli.trust import trust_option
from arena.commands.rematch import Rematch
from arena.games import registry
from arena.process.walls import Walls
from arena.system.places import Kind


@click.command("rematch")
@click.argument("path", metavar="LOG", type=PlaceType(Kind.LOG))
@click.option("--seat", type=click.IntRange(0), required=True, help="The seat that another bot takes.")
@click.argument("bot", type=BOT)
@click.argument("others", nargs=-1, type=BOT)
@titles_option
@log_option
@sandbox_options
@trust_option
@json_option
def command(
    path: Path,
    seat: int,
    bot: str,
    others: tuple[str, ...],
    titles: tuple[str, ...],
    log: Path | None,
    walls: Walls,
    trust: bool,
    as_json: bool,
) -> None:
    """Play the match in LOG again with the same deals and limits, and with BOT in SEAT.

    A log holds only the digests of the programs, and nothing in it is executed. The programs of the other
    seats are looked for among OTHERS by their digests, then at the paths that the tournament's journal beside
    the log names, if a file or folder there still has the digest. A bot that entered by a command line has to
    be among OTHERS. A program that has changed since is another opponent, and is refused. Paths of a run that
    was not made here by you are used only with --trust.

    Example: arena rematch match.jsonl --seat 0 mybot2.py bots/*
    """
    call = Rematch(
        log=str(path),
        seat=seat,
        bot=bot,
        others=others,
        titles=titles_from(titles),
        out=None if log is None else str(log),
        walls=walls,
        trust=trust,
    )
    done = call.carry_out(say)
    show(done.played, log=log, as_json=as_json)
    if not as_json:
        points = f"{done.points} {registry.game(done.played.job.settings.game).counts}"
        say(f"in {path} seat {seat} was {done.before.called}, with {points}, placed {done.placing}")
