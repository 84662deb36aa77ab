"""The panel of a board: what it may be made of, and why it may not. Pure."""

from arena.league.carried import CURRENT, RESTING
from arena.league.entries import PanelSet
from arena.league.state import State


def unfit(state: State, entry: PanelSet) -> str | None:
    """Why this cannot be the panel of a board; None where it can."""
    board, members = state.boards.get(entry.board), entry.members
    if board is None:
        return f"there is no board {entry.board}"
    if len({*members}) < len(members):
        return "a version is in the panel once"
    for member in members:
        version = state.versions.get(member)
        if version is None or board.id not in version.boards:
            return f"{member} is no version on {board.id}"
        if version.status not in (CURRENT, RESTING):
            return f"{member} is {version.status}"
    if len(members) <= board.seats:
        return f"a panel of {board.id} has {board.seats + 1} versions or more"
    if entry.zero not in members:
        return f"{entry.zero} is the zero of {board.id}, and stays in its panel"
    return _unmeasured(state, entry) if board.id in state.panels else None


def _unmeasured(state: State, entry: PanelSet) -> str | None:
    """Why the numbers so far cannot be moved from one panel to another; None where they can."""
    if entry.zero != state.panels[entry.board].zero:
        return f"the zero of {entry.board} stays {state.panels[entry.board].zero}"
    known = state.numbers[entry.board].known
    for member in entry.members:
        if member not in known:
            return f"{member} has no strength by comparisons at the last checkpoint of {entry.board}"
    return None
