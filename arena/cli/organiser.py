"""The organiser's entries: `arena withdraw`, `admit`, `replace` and `annul`."""

import click

from arena.cli.derived import takes
from arena.cli.output import say
from arena.commands.organiser import Admit, Annul, Replace, Withdraw


@click.command("withdraw")
@takes(Withdraw)
def withdraw(call: Withdraw) -> None:
    """Take NAME out of the tournament in DIR from the next round on. Its matches so far count.

    Example: arena withdraw spring ada --reason "her own wish"
    """
    call.carry_out(say)


@click.command("admit")
@takes(Admit)
def admit(call: Admit) -> None:
    """Let a late BOT into the tournament in DIR from the next round on. An entrant that plays in fewer than
    half of the rounds is never first without --may-win.

    Example: arena admit spring late.py
    """
    call.carry_out(say)


@click.command("replace")
@takes(Replace)
def replace(call: Replace) -> None:
    """Give an entrant of the tournament in DIR a new version from the next round on; one that is withdrawn
    plays again. BOT must have the name of the entrant. It keeps the entrant's title unless it has one itself.
    The pairing continues from the entrant's score; in the table each version has its own row.

    Example: arena replace spring ada=./ada-2 --reason "a crash mended"
    """
    call.carry_out(say)


@click.command("annul")
@takes(Annul)
def annul(call: Annul) -> None:
    """Annul MATCH of the tournament in DIR: it no longer counts, and will be played again under its id.

    Example: arena annul spring r02-p001-s03 --reason "the machine was asleep"
    """
    call.carry_out(say)
