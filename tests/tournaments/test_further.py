"""Which formats can go on after their last planned round."""

import pytest

from tournaments.formats import Field, format_named
from tournaments.results import Round


def field(drawn: tuple[Round, ...], entrants: str = "abcd", challengers: str = "") -> Field:
    return Field(
        entrants=tuple(entrants),
        pod_size=2,
        rounds=len(drawn),
        seed="7",
        drawn=drawn,
        results=(),
        challengers=tuple(challengers),
    )


FIRST: Round = (("a", "b"), ("c", "d"))
ALL: tuple[Round, ...] = (FIRST, (("a", "c"), ("b", "d")), (("a", "d"), ("b", "c")))


@pytest.mark.parametrize(
    ("format", "before", "goes_on"),
    [
        ("swiss", field(ALL), True),
        ("round-robin", field(ALL[:2]), True),
        ("round-robin", field(ALL), False),
        ("round-robin", field(ALL, "abcde"), True),
        ("gauntlet", field(ALL[:2], challengers="a"), True),
        ("gauntlet", field(ALL, challengers="a"), False),
        ("gauntlet", field(ALL, "abcde", challengers="a"), True),
        ("knockout", field((FIRST,)), True),
        ("knockout", field((FIRST, (("a", "c"),))), False),
        ("swiss+knockout", field(ALL), False),
    ],
)
def test_further_rounds(format: str, before: Field, goes_on: bool) -> None:
    assert (format_named(format).no_further(before) is None) == goes_on
