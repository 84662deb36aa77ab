"""The entry about what a board says (../statements.py)."""

from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING, TypeAlias

from arena.journal.entry import Problem
from arena.league.entries.base import LeagueEntry
from arena.league.ids import BoardId, VersionId
from arena.league.statements import FIRST_RULE, SECOND_RULE, Statements
from tournaments.evidence import closed

if TYPE_CHECKING:
    from arena.league.state import LeagueState

Pairs: TypeAlias = tuple[tuple[VersionId, VersionId], ...]
"""Of each pair, the first is ahead of the second."""


class Stated(LeagueEntry, frozen=True, tag="stated", omit_defaults=True):
    """What a board says has changed."""

    NEEDS_PANELS = True

    board: BoardId
    new: Pairs = ()
    """What it says from now on."""
    withdrawn: Pairs = ()
    """What it no longer says."""
    certain: Pairs = ()
    """What is certain from now on."""

    def misfit(self, state: "LeagueState") -> Problem | None:
        if self.board not in state.boards:
            return Problem(f"there is no board {self.board}")
        if self != stated(state, self.board):
            return Problem(f"these statements of {self.board} do not follow from the draws before them")
        return None

    def apply(self, state: "LeagueState") -> None:
        numbers = state.numbers[self.board]
        now = {pair: since for pair, since in numbers.statements.now.items() if pair not in self.withdrawn}
        certain = numbers.statements.certain | {*self.certain}
        numbers.statements = Statements(now | dict.fromkeys(self.new, state.at), certain)


def stated(state: "LeagueState", board: BoardId) -> Stated | None:
    """What a board says that it did not say before, or no longer says; None if nothing has changed."""
    numbers = state.numbers[board]
    before, (now, sure) = numbers.statements, numbers.evidence.said(_pairs(state, board), state.founded.alpha)
    certain = closed(before.certain | sure)
    new, withdrawn = now - before.now.keys(), before.now.keys() - now
    if not (new or withdrawn or certain - before.certain):
        return None
    return Stated(board, *(tuple(sorted(pairs)) for pairs in (new, withdrawn, certain - before.certain)))


def _pairs(state: "LeagueState", board: BoardId) -> Iterator[tuple[VersionId, VersionId]]:
    """The pairs that a board may make a statement about, the stronger one first: of all ranked versions, and
    of each with its predecessor."""
    ranked = {*state.ranked(board)}
    strengths = state.numbers[board].strengths(state.kept(board))

    def place(name: VersionId) -> tuple[float, VersionId]:
        return -strengths[name].strength, name

    yield from combinations(sorted(strengths.keys() & ranked, key=place), 2)
    for version, before in state.predecessors(board).items():
        if state.rule > SECOND_RULE and before not in ranked and {version, before} <= strengths.keys():
            one, other = sorted((version, before), key=place)
            yield one, other


def statements_due(state: "LeagueState") -> Iterator[Stated]:
    """The statements that have changed, by board."""
    for board in state.boards if state.rule > FIRST_RULE else ():
        basis = state.basis(board)
        if state.unchanged.get(board) != basis:
            if (found := stated(state, board)) is None:
                state.unchanged[board] = basis
            else:
                yield found


def unfinished(state: "LeagueState") -> Problem | None:
    """The problem that a board needs a checkpoint, or an entry about what it says, before the next draw or
    the end; None if none does."""
    for board, _ in state.checkpoints_due():
        return Problem(f"the checkpoint of {board} that was due before it is missing")
    for due in statements_due(state):
        return Problem(f"what {due.board} says had changed before it, and no entry says so")
    return None
