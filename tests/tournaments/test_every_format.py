"""Every format through whole tournaments, from two entrants and in every pod size, with entrants who come
and go; each drawn round before the independent checker."""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations

import msgspec
import pytest

from protocol.streams import lot_stream
from tests.support.changing import come_and_go, names, play
from tests.tournaments.checker import complaints, house
from tournaments.formats import FORMATS, Field, format_named
from tournaments.knockout import KnockoutResult, course
from tournaments.results import MatchResult, Pod, Round

COUNTS = (2, 5, 9)
MORE_COUNTS = (3, 4, 6, 7, 8, 12, 13, 20, 32)


def judged(format: str, played: Iterator[tuple[Field, Round]]) -> int:
    """The number of rounds, none of which gives cause for complaint."""
    rounds = 0
    for field, pods in played:
        assert complaints(format, field, pods) == []
        rounds += 1
    return rounds


@pytest.mark.parametrize("pod_size", range(2, 9))
@pytest.mark.parametrize("format", FORMATS)
def test_every_round_of_every_format(format: str, pod_size: int) -> None:
    """And as many pods as were foretold."""
    for count in COUNTS:
        played = list(play(format, count, pod_size))
        assert judged(format, iter(played)) >= 1
        field, _ = played[0]
        foretold = format_named(format).pods_by_round(count, pod_size, field.rounds, len(field.challengers))
        assert [len(pods) for _, pods in played] == foretold


@pytest.mark.parametrize("pod_size", [2, 3, 4])
@pytest.mark.parametrize("format", FORMATS)
def test_entrants_come_and_go(format: str, pod_size: int) -> None:
    for count in COUNTS:
        judged(format, play(format, count, pod_size, come_and_go))


@pytest.mark.thorough
@pytest.mark.parametrize(
    "pod_size",  # Large pods take 20 s of processor each.
    [*range(2, 6), *(pytest.param(size, marks=pytest.mark.exhaustive) for size in range(6, 9))],
)
@pytest.mark.parametrize("format", FORMATS)
def test_fields_of_many_sizes(format: str, pod_size: int) -> None:
    for count in MORE_COUNTS:
        judged(format, play(format, count, pod_size))
        judged(format, play(format, count, pod_size, come_and_go))


@pytest.mark.thorough  # 3 s of processor.
@pytest.mark.parametrize("format", FORMATS)
def test_any_prefix_goes_on_to_the_same_rounds(format: str) -> None:
    """As entrants and results stand in a journal: their order changes nothing."""
    for field, pods in play(format, 13, 4, come_and_go):
        again = msgspec.structs.replace(field, entrants=field.entrants[::-1], results=field.results[::-1])
        assert format_named(format).draw(again) == pods


# What only one format promises


@pytest.mark.thorough  # 1 s of processor.
@pytest.mark.parametrize(
    ("pod_size", "count", "rounds", "often"),
    [
        (2, 5, 5, {1}),
        (2, 8, 7, {1}),
        (3, 9, 4, {1}),
        (3, 13, 9, {1, 2}),
        (4, 3, 1, {1}),
        (4, 8, 6, {2, 3}),
        (4, 16, 5, {1}),
        (4, 24, 10, {1, 2}),
        (8, 16, 14, {6, 7}),
    ],
)
def test_a_round_robin_goes_on_until_all_have_met_alike(
    pod_size: int, count: int, rounds: int, often: set[int]
) -> None:
    drawn = [pods for _, pods in play("round-robin", count, pod_size)]
    met = Counter(two for pods in drawn for pod in pods for two in combinations(sorted(pod), 2))
    assert len(drawn) == rounds
    assert {met[two] for two in combinations(names(count), 2)} == often


@pytest.mark.thorough  # 2 s of processor.
def test_where_large_pods_cannot_be_even_all_have_met_at_least() -> None:
    drawn = [pods for _, pods in play("round-robin", 12, 5)]
    met = {two for pods in drawn for pod in pods for two in combinations(sorted(pod), 2)}
    assert met >= set(combinations(names(12), 2))


@pytest.mark.parametrize("pod_size", range(2, 9))
def test_every_challenger_meets_all_others(pod_size: int) -> None:
    for count in range(2, 15):
        drawn = [pods for _, pods in play("gauntlet", count, pod_size)]
        challengers = names(count)[: max(1, count // 4)]
        met = Counter((pod[0], name) for pods in drawn for pod in pods for name in pod[1:])
        often = {met[one, other] for one in challengers for other in set(names(count)) - set(challengers)}
        assert often <= {1, 2}
        assert 1 in often


def test_a_gauntlet_without_challengers_is_over() -> None:
    field = Field(("a", "b"), 2, 3, "7", (), (), {}, ("gone",))
    assert format_named("gauntlet").draw(field) is None


@pytest.mark.thorough  # 3 s of processor.
@pytest.mark.parametrize("format", ["knockout", "swiss+knockout"])
@pytest.mark.parametrize("pod_size", range(2, 9))
def test_a_knockout_ends_with_one_pod(format: str, pod_size: int) -> None:
    for count in (*COUNTS, 13, 32):
        *_, (_, final) = play(format, count, pod_size)
        assert len(final) == 1


def test_a_knockout_by_hand() -> None:
    """Seeds are lots before anything is played. In round 1 of pods of two a beats d and b beats house-1;
    c is out against e. A tie with a house bot puts b last; a and e have as many points, and no pod connects
    them, so that it is the lot by which a has the house bot."""
    knockout = format_named("knockout")

    def won(round_no: int, pod_no: int, pod: Pod, by: int) -> MatchResult:
        return MatchResult(round_no, pod_no, 1, pod, ((by, 0),), (1, 2) if by else (1, 1), ())

    first = (("a", "d"), ("b", "house-1"), ("e", "c"))
    results = (won(1, 1, ("a", "d"), 5), won(1, 2, ("b", "house-1"), 1), won(1, 3, ("e", "c"), 9))
    field = Field(tuple("abcde"), 2, 4, "7", (first,), results)
    lot = lot_stream("7").shuffled("abcde")
    assert lot.index("a") < min(lot.index("e"), lot.index("c"))
    assert knockout.draw(field) == (("a", "house-1"), ("e", "b"))


def test_how_far_each_came() -> None:
    """In pods of two a beats d and b beats c, then a beats b."""
    first, final = (("a", "d"), ("b", "c")), (("a", "b"),)
    results = tuple(
        MatchResult(*place, 1, pod, ((1, 0),), (1, 2), ())
        for place, pod in (((1, 1), first[0]), ((1, 2), first[1]), ((2, 1), final[0]))
    )
    field = Field(tuple("abcd"), 2, 2, "7", (first,), results[:2])
    assert course(field, over=False) == KnockoutResult(None, None, dict.fromkeys("adbc", 1))
    field = msgspec.structs.replace(field, drawn=(first, final))
    assert course(field, over=False) == KnockoutResult(None, 2, {"a": 2, "d": 1, "b": 2, "c": 1})
    whole = msgspec.structs.replace(field, results=results)
    assert course(whole, over=True) == KnockoutResult("a", 2, {"a": 2, "d": 1, "b": 2, "c": 1})
    stopped = msgspec.structs.replace(whole, drawn=(first,), results=results[:2])
    assert course(stopped, over=True).winner is None  # two are left


def test_a_tie_goes_to_the_better_gain_and_then_to_the_lot() -> None:
    knockout = format_named("knockout")
    first = (("a", "b"), ("c", "d"))
    even = tuple(MatchResult(1, n, 1, pod, ((1, 1),), (1, 1), ()) for n, pod in enumerate(first, start=1))
    winners = [
        frozenset(
            name for pod in knockout.draw(Field(tuple("abcd"), 2, 2, seed, (first,), even)) for name in pod
        )
        for seed in map(str, range(40))
    ]
    assert len(set(winners)) == 4  # each of a, b with each of c, d
    # All tie on the score, but b and c gained in one of two deals that the placings do not show.
    uneven = tuple(
        msgspec.structs.replace(result, gains=((0, 2) if result.pod_no == 1 else (2, 0),)) for result in even
    )
    field = Field(tuple("abcd"), 2, 2, "7", (first,), uneven)
    assert {name for pod in knockout.draw(field) for name in pod} == {"b", "c"}


def test_eight_go_from_swiss_to_the_knockout() -> None:
    played = list(play("swiss+knockout", 13, 4))
    assert [sum(not house(name) for pod in pods for name in pod) for _, pods in played] == [13] * 6 + [8, 4]


# Authors


def test_bots_of_one_author_are_kept_apart_where_that_costs_no_repeat() -> None:
    swiss = format_named("swiss")
    entrants = names(16)
    authors = {name: f"author {at % 4}" for at, name in enumerate(entrants)}
    for seed in map(str, range(10)):
        pods = swiss.draw(Field(entrants, 4, 3, seed, (), (), authors))
        assert all(len({authors[name] for name in pod}) == 4 for pod in pods)


def test_house_bots_are_spread() -> None:
    for seed in map(str, range(10)):
        pods = format_named("swiss").draw(Field(names(13), 4, 3, seed, (), ()))
        assert sorted(sum(map(house, pod)) for pod in pods) == [0, 1, 1, 1]


def test_an_author_comes_before_scores_and_behind_repeats() -> None:
    first = (("a", "b"), ("c", "d"))
    won = tuple(MatchResult(1, n, 1, pod, (), (1, 2), ()) for n, pod in enumerate(first, start=1))
    field = Field(tuple("abcd"), 2, 3, "7", (first,), won, {"a": "x", "c": "x"})
    swiss = format_named("swiss")
    assert swiss.draw(field) == (("a", "d"), ("c", "b"))  # and not the winners a–c
    everything_else = msgspec.structs.replace(field, drawn=(first, (("a", "d"), ("c", "b"))))
    assert swiss.draw(everything_else) == (("a", "c"), ("b", "d"))
