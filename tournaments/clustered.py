"""The mean of values that come in clusters, and how sure it is. Values of one cluster may depend on each
other, those of two may not."""

from collections.abc import Mapping, Sequence
from math import sqrt
from typing import Final, NamedTuple

from tournaments.student import quantile

FEWEST_CLUSTERS: Final = 3
"""Fewer clusters say too little of how much clusters differ."""


class ClusteredMean(NamedTuple):
    """A mean with its 95 % interval, which is None with fewer than FEWEST_CLUSTERS clusters."""

    mean: float
    low: float | None
    high: float | None


def clustered_mean(values: Mapping[str, Sequence[float]]) -> ClusteredMean:
    """The mean of all values, which are given by cluster, with an interval by Student's t on the number of
    clusters less one (the sandwich estimate with the factor C ⁄ (C − 1)). At least one value is needed."""
    number = sum(map(len, values.values()))
    mean = sum(map(sum, values.values())) / number
    if len(values) < FEWEST_CLUSTERS:
        return ClusteredMean(mean, None, None)
    squares = sum((sum(cluster) - len(cluster) * mean) ** 2 for cluster in values.values())
    error = sqrt(squares * len(values) / (len(values) - 1)) / number
    width = float(quantile(len(values) - 1)) * error
    return ClusteredMean(mean, mean - width, mean + width)
