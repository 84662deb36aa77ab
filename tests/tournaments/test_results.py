"""Results: scores with forfeits, and who is withdrawn when."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from tournaments.formats import Field
from tournaments.results import Forfeit, MatchResult, Tally, total_scores, withdrawn


def match(
    place: tuple[int, int, int],
    entrants: str,
    placings: tuple[int, ...] = (1, 2),
    *forfeits: Forfeit,
) -> MatchResult:
    return MatchResult(*place, tuple(entrants), (), placings, forfeits)


def early(seat: int) -> Forfeit:
    return Forfeit(seat, 0, "handshake", answered=False)


def test_a_tie_shares_half_points_and_a_forfeit_has_none() -> None:
    assert match((1, 1, 1), "abcd", (1, 2, 2, 4)).scores == (6, 3, 3, 0)
    crashed = Forfeit(1, 2, "exited", answered=True)
    assert match((1, 1, 1), "abcd", (1, 3, 2, 3), crashed, early(3)).scores == (6, 0, 4, 0)


def test_everybody_ties_with_a_house_bot() -> None:
    fallen = Forfeit(0, 1, "exited", answered=True)
    for placings in ((1, 2, 3, 4), (2, 1, 4, 3), (3, 4, 1, 2)):
        names = ("a", "house-1", "b", "house-2")
        ahead = placings[0] < placings[2]
        result = MatchResult(1, 1, 1, names, (), placings, ())
        assert result.scores == ((4, 0, 2, 0) if ahead else (2, 0, 4, 0))
        assert total_scores([result])["house-1"] == 0
    assert MatchResult(1, 1, 1, names, (), (4, 1, 2, 3), (fallen,)).scores == (0, 0, 4, 0)


def test_scores_add_up_over_matches() -> None:
    totals = total_scores([match((1, 1, 1), "ab"), match((1, 1, 2), "ba"), match((2, 1, 1), "ab")])
    assert (totals["a"], totals["b"], totals["nobody"]) == (4, 2, 0)


@given(st.lists(st.lists(st.sampled_from(("ab", "ba", "cb"))), max_size=8))
def test_what_is_counted_on_is_what_is_counted_anew(rounds: list[list[str]]) -> None:
    field = Field(("a", "b", "c"), 2, len(rounds), "7", (), ())
    for pods in rounds:
        field = field.after(tuple(map(tuple, pods)), [match((1, 1, 1), pod) for pod in pods]).among(
            ("c", "b")
        )
    played = [pod for pods in rounds for pod in pods]
    assert field.tally.scores == wins([match((1, 1, 1), pod) for pod in played])
    assert field.tally.met == Counter(tuple(sorted(pod)) for pod in played)
    assert (field.entrants, len(field.drawn), len(field.results)) == (
        ("c", "b") if rounds else ("a", "b", "c"),
        len(rounds),
        len(played),
    )


def test_house_bots_are_counted_apart() -> None:
    tally = Tally.of([(("a", "house-1", "b"), ("c", "house-2", "house-3"))])
    assert tally.met == {("a", "b"): 1}
    assert tally.house_met == {"a": 1, "b": 1, "c": 2}


def wins(results: list[MatchResult]) -> Counter[str]:
    """Two half-points for each first seat, none for the second."""
    names = Counter({name: 0 for result in results for name in result.entrants})
    names.update(name for result in results for name in 2 * result.entrants[:1])
    return names


def test_three_deaths_before_a_first_reply_withdraw() -> None:
    later = Forfeit(0, 1, "exited", answered=True)
    results = [
        match((1, 1, 1), "ab", (2, 1), early(0)),
        match((1, 1, 2), "ab", (2, 1), early(0)),
        match((2, 1, 1), "ab", (2, 1), later),
    ]
    assert withdrawn(results) == ()
    assert withdrawn([*results, match((2, 1, 2), "ba", (1, 2), early(1))]) == ("a",)


def test_withdrawals_come_in_match_order_whatever_arrived_first() -> None:
    both = [match((1, 1, seating), "zy", (1, 1), early(0), early(1)) for seating in (1, 2)]
    z_third = match((2, 1, 2), "zy", (2, 1), early(0))
    y_third = match((2, 1, 10), "zy", (1, 2), early(1))
    assert withdrawn([y_third, z_third, *both]) == ("z", "y")
    assert withdrawn([*reversed(both), z_third, y_third]) == ("z", "y")
