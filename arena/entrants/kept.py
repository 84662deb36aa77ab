"""The copy of a bot's files from which it plays, kept under its digest: made once, without what is no program
(clutter.py), and the same for every match, whatever its author does to the original meanwhile.

Beside each copy stands a list of its files, by which can be said how the original differs later. Knows files
and builds; no manifest.
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
from arena.process.private import discard_abandoned
from arena.process.sandbox import Sandbox
from arena.system.errors import EXHAUSTED, MachineError, UserError
from arena.system.files import UNFINISHED, abandoned
from arena.system.text import caption
from arena.system.trees import remove_folder

UNUSED_SECONDS: Final = 90 * 86_400.0
"""A copy is deleted from which no bot has entered for so long, when another one is made."""
NAMED: Final = 3
"""Differences that are named."""


class CopyPlace(NamedTuple):
    """Where copies are kept, None for the user's cache; the sandbox in which they are built; and what of a
    folder is a program."""

    sandbox: Sandbox
    builds: Path | None
    rule: Rule = Rule.PROGRAM

    def copy(
        self, source: Path, version: str, build: Sequence[str] | None = None, python: str | None = None
    ) -> Path:
        """The copy of a file or folder with the digest `version`. If it is not there, it is made, and built
        by `build`. `python`: the interpreter of a bot in Python, by which it is compiled once if there is
        much to compile. Raises BuildError; UserError where nothing can be kept."""
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
            raise UserError(f"{where}; XDG_CACHE_HOME may name another place for copies of bots") from None

    def _whole(self, source: Path, place: Path, version: str, python: str | None) -> Path:
        """The copy in the folder `place`, which is made if it is missing or damaged. Raises OSError,
        BuildError."""
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
    """How a file or folder differs from what had the digest `version`, as the rest of a sentence about it."""
    found = changes(source, version)
    return f"has changed since it entered: {found}" if found else "has changed since it entered"


def changes(source: Path, version: str, builds: Path | None = None) -> str:
    """The first files by which a file or folder differs from what had the digest `version`, each with what is
    different; "" where that goes without saying, and where no list of its files was kept."""
    with contextlib.suppress(OSError, ValueError, UserError, msgspec.MsgspecError):
        kept = _list_of((builds or cache()) / version).read_bytes()
        found = differences(msgspec.json.decode(kept, type=dict[str, str]), listed([source], SIZE_LIMIT))
        if found != [f"{caption(source.name)} has changed"]:
            more = f" and {len(found) - NAMED} more" if len(found) > NAMED else ""
            return f"{', '.join(found[:NAMED])}{more}"
    return ""


def _tidy(builds: Path) -> None:
    """Deletes what a kill left, and copies that have not been used for long."""
    discard_abandoned(builds)
    with contextlib.suppress(OSError):
        for folder in abandoned(builds):
            remove_folder(folder)
        for path in builds.glob(f"*{LIST}"):
            if time.time() - path.stat().st_mtime > UNUSED_SECONDS:
                path.unlink()
                remove_folder(path.with_name(path.name.removesuffix(LIST)))


def _list_of(place: Path) -> Path:
    return place.with_name(f"{place.name}{LIST}")
