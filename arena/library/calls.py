"""The calls that play, check and judge bots, as functions: each argument is an option of the command of that
name.

Those that pair or rank bots, for which numpy and scipy are loaded, are in contests.py.
"""

import os
import pathlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from arena.commands.check import CheckBots, CheckedBots
from arena.commands.laws import MATCHES, CheckGame, JudgedGame
from arena.commands.match import Played, PlayMatch
from arena.commands.new import BotMade, NewBot
from arena.commands.rematch import Rematch, Rematched
from arena.commands.rerun import Reran, Rerun
from arena.commands.review import Review, Reviewed
from arena.library.arguments import (
    Path,
    limits_of,
    mapping_of,
    maybe_path_of,
    milliseconds_of,
    path_of,
    paths_of,
    terms_of,
    walls_of,
)
from arena.library.awaiting import asynchronous
from arena.library.display import OnProgress, carried_out
from arena.library.functions import FunctionSeats, Seat
from arena.library.replay import Replay, replay_of
from arena.process.sandbox import DEFAULT_MEMORY_MB
from arena.system.errors import UserError


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
        titles=mapping_of("titles", titles),
        terms=terms_of(game, options, deals, seed, time, startup, faults, ponder, sandbox, memory, allow),
        log=maybe_path_of(log),
    )
    played = carried_out(call, Played, functions, on_progress)
    return replay_of(played.finished.log, None if log is None else pathlib.Path(log), played.seed)


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
        bots=paths_of("bots", bots),
        game=game,
        limits=limits_of(time, startup),
        walls=walls_of(sandbox, memory, allow),
        budget=None if budget is None else milliseconds_of(budget),
        jobs=jobs,
        html=maybe_path_of(html),
        transcript=maybe_path_of(transcript),
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
        options=None if options is None else mapping_of("options", options),
        matches=matches,
        budget=milliseconds_of(budget),
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
        log=path_of(log),
        seat=seat,
        bot=functions.word(bot),
        others=paths_of("others", others),
        titles=mapping_of("titles", titles),
        out=maybe_path_of(out),
        walls=walls_of(sandbox, memory, allow),
        trust=trust,
    )
    rematched = carried_out(call, Rematched, functions, on_progress)
    return replay_of(rematched.played.finished.log, None if out is None else pathlib.Path(out))


def review(
    place: Path,
    seat: int | None = None,
    *,
    bot: str | None = None,
    deals: int | None = None,
    effort: int = 1,
    seed: str | int = "",
    on_progress: OnProgress = None,
) -> Reviewed:
    """Judges every decision of a bot in a log, or in a run: what would a strong bot have done with what the
    seat could know, and what did the choice cost? `seat` or `bot` says whose decisions, in a run `bot`.
    `deals`: at most so many, drawn by lot; by default all of a log, and fifty of a run. `effort` multiplies
    the thinking, and another `seed` imagines other deals."""
    if not isinstance(seed, str | int):
        raise UserError(f"seed {seed!r}: a text or a whole number is expected")
    call = Review(place=path_of(place), seat=seat, bot=bot, deals=deals, effort=effort, seed=str(seed))
    return carried_out(call, Reviewed, None, on_progress)


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
    words = (path_of(bot),) if isinstance(bot, str | os.PathLike) else tuple(bot)
    call = Rerun(log=path_of(log), seat=seat, words=words, walls=walls_of(sandbox, memory, allow))
    return carried_out(call, Reran, None, on_progress)


def new(
    language: str, folder: Path, *, game: str | None = None, kit: bool = False, on_progress: OnProgress = None
) -> BotMade:
    """Creates a folder with a short program in this language that plays every game correctly, but badly; or
    only this `game`. `kit` adds a file that turns lines of JSON into calls (Python)."""
    call = NewBot(language=language, folder=path_of(folder), game=game, kit=kit)
    return carried_out(call, BotMade, None, on_progress)


match_async = asynchronous(match)
check_async = asynchronous(check)
