"""What a board says: it follows from its draws, stands in the journal, and cannot be forged."""

import random
from collections.abc import Iterator, Mapping
from itertools import combinations

import pytest

from arena.league.drawing import Drawer, open_on
from arena.league.entries import (
    Continued,
    Current,
    DrawAnnulled,
    DrawMatch,
    DrawPlayed,
    DrawScheduled,
    Entry,
    PanelSet,
    Paused,
    Received,
    Retired,
    Started,
    Stated,
)
from arena.league.groups import ahead, by_first_rule, leading
from arena.league.pods import draw
from arena.league.state import LeagueState
from arena.league.statements import FIRST_RULE, RULE, SECOND_RULE
from arena.league.tables import board_rows, forecast, said_earlier, who_is_ahead
from tests.support.boards import ANCHORS, BOARD, NOON, NOTHING, SEEDS, closed, settle, state_with
from tournaments.evidence import ALPHA, Evidence, log_weight, standing
from tournaments.evidence import closed as with_all_that_follows
from tournaments.questions import FEWEST_PLACEMENT

STRENGTHS: Mapping[str, float] = {"red/one@1": 9.0, "blue/one@1": 2.0, "green/one@1": 5.0}
LATER: Mapping[str, float] = {"blue/one@3": 12.0}


def result(drawn: DrawScheduled, lots: random.Random) -> DrawPlayed:
    """Gains by strength and luck."""
    luck = lots.gauss(0, 1.6)

    def match(version: str) -> DrawMatch:
        own = {**STRENGTHS, **LATER}.get(version, 0.0) + luck
        return DrawMatch(tuple((round(own + lots.gauss(0, 6)), 0, 0, 0) for _ in range(4)), ())

    matches = tuple(tuple(match(version) for _ in range(4)) for version in drawn.versions)
    return DrawPlayed(drawn.no, matches, 2.5, NOTHING, NOTHING)


def played(state: LeagueState, draws: int, seed: int = 3) -> Iterator[list[Entry]]:
    """Draws and plays, one after the other, until the board sleeps; after each, what was added."""
    drawer, lots = Drawer(), random.Random(seed)
    for number in range(draws):
        if (found := drawer.chosen(state)) is None:
            break
        drawn = draw(state, found, NOON + 60 * number, SEEDS)
        state.add(drawn)
        made = result(drawn, lots)
        state.add(made)
        yield [drawn, made, *settle(state, NOON + 60 * number)]


@pytest.fixture(scope="module")
def entries() -> list[Entry]:
    """Those of a hundred and twenty draws."""
    return [entry for added in played(state_with(*STRENGTHS), 120) for entry in added]


def test_it_follows_from_the_rows_of_all_draws() -> None:
    state = state_with(*STRENGTHS)
    numbers, ever = state.numbers[BOARD.id], set[tuple[str, str]]()
    for number, _ in enumerate(played(state, 120)):
        if number % 20 and number < 110:
            continue
        known, carried = Evidence(BOARD.deviation), numbers.evidence.carried()
        for one in carried.draws:
            names = [carried.arrived[at - 1] for at in one.numbers]
            if len(names) == 1:
                known.placed(names[0], *one.rows)
            else:
                known.compared((names[0], names[1]), *one.rows)
        strengths = numbers.strengths(state.ranked(BOARD.id))
        order = sorted(carried.arrived, key=lambda name: -strengths[name].strength)
        place = {name: at for at, name in enumerate(carried.arrived, 1)}
        expected = standing(
            {
                pair: known.log_of(*pair) + log_weight(place[pair[0]], place[pair[1]])
                for pair in combinations(order, 2)
            },
            ALPHA,
        )
        assert {*numbers.statements.now} == expected
        assert numbers.statements.certain >= ever
        assert numbers.statements.certain == with_all_that_follows(numbers.statements.certain)
        ever |= numbers.statements.certain
    assert ("red/one@1", "blue/one@1") in numbers.statements.certain
    assert len(numbers.statements.now) > 8


def test_it_says_since_when_it_has_said_so() -> None:
    state = state_with(*STRENGTHS)
    since: dict[tuple[str, str], int] = {}
    for added in played(state, 120):
        for entry in added:
            if isinstance(entry, Stated):
                since |= dict.fromkeys(entry.new, state.at)
                since = {pair: at for pair, at in since.items() if pair not in entry.withdrawn}
    assert state.numbers[BOARD.id].statements.now == since
    assert len({*since.values()}) > 3


def test_the_sentence_and_the_rows_say_the_same(entries: list[Entry]) -> None:
    state = state_with(*STRENGTHS)
    for entry in entries:
        state.add(entry)
    rows = board_rows(state, BOARD.id)
    assert rows[0].version == "red/one@1"
    assert {row.place for row in rows if row.version in ANCHORS} == {None}
    assert [row.place for row in rows if row.place] == [1, 2, 3]
    for row in rows:
        assert row.ahead_of == sum(ahead(state, BOARD.id, row.version, other.version) for other in rows)
    assert who_is_ahead(state, BOARD.id).startswith("red/one@1 leads; it is ahead of ")


@pytest.mark.parametrize("kind", ["left out", "one more", "one less", "certain too early"])
def test_a_forged_statement_is_found(entries: list[Entry], kind: str) -> None:
    state, found = state_with(*STRENGTHS), []
    at = next(number for number, entry in enumerate(entries) if isinstance(entry, Stated) and entry.new)
    true = entries[at]
    assert isinstance(true, Stated)
    pair = ("house/c@1", "red/one@1")
    forged: list[Entry] = {
        "left out": [],
        "one more": [Stated(BOARD.id, (*true.new, pair), true.withdrawn, true.certain)],
        "one less": [Stated(BOARD.id, true.new[1:], true.withdrawn, true.certain)],
        "certain too early": [Stated(BOARD.id, true.new, true.withdrawn, (*true.certain, pair))],
    }[kind]
    for entry in (*entries[:at], *forged, *entries[at + 1 :]):
        if (problem := entry.problem(state)) is not None:
            found.append(problem.finding)
            break
        state.add(entry)
    assert found in (
        [f"what {BOARD.id} says had changed before it, and no entry says so"],
        [f"these statements of {BOARD.id} do not follow from the draws before them"],
    )


def test_a_segment_goes_on_with_all_of_it(entries: list[Entry]) -> None:
    state = state_with(*STRENGTHS)
    for entry in entries:
        state.add(entry)
    before = state.numbers[BOARD.id]
    pairs = [*combinations(state.ranked(BOARD.id), 2)]
    said = before.evidence.said(pairs, ALPHA)
    first = Continued.after(state, 2, NOTHING)
    later = LeagueState([first])
    after = later.numbers[BOARD.id]
    assert after.statements == before.statements
    assert after.evidence.said(pairs, ALPHA) == said
    assert Continued.after(later, 3, NOTHING).carried == first.carried
    assert not settle(later, state.at)
    assert next(iter(played(later, 1)))


def test_a_draw_that_no_longer_counts_is_no_evidence(entries: list[Entry]) -> None:
    state = state_with(*STRENGTHS)
    for entry in entries:
        state.add(entry)
    certain = state.numbers[BOARD.id].statements.certain
    for no in range(1, state.last_draw + 1):
        if "red/one@1" in state.draws[no].versions:
            state.add(DrawAnnulled(no, "the machine was asleep"))
    settle(state, state.at)
    statements = state.numbers[BOARD.id].statements
    assert not [pair for pair in statements.now if "red/one@1" in pair]
    assert statements.certain >= certain


def test_a_new_panel_takes_nothing_back_and_counts_from_then_on() -> None:
    state = state_with(*STRENGTHS)
    list(played(state, 80))
    known = state.numbers[BOARD.id].known
    members = tuple(name for name in (*ANCHORS, "red/one@1") if name in known)
    state.add(PanelSet(BOARD.id, members, ANCHORS[0]))
    settle(state, state.at)
    before = state.numbers[BOARD.id].statements
    assert before.now
    list(played(state, 20, seed=9))
    assert {draw.panel for draw in state.numbers[BOARD.id].evidence.carried().draws} == {0, 1}
    assert state.numbers[BOARD.id].statements.ahead("red/one@1", "blue/one@1")


def by_an_earlier_arena(draws: int) -> LeagueState:
    """A league that was played by the first rule."""
    state = state_with(*STRENGTHS)
    state.add(Started("0", "3", "x", 2, NOON, rule=FIRST_RULE))
    lots = random.Random(5)
    for no in range(1, draws + 1):
        pair = ("red/one@1", "blue/one@1") if no % 4 else (ANCHORS[0], "red/one@1")
        drawn = DrawScheduled(no, BOARD.id, pair, ANCHORS[1:4], "question", NOON // 86_400, NOON)
        assert drawn.problem(state) is None
        state.add(drawn)
        state.add(result(drawn, lots))
        assert not any(isinstance(entry, Stated) for entry in settle(state, NOON))
    return state


def test_what_an_earlier_arena_said_is_marked_as_such() -> None:
    state = by_an_earlier_arena(100)
    assert ("red/one@1", "blue/one@1") in by_first_rule(state, BOARD.id)
    assert not state.numbers[BOARD.id].statements.now
    told = said_earlier(state, BOARD.id)
    assert told is not None
    assert told.startswith("An earlier arena also said, by another rule: ")
    assert "red/one@1 ahead of blue/one@1" in told
    # As the earlier arena would have written it, and as this one does.
    for first in (Continued.after(state, 2, NOTHING), Continued.after(state, 2, NOTHING).by_first_rule):
        assert first.problem(state) is None
        later = LeagueState([first])
        assert said_earlier(later, BOARD.id) == told
        later.add(Started("1", "3", "x", 2, NOON, rule=RULE))
        settle(later, NOON)
        assert ahead(later, BOARD.id, "red/one@1", "blue/one@1") == (
            first.carried.boards[BOARD.id].evidence is not None
        )


def test_a_segment_by_this_rule_cannot_forget_its_evidence() -> None:
    state = state_with(*STRENGTHS)
    list(played(state, 40))
    first = Continued.after(state, 2, NOTHING)
    assert first.problem(state) is None
    assert first.by_first_rule.problem(state) is not None


def test_who_is_not_certainly_behind_is_in_the_final() -> None:
    state = closed()
    finalists = leading(state, BOARD.id)
    certain = state.numbers[BOARD.id].statements.certain
    own = [row.version for row in board_rows(state, BOARD.id) if row.place]
    assert [*finalists] == [one for one in own if not any((other, one) in certain for other in own)]


@pytest.mark.parametrize(
    ("rule", "before", "verdict"),
    [(RULE, "blue/one@1", "better"), (SECOND_RULE, "blue/one@2", "not compared")],
)
def test_a_version_is_called_better_than_the_last_one_with_an_interval(
    rule: int, before: str, verdict: str
) -> None:
    state = state_with(*STRENGTHS)
    state.add(Started("0", "3", "x", 2, NOON, rule=rule))
    list(played(state, 40))
    for number in (2, 3):  # The second version is replaced before it has a pod.
        version = f"blue/one@{number}"
        state.add(Received(version, f"{number:064x}", "bot.py", state.at))
        state.checked.add(version)
        state.add(Current(version, (BOARD.id,)))
        settle(state, state.at)
    list(played(state, 30))
    assert state.predecessor(BOARD.id, "blue/one@3") == before
    assert "blue/one@1" not in state.ranked(BOARD.id)
    assert {row.version: row.against for row in board_rows(state, BOARD.id)}["blue/one@3"] == verdict


def test_no_forecast_leaves_out_the_questions_of_most_versions() -> None:
    state = state_with(*(f"{author}/one@1" for author in ("red", "blue", "green", "pink", "grey", "teal")))
    for _ in played(state, 90):
        if forecast(state, BOARD.id).asleep_in is not None:
            break
    assert forecast(state, BOARD.id).asleep_in is not None
    pods = state.numbers[BOARD.id].pods
    placed = [version for version in state.ranked(BOARD.id) if pods.get(version, 0) >= FEWEST_PLACEMENT]
    assert len(placed) >= len(state.ranked(BOARD.id)) / 2


@pytest.mark.parametrize("leaves", [None, Paused, Retired])
def test_a_predecessor_that_was_paused_or_retired_is_not_played(
    leaves: type[Paused | Retired] | None,
) -> None:
    state = state_with(*STRENGTHS)
    list(played(state, 40))
    if leaves is not None:
        state.add(leaves("blue/one@1", "it fills the disk"))
    state.add(Received("blue/one@2", "2" * 64, "bot.py", state.at))
    state.checked.add("blue/one@2")
    state.add(Current("blue/one@2", (BOARD.id,)))
    settle(state, state.at)
    open_ = set[str | None]()
    for _ in played(state, 60):
        open_ |= {wish.other for wish in open_on(state, BOARD.id) if wish.asker == "blue/one@2"}
    assert state.predecessor(BOARD.id, "blue/one@2") == "blue/one@1"
    assert len(open_) > 2
    assert ("blue/one@1" in open_) == (leaves is None)
