"""The sandbox that is asked for."""

import os
from collections.abc import Sequence
from typing import Annotated

import msgspec

from arena.process.sandbox import DEFAULT_MEMORY_MB, Level, Sandbox, below, choose
from arena.system.errors import UserError


class Walls(msgspec.Struct, frozen=True, kw_only=True):
    """The sandbox that is asked for: None for the best level here. `allowed` are paths that every bot may
    read."""

    level: Level | None = None
    memory_mb: Annotated[int, msgspec.Meta(ge=16, le=1 << 20)] = DEFAULT_MEMORY_MB
    allowed: tuple[str, ...] = ()

    def settled(self) -> tuple[Sandbox, str]:
        """The sandbox, and a sentence about it, which is shown once all other arguments are known to be
        right. Raises UserError."""
        level, meaning = choose(self.level, self.memory_mb)
        sandbox = Sandbox(level, self.memory_mb, tuple(require_allowed(self.allowed)))
        line = f"sandbox: {level}, {self.memory_mb} MB a bot; {meaning}"
        if sandbox.allowed:
            line += f"; every bot reads {', '.join(self.allowed)}"
        return sandbox, line


def level_of(text: str) -> Level:
    """The level of this name. Raises UserError."""
    try:
        return Level(text)
    except ValueError:
        raise UserError(f"sandbox {text!r}: the levels are {', '.join(Level)}") from None


def require_allowed(paths: Sequence[str]) -> Sequence[str]:
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
