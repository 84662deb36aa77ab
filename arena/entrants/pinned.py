"""The bots of LENT as programs of their own: a folder with a copy of the code that decides what such a bot
does, so that an upgrade of the arena does not change it. Interpreter and libraries are those of the arena
that plays. Knows files; no league.
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
"""The folders that are copied: what decides, and what that code imports."""
PACKAGES: Final = ("arena.players.house", "arena.house")
"""Where the bots are in a copy; the second one is of earlier versions."""


def pin(name: str, folder: Path) -> Path:
    """Copies the code of a bot of LENT into a new folder of this name, below `folder`; the path of that."""
    made = folder / name
    for room in ROOMS:
        shutil.copytree(ROOT / room, made / room, ignore=_but_code)
    (made / "arena" / "__init__.py").write_text(f'"""A copy of what decides how {name} plays."""\n')
    return made


def is_pinned(folder: Path) -> bool:
    """Whether there is such a copy in a folder, which is called as its bot is."""
    return _package(folder) is not None


def _package(folder: Path) -> str | None:
    """The package in such a copy that has the bot."""
    places = (name for name in PACKAGES if Path(folder, *name.split("."), f"{folder.name}.py").is_file())
    return next(places, None)


def pinned(folder: Path, game: str) -> Entrant:
    """The bot in such a folder. Raises ValueError where its files cannot be read."""
    launch = builtin_bot(folder.name, game).launch
    interpreter, flag, _, *words = launch.argv
    module = f"{_package(folder)}.{folder.name}"
    launch = msgspec.structs.replace(
        launch,
        argv=(interpreter, "-B", flag, module, *words),  # What it compiles would be among its files.
        folder=str(folder.absolute()),
        owns_folder=True,
        needs=(),
    )
    # It plays from that folder itself, so whatever is in there is the program.
    version = version_of([folder], rule=Rule.ALL)
    return Entrant(folder.name, launch, version, str(folder.absolute()), ours=True)


def _but_code(folder: str, names: list[str]) -> set[str]:
    """The names in a folder that are neither folders nor modules nor the rules of a game, which it loads."""
    return {
        name
        for name in names
        if name == "__pycache__" or not (name.endswith((".py", ".md")) or Path(folder, name).is_dir())
    }
