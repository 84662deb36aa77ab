"""How Python programs may write the arguments of a command: any paths, lists, dictionaries, functions.

A type such as `PathText` has two definitions. A type checker sees what a program may pass; msgspec sees what
it becomes in a plain call, which can be sent to another process. Knows no command.
"""

import os
import typing
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, NamedTuple, Protocol, TypeAlias

import msgspec

from arena.entrants.entrant import Function
from arena.games.game import Action
from arena.process.sandbox import Level
from arena.process.walls import level_of
from arena.system.errors import UserError

AnyPath: TypeAlias = str | os.PathLike[str]


class Spelling(NamedTuple):
    """How Python programs may write a value. `python`: the type that they see. `plain`: converts an argument,
    given its name and value, for a plain call. Raises UserError."""

    python: Any
    plain: Callable[[str, Any], Any]


def path_of(path: AnyPath) -> str:
    """A path as a string. Raises UserError if it is not a path."""
    if not isinstance(path, str | os.PathLike) or not (text := str(os.fspath(path))) or "\0" in text:
        raise UserError(f"{path!r}: expected a path")
    return text


def paths_of(name: str, paths: Iterable[AnyPath]) -> tuple[str, ...]:
    """Several paths or names. Raises UserError."""
    if isinstance(paths, str | os.PathLike) or not isinstance(paths, Iterable):
        raise UserError(f"{name}: expected a list, such as [{paths!r}]")
    return tuple(path_of(path) for path in paths)


def words_of(name: str, words: AnyPath | Iterable[AnyPath]) -> tuple[str, ...]:
    """One path, or several. Raises UserError."""
    return (path_of(words),) if isinstance(words, str | os.PathLike) else paths_of(name, words)


def mapping_of(name: str, values: Mapping[str, Any] | None) -> dict[str, Any]:
    """Values by name. Raises UserError."""
    if not isinstance(values, Mapping | None):
        raise UserError(f"{name}: expected a dictionary, not {values!r}")
    return dict(values or {})


def text_of(name: str, value: str | int) -> str:
    """A string, which may be passed as an integer. Raises UserError."""
    if not isinstance(value, str | int):
        raise UserError(f"{name} {value!r}: expected a string or a whole number")
    return str(value)


Policy: TypeAlias = Callable[[Any, tuple[Action, ...]], Action]
"""Maps a view, of the game's own class, and the legal actions to the chosen action."""


class DecidingObject(Protocol):
    """An object that decides. If a seat is a class of these, each match has its own object."""

    def __call__(self, view: Any, legal: tuple[Action, ...], /) -> Action:
        """Decide, as a Policy does."""
        ...


Program: TypeAlias = str | os.PathLike[str] | Policy | type[DecidingObject]
Seat: TypeAlias = Program | tuple[str, Program]
"""A bot as on the command line, a function, or a class of deciding objects; or a name with one of these."""
Word: TypeAlias = str | Function
"""A bot in a plain call: as written on a command line, or a function of the calling program."""


class Progress(msgspec.Struct, frozen=True, tag=True):
    """The progress of a call."""

    text: str
    """The progress as a line for people."""
    done: int = 0
    """The number of matches or bots that are done."""
    total: int = 0
    """0 if unknown."""
    seconds_left: float | None = None
    """At the current pace; None if unknown."""


Progressing: TypeAlias = Callable[[Progress], None] | Literal[False] | None
BOT: Final = Spelling(Seat, lambda name, value: value)
BOTS: Final = Spelling(Iterable[Seat], lambda name, value: value)
"""Functions are replaced by Function values before the call is plain (arena/library/functions.py)."""


if TYPE_CHECKING:
    PathText: TypeAlias = AnyPath
    Paths: TypeAlias = Iterable[AnyPath]
    Words: TypeAlias = AnyPath | Iterable[AnyPath]
    Names: TypeAlias = Iterable[str]
    ByName: TypeAlias = Mapping[str, str]
    GameOptions: TypeAlias = Mapping[str, Any]
    TextOrNumber: TypeAlias = str | int
    TimeText: TypeAlias = str
    LevelName: TypeAlias = str
    Bot: TypeAlias = Seat | Function
    Bots: TypeAlias = Iterable[Seat | Function]
    OnProgress: TypeAlias = Progressing
else:
    PathText = Annotated[str, Spelling(AnyPath, lambda name, path: path_of(path))]
    Paths = Annotated[tuple[str, ...], Spelling(Iterable[AnyPath], paths_of)]
    Words = Annotated[tuple[str, ...], Spelling(AnyPath | Iterable[AnyPath], words_of)]
    Names = Annotated[tuple[str, ...], Spelling(Iterable[str], paths_of)]
    ByName = Annotated[dict[str, str], Spelling(Mapping[str, str], mapping_of)]
    GameOptions = Annotated[dict[str, Any], Spelling(Mapping[str, Any], mapping_of)]
    TextOrNumber = Annotated[str, Spelling(str | int, text_of)]
    TimeText = Annotated[str, Spelling(str, lambda name, value: str(value))]
    LevelName = Annotated[Level, Spelling(str, lambda name, value: level_of(value))]
    Bot = Annotated[Word, BOT]
    Bots = Annotated[tuple[Word, ...], BOTS]
    OnProgress = Annotated[None, Spelling(Progressing, lambda name, value: None)]


def plain_words(bots: Bots) -> tuple[Word, ...]:
    """The bots of a plain call, in which none is a Python function any more."""
    words = tuple(bots)
    assert all(isinstance(word, str | Function) for word in words)
    return typing.cast(tuple[Word, ...], words)
