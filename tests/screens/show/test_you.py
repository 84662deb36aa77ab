"""Sentences of games, said to the one whom they are about."""

import pytest

from arena.screens.show.you import to_you, with_you


@pytest.mark.parametrize(
    ("said", "to_them"),
    [
        ("you takes it", "you take it"),
        ("trick 3: you wins R9, you chooses", "trick 3: you win R9, you choose"),
        ("you passes, you carries, you goes", "you pass, you carry, you go"),
        ("you is dealt R1 · you has 3", "you are dealt R1 · you have 3"),
        ("deal 2 — you begins", "deal 2 — you begin"),
        ("you must open", "you must open"),
        ("you pass", "you pass"),
        ("you R5 · ada takes it", "you R5 · ada takes it"),
        ("thankyou takes it", "thankyou takes it"),
    ],
)
def test_only_the_verb_behind_you_changes(said: str, to_them: str) -> None:
    assert to_you(said) == to_them


def test_one_seat_is_you() -> None:
    assert with_you(("ada", "bob", "cy"), 1) == ("ada", "you", "cy")
    assert with_you(("You", "bob", "you"), 2) == ('"You"', "bob", "you"), "no bot passes for the person"
