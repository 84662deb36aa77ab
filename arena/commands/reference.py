"""The reference of `import arena`, as Markdown, made from signatures and docstrings: every public name, every
value that one of them returns, and each command beside its call.

Knows the public names and Python's own introspection; what they mean stands in their docstrings.
"""

import ast
import collections.abc
import dataclasses
import enum
import functools
import inspect
import itertools
import re
import sys
import textwrap
import types
import typing
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, Literal, NamedTuple

import msgspec

import arena
from arena.commands.commands import table

OURS: Final = ("arena", "protocol", "tournaments")
NO_DEFAULT: Final = (msgspec.NODEFAULT, dataclasses.MISSING)
WIDTH: Final = 110
"""Characters of a signature in one line."""
STARS: Final[Mapping[Any, str]] = {
    inspect.Parameter.VAR_POSITIONAL: "*",
    inspect.Parameter.VAR_KEYWORD: "**",
}
INTRODUCTION: Final = """\
# The arena as a library: reference

`import arena` gives the names below. A call that starts programs runs in its own process, and
returns values that do not change. Arguments after a `*` in a signature are passed by name.
"""


class Member(NamedTuple):
    """A public field, property or method of a class: its signature, what it says, and the types it names."""

    signature: str
    doc: str
    types: tuple[Any, ...]


def reference(public: Mapping[str, Any] | None = None) -> str:
    """The reference of these objects by their public names, by default of all that `arena` has; and of the
    values that they return."""
    if public is None:
        public = {name: getattr(arena, name) for name in arena.__all__}
    values = {value.__name__: value for value in values_of(public.values())}
    parts = [INTRODUCTION, "\n".join(_contents(public, values)), "## Names"]
    parts += [section(f"arena.{name}", found, public) for name, found in public.items()]
    parts += ["## Commands and calls", table()]
    if values:
        parts += ["## Values", "What the names above return, by class."]
        parts += [section(name, found, public) for name, found in values.items()]
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def values_of(public: Iterable[Any]) -> tuple[type, ...]:
    """The classes of ours whose instances these objects return, with those of their fields, and so on, in
    the order in which they are met; without the objects themselves."""
    public = tuple(public)
    found: dict[type, None] = {}
    queue = [kind for one in public for kind in _named_by(one)]
    for kind in queue:
        if kind not in public and kind not in found:
            found[kind] = None
            queue += _named_by(kind)
    return tuple(found)


def _named_by(one: Any) -> Iterator[type]:
    """The classes of ours that an object's results, or a class's public members, are annotated with."""
    if inspect.isclass(one):
        hints = [hint for member in members(one) for hint in member.types]
    else:
        hints = [_hints(one).get("return")]
    for hint in hints:
        yield from _ours_in(hint)


def _ours_in(hint: Any) -> Iterator[type]:
    if inspect.isclass(hint) and not typing.get_origin(hint):
        if _is_ours(hint):
            yield hint
        return
    for part in typing.get_args(hint):
        if not isinstance(part, str | int | list):
            yield from _ours_in(part)


def _package(kind: type) -> str:
    return kind.__module__.partition(".")[0]


def _is_ours(kind: type) -> bool:
    """Whether it is a class of ours with something to tell."""
    return (
        _package(kind) in OURS and not kind.__name__.startswith("_") and not issubclass(kind, BaseException)
    )


def members(kind: type) -> Iterator[Member]:
    """The public fields of a class, then its properties and methods, in the order in which they stand there;
    what it inherits from classes of ours comes behind."""
    if issubclass(kind, enum.Enum):
        for name, value in kind.__members__.items():
            yield Member(f"{name} = {value.value!r}", "", ())
        return
    yield from _fields(kind)
    seen, ours = set(_field_names(kind)), {*OURS, _package(kind)}
    for base in kind.__mro__:
        if _package(base) not in ours:
            continue
        for name, found in vars(base).items():
            if not name.startswith("_") and name not in seen and (member := _member(name, found)):
                seen.add(name)
                yield member


def _field_names(kind: type) -> tuple[str, ...]:
    if dataclasses.is_dataclass(kind):
        return tuple(field.name for field in dataclasses.fields(kind))
    return getattr(kind, "__struct_fields__", getattr(kind, "_fields", ()))


def _fields(kind: type) -> Iterator[Member]:
    hints = _hints(kind)
    defaults = _defaults(kind)
    docs = _field_docs(kind)
    for name in _field_names(kind):
        if not name.startswith("_"):
            default = f" = {_value(defaults[name])}" if name in defaults else ""
            yield Member(f"{name}: {type_text(hints[name])}{default}", docs.get(name, ""), (hints[name],))


def _field_docs(kind: type) -> dict[str, str]:
    """The string under each field. Python drops it, so it is read from the source."""
    docs = {}
    for base in reversed(kind.__mro__):
        if _package(base) in {*OURS, _package(kind)}:
            (source,) = ast.parse(textwrap.dedent(inspect.getsource(base))).body
            for pair in itertools.pairwise(getattr(source, "body", ())):
                match pair:
                    case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(ast.Constant(str(doc))):
                        docs[name] = inspect.cleandoc(doc)
    return docs


def _defaults(kind: type) -> dict[str, Any]:
    """The defaults of a class's fields; an empty container where it is made anew each time."""
    fields: Iterable[Any] = ()
    if dataclasses.is_dataclass(kind):
        fields = dataclasses.fields(kind)
    elif issubclass(kind, msgspec.Struct):
        fields = msgspec.structs.fields(kind)
    found: dict[str, Any] = dict(getattr(kind, "_field_defaults", {}))
    for field in fields:
        if field.default not in NO_DEFAULT:
            found[field.name] = field.default
        elif field.default_factory not in NO_DEFAULT:
            found[field.name] = field.default_factory()
    return found


def _member(name: str, found: Any) -> Member | None:
    match found:
        case property(fget=get) if get is not None:
            hint = _hints(get)["return"]
            return Member(f"{name}: {type_text(hint)}", doc_of(get), (hint,))
        case functools.cached_property(func=get):
            hint = _hints(get)["return"]
            return Member(f"{name}: {type_text(hint)}", doc_of(get), (hint,))
        case staticmethod() | classmethod() | types.FunctionType():
            method = getattr(found, "__func__", found)
            left_out = 0 if isinstance(found, staticmethod) else 1
            line = " ".join(signature(name, method, left_out).split())
            line = line.replace("( ", "(").replace(", )", ")")
            return Member(line, doc_of(method), (_hints(method).get("return"),))
    return None


def doc_of(one: Any) -> str:
    """What an object says of itself; "" for nothing. What only Python says, such as of a NamedTuple without a
    docstring, does not count."""
    doc = inspect.cleandoc(getattr(one, "__doc__", None) or "")
    if inspect.isclass(one) and doc.startswith(f"{one.__name__}("):
        return ""
    return doc


def _contents(public: Mapping[str, Any], values: Iterable[str]) -> Iterator[str]:
    """A line with a link for each public name, one for the commands, and one for all values."""
    for name, found in public.items():
        yield f"* [`arena.{name}`](#{_anchor(f'arena.{name}')}): {_first_sentence(_doc(found, public))}"
    yield "* [Commands and calls](#commands-and-calls)"
    if links := ", ".join(f"[`{name}`](#{_anchor(name)})" for name in values):
        yield f"* Values: {links}"


def _first_sentence(doc: str) -> str:
    first = " ".join(doc.partition("\n\n")[0].split())
    return re.split(r"(?<=[.!?]) (?=[A-Z`])", first, maxsplit=1)[0].rstrip(":")


def _anchor(heading: str) -> str:
    """Where a heading is linked to, as Markdown on the web has it."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def section(heading: str, found: Any, public: Mapping[str, Any]) -> str:
    """What the reference says of a class or a function, under a heading of the third level."""
    return "\n\n".join([f"### {heading}", *_said(heading, found, public)])


def _said(heading: str, found: Any, public: Mapping[str, Any]) -> Iterator[str]:
    if not inspect.isclass(found):
        yield f"```python\n{signature(heading, found)}\n```"
        yield _doc(found, public)
        return
    if doc := doc_of(found):
        yield doc
    if lines := [_line(member) for member in members(found)]:
        yield "\n".join(lines)


def _doc(found: Any, public: Mapping[str, Any]) -> str:
    """What a public object says; of one that wraps another, which it repeats, only that it does."""
    for name, other in public.items():
        if found is not other and getattr(found, "__wrapped__", None) is other:
            return f"`arena.{name}`, to be awaited."
    return doc_of(found)


def _line(member: Member) -> str:
    doc = "\n".join(f"  {line}".rstrip() for line in member.doc.splitlines())
    return f"* `{member.signature}`" + (f"\n{doc}" if doc else "")


def signature(name: str, function: Any, left_out: int = 0) -> str:
    """The call with its parameters, their types and defaults, one a line if there is no room; without the
    first `left_out`."""
    hints = _hints(function)
    parameters = list(inspect.signature(function).parameters.values())[left_out:]
    words: list[str] = []
    starred = False
    for parameter in parameters:
        if parameter.kind is parameter.KEYWORD_ONLY and not starred:
            words.append("*")
        starred |= parameter.kind in (parameter.VAR_POSITIONAL, parameter.KEYWORD_ONLY)
        star = STARS.get(parameter.kind, "")
        kind = f": {type_text(hints[parameter.name])}" if parameter.name in hints else ""
        default = "" if parameter.default is parameter.empty else f" = {_value(parameter.default)}"
        words.append(f"{star}{parameter.name}{kind}{default}")
    result = f" -> {type_text(hints['return'])}" if "return" in hints else ""
    awaited = "await " if inspect.iscoroutinefunction(function) else ""
    line = f"{awaited}{name}({', '.join(words)}){result}"
    if len(line) <= WIDTH:
        return line
    return "\n".join([f"{awaited}{name}(", *(f"    {word}," for word in words), f"){result}"])


def _hints(one: Any) -> dict[str, Any]:
    """The annotations as types; of a function that wraps another, of that one."""
    if inspect.isclass(one):
        return typing.get_type_hints(one)
    one = inspect.unwrap(one)
    # The code of a derived function (arena/library/derived.py) stands in another module than its types.
    module = sys.modules.get(getattr(one, "__module__", None) or "")
    return typing.get_type_hints(one, None if module is None else vars(module))


def _value(value: Any) -> str:
    """A default, as a call would be written with it."""
    if isinstance(value, enum.Enum):
        return repr(value.value)
    if isinstance(value, msgspec.Struct):
        return f"{type(value).__name__}()" if value == type(value)() else repr(value)
    if callable(value):
        return "…"
    return repr(value)


def type_text(hint: Any) -> str:
    """A type as people write it: without modules, NewTypes as what they are made of."""
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if hint is None or hint is types.NoneType:
        return "None"
    if hint is Ellipsis:
        return "..."
    if isinstance(hint, typing.NewType):
        return type_text(hint.__supertype__)
    if isinstance(hint, typing.ForwardRef):
        return hint.__forward_arg__
    if isinstance(hint, list):
        return f"[{', '.join(map(type_text, hint))}]"
    if origin in (typing.Union, types.UnionType):
        return " | ".join(dict.fromkeys(map(type_text, args)))
    if origin is Literal:
        return f"Literal[{', '.join(map(repr, args))}]"
    if origin is collections.abc.Callable:
        taken, result = args
        return f"Callable[{type_text(taken)}, {type_text(result)}]"
    if origin is not None and args:
        return f"{_plain_name(origin)}[{', '.join(map(type_text, args))}]"
    return _plain_name(hint)


def _plain_name(kind: Any) -> str:
    name: str = getattr(kind, "__name__", None) or str(kind).rpartition(".")[2]
    return name
