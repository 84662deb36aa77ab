"""The end of a league: whoever came in before is placed, the leading groups play finals, and it is sealed."""

import platform
import random
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.commands.league import read, verify
from arena.league.drawing import Drawer
from arena.league.entries import (
    Closed,
    Closes,
    Continued,
    Current,
    DrawAnnulled,
    DrawPlayed,
    DrawScheduled,
    Paused,
    Received,
    Started,
)
from arena.league.finals import ShortFinal, short_finals
from arena.league.groups import leading
from arena.league.hand import Add, Close, Reveal, answer
from arena.league.office import Office, clock
from arena.league.pods import draw
from arena.system.errors import UserError
from tests.cli.calls import BOTS, arena
from tests.league import quick
from tests.league.leagues import LAST, NEW, Row, bot, copied, done, of_type, rewritten
from tests.support.boards import (
    BOARD,
    NOON,
    NOTHING,
    SEEDS,
    TODAY,
    closed,
    played,
    settle,
    state_with,
    to_its_end,
)
from tests.support.programs import Program


def test_who_came_in_before_is_placed_and_then_the_leading_group_plays() -> None:
    state = closed()
    made = to_its_end(state)
    kinds = [one.why for one in made]
    final = kinds.index("final")
    assert {*kinds[:final]} == {"placement"}
    assert {version for one in made[:final] for version in one.versions} == {"blue/two@1"}
    assert kinds[final:] == ["final"] * 12
    assert state.finals is not None
    finalists = state.finals.finalists[BOARD.id]
    assert len(finalists) > 2
    assert all(not version.startswith("house/") for version in finalists)
    pairs = Counter(one.versions for one in made[final:])
    assert max(pairs.values()) - min(pairs.values()) <= 1
    assert {version for pair in pairs for version in pair} == {*finalists}
    assert state.sealed
    assert state.revealed[TODAY] == SEEDS[TODAY]
    assert settle(state, NOON + 3 * 86_400) == []


@pytest.mark.parametrize("finals", [0, 1, 2, 3])
def test_a_final_that_cannot_compare_all_its_pairs_is_told(finals: int) -> None:
    found = list(short_finals(closed(finals)))
    assert found == ([ShortFinal(BOARD.id, 3, 3, finals)] if finals in (1, 2) else [])


@pytest.mark.parametrize("finals", [11, 12, 13])
def test_no_seed_is_shown_of_a_day_on_which_nothing_was_drawn(finals: int) -> None:
    """Whether or not a checkpoint, or what is said, is due after the last draw."""
    state = closed(finals)
    to_its_end(state)
    assert state.sealed
    assert {*state.revealed} == {TODAY}


def test_the_leading_group_ends_where_a_line_is() -> None:
    state = state_with("red/one@1", "blue/one@1", "green/one@1")
    best = {"red/one@1": 6, "blue/one@1": 6}
    drawer, lots = Drawer(), random.Random(5)
    for _ in range(400):
        if (found := drawer.chosen(state)) is None:
            break
        state.add(drawn := draw(state, found, NOON, SEEDS))
        state.add(better(drawn, best, lots))
        settle(state, NOON)
    assert {*leading(state, BOARD.id)} == {*best}
    state.add(Paused("red/one@1", "x"))
    assert "red/one@1" not in leading(state, BOARD.id)


def better(drawn: DrawScheduled, best: dict[str, int], lots: random.Random) -> DrawPlayed:
    """A result by luck, in which some gain more."""
    found = played(drawn, lots)
    matches = []
    for version, rows in zip(drawn.versions, found.matches, strict=True):
        more = best.get(version, 0)
        matches.append(
            tuple(type(row)(tuple((deal[0] + more, *deal[1:]) for deal in row.gains), ()) for row in rows)
        )
    return DrawPlayed(drawn.no, tuple(matches), 2.5, NOTHING, NOTHING)


def test_no_finals_where_none_are_asked_for_or_nobody_leads() -> None:
    state = closed(finals=0)
    assert {one.why for one in to_its_end(state)} == {"placement"}
    assert state.sealed
    empty = state_with()
    empty.add(Closed("the end", NOON, 5))
    assert to_its_end(empty) == []
    assert empty.sealed


def test_what_may_be_asked_at_the_end() -> None:
    state = closed()
    for request in (Add("red", "one", "8" * 64, "x.py"), Close("again")):
        with pytest.raises(UserError, match="the league is closed: the end"):
            answer(state, request, NOON)
    assert answer(state, Paused("red/one@1", "it cheats"), NOON)
    to_its_end(state)
    for request in (DrawAnnulled(1, "x"), Paused("red/one@1", "x")):
        with pytest.raises(UserError, match="the league is sealed"):
            answer(state, request, NOON)
    assert answer(state, Reveal(), NOON) == ()


def test_what_is_being_taken_in_at_the_end_is_waited_for() -> None:
    state = closed()
    state.add(Received("red/two@1", "9" * 64, "x.py", NOON))
    to_its_end(state)
    assert state.finals is None
    state.add(Current("red/two@1", (BOARD.id,)))
    assert "red/two@1" in {version for one in to_its_end(state) for version in one.versions}
    assert state.sealed


def test_it_closes_at_its_deadline_and_all_cores_check_in_the_hour_before() -> None:
    state, deadline = state_with("red/one@1"), NOON + 5000
    (announced,) = answer(state, Close("the end", 5, deadline), NOON)
    state.add(announced)
    late = Received("red/two@1", "9" * 64, "x.py", deadline)
    assert late.problem(state) is not None
    assert state.checks_at_a_time == 3
    state.add(Received("red/two@1", "9" * 64, "x.py", deadline - 3600))
    assert state.checks_at_a_time == 6
    state.add(Continued.after(state, 2, NOTHING))
    assert settle(state, deadline - 1) == []
    assert settle(state, deadline) == [Closed("the end", deadline, 5)]
    assert state.closes is None


def test_a_deadline_can_be_moved_but_not_into_the_past() -> None:
    state = state_with("red/one@1")
    for deadline in (NOON + 50, NOON + 80):
        (announced,) = answer(state, Close("the end", 5 if deadline == NOON + 50 else None, deadline), NOON)
        state.add(announced)
    for deadline, refusal in ((NOON, "has passed; name a later time"), (NOON * 2, "name an earlier time")):
        with pytest.raises(UserError, match=refusal):
            answer(state, Close("the end", 5, deadline), NOON)
    assert settle(state, NOON + 60) == []
    assert settle(state, NOON + 90) == [Closed("the end", NOON + 80, 5)]


def test_a_league_that_nobody_plays_takes_nothing_after_its_deadline(tmp_path: Path) -> None:
    league = two_bots(tmp_path)
    done("close", league, "--at", f"{time.gmtime().tm_year + 1}-06-01T00:00", "--reason", "the end")
    assert "ten years" in arena("league", "close", league, "--at", "9999-12-31T23:59", "--reason", "x").err
    wrong = arena("league", "close", league, "--at", "18:00", "--reason", "x")
    assert "'18:00' is not a time like 2026-12-18T18:00" in wrong.err
    for first in ("0001-01-01T00:00", "0001-01-01T00:00+14:00"):
        assert "before 1970" in arena("league", "close", league, "--at", first, "--reason", "x").err
    assert read(league).closes is not None
    with Office(league) as office:
        office.write(Closes("sooner", clock() + 1, 0, clock()))
        deadline = office.state.closes
    assert deadline is not None
    while clock() < deadline.closes:
        time.sleep(0.05)
    assert "the league is closed: sooner" in arena("league", "add", league, BOTS[0], "--author", "red").err
    assert read(league).closed == Closed("sooner", deadline.closes)


def test_a_segment_may_begin_between_finals() -> None:
    state = closed()
    to_its_end(state)
    whole = state.carried()
    state = closed()
    drawer, lots = Drawer(), random.Random(3)
    settle(state, NOON)
    while (found := drawer.chosen(state)) is not None:
        state.add(drawn := draw(state, found, NOON, SEEDS))
        state.add(played(drawn, lots))
        settle(state, NOON)
        if state.finals_drawn[BOARD.id] == 5 and state.first_draw == 1:
            state.add(Continued.after(state, 2, NOTHING))
    assert state.first_draw > 1
    assert state.sealed
    assert state.carried().last_draw == whole.last_draw
    assert state.carried().finals == whole.finals
    assert sum(times for *_, times in whole.finals) == 12


def two_bots(folder: Path) -> Path:
    """A league in which nothing was played."""
    league = folder / "league"
    done("new", league, *NEW)
    for author, program in (("red", LAST), ("blue", Program())):
        done("author", league, author)
        quick.enter(league, author, bot(folder / author, "mybot", program))
    return league


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A league of two bots that has come to its end."""
    league = two_bots(tmp_path_factory.mktemp("ended"))
    done("close", league, "--reason", "the end", "--finals", 3)
    quick.play(league)
    assert "the league is sealed" in done("run", league).err
    return league


def test_a_league_that_has_ended_is_verified(ended: Path, tmp_path: Path) -> None:
    state = read(ended)
    assert state.sealed
    assert sum(one.why == "final" for one in state.draws.values()) == 3
    done("export", ended, tmp_path / "public")
    found = verify(tmp_path / "public")
    assert (found.wrong, found.unchecked) == ((), ())
    assert found.draws == state.last_draw
    assert "leading group" in done("why", ended, state.last_draw).out
    call = arena("league", "add", ended, "bots/greedy.py", "--author", "red")
    assert "the league is closed: the end" in call.err
    call = arena("league", "annul", ended, 1, "--reason", "x")
    assert "the league is sealed" in call.err


FORGERIES: dict[str, Callable[[list[Row]], object]] = {
    "other finalists": lambda rows: of_type(rows, "finals")[0]["finalists"]["sticheln:4"].reverse(),
    "nobody in the finals": lambda rows: of_type(rows, "finals")[0].update(finalists={"sticheln:4": []}),
    "fewer finals": lambda rows: of_type(rows, "closed")[0].update(finals=2),
    "more finals": lambda rows: of_type(rows, "closed")[0].update(finals=4),
    "a final that is called otherwise": lambda rows: of_type(rows, "draw")[-1].update(why="question"),
    "no seal": lambda rows: rows.append({"type": "annulled", "no": 1, "reason": "x"}),
    "a checkpoint left out": lambda rows: rows.remove(of_type(rows, "checkpoint")[-1]),
    "a seed that was never shown": lambda rows: rows.remove(of_type(rows, "seed")[-1]),
    "a seal too early": lambda rows: rows.insert(len(rows) // 2, {"type": "sealed", "at": rows[-1]["at"]}),
}


@pytest.mark.thorough  # A second of processor each.
@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_forged_end_is_found(ended: Path, tmp_path: Path, forgery: str) -> None:
    copy = copied(ended, tmp_path)
    rewritten(copy, FORGERIES[forgery])
    assert verify(copy).wrong


@pytest.fixture(scope="module")
def in_finals(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A league of two bots before the first of two comparisons of its finals."""
    league = two_bots(tmp_path_factory.mktemp("finals"))
    done("close", league, "--reason", "the end", "--finals", 2)
    while read(league).finals is None:
        quick.play(league, 1)
    return league


@pytest.mark.thorough  # 8 s of processor.
@pytest.mark.parametrize("late", [False, True])
def test_an_upgrade_in_the_finals(late: bool, in_finals: Path, tmp_path: Path) -> None:
    """While a comparison of them is played, the first one or the last one."""
    league = copied(in_finals, tmp_path)
    quick.play(league, int(late))
    assert read(league).finals_drawn["sticheln:4"] == late
    with Office(league) as office:
        found = Drawer().chosen(office.state)
        assert found is not None
        office.write(draw(office.state, found, clock(), office.seeds))
        assert office.state.in_flight
        office.start(Started("99.0", platform.python_version(), "Linux", 1, clock()))
    quick.play(league)
    state = read(league)
    assert state.sealed
    assert state.finals_drawn["sticheln:4"] == 2
    found_wrong = verify(league)
    assert (found_wrong.wrong, found_wrong.unchecked) == ((), ())


@pytest.mark.thorough  # 5 s of processor.
def test_an_upgrade_after_all_finalists_but_one_have_left(in_finals: Path, tmp_path: Path) -> None:
    """What was being played is void, and nothing else is left to be played."""
    league = copied(in_finals, tmp_path)
    with Office(league) as office:
        found = Drawer().chosen(office.state)
        assert found is not None
        office.write(draw(office.state, found, clock(), office.seeds))
        office.asked(Paused("red/mybot@1", "it cheats"))
    assert "sealed" in done("run", league).err
    assert verify(league).wrong == ()
