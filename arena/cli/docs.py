"""`arena docs`: the documents of the arena, which are installed with it."""

import click

from arena.cli.derived import takes
from arena.cli.output import print_document
from arena.commands.docs import ReadDocument


@click.command("docs")
@takes(ReadDocument)
def command(call: ReadDocument) -> None:
    """Print the document NAME, or list the documents.

    \b
    arena docs tutorial
    arena docs llms --game ole        # all that a program needs to write a bot
    """
    read = call.carry_out()
    if isinstance(read, str):
        print_document(read)
    else:
        for known, about in read.items():
            click.echo(f"{known:<12}  {about}")
