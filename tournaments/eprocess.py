"""Who is ahead of whom on a board that everybody looks at all the time: statements that are wrong, in all
the board's life, with probability α at most.

**Unit.** A comparison: two versions play in the same place of the same pod, with the same companions,
deals and seatings; x is how much more the one gained per deal. Companions are drawn by lot, so comparisons
of one pair are independent and identically distributed. They must be added in the order in which they were
*drawn*: what ends early may end early because of how it went, and adding by time of ending would favour
it.

**Statement.** "a is ahead of b" rejects that x = a − b has a mean of 0 or less. Its evidence is an
e-process: a capital of 1 that bets on every comparison and cannot be expected to grow while the hypothesis
is true, so that it ever reaches 1/s with probability s at most (J. Ville, Étude critique de la notion de
collectif, 1939). It assumes that x is bounded, and nothing else of its law: to bet the share t of the
capital multiplies it by 1 + t x / cap. The capital is divided equally between the shares in SHARES (I.
Waudby-Smith & A. Ramdas, "Estimating means of bounded random variables by betting", Journal of the Royal
Statistical Society B 86, 2024). Constant shares make the result independent of the order of the
comparisons that were added.

**Cap.** No bet of more than 1/bound is fair for units that may reach −bound, and the rules' bound is some
50 standard deviations. So a comparison counts for at most ± `cap`, which the board fixes before it begins:
what is tested is the mean of x cut off there. With the rules' own bound as cap it is the mean itself, and
takes several times as many comparisons (`python -m tests.bench.league_power`).

**Many statements.** The two hypotheses of a pair get a share of α when the pair is opened, which depends
on how many pairs were opened before and on nothing else. All shares together are α at most, so the
probability that any statement of the board is ever wrong is α at most (union bound), however pairs are
chosen.

Pure: knows no versions' names, no game and no clock.
"""

from typing import Final

import msgspec

ALPHA: Final = 0.05
"""The default probability of any wrong statement in the life of a board."""

EXPECTED_PAIRS: Final = 500
"""The number of pairs among which the first half of α is divided equally."""

SHARES: Final = (0.1, 0.2, 0.4, 0.8)
"""The shares of the capital that are bet: each is at most √2 times too large or small for what lies
between."""


class Versus(msgspec.Struct, frozen=True):
    """All that is kept of the comparisons of a first version with a second: 13 numbers, however many there
    were.

    opened: the pair's number in the order of opening, from 1. count, total, squares: the number, sum and
    sum of squares of the differences, cut off at the cap. ahead, behind: by SHARES, the logarithm of the
    capital against "not ahead" and "not behind". most_ahead, most_behind: the largest logarithm of the
    whole capital so far; a statement, once made, is not taken back."""

    opened: int
    count: int = 0
    total: float = 0.0
    squares: float = 0.0
    ahead: tuple[float, ...] = (0.0,) * len(SHARES)
    behind: tuple[float, ...] = (0.0,) * len(SHARES)
    most_ahead: float = 0.0
    most_behind: float = 0.0


def share_of_alpha(opened: int, alpha: float = ALPHA, expected: int = EXPECTED_PAIRS) -> float:
    """The share of each of the two statements about the `opened`-th pair. The first `expected` pairs divide
    half of α equally; the k-th after them gets expected / k (k − 1) of the other half. Over all k they sum
    to α. Raises ValueError for a number below 1."""
    raise NotImplementedError


def after(versus: Versus, difference: float, cap: float) -> Versus:
    """With one more comparison, in which the first version gained `difference` more per deal."""
    raise NotImplementedError


def is_ahead(versus: Versus, alpha: float = ALPHA, expected: int = EXPECTED_PAIRS) -> bool:
    """Whether the first version may be called ahead of the second."""
    raise NotImplementedError


def is_behind(versus: Versus, alpha: float = ALPHA, expected: int = EXPECTED_PAIRS) -> bool:
    """Whether the second version may be called ahead of the first."""
    raise NotImplementedError
