"""`arena seed`: makes a secret seed, and prints its hash to publish with an invitation."""

from pathlib import Path

import click

from arena.cli.output import say
from arena.commands.seed import FILE, CommitSeed


@click.command("seed")
@click.argument("path", metavar="[FILE]", type=click.Path(path_type=Path), default=FILE, required=False)
@click.option(
    "--commit", is_flag=True, help="Make a secret seed, and write it into FILE, which must not exist yet."
)
def command(path: Path, commit: bool) -> None:
    """Print the SHA-256 of the secret seed in FILE (by default secret.seed), to publish with an invitation.
    Keep FILE secret until the tournament is over. After entries have closed, wait for a public value that
    nobody controls; then `arena tournament --seed-file FILE --public VALUE` deals from both.

    Example: arena seed --commit spring.seed
    """
    click.echo(CommitSeed(path=str(path), commit=commit).carry_out(say))
