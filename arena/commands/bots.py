"""The bots that come with the arena: the samples, and its own: `arena bots`."""

import os
import re
import shutil
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

import msgspec

from arena.entrants.clutter import is_clutter
from arena.entrants.find import BUILTIN_BOTS, HOUSE
from arena.entrants.manifest import MANIFEST
from arena.system.errors import UserError
from arena.system.shipped import shipped
from arena.system.wording import flag

LANGUAGES: Final[Mapping[str, str]] = {
    ".js": "JavaScript",
    ".lua": "Lua",
    ".php": "PHP",
    ".pl": "Perl",
    ".py": "Python",
    ".rb": "Ruby",
    ".sh": "POSIX shell",
}


class BotFacts(msgspec.Struct, frozen=True):
    """A bot that comes with the arena, or a copy of it."""

    bot: str
    language: str
    does: str
    """What it does, in a sentence."""
    path: str | None
    """The path by which it is entered; None for a builtin bot, which is entered by its name."""


def shipped_bots() -> tuple[BotFacts, ...]:
    """The samples, then the arena's own."""
    own = (msgspec.structs.replace(_facts(HOUSE / f"{name}.py"), path=None) for name in BUILTIN_BOTS)
    return (*map(_facts, samples()), *own)


class CopyBots(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """The samples are copied into `folder`, which must be missing or empty."""

    folder: str

    def carry_out(self) -> tuple[BotFacts, ...]:
        """The copies. Raises UserError."""
        folder = Path(self.folder)
        if os.path.exists(folder) and (not os.path.isdir(folder) or any(folder.iterdir())):
            raise UserError(f"{flag.copy} {folder}: it already exists; choose a different folder")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for path in samples():
                if path.is_dir():
                    shutil.copytree(
                        path, folder / path.name, ignore=lambda _, names: filter(is_clutter, names)
                    )
                else:
                    shutil.copy(path, folder)
        except OSError as error:
            raise UserError(f"{flag.copy} {error.filename}: {error.strerror}") from None
        return tuple(map(_facts, samples(folder)))


def samples(folder: Path | None = None) -> Iterable[Path]:
    """The sample bots, or those in a copy; what interpreters and systems leave beside them is none."""
    return (path for path in sorted((folder or shipped("bots")).iterdir()) if path.name[0] not in "._")


def _facts(path: Path) -> BotFacts:
    return BotFacts(path.stem, _language(path), _does(path), str(path))


def _language(path: Path) -> str:
    if path.is_dir():
        return str(tomllib.loads((path / MANIFEST).read_text("utf-8")).get("language", ""))
    return LANGUAGES.get(path.suffix, "")


def _does(path: Path) -> str:
    """The rest of the sentence that begins with the bot's name and a colon, in its program or its folder's
    README; "" if there is none."""
    text = (path / "README.md" if path.is_dir() else path).read_text("utf-8")
    said = re.search(rf"^\W*{re.escape(path.stem)}: (.*?\.)(?=\s|\")", text, re.IGNORECASE | re.DOTALL)
    return re.sub(r"\n\W*", " ", said[1]) if said else ""
