"""The mean of clustered values, and its interval. Clusters are independent, their values need not be."""

from collections.abc import Mapping, Sequence
from math import sqrt
from typing import Final, NamedTuple

from tournaments.student import quantile

FEWEST_CLUSTERS: Final = 3
"""Fewer clusters say too little about how much clusters differ."""


class ClusteredMean(NamedTuple):
    """A mean with its 95 % interval, which is None with fewer than FEWEST_CLUSTERS clusters."""

    mean: float
    low: float | None
    high: float | None


def clustered_mean(values: Mapping[str, Sequence[float]]) -> ClusteredMean:
    """The mean of all values, which are given by cluster. Its interval is Student's t with C − 1 degrees of
    freedom for C clusters (the sandwich estimate with the factor C ⁄ (C − 1)). Needs at least one value."""
    number = sum(map(len, values.values()))
    mean = sum(map(sum, values.values())) / number
    if len(values) < FEWEST_CLUSTERS:
        return ClusteredMean(mean, None, None)
    squares = sum((sum(cluster) - len(cluster) * mean) ** 2 for cluster in values.values())
    error = sqrt(squares * len(values) / (len(values) - 1)) / number
    half_width = float(quantile(len(values) - 1)) * error
    return ClusteredMean(mean, mean - half_width, mean + half_width)
