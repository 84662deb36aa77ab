"""An entry of a league as a line for people; "" where there is nothing to say. Pure."""

from arena.league.entries import (
    Annulled,
    Checkpoint,
    Closed,
    Continued,
    Current,
    Drawn,
    Entry,
    Finals,
    Frozen,
    PanelSet,
    Paused,
    Played,
    Pruned,
    Received,
    Refused,
    Registered,
    Restored,
    Retired,
    Sealed,
    Started,
    Unfrozen,
    Voided,
)
from arena.league.state import State


def line_of(state: State, entry: Entry) -> str:
    """What an entry says, after it was added to the state."""
    match entry:
        case Continued(number=number, why=why):
            return f"segment {number} of the journal begins" + f": {why}" * bool(why)
        case Started(arena=arena, jobs=jobs):
            return f"arena {arena} plays, {jobs} at a time"
        case Received(version=version):
            return f"{version}: received"
        case Refused(version=version, reason=reason, cure=cure):
            return f"{version}: refused: {reason}; {cure}"
        case Current(version=version):
            return f"{version}: current"
        case Drawn(no=no, versions=versions, companions=companions, why=why):
            return f"draw {no}, {why} of {' and '.join(versions)}, with {', '.join(companions)}"
        case Played(no=no, seconds=seconds):
            return f"draw {no}: played in {seconds:.1f} s"
        case Checkpoint(board=board):
            return f"{board}: checkpoint"
        case Voided(no=no, reason=reason) | Annulled(no=no, reason=reason):
            return f"draw {no} counts for nobody: {reason}"
        case Paused(version=version, reason=reason):
            return f"{version}: paused, {reason}"
        case Retired(version=version, reason=reason):
            return f"{version}: retired, {reason}"
        case Restored(version=version, reason=reason):
            return f"{version}: restored, {reason}"
        case Registered(author=author):
            return f"{author}: registered"
        case Pruned(first=first, last=last, private_only=private_only):
            what = "private parts of the logs" if private_only else "logs"
            return f"draws {first} to {last}: {what} deleted"
        case PanelSet(board=board, members=members):
            return f"{board}: its panel is {', '.join(members)}"
        case Finals(finalists=finalists):
            groups = (f"{board}: {', '.join(group) or 'nobody'}" for board, group in finalists.items())
            return f"the finals begin; {'; '.join(groups)}"
        case Sealed():
            return "sealed: all is played"
        case Frozen(reason=reason):
            return f"frozen: {reason}"
        case Unfrozen():
            return "no longer frozen"
        case Closed(reason=reason):
            return f"closed: {reason}"
    return ""
