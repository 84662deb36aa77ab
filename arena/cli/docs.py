"""`arena docs`: the documents of the arena, which are installed with it."""

import click

from arena.cli.output import print_document
from arena.commands.docs import document, documents


@click.command("docs")
@click.argument("name", required=False)
def command(name: str | None) -> None:
    """Print the document NAME, or list the documents.

    Example: arena docs tutorial
    """
    if name is None:
        for known, about in documents().items():
            click.echo(f"{known:<12}  {about}")
    else:
        print_document(document(name))
