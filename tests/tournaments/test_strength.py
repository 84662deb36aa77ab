from collections.abc import Mapping
from itertools import combinations
from typing import TypeAlias

import msgspec
import numpy as np
import pytest
from scipy.stats import t as student

from tournaments.strength import (
    FEWEST_DEGREES,
    Pair,
    PairSums,
    StrengthFit,
    Sums,
    Variances,
    added,
    corrected,
    fitted,
    moved,
    pair_added,
    pair_moved,
    placed,
    variances_of,
)

Played: TypeAlias = tuple[dict[str, list[float]], dict[Pair, list[tuple[float, float]]]]


def a_board(seed: int, versions: int = 6, comparisons: int = 20) -> Played:
    """Rows of each version alone, and of pairs of neighbours."""
    rng = np.random.default_rng(seed)
    names = [f"v{number}" for number in range(versions)]
    strengths = dict(zip(names, rng.normal(0, 3, versions), strict=True))
    alone = {name: list(strengths[name] + rng.normal(0, 2.6, 7)) for name in names}
    met = {}
    for pair in list(combinations(names, 2))[::2]:
        draws = rng.normal(0, 1.5, comparisons)
        met[pair] = [tuple(strengths[name] + u + rng.normal(0, 2) for name in pair) for u in draws]
    return alone, met  # type: ignore[return-value]


def sums_of(played: Played) -> tuple[dict[str, Sums], dict[Pair, PairSums]]:
    alone, met = played
    singles, pairs = {}, {}
    for name, rows in alone.items():
        singles[name] = Sums()
        for row in rows:
            singles[name] = added(singles[name], row)
    for pair, comparisons in met.items():
        pairs[pair] = PairSums()
        for first, second in comparisons:
            pairs[pair] = pair_added(pairs[pair], first, second)
    return singles, pairs


def by_rows(played: Played, variances: Variances) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Generalised least squares from every row, with the whole covariance matrix of all rows."""
    alone, met = played
    names = sorted({name for pair in met for name in pair})
    who, y, draw = [], [], []
    for name in names:
        for row in alone.get(name, []):
            who.append(name)
            y.append(row)
            draw.append(len(y))
    for pair, comparisons in met.items():
        for rows in comparisons:
            draw += [-len(y) - 1] * 2
            who += pair
            y += rows
    x = np.array([[float(name == one) for one in names] for name in who])
    same = np.equal.outer(draw, draw)
    weights = np.linalg.inv(variances.draw * same + variances.own * np.eye(len(y)))
    covariance = np.linalg.inv(x.T @ weights @ x)
    return names, covariance @ x.T @ weights @ np.array(y), covariance


def in_order(fit: StrengthFit, names: list[str]) -> tuple[np.ndarray, np.ndarray]:
    at = [fit.names.index(name) for name in names]
    return fit.strength[at], fit.covariance[np.ix_(at, at)]


def test_sums_give_what_all_rows_give() -> None:
    played = a_board(1)
    fit = fitted(*sums_of(played))
    names, strength, covariance = by_rows(played, fit.variances)
    found = in_order(fit, names)
    assert found[0] == pytest.approx(strength)
    assert found[1] == pytest.approx(covariance)
    assert dict(zip(fit.names, fit.pods.tolist(), strict=True)) == {
        name: 7 + sum(20 for pair in played[1] if name in pair) for name in names
    }


def test_moved_sums_are_those_of_moved_rows() -> None:
    rows = [1.5, -2.0, 0.25]
    sums, expected = Sums(), Sums()
    pair, expected_pair = PairSums(), PairSums()
    for row in rows:
        sums, expected = added(sums, row), added(expected, row - 4)
        pair = pair_added(pair, row, 2 * row)
        expected_pair = pair_added(expected_pair, row - 4, 2 * row - 4)
    assert moved(sums, -4) == expected
    assert pair_moved(pair, -4) == expected_pair


def test_variances_are_found_again() -> None:
    found = variances_of(sums_of(a_board(2, versions=4, comparisons=20_000))[1])
    assert found.draw == pytest.approx(1.5**2, rel=0.05)
    assert found.own == pytest.approx(2**2, rel=0.05)
    assert found.degrees == 3 * 19_999


@pytest.mark.parametrize("block", [1, 2, 100])
@pytest.mark.parametrize("resting", [{"v1", "v4"}, {"v0", "v2", "v5"}, {"v0", "v1", "v2", "v3", "v4"}, set()])
def test_resting_versions_are_marginalised(
    block: int, resting: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are in no array, and change neither the others' strengths nor their covariance."""
    monkeypatch.setattr("tournaments.strength.BLOCK", block)
    sums = sums_of(a_board(3))
    whole, rest = fitted(*sums), fitted(*sums, resting=resting)
    assert set(rest.names) == set(whole.names) - resting
    strength, covariance = in_order(whole, list(rest.names))
    assert rest.strength == pytest.approx(strength)
    assert rest.covariance == pytest.approx(covariance)


def test_quick_is_as_exact_as_a_new_fit_with_the_same_variances(monkeypatch: pytest.MonkeyPatch) -> None:
    singles, pairs = sums_of(a_board(4))
    quick: StrengthFit | None = fitted(singles, pairs)
    assert quick is not None
    variances = quick.variances
    rng = np.random.default_rng(5)
    for _ in range(200):
        pair = list(pairs)[rng.integers(len(pairs))]
        first, second = rng.normal(0, 3, 2)
        pairs[pair] = pair_added(pairs[pair], first, second)
        quick = quick.after(pair, first, second)
        assert quick is not None
    monkeypatch.setattr("tournaments.strength.variances_of", lambda _: variances)
    exact = fitted(singles, pairs)
    assert quick.strength == pytest.approx(exact.strength, abs=1e-9)
    assert quick.covariance == pytest.approx(exact.covariance, abs=1e-9)
    assert quick.pods.tolist() == exact.pods.tolist()


def test_who_is_new_in_the_fit_takes_a_new_one() -> None:
    fit = fitted(*sums_of(a_board(4)))
    assert fit.after(("v0", "new"), 1.0, 2.0) is None


def test_placements_change_no_bit_of_the_others() -> None:
    singles, pairs = sums_of(a_board(6))
    before = fitted(singles, pairs)
    rng = np.random.default_rng(7)
    for number in range(50):
        sums = Sums()
        for row in rng.normal(20, 9, 12):
            sums = added(sums, row)
        singles = {f"new{number}": sums, **singles}
        found = placed(sums, before, "v0")
        assert found is not None
        assert found.low is not None
    after = fitted(singles, pairs)
    assert after.names == before.names
    assert after.strength.tobytes() == before.strength.tobytes()
    assert after.covariance.tobytes() == before.covariance.tobytes()
    assert after.variances == before.variances


def test_a_newcomers_interval_is_students() -> None:
    """Where the anchor's strength is known much better, by far."""
    sums, rows = Sums(), [3.0, 1.0, -2.0, 6.0, 2.5]
    for row in rows:
        sums = added(sums, row)
    known = Variances(1.0, 1.0, 1000)
    fit = StrengthFit(("v0",), np.array([1.0]), np.array([[1e-12]]), np.array([9]), known, np.ones(1))
    found = placed(sums, fit, "v0")
    assert found is not None
    low, high = student.interval(0.95, 4, np.mean(rows) - 1, np.std(rows, ddof=1) / 5**0.5)
    assert (found.low, found.high) == (pytest.approx(low, abs=1e-5), pytest.approx(high, abs=1e-5))
    assert found.pods == 5


def test_what_is_unknown_has_no_interval() -> None:
    few = PairSums()
    for number in range(FEWEST_DEGREES):
        few = pair_added(few, float(number), 0.0)
    fit = fitted({}, {("v0", "v1"): few})
    assert not fit.variances.known
    assert fit.after(("v0", "v1"), 1.0, 2.0) is None
    assert fit.relative_to("v0")["v1"].low is None
    assert placed(Sums(9, 9.0, 30.0), fit, "v0").low is None  # type: ignore[union-attr]
    assert placed(Sums(), fit, "v0") is None
    enough = fitted({}, {("v0", "v1"): pair_added(few, 1.0, 5.0)})
    assert enough.relative_to("v0")["v1"].low is not None
    assert placed(Sums(2, 3.0, 5.0), enough, "v0").low is None  # type: ignore[union-attr]


def held(seed: int, *, wider: bool) -> dict[str, bool]:
    """Whether the intervals hold the truth on a board where the rows of v1 have a deviation of their own of 5
    instead of 2. Without `wider`, those of the model alone."""
    rng = np.random.default_rng(seed)
    names = [f"v{number}" for number in range(8)]
    true = dict(zip(names, rng.normal(0, 3, 8), strict=True))
    own = dict.fromkeys(names, 2.0) | {"v1": 5.0}
    alone = {name: [true[name] + rng.normal(0, np.hypot(1.5, own[name])) for _ in range(8)] for name in names}
    met: dict[Pair, list[tuple[float, float]]] = {}
    for _ in range(60):
        one, other = sorted(map(str, rng.choice(names, 2, replace=False)))
        draw = rng.normal(0, 1.5)
        first, second = (true[name] + draw + rng.normal(0, own[name]) for name in (one, other))
        met.setdefault((one, other), []).append((first, second))
    fit = fitted(*sums_of((alone, met)))
    if not wider:
        fit = msgspec.structs.replace(fit, wider=np.ones(len(fit.names)))
    found = fit.relative_to("v0")
    return {
        name: (one.low or 0) <= true[name] - true["v0"] <= (one.high or 0)
        for name, one in found.items()
        if name != "v0"
    }


@pytest.mark.thorough  # 2 s of processor.
def test_the_interval_of_a_noisy_version_holds_too() -> None:
    boards = [held(seed, wider=True) for seed in range(200)]
    by_model = [held(seed, wider=False) for seed in range(200)]
    assert np.mean([board["v1"] for board in by_model]) < 0.86
    assert np.mean([board["v1"] for board in boards]) > 0.90
    assert np.mean([share for board in boards for name, share in board.items() if name != "v1"]) > 0.94


def test_no_interval_is_narrower_than_the_models() -> None:
    fit = fitted(*sums_of(a_board(11)))
    plain = msgspec.structs.replace(fit, wider=np.ones(len(fit.names))).relative_to("v0")
    for name, found in fit.relative_to("v0").items():
        assert found.strength == plain[name].strength
        assert (found.low or 0) <= (plain[name].low or 0)
    assert fit.wider.min() >= 1
    assert fit.wider.max() < 1.5  # All are alike.


def test_own_variances_are_found_again() -> None:
    rng = np.random.default_rng(12)
    own = {"v0": 1.0, "v1": 3.0, "v2": 2.0}
    met = {}
    for pair in combinations(own, 2):
        draws = rng.normal(0, 1.5, 20_000)
        met[pair] = [tuple(u + rng.normal(0, own[name]) for name in pair) for u in draws]
    fit = fitted(*sums_of(({}, met)))  # type: ignore[arg-type]
    pooled, beside = fit.variances.own, min(fit.variances.draw, fit.variances.own)
    for name, ratio in zip(fit.names, fit.wider, strict=True):
        expected = (beside + own[name] ** 2) / (beside + pooled)
        assert ratio == pytest.approx(max(1, expected), rel=0.03)


def test_equal_programs_that_never_differ_have_no_interval_either() -> None:
    same = PairSums()
    for number in range(30):
        same = pair_added(same, float(number), float(number))
    fit = fitted({}, {("v0", "v1"): same})
    assert fit.relative_to("v0")["v1"].strength == 0
    assert fit.relative_to("v0")["v1"].low is None


def test_a_flood_of_copies_narrows_nobodys_interval() -> None:
    _, pairs = sums_of(a_board(9))
    before = variances_of(pairs)
    copies = PairSums()
    for number in range(5000):
        copies = pair_added(copies, number % 7 + 0.1, number % 7 + 0.1)
    assert variances_of({**pairs, ("v0", "copy"): copies}) == before


def test_the_anchor_is_the_zero() -> None:
    fit = fitted(*sums_of(a_board(8)))
    found = fit.relative_to("v2")
    assert (found["v2"].strength, found["v2"].low, found["v2"].high) == (0, 0, 0)
    other = fit.relative_to("v0")
    for name in fit.names:
        assert other[name].strength - other["v2"].strength == pytest.approx(found[name].strength, abs=2e-6)


@pytest.mark.parametrize(
    "known", [{}, {"a": 3.0}, {"a": 3.0, "b": -8.0, "c": 0.5, "d": 1.0, "e": 40.0}, {"b": 2.0, "x": 9.0}]
)
def test_over_all_draws_the_correction_is_0(known: Mapping[str, float]) -> None:
    rows = [
        corrected([5.0], ["guest"], companions, "abcde", known) for companions in combinations("abcde", 3)
    ]
    assert np.mean(rows) == pytest.approx(5.0)


def test_strong_companions_are_made_up_for() -> None:
    known = {"a": 6.0, "b": 0.0, "c": 0.0}
    assert corrected([0.0], ["guest"], "ab", "abc", known) == pytest.approx((1.0,))
    assert corrected([0.0], ["guest"], "bc", "abc", known) == pytest.approx((-2.0,))


def test_a_member_of_the_panel_is_measured_like_everybody_else() -> None:
    """Though it never meets itself: with rows without noise it gets its distance from the panel's mean."""
    known = {"a": 9.0, "b": -3.0, "c": 0.0, "d": 2.0}
    mean = sum(known.values()) / len(known)
    for name, strength in {**known, "guest": 4.0}.items():
        others = [other for other in known if other != name]
        for companions in combinations(others, 3):
            lead = strength - sum(known[other] for other in companions) / 3
            assert corrected([lead], [name], companions, known, known) == pytest.approx((strength - mean,))


@pytest.mark.parametrize("known", [{}, {"a": 3.0, "b": -7.0}, {"a": -11.0, "b": 5.0, "c": 7.0, "d": 3.0}])
def test_it_is_so_before_all_of_the_panel_are_known(known: Mapping[str, float]) -> None:
    """On a new board too, whose first rows stay in the sums: over all draws each gets its distance from the
    panel's mean, whatever is known of some."""
    panel = {"a": -11.0, "b": 5.0, "c": 7.0, "d": 3.0, "e": -2.0, "f": -2.0}
    true = panel | {"guest": 4.0, "other": -1.0}
    for versions in (*combinations(true, 1), *combinations(true, 2)):
        rows = []
        for companions in combinations([name for name in panel if name not in versions], 3):
            mean = sum(panel[name] for name in companions) / 3
            rows.append(
                corrected([true[name] - mean for name in versions], versions, companions, panel, known)
            )
        assert np.mean(rows, axis=0) == pytest.approx([true[name] for name in versions])
