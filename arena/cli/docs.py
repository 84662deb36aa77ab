"""`arena docs`: the documents that come with the arena, also where there is no source."""

import click

from arena.errors import UserError, meant
from arena.shipped import shipped


@click.command("docs")
@click.argument("name", required=False)
def command(name: str | None) -> None:
    """Print the document NAME, or list the documents.

    Example: arena docs tutorial
    """
    documents = {path.stem.lower(): path for path in sorted(shipped("docs").glob("*.md"))}
    documents |= {"changes": shipped("CHANGELOG.md"), "spec": shipped("SPEC.md")}
    if name is None:
        for known, path in documents.items():
            click.echo(f"{known:<12}  {path}")
    elif name in documents:
        click.echo(documents[name].read_text("utf-8"), nl=False)
    else:
        raise UserError(f"unknown document {name!r}{meant(name, documents)}")
