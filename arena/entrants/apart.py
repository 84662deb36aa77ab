"""Keeps the files of each bot secret from the others. In a sandbox a bot sees its own files and its
interpreters, the same in every match; none of these paths may contain files of any other bot.

This is checked when a bot enters, so that no match depends on it. The arena's own files are not secret.
Knows paths; no process, no tournament.
"""

import os
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from arena.entrants.entrant import Entrant
from arena.process.launch import Launch, base_interpreter, is_the_bot
from arena.process.sandbox import Level, Sandbox, below, installations, shown
from arena.system.errors import UserError

ROOT: Final = Path(__file__).parents[2]
PACKAGES: Final = ("arena", "protocol", "msgspec", "numpy", "numpy.libs")
"""The packages that the builtin bots need. They count as the bots' own files."""
HOUSE: Final = tuple(os.path.realpath(ROOT / name) for name in (*PACKAGES, "tournaments"))


class IsolationCheck:
    """Decides whether a bot may enter besides those that have. If the sandbox hides no files, any may."""

    def __init__(self, sandbox: Sandbox, entered: Iterable[Entrant] = ()) -> None:
        self._hides = sandbox.level is Level.BWRAP
        everybodys = Launch((base_interpreter(),), "/")
        self._seen = dict.fromkeys(_resolved(installations(everybodys)), "every bot")
        """By path, the name of the first entrant that sees it."""
        self._holds: defaultdict[str, list[Entrant]] = defaultdict(list)
        """By folder, the entrants with files in it or below."""
        self._names: dict[str, tuple[str, str]] = {}
        """By an entrant's file or folder, links resolved: the path as entered, and the entrant's name."""
        for entrant in entered:
            self.obstacle(entrant)

    def obstacle(self, entrant: Entrant) -> str | None:
        """Add a bot and return None; or add nothing and return why its files cannot be kept secret from
        another bot, or another's from it."""
        if not self._hides:
            return None
        seen, own = _sees(entrant), _own(entrant)
        named = {os.path.realpath(path): path for path in _secret(entrant)}
        for path, name in named.items():
            before, owner = self._names.get(path, (name, ""))
            if before != name:
                return (
                    f"{name} points to {path}, which belongs to {owner}; if it is yours, name it by that path"
                )
        for path in seen:
            for other in self._holds.get(path, ()):
                if not below(path, _own(other)):
                    return f"it would see the files of {other.name}, which are in {path}; move one of them"
        for path in own:
            for folder in _above(path):
                if folder in self._seen and not below(folder, own):
                    return (
                        f"{self._seen[folder]} would see its files, which are in {folder}; move one of them"
                    )
        self._names |= {path: (name, entrant.name) for path, name in named.items()}
        for path in seen:
            self._seen.setdefault(path, entrant.name)
        for folder in {folder for path in own for folder in _above(path)}:
            self._holds[folder].append(entrant)
        return None

    def reader(self, folder: Path) -> str | None:
        """The name of an entrant that could read this folder; None if there is none."""
        if not self._hides:
            return None
        place = os.path.realpath(folder)
        names = (self._seen[path] for path in (place, *_above(place)) if path in self._seen)
        return next(names, None)


def _sees(entrant: Entrant) -> tuple[str, ...]:
    """The paths that a bot can read besides the system, links resolved."""
    return _resolved((*installations(entrant.launch), *shown(entrant.launch), *_entered(entrant)))


def _own(entrant: Entrant) -> tuple[str, ...]:
    """The paths of `_sees` that no other bot may see, links resolved."""
    return _resolved(_secret(entrant))


def _secret(entrant: Entrant) -> tuple[str, ...]:
    """The paths of `_own` with links unresolved. Interpreters and the arena's files are not secret."""
    launch = entrant.launch
    paths = [*shown(launch), *_entered(entrant), *((launch.kept,) if launch.kept else ())]
    program = os.path.normpath(os.path.join(launch.folder, launch.argv[0]))
    is_its_own = is_the_bot(launch.on_disk(program), launch)
    if program in paths and not is_its_own and below(program, installations(launch)):
        paths.remove(program)
    return tuple(path for path in map(os.path.normpath, paths) if not below(os.path.realpath(path), HOUSE))


def _entered(entrant: Entrant) -> tuple[str, ...]:
    """The folder that was entered, if any: a bot with a build plays in a copy of it."""
    source = entrant.source.removeprefix(f"{entrant.name}=")
    return (source,) if entrant.launch.owns_folder and os.path.isabs(source) else ()


def _resolved(paths: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(map(os.path.realpath, paths)))


def _above(path: str) -> Iterable[str]:
    return map(str, Path(path).parents)


def outside(results: Path, is_read: Callable[[Path], bool]) -> Path:
    """A path for `results` in the nearest folder above it that no bot reads and we may write to, otherwise in
    the temporary folder. Relative if `results` is."""
    above = Path(os.path.realpath(results.parent)).parents
    free = (folder for folder in above if not is_read(folder) and os.access(folder, os.W_OK))
    place = next(free, Path(tempfile.gettempdir())) / results.name
    return place if results.is_absolute() else Path(os.path.relpath(place))


def require_apart(
    bot: Entrant, others: Iterable[Entrant], sandbox: Sandbox, results: Path | None = None
) -> None:
    """Raise UserError if the bot could read the others' files or the `results`, or they its files."""
    apart = IsolationCheck(sandbox, others)
    if reason := apart.obstacle(bot):
        raise UserError(f"{bot.name} cannot play: {reason}")
    if results is not None and (reader := IsolationCheck(sandbox, [bot]).reader(results)):
        raise UserError(f"{results}: {reader} would see the results there; choose a folder outside its own")


def require_unread(results: Path | None, bots: Iterable[Entrant], sandbox: Sandbox) -> None:
    """Raise UserError if a bot could read `results`, the folder or file to which results are written."""
    if results is None:
        return
    apart = IsolationCheck(sandbox, bots)
    if reader := apart.reader(results):
        other = outside(results, lambda folder: apart.reader(folder) is not None)
        raise UserError(
            f"{results}: {reader} would see the results there; choose a folder outside its own, such as "
            f"{other}"
        )
