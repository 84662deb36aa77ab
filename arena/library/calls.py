"""The calls that start programs, as functions: each argument is an option of the command of the same name."""

import os
import pathlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import msgspec

from arena.calls.check import CheckBots, CheckedBots
from arena.calls.compare import Compare, Compared
from arena.calls.laws import MATCHES, CheckGame, JudgedGame
from arena.calls.match import Played, PlayMatch
from arena.calls.new import BotMade, NewBot
from arena.calls.plan import Planned
from arena.calls.rematch import Rematch, Rematched
from arena.calls.rerun import Reran, Rerun
from arena.calls.terms import Terms
from arena.calls.times import clock, milliseconds
from arena.calls.tournament import PlanTournament, Ran, RunTournament
from arena.calls.walls import Walls, level_of
from arena.library.functions import FunctionSeats, Seat
from arena.library.progress import OnProgress, carried_out
from arena.library.replay import Replay, replay_of
from arena.library.run import Run, open_run
from arena.process.sandbox import DEFAULT_MEMORY_MB
from arena.system.errors import UserError
from protocol.messages import Limits

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
        bots=functions.words(bots),
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
        bots=functions.words(bots),
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


def plan(
    bots: Iterable[Seat],
    margin: float,
    *,
    like: Path | None = None,
    jobs: int | None = None,
    format: str = "swiss",
    rounds: int | None = None,
    seats: int = 4,
    duplicates: bool = True,
    challengers: Iterable[str] = (),
    game: str = "sticheln",
    options: Mapping[str, Any] | None = None,
    deals: int | None = None,
    time: str = "1s+10s",
    startup: str = "10s",
    sandbox: str | None = None,
    on_progress: OnProgress = None,
) -> Planned:
    """Says what it takes to know gains per deal to ± `margin` in a tournament, and plays nothing. `like`: the
    folder of a run in which the spread of gains is measured; by default it is the typical one of the game.
    The other arguments are those of `tournament`."""
    functions = FunctionSeats()
    tournament = RunTournament(
        bots=functions.words(bots),
        format=format,
        rounds=rounds,
        seats=seats,
        duplicates=duplicates,
        challengers=tuple(challengers),
        jobs=jobs,
        terms=_terms(game, options, deals, None, time, startup, 1, False, sandbox, DEFAULT_MEMORY_MB, ()),
    )
    call = PlanTournament(tournament=tournament, margin=margin, like=_path(like))
    return carried_out(call, Planned, functions, on_progress)


def compare(
    one: Seat,
    other: Seat,
    *,
    against: Iterable[Seat] = (),
    game: str = "sticheln",
    options: Mapping[str, Any] | None = None,
    seats: int = 4,
    alpha: float = 0.05,
    margin: float = 0.0,
    budget: int = 1000,
    final: bool = False,
    bounded: bool = False,
    deals: int | None = None,
    seed: str | int | None = None,
    titles: Mapping[str, str] | None = None,
    time: str = "1s+10s",
    startup: str = "10s",
    faults: int = 1,
    ponder: bool = False,
    keep_bots: bool = False,
    sandbox: str | None = None,
    memory: int = DEFAULT_MEMORY_MB,
    allow: Iterable[Path] = (),
    jobs: int | None = None,
    dask: str | None = None,
    on_progress: OnProgress = None,
) -> Compared:
    """Finds out whether `one` is better than `other`: plays duplicate deals until a sequential test settles
    it, or the `budget` of deals is spent. `result` of what comes back says it in sentences.

    `against` are further bots at the table; the arena's heuristic takes the `seats` that stay empty. `alpha`
    is the highest probability of a wrong verdict, `margin` the least difference in gain per deal that
    matters. `final` promises to add no deals to the budget. `bounded` assumes only that differences stay
    within what the rules allow. The other arguments are those of `match` and `tournament`."""
    functions = FunctionSeats()
    call = Compare(
        one=functions.word(one),
        other=functions.word(other),
        against=functions.words(against),
        seats=seats,
        alpha=alpha,
        margin=margin,
        budget=budget,
        final=final,
        bounded=bounded,
        titles=dict(titles or {}),
        keep_bots=keep_bots,
        jobs=jobs,
        terms=_terms(game, options, deals, seed, time, startup, faults, ponder, sandbox, memory, allow),
        dask=dask,
    )
    return carried_out(call, Compared, functions, on_progress)


def check(
    *bots: Path,
    game: str | None = None,
    time: str = "1s+10s",
    startup: str = "10s",
    sandbox: str | None = None,
    memory: int = DEFAULT_MEMORY_MB,
    allow: Iterable[Path] = (),
    budget: str | None = None,
    jobs: int | None = None,
    html: Path | None = None,
    transcript: Path | None = None,
    on_progress: OnProgress = None,
) -> CheckedBots:
    """Plays with each bot by itself, and says what is wrong with it and how to mend it. `game`: only this
    one, by default all that the bot plays. `budget`: the time for a bot, such as "30s", after which steps
    that only cost time are left out. `jobs`: bots at a time. `html`: a folder for a page for each author.
    `transcript`: a file for the dialogue of a match. Functions are not checked: they need no protocol."""
    call = CheckBots(
        bots=tuple(os.fspath(bot) for bot in bots),
        game=game,
        limits=_limits(time, startup),
        walls=_walls(sandbox, memory, allow),
        budget=None if budget is None else _milliseconds(budget),
        jobs=jobs,
        html=_path(html),
        transcript=_path(transcript),
    )
    return carried_out(call, CheckedBots, None, on_progress)


def check_game(
    game: str,
    *,
    seats: int | None = None,
    options: Mapping[str, Any] | None = None,
    matches: int = MATCHES,
    budget: str = "60s",
    judge: str | None = None,
    on_progress: OnProgress = None,
) -> JudgedGame:
    """Plays a game at random, and says which of the laws that every game keeps it breaks. `seats`: only this
    number. `options`: with these, by default each at one or two values. `matches` for each of those.
    `budget`: the time for a law at a number of seats. `judge`: a second telling of the rules,
    "MODULE:FUNCTION"."""
    call = CheckGame(
        game=game,
        seats=seats,
        options=None if options is None else dict(options),
        matches=matches,
        budget=_milliseconds(budget),
        judge=judge,
    )
    return carried_out(call, JudgedGame, None, on_progress)


def rematch(
    log: Path,
    seat: int,
    bot: Seat,
    others: Iterable[Path] = (),
    *,
    titles: Mapping[str, str] | None = None,
    sandbox: str | None = None,
    memory: int = DEFAULT_MEMORY_MB,
    allow: Iterable[Path] = (),
    trust: bool = False,
    out: Path | None = None,
    on_progress: OnProgress = None,
) -> Replay:
    """Plays the match of a `log` again, with the same deals and limits, and with `bot` in `seat`. The
    programs of the other seats are looked for among `others` by their digests, then where the journal beside
    the log names them; paths of a run that was not made here are used only with `trust`. `out`: a file for
    the new log."""
    functions = FunctionSeats()
    call = Rematch(
        log=os.fspath(log),
        seat=seat,
        bot=functions.word(bot),
        others=tuple(os.fspath(other) for other in others),
        titles=dict(titles or {}),
        out=_path(out),
        walls=_walls(sandbox, memory, allow),
        trust=trust,
    )
    rematched = carried_out(call, Rematched, functions, on_progress)
    return replay_of(rematched.played.finished.log, None if out is None else pathlib.Path(out))


def rerun(
    log: Path,
    seat: int,
    bot: Path | Sequence[str],
    *,
    sandbox: str | None = None,
    memory: int = DEFAULT_MEMORY_MB,
    allow: Iterable[Path] = (),
    on_progress: OnProgress = None,
) -> Reran:
    """Sends a program the lines that `seat` got in the `log`, byte for byte and without a clock, and compares
    its answers with those of the log. `bot`: a bot as on the command line, or a command as a list of
    words."""
    words = (os.fspath(bot),) if isinstance(bot, str | os.PathLike) else tuple(bot)
    call = Rerun(log=os.fspath(log), seat=seat, words=words, walls=_walls(sandbox, memory, allow))
    return carried_out(call, Reran, None, on_progress)


def new(
    language: str, folder: Path, *, game: str | None = None, kit: bool = False, on_progress: OnProgress = None
) -> BotMade:
    """Creates a folder with a short program in this language that plays every game correctly, but badly; or
    only this `game`. `kit` adds a file that turns lines of JSON into calls (Python)."""
    call = NewBot(language=language, folder=os.fspath(folder), game=game, kit=kit)
    return carried_out(call, BotMade, None, on_progress)


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
        limits=_limits(time, startup),
        faults=faults,
        ponder=ponder,
        walls=_walls(sandbox, memory, allow),
    )


def _milliseconds(text: str) -> int:
    """A time such as "30s". Raises UserError."""
    try:
        return milliseconds(text)
    except ValueError as error:
        raise UserError(str(error)) from None


def _limits(time: str, startup: str) -> Limits:
    """The clocks of a match. Raises UserError."""
    try:
        return msgspec.structs.replace(clock(time), start_ms=milliseconds(startup))
    except ValueError as error:
        raise UserError(str(error)) from None


def _walls(sandbox: str | None, memory: int, allow: Iterable[Path]) -> Walls:
    """The sandbox that is asked for. Raises UserError."""
    level = None if sandbox is None else level_of(sandbox)
    return Walls(level=level, memory_mb=memory, allowed=tuple(os.fspath(path) for path in allow))


def _path(path: Path | None) -> str | None:
    return None if path is None else os.fspath(path)
