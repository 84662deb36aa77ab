"""The package that brings a game: its metadata, by which it is found, and the digest of its code."""

import configparser
import functools
import hashlib
import importlib.metadata
import importlib.util
import os
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import msgspec

from arena.system.machine import MIB
from arena.system.text import caption

GROUP: Final = "arena.games"
"""The entry points of a package name its games: `hearts = "arena_hearts:GAME"`."""
ID_LENGTH: Final = 32
ID_RULE: Final = f"letters a–z, digits and single hyphens, a letter first, {ID_LENGTH} characters at most"
SEARCH_PATH: Final = "--path="
"""The prefix of an argument of builtin bots: the folders in which a game's package is found."""
CODE_LIMIT: Final = 64 * MIB
"""The most bytes in all files of a package. They are read whenever its game is loaded."""


class GamePackage(msgspec.Struct, frozen=True):
    """The package that brings a game."""

    name: str
    version: str
    digest: str
    """The SHA-256 of its code."""

    def __str__(self) -> str:
        return f"{self.name} {self.version} (code {self.digest[:8]})"

    @property
    def cleaned(self) -> "GamePackage":
        """The same with its texts sanitised, since a file may come from a stranger."""
        return GamePackage(*map(caption, (self.name, self.version, self.digest)))


class GameEntryPoint(msgspec.Struct, frozen=True):
    """A game in the metadata of a package."""

    id: str
    package: str
    version: str
    summary: str
    place: str
    """The module and the attribute: `arena_hearts:GAME`."""
    metadata: str = ""
    """The folder of the metadata; empty if it is not in a folder."""

    @property
    def by(self) -> str:
        """The package with its version, for messages."""
        return f"{self.package} {self.version}"


def _listed_by(dist: importlib.metadata.Distribution) -> list[GameEntryPoint]:
    """The games in a package's metadata; [] if it is unreadable, since few packages have to do with us."""
    folder = str(getattr(dist, "_path", ""))  # There is no public name for it.
    try:
        if not all(Path(folder, name).is_file() for name in ("METADATA", "entry_points.txt")):
            return []  # To read a pipe would hang, and without both files there is no game.
        points = [point for point in dist.entry_points if point.group == GROUP]
        if not points:
            return []
        name, version = str(dist.name), str(dist.version)
        summary = str(dist.metadata.json.get("summary", ""))
    # Metadata can be malformed in any way.
    except Exception as error:
        name, version = os.path.basename(folder).removesuffix(".dist-info"), "?"
        summary = f"its metadata cannot be read ({type(error).__name__})"
        points = _points_of(folder)
    return [GameEntryPoint(point.name, name, version, summary, point.value, folder) for point in points]


def _points_of(folder: str) -> list[importlib.metadata.EntryPoint]:
    """The entry points of our group, if the rest of a package's metadata is malformed."""
    reader = configparser.ConfigParser(delimiters="=", strict=False, allow_no_value=True)
    reader.optionxform = str  # type: ignore[assignment,method-assign]  # Names keep their case.
    try:
        reader.read_string(Path(folder, "entry_points.txt").read_text("utf-8", "replace"))
        pairs = reader.items(GROUP) if reader.has_section(GROUP) else []
    except (OSError, configparser.Error):
        return []
    return [importlib.metadata.EntryPoint(name, value, GROUP) for name, value in pairs if value]


class MissingCodeError(Exception):
    """The files of an entry point cannot be found; the text says why."""


@functools.cache
def listed() -> Mapping[str, tuple[GameEntryPoint, ...]]:
    """All installed entry points by id, sorted; several if packages are at odds. Imports none of them."""
    by_id: defaultdict[str, list[GameEntryPoint]] = defaultdict(list)
    for dist in importlib.metadata.distributions():
        for point in _listed_by(dist):
            # Of a package that is twice on the path the first counts, as with imports.
            if point.package not in {other.package for other in by_id[point.id]}:
                by_id[point.id].append(point)
    return {id: tuple(sorted(by_id[id], key=lambda point: point.package)) for id in sorted(by_id)}


def code_folder(place: str) -> Path:
    """The folder of the game's package, or the file of a single module. In a namespace package
    (`acme.hearts`) it is the first part that is not just a namespace. Imports nothing but namespaces. Raises
    MissingCodeError."""
    module = place.partition(":")[0]
    parts = module.split(".")
    for length in range(1, len(parts) + 1):
        name = ".".join(parts[:length])
        try:
            spec = importlib.util.find_spec(name)
        except (ImportError, ValueError, AttributeError) as error:
            raise MissingCodeError(f"the module {name} cannot be found ({error})") from None
        if spec is None:
            raise MissingCodeError(f"there is no module {name}")
        if spec.origin and spec.has_location:
            file = Path(spec.origin)
            return file.parent if spec.submodule_search_locations is not None else file
    raise MissingCodeError(f"{module} is a folder without an __init__.py")


def code_digest(place: str) -> str:
    """SHA-256 over the paths and contents of the files in `code_folder`, sorted by path: the same for a wheel
    and an editable installation of the same files. Compiled files in `__pycache__` do not count; a link to a
    folder counts as the path that it leads to. Raises MissingCodeError."""
    start = code_folder(place)
    summed, left = hashlib.sha256(), CODE_LIMIT
    for name, file in sorted(_files(start)):
        try:
            left -= 0 if file.is_dir() else file.stat().st_size
            if left < 0:
                raise MissingCodeError(
                    f"the files in {caption(str(start))} are larger than {CODE_LIMIT // MIB} MB"
                )
            content = os.fsencode(file.readlink()) if file.is_dir() else file.read_bytes()
        except OSError as error:
            raise MissingCodeError(f"{caption(str(file))}: {error.strerror}") from None
        summed.update(b"%d %s %d " % (len(name), name, len(content)))
        summed.update(content)
    return summed.hexdigest()


def _files(start: Path) -> Iterator[tuple[bytes, Path]]:
    """The files, and the links to folders, each with its path from `start`."""
    if start.is_file():
        yield os.fsencode(start.name), start
        return
    for here, folders, files in os.walk(start):
        if "__pycache__" in folders and not os.path.islink(os.path.join(here, "__pycache__")):
            folders.remove("__pycache__")
            kept = os.path.join(here, "__pycache__")
            files += [f"__pycache__/{name}" for name in os.listdir(kept) if not name.endswith(".pyc")]
        for name in [*files, *folders]:
            path = Path(here, name)
            if path.is_file() or (path.is_dir() and path.is_symlink()):
                yield os.fsencode(path.relative_to(start)), path


def is_id(text: str) -> bool:
    """Whether this can be the id of a game, in files and on the command line."""
    return re.fullmatch("[a-z][a-z0-9]*(-[a-z0-9]+)*", text) is not None and len(text) <= ID_LENGTH
