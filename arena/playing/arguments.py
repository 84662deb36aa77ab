"""How the arguments of a command are declared: once each, as the fields of its frozen value.

    faults: Annotated[Thousand, Argument("The fault of this number forfeits a match.")] = 1

The rest is derived from that line: the option of the command line and the key for `--config`
(arena/cli/derived.py), the parameter of the Python function and its line in the reference
(arena/library/derived.py), and the name by which an error speaks of it. Knows neither click nor who calls.
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
    """What people read of an argument, and how a command line takes it."""

    help: str = ""
    """A sentence, in which `{flag.seed_file}` stands for another argument of the command."""
    flag: str | None = None
    """None for `--` and the name of the field; "" where only Python has it."""
    metavar: str | None = None
    positional: bool = False
    """Whether it is a word of its own, without a flag."""
    kind: str | tuple[str, ...] = ""
    """What its text is, where a command line looks at it or completes it: see arena/cli/derived.py."""
    choices: Collection[str] = ()
    question: str = ""
    """Asked of somebody who has written BOT for BOT=VALUE."""
    otherwise: str = ""
    """What it is by default, where the default value does not say so."""
    after: str | None = None
    """The inherited field behind which people read this one, and those below it; None for before them all."""


class Command(msgspec.Struct, frozen=True, kw_only=True):
    """A command with its arguments, as a value that carries it out. Arguments that Python programs may write
    without their names are fields of a class that is not `kw_only`."""

    on_progress: Annotated[
        OnProgress,
        Argument("A function that is called with the progress; False for silence; None shows it.", flag=""),
    ] = None
    """Is not sent to another process."""


class Declared(NamedTuple):
    """An argument of a command. `type`: that of its value, without None. `python`: what programs pass."""

    name: str
    argument: Argument
    type: Any
    python: Any
    spelling: Spelling | None
    bounds: msgspec.Meta
    default: Any

    @property
    def repeated(self) -> bool:
        """Whether it has several values."""
        return typing.get_origin(self.type) in (tuple, dict)

    @property
    def flag(self) -> str:
        """Its option of the command line, in the singular where that is repeated; "" for none."""
        if self.argument.flag is not None or self.argument.positional:
            return self.argument.flag or ""
        name = self.name.removesuffix("s") if self.repeated else self.name
        return f"--{name.replace('_', '-')}"

    @property
    def metavar(self) -> str | None:
        """What stands for its value in a usage line; None for what click says of its type."""
        if self.type == dict[str, str]:
            return f"BOT={self.flag[2:].upper()}"
        return "KEY=VALUE" if self.type == dict[str, Any] else self.argument.metavar

    @property
    def help(self) -> str:
        """What a command line says of it."""
        otherwise = self.argument.otherwise
        return f"{self.sentence}  [default: {otherwise}]" if otherwise else self.sentence

    @property
    def sentence(self) -> str:
        """What it is, for whoever reads that here."""
        return self.argument.help.format(flag=flag)

    @property
    def required(self) -> bool:
        """Whether there is no default."""
        return self.default is msgspec.NODEFAULT


def declared(command: type[msgspec.Struct]) -> tuple[Declared, ...]:
    """The arguments of a command, in the order in which people read them."""
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
    """A type without None and without what is said beside it, and that."""
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
