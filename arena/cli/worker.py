"""`arena worker`: one core's share of the work, for a director that speaks JSON lines with it."""

import click
import trio

from arena.workers.worker import main


@click.command("worker", hidden=True)
def command() -> None:
    """Play the matches that come in on standard input (for the director; see arena/workers/worker.py)."""
    trio.run(main)
