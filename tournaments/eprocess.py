"""The first rule of statements, before evidence.py: which version may be called ahead of which by comparisons
alone, so that the probability that any statement in the life of a board is wrong is at most α. Leagues that
began with it still show what they said by it.

**Unit.** A comparison: two versions play in the same place of the same pod, with the same companions, deals
and seatings; x is how much more the first gained per deal. Companions are chosen by lot, so the comparisons
of a pair are independent and identically distributed. They must be added in the order in which they were
drawn: how a comparison goes may make it end early, so the order of ending would be biased.

**Statement.** "First is ahead of second" rejects that x has a mean of 0 or less. Its evidence is an
e-process: a capital of 1 that bets on every comparison. While the hypothesis is true, the capital is not
expected to grow, so it ever reaches 1/s with probability s at most (J. Ville, Étude critique de la notion de
collectif, 1939). A bet of the share t multiplies the capital by 1 + t x / cap. The capital is divided
equally between the bets in SHARES (I. Waudby-Smith & A. Ramdas, "Estimating means of bounded random
variables by betting", Journal of the Royal Statistical Society B 86, 2024). Only one thing is assumed about
the distribution of x: it is bounded by the cap.

**Cap.** No bet greater than 1/bound is safe where x may reach −bound. The bound by the rules is tens of
standard deviations, so evidence against it grows many times more slowly than it could. Therefore a
comparison counts for at most ± `cap`, which is fixed before a board begins, and the test is of the mean of x
cut off there. Two equal programs have mean 0 with any cap.

**Many statements.** Each pair gets a share of α when it is opened, which depends only on how many pairs were
opened before. All shares sum to α, so by the union bound it does not matter how pairs are chosen, or when
anybody looks.

Knows no names, no game and no clock.
"""

from math import exp, log, log1p
from typing import Final

import msgspec

ALPHA: Final = 0.05
"""By default, the greatest probability of any wrong statement in the life of a board."""

EXPECTED_PAIRS: Final = 500
"""Half of α is divided equally between this many pairs."""

SHARES: Final = (0.1, 0.2, 0.4, 0.8)
"""The shares of the capital that are bet. If the best share lies between two of them, it is at most √2 times
as large or small as the nearer one, which costs at most a sixth of the growth."""


class PairEvidence(msgspec.Struct, frozen=True):
    """All that is kept of the comparisons of a first version with a second, however many there were."""

    opened: int
    """The pair's number in the order of opening, from 1."""
    count: int = 0
    total: float = 0.0
    squares: float = 0.0
    """The sum of squares of the differences, and `total` their sum, each cut off at the cap."""
    ahead: tuple[float, ...] = (0.0,) * len(SHARES)
    """For each of SHARES, the logarithm of the capital that bets on the first version."""
    behind: tuple[float, ...] = (0.0,) * len(SHARES)
    """The same for the second version."""
    most_ahead: float = 0.0
    most_behind: float = 0.0
    """The greatest logarithm of the whole capital so far, since a statement is never taken back."""


def share_of_alpha(opened: int, alpha: float = ALPHA, expected: int = EXPECTED_PAIRS) -> float:
    """The share of α for each of the two statements about pair number `opened`. The first m = `expected`
    pairs divide half of α equally; pair k > m gets the share m / k (k − 1) of the other half, and these sum
    to 1. Raises ValueError for a number below 1."""
    if opened < 1:
        raise ValueError(f"pair number {opened}: pairs count from 1")
    of_pair = 1 / expected if opened <= expected else expected / (opened * (opened - 1))
    return alpha / 2 * of_pair / 2


def after(versus: PairEvidence, difference: float, cap: float) -> PairEvidence:
    """Add a comparison in which the first version gained `difference` more per deal."""
    x = max(-cap, min(cap, difference))
    ahead = tuple(was + log1p(share * x / cap) for was, share in zip(versus.ahead, SHARES, strict=True))
    behind = tuple(was + log1p(-share * x / cap) for was, share in zip(versus.behind, SHARES, strict=True))
    return PairEvidence(
        versus.opened,
        versus.count + 1,
        versus.total + x,
        versus.squares + x * x,
        ahead,
        behind,
        max(versus.most_ahead, log_capital(ahead)),
        max(versus.most_behind, log_capital(behind)),
    )


def log_capital(bets: tuple[float, ...]) -> float:
    """The logarithm of the mean capital, from the logarithms of the capitals."""
    greatest = max(bets)
    return greatest + log(sum(exp(bet - greatest) for bet in bets) / len(bets))


def is_ahead(versus: PairEvidence, alpha: float = ALPHA, expected: int = EXPECTED_PAIRS) -> bool:
    """Whether the first version may be called ahead of the second."""
    return versus.most_ahead >= -log(share_of_alpha(versus.opened, alpha, expected))


def is_behind(versus: PairEvidence, alpha: float = ALPHA, expected: int = EXPECTED_PAIRS) -> bool:
    """Whether the second version may be called ahead of the first."""
    return versus.most_behind >= -log(share_of_alpha(versus.opened, alpha, expected))
