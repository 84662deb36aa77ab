"""`arena seed`: draws a secret seed, and prints its hash to publish with an invitation. Also the options of
`arena tournament` that deal from such a seed.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import click

from arena.cli.output import say
from arena.commands.seed import FILE, CommitSeed

R = TypeVar("R")


@click.command("seed")
@click.argument("path", metavar="[FILE]", type=click.Path(path_type=Path), default=FILE, required=False)
@click.option("--commit", is_flag=True, help="Draw a secret seed into FILE, which must not exist yet.")
def command(path: Path, commit: bool) -> None:
    """Print the SHA-256 of the secret seed in FILE (secret.seed), to publish with an invitation. FILE stays
    secret until the tournament is over. After the entries have closed, wait for a public value that nobody
    controls; then `arena tournament --seed-file FILE --public VALUE` deals from both.

    Example: arena seed --commit spring.seed
    """
    click.echo(CommitSeed(path=str(path), commit=commit).carry_out(say))


def seed_options(command: Callable[..., R]) -> Callable[..., R]:
    """The options of an announced seed; the command gets them as `seed_file` and `public`."""
    for option in (
        click.option(
            "--public",
            metavar="VALUE",
            help="With --seed-file: a value that nobody controls, or knew before the entries closed.",
        ),
        click.option(
            "--seed-file",
            type=click.Path(path_type=Path),
            metavar="FILE",
            help="Deal from the secret seed of `arena seed --commit`, whose SHA-256 was published.",
        ),
    ):
        command = option(command)
    return command
