"""What is played next, as a draw, and the matches of a draw.

Which version is asked about follows from the state and from the guards (tournaments/agenda.py); with whom it
sits is drawn by lot from the seed of the day, never by the question. Both are repeated by `verify`. Pure.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Final, Literal, NamedTuple

import msgspec

from arena.entrants.entrant import Entrant
from arena.league.carried import CURRENT
from arena.league.days import SECONDS_A_DAY, pod_key
from arena.league.entries import Board, Drawn, MatchRow
from arena.league.ids import HOUSE, BoardId, VersionId, author_of
from arena.league.state import State
from arena.playing.job import Finished, Job
from protocol.streams import Stream, seating_labels
from tournaments.agenda import Account, Wish, chosen
from tournaments.questions import VAST, open_wishes
from tournaments.seatings import seatings

FOUNDING_DRAWS: Final = 20
"""For so many draws, the comparisons that determine the variances of a board come before all else."""


class Chosen(NamedTuple):
    """What is played next: on which board, and what for."""

    board: BoardId
    wish: Wish


class Drawer:
    """Draws by the guards, whose accounts begin empty whenever a process begins to play."""

    def __init__(self) -> None:
        self._accounts: dict[BoardId, Account] = {}
        self._spent: dict[BoardId, int] = {}

    def chosen(self, state: State) -> Chosen | None:
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
                return Chosen(board, found.wish)
        return None


def next_final(state: State) -> Chosen | None:
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
            return Chosen(board, min(found, key=lambda wish: state.finals_of[board, asked(state, wish)]))
    return None


def kind_of(state: State, wish: Wish) -> Literal["placement", "question", "final"]:
    """What a wish is called in its draw."""
    return wish.kind if state.finals is None else "final"


def draw(state: State, next_one: Chosen, at: int, seeds: Mapping[int, str]) -> Drawn:
    """The draw by which something is played at this time. `seeds` are those of the days."""
    board, wish = next_one
    no, at = state.last_draw + 1, max(at, state.at)
    versions = asked(state, wish)
    return Drawn(
        no=no,
        board=board,
        versions=versions,
        companions=companions(state, board, no, versions, seeds[at // SECONDS_A_DAY]),
        why=kind_of(state, wish),
        day=at // SECONDS_A_DAY,
        at=at,
    )


def asked(state: State, wish: Wish) -> tuple[VersionId, ...]:
    """The versions of a question, in the order of their arrival."""
    versions = [wish.asker] if wish.other is None else [wish.asker, wish.other]
    return tuple(sorted(versions, key=lambda version: state.versions[version].number))


def wishes(state: State, board: BoardId) -> list[Wish]:
    """What may be played next on a board."""
    found = open_on(state, board)
    # A new board needs its variances first: without them no number has an interval.
    begins = state.numbers[board].draws < FOUNDING_DRAWS
    return [wish for wish in found if wish.size == VAST and begins] or found


def open_on(state: State, board: BoardId) -> list[Wish]:
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
    state: State, board: BoardId, no: int, versions: Sequence[VersionId], seed: str
) -> tuple[VersionId, ...]:
    """Drawn by lot from the panel; every set of them is equally likely."""
    lots = Stream(f"arena1/{pod_key(seed, board, no)}/companions")
    return lots.shuffled(state.candidates(board, versions))[: state.boards[board].seats - 1]


def jobs(board: Board, draw: Drawn, key: str, entrants: Mapping[VersionId, Entrant]) -> Iterator[Job]:
    """The matches of a draw whose pods have this key: each version of the question in all seatings with the
    same companions, deals and places."""
    for number, version in enumerate(draw.versions, 1):
        pod = (version, *draw.companions)
        for seating_no, names in enumerate(seatings(pod, seating_labels(key, len(pod))), 1):
            yield Job(
                match_id=f"{draw.no}-{number}-{seating_no}",
                settings=board.settings,
                pod_key=key,
                seating_no=seating_no,
                entrants=tuple(entrants[name] for name in names),
            )


def row_of(draw: Drawn, finished: Finished, seating_no: int, key: str) -> MatchRow:
    """The result of a match by places in the pod."""
    size = 1 + len(draw.companions)
    by_seat = seatings([str(place) for place in range(size)], seating_labels(key, size))[seating_no - 1]
    seat_of = {int(place): seat for seat, place in enumerate(by_seat)}
    gains = tuple(tuple(deal[seat_of[place]] for place in range(size)) for deal in finished.outcome.gains)
    forfeits = (msgspec.structs.replace(one, seat=int(by_seat[one.seat])) for one in finished.forfeits)
    return MatchRow(gains, tuple(sorted(forfeits, key=lambda one: one.seat)))
