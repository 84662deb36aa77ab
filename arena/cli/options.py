"""Options that several commands share, and the types of their values. Knows no command."""

import re
import secrets
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeVar

import click
import msgspec
from click.shell_completion import CompletionItem

from arena.errors import UserError, meant
from arena.games import GAMES
from arena.games.game import Game, Options
from arena.sandbox import DEFAULT_MEMORY_MB, Level, Sandbox, choose
from protocol.messages import Limits

F = TypeVar("F", bound=Callable[..., Any])

_UNITS: Final[Mapping[str, float]] = {"ms": 1, "s": 1000, "m": 60_000}
_DURATION: Final = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m)")
_SEED: Final = re.compile(r"[\x21-\x7e]{1,64}")
DAY_MS: Final = 86_400_000


def milliseconds(text: str) -> int:
    """`1s`, `250ms`, `1.5s`, `2m` in milliseconds, from 1 ms to a day. Raises ValueError."""
    match = _DURATION.fullmatch(text)
    ms = round(float(match[1]) * _UNITS[match[2]]) if match else 0
    if not 1 <= ms <= DAY_MS:
        raise ValueError(f"{text!r} is not a time like 250ms, 1s or 2m")
    return ms


class TimeType(click.ParamType[Limits]):
    """`DECISION` or `DECISION+BANK`: `1s+10s`."""

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Limits:
        if isinstance(value, Limits):
            return value
        decision, plus, bank = value.partition("+")
        try:
            bank_ms = milliseconds(bank) if plus and bank != "0s" else 0
            return Limits(decision_ms=milliseconds(decision), bank_ms=bank_ms)
        except ValueError as error:
            self.fail(f"{error}; write DECISION+BANK, for example 1s+10s", param, ctx)


class DurationType(click.ParamType[int]):
    """A time in milliseconds, written `10s`."""

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        try:
            return milliseconds(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


class GameType(click.ParamType[Game]):
    name = "game"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Game:
        if not isinstance(value, str):
            return value  # type: ignore[no-any-return]
        if value not in GAMES:
            self.fail(f"unknown game {value!r}{meant(value, GAMES)}", param, ctx)
        return GAMES[value]

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        return [
            CompletionItem(name, help=game.title)
            for name, game in GAMES.items()
            if name.startswith(incomplete)
        ]


time_option = click.option(
    "--time",
    type=TimeType(),
    default="1s+10s",
    show_default=True,
    help="Limit of a decision, and the bank of a match for what exceeds it.",
)
startup_option = click.option(
    "--startup", type=DurationType(), default="10s", show_default=True, help="Time to start up."
)
level_option = click.option(
    "--sandbox",
    "level",
    type=click.Choice([level.value for level in Level]),
    help="Bots see only their own files and no network; or all, and are limited; or all.  "
    "[default: the best there is]",
)
keep_option = click.option(
    "--keep-bots",
    is_flag=True,
    help="Keep processes between matches: faster; each plays one of a pod's seatings only.",
)
memory_option = click.option(
    "--memory",
    type=click.IntRange(16, 1 << 20),
    default=DEFAULT_MEMORY_MB,
    show_default=True,
    metavar="MB",
    help="Memory of a bot, all its processes together.",
)


def play_options(command: F) -> F:
    """What a match and a tournament have in common."""
    for decorate in reversed(
        (
            click.option("--game", type=GameType(), default="sticheln", show_default=True, help="The rules."),
            click.option(
                "--option", "options", multiple=True, metavar="KEY=VALUE", help="An option of the game."
            ),
            click.option(
                "--deals", type=click.IntRange(1, 1000), help="Deals of a match.  [default: the game's]"
            ),
            click.option("--seed", help="Repeat what was played with this seed.  [default: random]"),
            time_option,
            startup_option,
            click.option(
                "--faults",
                type=click.IntRange(1, 1000),
                default=1,
                show_default=True,
                help="Faults that forfeit a match; the ones before only cost the action.",
            ),
            level_option,
            memory_option,
            click.option("--json", "as_json", is_flag=True, help="JSON on standard output."),
        )
    ):
        command = decorate(command)
    return command


def with_startup(limits: Limits, startup: int) -> Limits:
    return msgspec.structs.replace(limits, start_ms=startup)


def chosen_sandbox(level: str | None, memory: int) -> tuple[Sandbox, str]:
    """The level that was asked for, or the best there is; and the line that says so, for when all else is
    known to be right. Raises UserError."""
    chosen, meaning = choose(None if level is None else Level(level))
    return Sandbox(chosen, memory), f"sandbox: {chosen}, {memory} MB a bot; {meaning}"


def checked_seed(seed: str | None) -> str:
    """The seed as given, or 128 fresh random bits. Raises UserError."""
    if seed is None:
        return secrets.token_hex(16)
    if not _SEED.fullmatch(seed):
        raise UserError(f"--seed {seed!r}: a seed is 1 to 64 printable ASCII characters without spaces")
    return seed


def game_options(game: Game, pairs: Sequence[str]) -> Options:
    """The options of `game` set by KEY=VALUE texts. Raises UserError naming the key and what is allowed."""
    known = {field.name for field in msgspec.structs.fields(game.options)}
    values: dict[str, str] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or key not in known:
            allowed = meant(key, sorted(known)) if known else "; it has none"
            raise UserError(f"--option {pair}: {game.id} has no such option{allowed}")
        values[key] = value
    try:
        return msgspec.convert(values, game.options, strict=False)
    except msgspec.ValidationError as error:
        raise UserError(f"--option of {game.id}: {error}") from None
