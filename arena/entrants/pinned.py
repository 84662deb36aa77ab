"""Builtin bots as separate programs: a folder with a copy of the code that decides what such a bot does, so
that an upgrade of the arena does not change it. The interpreter and the libraries are those of the arena that
plays. Knows files; no league.
"""

import shutil
from pathlib import Path
from typing import Final

import msgspec

from arena.entrants.digest import Rule, version_of
from arena.entrants.entrant import Entrant
from arena.entrants.find import ROOMS_OF_BUILTIN_BOTS, builtin_bot

ROOT: Final = Path(__file__).parents[2]
ROOMS: Final = (*ROOMS_OF_BUILTIN_BOTS, "arena/system")
"""The folders to copy: the code that decides, and what it imports."""
PACKAGES: Final = ("arena.players.house", "arena.house")
"""The packages that may contain the bots in a copy; the second is that of earlier versions."""


def pin(name: str, folder: Path) -> Path:
    """Copy the code of a builtin bot into a new folder `folder`/`name`, and return its path."""
    made = folder / name
    for room in ROOMS:
        shutil.copytree(ROOT / room, made / room, ignore=_but_code)
    (made / "arena" / "__init__.py").write_text(f'"""A copy of what decides how {name} plays."""\n')
    return made


def is_pinned(folder: Path) -> bool:
    """Whether a folder contains a copy of the bot of the same name."""
    return _package(folder) is not None


def _package(folder: Path) -> str | None:
    """The package in a copy that contains the bot; None if none does."""
    places = (name for name in PACKAGES if Path(folder, *name.split("."), f"{folder.name}.py").is_file())
    return next(places, None)


def pinned(folder: Path, game: str) -> Entrant:
    """The bot in such a folder. Raises ValueError if its files cannot be read."""
    launch = builtin_bot(folder.name, game).launch
    interpreter, flag, _, *words = launch.argv
    module = f"{_package(folder)}.{folder.name}"
    launch = msgspec.structs.replace(
        launch,
        argv=(interpreter, "-B", flag, module, *words),  # Otherwise .pyc files would change its digest.
        folder=str(folder.absolute()),
        owns_folder=True,
        needs=(),
    )
    # It plays from the folder itself, so everything in it is the program.
    version = version_of([folder], rule=Rule.ALL)
    return Entrant(folder.name, launch, version, str(folder.absolute()), ours=True)


def _but_code(folder: str, names: list[str]) -> set[str]:
    """What not to copy of a folder: all but folders, modules, and the rules of games (loaded too)."""
    return {
        name
        for name in names
        if name == "__pycache__" or not (name.endswith((".py", ".md")) or Path(folder, name).is_dir())
    }
