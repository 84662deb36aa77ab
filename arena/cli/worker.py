"""`arena worker`: a process that plays matches for a director, which sends and receives lines of JSON."""

import click
import trio

from arena.playing.worker import main


@click.command("worker", hidden=True)
def command() -> None:
    """Play the matches that arrive on standard input (for the director; see arena/playing/worker.py)."""
    trio.run(main)
