"""Selects what is played next.

The question follows from the state and from the guards (tournaments/agenda.py); the seed of the day selects
the companions at random, whatever the question. `verify` repeats both. Pure.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import Final, Literal, NamedTuple

from arena.league.carried import CURRENT, RESTING
from arena.league.days import pod_key
from arena.league.ids import HOUSE, BoardId, VersionId, author_of
from arena.league.state import LeagueState
from arena.league.statements import SECOND_RULE
from protocol.streams import Stream
from tournaments.agenda import Account, Wish, chosen
from tournaments.questions import VAST, Ranked, open_wishes

FOUNDING_DRAWS: Final = 20
"""The first draws of a board go to the comparisons that determine its variances."""


class NextDraw(NamedTuple):
    """The board of the next draw, and the placement or question that it serves."""

    board: BoardId
    wish: Wish


class Drawer:
    """Selects draws by the guards. Their accounts start empty with each process that plays."""

    def __init__(self) -> None:
        self._accounts: dict[BoardId, Account] = {}
        self._spent: dict[BoardId, int] = {}

    def chosen(self, state: LeagueState) -> NextDraw | None:
        """Select the next draw and charge the guards for it; None if nothing is open."""
        if state.finals is not None:
            return next_final(state)
        # Boards share the cores: begin with the one that has used least.
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
    """The next comparison of a final, on the board that has had the fewest; None if none is left."""
    assert state.finals is not None
    assert state.closed is not None
    for board in sorted(state.boards, key=lambda board: state.finals_drawn[board]):
        if state.waits_for(board):
            continue
        finalists = [name for name in state.finals.finalists[board] if state.versions[name].status == CURRENT]
        pairs = [pair for pair in combinations(finalists, 2) if state.may_be_asked(board, pair)]
        if pairs and state.finals_drawn[board] < state.closed.finals:
            wishes = [Wish(*pair, 0.0, sum(map(state.cost, pair))) for pair in pairs]
            return NextDraw(board, min(wishes, key=lambda wish: state.finals_of[board, asked(state, wish)]))
    return None


def kind_of(state: LeagueState, wish: Wish) -> Literal["placement", "question", "final"]:
    """The field `why` of the draw."""
    return wish.kind if state.finals is None else "final"


def asked(state: LeagueState, wish: Wish) -> tuple[VersionId, ...]:
    """The versions that a wish is about, in the order of their arrival."""
    versions = [wish.asker] if wish.other is None else [wish.asker, wish.other]
    return tuple(sorted(versions, key=lambda version: state.versions[version].number))


def wishes(state: LeagueState, board: BoardId) -> list[Wish]:
    """What may be played next. A new board first needs its variances, without which there are no
    intervals."""
    open_ = open_on(state, board)
    begins = state.numbers[board].draws < FOUNDING_DRAWS
    return [wish for wish in open_ if wish.size == VAST and begins] or open_


def open_on(state: LeagueState, board: BoardId) -> list[Wish]:
    """All open placements and questions of a board; none while its zero cannot be played."""
    if state.waits_for(board):
        return []
    numbers, ranked = state.numbers[board], state.ranked(board)
    predecessors, fit = state.predecessors(board), numbers.fit()
    plays = {other for other in predecessors.values() if state.versions[other].status in (CURRENT, RESTING)}
    if state.rule <= SECOND_RULE:
        plays = {*ranked, *(fit.names if fit else ())}
    predecessors = {one: other for one, other in predecessors.items() if other in plays}
    found = open_wishes(
        Ranked(
            versions=sorted(ranked, key=lambda version: version != numbers.zero),
            fit=fit,
            singles=numbers.singles,
            comparisons={pair: sums.count for pair, sums in numbers.pairs.items()},
            settled=numbers.settled,
            predecessors=predecessors,
            anchors={version for version in ranked if author_of(version) == HOUSE},
            costs={version: state.cost(version) for version in (*ranked, *predecessors.values())},
            margin=state.boards[board].margin,
        )
    )
    playable = [wish for wish in found if state.may_be_asked(board, asked(state, wish))]
    if state.closed is not None:
        # Versions that arrived before the close are still placed, with the comparisons that this takes.
        theirs = any(author_of(version) != HOUSE for version in ranked)
        playable = [wish for wish in playable if theirs and (wish.other is None or wish.size == VAST)]
    return playable


def companions(
    state: LeagueState, board: BoardId, no: int, versions: Sequence[VersionId], seed: str
) -> tuple[VersionId, ...]:
    """Companions chosen at random from the panel; every set is equally likely."""
    lots = Stream(f"arena1/{pod_key(seed, board, no)}/companions")
    return lots.shuffled(state.candidates(board, versions))[: state.boards[board].seats - 1]
