"""What Python callers write as arguments, as the values that calls hold."""

import os
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

import msgspec

from arena.calls.terms import Terms
from arena.calls.times import clock, milliseconds
from arena.calls.walls import Walls, level_of
from arena.system.errors import UserError
from protocol.messages import Limits

Path: TypeAlias = str | os.PathLike[str]


def terms_of(
    game: str,
    options: Mapping[str, Any] | None,
    deals: int | None,
    seed: str | int | None,
    time: str,
    startup: str,
    faults: int,
    ponder: bool,
    sandbox: str | None,
    memory: int,
    allow: Iterable[Path],
) -> Terms:
    return Terms(
        game=game,
        options=dict(options or {}),
        deals=deals,
        seed=None if seed is None else str(seed),
        limits=limits_of(time, startup),
        faults=faults,
        ponder=ponder,
        walls=walls_of(sandbox, memory, allow),
    )


def milliseconds_of(text: str) -> int:
    """A time such as "30s". Raises UserError."""
    try:
        return milliseconds(text)
    except ValueError as error:
        raise UserError(str(error)) from None


def limits_of(time: str, startup: str) -> Limits:
    """The clocks of a match. Raises UserError."""
    try:
        return msgspec.structs.replace(clock(time), start_ms=milliseconds(startup))
    except ValueError as error:
        raise UserError(str(error)) from None


def walls_of(sandbox: str | None, memory: int, allow: Iterable[Path]) -> Walls:
    """The sandbox that is asked for. Raises UserError."""
    level = None if sandbox is None else level_of(sandbox)
    return Walls(level=level, memory_mb=memory, allowed=tuple(os.fspath(path) for path in allow))


def path_of(path: Path | None) -> str | None:
    return None if path is None else os.fspath(path)
