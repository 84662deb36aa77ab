"""Pairing against brute force where that is possible, and by its promises where it is not."""

import random
import tracemalloc
from itertools import combinations

import pytest

from protocol.streams import Stream, pairing_stream
from tests.tournaments.partitions import number_of_partitions, partitions, price
from tournaments import pairing
from tournaments.pairing import (
    ENUMERATED,
    Cost,
    cheapest_exchanges,
    cost,
    first_pods,
    meetings,
    next_pods,
    number_of_pairings,
)
from tournaments.results import Pod, Round, Tally, is_house


def names(count: int) -> tuple[str, ...]:
    return tuple(f"e{number:04}" for number in range(count))


def random_rounds(rng: random.Random, entrants: Pod, size: int, count: int) -> list[Round]:
    def one() -> Round:
        order = rng.sample(entrants, len(entrants))
        return tuple(tuple(order[at : at + size]) for at in range(0, len(order), size))

    return [one() for _ in range(count)]


@pytest.mark.parametrize(("count", "size"), [(4, 2), (6, 2), (8, 2), (6, 3), (9, 3), (8, 4)])
def test_small_fields_are_drawn_as_well_as_brute_force_can(count: int, size: int) -> None:
    entrants = names(count)
    every = list(partitions(entrants, size))
    rng = random.Random(count * size)
    for trial in range(40):
        played = random_rounds(rng, entrants, size, rng.randrange(9))
        scores = {name: rng.randrange(30) for name in entrants}
        met = meetings(played, entrants)
        drawn = next_pods(entrants, size, Stream(f"{trial}"), scores, met)
        assert sorted(sum(drawn, ())) == list(entrants)
        assert cost(drawn, scores, met) == min(cost(pods, scores, met) for pods in every)


def test_of_a_small_field_it_is_the_first_of_all_cheapest_drawings() -> None:
    entrants = names(9)
    rng = random.Random(9)
    assert number_of_pairings(9, 3) == number_of_partitions(9, 3) <= ENUMERATED < number_of_pairings(16, 4)
    for trial in range(20):
        scores = {name: rng.randrange(4) for name in entrants}
        met = meetings(random_rounds(rng, entrants, 3, rng.randrange(4)), entrants)
        in_order = tuple(sorted(entrants, key=lambda name: -scores[name]))
        due = min(partitions(in_order, 3), key=lambda pods: cost(pods, scores, met))
        assert next_pods(entrants, 3, Stream(f"{trial}"), scores, met) == due


def test_a_round_of_version_1_stays_what_it_was() -> None:
    entrants = names(9)
    met = meetings([(entrants[:3], entrants[3:6], entrants[6:])], entrants)
    scores = {name: at * 7 % 5 for at, name in enumerate(entrants)}
    drawn = next_pods(entrants, 3, Stream("1"), scores, met, version=1)
    assert drawn == (("e0002", "e0007", "e0004"), ("e0001", "e0006", "e0003"), ("e0008", "e0000", "e0005"))


def test_the_cost_of_a_drawing_by_hand() -> None:
    rounds = [(("a", "b", "house-1"), ("c", "d", "house-2")), (("a", "b", "c"), ("d", "house-1", "house-2"))]
    met = meetings(rounds, "abcd")
    assert met == {("a", "b"): 2, ("c", "d"): 1, ("a", "c"): 1, ("b", "c"): 1}
    house = Tally.of(rounds).house_met
    assert house == {"a": 1, "b": 1, "c": 1, "d": 3}
    scores = {"a": 5, "b": 3, "d": 1}
    # b–a have met twice, each one house bot; the gap is 2², and house bots are no gap away.
    assert cost([("b", "a", "house-1")], scores, met, {}, house) == Cost(4, 0, house=2, gaps=4)
    # d has met three, and meets two.
    author = {"house-1": "house", "house-2": "house"}
    assert cost([("d", "house-1", "house-2")], scores, met, author, house) == Cost(0, 1, house=18, gaps=0)


def test_one_repeat_outweighs_any_gap() -> None:
    met = meetings([(("a", "b"), ("c", "d"))], "abcd")
    drawn = next_pods(tuple("abcd"), 2, Stream("x"), {"a": 1000, "b": 999, "c": 1, "d": 0}, met)
    assert drawn == (("a", "c"), ("b", "d"))


def test_without_repeats_those_who_stand_alike_meet() -> None:
    scores = {"a": 3, "b": 9, "c": 9, "d": 0, "e": 4, "f": 1}
    assert next_pods(tuple("abcdef"), 2, Stream("x"), scores, {}) == (("b", "c"), ("e", "a"), ("f", "d"))


def test_equals_are_drawn_by_pairing_number() -> None:
    entrants = names(16)
    in_order = tuple(entrants[at : at + 4] for at in range(0, 16, 4))
    assert next_pods(entrants, 4, Stream("x"), {}, {}) == in_order
    assert next_pods(entrants, 4, Stream("x"), {}, meetings([(entrants,)], entrants)) == in_order


@pytest.mark.parametrize(("count", "size"), [(4, 2), (6, 2), (6, 3)])
def test_of_equally_cheap_drawings_the_first_in_order_is_taken(count: int, size: int) -> None:
    entrants = names(count)
    rng = random.Random(count * size)
    for trial in range(40):
        met = meetings(random_rounds(rng, entrants, size, 2), entrants)
        scores = {name: rng.randrange(2) for name in entrants}
        ranked = tuple(sorted(entrants, key=lambda name: -scores[name]))
        every = list(partitions(ranked, size))  # comes in that order
        cheapest = min(every, key=lambda pods: cost(pods, scores, met))
        assert next_pods(entrants, size, Stream(f"{trial}"), scores, met) == cheapest


def test_the_first_round_is_a_shuffle() -> None:
    drawn = first_pods(tuple("abcdef"), 3, pairing_stream("7", 1))
    shuffled = pairing_stream("7", 1).shuffled("abcdef")
    assert set(drawn) == {tuple(sorted(shuffled[:3])), tuple(sorted(shuffled[3:]))}
    assert drawn[0][0] == "a"


def play(count: int, rounds: int, size: int, seed: int) -> list[Cost]:
    """Costs of the drawings of one tournament."""
    entrants, rng = names(count), random.Random(seed)
    strength = {name: rng.gauss(0, 1) for name in entrants}
    scores = dict.fromkeys(entrants, 0)
    drawn = [first_pods(entrants, size, pairing_stream(str(seed), 1))]
    costs = []
    for round_no in range(2, rounds + 1):
        for pod in drawn[-1]:
            for _ in range(size):
                worst_first = sorted(pod, key=lambda name: strength[name] + rng.gauss(0, 1))
                for place, name in enumerate(worst_first):
                    scores[name] += 2 * place
        met = meetings(drawn, entrants)
        drawn.append(next_pods(entrants, size, pairing_stream(str(seed), round_no), scores, met))
        costs.append(cost(drawn[-1], scores, met))
    return costs


def test_128_entrants_never_meet_again_in_ten_rounds() -> None:
    costs = play(128, rounds=10, size=4, seed=1)
    assert [of_round.repeats for of_round in costs] == [0] * 9


@pytest.mark.thorough  # A thousand in four rounds; 128 are above.
def test_a_thousand_entrants_do_not_meet_again() -> None:
    costs = play(1024, rounds=4, size=4, seed=1)
    assert [of_round.repeats for of_round in costs] == [0] * 3


def test_the_same_inputs_give_the_same_pods() -> None:
    entrants, rng = names(32), random.Random(5)
    rounds = random_rounds(rng, entrants, 4, 6)
    scores = {name: rng.randrange(100) for name in entrants}
    drawn = [
        next_pods(entrants, 4, pairing_stream("5", 7), scores, meetings(history, entrants))
        for history in (rounds, rounds[::-1])
    ]
    assert drawn[0] == drawn[1]


def test_costs_stay_exact_in_float64_at_a_thousand_entrants() -> None:
    """The dearest drawing of a large field: half has won everything, the same pods every round."""
    entrants, size, rounds = names(1024), 8, 16
    pods = tuple(tuple(entrants[at : at + size]) for at in range(0, 1024, size))
    best = rounds * size * 2 * (size - 1)
    scores = {name: best if at % 2 else 0 for at, name in enumerate(entrants)}
    repeats, _, _, gaps = cost(pods, scores, meetings([pods] * rounds, entrants))
    mean = best // 2
    assert gaps <= size * sum((score - mean) ** 2 for score in scores.values())
    assert repeats * (1 + size * sum((score - mean) ** 2 for score in scores.values())) + gaps < 2**53


# Small fields with house bots, and large fields


FIELDS = [(5, 3), (7, 3), (8, 3), (5, 4), (6, 4), (7, 4), (9, 4), (6, 5), (9, 5), (7, 6), (11, 6)]


def optimal_rounds(count: int, size: int, rounds: int, seed: str) -> int:
    """How many rounds of a tournament, each drawn after those before, are as cheap as any partition is."""
    rng = random.Random(f"{count}/{size}/{seed}")
    entrants = names(count)
    everybody = (*entrants, *(f"house-{number}" for number in range(1, -count % size + 1)))
    written = {name: f"author {at // 2}" for at, name in enumerate(entrants) if at % 3}
    authors = {**written, **dict.fromkeys(everybody[count:], "house")}
    every = list(partitions(everybody, size))
    drawn = [first_pods(everybody, size, pairing_stream(seed, 1), authors)]
    scores = dict.fromkeys(entrants, 0)
    optimal = 0
    for round_no in range(2, rounds + 1):
        scores = {name: score + rng.randrange(20) for name, score in scores.items()}
        met, house = meetings(drawn, entrants), Tally.of(drawn).house_met
        pods = next_pods(everybody, size, pairing_stream(seed, round_no), scores, met, authors, house)
        found = price(pods, drawn, scores, written)
        assert tuple(found) == cost(pods, scores, met, authors, house)
        # Pairs are priced once; a partition is the sum of its pods.
        of_pod = {pod: price((pod,), drawn, scores, written) for pod in combinations(everybody, size)}
        costs = ([sum(part) for part in zip(*[of_pod[pod] for pod in pods], strict=True)] for pods in every)
        optimal += found == min(costs)
        drawn.append(pods)
    return optimal


@pytest.mark.parametrize(("count", "size"), FIELDS)
def test_fields_with_house_bots_are_drawn_as_well_as_brute_force_can(count: int, size: int) -> None:
    assert optimal_rounds(count, size, rounds=4, seed="1") == 3


@pytest.mark.thorough
@pytest.mark.parametrize(("count", "size"), [*FIELDS, (12, 4), (12, 6), (12, 3), (10, 5), (8, 4)])
def test_ten_rounds_are_each_drawn_as_well_as_brute_force_can(count: int, size: int) -> None:
    assert optimal_rounds(count, size, rounds=10, seed="2") == 9


@pytest.mark.parametrize("count", [5, 6, 7])
def test_nobody_meets_three_times_in_three_rounds(count: int) -> None:
    entrants = names(count)
    everybody = (*entrants, *(f"house-{number}" for number in range(1, -count % 4 + 1)))
    authors = dict.fromkeys(everybody[count:], "house")
    for seed in map(str, range(10)):
        rng = random.Random(seed)
        drawn = [first_pods(everybody, 4, pairing_stream(seed, 1), authors)]
        for round_no in (2, 3):
            scores = {name: rng.randrange(40) for name in entrants}
            met, house = meetings(drawn, entrants), Tally.of(drawn).house_met
            drawn.append(next_pods(everybody, 4, pairing_stream(seed, round_no), scores, met, authors, house))
        assert max(meetings(drawn, entrants).values()) == 2


def test_house_bots_go_round() -> None:
    """Three of them and 21 entrants of fixed order, the weakest of whom would always sit beside them."""
    entrants = names(21)
    everybody = (*entrants, "house-1", "house-2", "house-3")
    authors = dict.fromkeys(everybody[21:], "house")
    drawn: list[Round] = []
    for round_no in range(1, 5):
        scores = {name: round_no * at for at, name in enumerate(entrants)}
        stream = pairing_stream("1", round_no)
        met, house = meetings(drawn, entrants), Tally.of(drawn).house_met
        drawn.append(next_pods(everybody, 4, stream, scores, met, authors, house))
        assert sorted(sum(map(is_house, pod)) for pod in drawn[-1]) == [0, 0, 0, 1, 1, 1]
    assert cost(drawn[-1], {}, meetings(drawn[:-1], entrants)).repeats == 0
    assert set(Tally.of(drawn).house_met.values()) == {1, 2}
    assert len(Tally.of(drawn).house_met) == 21


def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pairing, "BLOCK", 64)


def test_a_large_field_is_drawn_in_blocks_as_well_as_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    at_once = play(256, rounds=6, size=4, seed=3)
    small_blocks(monkeypatch)
    in_blocks = play(256, rounds=6, size=4, seed=3)
    assert [of_round.repeats for of_round in in_blocks] == [0] * 5
    gaps = [sum(of_round.gaps for of_round in costs) for costs in (in_blocks, at_once)]
    assert gaps[0] <= 2 * gaps[1]


def test_one_author_at_the_end_of_a_large_field_is_kept_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last 40 of 256 are copies by one author, with one score: most of a block."""
    small_blocks(monkeypatch)
    entrants = names(256)
    authors = dict.fromkeys(entrants[216:], "one")
    scores = {name: 0 if name in authors else 400 - at for at, name in enumerate(entrants)}
    pods = next_pods(entrants, 4, Stream("x"), scores, {}, authors)
    assert sorted(sum(pods, ())) == list(entrants)
    assert cost(pods, scores, {}, authors).same_author == 0
    assert cost(first_pods(entrants, 4, Stream("x"), authors), scores, {}, authors).same_author == 0


def test_who_has_met_the_whole_block_meets_others(monkeypatch: pytest.MonkeyPatch) -> None:
    small_blocks(monkeypatch)
    entrants = names(256)
    scores = {name: -at // 64 + 4 for at, name in enumerate(entrants)}
    met = {pair: 1 for at in range(0, 256, 64) for pair in combinations(entrants[at : at + 64], 2)}
    assert cost(next_pods(entrants, 4, Stream("x"), scores, met), scores, met).repeats == 0


def test_the_cheapest_exchanges_of_a_large_field_are_those_found_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    entrants, rng = names(128), random.Random(4)
    rounds = random_rounds(rng, entrants, 4, 5)
    scores = {name: rng.randrange(40) for name in entrants}
    met = meetings(rounds[:-1], entrants)
    at_once = cheapest_exchanges(rounds[-1], scores, met)
    small_blocks(monkeypatch)
    assert cheapest_exchanges(rounds[-1], scores, met) == at_once


def test_a_large_field_needs_no_matrix_of_all_with_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """1,024 with 1,024 are 8 MiB of weights."""
    small_blocks(monkeypatch)
    entrants, rng = names(1024), random.Random(6)
    scores = {name: rng.randrange(200) for name in entrants}
    met = meetings(random_rounds(rng, entrants, 4, 2), entrants)
    tracemalloc.start()
    pods = next_pods(entrants, 4, Stream("x"), scores, met)
    cheapest_exchanges(pods, scores, met)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert cost(pods, scores, met).repeats == 0
    assert peak < 4 * 2**20


@pytest.mark.thorough
def test_ten_thousand_entrants_do_not_meet_again() -> None:
    costs = play(10_000, rounds=4, size=4, seed=1)
    assert [of_round.repeats for of_round in costs] == [0] * 3


def test_a_hundred_rounds_do_not_overflow() -> None:
    """Nine in pods of eight: everybody has met hundreds of house bots, and everybody else eighty times."""
    entrants = names(9)
    everybody = (*entrants, *(f"house-{number}" for number in range(1, 8)))
    authors = dict.fromkeys(everybody[9:], "house")
    scores = {name: 1000 * at for at, name in enumerate(entrants)}
    met = dict.fromkeys(combinations(entrants, 2), 80) | {("e0000", "e0008"): 79}
    house = dict.fromkeys(entrants, 400)
    pods = next_pods(everybody, 8, Stream("x"), scores, met, authors, house)
    of_house = [sum(map(is_house, pod)) for pod in pods]
    assert sorted(of_house) == [3, 4]
    assert any({"e0000", "e0008"} <= set(pod) for pod in pods)
