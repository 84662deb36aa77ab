"""A board may get another panel: then its numbers mean the same, and newcomers are measured by it."""

import random
from collections.abc import Mapping
from itertools import pairwise

import pytest

from arena.league.drawing import Drawer
from arena.league.entries import (
    Continued,
    Current,
    DrawAnnulled,
    DrawMatch,
    DrawPlayed,
    DrawScheduled,
    PanelSet,
    Received,
    Retired,
)
from arena.league.hand import answer
from arena.league.pods import draw
from arena.league.state import LeagueState
from arena.system.errors import UserError
from tests.support.boards import ANCHORS, BOARD, NOON, NOTHING, SEEDS, settle, state_with

TRUTH: Mapping[str, float] = {
    **{version: at for at, version in enumerate(ANCHORS)},
    "red/one@1": 12,
    "blue/one@1": 14,
    "green/one@1": 13,
    "grey/one@1": 15,
    "late/one@1": 13,
}
BETTER = (ANCHORS[0], "red/one@1", "blue/one@1", "green/one@1", "grey/one@1", ANCHORS[5])
"""Much stronger than the anchors."""


def result(drawn: DrawScheduled, lots: random.Random) -> DrawPlayed:
    """Everybody gains by strength and by luck."""

    def match(version: str) -> DrawMatch:
        places = (version, *drawn.companions)
        return DrawMatch(
            tuple(tuple(round(TRUTH[one] + lots.gauss(0, 1)) for one in places) for _ in range(4))
        )

    matches = tuple(tuple(match(version) for _ in range(4)) for version in drawn.versions)
    return DrawPlayed(drawn.no, matches, 2.5, NOTHING, NOTHING)


def played(state: LeagueState, draws: int, lots: random.Random) -> list[DrawScheduled]:
    """Draws and plays until nothing is open."""
    drawer, made = Drawer(), []
    for _ in range(draws):
        if (found := drawer.chosen(state)) is None:
            break
        made.append(draw(state, found, NOON, SEEDS))
        count(state, made[-1], lots)
    return made


def count(state: LeagueState, drawn: DrawScheduled, lots: random.Random) -> None:
    """A draw with its result, and what is due then."""
    state.add(drawn)
    state.add(result(drawn, lots))
    settle(state, NOON)


@pytest.fixture
def state() -> LeagueState:
    """A board of strong and weak versions, each of which was compared with the next one."""
    made, lots = state_with("red/one@1", "blue/one@1", "green/one@1", "grey/one@1"), random.Random(11)
    for _ in range(6):
        for pair in pairwise(made.ranked(BOARD.id)):
            others = tuple(version for version in ANCHORS if version not in pair)[:3]
            drawn = DrawScheduled(
                made.last_draw + 1, BOARD.id, pair, others, "question", NOON // 86_400, NOON
            )
            count(made, drawn, lots)
    for version in ("red/one@1", "green/one@1"):
        drawn = DrawScheduled(
            made.last_draw + 1, BOARD.id, (version,), ANCHORS[:3], "placement", NOON // 86_400, NOON
        )
        count(made, drawn, lots)
    return made


def strengths(state: LeagueState) -> dict[str, float]:
    found = state.numbers[BOARD.id].strengths(state.ranked(BOARD.id))
    return {version: one.strength for version, one in found.items()}


def renewed(state: LeagueState, *members: str) -> None:
    (entry,) = answer(state, PanelSet(BOARD.id, members, ANCHORS[0]), NOON)
    state.add(entry)


def test_a_new_panel_changes_no_number_and_is_played_against(state: LeagueState) -> None:
    numbers = state.numbers[BOARD.id]
    before, said = numbers.exact(), numbers.statements
    assert said.now
    renewed(state, *BETTER)
    after = numbers.exact()
    assert {*after} == {*before}
    for version, strength in before.items():
        assert after[version].strength == pytest.approx(strength.strength, abs=2e-6)
        assert after[version].low == pytest.approx(strength.low, abs=2e-6)
    assert numbers.statements == said
    for entry in (Received("late/one@1", "8" * 64, "x.py", NOON), Current("late/one@1", (BOARD.id,))):
        state.add(entry)
    made = played(state, 30, random.Random(13))
    companions = {one for drawn in made for one in drawn.companions}
    assert companions <= {*BETTER}
    assert "grey/one@1" in companions
    found = strengths(state)
    expected = found["green/one@1"] + TRUTH["late/one@1"] - TRUTH["green/one@1"]
    # Against the old panel it would be about twelve gains more than against the new one.
    assert found["late/one@1"] == pytest.approx(expected, abs=1.5)


def test_what_was_being_played_counts_as_all_else(state: LeagueState) -> None:
    drawn = DrawScheduled(
        state.last_draw + 1, BOARD.id, ("red/one@1",), ANCHORS[2:5], "placement", NOON // 86_400, NOON
    )
    state.add(drawn)
    before = strengths(state)["red/one@1"]
    renewed(state, *BETTER)
    state.add(result(drawn, random.Random(17)))
    assert strengths(state)["red/one@1"] == pytest.approx(before, abs=0.5)


def test_an_annulled_draw_of_the_old_panel_leaves_no_trace(state: LeagueState) -> None:
    numbers = state.numbers[BOARD.id]
    asked = next(drawn for drawn in state.draws.values() if drawn.why == "placement").versions[0]
    renewed(state, *BETTER)
    before = numbers.singles[asked]
    drawn = DrawScheduled(
        state.last_draw + 1, BOARD.id, (asked,), ANCHORS[1:4], "placement", NOON // 86_400, NOON
    )
    state.add(drawn)
    state.add(result(drawn, random.Random(19)))
    state.add(DrawAnnulled(drawn.no, "x"))
    after = numbers.singles[asked]
    assert after.count == before.count
    assert after.total == pytest.approx(before.total)
    assert after.squares == pytest.approx(before.squares)


def test_a_segment_begins_with_the_numbers_of_the_new_panel(state: LeagueState) -> None:
    state.add(Continued.after(state, 2, NOTHING))
    renewed(state, *BETTER)
    before = strengths(state)
    singles = dict(state.numbers[BOARD.id].singles)
    drawn = DrawScheduled(
        state.last_draw + 1, BOARD.id, ("red/one@1",), BETTER[2:5], "placement", NOON // 86_400, NOON
    )
    state.add(drawn)
    state.add(result(drawn, random.Random(19)))
    state.add(DrawAnnulled(drawn.no, "x"))
    assert strengths(state) == pytest.approx(before, abs=1e-5)
    assert state.numbers[BOARD.id].singles == singles
    state.add(Continued.after(state, 3, NOTHING))
    assert state.panels[BOARD.id].members == BETTER


def test_what_is_no_panel(state: LeagueState) -> None:
    for entry in (Received("late/one@1", "8" * 64, "x.py", NOON), Current("late/one@1", (BOARD.id,))):
        state.add(entry)
    for members, reason in (
        (BETTER[1:], "must stay in its panel"),
        ((*BETTER, BETTER[0]), "in the panel only once"),
        (BETTER[:4], "needs at least 5 versions"),
        ((*BETTER, "red/two@1"), "red/two@1 is not a version"),
        ((*BETTER, "late/one@1"), "no strength from comparisons"),
    ):
        with pytest.raises(UserError, match=reason):
            renewed(state, *members)
    with pytest.raises(UserError, match="the zero of sticheln:4 must stay"):
        answer(state, PanelSet(BOARD.id, BETTER, "red/one@1"), NOON)
    state.add(Retired("grey/one@1", "x"))
    with pytest.raises(UserError, match="grey/one@1 is retired"):
        renewed(state, *BETTER)
    assert answer(state, PanelSet(BOARD.id, ANCHORS, ANCHORS[0]), NOON) == ()
