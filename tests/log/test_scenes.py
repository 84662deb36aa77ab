"""A match as scenes: every decision and the end of every deal is seen, by those whom it concerns."""

import msgspec
import pytest

from arena.games import GAMES
from arena.log.entries import Acted
from arena.log.scenes import Scene, scenes
from tests.support.logs import chance_log

EXTREMES = [(game, seats) for game, rules in GAMES.items() for seats in (rules.seats[0], rules.seats[-1])]


def test_chance_logs_are_true() -> None:
    assert sum(1 for _ in scenes(chance_log("sticheln", 4, faulty=2))) > 100


@pytest.mark.parametrize(("game", "seats"), EXTREMES)
def test_every_decision_is_seen_once(game: str, seats: int) -> None:
    log = chance_log(game, seats)
    told = [(one.seat, one.action) for scene in scenes(log) for one in scene.decided]
    assert told == [(entry.seat, entry.action) for entry in log.entries if isinstance(entry, Acted)]


@pytest.mark.parametrize(("game", "seats"), EXTREMES)
def test_a_deal_is_over_before_the_next_is_dealt(game: str, seats: int) -> None:
    log = chance_log(game, seats, deals=3)
    ends = [scene for scene in scenes(log) if not scene.due]
    assert [scene.deal_no for scene in ends] == [1, 2, 3]
    closed = log.entries[-1]
    points = [0] * seats
    for scene, row in zip(ends, closed.points, strict=True):  # type: ignore[union-attr]
        points = [sum(two) for two in zip(points, row, strict=True)]
        assert list(scene.shared["points"]) == points
        assert scene.shared["deals"] == 3
        if "trick" in scene.shared:
            assert scene.shared["trick"] == ()
            assert set(scene.sizes) == {0}


def test_secret_choices_are_seen_one_by_one_and_by_a_seat_only_its_own() -> None:
    log = chance_log("sticheln", 3, deals=1)
    secret = [scene for scene in scenes(log) if scene.decided and not scene.shared["pain"]]
    assert [one.seat for scene in secret for one in scene.decided] == [0, 1]
    assert [[due.seat for due in scene.due] for scene in secret] == [[1, 2], [2]]
    own = [scene for scene in scenes(log, 1) if scene.decided and not scene.shared["pain"]]
    assert [one.seat for scene in own for one in scene.decided] == [1]
    assert all(due.legal is None for scene in own for due in scene.due)


def test_the_faults_of_others_are_not_a_seat_s_to_know() -> None:
    log = chance_log("ole", 4, faulty=2)
    assert [fault.seat for scene in scenes(log) for fault in scene.faults] == [2]
    assert [fault.seat for scene in scenes(log, 2) for fault in scene.faults] == [2]
    assert not any(scene.faults for scene in scenes(log, 1))


def test_nothing_of_another_scene_is_changed_by_looking() -> None:
    log = chance_log("david-and-goliath", 3, deals=1)
    assert [*map(dump, scenes(log))] == [*map(dump, scenes(log))]


def dump(scene: Scene) -> bytes:
    return msgspec.json.encode(scene)
