"""Adjusted gains: small cases by hand, random ones against a second reading of the definition, and the
promise that a forfeit never pays."""

import random
from itertools import permutations

import msgspec
import numpy as np
import pytest
from scipy.stats import t

from tournaments.results import Forfeit, MatchResult
from tournaments.seatings import seatings
from tournaments.statistics import HOUSE, SUBSTITUTE, Estimate, adjusted_gains, gains_by_round


def match(
    entrants: str | tuple[str, ...],
    *gains: tuple[int, ...],
    place: tuple[int, int, int] = (1, 1, 1),
    forfeits: tuple[Forfeit, ...] = (),
) -> MatchResult:
    return MatchResult(*place, tuple(entrants), gains, (1,) * len(entrants), forfeits)


def gain_of(results: list[MatchResult], entrants: str) -> dict[str, float | None]:
    return {name: estimate.gain for name, estimate in adjusted_gains(results, entrants).items()}


# By hand


def test_one_table_is_the_plain_mean() -> None:
    assert gain_of([match("abc", (9, 0, 0), (3, 6, 0))], "abc") == {"a": 3.0, "b": 0.0, "c": -3.0}


def test_gains_are_corrected_for_whom_one_met() -> None:
    """a beats b by 4, b beats c by 2: so a lies 6 above c, whom it has never met."""
    results = [match("ab", (4, 0)), match("bc", (2, 0), place=(1, 2, 1))]
    assert gain_of(results, "abc") == {"a": 3.333333, "b": -0.666667, "c": -2.666667}


def test_house_bots_share_one_strength_and_stay_out_of_the_mean() -> None:
    """Each lies 2 above its house bot, so both are equal, and 0."""
    results = [match(("a", "house-1"), (2, 0)), match(("b", "house-2"), (5, 3), place=(1, 2, 1))]
    assert gain_of(results, "ab") == {"a": 0.0, "b": 0.0, HOUSE: -2.0}


def test_two_house_bots_at_one_table() -> None:
    """a is 3 above the mean of a and twice house: 3 = (a − h) · 2/3."""
    assert gain_of([match(("a", "house-1", "house-2"), (6, 0, 3))], "a") == {"a": 0.0, HOUSE: -4.5}


def test_who_never_shared_a_table_is_not_compared() -> None:
    results = [match("ab", (2, 0)), match("cd", (20, 0), place=(1, 2, 1))]
    assert gain_of(results, "abcd") == {"a": 1.0, "b": -1.0, "c": 10.0, "d": -10.0}


def test_the_withdrawn_are_estimated_but_not_in_the_mean() -> None:
    results = [match("abc", (4, 2, 0))]
    estimates = adjusted_gains(results, "abc", withdrawn=("c",))
    assert {name: estimate.gain for name, estimate in estimates.items()} == {"a": 1.0, "b": -1.0, "c": -3.0}


def test_a_component_without_anybody_ranked_is_centred_as_a_whole() -> None:
    results = [match("ab", (4, 0)), match(("c", "house-1"), (6, 0), place=(1, 2, 1))]
    estimates = adjusted_gains(results, "abc", withdrawn=("c",))
    assert {name: estimate.gain for name, estimate in estimates.items()} == {
        "a": 2.0,
        "b": -2.0,
        "c": 3.0,
        HOUSE: -3.0,
    }


def test_nothing_played_nothing_estimated() -> None:
    assert adjusted_gains([], "ab") == {}
    assert adjusted_gains([match("ab")], "ab") == {}


def test_equal_gains_are_exactly_zero() -> None:
    results = [match("abc", (-7, -7, -7), place=(1, 1, seating)) for seating in (1, 2)]
    results += [match("abc", (5, 5, 5), place=(round_no, 1, 1)) for round_no in (2, 3)]
    estimates = adjusted_gains(results, "abc")
    assert estimates == dict.fromkeys("abc", Estimate(0.0, None, None, component=0))
    assert b"-0" not in msgspec.json.encode(estimates)


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_copies_of_a_deterministic_bot_are_exactly_equal(n: int) -> None:
    """A deal then gives each seat its gain, whoever sits there; and everybody sits everywhere."""
    pod, rng = "abcde"[:n], random.Random(n)
    for _ in range(10):
        deals = [tuple(rng.randrange(-20, 20) for _ in pod) for _ in range(4)]
        results = [
            match(order, *deals, place=(1, 1, seating_no))
            for seating_no, order in enumerate(seatings(pod, range(n)), start=1)
        ]
        estimates = adjusted_gains(results, pod)
        assert estimates == dict.fromkeys(pod, Estimate(0.0, component=0))
        assert b"-0" not in msgspec.json.encode(estimates)


def test_equal_values_are_rounded_alike_on_the_edge() -> None:
    """Two halves with the same gains, in another order of names: 1/128 is 0.0078125 in one and
    0.00781249999999991 in the other, on either side of an edge between two roundings."""
    for seed in range(20):
        rng = random.Random(seed)
        deals = [tuple(rng.randrange(-3, 4) for _ in range(4)) for _ in range(8)]
        results = []
        for pod_no, pod in enumerate(["abcd", "hgfe"], start=1):
            results.append(match(pod, *deals, place=(1, pod_no, 1)))
            for seating_no in (2, 3, 4):
                order = pod[seating_no - 1 :] + pod[: seating_no - 1]
                results.append(match(order, *[(0, 0, 0, 0)] * 8, place=(1, pod_no, seating_no)))
        estimates = adjusted_gains(results, "abcdefgh")
        assert [estimates[name].gain for name in "abcd"] == [estimates[name].gain for name in "hgfe"]


# Intervals by hand


def rounds(entrants: str, *gains: tuple[int, ...]) -> list[MatchResult]:
    """A round of one deal for each of these."""
    return [match(entrants, deal, place=(number, 1, 1)) for number, deal in enumerate(gains, start=1)]


def test_an_interval_by_hand() -> None:
    """a gains 1, 2 and 6 a deal above its table's mean: mean 3, residuals −2, −1, 3. P is 1 over the number
    of deals, so the variance is (4 + 1 + 9) / 9. Each pod is a third of all that is known, so that residuals
    are √⅔ of errors: the variance is 3/2 of that; t has 2 degrees."""
    estimates = adjusted_gains(rounds("ab", (1, -1), (2, -2), (6, -6)), "ab")
    half = t.ppf(0.975, 2) * (14 / 9 * 3 / 2) ** 0.5
    assert estimates["a"] == Estimate(3.0, round(3 - half, 6), round(3 + half, 6), component=0)
    assert estimates["b"] == Estimate(-3.0, round(-3 - half, 6), round(-3 + half, 6), component=0)


def test_deals_and_seatings_of_a_pod_count_once() -> None:
    """As often as they may say the same."""
    once = rounds("ab", (1, -1), (2, -2), (6, -6))
    deals = [match("ab", *result.gains * 9, place=(result.round_no, 1, 1)) for result in once]
    seatings = [*once, *(msgspec.structs.replace(result, seating_no=2) for result in once)]
    assert adjusted_gains(deals, "ab") == adjusted_gains(seatings, "ab") == adjusted_gains(once, "ab")


def test_from_three_pods_on_there_is_an_interval() -> None:
    results = rounds("ab", (1, 0), (2, 0), (3, 0))
    assert adjusted_gains(results[:2], "ab")["a"].low is None
    # Residuals −½, 0, ½ of y = ½, 1, 1½.
    low = adjusted_gains(results, "ab")["a"].low
    assert low == round(1 - t.ppf(0.975, 2) * (0.5 / 9 * 3 / 2) ** 0.5, 6)


def test_one_round_has_no_interval_however_many_deals() -> None:
    chance = random.Random(1)
    deals = [tuple(chance.randrange(-20, 20) for _ in "abcd") for _ in range(60)]
    assert {estimate.low for estimate in adjusted_gains([match("abcd", *deals)], "abcd").values()} == {None}


# Forfeits


def test_a_forfeit_by_hand() -> None:
    """a is faulted in deal 2, where its substitute plays on.

    Deal 1 (a 9, b 0, c 3; mean 4): a's own row counts the lowest, 0 − 4. Deal 2 (substitute −3, b 6, c 3;
    mean 2): a counts −3 − 2, at a table where the substitute sits.
    """
    results = [match("abc", (9, 0, 3), (-3, 6, 3), forfeits=(Forfeit(0, 2, "exited", True),))]
    rows = [  # a, b, c, substitute; y
        ([2, -1, -1, 0], -4),
        ([-1, 2, -1, 0], -4),
        ([-1, -1, 2, 0], -1),
        ([0, -1, -1, 2], -5),
        ([3, -1, -1, -1], -5),
        ([0, 2, -1, -1], 4),
        ([0, -1, 2, -1], 1),
    ]
    x, y = np.array([x for x, _ in rows]) / 3, np.array([y for _, y in rows])
    beta = np.linalg.pinv(x) @ y
    beta -= beta[:3].mean()
    assert gain_of(results, "abc") == pytest.approx(
        dict(zip(("a", "b", "c", SUBSTITUTE), beta, strict=True)), abs=1e-6
    )


def test_a_failed_handshake_counts_from_the_first_deal() -> None:
    at_the_door, at_once = (
        [match("abc", (5, 0, 1), (2, 3, 0), forfeits=(Forfeit(0, deal_no, "handshake", False),))]
        for deal_no in (0, 1)
    )
    assert adjusted_gains(at_the_door, "abc") == adjusted_gains(at_once, "abc")


@pytest.mark.parametrize("faulted", range(5))
def test_crashing_when_behind_does_not_pay(faulted: int) -> None:
    """a is last in every deal, 8.6 below the mean. A forfeit that counted as the lowest of the *others* would
    lift its four deals to +1.75, +2, +1.25 and +2.75. What is left is that rows of tables with a substitute
    weigh a little differently."""
    deals = [(-10, 0, 1, 2), (-12, 1, 0, 3), (-9, 2, 2, 0), (-11, 0, 0, 0)]
    played_on = gain_of([match("abcd", *deals)], "abcd")["a"]
    crashed = gain_of([match("abcd", *deals, forfeits=(Forfeit(0, faulted, "exited", True),))], "abcd")["a"]
    assert played_on is not None
    assert crashed is not None
    assert played_on == -8.5625
    assert crashed == pytest.approx(played_on, abs=0.1)


def test_forfeiting_never_pays_whoever_else_forfeits() -> None:
    """Whatever others do, an entrant that ends its match is not ahead of one that let the very same
    gains come in, nor of what its substitute made of them."""
    rng = random.Random(3)
    paid = 0
    for _ in range(60):
        results = random_tournament(rng, "abcdefgh", forfeits=0.2)
        at = rng.randrange(len(results))
        seat = rng.randrange(len(results[at].entrants))
        others = tuple(forfeit for forfeit in results[at].forfeits if forfeit.seat != seat)
        name = results[at].entrants[seat]
        if name.startswith("house"):
            continue
        stayed, left = (
            [*results[:at], msgspec.structs.replace(results[at], forfeits=forfeits), *results[at + 1 :]]
            for forfeits in (others, (*others, Forfeit(seat, 3, "exited", True)))
        )
        before, after = (gain_of(played, "abcdefgh")[name] for played in (stayed, left))
        assert before is not None
        assert after is not None
        paid += after > before + 1e-6
    assert paid == 0


# Against a second reading


def random_tournament(rng: random.Random, entrants: str, forfeits: float) -> list[MatchResult]:
    """Pods of four, the last filled with house bots; two seatings, three deals."""
    names = [*entrants, *(f"house-{number}" for number in range(1, -len(entrants) % 4 + 1))]
    results = []
    for round_no in range(1, 4):
        rng.shuffle(names)
        for pod_no in range(1, len(names) // 4 + 1):
            pod = names[4 * pod_no - 4 : 4 * pod_no]
            for seating_no in (1, 2):
                pod = pod[1:] + pod[:1]
                gains = [tuple(rng.randrange(-20, 20) for _ in pod) for _ in range(3)]
                fallen = tuple(
                    Forfeit(seat, rng.randrange(4), "exited", True)
                    for seat in range(4)
                    if rng.random() < forfeits
                )
                place = (round_no, pod_no, seating_no)
                results.append(match(tuple(pod), *gains, place=place, forfeits=fallen))
    return results


def naive(results: list[MatchResult], entrants: str) -> dict[str, tuple[float, float, float]]:
    """The definition with dense matrices and loops, minimum norm by pinv; for one connected component. All
    rows of a pod, so that the matrices of the correction are as large as their number."""
    columns = [*entrants, HOUSE, SUBSTITUTE]
    rows, ys, pods, own = [], [], [], []
    for result in results:
        for d in range(len(result.gains)):
            gains = result.gains[d]
            who = []
            for seat, name in enumerate(result.entrants):
                label = name if name in entrants else HOUSE
                fault = [f.deal_no for f in result.forfeits if f.seat == seat]
                who.append((label, bool(fault), bool(fault) and max(fault[0], 1) <= d + 1))
            table = np.zeros(len(columns))
            for label, _, replaced in who:
                table[columns.index(SUBSTITUTE if replaced else label)] += 1 / len(who)
            as_played = [
                (SUBSTITUTE if replaced else label, gains[seat])
                for seat, (label, fallen, replaced) in enumerate(who)
                if replaced or not fallen
            ]
            forfeited = [(label, min(gains)) for label, fallen, _ in who if fallen]
            for label, gain in as_played + forfeited:
                x = -table
                x[columns.index(label)] += 1
                rows.append(x)
                ys.append(gain - np.mean(gains))
                pods.append((result.round_no, result.pod_no))
                own.append(label)
    x, y = np.array(rows), np.array(ys)
    present = [at for at, label in enumerate(columns) if label in own]
    x, columns = x[:, present], [columns[at] for at in present]
    bread = np.linalg.pinv(x.T @ x)
    beta, *_ = np.linalg.lstsq(x, y, rcond=None)
    meat = np.zeros_like(bread)
    for pod in set(pods):
        of_pod = [at for at, of in enumerate(pods) if of == pod]
        left = np.eye(len(of_pod)) - x[of_pod] @ bread @ x[of_pod].T
        values, vectors = np.linalg.eigh(left)
        root = vectors @ np.diag([v**-0.5 if v > 1e-6 else 0.0 for v in values]) @ vectors.T
        score = x[of_pod].T @ root @ (y - x @ beta)[of_pod]
        meat += np.outer(score, score)
    centre = np.eye(len(columns))
    for at in range(len(columns)):
        for name in entrants:
            centre[at, columns.index(name)] -= 1 / len(entrants)
    beta = centre @ beta
    v = centre @ bread @ meat @ bread @ centre.T
    out = {}
    for at, name in enumerate(columns):
        degrees = len({pods[row] for row, label in enumerate(own) if label == name}) - 1
        half = t.ppf(0.975, degrees) * v[at, at] ** 0.5
        out[name] = (beta[at], beta[at] - half, beta[at] + half)
    return out


@pytest.mark.parametrize(
    ("entrants", "forfeits"), [("abcdefgh", 0.0), ("abcdefgh", 0.15), ("abcdefghi", 0.3)]
)
def test_random_tournaments_against_dense_loops(entrants: str, forfeits: float) -> None:
    rng = random.Random(len(entrants))
    for _ in range(5):
        results = random_tournament(rng, entrants, forfeits)
        estimates = adjusted_gains(results, entrants)
        expected = naive(results, entrants)
        assert estimates.keys() == expected.keys()
        for name, estimate in estimates.items():
            if estimate.low is not None:
                found = (estimate.gain, estimate.low, estimate.high)
                assert found == pytest.approx(expected[name], abs=2e-5)
            assert estimate.gain == pytest.approx(expected[name][0], abs=2e-6)


@pytest.mark.parametrize("entrants", ["abcdefg", "abcdefgh"])
def test_sums_carried_from_round_to_round_give_what_all_results_give(entrants: str) -> None:
    """With house bots, forfeits, entrants that leave, and rounds of which no match or only one counts."""
    rng = random.Random(len(entrants))
    for _ in range(10):
        results = random_tournament(rng, entrants, forfeits=0.1)
        last = max(result.round_no for result in results)
        played = [[one for one in results if one.round_no == number] for number in range(1, last + 1)]
        played = [[], played[0][:1], *played[1:]]
        gone = [rng.sample(entrants, rng.randrange(3)) for _ in played]
        so_far: list[MatchResult] = []
        for of_round, left, found in zip(played, gone, gains_by_round(played, entrants, gone), strict=True):
            so_far += of_round
            whole = adjusted_gains(so_far, entrants, left)
            assert found == {name: Estimate(one.gain, component=one.component) for name, one in whole.items()}


def test_the_order_of_arrival_changes_no_byte() -> None:
    rng = random.Random(11)
    results = random_tournament(rng, "abcdefghijk", forfeits=0.1)
    first = msgspec.json.encode(adjusted_gains(results, "abcdefghijk"))
    for _ in range(10):
        rng.shuffle(results)
        assert msgspec.json.encode(adjusted_gains(results, "kjihgfedcba")) == first


def test_seats_do_not_matter() -> None:
    gains = dict(zip("abcd", (3, -1, 4, 8), strict=True))
    expected = {"a": -0.5, "b": -4.5, "c": 0.5, "d": 4.5}
    for order in permutations("abcd"):
        assert gain_of([match(order, tuple(gains[name] for name in order))], "abcd") == expected
