"""`arena docs`: the documents of the arena, which are installed with it."""

import sys
from collections.abc import Mapping
from typing import Final

import click

from arena.system.errors import UserError, meant
from arena.system.shipped import shipped

DOCUMENTS: Final[Mapping[str, tuple[str, str]]] = {
    "tutorial": ("docs/tutorial.md", "from nothing to a bot that beats greedy, in half an hour"),
    "spec": ("SPEC.md", "all a bot has to know: the wire, faults, the rules of the games"),
    "organiser": ("docs/organiser.md", "how to hold a contest of strangers' bots"),
    "researcher": ("docs/researcher.md", "what can be known, repeated and learnt"),
    "cluster": ("docs/cluster.md", "playing on many machines"),
    "contributor": ("docs/contributor.md", "where things are in the source, and how to add one"),
    "release": ("docs/release.md", "how a version is released"),
    "changes": ("CHANGELOG.md", "what a new version means for you"),
}
"""Each document's name with its path and its subject."""


@click.command("docs")
@click.argument("name", required=False)
def command(name: str | None) -> None:
    """Print the document NAME, or list the documents.

    Example: arena docs tutorial
    """
    if name is None:
        for known, (_, about) in DOCUMENTS.items():
            click.echo(f"{known:<12}  {about}")
        return
    wanted = name.lower().removesuffix(".md")
    if wanted not in DOCUMENTS:
        raise UserError(f"unknown document {name!r}{meant(wanted, DOCUMENTS)}")
    text = shipped(DOCUMENTS[wanted][0]).read_text("utf-8")
    if sys.stdout.isatty():
        click.echo_via_pager(text)
    else:
        click.echo(text, nl=False)
