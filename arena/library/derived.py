"""Derives Python functions from commands: their parameters are the command's arguments, as declared
(arena/playing/arguments.py). Type checkers, `help` and notebooks see names, types and defaults.
"""

import inspect
from collections.abc import Callable, Iterator
from typing import Any, Concatenate, ParamSpec, TypeVar

import msgspec

from arena.playing.arguments import declared
from arena.system.wording import for_python

P = ParamSpec("P")
C = TypeVar("C", bound=msgspec.Struct)
R = TypeVar("R")
S = TypeVar("S")


def takes(command: Callable[P, C]) -> Callable[[Callable[[C], R]], Callable[P, R]]:
    """Turn a function of a command's value into one of the command's arguments."""

    def derived(function: Callable[[C], R]) -> Callable[P, R]:
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            _require_bound(call, *args, **kwargs)
            with for_python():
                return function(command(*args, **kwargs))

        _present(call, function, command, _parameters(command))
        return call

    return derived


def takes_of(
    folder: Callable[[S], str], command: Callable[Concatenate[str, P], C]
) -> Callable[[Callable[[S, C], R]], Callable[Concatenate[S, P], R]]:
    """The same for a method: its object provides the first argument, the `folder`."""

    def derived(function: Callable[[S, C], R]) -> Callable[Concatenate[S, P], R]:
        def call(self: S, /, *args: P.args, **kwargs: P.kwargs) -> R:
            _require_bound(call, self, *args, **kwargs)
            with for_python():
                return function(self, command(folder(self), *args, **kwargs))

        own = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        _, *others = _parameters(command)
        _present(call, function, command, [own, *others])
        return call

    return derived


def _require_bound(call: Any, *args: Any, **kwargs: Any) -> None:
    """Raise Python's TypeError for wrong arguments, with the name of the function and not of its command."""
    try:
        inspect.signature(call).bind(*args, **kwargs)
    except TypeError as error:
        raise TypeError(f"{call.__name__}() {error}") from None


def _parameters(command: Any) -> list[inspect.Parameter]:
    """The parameters: first those that may be passed by position, in the order of the fields, then the others
    in the order in which they are listed for people."""
    kinds = {name: parameter.kind for name, parameter in inspect.signature(command).parameters.items()}
    arguments = {argument.name: argument for argument in declared(command)}
    first = [name for name, kind in kinds.items() if kind is not inspect.Parameter.KEYWORD_ONLY]
    return [
        inspect.Parameter(
            name,
            kinds[name],
            default=inspect.Parameter.empty if arguments[name].required else arguments[name].default,
            annotation=arguments[name].python,
        )
        for name in (*first, *(name for name in arguments if name not in first))
    ]


def _present(
    call: Any, function: Callable[..., Any], command: Any, parameters: list[inspect.Parameter]
) -> None:
    """Set the name, the signature and the docstring of a derived function, with a line for each parameter."""
    result = inspect.get_annotations(function)["return"]
    for name in ("__module__", "__name__", "__qualname__"):
        setattr(call, name, getattr(function, name))
    call.__signature__ = inspect.Signature(parameters, return_annotation=result)
    call.__annotations__ = {one.name: one.annotation for one in parameters if one.name != "self"} | {
        "return": result
    }
    with for_python():
        lines = [*_lines(command, {one.name for one in parameters})]
    call.__doc__ = "\n".join([inspect.cleandoc(function.__doc__ or ""), "", *lines])


def _lines(command: Any, names: set[str]) -> Iterator[str]:
    for one in declared(command):
        if one.name in names and one.argument.help:
            otherwise = one.argument.otherwise
            default = (
                f" By default: {f'`{otherwise}`' if '<' in otherwise else otherwise}." if otherwise else ""
            )
            yield f"* `{one.name}`: {one.sentence}{default}"
