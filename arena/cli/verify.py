"""`arena verify`: checks that a tournament's journal and logs are true."""

import re
from pathlib import Path
from typing import Any

import click

from arena.calls.wording import counted
from arena.cli import DONE, NO, UNDECIDED
from arena.cli.options import folder_argument, json_option
from arena.cli.output import print_json, say, say_of_code
from arena.running.journal import Announced, Created, DamageError, Journal
from arena.running.state import Record
from arena.running.verify import Finding, findings
from arena.system.errors import UserError


@click.command("verify")
@folder_argument
@click.option("--digest", metavar="SHA256", help="The journal digest that was printed or published.")
@click.option(
    "--commitment", metavar="SHA256", help="The SHA-256 of the secret seed that came with the invitation."
)
@json_option
def command(folder: Path, digest: str | None, commitment: str | None, as_json: bool) -> int:
    """Check the journal of DIR and every log in it: draw each round again from the entries before it, deal
    again from the seed, play by the rules, and compare. Exits with 1 if anything is wrong, and with 3 if
    nothing is wrong but something could not be checked. A journal that was rewritten as a whole is found out
    only by --digest, with a digest that was kept elsewhere.

    Example: arena verify spring --digest 9b2c…
    """
    if commitment is not None and not re.fullmatch("[0-9a-f]{64}", commitment):
        raise UserError(f"--commitment {commitment}: 64 hex digits are due, as `arena seed --commit` printed")
    try:
        journal = Journal(folder)
    except DamageError as error:
        say(str(error))
        if as_json:
            print_json({"matches": 0, "wrong": [{"entry": 0, "match": "", "wrong": str(error)}]})
        return NO
    with journal:
        found = list(findings(journal))
        created = journal.entries[0]
        assert isinstance(created, Created)
        say_of_code(created)
        wrong = [one for one in found if one.wrong is not None]
        unchecked = [one for one in found if one.unchecked is not None]
        if commitment is not None and (why := _not_announced(created.announced, commitment)):
            wrong.append(Finding(1, wrong=why))
        for one in wrong:
            say(f"{one.place}: {one.wrong}")
        for one in unchecked:
            say(f"{one.place}: {one.unchecked}")
        if digest is not None and digest != journal.digest:
            went_on = "it went on after that" if digest in journal.digests else "it is another journal"
            wrong.append(Finding(0, wrong=f"the digest is not {digest}: {went_on}"))
            say(f"{wrong[-1].wrong}")
        # A journal that is wrong may not even have a state to compute.
        over = not wrong and Record(journal.entries).over
        matches = sum(one.counts for one in found)
        if as_json:
            print_json(
                {
                    "matches": matches,
                    "over": over,
                    "wrong": [_as_data(one, "wrong", one.wrong) for one in wrong],
                    "unchecked": [_as_data(one, "unchecked", one.unchecked) for one in unchecked],
                    "public": created.announced.public if created.announced else None,
                    "digest": journal.digest,
                }
            )
        else:
            _print_counts(matches, len(wrong), len(unchecked), journal.digest)
            if not wrong and not over:
                say("the tournament is not over")
            if created.announced and not wrong:
                click.echo(_what_was_announced(created.announced, asked=commitment is not None))
    return NO if wrong else UNDECIDED if unchecked else DONE


def _print_counts(matches: int, wrong: int, unchecked: int, digest: str) -> None:
    not_checked = f", {unchecked} not checked" if unchecked else ""
    click.echo(
        f"{counted(matches, 'match')}, {counted(wrong, 'thing')} wrong{not_checked}; journal digest {digest}"
    )


def _not_announced(announced: Announced | None, commitment: str) -> str | None:
    """Why the run is not the one with this commitment; None if it is."""
    if announced is None:
        return "this run has no commitment: its seed was not announced"
    if announced.commitment != commitment:
        return f"its secret seed is not the one announced: its SHA-256 is {announced.commitment}"
    return None


def _what_was_announced(announced: Announced, *, asked: bool) -> str:
    """A sentence for a run whose announced seed is right; `asked` says that --commitment was given."""
    if asked:
        return f"this is the run that was announced, if the public value was “{announced.public}”"
    return (
        f"the seed is mixed from a secret whose SHA-256 is {announced.commitment} and from the public value "
        f"“{announced.public}”; compare both with what was announced"
    )


def _as_data(finding: Finding, key: str, text: str | None) -> dict[str, Any]:
    return {"entry": finding.entry_no, "match": finding.match_id, key: text}
