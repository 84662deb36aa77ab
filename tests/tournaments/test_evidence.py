"""The evidence of a board: against an oracle that shares no code, exactly where a game is small enough to be
played in all its ways, and in simulations that look at every moment."""

import math
import random
import statistics
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise, permutations, product
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.bench.league_statements import peeked
from tournaments.evidence import (
    BETS,
    BETS_ON_DIFFERENCES,
    Evidence,
    certain,
    closed,
    log_mean_factor,
    log_weight,
    scale,
    standing,
)

DEVIATION = 2.0


class Draw(NamedTuple):
    """A placement of one version, or a comparison of two."""

    versions: tuple[str, ...]
    rows: tuple[float, ...]
    panel: int = 0


def evidence_of(draws: Sequence[Draw]) -> Evidence:
    found = Evidence(DEVIATION)
    for draw in draws:
        if len(draw.versions) == 1:
            found.placed(draw.versions[0], draw.rows[0], draw.panel)
        else:
            found.compared((draw.versions[0], draw.versions[1]), draw.rows[0], draw.rows[1], draw.panel)
    return found


@pytest.mark.parametrize("bet", sorted({*BETS, *BETS_ON_DIFFERENCES}))
def test_the_cost_of_a_bet_is_what_a_normal_row_wins_on_average(bet: float) -> None:
    step, total = 1e-4, 0.0
    for number in range(-80_000, 80_001):
        z = number * step
        total += step * math.exp(-z * z / 2 + bet * min(2, max(-2, z))) / math.sqrt(2 * math.pi)
    assert log_mean_factor(bet) == pytest.approx(math.log(total), abs=1e-6)


def scale_by_definition(earlier: Sequence[float], deviation: float) -> float:
    count = len(earlier)
    if count < 3:
        return 1.2 * deviation
    middle = statistics.median(earlier)
    own = 1.4826 * statistics.median(abs(row - middle) for row in earlier)
    return 1.2 * max(deviation, math.sqrt((4 * deviation**2 + (count - 1) * own**2) / (4 + count - 1)))


@given(st.lists(st.floats(-50, 50) | st.integers(-3, 3).map(float), max_size=30), st.floats(0.1, 9))
def test_the_scale_is_known_before_the_row(earlier: list[float], deviation: float) -> None:
    assert scale(sorted(earlier), deviation) == pytest.approx(scale_by_definition(earlier, deviation))


def by_definition(draws: Sequence[Draw], above: str, below: str) -> float:
    """The evidence by the words of the rule, threshold by threshold."""

    def rows_of(version: str, panel: int) -> Iterator[tuple[float, float]]:
        """The rows that are bet on, each with its scale."""
        seen: list[float] = []
        for draw in draws:
            if draw.panel == panel and version in draw.versions:
                row = draw.rows[draw.versions.index(version)]
                if {*draw.versions} != {above, below}:
                    yield row, scale_by_definition(seen, DEVIATION)
                seen.append(row)

    def capital(version: str, panel: int, threshold: float, sign: int) -> float:
        total = 0.0
        for bet in BETS:
            log = 0.0
            for row, unit in rows_of(version, panel):
                x = min(2.0, max(-2.0, (row - threshold) / unit))
                log += sign * bet * x - log_mean_factor(bet)
            total += math.exp(log) / len(BETS)
        return total

    def differences() -> Iterator[tuple[float, float]]:
        seen: list[float] = []
        for draw in draws:
            if {*draw.versions} == {above, below}:
                difference = draw.rows[draw.versions.index(above)] - draw.rows[draw.versions.index(below)]
                yield difference, scale_by_definition(seen, DEVIATION * math.sqrt(2 * 0.64))
                seen.append(difference)

    found = 0.0
    for bet in BETS_ON_DIFFERENCES:
        log = sum(
            bet * min(2.0, max(-2.0, difference / unit)) - log_mean_factor(bet)
            for difference, unit in differences()
        )
        found += math.exp(log) / len(BETS_ON_DIFFERENCES)
    begun = max(min(draw.panel for draw in draws if name in draw.versions) for name in (above, below))
    grid = [-math.inf, *(number / 10 * DEVIATION for number in range(-160, 161)), math.inf]
    for panel in sorted({draw.panel for draw in draws if draw.panel >= begun}):
        worst = min(
            capital(above, panel, high, 1) * capital(below, panel, low, -1) for low, high in pairwise(grid)
        )
        found *= 0.25 + 0.75 * worst
    return found


def some_draws(seed: int) -> list[Draw]:
    lots = random.Random(seed)
    strengths = {"a": 6.0, "b": 1.0, "c": -3.0}
    draws = []
    for number in range(14):
        versions = tuple(sorted(lots.sample(sorted(strengths), lots.choice((1, 1, 2)))))
        rows = tuple(strengths[name] + lots.gauss(0, 2) for name in versions)
        draws.append(Draw(versions, rows, number // 9))
    return [*draws, *(Draw((name,), (strengths[name],), 1) for name in strengths)]


@pytest.mark.parametrize("seed", range(4))
def test_the_evidence_is_what_its_definition_says(seed: int) -> None:
    draws = some_draws(seed)
    known = evidence_of(draws)
    for above, below in permutations("abc", 2):
        assert math.exp(known.log_of(above, below)) == pytest.approx(by_definition(draws, above, below))


def test_it_is_the_same_whenever_it_is_asked() -> None:
    draws = some_draws(5)
    asked = Evidence(DEVIATION)
    for draw in draws:
        if len(draw.versions) == 1:
            asked.placed(*draw.versions, *draw.rows, draw.panel)
        else:
            asked.compared((draw.versions[0], draw.versions[1]), *draw.rows, draw.panel)
        for pair in permutations("abc", 2):
            asked.log_of(*pair)
    later = evidence_of(draws)
    for pair in permutations("abc", 2):
        assert asked.log_of(*pair) == pytest.approx(later.log_of(*pair), abs=1e-12)


def test_nothing_is_known_of_who_has_no_row() -> None:
    known = evidence_of([Draw(("a",), (99.0,))] * 9)
    assert known.log_of("a", "nobody") == known.log_of("nobody", "a") == -math.inf


def test_a_panel_before_a_version_came_says_nothing_about_it() -> None:
    before = [Draw(("a",), (row,), 0) for row in (9.0, 8.0, 9.5)]
    after = [Draw((name,), (row,), 1) for name, row in (("a", 7.0), ("b", -7.0), ("a", 8.0), ("b", -8.0))]
    assert evidence_of(before + after).log_of("a", "b") == evidence_of(after).log_of("a", "b")


LAWS = [(-2.0, 2.0), (-4.0, 1.0, 1.0, 2.0), (-1.0, -1.0, -2.0, 4.0), (0.0,)]
"""Of a row; all values are equally likely, and their mean is 0."""


@pytest.mark.parametrize(
    "law", [pytest.param(law, marks=[pytest.mark.thorough] * (len(law) > 2)) for law in LAWS]
)
def test_equal_versions_are_expected_to_win_nothing_whatever_a_peeker_does(law: tuple[float, ...]) -> None:
    """All ways that a few draws can go. After each of them whoever peeks plays what looks best for a wrong
    statement, sends the second version, changes the panel, or stops. Exactly."""
    comparisons = list(product(law, law)) if len(law) < 3 else []  # Too many to be played in all ways.

    def best(draws: list[Draw], panel: int, left: int) -> float:
        """The most that can be expected of the evidence that a is ahead of b, times its weight."""
        known = evidence_of(draws)
        begun = known.begun("a", "b")
        weight = 1.0 if begun is None else math.exp(log_weight(1, 2, begun) - log_weight(1, 2)) * 0.8
        here = weight * math.exp(known.log_of("a", "b"))
        if not left:
            return here
        kinds = (
            (("a",), [(row,) for row in law]),
            (("b",), [(row,) for row in law]),
            (("a", "b"), comparisons),
        )
        ways = [
            statistics.fmean(best([*draws, Draw(names, rows, panel)], panel, left - 1) for rows in outcomes)
            for names, outcomes in kinds
            if outcomes
        ]
        if panel == 0 and draws:
            ways.append(best(draws, 1, left - 1))
        return max(here, *ways)

    assert best([], 0, 4 if len(law) < 3 else 3) <= 1


def test_pairing_rows_by_their_number_looks_ahead() -> None:
    """The rule that is not ours has a mean above 1 where somebody stops by what is known of the other."""
    by_number, ours = zip(*map(peeked, range(400)), strict=True)
    assert statistics.fmean(by_number) > 1.1
    assert statistics.fmean(ours) < 0.5


def test_all_weights_sum_to_1() -> None:
    total = sum(
        2 * math.exp(log_weight(later, earlier)) for later in range(2, 400) for earlier in range(1, later)
    )
    rest = 0.8 / (1 + math.log(1 + 399 * 398 / 2 / 200))  # The integral of what is left.
    assert total < 0.8 - rest < total + 0.01
    of_panels = sum(math.exp(log_weight(1, 2, panel) - log_weight(1, 2)) for panel in range(50))
    assert of_panels * 0.8 == pytest.approx(1)
    assert log_weight(7, 3) == log_weight(3, 7) > log_weight(8, 1)


@given(st.dictionaries(st.tuples(st.integers(0, 9), st.integers(10, 19)), st.floats(-9, 9), max_size=12))
def test_as_many_statements_stand_as_the_rule_allows(numbers: dict[tuple[int, int], float]) -> None:
    known = {(f"{one}", f"{other}"): value for (one, other), value in numbers.items()}
    allowed = [
        group
        for size in range(len(known) + 1)
        for group in combinations(known, size)
        if all(math.exp(known[pair]) >= 1 / (0.05 * size) * (1 - 1e-12) for pair in group)
    ]
    assert len(standing(known, 0.05)) == max(map(len, allowed))
    assert certain(known, 0.05) == {pair for pair, value in known.items() if math.exp(value) >= 20}
    assert certain(known, 0.05) <= standing(known, 0.05)


@given(st.sets(st.tuples(st.sampled_from("abcdef"), st.sampled_from("abcdef"))))
def test_what_follows_from_several_statements(pairs: set[tuple[str, str]]) -> None:
    found = set(pairs)
    while more := {(a, d) for a, b in found for c, d in found if b == c} - found:
        found |= more
    assert closed(pairs) == found


def test_eight_pods_part_what_is_far_apart() -> None:
    lots = random.Random(8)
    strengths = [22, 19, 17.5, 15, 13, 12.2, 10, 9, 7.5, 6, 5, 3.2, 2, 0, 0]
    known = Evidence(2.6)
    for _ in range(8):
        for number, strength in enumerate(strengths):
            known.placed(f"{number}", strength + lots.gauss(0, 2.6))
    said = standing(
        {
            (f"{one}", f"{other}"): known.log_of(f"{one}", f"{other}") + log_weight(one + 1, other + 1)
            for one, other in combinations(range(len(strengths)), 2)
        }
    )
    far = [
        (f"{one}", f"{other}")
        for one, other in combinations(range(len(strengths)), 2)
        if strengths[one] - strengths[other] >= 8
    ]
    assert sum(pair in said for pair in far) >= 0.95 * len(far)
    assert ("13", "14") not in said
