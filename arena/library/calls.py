"""The calls that start programs, as functions: each argument is an option of the command of the same name."""

import os
import pathlib
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias, TypeVar

import msgspec

from arena.calls.match import Played, PlayMatch
from arena.calls.terms import Terms
from arena.calls.times import clock, milliseconds
from arena.calls.tournament import Ran, RunTournament
from arena.calls.walls import Walls
from arena.library.functions import FunctionSeats, Seat
from arena.library.progress import OnProgress, carried_out
from arena.library.replay import Replay, replay_of
from arena.library.run import Run, open_run
from arena.process.sandbox import DEFAULT_MEMORY_MB
from arena.system.errors import UserError
from protocol.messages import Limits

T = TypeVar("T")
Path: TypeAlias = str | os.PathLike[str]


def match(
    bots: Iterable[Seat],
    *,
    game: str = "sticheln",
    options: Mapping[str, Any] | None = None,
    deals: int | None = None,
    seed: str | int | None = None,
    seats: int | None = None,
    titles: Mapping[str, str] | None = None,
    time: str = "1s+10s",
    startup: str = "10s",
    faults: int = 1,
    ponder: bool = False,
    sandbox: str | None = None,
    memory: int = DEFAULT_MEMORY_MB,
    allow: Iterable[Path] = (),
    log: Path | None = None,
    on_progress: OnProgress = None,
) -> Replay:
    """Plays one match. The first of `bots` has seat 0, the others sit to its left; house bots fill the empty
    ones of `seats`. A bot is a word as on the command line, or a function of a view and the legal actions.

    `options` are the game's, by name. `deals` defaults to the game's own number, and `seed` to a random one;
    the same seed deals the same cards. `titles`: what bots are called, by name. `time` limits a decision,
    with a bank for a match behind the plus; functions have no limit. `faults`: the fault of this number
    forfeits. `sandbox` is "bwrap", "rlimits" or "none", by default the best here; `memory` in MB. `log`: a
    file for the match log. Raises UserError, MachineError, ArenaBug, and what a function raises."""
    functions = FunctionSeats()
    call = PlayMatch(
        bots=tuple(map(functions.word, bots)),
        seats=seats,
        titles=dict(titles or {}),
        terms=_terms(game, options, deals, seed, time, startup, faults, ponder, sandbox, memory, allow),
        log=_path(log),
    )
    played = carried_out(call, Played, functions, on_progress)
    replay = replay_of(played.finished.log, None if log is None else pathlib.Path(log))
    return msgspec.structs.replace(replay, seed=played.seed)


def tournament(
    bots: Iterable[Seat],
    *,
    game: str = "sticheln",
    options: Mapping[str, Any] | None = None,
    format: str = "swiss",
    rounds: int | None = None,
    seats: int = 4,
    deals: int | None = None,
    seed: str | int | None = None,
    seed_file: Path | None = None,
    public: str | None = None,
    duplicates: bool = True,
    time: str = "1s+10s",
    startup: str = "10s",
    faults: int = 1,
    ponder: bool = False,
    keep_bots: bool = False,
    sandbox: str | None = None,
    memory: int = DEFAULT_MEMORY_MB,
    allow: Iterable[Path] = (),
    jobs: int | None = None,
    out: Path | None = None,
    report: bool = False,
    challengers: Iterable[str] = (),
    authors: Mapping[str, str] | None = None,
    titles: Mapping[str, str] | None = None,
    dask: str | None = None,
    on_progress: OnProgress = None,
) -> Run:
    """Pairs bots over several rounds, and ranks them by what they gain per deal. Everything is kept in the
    folder `out`, by default a new one below the working folder, which `arena.open` opens again.

    `seats` of a pod. Without `duplicates` a pod plays each deal once, and not in all seatings. `jobs`:
    matches at a time, by default one per core. `challengers` are the bots that a gauntlet tests. `dask`: the
    address of a scheduler, or "local". The other arguments are those of `match`. With a function among the
    bots all matches are played one at a time, and the run can be looked at and verified, but not gone on with
    or repeated. Raises UserError, MachineError, ArenaBug, and what a function raises."""
    functions = FunctionSeats()
    terms = _terms(game, options, deals, seed, time, startup, faults, ponder, sandbox, memory, allow)
    call = RunTournament(
        bots=tuple(map(functions.word, bots)),
        format=format,
        rounds=rounds,
        seats=seats,
        terms=terms,
        seed_file=_path(seed_file),
        public=public,
        duplicates=duplicates,
        keep_bots=keep_bots,
        jobs=jobs,
        out=_path(out),
        report=report,
        challengers=tuple(challengers),
        authors=dict(authors or {}),
        titles=dict(titles or {}),
        dask=dask,
    )
    return open_run(carried_out(call, Ran, functions, on_progress).folder)


def _terms(
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


def limits_of(time: str, startup: str) -> Limits:
    """The clocks of a match. Raises UserError."""
    try:
        return msgspec.structs.replace(clock(time), start_ms=milliseconds(startup))
    except ValueError as error:
        raise UserError(str(error)) from None


def walls_of(sandbox: str | None, memory: int, allow: Iterable[Path]) -> Walls:
    """The sandbox that is asked for. Raises UserError."""
    asked = {"level": sandbox, "memory_mb": memory, "allowed": tuple(os.fspath(path) for path in allow)}
    try:
        return msgspec.convert(asked, Walls)
    except msgspec.ValidationError as error:
        raise UserError(f"sandbox, memory, allow: {error}") from None


def _path(path: Path | None) -> str | None:
    return None if path is None else os.fspath(path)
