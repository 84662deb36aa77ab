"""The clustered covariance of the strengths, held against statsmodels.

statsmodels has the sandwich of Liang and Zeger ("CR0"), and by default multiplies it by a factor for small
samples, G/(G − 1) · (N − 1)/(N − K) for G clusters, N rows and K strengths ("CR1"). Ours corrects every
cluster by its own part in the fit ("CR2"), which statsmodels lacks. So in any tournament both agree without
the corrections; where all clusters are alike CR2 is CR0 · G/(G − 1); and with many clusters all agree.
"""

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import tournaments.statistics
from tests.tournaments.simulated import Design, tournament
from tests.tournaments.test_statistics import match, random_tournament
from tournaments.results import MatchResult
from tournaments.statistics import Array, GainRow, Unit, fitted, rows_of

pytestmark = [
    pytest.mark.thorough,
    # Strengths are known up to a number that is the same for all; both are centred before they are compared.
    pytest.mark.filterwarnings("ignore:The design matrix is rank-deficient"),
]
UNITS: tuple[Unit, ...] = ("pod", "deal", "table", "match")


@pytest.fixture
def oracle() -> Any:
    return pytest.importorskip("statsmodels.regression.linear_model", reason="statsmodels is not installed")


def clustered(
    oracle: Any, rows: Sequence[GainRow], ranked: Sequence[str], unit: Unit, *, corrected: bool
) -> tuple[Array, Array]:
    """Strengths and covariance by statsmodels, from one line of a dense matrix for each row."""
    names = sorted({row.who for row in rows})
    x = np.zeros((len(rows), len(names)))
    for line, row in zip(x, rows, strict=True):
        line[names.index(row.who)] += 1
        for name in row.table:
            line[names.index(name)] -= 1 / len(row.table)
    _, groups = np.unique([row.place.within(unit) for row in rows], axis=0, return_inverse=True)
    fit = oracle.OLS(np.array([row.y for row in rows]), x).fit(
        cov_type="cluster", cov_kwds={"groups": groups, "use_correction": corrected}
    )
    mean = np.array([name in ranked for name in names]) / len(ranked)
    centre = np.eye(len(names)) - mean
    return centre @ fit.params, centre @ fit.cov_params() @ centre.T


def played(number: int) -> tuple[list[MatchResult], tuple[str, ...]]:
    """A Swiss tournament as it is really drawn, with house bots and forfeits."""
    design = Design(entrants=10, rounds=5, deviation=200.0, forfeits=0.1)
    field = tournament(design, design.strengths(number), f"clustered/{number}")
    return list(field.results), design.names


def drawn(number: int) -> tuple[list[MatchResult], tuple[str, ...]]:
    """Pods, orders, gains and forfeits by chance."""
    return random_tournament(random.Random(number), "abcdefghi", forfeits=0.2), tuple("abcdefghi")


@pytest.mark.parametrize("made", [played, drawn])
@pytest.mark.parametrize("unit", UNITS)
def test_without_corrections_any_tournament_agrees(
    made: Any, unit: Unit, oracle: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tournaments.statistics, "_corrected", lambda normal, inverse: np.eye(len(normal)))
    for number in range(3):
        results, names = made(number)
        rows = rows_of(results, names)
        ours = fitted(rows, names, unit)
        assert len(set(ours.component)) == 1
        gain, covariance = clustered(oracle, rows, names, unit, corrected=False)
        assert ours.gain == pytest.approx(gain, rel=1e-9, abs=1e-9)
        assert ours.covariance == pytest.approx(covariance, rel=1e-9, abs=1e-9 * covariance.max())


@pytest.mark.parametrize("rounds", [3, 6, 40])
def test_where_all_pods_are_alike_ours_has_the_first_factor(rounds: int, oracle: Any) -> None:
    chance = random.Random(rounds)
    results = [
        match("abcd", tuple(chance.randrange(-20, 20) for _ in "abcd"), place=(round_no, 1, 1))
        for round_no in range(1, rounds + 1)
    ]
    rows = rows_of(results, "abcd")
    ours = fitted(rows, "abcd").covariance
    _, plain = clustered(oracle, rows, "abcd", "pod", corrected=False)
    assert ours == pytest.approx(plain * rounds / (rounds - 1), rel=1e-9, abs=1e-9 * plain.max())
    _, corrected = clustered(oracle, rows, "abcd", "pod", corrected=True)
    n, k = len(rows), 4
    assert corrected == pytest.approx(ours * (n - 1) / (n - k), rel=1e-9, abs=1e-9 * plain.max())


def test_with_many_pods_all_agree(oracle: Any) -> None:
    """The error of each strength, to 3 %."""
    design = Design(entrants=8, rounds=100, pods="random", deviation=200.0)
    results = tournament(design, design.strengths(0), "clustered/many").results
    rows = rows_of(results, design.names)
    ours = np.sqrt(fitted(rows, design.names).covariance.diagonal())
    _, covariance = clustered(oracle, rows, design.names, "pod", corrected=True)
    assert ours == pytest.approx(np.sqrt(covariance.diagonal()), rel=0.03)
