"""Turns the sandbox options of a command into a Sandbox. Knows no bot."""

import os
from collections.abc import Iterable

from arena.process.sandbox import Level, Sandbox, below, choose
from arena.system.errors import UserError


def settled(level: Level | None, memory_mb: int, allowed: Iterable[str]) -> tuple[Sandbox, str]:
    """The sandbox, and a sentence about it to show once all other arguments have proved valid. None stands
    for the best available level. Every bot may read the `allowed` paths. Raises UserError."""
    paths = tuple(allowed)
    level, meaning = choose(level, memory_mb)
    sandbox = Sandbox(level, memory_mb, require_allowed(paths))
    line = f"sandbox: {level}, {memory_mb} MB a bot; {meaning}"
    if sandbox.allowed:
        line += f"; every bot can read {', '.join(paths)}"
    return sandbox, line


def level_of(text: str) -> Level:
    """The level of this name. Raises UserError."""
    try:
        return Level(text)
    except ValueError:
        raise UserError(f"sandbox {text!r}: the levels are {', '.join(Level)}") from None


def require_allowed(paths: Iterable[str]) -> tuple[str, ...]:
    """The paths in absolute and resolved form. Raises UserError if one is missing or contains our home."""
    found: dict[str, None] = {}
    home = os.path.realpath(os.path.expanduser("~"))
    for path in paths:
        real = os.path.realpath(path)
        if not os.path.exists(real):
            raise UserError(f"--allow {path}: there is no such file or folder")
        if below(home, (real,)):
            raise UserError(f"--allow {path}: it contains your home folder, which every bot could then read")
        found |= dict.fromkeys((os.path.abspath(path), real))
    return tuple(found)
