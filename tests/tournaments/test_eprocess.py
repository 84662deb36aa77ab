from itertools import permutations, product
from math import exp, inf, log, prod
from random import Random

import pytest

from tournaments.eprocess import SHARES, PairEvidence, after, is_ahead, is_behind, log_capital, share_of_alpha


def watched(differences: list[float], cap: float = 10.0) -> PairEvidence:
    versus = PairEvidence(opened=1)
    for difference in differences:
        versus = after(versus, difference, cap)
    return versus


@pytest.mark.parametrize("expected", [1, 7, 500])
def test_the_shares_of_both_statements_of_all_pairs_sum_to_alpha(expected: int) -> None:
    shares = [2 * share_of_alpha(opened, 0.05, expected) for opened in range(1, 200_001)]
    rest = 0.05 / 2 * expected / 200_000  # Σ m / k (k − 1) over k > K is m / K.
    assert sum(shares) + rest == pytest.approx(0.05, abs=1e-12)
    assert shares == sorted(shares, reverse=True)


def test_pairs_count_from_1() -> None:
    with pytest.raises(ValueError, match="count from 1"):
        share_of_alpha(0)


def test_the_capital_is_what_the_bets_win() -> None:
    differences = [3.0, -1.0, 25.0, -40.0, 0.5]
    cut = [3.0, -1.0, 10.0, -10.0, 0.5]
    versus = watched(differences)
    for side, bets in ((1, versus.ahead), (-1, versus.behind)):
        wanted = sum(prod(1 + side * share * x / 10 for x in cut) for share in SHARES) / len(SHARES)
        assert exp(log_capital(bets)) == pytest.approx(wanted)
    assert (versus.count, versus.total) == (5, pytest.approx(sum(cut)))
    assert versus.squares == pytest.approx(sum(x * x for x in cut))


@pytest.mark.parametrize("law", [(-10.0, 10.0), (-10.0, 5.0, 5.0), (-5.0, -5.0, 10.0), (-8.0, 1.0, 3.0, 4.0)])
def test_without_a_difference_the_capital_is_expected_to_stay(law: tuple[float, ...]) -> None:
    """Over all sequences of four comparisons whose mean is 0: exactly, for both sides."""
    ends = [watched(list(sequence)) for sequence in product(law, repeat=4)]
    for bets in ([end.ahead for end in ends], [end.behind for end in ends]):
        assert sum(exp(log_capital(of_end)) for of_end in bets) / len(ends) == pytest.approx(1)


def test_the_order_of_comparisons_does_not_matter_for_the_capital() -> None:
    for order in permutations([4.0, -2.0, 7.0, -30.0]):
        assert watched(list(order)).ahead == pytest.approx(watched([4.0, -2.0, 7.0, -30.0]).ahead)


def test_a_statement_is_never_taken_back() -> None:
    versus = watched([5.0] * 100)
    assert is_ahead(versus)
    assert not is_behind(versus)
    for _ in range(60):
        versus = after(versus, -5.0, 10.0)
    assert log_capital(versus.ahead) < versus.most_ahead
    assert is_ahead(versus)


def test_a_statement_is_made_when_the_capital_reaches_one_over_its_share() -> None:
    versus, count = PairEvidence(opened=900), 0
    while not is_ahead(versus):
        versus, count = after(versus, 4.0, 10.0), count + 1
    wanted = -log(share_of_alpha(900))
    assert log_capital(versus.ahead) >= wanted > log_capital(watched([4.0] * (count - 1)).ahead)


def test_a_pair_that_is_opened_later_needs_more() -> None:
    early, late = (PairEvidence(opened=opened, most_behind=12.0) for opened in (500, 5000))
    assert is_behind(early)
    assert not is_behind(late)


def test_one_ruinous_comparison_leaves_something_to_bet_with() -> None:
    versus = watched([-inf] * 3)
    assert all(bet > -inf for bet in versus.ahead)


def test_of_pairs_that_are_equal_few_are_ever_called_ahead() -> None:
    """Very skew differences, looked at after each: mean 0, a rare large loss."""
    random = Random(1)
    alpha = 0.2 * 4 * 500  # So that the share of one statement is .2.
    wrong = 0
    for _ in range(400):
        versus = PairEvidence(opened=1)
        for _ in range(150):
            versus = after(versus, random.choices([0.5, -9.5], [0.95, 0.05])[0], 10.0)
        wrong += versus.most_ahead >= -log(share_of_alpha(1, alpha))
    assert wrong / 400 <= 0.2 + 2 * (0.2 * 0.8 / 400) ** 0.5
    assert wrong > 0
