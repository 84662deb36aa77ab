"""A folder's bot.toml, in which its author says how the bot is started.

Strangers write it: whatever stands there gives a Manifest or a ValueError. Executes nothing.
"""

import os
import shlex
import tomllib
from pathlib import Path
from typing import Final

import msgspec

from arena.system.errors import did_you_mean
from arena.system.text import caption

MANIFEST: Final = "bot.toml"
MANIFEST_LIMIT: Final = 64 * 1024


class Manifest(msgspec.Struct, frozen=True):
    """`command` is run in the folder; before that, `build` is run there once. `games` are the ids of the
    games that the bot plays, None for all. `title` is what people read in place of the name."""

    command: str | list[str]
    build: str | list[str] | None = None
    name: str | None = None
    title: str = ""
    author: str = ""
    language: str = ""
    games: list[str] | None = None


def read_manifest(path: Path) -> Manifest:
    """The manifest in a file. Raises ValueError, which names the file and the key."""
    try:
        if not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(path.parent)):
            # The author reads messages that quote the file, and must not read other files by them.
            raise ValueError("a link that leads out of its folder")
        with path.open(encoding="utf-8-sig") as file:
            text = file.read(MANIFEST_LIMIT + 1)
        if len(text) > MANIFEST_LIMIT:
            raise ValueError(f"longer than {MANIFEST_LIMIT} characters")
        written = tomllib.loads(text)
        for key in written:
            if key not in Manifest.__struct_fields__:
                raise ValueError(f"unknown key {key!r}{did_you_mean(key, Manifest.__struct_fields__)}")
        return msgspec.convert(written, Manifest)
    except RecursionError:
        raise ValueError(f"{MANIFEST}: nested too deeply") from None
    except (OSError, ValueError, msgspec.ValidationError) as error:
        raise ValueError(caption(f"{MANIFEST}: {error}")) from None


def words_of(command: str | list[str]) -> list[str]:
    """The words of a command line. Raises ValueError where there are none or the shell could not read it."""
    words = shlex.split(command) if isinstance(command, str) else command
    if not words:
        raise ValueError(f"{MANIFEST}: an empty command")
    if any("\0" in word for word in words):
        raise ValueError(f"{MANIFEST}: a command with a null character")
    return words
