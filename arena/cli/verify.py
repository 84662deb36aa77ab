"""`arena verify`: checks the journal and the logs of a tournament."""

import re
from functools import partial
from pathlib import Path

import click

from arena.cli import DONE, NO, UNDECIDED
from arena.cli.options import folder_argument, json_option
from arena.cli.output import Status, clear_status, print_json, say
from arena.commands.verify import VerifyResult, verify
from arena.system.errors import UserError
from arena.system.wording import counted


@click.command("verify")
@folder_argument
@click.option(
    "--digest", metavar="SHA256", help="Require this digest of the journal, which was printed or published."
)
@click.option(
    "--commitment",
    metavar="SHA256",
    help="Require this SHA-256 of the secret seed, which came with the invitation.",
)
@json_option
def command(folder: Path, digest: str | None, commitment: str | None, as_json: bool) -> int:
    """Check the journal of DIR and every log in it: draw each round again from the entries before it, deal
    again from the seed, play by the rules, and compare. Exits with 1 if anything is wrong, and with 3 if
    nothing is wrong but something could not be checked. Only --digest, with a digest kept elsewhere, detects
    a journal that was rewritten as a whole.

    Example: arena verify spring --digest 9b2c…
    """
    if commitment is not None and not re.fullmatch("[0-9a-f]{64}", commitment):
        raise UserError(
            f"--commitment {commitment}: must be 64 hex digits, as printed by `arena seed --commit`"
        )
    found = verify(folder, digest, commitment, partial(Status().show_count, "entry"))
    clear_status()
    if found.code:
        say(found.code)
    for one in (*found.wrong, *found.unchecked):
        if one.entry:
            say(f"{one.place}: {one.text}")
    for one in found.wrong:
        if not one.entry:
            say(one.text)
    if as_json:
        print_json(found.as_data())
    elif found.digest:
        _print_counts(found.matches, len(found.wrong), len(found.unchecked), found.digest)
        if not found.wrong and not found.over:
            say("the tournament is not over")
        if found.commitment and not found.wrong:
            click.echo(_what_was_announced(found, asked=commitment is not None))
    return NO if found.wrong else UNDECIDED if found.unchecked else DONE


def _print_counts(matches: int, wrong: int, unchecked: int, digest: str) -> None:
    not_checked = f", {unchecked} not checked" if unchecked else ""
    click.echo(
        f"{counted(matches, 'match')}, {counted(wrong, 'thing')} wrong{not_checked}; journal digest {digest}"
    )


def _what_was_announced(found: VerifyResult, *, asked: bool) -> str:
    """A sentence for a run whose announced seed is correct. `asked`: --commitment was given."""
    if asked:
        return f"this is the run that was announced, if the public value was “{found.public}”"
    return (
        f"the seed is mixed from a secret whose SHA-256 is {found.commitment} and from the public value "
        f"“{found.public}”; compare both with what was announced"
    )
