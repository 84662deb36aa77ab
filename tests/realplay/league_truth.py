"""What a league's board measures, reckoned from all compositions and orders of a bank.

The **strength** of a version is its mean lead over its companions: over all sets of them that the panel has
for it, and all orders round the table. A newcomer may meet the whole panel. A member never meets itself, so
its companions are, on the average, weaker or stronger than the panel, which the correction for the draw makes
up for: with k members whose strengths sum to 0, those that it meets have the mean −θ / (k − 1), so its mean
lead is θ + θ / (k − 1).

A **comparison** of two versions is about the sets of companions that both may have. Where programs interact,
its mean is not quite the difference of two strengths if a member of the panel takes part.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, permutations
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from arena.league.ids import VersionId
from tests.realplay.bank import SEATS, WORDS, Bank
from tests.realplay.versions import VERSIONS


class Truth:
    """Of a board with this panel, in matches of so many deals. programs: the number of each version's."""

    def __init__(
        self, bank: Bank, deals: int, panel: Sequence[VersionId], programs: Mapping[VersionId, int]
    ) -> None:
        self._leads = leads(bank, deals)
        self._panel, self._programs = panel, programs

    def strength(self, version: VersionId) -> float:
        """Above the mean of the panel."""
        mean = self._mean(version, self._without(version))
        members = len(self._panel)
        return mean * (members - 1) / members if version in self._panel else mean

    def apart(self, one: VersionId, other: VersionId) -> float:
        """How much more the one gains in a comparison with the other."""
        companions = self._without(one, other)
        return self._mean(one, companions) - self._mean(other, companions)

    def _without(self, *versions: VersionId) -> list[int]:
        return [self._programs[member] for member in self._panel if member not in versions]

    def _mean(self, version: VersionId, companions: Iterable[int]) -> float:
        own = self._programs[version]
        return fmean(float(self._leads[own, *those]) for those in combinations(companions, SEATS - 1))


def leads(bank: Bank, deals: int) -> NDArray[np.float64]:
    """By program and its three companions, how much more it gains per deal than they do in the mean, over all
    orders."""
    played = bank.gains if bank.again is None else np.stack((bank.gains, bank.again))
    size = bank.gains.shape[1]
    weight = np.bincount(np.arange(deals) % size, minlength=size) / deals
    mean = np.tensordot(weight, played.reshape(-1, *bank.gains.shape[1:]).mean(axis=0), axes=1)
    words = np.array(WORDS)
    powers = len(VERSIONS) ** np.arange(SEATS)[::-1]
    found = np.zeros(len(WORDS))
    orders = list(permutations(range(SEATS)))
    for order in orders:
        gains = mean[words[:, order] @ powers]
        own, everybody = gains[:, order.index(0)], gains.sum(axis=1)
        found += own - (everybody - own) / (SEATS - 1)
    return (found / len(orders)).reshape((len(VERSIONS),) * SEATS)
