"""What an environment cannot do it refuses, with the name of the argument; nothing is passed over."""

from typing import Any

import pytest

from arena.games import GAMES
from arena.games.ole.rules import OleOptions
from arena.games.selfplay import play
from arena.games.sticheln.rules import TargetOptions
from arena.players.learning.batches import Environments


def one_match(game: str, seats: Any = 3, **said: Any) -> Any:
    return pytest.importorskip("arena.players.learning.environment").Environment(game, seats, **said)


def in_step(game: str, seats: Any = 3, size: Any = 2, **said: Any) -> Any:
    return Environments(game, seats, size, **said)


def by_functions(game: str, **said: Any) -> Any:
    return play(GAMES[game], [lambda view, legal: legal[0]] * 3, "key", **said)


every_way = pytest.mark.parametrize("made", [one_match, in_step, by_functions])


@every_way
@pytest.mark.parametrize("deals", [0, -1, True, 1.5, "2"])
def test_a_number_of_deals(made: Any, deals: Any) -> None:
    with pytest.raises(ValueError, match=f"deals={deals!r}: expected a whole number, at least 1"):
        made("sticheln", deals=deals)


@every_way
@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"forced": True}, "has the options forced_play"),
        ({"forced_play": "yes"}, "Expected `bool`"),
        (TargetOptions(), "expected a dictionary or OleOptions"),
        ([], "expected a dictionary"),
    ],
)
def test_options_of_another_game(made: Any, options: Any, why: str) -> None:
    with pytest.raises(ValueError, match=rf"options=.*{why}"):
        made("ole", options=options)


@pytest.mark.parametrize("made", [one_match, in_step])
@pytest.mark.parametrize("seats", [9, 3.0, "3"])
def test_a_number_of_seats(made: Any, seats: Any) -> None:
    with pytest.raises(ValueError, match=f"sticheln is played by 3 to 6 seats, not {seats!r}"):
        made("sticheln", seats)


@pytest.mark.parametrize("size", [0, 2.0, "2"])
def test_a_number_of_matches(size: Any) -> None:
    with pytest.raises(ValueError, match=f"size={size!r}: expected a whole number"):
        in_step("sticheln", size=size)


@pytest.mark.parametrize("made", [one_match, in_step])
def test_options_by_name_are_those_of_the_game(made: Any) -> None:
    assert made("ole", options={"forced_play": True}).options == OleOptions(forced_play=True)


def test_a_way_to_render() -> None:
    with pytest.raises(ValueError, match="render_mode='human': it must be 'ansi', or None"):
        one_match("ole", render_mode="human")


def test_options_of_a_reset() -> None:
    environment = one_match("ole")
    environment.reset(seed=1, options={})
    with pytest.warns(UserWarning, match="a match has no options"):
        environment.reset(seed=1, options={"unknown": 1})
    with pytest.raises(ValueError, match="pass the game's options to Environment"):
        environment.reset(seed=1, options={"forced_play": True})
