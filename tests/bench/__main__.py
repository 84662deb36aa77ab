"""`python -m tests.bench`: all figures, or those of some parts, in some minutes. `--quick` takes seconds and
says little."""

import platform
import tempfile
from pathlib import Path

import click

from arena.system.processors import allowed
from tests.bench import crossing, decisions, instep, pure, starved, throughput

PARTS = {
    "decisions": decisions.print_all,
    "throughput": throughput.print_all,
    "pure": pure.print_all,
    "instep": instep.print_all,
    "crossing": crossing.print_all,
    "starved": starved.print_all,
}


@click.command()
@click.argument("parts", nargs=-1, type=click.Choice(list(PARTS)))
@click.option("--runs", default=5, show_default=True, help="Runs, of which the median is printed.")
@click.option("--quick", is_flag=True, help="One run of little: does it work?")
def main(parts: tuple[str, ...], runs: int, quick: bool) -> None:
    """Print what the arena costs, part by part."""
    print(f"Python {platform.python_version()}, {platform.release()}, {len(allowed())} cores")
    with tempfile.TemporaryDirectory() as folder:
        for part in parts or PARTS:
            PARTS[part](1 if quick else runs, 0.01 if quick else 1, Path(folder))


if __name__ == "__main__":
    main()
