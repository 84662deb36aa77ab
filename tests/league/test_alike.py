"""Copies are found by what they choose, and are not compared for ever."""

import random
from pathlib import Path

import msgspec
import pytest

from arena.commands.league import read
from arena.league import logs
from arena.league.alike import choices_alike
from arena.league.entries import DrawScheduled
from arena.league.journal import LOGS
from arena.league.numbers import COPY
from tests.league import quick
from tests.league.leagues import founded
from tests.support.boards import ANCHORS, BOARD, NOON, TODAY, played, state_with
from tests.support.shared import shared

AUTHORS = ("red", "blue")
PAIR = (f"{AUTHORS[0]}/mybot@1", f"{AUTHORS[1]}/mybot@1")


def play(folder: Path) -> None:
    league = founded(folder)
    path = folder / "same.sh"
    path.write_text("#!/bin/sh\n")
    for author in AUTHORS:
        quick.enter(league, author, path)
    quick.ask(league, PAIR, 9)


@pytest.fixture(scope="module")
def league(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same program by two authors."""
    return shared(tmp_path_factory, "alike", play) / "league"


def test_copies_are_known_by_their_choices_and_left_alone(league: Path) -> None:
    state = read(league)
    (numbers,) = state.numbers.values()
    found = [played.alike for played in state.played.values()]
    assert numbers.alike == {PAIR: sum(found)}
    assert sum(found) >= COPY
    assert PAIR in numbers.settled


def test_who_differs_once_is_no_copy() -> None:
    state = state_with("red/one@1", "blue/one@1")
    numbers, pair = state.numbers[BOARD.id], ("red/one@1", "blue/one@1")
    for no, alike in enumerate((120, 90, 0, 300), 1):
        drawn = DrawScheduled(no, BOARD.id, pair, ANCHORS[1:4], "question", TODAY, NOON)
        state.add(drawn)
        state.add(msgspec.structs.replace(played(drawn, random.Random(1)), alike=alike))
        assert (pair in numbers.settled) == (no == 2)
    assert pair not in numbers.alike


def test_the_copy_of_a_copy_is_one() -> None:
    state = state_with("red/one@1", "blue/one@1", "green/one@1")
    numbers = state.numbers[BOARD.id]
    for no, other in enumerate(("blue/one@1", "green/one@1"), 1):
        pair = ("red/one@1", other)
        drawn = DrawScheduled(no, BOARD.id, pair, ANCHORS[1:4], "question", TODAY, NOON)
        state.add(drawn)
        state.add(msgspec.structs.replace(played(drawn, random.Random(1)), alike=COPY))
    assert ("blue/one@1", "green/one@1") in numbers.settled
    assert ("red/one@1", ANCHORS[0]) not in numbers.settled


def test_choices_are_those_between_several_legal_actions(league: Path) -> None:
    state = read(league)
    no = next(no for no, played in state.played.items() if played.alike)
    public = logs.read(league, state.draws[no].day, no, LOGS)
    assert public is not None
    assert choices_alike(public, state.draws[no].versions) == state.played[no].alike > 0
    assert choices_alike(public, state.draws[no].versions[:1]) == 0
    changed = public.replace(b'"action":"', b'"action":"x', 1)
    assert choices_alike(changed, state.draws[no].versions) == 0
