"""Arguments and options that several commands share, and the types of their values. Knows no command.

A group of options is passed to the command as one value.
"""

import datetime
import functools
import itertools
import math
import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

import click
import msgspec
from click.shell_completion import CompletionItem

from arena import registry
from arena.games.game import Game
from arena.process.sandbox import DEFAULT_MEMORY_MB, Level, Sandbox, below, choose
from arena.system.errors import UserError
from arena.system.files import write_whole
from protocol.messages import Limits
from protocol.units import Ms

F = TypeVar("F", bound=Callable[..., Any])
R = TypeVar("R")

_UNITS: Final[Mapping[str, float]] = {"ms": 1, "s": 1000, "m": 60_000}
_DURATION: Final = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m)")
DAY_MS: Final = Ms(86_400_000)


def milliseconds(text: str) -> Ms:
    """A time such as `250ms`, `1.5s` or `2m`. Raises ValueError outside of 1 ms to a day."""
    match = _DURATION.fullmatch(text)
    ms = Ms(round(float(match[1]) * _UNITS[match[2]]) if match else 0)
    if not 1 <= ms <= DAY_MS:
        raise ValueError(f"{text!r} is not a time like 250ms, 1s or 2m")
    return ms


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
        decision, plus, bank = value.partition("+")
        try:
            bank_ms = milliseconds(bank) if plus and bank != "0s" else Ms(0)
            return Limits(decision_ms=milliseconds(decision), bank_ms=bank_ms)
        except ValueError as error:
            self.fail(f"{error}; write DECISION+BANK, for example 1s+10s", param, ctx)


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


bots_argument = click.argument("bots", nargs=-1, required=True, metavar="BOT...", type=click.Path())
folder_argument = click.argument("folder", type=click.Path(path_type=Path), metavar="DIR")
json_option = click.option("--json", "as_json", is_flag=True, help="JSON on standard output.")
keep_option = click.option(
    "--keep-bots",
    is_flag=True,
    help="Keep processes between matches, which is faster; each plays only one of a pod's seatings.",
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
        if path is not None and not path.absolute().parent.is_dir():
            raise UserError(f"{flag} {path}: there is no folder {path.absolute().parent}")
        return path

    return click.option(flag, type=click.Path(dir_okay=False, path_type=Path), callback=checked, help=help)


def write_file(flag: str, path: Path, data: bytes) -> None:
    """Write the file of the option `flag`, atomically. Raises UserError."""
    try:
        write_whole(path, data)
    except OSError as error:
        raise UserError(f"{flag} {path}: {error.strerror}") from None


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
    """The options of the sandbox; the command gets them as `sandbox`, and as `sandbox_line` a sentence about
    it, which it prints once its other arguments are known to be right."""

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
    def with_sandbox(*, level: str | None, memory: int, allowed: tuple[str, ...], **others: Any) -> R:
        chosen, meaning = choose(None if level is None else Level(level), memory)
        sandbox = Sandbox(chosen, memory, tuple(require_allowed(allowed)))
        line = f"sandbox: {chosen}, {memory} MB a bot; {meaning}"
        if sandbox.allowed:
            line += f"; every bot reads {', '.join(allowed)}"
        return command(sandbox=sandbox, sandbox_line=line, **others)

    return with_sandbox


def require_allowed(paths: Sequence[str]) -> Sequence[str]:
    """Each path as an absolute path, and with its symbolic links resolved. Raises UserError."""
    found: dict[str, None] = {}
    home = os.path.realpath(os.path.expanduser("~"))
    for path in paths:
        real = os.path.realpath(path)
        if not os.path.exists(real):
            raise UserError(f"--allow {path}: there is no such file or folder")
        if below(home, (real,)):
            raise UserError(f"--allow {path}: your home lies in it, and every bot could read that")
        found |= dict.fromkeys((os.path.abspath(path), real))
    return tuple(found)


def unused(suffix: str = "") -> Path:
    """The first path `arena-<date>-<n>` in this folder that does not exist."""
    today = datetime.date.today().isoformat()
    names = (Path(f"arena-{today}-{number}{suffix}") for number in itertools.count(1))
    return next(path for path in names if not path.exists())
