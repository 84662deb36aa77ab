"""The options by which a user lets programs be started that a run of somebody else names."""

from typing import Final

import click

from arena.process.sandbox import Level

trust_option: Final = click.option(
    "--trust", is_flag=True, help="Start the programs of a run that was not made here; it is yours then."
)


def _level(_: click.Context, __: click.Parameter, value: str | None) -> Level | None:
    return None if value is None else Level(value)


level_option: Final = click.option(
    "--sandbox",
    "level",
    type=click.Choice([level.value for level in Level]),
    callback=_level,
    help="With --trust: the sandbox level of that run, if it is below the best level here.",
)
