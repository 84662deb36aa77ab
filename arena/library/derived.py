"""Python functions whose parameters are the arguments of a command, as these are declared
(arena/playing/arguments.py): a type checker sees their names, types and defaults, and so do `help` and
notebooks.
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
    """A function of a command's value, as one of the command's arguments."""

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
    """The same for a method, whose object knows the first argument: the `folder`."""

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
    """Raises TypeError as Python does, which names the function that was called, and not its command."""
    try:
        inspect.signature(call).bind(*args, **kwargs)
    except TypeError as error:
        raise TypeError(f"{call.__name__}() {error}") from None


def _parameters(command: Any) -> list[inspect.Parameter]:
    """Those that may be written without their names, in the order of the fields; then the others as people
    read them."""
    kinds = {name: one.kind for name, one in inspect.signature(command).parameters.items()}
    arguments = {one.name: one for one in declared(command)}
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
    """Gives the derived function its name, its signature, and a line for each parameter."""
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
