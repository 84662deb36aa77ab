"""The race in step: what it believes is what the plain rules and the plain advice say, deal by deal."""

from typing import Any

import msgspec
import numpy as np
import pytest

from arena.games import EXTRAS, GAMES
from arena.games.game import Action, Game, State, View
from arena.games.instep import weighted
from arena.games.instep.registered import in_step
from arena.players.house import playouts, race
from arena.players.house.playouts import Playouts
from arena.players.house.race import Race
from arena.players.house.search import HORIZON, Clock, RoundForecast, run
from protocol.streams import DealSource, Stream
from tests.support.policies import policy

WORLDS = 1500

every_game = pytest.mark.parametrize("game", list(GAMES.values()), ids=lambda game: game.id)


def moment(game: Game, decisions: int, key: str = "race") -> tuple[State, int]:
    """The first state after so many decisions in which a seat has a choice, and that seat."""
    state = game.start(4, game.options(), 1, DealSource(key)).state
    advise, made = EXTRAS[game.id].advise, 0
    while True:
        seat = max(state.pending)
        if made >= decisions and len(state.legal(seat)) > 1:
            return state, seat
        state = state.apply({one: advise(state, one, state.legal(one)) for one in state.pending}).state
        made += 1


def begun(game: Game, state: State, seat: int, seed: int = 1, tricks: int = 99) -> Race:
    legal = state.legal(seat)
    advised = EXTRAS[game.id].advise(state, seat, legal)
    rng = np.random.default_rng(seed)
    return Race(Playouts(game, rng), state.view(seat), legal, advised, tricks)


def plain_gain(game: Game, view: View, action: Action, worlds: int, tricks: int = 99) -> tuple[float, float]:
    """The mean gain of an action above the mean of all seats by plain playouts, and its standard error."""
    play, stream, found = policy(game), Stream("plain"), []
    view = msgspec.structs.replace(view, deals=view.deal_no)
    for _ in range(worlds):
        state = game.imagine(view, stream)
        first, steps = True, 0
        while state.pending and (steps < tricks * view.seats or state.view(0).trick):
            steps += len(state.pending)
            actions = {one: play(state, one, state.legal(one)) for one in state.pending}
            if first:
                actions[view.seat] = action
                first = False
            state = state.apply(actions).state
        gains = points_so_far(state.view(0)) if state.pending else state.tally().gains[-1]
        found.append(gains[view.seat] - sum(gains) / len(gains))
    return float(np.mean(found)), float(np.std(found) / np.sqrt(worlds))


def points_so_far(view: Any) -> list[int]:
    """S-8, by seat, of the tricks that are over."""
    points = [-int(pain[1:]) for pain in view.pain]
    for trick in view.tricks:
        if trick.taker is not None:
            own = view.pain[trick.taker][0]
            points[trick.taker] += sum(-int(card[1:]) if card[0] == own else 1 for card in trick.cards)
    return points


@pytest.mark.thorough  # Playouts by the plain rules are slow, most of all from the beginning of a deal.
@pytest.mark.parametrize("decisions", [0, 9, 17])
@pytest.mark.parametrize(
    ("game", "tricks"),
    [*((game, 99) for game in GAMES.values()), *((GAMES[id], 3) for id in HORIZON)],
    ids=lambda value: getattr(value, "id", value),
)
def test_gains_are_those_of_the_plain_rules(
    game: Game, tricks: int, decisions: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(playouts, "ERRORS", 0.0)
    alike = in_step(game)._replace(decisions=None)  # The plain rules imagine all deals equally often.
    monkeypatch.setattr(playouts, "in_step", lambda game: alike)
    monkeypatch.setattr(race, "FEWEST_WORLDS", 10**9)  # All stay in the race.
    monkeypatch.setattr(race, "DISTRUST", 0.0)
    state, seat = moment(game, decisions)
    racing = begun(game, state, seat, tricks=tricks)
    racing.round(WORLDS)
    assert racing.steps <= tricks * 4 + 3
    believed = dict(racing.beliefs)
    for action in (racing.legal[0], racing.legal[-1]):
        mean, error = plain_gain(game, state.view(seat), action, 300, tricks)
        assert abs(believed[action] - mean) < 4.5 * error + 0.3


@every_game
def test_more_deals_leave_fewer_in_the_race(game: Game) -> None:
    state, seat = moment(game, 0)
    racing = begun(game, state, seat)
    for _ in range(12):
        before = set(racing.racing.tolist())
        racing.round(64)
        assert set(racing.racing.tolist()) <= before
        still = {racing.legal[at] for at in racing.racing}
        assert racing.best in still
        assert sorted(action for action, _ in racing.beliefs) == sorted(racing.legal)
        assert {action for action, _ in racing.beliefs[: len(still)]} == still
    assert len(racing.racing) < len(racing.legal)


@every_game
def test_a_seed_decides_a_race(game: Game) -> None:
    state, seat = moment(game, 3)
    races = [begun(game, state, seat, seed) for seed in (1, 1, 2)]
    for racing in races:
        racing.round(40)
    assert races[0].beliefs == races[1].beliefs != races[2].beliefs


@every_game
def test_playouts_begin_from_deals_that_explain_what_was_decided(
    game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The decisions are looked up once for a view, and those of a later view are others."""
    asked, given, own = [], [], in_step(game).decisions

    def decisions_of(of: Game, view: View) -> object:
        asked.append(view)
        return own(of, view)

    def imagine(kind: Any, of: Game, view: View, decisions: Any, *rest: Any, **more: Any) -> Any:
        given.append(decisions)
        return weighted.imagine(kind, of, view, decisions, *rest, **more)

    if own:
        watched = in_step(game)._replace(decisions=decisions_of)
        monkeypatch.setattr(playouts, "in_step", lambda game: watched)
    monkeypatch.setattr(playouts, "imagine", imagine)
    made, views = Playouts(game, np.random.default_rng(1)), []
    for decisions in (0, 9, 17):
        state, seat = moment(game, decisions)
        views.append(state.view(seat))
        for _ in range(2):
            made.gains(views[-1], state.legal(seat), 4)
    if own is None:
        assert given == [None] * 6
        return
    assert [id(view) for view in asked] == [id(view) for view in views]
    assert given[0] is given[1] is None
    assert given[2] is given[3] is not given[4] is given[5]
    assert 0 < len(given[2].actions) < len(given[4].actions)


class SlowRace:
    """Moves its clock on by what a round costs on a machine that is so many times slower than expected: also
    by something for each round and each imagined deal, which counts most when few steps are left."""

    decided, steps, racing = False, 40, np.arange(7)

    def __init__(self, slowness: float) -> None:
        self.now, self.slowness = 0.0, slowness

    def clock(self) -> float:
        return self.now

    def seconds(self, worlds: int) -> float:
        by_step = 65e-6 + 0.48e-6 * len(self.racing) * worlds
        return self.slowness * (2000e-6 + 5e-6 * worlds + self.steps * by_step)

    def round(self, worlds: int) -> None:
        self.now += self.seconds(worlds)


@pytest.mark.parametrize("slowness", [0.5, 1.0, 3.0, 10.0])
def test_a_race_ends_in_time(slowness: float, monkeypatch: pytest.MonkeyPatch) -> None:
    slow, pace, clock = SlowRace(slowness), RoundForecast(), Clock()
    monkeypatch.setattr("arena.players.house.search.time.perf_counter", slow.clock)
    for number, ms in enumerate((30, 5, 20, 100, 7)):
        begun_at = slow.now
        clock.begin(slow.now, ms)
        run(slow, clock, pace)  # type: ignore[arg-type]
        if number:  # The first is the warm-up, in which the pace is learnt.
            assert slow.now - begun_at <= ms / 1000
        if ms >= 4 * slowness * 10:
            assert slow.now > begun_at, "there was time for a round"
        slow.steps = max(2, slow.steps // 3)
        for worlds in (8, 64):
            foretold = pace.seconds(slow.steps, worlds, len(slow.racing))
            assert slow.seconds(worlds) == pytest.approx(foretold, rel=0.25), "though fewer steps are left"
