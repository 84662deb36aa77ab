"""Reads bot.toml, in which a bot's author says how it is started.

Strangers write it: any content gives either a Manifest or a ManifestError. Executes nothing.
"""

import os
import re
import shlex
import stat
import tomllib
from pathlib import Path
from typing import Any, Final

import msgspec

from arena.system.errors import did_you_mean
from arena.system.text import caption

MANIFEST: Final = "bot.toml"
MANIFEST_LIMIT: Final = 4 * 1024
"""In bytes."""
DOTS_LIMIT: Final = 64
"""The maximum number of dots in a key: tomllib takes quadratic time for them."""
_NO_KEY: Final = re.compile(
    r'''"""(?:\\.|[^\\])*?(?:"{3,5}|\Z)|\'{3}.*?(?:\'{3,5}|\Z)|"(?:\\.|[^"\\\n])*"?|\'[^\'\n]*\'?|#[^\n]*''',
    re.DOTALL,
)
"""Strings and comments. An unterminated one extends to the end of its line or of the file."""


class ManifestError(ValueError):
    """What is wrong with a bot.toml. The text names the file, and the key if there is one."""


class Manifest(msgspec.Struct, frozen=True):
    """The content of a bot.toml."""

    command: str | list[str]
    """Run in the folder."""
    build: str | list[str] | None = None
    """Run in the folder once, before the first `command`."""
    name: str | None = None
    title: str = ""
    """What people read instead of the name."""
    author: str = ""
    language: str = ""
    games: list[str] | None = None
    """The ids of the games that the bot plays; None for all."""


def read_manifest(path: Path) -> Manifest:
    """The manifest in a file. Raises ManifestError."""
    try:
        with path.open("rb") as file:
            real, status = Path(os.path.realpath(path)), os.fstat(file.fileno())
            # Messages quote the file, and must not reveal other files to the author, who may put a link in
            # its place at any time: so the check comes after opening, and is about the file that is open.
            if not (
                real.is_relative_to(os.path.realpath(path.parent))
                and os.path.samestat(os.lstat(real), status)
            ):
                raise ValueError("a link that points outside its folder")
            if status.st_uid != os.stat(path.parent).st_uid and not status.st_mode & (
                stat.S_IRGRP | stat.S_IROTH
            ):
                raise ValueError("it does not belong to its folder's owner, who may not read it")
            written = _parsed(file.read(MANIFEST_LIMIT + 1))
        for key in written:
            if key not in Manifest.__struct_fields__:
                raise ValueError(f"unknown key {key!r}{did_you_mean(key, Manifest.__struct_fields__)}")
        return msgspec.convert(written, Manifest)
    except RecursionError:
        raise ManifestError(f"{MANIFEST}: nested too deeply") from None
    except (OSError, ValueError, msgspec.ValidationError) as error:
        raise ManifestError(caption(f"{MANIFEST}: {error}")) from None


def _parsed(data: bytes) -> dict[str, Any]:
    """Raises ValueError, RecursionError."""
    if len(data) > MANIFEST_LIMIT:
        raise ValueError(f"longer than {MANIFEST_LIMIT} bytes")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError("it is not UTF-8: save it as UTF-8") from None
    # A key is on one line.
    if any(line.count(".") > DOTS_LIMIT for line in _NO_KEY.sub("", text).splitlines()):
        raise ValueError(f"a key with more than {DOTS_LIMIT} dots")
    return tomllib.loads(text)


def words_of(command: str | list[str]) -> list[str]:
    """The words of a command line. Raises ManifestError if there are none, or if no shell can parse it."""
    try:
        words = shlex.split(command) if isinstance(command, str) else command
    except ValueError as error:
        raise ManifestError(f"{MANIFEST}: {error}") from None
    if not words:
        raise ManifestError(f"{MANIFEST}: the command is empty")
    if any("\0" in word for word in words):
        raise ManifestError(f"{MANIFEST}: the command contains a NUL character")
    return words
