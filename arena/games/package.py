"""The package that brings a game: how it is found by its metadata, and the digest of its code."""

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
"""An argument of the house's programs begins so: it names the folders in which a game's package is found."""
CODE_LIMIT: Final = 64 * MIB
"""Bytes of all files of a package, which are read whenever its game is loaded."""


class GamePackage(msgspec.Struct, frozen=True):
    """The package that a game came from. `digest` is the SHA-256 of its code (`code_digest`)."""

    name: str
    version: str
    digest: str

    def __str__(self) -> str:
        return f"{self.name} {self.version} (code {self.digest[:8]})"

    @property
    def cleaned(self) -> "GamePackage":
        """The same with harmless texts, since a file may come from a stranger."""
        return GamePackage(*map(caption, (self.name, self.version, self.digest)))


class GameEntryPoint(msgspec.Struct, frozen=True):
    """An entry point: the id it gives its game, the package, and where in it the game is. `metadata` is the
    folder that holds the entry point, "" if that is no folder."""

    id: str
    package: str
    version: str
    summary: str
    place: str
    metadata: str = ""

    @property
    def by(self) -> str:
        """The package with its version, for messages."""
        return f"{self.package} {self.version}"


def _listed_by(dist: importlib.metadata.Distribution) -> list[GameEntryPoint]:
    """The games in the metadata of a package, whoever wrote that; [] where it cannot be read, since most
    packages have nothing to do with us."""
    folder = str(getattr(dist, "_path", ""))  # There is no public name for it.
    try:
        if not all(Path(folder, name).is_file() for name in ("METADATA", "entry_points.txt")):
            return []  # A pipe would hang us, and without both there is no game.
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
    """The entry points of our group where the rest of a package's metadata is malformed."""
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
    """All installed entry points by id, in the order of ids; more than one where packages are at odds.
    Imports none of them."""
    found: defaultdict[str, list[GameEntryPoint]] = defaultdict(list)
    for dist in importlib.metadata.distributions():
        for one in _listed_by(dist):
            # A package that stands twice on the path is taken from the first place, as imports are.
            if one.package not in {other.package for other in found[one.id]}:
                found[one.id].append(one)
    return {id: tuple(sorted(found[id], key=lambda one: one.package)) for id in sorted(found)}


def code_folder(place: str) -> Path:
    """The folder of the package that holds the game, or the file if it is a single module. Of a namespace
    package (`acme.hearts`) it is the first part that is no mere namespace. Imports nothing but namespaces.
    Raises NoCode."""
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
    """SHA-256 over the files of `code_folder`, each by its path and content, sorted by path: the same for a
    wheel and an editable installation of the same files. What Python keeps in `__pycache__` does not count. A
    link to a folder counts by where it leads. Raises NoCode."""
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
    """The files, and the links to folders, each by its path from `start`."""
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
    """Whether a game may be called so: in files, in tables and on the command line."""
    return re.fullmatch("[a-z][a-z0-9]*(-[a-z0-9]+)*", text) is not None and len(text) <= ID_LENGTH
