"""A draw and its pods: the entry that schedules it, its matches, and their results. Pure."""

from collections.abc import Iterator, Mapping

import msgspec

from arena.entrants.entrant import Entrant
from arena.league.days import SECONDS_A_DAY
from arena.league.drawing import NextDraw, asked, companions, kind_of
from arena.league.entries import Board, DrawMatch, DrawScheduled
from arena.league.ids import VersionId
from arena.league.state import LeagueState
from arena.playing.job import Finished, Job
from protocol.streams import seating_labels
from tournaments.seatings import seatings


def draw(state: LeagueState, next_one: NextDraw, at: int, seeds: Mapping[int, str]) -> DrawScheduled:
    """Schedule `next_one` at the time `at`. `seeds` is indexed by day."""
    board, wish = next_one
    no, at = state.last_draw + 1, max(at, state.at)
    versions = asked(state, wish)
    return DrawScheduled(
        no=no,
        board=board,
        versions=versions,
        companions=companions(state, board, no, versions, seeds[at // SECONDS_A_DAY]),
        why=kind_of(state, wish),
        day=at // SECONDS_A_DAY,
        at=at,
    )


def jobs(board: Board, draw: DrawScheduled, key: str, entrants: Mapping[VersionId, Entrant]) -> Iterator[Job]:
    """The matches of a draw with the pod key `key`: each version of the question plays all seatings, with the
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


def row_of(draw: DrawScheduled, finished: Finished, seating_no: int, key: str) -> DrawMatch:
    """The result of a match, its seats replaced by places in the pod."""
    size = 1 + len(draw.companions)
    by_seat = seatings([str(place) for place in range(size)], seating_labels(key, size))[seating_no - 1]
    seat_of = {int(place): seat for seat, place in enumerate(by_seat)}
    gains = tuple(tuple(deal[seat_of[place]] for place in range(size)) for deal in finished.outcome.gains)
    forfeits = (msgspec.structs.replace(one, seat=int(by_seat[one.seat])) for one in finished.forfeits)
    return DrawMatch(gains, tuple(sorted(forfeits, key=lambda one: one.seat)))
