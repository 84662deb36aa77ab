"""The organiser's entries: `arena withdraw`, `admit`, `replace` and `annul`."""

from pathlib import Path

import click

from arena.cli.options import folder_argument, titles_option
from arena.cli.output import say
from arena.cli.terms import titles_from
from arena.cli.trust import level_option, trust_option
from arena.commands.organiser import Admit, Annul, Replace, Withdraw
from arena.process.sandbox import Level

_reason = click.option("--reason", required=True, help="Why; shown in the standings.")


@click.command("withdraw")
@folder_argument
@click.argument("name")
@_reason
def withdraw(folder: Path, name: str, reason: str) -> None:
    """Take NAME out of the tournament in DIR from the next round on. Its matches so far count.

    Example: arena withdraw spring ada --reason "her own wish"
    """
    Withdraw(folder=str(folder), name=name, reason=reason).carry_out(say)


@click.command("admit")
@folder_argument
@click.argument("bot")
@titles_option
@click.option(
    "--may-win", is_flag=True, help="Let it be first even if it plays in fewer than half of the rounds."
)
@trust_option
@level_option
def admit(
    folder: Path, bot: str, titles: tuple[str, ...], may_win: bool, trust: bool, level: Level | None
) -> None:
    """Let a late BOT into the tournament in DIR from the next round on. An entrant that plays in fewer than
    half of the rounds is never first without --may-win.

    Example: arena admit spring late.py
    """
    call = Admit(
        folder=str(folder),
        bot=bot,
        titles=titles_from(titles),
        may_win=may_win,
        trust=trust,
        level=level,
    )
    call.carry_out(say)


@click.command("replace")
@folder_argument
@click.argument("bot")
@titles_option
@_reason
@trust_option
@level_option
def replace(
    folder: Path, bot: str, titles: tuple[str, ...], reason: str, trust: bool, level: Level | None
) -> None:
    """Give an entrant of the tournament in DIR a new version from the next round on; one that is withdrawn
    plays again. BOT must have the name of the entrant. It keeps the entrant's title unless it has one itself.
    The pairing continues from the entrant's score; in the table each version has its own row.

    Example: arena replace spring ada=./ada-2 --reason "a crash mended"
    """
    call = Replace(
        folder=str(folder),
        bot=bot,
        reason=reason,
        titles=titles_from(titles),
        trust=trust,
        level=level,
    )
    call.carry_out(say)


@click.command("annul")
@folder_argument
@click.argument("match_id", metavar="MATCH")
@_reason
def annul(folder: Path, match_id: str, reason: str) -> None:
    """Annul MATCH of the tournament in DIR: it no longer counts, and will be played again under its id.

    Example: arena annul spring r02-p001-s03 --reason "the machine was asleep"
    """
    Annul(folder=str(folder), match_id=match_id, reason=reason).carry_out(say)
