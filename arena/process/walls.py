"""The sandbox that is asked for."""

import os
from collections.abc import Iterable

from arena.process.sandbox import Level, Sandbox, below, choose
from arena.system.errors import UserError


def settled(level: Level | None, memory_mb: int, allowed: Iterable[str]) -> tuple[Sandbox, str]:
    """The sandbox, and a sentence about it, which is shown once all other arguments are known to be right. A
    level of None stands for the best one here. Every bot may read the paths that are `allowed`. Raises
    UserError."""
    paths = tuple(allowed)
    level, meaning = choose(level, memory_mb)
    sandbox = Sandbox(level, memory_mb, require_allowed(paths))
    line = f"sandbox: {level}, {memory_mb} MB a bot; {meaning}"
    if sandbox.allowed:
        line += f"; every bot reads {', '.join(paths)}"
    return sandbox, line


def level_of(text: str) -> Level:
    """The level of this name. Raises UserError."""
    try:
        return Level(text)
    except ValueError:
        raise UserError(f"sandbox {text!r}: the levels are {', '.join(Level)}") from None


def require_allowed(paths: Iterable[str]) -> tuple[str, ...]:
    """Each path as an absolute path, and with its symbolic links resolved. Raises UserError."""
    found: dict[str, None] = {}
    home = os.path.realpath(os.path.expanduser("~"))
    for path in paths:
        real = os.path.realpath(path)
        if not os.path.exists(real):
            raise UserError(f"--allow {path}: there is no such file or folder")
        if below(home, (real,)):
            raise UserError(f"--allow {path}: your home lies in it, and every bot could read that")
        found |= dict.fromkeys((os.path.abspath(path), real))
    return tuple(found)
