"""Changes by the organiser: `arena withdraw`, `admit`, `replace` and `annul`."""

import click

from arena.cli.derived import takes
from arena.cli.output import say
from arena.commands.organiser import Admit, Annul, Replace, Withdraw


@click.command("withdraw")
@takes(Withdraw)
def withdraw(call: Withdraw) -> None:
    """Take the entrant NAME out of the tournament in DIR from the next round. Its matches so far still count.

    Example: arena withdraw spring ada --reason "her own wish"
    """
    call.carry_out(say)


@click.command("admit")
@takes(Admit)
def admit(call: Admit) -> None:
    """Let a late BOT into the tournament in DIR from the next round. If it plays in fewer than half of the
    rounds, it can be first only with --may-win.

    Example: arena admit spring late.py
    """
    call.carry_out(say)


@click.command("replace")
@takes(Replace)
def replace(call: Replace) -> None:
    """Give an entrant of the tournament in DIR a new version from the next round. If the entrant was
    withdrawn, it plays again. BOT must have the entrant's name; it keeps the title unless it has its own.
    Pairing continues from the entrant's score, and in the table each version has its own row.

    Example: arena replace spring ada=./ada-2 --reason "fixed a crash"
    """
    call.carry_out(say)


@click.command("annul")
@takes(Annul)
def annul(call: Annul) -> None:
    """Annul MATCH of the tournament in DIR: its result no longer counts, and it is played again under its id.

    Example: arena annul spring r02-p001-s03 --reason "the machine was asleep"
    """
    call.carry_out(say)
