"""What is played next.

Which version is asked about follows from the state and from the guards (tournaments/agenda.py); with whom it
sits is drawn by lot from the seed of the day, never by the question. Both are repeated by `verify`. Pure.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import Final, Literal, NamedTuple

from arena.league.carried import CURRENT
from arena.league.days import pod_key
from arena.league.ids import HOUSE, BoardId, VersionId, author_of
from arena.league.state import LeagueState
from protocol.streams import Stream
from tournaments.agenda import Account, Wish, chosen
from tournaments.questions import VAST, open_wishes

FOUNDING_DRAWS: Final = 20
"""For so many draws, the comparisons that determine the variances of a board come before all else."""


class NextDraw(NamedTuple):
    """What is played next: on which board, and what for."""

    board: BoardId
    wish: Wish


class Drawer:
    """Draws by the guards, whose accounts begin empty whenever a process begins to play."""

    def __init__(self) -> None:
        self._accounts: dict[BoardId, Account] = {}
        self._spent: dict[BoardId, int] = {}

    def chosen(self, state: LeagueState) -> NextDraw | None:
        """What is played next, for which the guards are charged; None where nothing is open."""
        if state.finals is not None:
            return next_final(state)
        # Boards share the cores: the one for which least was played is asked first.
        for board in sorted(state.boards, key=lambda board: self._spent.get(board, 0)):
            found = chosen(
                wishes(state, board),
                {version: author_of(version) for version in state.versions},
                self._accounts.get(board, Account()),
            )
            if found.wish is not None:
                self._accounts[board] = found.account
                self._spent[board] = self._spent.get(board, 0) + found.wish.cost
                return NextDraw(board, found.wish)
        return None


def next_final(state: LeagueState) -> NextDraw | None:
    """The next comparison of a final, on the board that has had the fewest; None where none is left."""
    assert state.finals is not None
    assert state.closed is not None
    for board in sorted(state.boards, key=lambda board: state.finals_drawn[board]):
        if state.waits_for(board):
            continue
        finalists = [one for one in state.finals.finalists[board] if state.versions[one].status == CURRENT]
        pairs = [pair for pair in combinations(finalists, 2) if state.may_be_asked(board, pair)]
        drawn = state.finals_drawn[board]
        if pairs and drawn < state.closed.finals:
            found = [Wish(*pair, 0.0, sum(map(state.cost, pair))) for pair in pairs]
            return NextDraw(board, min(found, key=lambda wish: state.finals_of[board, asked(state, wish)]))
    return None


def kind_of(state: LeagueState, wish: Wish) -> Literal["placement", "question", "final"]:
    """What a wish is called in its draw."""
    return wish.kind if state.finals is None else "final"


def asked(state: LeagueState, wish: Wish) -> tuple[VersionId, ...]:
    """The versions of a question, in the order of their arrival."""
    versions = [wish.asker] if wish.other is None else [wish.asker, wish.other]
    return tuple(sorted(versions, key=lambda version: state.versions[version].number))


def wishes(state: LeagueState, board: BoardId) -> list[Wish]:
    """What may be played next on a board."""
    found = open_on(state, board)
    # A new board needs its variances first: without them no number has an interval.
    begins = state.numbers[board].draws < FOUNDING_DRAWS
    return [wish for wish in found if wish.size == VAST and begins] or found


def open_on(state: LeagueState, board: BoardId) -> list[Wish]:
    """All that is open on a board; nothing where its zero cannot be played."""
    if state.waits_for(board):
        return []
    numbers, ranked = state.numbers[board], state.ranked(board)
    before = {version: state.predecessor(version) for version in ranked}
    predecessors = {version: other for version, other in before.items() if other is not None}
    found = open_wishes(
        versions=sorted(ranked, key=lambda version: version != numbers.zero),
        fit=numbers.fit(),
        singles=numbers.singles,
        versus=numbers.versus,
        predecessors=predecessors,
        costs={version: state.cost(version) for version in (*ranked, *predecessors.values())},
        margin=state.boards[board].margin,
        alpha=state.founded.alpha,
    )
    playable = [wish for wish in found if state.may_be_asked(board, asked(state, wish))]
    if state.closed is not None:
        # Whoever came in before the end is still placed, and what that takes is played.
        theirs = any(author_of(version) != HOUSE for version in ranked)
        playable = [wish for wish in playable if theirs and (wish.other is None or wish.size == VAST)]
    return playable


def companions(
    state: LeagueState, board: BoardId, no: int, versions: Sequence[VersionId], seed: str
) -> tuple[VersionId, ...]:
    """Drawn by lot from the panel; every set of them is equally likely."""
    lots = Stream(f"arena1/{pod_key(seed, board, no)}/companions")
    return lots.shuffled(state.candidates(board, versions))[: state.boards[board].seats - 1]
