"""The moments that a replay marks, from logs alone."""

import re
from collections.abc import Sequence

import msgspec
import pytest

from arena.games import GAMES
from arena.log.entries import Faulted, Happened, events_of, raw_events
from arena.log.retrace import Log
from arena.log.scenes import scenes
from arena.report.moments import Moment, moments
from tests.support.logs import chance_log


def found(log: Log, seat: int | None = None) -> tuple[Moment, ...]:
    return moments(
        list(scenes(log, seat)),
        [entrant.called for entrant in log.opened.entrants],
        log.closed,
        log.game.counts,
    )


@pytest.mark.parametrize("game", GAMES)
def test_every_deal_has_an_end_with_its_points_and_a_swing_if_it_counts_underway(game: str) -> None:
    log = chance_log(game, 4, deals=3)
    made = found(log)
    ends = [moment for moment in made if moment.kind == "end"]
    for deal_no, (end, points) in enumerate(zip(ends, log.closed.points, strict=True), 1):
        told = ", ".join(f"bot-{seat} {gained:+}" for seat, gained in enumerate(points))
        told = told.replace(" -", " −").replace(" +0", " 0")
        unit = ", penalty points" if GAMES[game].counts == "penalty points" else ""
        assert end.text == f"deal {deal_no} ends{unit}: {told}"
    swings = [moment for moment in made if moment.kind == "swing"]
    # Olé! counts at the end of a deal alone.
    assert len(swings) == (0 if game == "ole" else 3)
    assert max((swing.size for swing in swings), default=1) == 1
    assert [moment.scene for moment in made] == sorted(moment.scene for moment in made)
    # A page of one seat has the same, since nothing of it is secret; its scenes are fewer.
    assert [(one.kind, one.text) for one in found(log, 2)] == [(one.kind, one.text) for one in made]


def test_the_swing_of_a_deal_is_the_trick_that_moved_a_seat_farthest_from_the_mean() -> None:
    log = chance_log("david-and-goliath", 3, deals=1)
    shown = list(scenes(log))
    (swing,) = [moment for moment in found(log) if moment.kind == "swing"]
    moved = {}
    for at in range(1, len(shown)):
        before, now = shown[at - 1].deal_points, shown[at].deal_points
        assert before
        assert now
        change = [new - old for new, old in zip(now, before, strict=True)]
        moved[at] = max(abs(one - sum(change) / 3) for one in change)
    assert moved[swing.scene] == max(moved.values())
    # A game may count what is better avoided.
    of_penalties = moments(shown, ["Ann", "Bo", "Cy"], log.closed, "penalty points")
    (told,) = [moment.text for moment in of_penalties if moment.kind == "swing"]
    assert re.fullmatch(
        r"deal 1, trick \d+, penalty points: \w+ [+−]\d+.*, the largest swing of the deal", told
    )
    # Where several moved at once, all are told.
    before, now = (shown[at].deal_points for at in (swing.scene - 1, swing.scene))
    assert before
    assert now
    changes = {name: new - old for name, old, new in zip(("Ann", "Bo", "Cy"), before, now, strict=True)}
    said = re.findall(r"(\w+) ([+−]\d+)", told)
    assert {name: int(points.replace("−", "-")) for name, points in said} == {
        name: change for name, change in changes.items() if change
    }


def decided(gains: Sequence[tuple[int, ...]], placings: tuple[int, ...]) -> list[str]:
    """What is said of the deal that decided a match of three with these gains."""
    log = chance_log("david-and-goliath", 3, deals=len(gains))
    closed = msgspec.structs.replace(log.closed, gains=tuple(gains), placings=placings)
    seen = list(scenes(log))
    made = moments(seen, ["Ann", "Bo", "Cy"], closed, log.game.counts)
    decisive = [one for one in made if one.kind == "decisive"]
    for one in decisive:
        # It leads to the beginning of its deal, as the report does.
        deals = [scene.deal_no for scene in seen]
        assert one.scene == deals.index(int(one.text.split()[1]))
    return [one.text for one in decisive]


def test_the_deal_that_decided_is_the_one_in_which_the_winner_gained_most_on_the_second() -> None:
    assert decided([(5, 9, 0), (8, 1, 2), (9, 4, 0)], (1, 2, 3)) == [
        "deal 2 decided the match: Ann gained 7 more than Bo"
    ]
    assert decided([(0, 2, 9), (0, 2, 9)], (3, 2, 1)) == [
        "deal 1 decided the match: Cy gained 7 more than Bo"
    ]
    # A shared first place, a single deal, and a winner whom only the others' forfeits made one.
    assert decided([(5, 9, 0), (8, 4, 2)], (1, 1, 3)) == []
    assert decided([(5, 2, 0)], (1, 2, 3)) == []
    assert decided([(1, 9, 0), (2, 4, 2)], (1, 2, 2)) == []


def test_a_fault_is_marked_for_who_may_know_of_it() -> None:
    log = chance_log("sticheln", 3, faulty=1)
    (fault,) = [entry for entry in log.entries if isinstance(entry, Faulted)]
    (marked,) = [moment for moment in found(log) if moment.kind == "fault"]
    assert (marked.seat, marked.text.rpartition(" ")[2]) == (fault.seat, fault.kind)
    assert not [moment for moment in found(log, 0) if moment.kind == "fault"]


def test_it_marks_the_scene_in_which_a_deal_is_scored() -> None:
    log = chance_log("sticheln", 4)
    shown = list(scenes(log))
    scored = [
        event.sentence(lambda seat: f"bot-{seat}")
        for entry in log.entries
        if isinstance(entry, Happened)
        for event in events_of(log.game, raw_events(entry))
        if event.__struct_config__.tag == "scored"
    ]
    assert [shown[one.scene].sentences[-1] for one in found(log) if one.kind == "end"] == scored
