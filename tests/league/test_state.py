"""What follows from the entries of a league alone: who plays with whom, what is due by the clock, and that
nothing is lost or gained when a draw is annulled.
"""

import random
from collections import Counter

import pytest

from arena.league.carried import CURRENT
from arena.league.days import SECONDS_A_DAY, commitment
from arena.league.drawing import Drawer
from arena.league.entries import (
    Committed,
    Continued,
    DrawAnnulled,
    DrawMatch,
    DrawScheduled,
    DrawVoided,
    PanelSet,
    Paused,
    Received,
    Refused,
    Restored,
    Retired,
    Revealed,
)
from arena.league.hand import Add, Prune, answer, twins
from arena.league.ids import author_of
from arena.league.numbers import lead_of
from arena.league.pods import draw
from arena.league.tables import board_rows, expected, forecast, why
from arena.system.errors import UserError
from protocol.faults import FaultKind
from protocol.outcome import Forfeit
from tests.support.boards import ANCHORS, BOARD, NOON, NOTHING, SEEDS, TODAY, play, played, settle, state_with


def test_companions_are_of_the_panel_and_of_nobody_in_question() -> None:
    state = state_with("red/one@1", "red/two@1", "blue/one@1")
    state.add(PanelSet(BOARD.id, (*ANCHORS[:4], "red/one@1", "blue/one@1"), ANCHORS[0]))
    made = play(state, 120)
    assert {drawn.why for drawn in made} == {"placement", "question"}
    for drawn in made:
        assert len({*drawn.versions, *drawn.companions}) == len(drawn.versions) + 3
        authors = {author_of(version) for version in drawn.versions} - {"house"}
        assert not authors & {author_of(version) for version in drawn.companions}
    assert {version for drawn in made for version in drawn.versions} >= {
        "red/one@1",
        "red/two@1",
        "blue/one@1",
    }


def test_the_same_entries_give_the_same_draws() -> None:
    one, other = (play(state_with("red/one@1", "blue/one@1"), 60) for _ in range(2))
    assert one == other


def test_a_paused_or_retired_version_is_never_drawn() -> None:
    state = state_with("red/one@1", "blue/one@1")
    state.add(Paused("red/one@1", "x"))
    state.add(Retired("house/f@1", "x"))
    for drawn in play(state, 60):
        assert not {"red/one@1", "house/f@1"} & {*drawn.versions, *drawn.companions}
    state.add(Restored("red/one@1", "x"))
    assert any("red/one@1" in drawn.versions for drawn in play(state, 30))


def test_a_question_whose_draws_are_void_each_time_is_given_up_until_a_version_is_restored() -> None:
    state, drawer, lots = state_with("red/one@1", "blue/one@1"), Drawer(), random.Random(7)

    def voids() -> list[int]:
        """How often each question about the red version is drawn, whose draws are all void."""
        counted: Counter[tuple[str, ...]] = Counter()
        for _ in range(60):
            if (found := drawer.chosen(state)) is None:
                break
            drawn = draw(state, found, NOON, SEEDS)
            spoilt = "red/one@1" in drawn.versions
            counted[drawn.versions] += spoilt
            state.add(drawn)
            state.add(DrawVoided(drawn.no, "a bug") if spoilt else played(drawn, lots))
            settle(state, NOON)
        return list((+counted).values())

    first = voids()
    assert {*first} == {3}
    assert voids() == []
    state.add(Paused("red/one@1", "it is looked at"))
    state.add(Restored("red/one@1", "mended"))
    assert {*voids()} == {3}
    assert voids() == []
    state.add(Continued.after(state, 2, NOTHING))
    assert {*voids()} == {3}


def test_an_annulled_draw_leaves_no_trace_in_the_numbers() -> None:
    state = state_with("red/one@1", "blue/one@1")
    play(state, 40)
    numbers = state.numbers[BOARD.id]
    pods, singles, pairs = dict(numbers.pods), dict(numbers.singles), dict(numbers.pairs)
    found = Drawer().chosen(state)
    assert found is not None
    drawn = draw(state, found, NOON, SEEDS)
    state.add(drawn)
    state.add(played(drawn, random.Random(1)))
    assert numbers.pods != pods
    state.add(DrawAnnulled(drawn.no, "x"))
    assert (numbers.pods, numbers.singles, numbers.pairs) == (pods, singles, pairs)
    with pytest.raises(UserError, match="no draw 99 was played"):
        answer(state, DrawAnnulled(99, "x"), NOON)
    assert answer(state, DrawAnnulled(drawn.no, "x"), NOON) == ()


def test_who_gained_less_than_its_companions_is_said_to_have_gained_less() -> None:
    state = state_with("red/one@1")
    play(state, 20)
    leads = {
        (drawn.no, version): round(lead_of(matches), 2)
        for drawn in state.draws.values()
        for version, matches in zip(drawn.versions, state.played[drawn.no].matches, strict=True)
    }
    assert min(leads.values()) < 0 < max(leads.values())
    for (no, version), lead in leads.items():
        how = f"{abs(lead):.2f} a deal {'more' if lead > 0 else 'less'} than" if lead else "as much a deal as"
        assert f"{version} gained {how} its companions" in why(state, no)


def test_the_zero_stays_and_nothing_is_done_without_a_reason() -> None:
    state = state_with("red/one@1")
    for leaves in (Paused, Retired):
        with pytest.raises(UserError, match="is the zero of"):
            answer(state, leaves(ANCHORS[0], "x"), NOON)
        with pytest.raises(UserError, match="--reason is empty"):
            answer(state, leaves("red/one@1", " "), NOON)
        assert answer(state, leaves("red/one@1", "x"), NOON) == (leaves("red/one@1", "x"),)


def test_what_is_to_be_expected_of_a_new_board_is_not_known_yet() -> None:
    state = state_with("red/one@1", "blue/one@1")
    play(state, 3)
    early = forecast(state, BOARD.id)
    assert early.placements >= 2, "both wait to be placed"
    assert early.asleep_in is None
    assert "too early to say" in expected(state, BOARD.id, early)
    assert {row.place for row in board_rows(state, BOARD.id)} == {None}, "no interval, no place"
    play(state, 60)
    assert forecast(state, BOARD.id).asleep_in is not None


def test_a_segment_begins_with_all_that_there_was_and_annuls_only_its_own() -> None:
    state = state_with("red/one@1", "blue/one@1")
    play(state, 40)
    numbers = state.numbers[BOARD.id]
    before = numbers.strengths(state.ranked(BOARD.id))
    state.add(Continued.after(state, 2, NOTHING))
    exact = numbers.exact()
    assert before.keys() >= exact.keys()
    assert all(abs(exact[name].strength - before[name].strength) < 0.5 for name in exact)
    (drawn,) = play(state, 1)
    assert drawn.no == 41
    state.add(DrawAnnulled(41, "x"))
    assert numbers.exact() == exact
    assert numbers.strengths(()) == exact
    with pytest.raises(UserError, match="draw 40 is in an earlier segment"):
        answer(state, DrawAnnulled(40, "x"), NOON)


def test_comparisons_count_in_the_order_in_which_they_were_drawn() -> None:
    lots = random.Random(7)
    results = dict.fromkeys(range(1, 9), lots)
    numbers = []
    for order in (range(1, 9), (2, 1, 4, 3, 8, 7, 6, 5)):
        state = state_with()
        made = {
            no: DrawScheduled(no, BOARD.id, ANCHORS[:2], ANCHORS[2:5], "question", TODAY, NOON)
            for no in results
        }
        for drawn in made.values():
            state.add(drawn)
        for no in order:
            state.add(played(made[no], random.Random(no)))
        numbers.append(state.numbers[BOARD.id])
    one, other = numbers
    assert one.pairs == other.pairs
    assert one.pairs[ANCHORS[0], ANCHORS[1]].count == 8
    assert one.evidence.carried() == other.evidence.carried()


def test_evidence_counts_up_to_the_first_draw_that_is_not_over() -> None:
    state = state_with("red/one@1")
    evidence = state.numbers[BOARD.id].evidence
    made = [
        DrawScheduled(no, BOARD.id, ("red/one@1",), ANCHORS[2:5], "placement", TODAY, NOON)
        for no in range(1, 6)
    ]
    for drawn in made:
        state.add(drawn)
    counted = []
    for no in (2, 1, 5, 3):
        state.add(played(made[no - 1], random.Random(no)))
        counted.append(evidence.draws)
    state.add(DrawVoided(4, "the machine slept"))
    assert [*counted, evidence.draws] == [0, 2, 2, 3, 4]


def test_seeds_are_committed_before_and_revealed_when_all_is_over() -> None:
    state = state_with("red/one@1")
    assert state.committed == {day: commitment(SEEDS[day]) for day in (TODAY, TODAY + 1)}
    found = Drawer().chosen(state)
    assert found is not None
    drawn = draw(state, found, NOON, SEEDS)
    state.add(drawn)
    tomorrow = NOON + SECONDS_A_DAY
    assert settle(state, tomorrow) == [Committed(TODAY + 2, commitment(SEEDS[TODAY + 2]))]
    state.add(played(drawn, random.Random(1)))
    assert settle(state, tomorrow) == [Revealed(TODAY, SEEDS[TODAY])]


def test_a_clock_that_was_set_back_stands_still() -> None:
    state = state_with("red/one@1")
    play(state, 2, NOON + SECONDS_A_DAY)
    for drawn in play(state, 2, NOON - SECONDS_A_DAY):
        assert (drawn.day, drawn.at) == (TODAY + 1, NOON + SECONDS_A_DAY)
    assert answer(state, Add("red", "two", NOTHING, "two.py"), 0) == (
        Received("red/two@1", NOTHING, "two.py", NOON + SECONDS_A_DAY),
    )


def test_an_author_sends_so_many_a_day_and_no_more() -> None:
    state = state_with("red/one@1")
    for number in (2, 3):
        (entry,) = answer(state, Add("red", "one", f"{number:064x}f"[-64:], "one.py"), NOON)
        state.add(entry)
        assert entry == Received(f"red/one@{number}", f"{number:064x}f"[-64:], "one.py", NOON)
    with pytest.raises(UserError, match="has sent 3 versions today"):
        answer(state, Add("red", "one", "f" * 64, "one.py"), NOON)
    assert answer(state, Add("red", "one", "f" * 64, "one.py"), NOON + SECONDS_A_DAY)


@pytest.mark.parametrize(("kind", "status"), [(Paused, "paused"), (Retired, "retired")])
def test_what_is_off_the_boards_is_not_back_by_being_sent_again(
    kind: type[Paused | Retired], status: str
) -> None:
    state = state_with("red/one@1")
    again = Add("red", "one", state.versions["red/one@1"].digest, "one.py")
    state.add(kind("red/one@1", "it cheats"))
    with pytest.raises(UserError, match=rf"red/one@1, which is {status} \(it cheats\); send a"):
        answer(state, again, NOON)
    state.add(Restored("red/one@1", "fixed"))
    assert answer(state, again, NOON) == ()


def test_the_same_program_of_another_author_is_found() -> None:
    state = state_with("red/one@1", "blue/one@1")
    state.add(Received("blue/two@1", state.versions["red/one@1"].digest, "x.py", NOON))
    assert twins(state, "blue/two@1") == ["red/one@1"]
    assert twins(state, "blue/one@1") == []


def test_too_many_faults_pause_a_version_and_never_an_anchor() -> None:
    state = state_with("red/one@1")
    forfeits = (Forfeit(0, 1, FaultKind.EXITED, True), Forfeit(1, 1, FaultKind.TIMEOUT, True))
    for no in (1, 2):
        drawn = DrawScheduled(no, BOARD.id, ("red/one@1",), ANCHORS[:3], "placement", TODAY, NOON)
        state.add(drawn)
        state.add(played(drawn, random.Random(1), *forfeits))
    assert [entry for entry in settle(state, NOON) if isinstance(entry, Paused)] == [
        Paused("red/one@1", "8 faulty matches")
    ]
    assert state.versions[ANCHORS[0]].faults == 8
    assert state.versions[ANCHORS[0]].status == CURRENT


def test_forfeits_of_an_annulled_draw_do_not_count_towards_a_pause() -> None:
    state = state_with("red/one@1")
    forfeit = Forfeit(0, 1, FaultKind.EXITED, True)

    def forfeited(no: int) -> None:
        drawn = DrawScheduled(no, BOARD.id, ("red/one@1",), ANCHORS[:3], "placement", TODAY, NOON)
        state.add(drawn)
        state.add(played(drawn, random.Random(1), forfeit))

    forfeited(1)
    assert state.versions["red/one@1"].faults == 4
    state.add(DrawAnnulled(1, "the machine was asleep"))
    assert state.versions["red/one@1"].faults == 0
    forfeited(2)
    assert not [entry for entry in settle(state, NOON) if isinstance(entry, Paused)]
    state.add(Restored("red/one@1", "mended"))
    forfeited(3)
    state.add(DrawAnnulled(2, "the machine was asleep"))
    assert state.versions["red/one@1"].faults == 4, "those before it was restored were forgiven already"


def test_logs_of_what_is_played_are_not_pruned() -> None:
    state = state_with("red/one@1")
    play(state, 3)
    state.add(DrawScheduled(4, BOARD.id, ("red/one@1",), ANCHORS[:3], "placement", TODAY, NOON))
    assert answer(state, Prune(3, private_only=True), NOON)
    with pytest.raises(UserError, match="draw 4 is not over yet"):
        answer(state, Prune(4, private_only=True), NOON)


def test_no_forfeit_pays() -> None:
    gains = ((5, -3, 1, -3), (-9, 4, 4, 1))
    assert lead_of([DrawMatch(gains)]) == pytest.approx((5 - -5 / 3 + -9 - 3) / 2)
    lost = DrawMatch(gains, (Forfeit(0, 1, FaultKind.EXITED, True),))
    assert lead_of([lost]) == pytest.approx((-3 - -5 / 3 + -9 - 3) / 2)
    theirs = DrawMatch(gains, (Forfeit(1, 1, FaultKind.EXITED, True),))
    assert lead_of([theirs]) == lead_of([DrawMatch(gains)])


def test_whoever_sends_much_lets_others_pass() -> None:
    state = state_with("red/one@1")

    def send(*versions: str) -> None:
        for number, version in enumerate(versions):
            state.add(Received(version, f"{number:064x}", "x.py", NOON))

    send(*(f"red/many@{number}" for number in range(1, 6)), "blue/one@1", "blue/one@2", "green/one@1")
    order = []
    while (version := next(state.waiting(), None)) is not None:
        order.append(version.id)
        state.add(Refused(version.id, "built", "x", "y"))
        if len(order) == 2:
            send("late/one@1")
    assert order.index("late/one@1") < 4
    assert order.index("green/one@1") < order.index("blue/one@2") < order.index("red/many@4")
    assert [one for one in order if one.startswith("red/")] == [
        f"red/many@{number}" for number in range(1, 6)
    ]
