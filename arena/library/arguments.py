"""What Python callers write as arguments, as the values that calls hold."""

import os
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

import msgspec

from arena.playing.terms import Terms
from arena.playing.times import clock, milliseconds
from arena.process.walls import Walls, level_of
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
    """The terms of a match. Raises UserError."""
    if not isinstance(seed, str | int | None):
        raise UserError(f"seed {seed!r}: a text or a whole number is expected")
    return Terms(
        game=game,
        options=mapping_of("options", options),
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
        return milliseconds(str(text))
    except ValueError as error:
        raise UserError(str(error)) from None


def limits_of(time: str, startup: str) -> Limits:
    """The clocks of a match. Raises UserError."""
    try:
        return msgspec.structs.replace(clock(str(time)), start_ms=milliseconds(str(startup)))
    except ValueError as error:
        raise UserError(str(error)) from None


def walls_of(sandbox: str | None, memory: int, allow: Iterable[Path]) -> Walls:
    """The sandbox that is asked for. Raises UserError."""
    level = None if sandbox is None else level_of(sandbox)
    return Walls(level=level, memory_mb=memory, allowed=paths_of("allow", allow))


def path_of(path: Path) -> str:
    """A path as a text. Raises UserError if it is no path."""
    if not isinstance(path, str | os.PathLike) or not (text := str(os.fspath(path))) or "\0" in text:
        raise UserError(f"{path!r}: a path is expected")
    return text


def maybe_path_of(path: Path | None) -> str | None:
    """A path as a text, or None. Raises UserError."""
    return None if path is None else path_of(path)


def paths_of(what: str, paths: Iterable[Path]) -> tuple[str, ...]:
    """Several paths or names. Raises UserError."""
    if isinstance(paths, str | os.PathLike) or not isinstance(paths, Iterable):
        raise UserError(f"{what}: a list is expected, such as [{paths!r}]")
    return tuple(map(path_of, paths))


def mapping_of(what: str, values: Mapping[str, Any] | None) -> dict[str, Any]:
    """Values by name. Raises UserError."""
    if not isinstance(values, Mapping | None):
        raise UserError(f"{what}: a dictionary is expected, not {values!r}")
    return dict(values or {})
