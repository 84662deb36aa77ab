"""The games that can be played here, by their ids: the arena's own, and those that installed packages bring.

    package.py     a package's metadata, and the digest of its code
    door.py        what a game must be before it is played

Packages are listed by their metadata, which imports none of them; a game's code is loaded when that game is
asked for. The ids of the arena's own games are reserved, and a package whose game is broken spoils no other
game: its error says whose fault it is. Knows no rules and no bot.
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

OWN: Final = "the arena has a game of that name itself"
OWN_CODE: Final = "the arena's own code"
ERROR_LENGTH: Final = 300
RULES_LENGTH: Final = 256 * 1024
MOST_COLUMNS: Final = 8
MOST_LINES: Final = 8
"""Of a picture that is shown."""


class UnknownGame(UserError):
    """No game of this id is installed."""


class BrokenGame(UserError):
    """A package lists this game, and it cannot be played. The text names the package and what is wrong."""


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
    """The files and folders without which the game cannot be loaded, besides the arena's own: the code of its
    package, and the metadata by which it is found. Raises UnknownGame, BrokenGame."""
    if package_of(id) is None:
        return ()
    ((place, metadata),) = {(one.place, one.metadata) for one in listed()[id]}
    return tuple(filter(None, (str(code_folder(place)), metadata)))


class PackagedGame(msgspec.Struct, frozen=True):
    """A game in the metadata of a package, or of several that are at odds over it. All texts are harmless.
    `obstacle` is why it cannot be played, so far as that is known without loading it."""

    id: str
    package: str
    about: str
    obstacle: str | None


def from_packages() -> tuple[PackagedGame, ...]:
    """All games that packages list, in the order of their ids. Imports none of them."""
    return tuple(
        PackagedGame(
            caption(id),
            caption(" and ".join(one.by for one in found)),
            caption(found[0].summary),
            at_odds(id, found),
        )
        for id, found in listed().items()
    )


def title(id: str) -> str:
    """What a list shows beside the id: the title of one of the arena's games, or what a package says of
    itself, made harmless. Imports nothing."""
    return GAMES[id].title if id in GAMES else caption(listed()[id][0].summary)


def other_package(then: GamePackage | None, now: GamePackage | None) -> str | None:
    """Why a game that was played with `then` is another one than that of `now`; None if it may be the same,
    which the number of its rules decides."""
    if (then and then.name) == (now and now.name):
        return None
    return f"of {_from(then)}; here it is of {_from(now)}"


def _from(package: GamePackage | None) -> str:
    return "the arena itself" if package is None else f"the package {package.name}"


def changed(then: GamePackage | None, now: GamePackage | None) -> str | None:
    """A sentence where the code of one package differs between `then` and `now`; None where it does not."""
    if then is None or now is None or then.digest == now.digest:
        return None
    return f"it was played with {then}; here is {now}, with the same version of the rules"


def played(id: str, then: GamePackage | None) -> tuple[Game, GamePackage | None]:
    """The game for a file that was written with the code of `then`, and its package as it is installed here.
    Raises UnknownGame, which names the package that is missing; BrokenGame."""
    if then is not None and not is_known(id):
        raise UnknownGame(f"{caption(id)} is not installed; it was played with the package {then.cleaned}")
    return game(id), package_of(id)


def required(id: str, package: GamePackage | None) -> Game:
    """The game for a match that is to be played with the code of `package`. Raises MachineError where other
    code is installed here; UnknownGame, BrokenGame."""
    found, here = game(id), package_of(id)
    if here != package:
        raise MachineError(
            f"{id} is to be played with {package or OWN_CODE}; {platform.node()} has {here or OWN_CODE}"
        )
    return found


def rules_of(id: str) -> str:
    """The rules in Markdown, made harmless; "" if the game brings none. Raises UnknownGame, BrokenGame."""
    text = extras(game(id)).rules
    return visible(text.encode(), RULES_LENGTH) + "\n" if text else ""


def extras(game: Game) -> Extras:
    """What the game brings besides its rules."""
    found: Extras = getattr(game, "extras", None) or EXTRAS.get(game.id, _NO_EXTRAS)
    return found


_NO_EXTRAS: Final = Extras()


def picture_of(game: Game, view: View, names: tuple[str, ...]) -> Picture | None:
    """The picture that a game's package brings, made harmless and no larger than a screen; None if it brings
    none. A package that fails at it costs the picture and no more: then a line of it says why."""
    try:
        return painted(game, view, names)
    except Exception as error:
        reason = caption(f"its package cannot draw it: {type(error).__name__}: {error}", ERROR_LENGTH)
        return Picture(rows=[()] * view.seats, lines=(reason,))


def painted(game: Game, view: View, names: tuple[str, ...]) -> Picture | None:
    """The same picture. Raises whatever the package raises, and ValueError for one that is no picture."""
    paint = extras(game).picture
    return None if paint is None else _harmless(paint(view, names), view.seats)


def _harmless(picture: Picture, seats: int) -> Picture:
    """Raises ValueError where the rows do not fit the headings."""
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


def at_odds(id: str, found: tuple[GameEntryPoint, ...]) -> str | None:
    """Why the entry points with this id cannot be followed; None if there is nothing against it."""
    if id in GAMES:
        return OWN
    if not is_id(id):
        return f"an id is {ID_RULE}"
    if len(found) > 1:
        return f"two packages bring it, {' and '.join(one.by for one in found)}; remove one of them"
    return None


@functools.cache
def _loaded(id: str) -> tuple[Game, GamePackage]:
    found = listed().get(id)
    if not found:
        raise UnknownGame(f"unknown game {caption(id)!r}{did_you_mean(id, ids())}")
    if reason := at_odds(id, found):
        raise BrokenGame(f"{caption(id)}: {reason}")
    (one,) = found
    try:
        digest = code_digest(one.place)
        game = _imported(one)
        reason = obstacle(game, id)
    except MissingCodeError as error:
        raise _broken(one, str(error)) from None
    except KeyboardInterrupt:
        raise
    # An author's code can raise anything, and may even want to end the program.
    except BaseException as error:
        raise _broken(one, f"{type(error).__name__}: {error}{_place(error)}") from error
    if reason:
        raise _broken(one, reason)
    return game, GamePackage(one.package, one.version, digest)


def _imported(one: GameEntryPoint) -> Game:
    module, _, attribute = one.place.partition(":")
    found = importlib.import_module(module)
    for name in filter(None, attribute.split(".")):
        found = getattr(found, name)
    game: Game = found  # The door looks at it next.
    return game


def blame(error: BaseException, id: str = "") -> str | None:
    """One line that names the package whose game raised the error; None if the code of none was running, or
    if the error is an interruption or a lack of memory. With `id`, the game that was played is named in any
    case if a package brings it: then what it gave could not be sent or judged."""
    innocent = (KeyboardInterrupt, GeneratorExit, MemoryError, UserError)
    errors = [one for one in leaves(error) if not isinstance(one, innocent)]
    for one in errors:
        files = [frame.filename for frame in traceback.extract_tb(one.__traceback__)]
        for listed_id, (point, *_) in listed().items():
            if point.place.partition(":")[0] in sys.modules and _is_code_of(point, files):
                return _at_fault(listed_id, point, one)
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
    return caption(f"{id} cannot be played on: {what}. It is of the package {point.by}", 2 * ERROR_LENGTH)


def _place(error: BaseException) -> str:
    """Where an error was raised, for its author: the name of the file, and the line."""
    frames = traceback.extract_tb(error.__traceback__)
    if isinstance(error, SyntaxError) or not frames:
        return ""  # It names its place itself.
    return f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})"


def _broken(one: GameEntryPoint, reason: str) -> BrokenGame:
    why = caption(reason, ERROR_LENGTH)
    return BrokenGame(f"{one.id} cannot be played: {why}. It is of the package {one.by} ({one.place})")
