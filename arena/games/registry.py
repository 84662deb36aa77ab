"""The games that can be played here, by id: the arena's own, and those of installed packages.

    package.py     a package's metadata, and the digest of its code
    door.py        what a game must be before it is played

Packages are listed by their metadata, without importing them; a game's code is loaded when that game is asked
for. The ids of the arena's own games are reserved. A broken game affects no other game, and its error names
its package. Knows no rules and no bot.
"""

import functools
import importlib
import platform
import sys
import traceback
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import msgspec

from arena.games import EXTRAS, GAMES
from arena.games.door import obstacle
from arena.games.extras import Extras, Picture
from arena.games.game import Game, View
from arena.games.package import (
    ID_RULE,
    GameEntryPoint,
    GamePackage,
    MissingCodeError,
    code_digest,
    code_folder,
    is_id,
    listed,
)
from arena.system.errors import MachineError, UserError, did_you_mean, leaves
from arena.system.text import caption, visible

OWN: Final = "the arena itself has a game with this name"
OWN_CODE: Final = "the arena's own code"
ERROR_LENGTH: Final = 300
RULES_LENGTH: Final = 256 * 1024
MOST_COLUMNS: Final = 8
MOST_LINES: Final = 8
"""Limits of a picture."""


class UnknownGame(UserError):
    """No game of this id is installed."""


class BrokenGame(UserError):
    """A package lists this game, but it cannot be played. The text names the package and what is wrong."""


def ids() -> tuple[str, ...]:
    """The arena's own games, then those of packages. Imports none of them; some may be broken."""
    return (*GAMES, *(id for id in listed() if id not in GAMES))


def is_known(id: str) -> bool:
    """Whether a game of this id is installed, broken or not."""
    return id in GAMES or id in listed()


def game(id: str) -> Game:
    """The game of this id. Raises UnknownGame, BrokenGame."""
    return GAMES[id] if id in GAMES else _loaded(id)[0]


def package_of(id: str) -> GamePackage | None:
    """The package that brings the game; None for the arena's own. Raises UnknownGame, BrokenGame."""
    return None if id in GAMES else _loaded(id)[1]


def files_of(id: str) -> tuple[str, ...]:
    """The files and folders that loading the game needs besides the arena's own: its package's code and
    metadata. Raises UnknownGame, BrokenGame."""
    if package_of(id) is None:
        return ()
    (point,) = listed()[id]
    return tuple(filter(None, (str(code_folder(point.place)), point.metadata)))


class PackagedGame(msgspec.Struct, frozen=True):
    """A game in the metadata of a package, or of several that are at odds over it. All texts are harmless."""

    id: str
    package: str
    about: str
    obstacle: str | None
    """Why it cannot be played, if that is known without loading it."""


def from_packages() -> tuple[PackagedGame, ...]:
    """All games that packages list, in the order of their ids. Imports none of them."""
    return tuple(
        PackagedGame(
            caption(id),
            caption(" and ".join(point.by for point in points)),
            caption(points[0].summary),
            at_odds(id, points),
        )
        for id, points in listed().items()
    )


def title(id: str) -> str:
    """For lists: the title of an arena game, or a package's summary, made harmless. Imports nothing."""
    return GAMES[id].title if id in GAMES else caption(listed()[id][0].summary)


def _from(package: GamePackage | None) -> str:
    return "the arena itself" if package is None else f"the package {package.name}"


def changed(then: GamePackage | None, now: GamePackage | None) -> str | None:
    """A sentence if the code of a package differs between `then` and `now`; None if it does not."""
    if then is None or now is None or then.digest == now.digest:
        return None
    return f"it was played with {then}; this machine has {now}, with the same version of the rules"


def played(id: str, then: GamePackage | None, rules: int) -> tuple[Game, str | None]:
    """The game for a file that was written with the package `then` under these rules, and why it is a
    different one here; None if it is not. Raises UnknownGame, which names the missing package; BrokenGame."""
    if then is not None and not is_known(id):
        raise UnknownGame(f"{caption(id)} is not installed; it was played with the package {then.cleaned}")
    found, now = game(id), package_of(id)
    if (then and then.name) != (now and now.name):
        return found, f"from {_from(then)}; here the game is from {_from(now)}"
    if found.rules != rules:
        return found, f"rules version {rules}; this arena has version {found.rules}"
    return found, None


def required(id: str, package: GamePackage | None) -> Game:
    """The game for a match that is to be played with the code of `package`. Raises MachineError if other code
    is installed here; UnknownGame, BrokenGame."""
    required_game, here = game(id), package_of(id)
    if here != package:
        raise MachineError(
            f"{id} must be played with {package or OWN_CODE}, but {platform.node()} has {here or OWN_CODE}"
        )
    return required_game


def rules_of(id: str) -> str:
    """The rules in Markdown, made harmless; empty if the game brings none. Raises UnknownGame, BrokenGame."""
    text = extras(game(id)).rules
    return visible(text.encode(), RULES_LENGTH) + "\n" if text else ""


def extras(game: Game) -> Extras:
    """What the game brings besides its rules."""
    own: Extras = getattr(game, "extras", None) or EXTRAS.get(game.id, Extras())
    return own


def picture_of(game: Game, view: View, names: tuple[str, ...]) -> Picture | None:
    """The picture that a game's package brings, made harmless and no larger than a screen; None if it brings
    none. If the package fails, only the picture is lost, and a line in it says why."""
    try:
        return painted(game, view, names)
    except Exception as error:
        reason = caption(f"its package cannot draw it: {type(error).__name__}: {error}", ERROR_LENGTH)
        return Picture(rows=[()] * view.seats, lines=(reason,))


def painted(game: Game, view: View, names: tuple[str, ...]) -> Picture | None:
    """Like `picture_of`, but raises what the package raises, and ValueError if the picture is malformed."""
    paint = extras(game).picture
    return None if paint is None else _harmless(paint(view, names), view.seats)


def _harmless(picture: Picture, seats: int) -> Picture:
    """Raises ValueError if the rows do not fit the headings."""
    headings = tuple(map(caption, picture.headings[:MOST_COLUMNS]))
    rows = tuple(tuple(map(caption, row[:MOST_COLUMNS])) for row in picture.rows) or ((),) * seats
    if len(rows) != seats or any(len(row) != len(headings) for row in rows):
        raise ValueError("a picture has a row for each seat, with a cell for each heading")
    return Picture(
        progress=caption(picture.progress),
        headings=headings,
        rows=rows,
        on_table=tuple(map(caption, picture.on_table[:MOST_LINES])),
        lines=tuple(map(caption, picture.lines[:MOST_LINES])),
        played=tuple(picture.played),
        prompts={decision: caption(text) for decision, text in picture.prompts.items()},
        legend=tuple(map(caption, picture.legend[:MOST_LINES])),
    )


def at_odds(id: str, points: tuple[GameEntryPoint, ...]) -> str | None:
    """Why no game can be loaded by the entry points with this id; None if one can."""
    if id in GAMES:
        return OWN
    if not is_id(id):
        return f"an id is {ID_RULE}"
    if len(points) > 1:
        return f"two packages provide it, {' and '.join(point.by for point in points)}; remove one of them"
    return None


@functools.cache
def _loaded(id: str) -> tuple[Game, GamePackage]:
    points = listed().get(id)
    if not points:
        raise UnknownGame(f"unknown game {caption(id)!r}{did_you_mean(id, ids())}")
    if reason := at_odds(id, points):
        raise BrokenGame(f"{caption(id)}: {reason}")
    (point,) = points
    try:
        digest = code_digest(point.place)
        game = _imported(point)
        reason = obstacle(game, id)
    except MissingCodeError as error:
        raise _broken(point, str(error)) from None
    except KeyboardInterrupt:
        raise
    # An author's code can raise anything, and may even want to end the program.
    except BaseException as error:
        raise _broken(point, f"{type(error).__name__}: {error}{_place(error)}") from error
    if reason:
        raise _broken(point, reason)
    return game, GamePackage(point.package, point.version, digest)


def _imported(point: GameEntryPoint) -> Game:
    module, _, attribute = point.place.partition(":")
    value = importlib.import_module(module)
    for name in filter(None, attribute.split(".")):
        value = getattr(value, name)
    game: Game = value  # `obstacle` checks it next.
    return game


def blame(error: BaseException, id: str = "") -> str | None:
    """A line that names the package whose game raised the error; None if no package's code was running, or if
    the error is an interruption or a lack of memory. With `id`, the game that was played is named anyway, if
    a package brings it: what it returned could not be sent or judged."""
    innocent = (KeyboardInterrupt, GeneratorExit, MemoryError, UserError)
    errors = [leaf for leaf in leaves(error) if not isinstance(leaf, innocent)]
    for leaf in errors:
        files = [frame.filename for frame in traceback.extract_tb(leaf.__traceback__)]
        for listed_id, (point, *_) in listed().items():
            if point.place.partition(":")[0] in sys.modules and _is_code_of(point, files):
                return _at_fault(listed_id, point, leaf)
    if errors and id and id not in GAMES:
        return _at_fault(id, listed()[id][0], errors[0])
    return None


def _is_code_of(point: GameEntryPoint, files: Iterable[str]) -> bool:
    try:
        folder = code_folder(point.place)
    except MissingCodeError:
        return False
    return any(folder in (Path(file), *Path(file).parents) for file in files)


def _at_fault(id: str, point: GameEntryPoint, error: BaseException) -> str:
    what = caption(f"{type(error).__name__}: {error}{_place(error)}", ERROR_LENGTH)
    return caption(f"{id} cannot continue: {what}. It comes from the package {point.by}", 2 * ERROR_LENGTH)


def _place(error: BaseException) -> str:
    """The file and line where an error was raised, for its author."""
    frames = traceback.extract_tb(error.__traceback__)
    if isinstance(error, SyntaxError) or not frames:
        return ""  # A syntax error names its place itself.
    return f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})"


def _broken(point: GameEntryPoint, reason: str) -> BrokenGame:
    why = caption(reason, ERROR_LENGTH)
    return BrokenGame(
        f"{point.id} cannot be played: {why}. It comes from the package {point.by} ({point.place})"
    )
