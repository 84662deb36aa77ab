"""Derives click's options and arguments from the fields of a command (arena/playing/arguments.py)."""

import enum
import functools
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, TypeAlias, TypeVar

import click
import msgspec

from arena.cli.meant import PlaceType
from arena.cli.options import (
    BOT,
    CLOCK,
    DURATION,
    FiniteRange,
    GameType,
    SectionOption,
    checked_place,
)
from arena.cli.values import of_bots, variant_of
from arena.games import registry
from arena.playing.arguments import Declared, declared
from arena.system.places import PlaceKind

R = TypeVar("R")
Decorator: TypeAlias = Callable[[Callable[..., Any]], Callable[..., Any]]
"""Adds an option to a command."""

KINDS: Final = {
    "bot": BOT,
    "clock": CLOCK,
    "file": click.Path(dir_okay=False, path_type=Path),
    "folder": click.Path(file_okay=False, path_type=Path),
    "game": GameType(),
    "new folder": click.Path(file_okay=False, path_type=Path),
    "path": click.Path(path_type=Path),
    "time": DURATION,
    "words": click.UNPROCESSED,
}
"""How click reads, completes or rejects the text of an argument."""


def takes(
    command: type[msgspec.Struct],
    changes: Mapping[str, Mapping[str, Any]] = MappingProxyType({}),
    **before: Decorator,
) -> Callable[[Callable[..., R]], Callable[..., R]]:
    """Give a command its options and arguments, which it gets as one value, its first argument. `changes`
    override what click gets for some of them, by name. `before`: options that only the command line has, by
    the name of the option that follows them."""

    def derived(function: Callable[..., R]) -> Callable[..., R]:
        arguments = [one for one in declared(command) if one.flag or one.argument.positional]

        @functools.wraps(function)
        def with_call(**values: Any) -> R:
            own = {one.name: values.pop(one.name) for one in arguments}
            return function(built(command, own), **values)

        for one in reversed(arguments):
            derived_option(one, **changes.get(one.name, {}))(with_call)
            before.get(one.name, _same)(with_call)
        return with_call

    return derived


def argument(command: type[msgspec.Struct], name: str) -> Declared:
    """An argument of a command, by its name."""
    return next(one for one in declared(command) if one.name == name)


def built(command: type[msgspec.Struct], values: dict[str, Any]) -> Any:
    """The value of a command from what click has read. Raises UserError."""
    arguments = {one.name: one for one in declared(command)}
    return command(**{name: _plain(arguments[name], value, values) for name, value in values.items()})


def _plain(one: Declared, value: Any, values: dict[str, Any]) -> Any:
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, tuple):
        words = tuple(map(str, value))
        if one.type == dict[str, str]:
            return of_bots(words, one.flag, one.argument.question)
        if one.type == dict[str, Any]:
            return msgspec.to_builtins(variant_of(registry.game(values["game"]), words))
        return words
    if isinstance(value, str) and isinstance(one.type, enum.EnumType):
        return one.type(value)
    return value


def derived_option(one: Declared, **changes: Any) -> Decorator:
    """The click option or argument, with these changes."""
    about: dict[str, Any] = {"type": _type(one), "metavar": one.metavar, "required": one.required}
    if one.argument.positional:
        return click.argument(one.name, **{**about, "nargs": -1 if one.repeated else 1, **changes})
    about |= {"help": one.help, "multiple": one.repeated}
    if one.type is bool:
        about["is_flag"] = True
    if one.argument.kind in ("file", "new folder"):
        about["callback"] = checked_place
    if not one.repeated and one.default not in (None, msgspec.NODEFAULT):
        about |= {"default": one.default, "show_default": one.default is not False and one.default != ""}
    flags = f"{one.flag}/--no-{one.flag[2:]}" if one.default is True else one.flag
    about |= {"cls": SectionOption, "section": one.argument.section}
    return click.option(flags, one.name, **{**about, **changes})


def _type(one: Declared) -> click.ParamType[Any] | None:
    kind, bounds = one.argument.kind, one.bounds
    if isinstance(kind, tuple):
        return PlaceType(*map(PlaceKind, kind))
    if kind:
        return KINDS[kind]
    if choices := one.argument.choices or (one.type if isinstance(one.type, enum.EnumType) else ()):
        return click.Choice([str(choice) for choice in choices])
    if one.type is int:
        low, high = ((None if end is None else int(end)) for end in (bounds.ge, bounds.le))
        return click.INT if low is None else click.IntRange(low, high)
    if one.type is float:
        most = bounds.lt if bounds.le is None else bounds.le
        return FiniteRange(
            bounds.gt if bounds.ge is None else bounds.ge,
            None if most == sys.float_info.max else most,
            min_open=bounds.gt is not None,
            max_open=bounds.lt is not None,
        )
    return None


def _same(function: Callable[..., Any]) -> Callable[..., Any]:
    return function
