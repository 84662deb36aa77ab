"""Arguments and options that several commands share, and the types of their values. Knows no command."""

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, TypeVar

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem

from arena.cli.meant import PlaceType
from arena.games import registry
from arena.playing.times import clock, milliseconds
from arena.system.errors import UserError
from arena.system.outputs import require_place
from arena.system.places import PlaceKind

F = TypeVar("F", bound=Callable[..., Any])


class SectionOption(click.Option):
    """An option that begins a section of its command's `--help`, or goes on with the section before it."""

    def __init__(self, *words: Any, section: str | None = None, **about: Any) -> None:
        super().__init__(*words, **about)
        self.section = section


class SectionCommand(click.Command):
    """A command whose `--help` lists its many options in sections."""

    def format_options(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """The options below the headings of their sections; those that have none are "Options"."""
        sections: dict[str, list[tuple[str, str]]] = {}
        current = "Options"
        for option in self.get_params(context):
            if isinstance(option, SectionOption):
                current = option.section or current
            section = current if isinstance(option, SectionOption) else "Options"
            if isinstance(option, click.Option) and (line := option.get_help_record(context)):
                sections.setdefault(section, []).append(line)
        for heading, lines in sections.items():
            with formatter.section(heading):
                formatter.write_dl(lines)


class FiniteRange(click.FloatRange):
    """A range of finite numbers. (NaN would pass any bound.)"""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number: float = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is not a finite number", param, ctx)
        return number


class WrittenTime(click.ParamType[str]):
    """A time that `reads` can parse. Its value stays a text."""

    name = "time"

    def __init__(self, reads: Callable[[str], object]) -> None:
        self._reads = reads

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        try:
            self._reads(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)
        return value


CLOCK: Final = WrittenTime(clock)
"""A clock as `DECISION` or `DECISION+BANK`: `1s+10s`."""
DURATION: Final = WrittenTime(milliseconds)
"""A time, written `10s`."""


class GameType(click.ParamType[str]):
    """The id of a game."""

    name = "game"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        try:
            return registry.game(value).id
        except registry.UnknownGame as error:
            self.fail(str(error), param, ctx)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """The ids with this prefix, with their titles."""
        return [
            CompletionItem(id, help=registry.title(id)) for id in registry.ids() if id.startswith(incomplete)
        ]


def refuse_given(context: click.Context, names: Mapping[str, str], why: str) -> None:
    """Raise UserError if one of these options, by the names of their parameters, was given."""
    for name, flag in names.items():
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise UserError(f"{flag} cannot be used here: {why}")


BOT: Final = click.Path(readable=False)
"""A word for a bot, which shells complete as a path. The code that finds the bot reports errors."""

folder_argument = click.argument("folder", type=PlaceType(PlaceKind.TOURNAMENT), metavar="DIR")
folders_argument = click.argument(
    "folders", nargs=-1, required=True, type=PlaceType(PlaceKind.TOURNAMENT), metavar="DIR..."
)
league_argument = click.argument("folder", type=PlaceType(PlaceKind.LEAGUE), metavar="DIR")
json_option = click.option(
    "--json",
    "as_json",
    is_flag=True,
    cls=SectionOption,
    section="Output",
    help="Print JSON on standard output.",
)


def checked_place(_: click.Context, parameter: click.Parameter, path: Path | None) -> Path | None:
    """Raise UserError at once if the file cannot be written at the end."""
    require_place(parameter.opts[0], path)
    return path


def file_option(flag: str, help: str) -> Callable[[F], F]:
    """An option for a file that is written at the end. If its folder is missing, that is an error at once."""
    return click.option(
        flag, type=click.Path(dir_okay=False, path_type=Path), callback=checked_place, help=help
    )
