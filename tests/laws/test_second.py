"""The law that a second implementation of the rules agrees, with the one of our own games."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena.laws.judge import judge
from arena.laws.second import FixedChance, agreement
from arena.laws.trial import Trial, Variant
from tests.cli.calls import arena
from tests.games import brute_force
from tests.games.playing import REGISTERED, each


def told_by_the_leaflet(id: str) -> Callable[[FixedChance], Any]:
    def second(table: FixedChance) -> Any:
        packs = [[(card[0], int(card[1:])) for card in pack] for pack in table.packs]
        return brute_force.MATCH[id](table.seats, packs, table.lot, **table.options)

    return second


@each(REGISTERED)
def test_our_own_games_agree_with_their_leaflets(variant: Variant) -> None:
    judged = judge(agreement(told_by_the_leaflet(variant.game.id)), [[Trial(variant)]])
    assert judged.broken == ()


def changed(change: Callable[[Any], Any]) -> Callable[[FixedChance], Any]:
    """Olé! by the leaflet, with one thing changed in what is said."""

    def second(table: FixedChance) -> Any:
        match = told_by_the_leaflet("ole")(table)
        answer = None
        while True:
            try:
                answer = yield change(match.send(answer))
            except StopIteration:
                return

    return second


def without_chips(said: Any) -> Any:
    return ("ask", said[1], said[2] - {"chip"}) if said[0] == "ask" and len(said[2]) > 1 else said


def other_seat(said: Any) -> Any:
    return ("ask", said[1] + 1, said[2]) if said[0] == "ask" else said


def crash(said: Any) -> Any:
    return said[7]


def mumble(said: Any) -> Any:
    return "well"


def other_points(said: Any) -> Any:
    return ("tell", "points", (0, 0, 0)) if said[:2] == ("tell", "points") else said


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (without_chips, "only the game allows chip"),
        (other_seat, "has to choose, but in the second implementation seat"),
        (other_points, "in deal 1 the second implementation counts (0, 0, 0), but the game counts ("),
        (crash, "the second implementation raised IndexError: "),
        (mumble, "the second implementation yields 'well', which is neither `ask` nor `tell`"),
    ],
)
def test_a_disagreement_is_told_with_deal_and_step(change: Callable[[Any], Any], found: str) -> None:
    variant = next(one for one in REGISTERED if one.game.id == "ole")
    (broken,) = judge(agreement(changed(change)), [[Trial(variant)]]).broken
    assert found in broken.found
    assert broken.where in ("", "at the start") or broken.where.startswith("deal ")


def test_the_command_takes_it_from_this_folder(tmp_path: Path) -> None:
    (tmp_path / "leaflet.py").write_text(
        "def second(table):\n    yield ('ask', table.lot, {'chip'})\n", encoding="utf-8"
    )
    words = ("check", "--game", "ole", "--seats", 3, "--matches", 1)
    call = arena(*words, "--judge", "leaflet:second", folder=tmp_path)
    assert call.status == 1
    assert "  BROKEN  the second telling agrees: A second implementation of the rules asks" in call.out
    assert call.out.splitlines()[-1].startswith("ole: 1 of ")
    wrong = arena(*words, "--judge", "leaflet:third", folder=tmp_path)
    assert wrong.status == 2
    assert "--judge leaflet:third: AttributeError: " in wrong.err
