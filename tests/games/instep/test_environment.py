"""Matches in step for learning: what they show and pay is what the PettingZoo environments show and pay."""

from typing import Any

import msgspec
import numpy as np
import pytest

from arena.games import GAMES
from arena.games.game import IllegalAction
from arena.games.instep.plain import PlainBatch
from arena.games.instep.registered import IN_STEP, batch_for
from arena.games.sticheln.rules import TargetOptions
from arena.players.learning.batches import BatchStep, Environments
from arena.system.errors import UserError

# Of numbers of seats those between the fewest and the most tell little more.
ALL = [
    pytest.param(id, seats, marks=[pytest.mark.thorough] * (min(game.seats) < seats < max(game.seats)))
    for id, game in GAMES.items()
    for seats in game.seats
]

every_table = pytest.mark.parametrize(("game", "seats"), ALL)
every_advised_table = pytest.mark.parametrize(
    ("game", "seats"), [one for one in ALL if one.values[0] in IN_STEP]
)


def chosen(seen: BatchStep, rng: np.random.Generator) -> Any:
    return ((1 - rng.random(seen.mask.shape)) * seen.mask).argmax(axis=1)


@every_table
def test_matches_are_played_to_their_end(game: str, seats: int) -> None:
    environments = Environments(game, seats, size=16, deals=3)
    rng, begun = np.random.default_rng(1), 0
    paid = paid_before = np.zeros((16, seats))
    seen = environments.reset(seed=1)
    layout, few_are_good = environments.layout, GAMES[game].counts == "penalty points"
    while not seen.done:
        waiting = seen.turn < 0
        assert not seen.mask[waiting].any()
        assert not seen.observation[waiting].any()
        deal_nos = set(seen.observation[~waiting, layout["deal_no"].start].tolist())
        assert len(deal_nos) == 1
        if begun < max(deal_nos):
            begun, paid_before = max(deal_nos), paid.copy()
        told = seen.observation[~waiting, layout["points"]]
        assert ((-told if few_are_good else told) == paid_before[~waiting]).all()
        assert (seen.observation[~waiting, layout["seat"].start] == seen.turn[~waiting]).all()
        seen = environments.step(chosen(seen, rng))
        paid = paid + seen.rewards
    assert begun == 3
    assert paid.any()


@every_advised_table
def test_who_follows_the_advice_gains_more_than_chance(game: str, seats: int) -> None:
    environments = Environments(game, seats, size=300, deals=1)
    rng, paid = np.random.default_rng(1), np.zeros(seats)
    seen = environments.reset(seed=1)
    while not seen.done:
        actions, advised = chosen(seen, rng), environments.advised()
        ours = seen.turn == 0
        actions[ours] = advised[ours]
        seen = environments.step(actions)
        paid += seen.rewards.sum(axis=0)
    assert (paid[0] > paid[1:]).all()


def test_a_game_without_advice_in_step_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.games.instep.registered.IN_STEP", {})
    with pytest.raises(UserError, match="ole has no advice in step"):
        Environments("ole", 3, size=1).advised()


@every_table
def test_a_seed_decides_all(game: str, seats: int) -> None:
    def played(seed: int | None) -> Any:
        rng, environments = np.random.default_rng(2), Environments(game, seats, size=4, deals=1)
        seen, paid = environments.reset(seed), []
        while not seen.done:
            seen = environments.step(chosen(seen, rng))
            paid.append(seen.rewards.tolist())
        return paid

    assert played(1) == played(1) != played(2)
    assert played(None) != played(None)


def test_a_sequence_of_matches_follows_a_seed() -> None:
    environments = Environments("ole", 3, size=4)
    first, second = [
        environments.reset(seed=5).observation.tolist(),
        environments.reset().observation.tolist(),
    ]
    assert first != second
    assert environments.reset(seed=5).observation.tolist() == first
    assert environments.reset().observation.tolist() == second


def test_what_is_illegal_changes_nothing() -> None:
    environments = Environments("david-and-goliath", 4, size=8)
    before = environments.reset(seed=3)
    with pytest.raises(IllegalAction):
        environments.step((~before.mask).argmax(axis=1))
    rng = np.random.default_rng(3)
    assert not environments.step(chosen(before, rng)).done


def test_a_target_ends_a_match() -> None:
    environments = Environments("sticheln-1993", 3, size=12, deals=6, options=TargetOptions(target=1))
    rng, totals = np.random.default_rng(4), np.zeros((12, 3))
    reached = np.zeros(12, np.bool_)
    seen = environments.reset(seed=4)
    while not seen.done:
        assert (seen.turn[reached] == -1).all()
        seen = environments.step(chosen(seen, rng))
        assert not seen.rewards[reached].any()
        totals += seen.rewards
        if seen.rewards.any():
            reached = totals.max(axis=1) >= 1
    assert 0 < reached.sum() < 12


def test_what_cannot_be_is_said() -> None:
    with pytest.raises(ValueError, match="unknown game 'chess'"):
        Environments("chess")
    with pytest.raises(ValueError, match="is played by 3 to 6 seats, not 7"):
        Environments("sticheln", 7)
    for size, deals in ((0, 1), (1, 0), (-1, None)):
        with pytest.raises(ValueError, match=r"expected a whole number( of matches)?, at least 1"):
            Environments(size=size, deals=deals)


def test_a_game_may_bring_its_own() -> None:
    class Own(PlainBatch):
        pass

    class Game:
        batch = Own
        options = msgspec.Struct

    assert batch_for(Game()) is Own  # type: ignore[arg-type]
