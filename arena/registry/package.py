"""The package that brings a game: how it is found by its metadata, and the digest of its code."""

import functools
import hashlib
import importlib.metadata
import importlib.util
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import msgspec

from arena.system.text import caption

GROUP: Final = "arena.games"
"""The entry points of a package name its games: `hearts = "arena_hearts:GAME"`."""
ID_LENGTH: Final = 32
ID_RULE: Final = f"letters a–z, digits and single hyphens, a letter first, {ID_LENGTH} characters at most"
SEARCH_PATH: Final = "--path="
"""An argument of the house's programs begins so: it names the folders in which a game's package is found."""
MACHINE_MADE: Final = (".pyc", ".pyo", ".swp")
"""Files with these suffixes are made by the machine they lie on, so they do not count for the digest."""


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


class Listed(msgspec.Struct, frozen=True):
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


class NoCode(Exception):
    """The files of an entry point cannot be found; the text says why."""


@functools.cache
def listed() -> Mapping[str, tuple[Listed, ...]]:
    """All installed entry points by id, in the order of ids; more than one where packages are at odds.
    Imports none of them."""
    found: defaultdict[str, list[Listed]] = defaultdict(list)
    for point in importlib.metadata.entry_points(group=GROUP):
        if (dist := point.dist) is None:
            continue
        summary = str(dist.metadata.json.get("summary", ""))
        folder = str(getattr(dist, "_path", ""))  # There is no public name for it.
        one = Listed(point.name, dist.name, dist.version, summary, point.value, folder)
        if one not in found[point.name]:  # A folder that stands twice on the path lists its packages twice.
            found[point.name].append(one)
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
            raise NoCode(f"the module {name} cannot be found ({error})") from None
        if spec is None:
            raise NoCode(f"there is no module {name}")
        if spec.origin and spec.has_location:
            file = Path(spec.origin)
            return file.parent if spec.submodule_search_locations is not None else file
    raise NoCode(f"{module} is a folder without an __init__.py")


def code_digest(place: str) -> str:
    """SHA-256 over the files of `code_folder`, each by its path and content, sorted by path: the same for a
    wheel and an editable installation of the same files. Hidden files and what machines make beside the code
    do not count. Raises NoCode."""
    start = code_folder(place)
    summed = hashlib.sha256()
    for name, file in sorted(_files(start)):
        try:
            content = file.read_bytes()
        except OSError as error:
            raise NoCode(f"{file}: {error.strerror}") from None
        summed.update(b"%d %s %d " % (len(name.encode()), name.encode(), len(content)))
        summed.update(content)
    return summed.hexdigest()


def _files(start: Path) -> Iterator[tuple[str, Path]]:
    if start.is_file():
        yield start.name, start
        return
    for path in start.rglob("*"):
        parts = path.relative_to(start).parts
        unseen = any(part.startswith(".") or part == "__pycache__" for part in parts)
        if not unseen and path.suffix not in MACHINE_MADE and path.is_file():
            yield "/".join(parts), path


def is_id(text: str) -> bool:
    """Whether a game may be called so: in files, in tables and on the command line."""
    return re.fullmatch("[a-z][a-z0-9]*(-[a-z0-9]+)*", text) is not None and len(text) <= ID_LENGTH
