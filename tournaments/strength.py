"""The strength of the versions on a board: expected gain per deal against the panel, with an interval.

**Row.** A version's pod: how much more it gained per deal than the mean of its companions, over all deals and
seatings. The companions are chosen by lot from the panel. Only the version for which the pod is played has a
row. What its companions gain counts for nobody, so no number depends on which newcomers were played.

**Correction for the draw.** Strong companions are bad luck. The strengths at the board's last checkpoint,
which are fixed before the draw, give the companions' mean strength and that of all possible companions. The
difference is added to the row (`corrected`, a control variate). Its mean over all draws is 0, whatever those
strengths are: rows stay unbiased, also if gains depend on who meets whom, and mostly vary less.

**Members of the panel** never meet themselves, so on average they meet companions that are weaker or stronger
than the panel. That difference is added too. It follows from the strengths of the last checkpoint once every
member has one; on a new board it follows from the leads of the draw itself. Let T be the sum of the
strengths, above the panel's mean, of the a among k members for which the draw is played. The others have the
mean −T / (k − a), so the leads of these a are expected to sum to T + a T / (k − a) = k T / (k − a), and the
mean of the others is minus a k-th of that. Without it, the first rows of a board would be wrong, and they
stay in the sums.

**Another panel.** When the panel changes, rows are shifted by the difference between the mean strengths of
both panels at the last checkpoint (`moved`). Differences within comparisons stay as they are.

**Model.** y = θ(version) + u(draw) + e, with independent u and e of variances σu² and σe². Both versions of
a comparison share u. The difference of their rows has the variance 2σe², the sum has 4σu² + 2σe², and they
are independent, so that generalised least squares needs only their sums by pair (`PairSums`) and the sums of
rows without a partner by version (`Sums`), however many pods there were. The two variances are estimated
from the squares within pairs, hence from comparisons alone.

**Noisy versions.** The rows of some versions vary much more than those of others: with a variance σ² of their
own instead of σe². Their estimates are unbiased, but vary more than the model says. σ² follows from the
squares within the version's pairs, each of which is the sum of two variances, and within its rows without a
partner (`_own_variances`). The interval is wider by the ratio of the variances of the rows, and never
narrower than the model's.

**Placement.** A newcomer has only rows without a partner. Its strength is their mean, with an interval by
Student's t over its pods, which are independent draws. It is not part of the fit, so no other number changes,
not even in the last bit. It joins the fit with its first comparison.

**Resting versions** take part in the fit and are marginalised: a Schur complement eliminates them, and leaves
the estimates and covariance of the others.

**Exact and quick.** `fitted` solves for everything, at checkpoints. In between `StrengthFit.after` adds a
comparison by recursive least squares, with the variances of the last checkpoint; but for these it is exact.

Knows no game and no clock.
"""

from collections.abc import Collection, Mapping, Sequence
from math import inf, isfinite, sqrt
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from tournaments.statistics import FEWEST_PODS, NEGLIGIBLE, Array, rounded
from tournaments.student import quantile

if TYPE_CHECKING:
    from scipy.sparse import csc_array

FEWEST_DEGREES: Final = 8
"""Variances are unknown below this many degrees of freedom: the comparisons less the number of pairs, without
pairs that never differ."""

PRIOR_DEGREES: Final = 2
"""The weight, in degrees of freedom, of the prior that a version's own variance is σe²."""

BLOCK: Final = 256
"""The number of resting versions that are eliminated at once."""

Pair: TypeAlias = tuple[str, str]


class Sums(msgspec.Struct, frozen=True):
    """The number, sum and sum of squares of rows without a partner."""

    count: int = 0
    total: float = 0.0
    squares: float = 0.0

    @property
    def variance(self) -> float:
        """The variance of a row; needs at least two rows."""
        return max(0.0, self.squares - self.total**2 / self.count) / (self.count - 1)


class PairSums(msgspec.Struct, frozen=True):
    """The number of comparisons of a pair, and the sums and sums of squares of the differences y₁ − y₂
    (`apart`) and of the sums y₁ + y₂ (`together`)."""

    count: int = 0
    apart: float = 0.0
    together: float = 0.0
    apart_squares: float = 0.0
    together_squares: float = 0.0

    @property
    def apart_within(self) -> float:
        """The sum of squares of the differences about their mean."""
        return self.apart_squares - self.apart**2 / self.count

    @property
    def never_differs(self) -> bool:
        """Whether every comparison has the same difference, as with copies of one program."""
        return self.apart_within <= NEGLIGIBLE * self.apart_squares

    @property
    def together_within(self) -> float:
        """The sum of squares of the sums about their mean."""
        return self.together_squares - self.together**2 / self.count


class Variances(NamedTuple):
    """The variances of the model."""

    draw: float
    """σu²: what both versions of a comparison share."""
    own: float
    """σe²."""
    degrees: int
    """The degrees of freedom of σe²."""

    @property
    def known(self) -> bool:
        return self.degrees >= FEWEST_DEGREES

    @property
    def of_row(self) -> float:
        return self.draw + self.own

    @property
    def of_difference(self) -> float:
        return 2 * self.own

    @property
    def of_sum(self) -> float:
        return 4 * self.draw + 2 * self.own


class Strength(msgspec.Struct, frozen=True):
    """A version's strength, rounded to 6 decimals."""

    strength: float
    """Gain per deal above the anchor's."""
    low: float | None
    high: float | None
    """The 95 % interval: None while it is unknown, and 0 … 0 for the anchor."""
    pods: int


class StrengthFit(msgspec.Struct, frozen=True):
    """The strengths of all versions that have a comparison and do not rest, in the order of `names`."""

    names: tuple[str, ...]
    strength: Array
    """Relative to the panel."""
    covariance: Array
    """Of `strength`, by the model."""
    pods: NDArray[np.int64]
    variances: Variances
    wider: Array
    """The factor of a strength's variance, if the version's rows vary more than others'."""

    def after(self, pair: Pair, first: float, second: float) -> "StrengthFit | None":
        """The fit with one more comparison. None if that needs a new fit: the variances are unknown, or one
        of the two versions is not in this one."""
        if not self.variances.known or not set(pair) <= set(self.names):
            return None
        one, other = map(self.names.index, pair)
        strength, covariance, pods = self.strength.copy(), self.covariance.copy(), self.pods.copy()
        for sign, seen, variance in (
            (-1, first - second, self.variances.of_difference),
            (1, first + second, self.variances.of_sum),
        ):
            reach = covariance[one] + sign * covariance[other]
            expected = strength[one] + sign * strength[other]
            gain = reach / (variance + reach[one] + sign * reach[other])
            strength += gain * (seen - expected)
            covariance -= np.outer(gain, reach)
        pods[[one, other]] += 1
        return StrengthFit(self.names, strength, covariance, pods, self.variances, self.wider)

    def relative_to(self, anchor: str) -> dict[str, Strength]:
        """The strengths above the anchor's, by name. The intervals are those of the model, or wider. Raises
        ValueError if the anchor is not in the fit."""
        zero = self.names.index(anchor)
        variance = self.wider * np.diag(self.covariance)
        spread = variance + variance[zero] - 2 * self.covariance[zero]
        errors = float(quantile(self.variances.degrees)) if self.variances.known else inf
        strengths = {}
        for i, name in enumerate(self.names):
            strength = float(self.strength[i] - self.strength[zero])
            half_width = 0.0 if i == zero else errors * sqrt(max(0.0, float(spread[i])))
            strengths[name] = _strength(strength, half_width, int(self.pods[i]))
        return strengths


def corrected(
    leads: Sequence[float],
    versions: Sequence[str],
    companions: Sequence[str],
    panel: Collection[str],
    known: Mapping[str, float],
) -> tuple[float, ...]:
    """The rows of a draw. leads: how much more each of `versions` gained per deal than the mean of its
    companions. panel: all members, also those that cannot be companions here. known: strengths at the last
    checkpoint; a member without one counts as the mean of the others."""
    mean = panel_strength(panel, known) or 0.0
    others = [name for name in panel if name not in versions]
    met, could_meet = (
        sum(known.get(name, mean) for name in names) / len(names) for names in (companions, others)
    )
    rows = [lead + met - could_meet for lead in leads]
    if all(name in known for name in panel):
        stronger = could_meet - mean  # Than the whole panel.
    else:
        members = (row for row, name in zip(rows, versions, strict=True) if name in panel)
        stronger = -sum(members) / len(panel)
    return tuple(row + stronger for row in rows)


def panel_strength(panel: Collection[str], known: Mapping[str, float]) -> float | None:
    """The mean strength of a panel's members; None if none is known."""
    strengths = [known[name] for name in panel if name in known]
    return sum(strengths) / len(strengths) if strengths else None


def moved(sums: Sums, by: float) -> Sums:
    """The sums after `by` is added to each row."""
    squares = sums.squares + 2 * by * sums.total + sums.count * by**2
    return Sums(sums.count, sums.total + sums.count * by, squares)


def pair_moved(sums: PairSums, by: float) -> PairSums:
    """The sums after `by` is added to each row of each comparison."""
    together = sums.together + 2 * by * sums.count
    squares = sums.together_squares + 4 * by * sums.together + 4 * sums.count * by**2
    return msgspec.structs.replace(sums, together=together, together_squares=squares)


def added(sums: Sums, row: float) -> Sums:
    """The sums with one more row without a partner."""
    return Sums(sums.count + 1, sums.total + row, sums.squares + row * row)


def pair_added(sums: PairSums, first: float, second: float) -> PairSums:
    """The sums with one more comparison."""
    apart, together = first - second, first + second
    return PairSums(
        sums.count + 1,
        sums.apart + apart,
        sums.together + together,
        sums.apart_squares + apart * apart,
        sums.together_squares + together * together,
    )


def variances_of(pairs: Mapping[Pair, PairSums]) -> Variances:
    """The variances within pairs, by moments; σu² is at least 0. Pairs whose difference never varies are left
    out: they are copies of one program, and many copies could make σe² as small as somebody likes. With too
    few other comparisons the variances are unknown: both 1, with 0 degrees of freedom."""
    varied = [sums for sums in pairs.values() if not sums.never_differs]
    degrees = sum(sums.count - 1 for sums in varied)
    if degrees < FEWEST_DEGREES:
        return Variances(1.0, 1.0, 0)
    apart = sum(sums.apart_within for sums in varied) / degrees
    together = sum(sums.together_within for sums in varied) / degrees
    return Variances(max(0.0, together - apart) / 4, apart / 2, degrees)


def fitted(
    singles: Mapping[str, Sums], pairs: Mapping[Pair, PairSums], resting: Collection[str] = ()
) -> StrengthFit:
    """The exact fit of all versions in `pairs`; the `singles` of other versions are ignored. The order of
    `pairs` decides the order of the names, and the last bits."""
    variances = variances_of(pairs)
    everybody = list(dict.fromkeys(name for pair in pairs for name in pair))
    names = [name for name in everybody if name not in resting]
    everybody = names + [name for name in everybody if name in resting]
    kept = len(names)
    information, moment, pods = _normal_equations(everybody, singles, pairs, variances)
    own, own_moment = _marginalised(information, moment, kept)
    covariance = np.asarray(np.linalg.inv(own), dtype=np.float64)
    wider = _wider(everybody, singles, pairs, variances)[:kept]
    return StrengthFit(tuple(names), covariance @ own_moment, covariance, pods[:kept], variances, wider)


def _wider(
    names: Sequence[str], singles: Mapping[str, Sums], pairs: Mapping[Pair, PairSums], variances: Variances
) -> Array:
    """For each version, the ratio of the variance of its rows to the model's, 1 or more. A comparison also
    contains the partner's variance, and a row without a partner that of the draw; the smaller of these is
    taken, since it makes the ratio larger."""
    if not variances.known:
        return np.ones(len(names))
    others = min(variances.draw, variances.own)
    own = _own_variances(names, singles, pairs, variances)
    ratio: Array = np.maximum(1, (others + own) / (others + variances.own))
    return ratio


def _own_variances(
    names: Sequence[str], singles: Mapping[str, Sums], pairs: Mapping[Pair, PairSums], variances: Variances
) -> Array:
    """For each version, the variance of its own part of a row, by least squares. The mean square within a
    pair is expected to be the sum of two such variances, and that of rows without a partner one plus σu²; a
    priori each is σe², with PRIOR_DEGREES. Weights are degrees of freedom."""
    from scipy.sparse import coo_array  # noqa: PLC0415 -- It takes long to load, and a young board needs none.
    from scipy.sparse.linalg import cg  # noqa: PLC0415

    column = {name: i for i, name in enumerate(names)}
    diagonal = np.full(len(names), float(PRIOR_DEGREES))
    moment = diagonal * variances.own
    for name, sums in singles.items():
        if name in column and sums.count > 1:
            diagonal[column[name]] += sums.count - 1
            moment[column[name]] += (sums.count - 1) * (sums.variance - variances.draw)
    varied = {pair: sums for pair, sums in pairs.items() if sums.count > 1 and not sums.never_differs}
    first, second = (np.array([column[pair[side]] for pair in varied], dtype=np.intp) for side in (0, 1))
    degrees = np.array([float(sums.count - 1) for sums in varied.values()])
    within = np.array([sums.apart_within for sums in varied.values()])
    for side in (first, second):
        np.add.at(diagonal, side, degrees)
        np.add.at(moment, side, within)
    every = np.arange(len(names))
    cells = np.concatenate((every, first, second)), np.concatenate((every, second, first))
    values = np.concatenate((diagonal, degrees, degrees))
    equations = coo_array((values, cells), shape=(len(names), len(names))).tocsc()
    start = np.full(len(names), variances.own)
    solution, _ = cg(equations, moment, x0=start, rtol=1e-8, maxiter=1000)
    return np.asarray(solution, dtype=np.float64)


def _marginalised(information: "csc_array", moment: Array, kept: int) -> tuple[Array, Array]:
    """The normal equations of the first `kept` versions after the others are eliminated, BLOCK by BLOCK. A
    block changes only the equations of the front: the versions that it, or a block before it, has met. Most
    versions meet those that arrived at about the same time, so in order of arrival the front stays small."""
    front, carried, members = np.zeros((0, 0)), np.zeros(0), np.zeros(0, dtype=np.intp)
    for start in range(kept, len(moment), BLOCK):
        block = np.arange(start, min(start + BLOCK, len(moment)))
        columns = information[:, block]
        met = np.unique(columns.indices)
        before, members = members, np.union1d(np.union1d(members, block), met[(met < kept) | (met >= start)])
        old, new = np.searchsorted(members, before), np.searchsorted(members, block)
        equations, sums = np.zeros((len(members), len(members))), np.zeros(len(members))
        equations[np.ix_(old, old)], sums[old] = front, carried
        # Cells between a member and the block are added on both sides; those within the block only once.
        entries = columns.toarray()[members]
        equations[:, new] += entries
        equations[new] += entries.T
        equations[np.ix_(new, new)] -= entries[new]
        sums[new] += moment[block]
        left = np.setdiff1d(np.arange(len(members)), new)
        cross = equations[np.ix_(new, left)]
        solved = np.linalg.solve(equations[np.ix_(new, new)], np.column_stack((cross, sums[new])))
        front = equations[np.ix_(left, left)] - cross.T @ solved[:, :-1]
        carried, members = sums[left] - cross.T @ solved[:, -1], members[left]
    own: Array = information[:kept, :kept].toarray()
    own_moment = moment[:kept].copy()
    own[np.ix_(members, members)] += front
    own_moment[members] += carried
    return own, own_moment


def _normal_equations(
    names: Sequence[str], singles: Mapping[str, Sums], pairs: Mapping[Pair, PairSums], variances: Variances
) -> tuple["csc_array", Array, NDArray[np.int64]]:
    """The information matrix, the weighted sums of rows, and the pods, in the order of `names`. Each version
    has a comparison, whose sum determines its strength, so the matrix has an inverse."""
    from scipy.sparse import coo_array  # noqa: PLC0415

    column = {name: i for i, name in enumerate(names)}
    alone = [singles.get(name, Sums()) for name in names]
    pods = np.array([sums.count for sums in alone], dtype=np.int64)
    diagonal = pods / variances.of_row
    moment = np.array([sums.total for sums in alone]) / variances.of_row
    first = np.array([column[one] for one, _ in pairs], dtype=np.intp)
    second = np.array([column[other] for _, other in pairs], dtype=np.intp)
    count, apart, together = (
        np.array([getattr(sums, field) for sums in pairs.values()])
        for field in ("count", "apart", "together")
    )
    apart_weight, together_weight = 1 / variances.of_difference, 1 / variances.of_sum
    for side, sign in ((first, 1), (second, -1)):
        np.add.at(pods, side, count)
        np.add.at(diagonal, side, (apart_weight + together_weight) * count)
        np.add.at(moment, side, sign * apart_weight * apart + together_weight * together)
    between = (together_weight - apart_weight) * count
    every = np.arange(len(names))
    values = np.concatenate((diagonal, between, between))
    cells = np.concatenate((every, first, second)), np.concatenate((every, second, first))
    return coo_array((values, cells), shape=(len(names), len(names))).tocsc(), moment, pods


def placed(sums: Sums, fit: StrengthFit, anchor: str) -> Strength | None:
    """The strength of a version that is not in the fit; None without rows. The interval is Student's t with
    the degrees of freedom of B. L. Welch (Biometrika 34, 1947), since the anchor's strength is estimated too,
    but with a smaller error. Raises ValueError if the anchor is not in the fit."""
    if not sums.count:
        return None
    zero = fit.names.index(anchor)
    strength = sums.total / sums.count - float(fit.strength[zero])
    if sums.count < FEWEST_PODS or not fit.variances.known or not sums.variance:
        return _strength(strength, inf, sums.count)
    own, of_anchor = sums.variance / sums.count, float(fit.wider[zero] * fit.covariance[zero, zero])
    degrees = (own + of_anchor) ** 2 / (own**2 / (sums.count - 1) + of_anchor**2 / fit.variances.degrees)
    return _strength(strength, float(quantile(degrees)) * sqrt(own + of_anchor), sums.count)


def _strength(strength: float, half_width: float, pods: int) -> Strength:
    if not isfinite(half_width):
        return Strength(rounded(strength), None, None, pods)
    return Strength(rounded(strength), rounded(strength - half_width), rounded(strength + half_width), pods)
