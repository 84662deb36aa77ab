"""Walking along matches of every game: where the keys lead, what is seen there, and what is not."""

import msgspec
import pytest
from rich.console import Console

from arena.games import GAMES
from arena.games.game import Options
from arena.log.entries import MatchOpened
from arena.screens.show.position import Position, title
from arena.screens.show.steps import Steps
from arena.screens.terminal.drawing import draw
from arena.screens.terminal.stepping import Stepping
from protocol.streams import DealSource, Stream
from tests.games.fifth import Fifth
from tests.screens.show.logs import NAMES, entries, steps

WIDTH, HEIGHT = 80, 24
EDGES = 2
"""Lines of the title and of the status."""
EXTREMES = [(game, seats) for game, rules in GAMES.items() for seats in {rules.seats[0], rules.seats[-1]}]


def text(position: Position) -> list[str]:
    """The drawing, line by line, as a terminal without colours shows it."""
    console = Console(width=WIDTH, color_system=None)
    lines = (line for part in draw(position) for line in console.render_lines(part))
    return ["".join(segment.text for segment in line) for line in lines]


def press(stepping: Stepping, *keys: str) -> tuple[int, int]:
    """Deal and trick where the keys have led."""
    for key in keys:
        assert stepping.press(key)
    return stepping.place


@pytest.mark.parametrize(("game", "seats"), EXTREMES)
def test_every_step_fits_on_a_small_terminal(game: str, seats: int) -> None:
    match = steps(game, seats, deals=1)
    for at in range(0, len(match.turns), 5):
        for seat in (None, at % seats):
            position = match.position(at, seat)
            lines = text(position)
            assert len(lines) + EDGES <= HEIGHT, "\n".join(lines)
            assert len(title(position).plain) <= WIDTH
            for seat_line in lines[1 : 1 + seats]:
                assert seat_line.rstrip().endswith(str(position.view.points[int(seat_line[3:7])]))


@pytest.mark.parametrize("game", GAMES)
def test_as_a_seat_saw_it_holds_nothing_that_it_could_not_know(game: str) -> None:
    match = steps(game, 4, deals=1)
    for at, turn in list(enumerate(match.turns))[::3]:
        seat = at % 4
        before = text(match.position(at, seat))
        other = match.log.game.imagine(turn.after.view(seat), Stream(f"other {at}"))
        match.turns[at] = msgspec.structs.replace(turn, after=other)
        assert text(match.position(at, seat)) == before
        match.turns[at] = turn


@pytest.mark.parametrize("game", GAMES)
def test_a_seats_story_tells_of_no_other_hand(game: str) -> None:
    stepping = Stepping(steps(game, 4), seat=1)
    press(stepping, "end")
    told = "\n".join(stepping.story(10_000))
    assert "so be it" not in told
    assert stepping.press("0")
    assert "ada thinks: so be it" in "\n".join(stepping.story(10_000))


@pytest.mark.parametrize("game", GAMES)
def test_forward_and_back_come_to_the_same_places(game: str) -> None:
    match = steps(game, 3)
    stepping = Stepping(match)
    there = [stepping.at]
    while stepping.at < len(match.turns) - 1:
        press(stepping, "right")
        there.append(stepping.at)
    press(stepping, "right")
    assert there == list(range(len(match.turns)))
    for at in reversed(there):
        assert stepping.at == at
        press(stepping, "left")
    assert stepping.at == 0


def test_tricks_and_deals() -> None:
    stepping = Stepping(steps("sticheln", 4))
    assert press(stepping) == (1, 1)
    assert press(stepping, "down") == (1, 2)
    assert press(stepping, "down", "right", "up") == (1, 3), "where this trick began"
    assert press(stepping, "up", "up") == (1, 1)
    assert press(stepping, "page down") == (2, 1)
    assert press(stepping, "up") == (1, 14)
    assert press(stepping, "page up") == (1, 1)
    assert press(stepping, "end", "page up") == (2, 1)
    assert press(stepping, "page up") == (1, 1)
    assert press(stepping, "end", "down", "page down", "right") == press(stepping, "end")
    assert press(stepping, "home", "up", "page up", "left") == (1, 1)


def test_turns_where_there_are_no_tricks() -> None:
    stepping = Stepping(steps("ole", 4))
    assert press(stepping, "down") == (1, 2)
    assert press(stepping, "page down") == (2, 1)


def test_going_to_a_place() -> None:
    stepping = Stepping(steps("david-and-goliath", 3))
    assert press(stepping, "g", "2", ".", "7", "enter") == (2, 7)
    assert press(stepping, "g", "1", "enter") == (1, 1)
    assert press(stepping, "g", "9", "9", "enter") == press(stepping, "end")
    assert press(stepping, "home", "g", "2", "x") == (1, 1), "anything else is no place"
    assert press(stepping, "g", "2", "3", "backspace", "enter") == (2, 1)
    assert press(stepping, "g", ".", "enter") == (2, 1), "nothing is no place either"
    assert press(stepping, "g", ".", "3", "enter") == (2, 1)


def test_any_key_goes_back_but_another_size_of_the_screen_does_not() -> None:
    stepping = Stepping(steps("sticheln", 3))
    for key in ("escape", "unknown", "a", "right"):
        press(stepping, "?", "resized")
        assert stepping.helping
        press(stepping, key)
        assert (stepping.helping, stepping.at) == (False, 0)
    press(stepping, "g", "resized", "2", "enter")
    assert stepping.place[0] == 2


def test_seats_are_changed_by_their_numbers() -> None:
    stepping = Stepping(steps("sticheln", 3))
    assert stepping.position.hands is not None
    press(stepping, "2")
    assert stepping.position.view.seat == 2
    assert stepping.position.hands is None
    press(stepping, "3", "²")
    assert stepping.position.view.seat == 2, "there is no such seat"
    press(stepping, "a")
    assert stepping.position.hands is not None


def test_it_walks_by_itself_until_the_end_or_a_key() -> None:
    stepping = Stepping(steps("sticheln", 3, deals=1))
    stepping.step_automatically()
    assert stepping.at == 0
    press(stepping, "space")
    stepping.step_automatically()
    assert stepping.at == 1
    press(stepping, "right")
    assert not stepping.running
    press(stepping, "space")
    for _ in stepping.steps.turns:
        stepping.step_automatically()
    assert stepping.at == len(stepping.steps.turns) - 1
    stepping.step_automatically()
    assert not stepping.running


def test_a_match_that_is_being_played_grows_under_ones_feet() -> None:
    opened, *others = entries("ole", 3, deals=1)
    stepping = Stepping(steps("ole", 3, deals=1), running=True)
    assert isinstance(opened, MatchOpened)
    growing = Stepping(Steps(opened), running=True)
    for key in ("right", "left", "down", "up", "end", "home", "space", "space", "g", "1", "enter"):
        assert growing.press(key), "nothing has happened yet, and no key minds"
    growing.running = True
    for entry in others:
        growing.steps.take(entry)
        growing.step_automatically()
    while growing.running:
        growing.step_automatically()
    press(stepping, "end")
    assert growing.story(1000) == stepping.story(1000)
    assert not growing.live


@pytest.mark.parametrize("key", ["q", "ctrl-c", "gone"])
def test_leaving(key: str) -> None:
    assert not Stepping(steps("ole", 3, deals=1)).press(key)


def test_a_game_without_a_picture_of_its_own_is_shown_all_the_same() -> None:
    game = Fifth()
    state, _ = game.start(3, Options(), 2, DealSource("key"))
    position = Position(game, state.view(1), NAMES[:3], (0, 1, 2))
    lines = text(position)
    assert title(position).plain == "The fifth game · deal 1 of 2"
    assert "bob" in lines[2]
    values = " ".join(lines[5:])
    assert all(card[1:] in values for card in state.hands[1])


def test_a_long_name_is_cut_and_no_number() -> None:
    lines = text(steps("ole", 8).position(0, None))
    assert NAMES[-1][:15] + "…" in lines[8]
