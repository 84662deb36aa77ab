"""The calls that play, check and judge bots, as functions: each argument is one of the command of that name,
as arena/commands declares it.

Those that pair or rank bots, for which numpy and scipy are loaded, are in contests.py.
"""

import pathlib

from arena.commands.check import CheckBots, CheckResult
from arena.commands.laws import CheckGame, CheckGameResult
from arena.commands.match import PlayedMatch, PlayMatch
from arena.commands.new import NewBot, NewBotResult
from arena.commands.rematch import Rematch, RematchResult
from arena.commands.rerun import Rerun, RerunResult
from arena.commands.review import Review, ReviewResult
from arena.library.awaiting import asynchronous
from arena.library.derived import takes
from arena.library.display import carried_out
from arena.library.replay import Replay, replay_of


@takes(PlayMatch)
def match(call: PlayMatch) -> Replay:
    """Plays one match. The first of the bots has seat 0, the others sit to its left. A bot is a word as on
    the command line, or a function of a view and the legal actions, which has no limit of time. The same seed
    deals the same cards. Raises UserError, MachineError, ArenaBug, and what a function raises."""
    played = carried_out(call, PlayedMatch)
    return replay_of(played.finished.log, None if call.log is None else pathlib.Path(call.log), played.seed)


@takes(CheckBots)
def check(call: CheckBots) -> CheckResult:
    """Plays with each bot by itself, and says what is wrong with it and how to fix it. Functions are not
    checked: they need no protocol."""
    return carried_out(call, CheckResult)


@takes(CheckGame)
def check_game(call: CheckGame) -> CheckGameResult:
    """Plays a game at random, and says which of the laws that every game keeps it breaks."""
    return carried_out(call, CheckGameResult)


@takes(Rematch)
def rematch(call: Rematch) -> Replay:
    """Plays the match of a log again, with the same deals and limits, and with another bot in a seat. The
    programs of the other seats are looked for among `others` by their digests, then where the journal beside
    the log names them; paths of a run that was not made here are used only with `trust`."""
    rematched = carried_out(call, RematchResult)
    return replay_of(rematched.played.finished.log, None if call.out is None else pathlib.Path(call.out))


@takes(Review)
def review(call: Review) -> ReviewResult:
    """Judges every decision of a bot in a log, or in a run: what would a strong bot have done with what the
    seat could know, and what did the choice cost? `seat` or `bot` says whose decisions, in a run `bot`."""
    return carried_out(call, ReviewResult)


@takes(Rerun)
def rerun(call: Rerun) -> RerunResult:
    """Sends a program the lines that a seat got in a log, byte for byte and without a clock, and compares its
    answers with those of the log."""
    return carried_out(call, RerunResult)


@takes(NewBot)
def new(call: NewBot) -> NewBotResult:
    """Creates a folder with a short program in this language that plays every game correctly, but badly."""
    return carried_out(call, NewBotResult)


match_async = asynchronous(match)
check_async = asynchronous(check)
