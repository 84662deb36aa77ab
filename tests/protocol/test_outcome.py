"""Placings, forfeits and scores on small literal matches."""

import pytest

from protocol.outcome import best_first, fewest_points_win, most_points_win, scores, totals, with_forfeits


def test_equals_share_a_placing() -> None:
    assert best_first((7, 9, 7, 1)) == (2, 1, 2, 4)


def test_most_points_win() -> None:
    outcome = most_points_win(((1, 5, 3), (2, 0, 3)), 3)
    assert outcome.placings == (3, 2, 1)
    assert outcome.gains == outcome.points


def test_fewest_points_win() -> None:
    outcome = fewest_points_win(((1, 5, 3), (2, 0, 3)), 3)
    assert outcome.placings == (1, 2, 3)
    assert outcome.gains == ((-1, -5, -3), (-2, 0, -3))


def test_before_the_first_deal_all_share_the_first_place() -> None:
    assert totals((), 3) == (0, 0, 0)
    assert most_points_win((), 3).placings == (1, 1, 1)


@pytest.mark.parametrize(
    ("placings", "forfeited", "then"),
    [
        ((1, 2, 3, 4), set(), (1, 2, 3, 4)),
        ((1, 2, 3, 4), {0}, (4, 1, 2, 3)),
        ((1, 2, 2, 4), {3}, (1, 2, 2, 4)),
        ((1, 1, 3, 4), {0, 2}, (3, 1, 3, 2)),
        ((1, 2, 3, 4), {0, 1, 2, 3}, (1, 1, 1, 1)),
    ],
)
def test_forfeited_seats_share_the_last_place(
    placings: tuple[int, ...], forfeited: set[int], then: tuple[int, ...]
) -> None:
    assert with_forfeits(placings, forfeited) == then


@pytest.mark.parametrize(
    ("placings", "forfeited", "half_points"),
    [
        ((1, 2, 3, 4), set(), (6, 4, 2, 0)),
        ((1, 1, 3, 4), set(), (5, 5, 2, 0)),
        ((1, 1, 1, 1), set(), (3, 3, 3, 3)),
        ((3, 1, 3, 2), {0, 2}, (0, 6, 0, 4)),
        ((1, 1, 1, 1), {0, 1, 2, 3}, (0, 0, 0, 0)),
    ],
)
def test_scores_count_who_is_placed_below(
    placings: tuple[int, ...], forfeited: set[int], half_points: tuple[int, ...]
) -> None:
    assert scores(placings, forfeited) == half_points
