"""`arena verify`: proof that a tournament is what its journal says."""

from pathlib import Path

import click

from arena.cli import DONE, NO
from arena.cli.options import folder_argument, json_option
from arena.cli.output import print_json, say
from arena.journal import Journal
from arena.verify import findings


@click.command("verify")
@folder_argument
@click.option("--digest", metavar="SHA256", help="The journal digest that was printed or published.")
@json_option
def command(folder: Path, digest: str | None, as_json: bool) -> int:
    """Check the journal of DIR and every log in it: deal again from the seed, play by the rules, compare.
    Exits with 1 if anything is wrong. Only a digest that was kept elsewhere tells a journal from one that was
    written anew as a whole.

    Example: arena verify spring --digest 9b2c…
    """
    with Journal(folder) as journal:
        wrong = []
        found = list(findings(journal))
        for finding in found:
            if finding.wrong is not None:
                wrong.append({"match": finding.match_id, "wrong": finding.wrong})
                say(f"{finding.match_id}: {finding.wrong}")
        if digest is not None and digest != journal.digest:
            went_on = "it went on after that" if digest in journal.digests else "it is another journal"
            wrong.append({"match": "", "wrong": f"the digest is not {digest}: {went_on}"})
            say(wrong[-1]["wrong"])
        if as_json:
            print_json({"matches": len(found), "wrong": wrong, "digest": journal.digest})
        else:
            click.echo(f"{len(found)} matches, {len(wrong)} things wrong; journal digest {journal.digest}")
    return NO if wrong else DONE
