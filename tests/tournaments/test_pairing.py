"""Pairing against brute force where that is possible, and by its promises where it is not."""

import random
from collections.abc import Iterator
from itertools import combinations

import pytest

from protocol.streams import Stream, pairing_stream
from tournaments.pairing import Cost, cost, first_pods, meetings, next_pods
from tournaments.results import Pod, Round


def names(count: int) -> tuple[str, ...]:
    return tuple(f"e{number:04}" for number in range(count))


def partitions(items: Pod, size: int) -> Iterator[Round]:
    if not items:
        yield ()
        return
    first, *others = items
    for mates in combinations(others, size - 1):
        left = tuple(item for item in others if item not in mates)
        for pods in partitions(left, size):
            yield ((first, *mates), *pods)


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


def test_the_cost_of_a_drawing_by_hand() -> None:
    rounds = [(("a", "b", "house-1"), ("c", "d", "house-2")), (("a", "b", "c"), ("d", "house-1", "house-2"))]
    met = meetings(rounds, "abcd")
    assert met == {("a", "b"): 2, ("c", "d"): 1, ("a", "c"): 1, ("b", "c"): 1}
    scores = {"a": 5, "b": 3, "house-1": 2, "d": 1}
    # b–a have met twice; gaps 2² + 3² + 1².
    assert cost([("b", "a", "house-1")], scores, met) == Cost(repeats=2, same_author=0, gaps=14)
    # d–house-1 and d–house-2 have met, which is no repeat; c and house-2 have no score.
    assert cost([("d", "house-1", "house-2")], scores, met) == Cost(repeats=0, same_author=0, gaps=1 + 1 + 4)


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
    assert [repeats for repeats, _, _ in costs] == [0] * 9


def test_a_thousand_entrants_do_not_meet_again() -> None:
    costs = play(1024, rounds=4, size=4, seed=1)
    assert [repeats for repeats, _, _ in costs] == [0] * 3


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
    entrants, size, rounds = names(1024), 8, 20
    pods = tuple(tuple(entrants[at : at + size]) for at in range(0, 1024, size))
    best = rounds * size * 2 * (size - 1)
    scores = {name: best if at % 2 else 0 for at, name in enumerate(entrants)}
    repeats, _, gaps = cost(pods, scores, meetings([pods] * rounds, entrants))
    mean = best // 2
    assert gaps <= size * sum((score - mean) ** 2 for score in scores.values())
    assert repeats * (1 + size * sum((score - mean) ** 2 for score in scores.values())) + gaps < 2**53
