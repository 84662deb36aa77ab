"""Means of clustered values: their intervals hold, however much values of a cluster depend on each other."""

import numpy as np
import pytest

from tournaments.clustered import FEWEST_CLUSTERS, clustered_mean


@pytest.mark.parametrize("shared", [0.0, 0.5, 0.95])
def test_intervals_hold(shared: float) -> None:
    rng, times, held = np.random.default_rng(1), 1000, 0
    for _ in range(times):
        sizes = rng.integers(1, 5, 20)
        values = {
            str(at): list(shared * rng.normal() + (1 - shared) * rng.normal(size=size) + 3)
            for at, size in enumerate(sizes)
        }
        found = clustered_mean(values)
        assert found.mean == pytest.approx(np.mean([one for cluster in values.values() for one in cluster]))
        assert found.low is not None
        assert found.high is not None
        held += found.low <= 3 <= found.high
    assert 0.925 <= held / times <= 0.975


def test_few_clusters_have_no_interval() -> None:
    few = {str(at): [1.0, 2.0, 3.0 + at] for at in range(FEWEST_CLUSTERS - 1)}
    assert clustered_mean(few).low is clustered_mean(few).high is None
    assert clustered_mean(few | {"more": [2.0]}).low is not None
