"""How much wider intervals must be if pods depend on results, measured by simulating the tournament many
times with the same format.

If lucky entrants meet lucky ones, their luck does not show, and intervals that treat pods as given are too
narrow. This is a bootstrap-t (Efron & Tibshirani, An Introduction to the Bootstrap, 1993, 12.5). In each
resample bots of known strength meet as the format pairs them. Their gains are their strengths plus the
residuals of whole pods of the tournament, sampled with replacement and with shuffled members. The widening is
the 95 % point of |error| ÷ half width by Student's t, over all ranked entrants and resamples.

The known strengths are the estimates, shrunk towards 0 until they vary no more than the true strengths
certainly do: by the lower 95 % bound of their variance, as of a normal sample, less the variance of their
errors. The inflation, how much larger than claimed the latter is, comes from the resamples so far. For n
ranked entrants of variance v, whose errors have the claimed mean variance e, estimates are multiplied by the
root of (n − 1) / χ²(.95; n − 1) − inflation · e / v. The lower bound is taken because the effect is strongest
among equals, where luck decides who meets whom.

The random numbers depend on no key: same results, same widening. Forfeits are not simulated. Knows no game.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from math import inf
from typing import Final, NamedTuple, TypeAlias

import msgspec
import numpy as np

from protocol.outcome import best_first
from protocol.streams import Stream
from tournaments.formats import Field, Format
from tournaments.results import MatchResult, Pod, in_match_order
from tournaments.statistics import (
    HOUSE,
    SUBSTITUTE,
    Array,
    GainFit,
    GainRow,
    RowOrigin,
    fitted,
    rows_of,
)
from tournaments.student import CONFIDENCE

ERRORS: Final = 500
"""All resamples together give at least this many errors. The share above their 95 % point is then known to
.01."""

Strengths: TypeAlias = Mapping[str, float]
"""By name, in gain per deal."""


class Luck(NamedTuple):
    """What strengths do not explain in a complete pod: its residuals, by member."""

    deals: int
    of_seating: Array
    """Summed over deals; a row for each seating."""
    mean: Array
    """Over deals and seatings."""


def widening(field: Field, format: Format, withdrawn: Collection[str] = ()) -> float:
    """The factor by which Student's intervals must be wider: at least 1, and 1 if no pairing depended on
    results; infinite for a format without intervals. `field` has all entrants, the `withdrawn` ones too."""
    if not format.HAS_INTERVALS:
        return inf
    rounds = max((result.round_no for result in field.results), default=0)
    ranked = frozenset(field.entrants) - frozenset(withdrawn)
    if not format.ADAPTIVE or rounds < 2:
        return 1.0
    fit = fitted(rows_of(field.results, field.entrants), ranked)
    of_ranked = np.array([name in ranked for name in fit.names])
    if of_ranked.sum() < 2 or not fit.has_interval[of_ranked].any():
        return 1.0
    luck = _luck(field, fit)
    present = _present(field, withdrawn)[:rounds]
    ratios: list[float] = []
    squares = claimed = 0.0
    for number in range(-(-ERRORS // len(ranked))):
        start = msgspec.structs.replace(field, seed=f"replay/{number}", drawn=(), results=(), quick=True)
        strengths = _strengths(fit, ranked, squares / claimed if claimed else 1.0)
        errors = fitted(_replay(start, format, present, strengths, luck), ranked)
        known = np.array([name in ranked for name in errors.names]) & (errors.half_width > 0)
        ratios += (abs(errors.gain[known]) / errors.half_width[known]).tolist()
        squares += float((errors.gain[known] ** 2).sum())
        claimed += float(errors.covariance.diagonal()[known].sum())
    return max(1.0, round(float(np.quantile(ratios, CONFIDENCE)), 6)) if ratios else 1.0


def _luck(field: Field, fit: GainFit) -> list[Luck]:
    """The residuals of complete pods. They are scaled up, since residuals are smaller than errors by one
    degree of freedom for each fitted strength."""
    strengths = dict(zip(fit.names, fit.gain.tolist(), strict=True))
    pods = defaultdict[tuple[int, int], list[Array]](list)
    for result in in_match_order(result for result in field.results if result.gains):
        own = [name if name in field.entrants else HOUSE for name in result.entrants]
        residuals = np.array(result.gains, dtype=np.float64).reshape(-1, len(own))
        for deal_no, gains in enumerate(residuals, start=1):
            replaced = {forfeit.seat for forfeit in result.forfeits if forfeit.deal_no <= deal_no}
            gains -= [strengths[SUBSTITUTE if seat in replaced else who] for seat, who in enumerate(own)]
            gains -= gains.mean()
        pods[result.round_no, result.pod_no].append(residuals[:, np.argsort(result.entrants)])
    shapes = {key: {(len(matches), *match.shape) for match in matches} for key, matches in pods.items()}
    full = max(shape for of_pod in shapes.values() for shape in of_pod)
    whole = [np.stack(matches, axis=1) for key, matches in pods.items() if shapes[key] == {full}]
    degrees = len(pods) * (full[-1] - 1)
    fitted_degrees = len(fit.names) - len(set(fit.component.tolist()))
    scale = (degrees / max(1, degrees - fitted_degrees)) ** 0.5
    return [Luck(len(pod), scale * pod.sum(axis=0), scale * pod.mean(axis=(0, 1))) for pod in whole]


def _strengths(fit: GainFit, ranked: Collection[str], inflation: float) -> Strengths:
    """The known strengths: the estimates, for the `ranked` shrunk as described above, where errors have
    `inflation` times the claimed variance."""
    from scipy.special import chdtri  # noqa: PLC0415 -- It takes long to load.

    is_ranked = np.array([name in ranked for name in fit.names])
    variance, error = float(np.var(fit.gain[is_ranked])), float(fit.covariance.diagonal()[is_ranked].mean())
    degrees = int(is_ranked.sum()) - 1
    least = degrees / float(chdtri(degrees, 1 - CONFIDENCE))
    shrinkage = max(0.0, least - inflation * error / variance) ** 0.5 if variance else 0.0
    return dict(zip(fit.names, np.where(is_ranked, shrinkage * fit.gain, fit.gain).tolist(), strict=True))


def _present(field: Field, withdrawn: Collection[str]) -> list[Pod]:
    """The entrants that could be paired in each round: all that had played by then, but of the `withdrawn`
    only those that played in it or later."""
    rounds = [(number, name) for number, pods in enumerate(field.drawn, 1) for pod in pods for name in pod]
    last = {name: number for number, name in rounds}
    first = {name: number for number, name in reversed(rounds)}
    return [
        tuple(
            name
            for name in field.entrants
            if first.get(name, inf) <= number and (name not in withdrawn or last[name] >= number)
        )
        for number in range(1, len(field.drawn) + 1)
    ]


def _replay(
    field: Field, format: Format, present: Sequence[Pod], strengths: Strengths, luck: Sequence[Luck]
) -> list[GainRow]:
    """The rows of one resample without the strengths, so that least squares gives the estimates' errors.
    `field` is the field before the first round."""
    stream = Stream(f"arena1/{field.seed}")
    rows: list[GainRow] = []
    for round_no, entrants in enumerate(present, start=1):
        pods = format.draw(field.among(entrants))
        if pods is None:
            break
        results: list[MatchResult] = []
        for pod_no, pod in enumerate(pods, start=1):
            table = tuple(name if name in field.entrants else HOUSE for name in pod)
            played, order = stream.choice(luck), list(stream.shuffled(range(len(pod))))
            place = RowOrigin(round_no, pod_no, 1, 1)
            rows += [
                GainRow(who, table, y, place)
                for who, y in zip(table, played.mean[order].tolist(), strict=True)
            ]
            strength = np.array([strengths.get(who, 0.0) for who in table])
            gains = played.of_seating[:, order] + played.deals * strength
            results += [
                MatchResult(round_no, pod_no, seating_no, pod, (), best_first(of_match), ())
                for seating_no, of_match in enumerate(gains.tolist(), start=1)
            ]
        field = field.after(pods, results)
    return rows
