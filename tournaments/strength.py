"""The strength of every version on a board: expected gain per deal against the panel, with an interval.

**Row.** A version's pod: how much more it gained per deal than the mean of its companions, over all deals
and seatings. Companions are drawn by lot from the panel, and only the version whose pod it is has a row:
what the companions gain counts for nobody, so that nobody's number depends on who came by.

**Correction for the draw.** A draw of strong companions is worse luck than one of weak ones. The board's
numbers at the last checkpoint, fixed before the pod is played, give the companions' mean strength, and its
mean over all draws: the difference is added to the row (`corrected`). As its mean over draws is 0,
whatever those numbers are, rows stay unbiased, with interaction too; their variance becomes smaller.

**Model.** y = θ(version) + u(draw) + e, with u and e independent, of variances σu² and σe². u is what both
versions of a comparison have in common. It cancels in their difference and not in their sum, so
generalised least squares needs only sums by pair (`PairSums`) and by version (`Sums`): 10⁷ rows are as
many numbers as there are pairs that have met. The variances are estimated from comparisons alone, by
moments.

**Placement.** A newcomer has rows of its own only, no comparisons: its strength is their mean, its
interval Student's t over its pods, which holds under interaction since draws are independent. It is not a
part of the fit, so it changes no bit of the others' numbers. With its first comparison it becomes part.

**Resting versions** take part in the fit and are then marginalised: the covariance is kept for the others
only.

**Exact and quick.** `fitted` solves for everything (a checkpoint); `Fit.after` adds one comparison by a
rank-two update with the same variances, exact but for rounding, as recursive least squares (Kalman, 1960).

Pure: knows no game and no clock.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]
Pair: TypeAlias = tuple[str, str]
"""Two versions, by arrival: the first is the earlier one."""


class Sums(msgspec.Struct, frozen=True):
    """Of rows without a partner, as in placement: their number, sum and sum of squares."""

    count: int = 0
    total: float = 0.0
    squares: float = 0.0


class PairSums(msgspec.Struct, frozen=True):
    """Of the comparisons of a pair: their number; the sums of y₁ − y₂ and of y₁ + y₂; of their squares; and
    of their product."""

    count: int = 0
    apart: float = 0.0
    together: float = 0.0
    apart_squares: float = 0.0
    together_squares: float = 0.0
    product: float = 0.0


class Variances(msgspec.Struct, frozen=True):
    """draw: σu², of what both versions of a comparison share. own: σe²."""

    draw: float
    own: float


class Strength(msgspec.Struct, frozen=True):
    """Gain per deal above the anchor, with the ends of the model's 95 % interval, which are None below three
    pods. Rounded to 6 decimals."""

    strength: float
    low: float | None
    high: float | None
    pods: int


class Fit(msgspec.Struct, frozen=True):
    """names: in the order of the arrays, those at rest left out. strength: not yet relative to the anchor.
    covariance: theirs."""

    names: tuple[str, ...]
    strength: Array
    covariance: Array
    pods: NDArray[np.int64]
    variances: Variances

    def after(self, pair: Pair, first: float, second: float) -> "Fit":
        """With one more comparison, of corrected rows, and the same variances."""
        raise NotImplementedError

    def relative_to(self, anchor: str) -> dict[str, Strength]:
        raise NotImplementedError


def corrected(
    lead: float, companions: Sequence[str], candidates: Collection[str], known: Mapping[str, float]
) -> float:
    """The row of a pod. lead: the version's mean gain less that of its companions. candidates: those from
    whom the companions were drawn, each set of them equally likely. known: the board's numbers at the last
    checkpoint; who has none counts as their mean."""
    raise NotImplementedError


def added(sums: Sums, row: float) -> Sums:
    raise NotImplementedError


def pair_added(sums: PairSums, first: float, second: float) -> PairSums:
    raise NotImplementedError


def fitted(singles: Mapping[str, Sums], pairs: Mapping[Pair, PairSums], resting: Collection[str] = ()) -> Fit:
    """The exact fit of all versions that have a comparison. `singles` of other versions are not looked at.
    The order of the mappings decides the order of names and is to be that of arrival."""
    raise NotImplementedError


def placed(sums: Sums, fit: Fit, anchor: str) -> Strength | None:
    """The strength of a version that is not in the fit; None without rows."""
    raise NotImplementedError
