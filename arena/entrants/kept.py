"""Keeps a copy of each bot's files under its digest, without clutter (clutter.py). A bot always plays from
that copy, so it is the same in every match, whatever its author does to the original.

Next to each copy is a list of its files, to show how the original differs. Knows no manifest.
"""

import contextlib
import os
import secrets
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from arena.entrants.build import LIST, built, cache, compile_python, copied, made_once, write_list
from arena.entrants.digest import SIZE_LIMIT, Rule, differences, digest, listed
from arena.process.private import PREFIX
from arena.process.sandbox import Sandbox
from arena.system.errors import EXHAUSTED, MachineError, UserError
from arena.system.files import UNFINISHED, abandoned
from arena.system.temporary import discard_abandoned
from arena.system.text import caption
from arena.system.trees import remove_folder

UNUSED_SECONDS: Final = 90 * 86_400.0
"""Copies from which no bot has entered for this long are deleted when another one is created."""
NAMED: Final = 3
"""The maximum number of differences in a message."""


class CopyPlace(NamedTuple):
    """Where copies are kept (None: the user's cache), the sandbox for builds, and which files are the
    program."""

    sandbox: Sandbox
    builds: Path | None
    rule: Rule = Rule.PROGRAM

    def copy(
        self, source: Path, version: str, build: Sequence[str] | None = None, python: str | None = None
    ) -> Path:
        """The copy of a file or folder with the digest `version`, created and built by `build` if it is
        missing. `python`: the interpreter of a bot in Python, which compiles it once if that is worthwhile.
        Raises BuildError; UserError if copies cannot be written."""
        builds = self.builds or cache()
        place = builds / version
        try:
            if build is not None:
                copy = built(source, place, build, self.sandbox, version, self.rule)
            else:
                copy = self._whole(source, place, version, python)
            with contextlib.suppress(FileNotFoundError):
                os.utime(_list_of(place))
            return copy
        except OSError as error:
            where = f"{error.filename or builds}: {error.strerror}"
            if error.errno in EXHAUSTED:
                raise MachineError(where) from None
            raise UserError(f"{where}; set XDG_CACHE_HOME to a different place for copies of bots") from None

    def _whole(self, source: Path, place: Path, version: str, python: str | None) -> Path:
        """The copy in the folder `place`, created if it is missing or damaged. Raises OSError, BuildError."""
        is_folder = source.is_dir()
        copy = place if is_folder else place / source.name

        def make(unfinished: Path) -> None:
            target = unfinished if is_folder else unfinished / source.name
            files = copied(source, target, version, self.rule)
            if python and self.rule is Rule.PROGRAM:
                compile_python(unfinished, python, self.sandbox)
            write_list(place, files)

        with contextlib.suppress(OSError, ValueError):
            if digest([copy], rule=self.rule) == version:
                return copy
        if place.exists():
            aside = place.with_name(f"{UNFINISHED}{secrets.token_hex(8)}")
            place.rename(aside)
            remove_folder(aside)
        _tidy(place.parent)
        made_once(place, make)
        return copy


def how_changed(source: Path, version: str) -> str:
    """How a file or folder differs from the copy with the digest `version`, as a predicate."""
    found = changes(source, version)
    return f"has changed since it entered: {found}" if found else "has changed since it entered"


def changes(source: Path, version: str, builds: Path | None = None) -> str:
    """The first differences between a file or folder and the copy with the digest `version`; "" if they are
    obvious, or if no list of the copy's files exists."""
    with contextlib.suppress(OSError, ValueError, UserError, msgspec.MsgspecError):
        kept = _list_of((builds or cache()) / version).read_bytes()
        found = differences(msgspec.json.decode(kept, type=dict[str, str]), listed([source], SIZE_LIMIT))
        if found != [f"{caption(source.name)} has changed"]:
            more = f" and {len(found) - NAMED} more" if len(found) > NAMED else ""
            return f"{', '.join(found[:NAMED])}{more}"
    return ""


def _tidy(builds: Path) -> None:
    """Delete what killed processes left, and copies that have not been used for UNUSED_SECONDS."""
    discard_abandoned(builds, PREFIX)
    with contextlib.suppress(OSError):
        for folder in abandoned(builds):
            remove_folder(folder)
        for path in builds.glob(f"*{LIST}"):
            if time.time() - path.stat().st_mtime > UNUSED_SECONDS:
                path.unlink()
                remove_folder(path.with_name(path.name.removesuffix(LIST)))


def _list_of(place: Path) -> Path:
    return place.with_name(f"{place.name}{LIST}")
