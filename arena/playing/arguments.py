"""Declarations of a command's arguments: each is a field of the command's frozen Struct.

    faults: Annotated[Thousand, Argument("The fault of this number forfeits a match.")] = 1

Everything else is derived from that line: the command-line option and the key for `--config`
(arena/cli/derived.py), the parameter of the Python function and its line in the reference
(arena/library/derived.py), and the argument's name in errors. Knows neither click nor the callers.
"""

import inspect
import types
import typing
from collections.abc import Collection
from typing import Annotated, Any, NamedTuple

import msgspec

from arena.playing.spellings import OnProgress, Spelling
from arena.system.wording import flag


class Argument(NamedTuple):
    """How an argument is described to people, and how a command line accepts it."""

    help: str = ""
    """A sentence, in which `{flag.seed_file}` refers to another argument of the command."""
    flag: str | None = None
    """None for `--` and the name of the field; "" if only Python has the argument."""
    metavar: str | None = None
    positional: bool = False
    """Whether it is given without a flag."""
    kind: str | tuple[str, ...] = ""
    """The kind of text, by which a command line validates and completes it: see arena/cli/derived.py."""
    choices: Collection[str] = ()
    question: str = ""
    """The error for a user who has written BOT instead of BOT=VALUE."""
    otherwise: str = ""
    """A description of the default, if its value does not explain itself."""
    section: str | None = None
    """The heading in a long `--help` above this argument and those that follow; None for no new one."""
    after: str | None = None
    """The inherited field after which this one and the following are listed; None for before all of them."""


class Command(msgspec.Struct, frozen=True, kw_only=True):
    """A command with its arguments, as a value. Arguments that Python programs may pass by position are
    fields of a class that is not `kw_only`."""

    on_progress: Annotated[
        OnProgress,
        Argument(
            "A function that is called with the progress; False shows nothing; None shows the usual "
            "progress.",
            flag="",
        ),
    ] = None
    """Not sent to another process."""


class Declared(NamedTuple):
    """An argument of a command. `type`: of its value, without None. `python`: what programs may pass."""

    name: str
    argument: Argument
    type: Any
    python: Any
    spelling: Spelling | None
    bounds: msgspec.Meta
    default: Any

    @property
    def repeated(self) -> bool:
        """Whether it takes several values."""
        return typing.get_origin(self.type) in (tuple, dict)

    @property
    def flag(self) -> str:
        """Its command-line option, singular if it may be repeated; "" for none."""
        if self.argument.flag is not None or self.argument.positional:
            return self.argument.flag or ""
        name = self.name.removesuffix("s") if self.repeated else self.name
        return f"--{name.replace('_', '-')}"

    @property
    def metavar(self) -> str | None:
        """The placeholder for its value in a usage line; None for click's default for the type."""
        if self.type == dict[str, str]:
            return f"BOT={self.flag[2:].upper()}"
        return "KEY=VALUE" if self.type == dict[str, Any] else self.argument.metavar

    @property
    def help(self) -> str:
        """Its help text on a command line."""
        otherwise = self.argument.otherwise
        return f"{self.sentence}  [default: {otherwise}]" if otherwise else self.sentence

    @property
    def sentence(self) -> str:
        """Its sentence, in which arguments are named as the current caller writes them (`for_python`)."""
        return self.argument.help.format(flag=flag)

    @property
    def required(self) -> bool:
        """Whether it has no default."""
        return self.default is msgspec.NODEFAULT


def declared(command: type[msgspec.Struct]) -> tuple[Declared, ...]:
    """The arguments of a command, in the order in which they are listed for people."""
    hints = typing.get_type_hints(command, include_extras=True)
    defaults = {field.name: _default(field) for field in msgspec.structs.fields(command)}
    return tuple(_declared(name, hints[name], defaults[name]) for name in _in_order(command))


def _declared(name: str, hint: Any, default: Any) -> Declared:
    bare, marks = _unfolded(hint)
    found: dict[type, Any] = {type(mark): mark for mark in marks}
    spelling: Spelling | None = found.get(Spelling)
    python = bare if spelling is None else spelling.python
    return Declared(
        name=name,
        argument=found.get(Argument, Argument()),
        type=bare,
        python=python | None if default is None else python,
        spelling=spelling,
        bounds=found.get(msgspec.Meta, msgspec.Meta()),
        default=default,
    )


def _unfolded(hint: Any) -> tuple[Any, tuple[Any, ...]]:
    """The bare type, without None and annotations; and the annotations."""
    if typing.get_origin(hint) is Annotated:
        bare, marks = _unfolded(hint.__origin__)
        return bare, (*marks, *hint.__metadata__)
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        kinds = [kind for kind in typing.get_args(hint) if kind is not types.NoneType]
        if len(kinds) == 1:
            return _unfolded(kinds[0])
    return hint, ()


def _default(field: msgspec.structs.FieldInfo) -> Any:
    made = field.default_factory
    return field.default if made is msgspec.NODEFAULT else made()


def _in_order(command: type) -> list[str]:
    base = command.__base__
    names = [] if base is None or base is msgspec.Struct else _in_order(base)
    place = 0
    for name, hint in inspect.get_annotations(command).items():
        if name in names:
            continue
        after = next((mark.after for mark in _unfolded(hint)[1] if isinstance(mark, Argument)), None)
        place = place if after is None else names.index(after) + 1
        names.insert(place, name)
        place += 1
    return names
