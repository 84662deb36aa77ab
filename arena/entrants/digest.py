"""The digest of a bot's files, which identifies the program.

Knows files; not what a bot is.
"""

import errno
import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from pathlib import Path
from typing import Final, TypeAlias

from arena.entrants.clutter import is_clutter
from arena.system.machine import MIB
from arena.system.text import caption

SIZE_LIMIT: Final = 256 * MIB
"""The limit on the bytes of a bot's files: they are read when it enters, and sent to machines in one
piece."""
FILE: Final = "file"
LINK: Final = "link"
EMPTY_FOLDER: Final = "folder"
Entry: TypeAlias = "os.DirEntry[str] | Path"


class Rule(Enum):
    """Which files of a folder its digest covers. Digests of older arenas are compared by the rule of that
    arena, which journals record."""

    PROGRAM = "program"
    """All except what systems, editors and interpreters leave (clutter.py)."""
    ALL = "all"
    """All files, as in older arenas."""
    FILES = "files"
    """As in still older arenas, which followed links to files and ignored other links and empty folders."""

    def left_out(self, name: str) -> bool:
        """Whether a file or folder of this name is not part of the program."""
        return self is Rule.PROGRAM and is_clutter(name)


RULES: Final = (Rule.PROGRAM, Rule.ALL)
"""The rules by which the digest of a playing bot may have been computed."""


def rule_of(version: str, path: Path, limit: int | None = None) -> Rule | None:
    """The rule by which a file or folder has the digest `version`; None if by no rule. Raises OSError,
    ValueError."""
    return next((rule for rule in RULES if digest([path], limit=limit, rule=rule) == version), None)


def digest(
    paths: Iterable[Path], text: str = "", limit: int | None = None, *, rule: Rule = Rule.PROGRAM
) -> str:
    """SHA-256 over `text` and the sorted files, each with its name, executable bit and content. A folder
    stands for everything below it, named relative to it: links by their targets, without following them, and
    empty folders too. Raises OSError; ValueError if the files exceed `limit` bytes, or if something is
    neither a file nor a folder nor a link."""
    summed, total = hashlib.sha256(text.encode()), 0
    for name, kind, entry in _sorted(paths, rule):
        if kind is not FILE:
            target = os.fsencode(os.readlink(entry)) if kind is LINK else b""
            summed.update(b"\0%s\0%s\0%d\0%s" % (os.fsencode(name), kind.encode(), len(target), target))
            continue

        def begin(mode: str, size: int, name: str = name) -> None:
            nonlocal total
            total += size
            if limit is not None and total > limit:
                raise ValueError(f"its files are larger than {limit // MIB} MB")
            summed.update(b"\0%s\0%s\0%d\0" % (os.fsencode(name), mode.encode(), size))

        _read(entry, begin, summed.update, follow=rule is Rule.FILES or isinstance(entry, Path))
    return summed.hexdigest()


def listed(paths: Iterable[Path], limit: int | None = None) -> dict[str, str]:
    """Everything that a bot's digest covers, by name: its kind and a digest of its content. Raises OSError;
    ValueError as `digest` does, and for a file of more than `limit` bytes."""
    found = {}
    for path, kind, entry in _sorted(paths, Rule.PROGRAM):
        name = _escaped(path)
        if kind is FILE:
            if limit is not None and os.stat(entry).st_size > limit:
                raise ValueError(f"{name} is larger than {limit} bytes")
            summed, modes = hashlib.sha256(), list[str]()
            _read(entry, lambda mode, _: modes.append(mode), summed.update, follow=isinstance(entry, Path))  # noqa: B023
            found[name] = f"{FILE} {modes[0]} {summed.hexdigest()}"
        else:
            found[name] = f"{LINK} {_escaped(os.readlink(entry))}" if kind is LINK else EMPTY_FOLDER
    return found


def _escaped(name: str) -> str:
    """The name with other bytes escaped, so that it can be written down and differs from every other."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def differences(before: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """The differences between two results of `listed`, each as a sentence about one name."""
    found = []
    for name in sorted({*before, *now}):
        (was, *old), (found_kind, *new) = (listing.get(name, "").split(" ", 2) for listing in (before, now))
        if was == found_kind and old == new:
            continue
        if was == found_kind == FILE:
            how = "has changed"
            if old[1] == new[1]:
                how = "is executable now" if new[0] == "x" else "is no longer executable"
        elif was == found_kind == LINK:
            how = "points elsewhere"
        elif not was:
            how = "was added"
        elif not found_kind:
            how = "was removed"
        else:
            how = f"was a {was} and is now a {found_kind}"
        found.append(f"{caption(name)} {how}")
    return found


def _sorted(paths: Iterable[Path], rule: Rule) -> list[tuple[str, str, Entry]]:
    entries: list[tuple[str, str, Entry]] = []
    for path in paths:
        if os.path.isdir(path):
            entries += _below(path, rule)
        else:
            entries.append((path.name, FILE, path))
    return sorted(entries, key=lambda entry: (entry[0], os.fspath(entry[2])))


def _read(
    entry: Entry, begin: Callable[[str, int], None], chunk: Callable[[bytes], None], *, follow: bool
) -> None:
    """Read a file. `begin` gets "x" or "-" (whether it is executable) and its size. Unless `follow`, a link
    that has replaced the file is not followed. Raises OSError."""
    # It may have become a pipe since it was found.
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC | (0 if follow else os.O_NOFOLLOW)
    with open(os.open(os.fspath(entry), flags), "rb") as file:
        status = os.fstat(file.fileno())
        left = status.st_size
        begin("x" if status.st_mode & 0o111 else "-", left)
        # Do not read past the size: some of the kernel's files, to which a link may lead, are endless.
        while data := file.read(min(left, MIB)):
            chunk(data)
            left -= len(data)


def _below(folder: Path, rule: Rule) -> Iterator[tuple[str, str, "os.DirEntry[str]"]]:
    """Name, kind and entry of everything in a folder that its digest covers. Raises OSError, ValueError."""
    waiting = [(str(folder), "")]
    while waiting:
        current, prefix = waiting.pop()
        with os.scandir(current) as entries:
            for entry in entries:
                name = prefix + entry.name
                if rule.left_out(entry.name):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    waiting.append((entry.path, f"{name}/"))
                    if rule is not Rule.FILES and all(map(rule.left_out, os.listdir(entry.path))):
                        yield name, EMPTY_FOLDER, entry
                elif entry.is_symlink() and rule is not Rule.FILES:
                    yield name, LINK, entry
                elif entry.is_file():
                    yield name, FILE, entry
                elif rule is not Rule.FILES:
                    raise ValueError(f"{caption(name)} is neither a file nor a folder nor a link: remove it")


def version_of(
    paths: Iterable[Path], text: str = "", *, bounded: bool = True, rule: Rule = Rule.PROGRAM
) -> str:
    """The digest of a bot. Raises ValueError if it cannot be read or, if `bounded`, exceeds SIZE_LIMIT."""
    try:
        return digest(paths, text, SIZE_LIMIT if bounded else None, rule=rule)
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise ValueError("its folders are nested too deeply") from None
        raise ValueError(f"{caption(str(error.filename))} cannot be read: {error.strerror}") from None
