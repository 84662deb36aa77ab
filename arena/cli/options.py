"""Arguments and options that several commands share, and the types of their values. Knows no command.

A group of options is passed to the command as one value.
"""

import functools
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, TypeVar

import click
import msgspec
from click.core import ParameterSource
from click.shell_completion import CompletionItem

from arena.cli.meant import PlaceType
from arena.games import registry
from arena.games.game import Game
from arena.playing.times import clock, milliseconds
from arena.process.sandbox import DEFAULT_MEMORY_MB, Level
from arena.process.walls import Walls
from arena.system.errors import UserError
from arena.system.outputs import require_place
from arena.system.places import Kind
from protocol.messages import Limits
from protocol.units import Ms

F = TypeVar("F", bound=Callable[..., Any])
R = TypeVar("R")


class FiniteRange(click.FloatRange):
    """A range of numbers without NaN, which passes any bound, and without infinity."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number: float = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is not a finite number", param, ctx)
        return number


class TimeType(click.ParamType[Limits]):
    """A clock as `DECISION` or `DECISION+BANK`: `1s+10s`."""

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Limits:
        if isinstance(value, Limits):
            return value
        try:
            return clock(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


class DurationType(click.ParamType[Ms]):
    """A time, written `10s`."""

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Ms:
        if isinstance(value, int):
            return Ms(value)
        try:
            return milliseconds(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


class GameType(click.ParamType[Game]):
    """A game, by its id."""

    name = "game"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Game:
        if not isinstance(value, str):
            return value  # type: ignore[no-any-return]
        try:
            return registry.game(value)
        except registry.UnknownGame as error:
            self.fail(str(error), param, ctx)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """The ids that begin so, with their titles."""
        return [
            CompletionItem(id, help=registry.title(id)) for id in registry.ids() if id.startswith(incomplete)
        ]


def refuse_given(context: click.Context, names: Mapping[str, str], why: str) -> None:
    """Raises UserError if one of these options, by the names of their parameters, was given."""
    for name, flag in names.items():
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise UserError(f"{flag} cannot be used here: {why}")


BOT: Final = click.Path(readable=False)
"""A word for a bot: a path, as shells complete it. Whoever finds the bot says what is wrong with it."""

bots_argument = click.argument("bots", nargs=-1, required=True, metavar="BOT...", type=BOT)
folder_argument = click.argument("folder", type=PlaceType(Kind.TOURNAMENT), metavar="DIR")
folders_argument = click.argument(
    "folders", nargs=-1, required=True, type=PlaceType(Kind.TOURNAMENT), metavar="DIR..."
)
league_argument = click.argument("folder", type=PlaceType(Kind.LEAGUE), metavar="DIR")
json_option = click.option("--json", "as_json", is_flag=True, help="JSON on standard output.")
keep_option = click.option(
    "--keep-bots",
    is_flag=True,
    help="Keep processes between matches, which is faster; each plays only one of a pod's seatings.",
)

jobs_option = click.option(
    "--jobs", type=click.IntRange(1, 1024), help="Matches at a time.  [default: one per core]"
)
dask_option = click.option(
    "--dask",
    metavar="ADDRESS",
    help="Play on the workers of this Dask scheduler (tcp://host:8786); `local` starts some here.",
)

titles_option = click.option(
    "--title",
    "titles",
    multiple=True,
    metavar="BOT=TITLE",
    help="What a bot is called in tables and pages, in any script.",
)


def file_option(flag: str, help: str) -> Callable[[F], F]:
    """An option for a file that is written at the end. A missing folder is an error at the beginning."""

    def checked(_: click.Context, __: click.Parameter, path: Path | None) -> Path | None:
        require_place(flag, path)
        return path

    return click.option(flag, type=click.Path(dir_okay=False, path_type=Path), callback=checked, help=help)


log_option = file_option("--log", "Write the match log here.")


def limits_options(command: Callable[..., R]) -> Callable[..., R]:
    """The options of a match's clocks; the command gets them as `limits`."""

    @click.option(
        "--time",
        type=TimeType(),
        default="1s+10s",
        show_default=True,
        help="Limit of a decision, and a match's bank for the time beyond it.",
    )
    @click.option(
        "--startup", type=DurationType(), default="10s", show_default=True, help="Time to start up."
    )
    @functools.wraps(command)
    def with_limits(*, time: Limits, startup: int, **others: Any) -> R:
        return command(limits=msgspec.structs.replace(time, start_ms=startup), **others)

    return with_limits


def sandbox_options(command: Callable[..., R]) -> Callable[..., R]:
    """The options of the sandbox; the command gets them as `walls`."""

    @click.option(
        "--sandbox",
        "level",
        type=click.Choice([level.value for level in Level]),
        help="bwrap: bots see only their own files, no network; rlimits: they see everything, with limits; "
        "none: no sandbox.  [default: the best available]",
    )
    @click.option(
        "--memory",
        type=click.IntRange(16, 1 << 20),
        default=DEFAULT_MEMORY_MB,
        show_default=True,
        metavar="MB",
        help="Memory of a bot, all its processes together.",
    )
    @click.option(
        "--allow",
        "allowed",
        multiple=True,
        metavar="PATH",
        help="Let every bot read this folder, for example an interpreter's.",
    )
    @functools.wraps(command)
    def with_walls(*, level: str | None, memory: int, allowed: tuple[str, ...], **others: Any) -> R:
        walls = Walls(level=None if level is None else Level(level), memory_mb=memory, allowed=allowed)
        return command(walls=walls, **others)

    return with_walls
