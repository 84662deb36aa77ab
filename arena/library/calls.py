"""The calls that play, check and judge bots, as functions. Their arguments are those of the command of the
same name, as declared in arena/commands.

Calls that pair or rank bots, which load numpy and scipy, are in contests.py.
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
    """Play one match. The first bot has seat 0, the others sit to its left in order. A bot is a word as on
    the command line, or a function of a view and the legal actions, without a time limit. The same seed deals
    the same cards. Raises UserError, MachineError, ArenaBug, and what a function raises."""
    played = carried_out(call, PlayedMatch)
    return replay_of(played.finished.log, None if call.log is None else pathlib.Path(call.log), played.seed)


@takes(CheckBots)
def check(call: CheckBots) -> CheckResult:
    """Test each bot by itself, and report what is wrong with it and how to fix it. Functions are not checked,
    since they need no protocol."""
    return carried_out(call, CheckResult)


@takes(CheckGame)
def check_game(call: CheckGame) -> CheckGameResult:
    """Play a game at random, and report which laws for games it breaks."""
    return carried_out(call, CheckGameResult)


@takes(Rematch)
def rematch(call: Rematch) -> Replay:
    """Play the match of a log again, with the same deals and limits, and with another bot at a seat. The
    programs at the other seats are found by their digests among `others`, or else where the journal next
    to the log names them. Paths from a run that was not made here are used only with `trust`."""
    rematched = carried_out(call, RematchResult)
    return replay_of(rematched.played.finished.log, None if call.out is None else pathlib.Path(call.out))


@takes(Review)
def review(call: Review) -> ReviewResult:
    """Judge every decision of a bot in a log or a run: what would a strong bot have done with what the seat
    could know, and what did the choice cost? `seat` or `bot` selects the decisions; for a run only `bot`."""
    return carried_out(call, ReviewResult)


@takes(Rerun)
def rerun(call: Rerun) -> RerunResult:
    """Send a program the lines that a seat got in a log, byte for byte and without a clock, and compare its
    answers with those in the log."""
    return carried_out(call, RerunResult)


@takes(NewBot)
def new(call: NewBot) -> NewBotResult:
    """Create a folder with a short program in this language that plays every game correctly, but badly."""
    return carried_out(call, NewBotResult)


match_async = asynchronous(match)
check_async = asynchronous(check)
