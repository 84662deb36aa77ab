"""`arena docs`: the documents of the arena, which are installed with it."""

import json
from collections.abc import Callable, Mapping
from typing import Final

import click

from arena.cli.output import print_document
from arena.system.errors import UserError, did_you_mean
from arena.system.shipped import shipped


def _schema() -> str:
    from arena.games import GAMES
    from arena.games.schema import wire_schema

    return json.dumps(wire_schema(GAMES.values()), indent=2) + "\n"


DOCUMENTS: Final[Mapping[str, tuple[str | Callable[[], str], str]]] = {
    "tutorial": ("docs/tutorial.md", "from nothing to a bot that beats greedy, in half an hour"),
    "spec": ("SPEC.md", "all a bot has to know: the wire, faults, the rules of the games"),
    "schema": (_schema, "the wire as a JSON Schema: messages, views, events, actions"),
    "your-game": ("docs/your-game.md", "a game of your own, from nothing to a tournament"),
    "organiser": ("docs/organiser.md", "how to hold a contest of strangers' bots"),
    "researcher": ("docs/researcher.md", "what can be known, repeated and learnt"),
    "cluster": ("docs/cluster.md", "playing on many machines"),
    "contributor": ("docs/contributor.md", "where things are in the source, and how to add one"),
    "release": ("docs/release.md", "how a version is released"),
    "changes": ("CHANGELOG.md", "what a new version means for you"),
}
"""Each document's name with its path, or what makes it, and its subject."""


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
        raise UserError(f"unknown document {name!r}{did_you_mean(wanted, DOCUMENTS)}")
    source, _ = DOCUMENTS[wanted]
    text = shipped(source).read_text("utf-8") if isinstance(source, str) else source()
    print_document(text)
