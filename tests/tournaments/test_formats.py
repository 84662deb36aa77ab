"""Formats: what Swiss draws from what has happened; and what the light modules do not load."""

import subprocess
import sys

import pytest

from protocol.streams import pairing_stream
from tournaments.formats import FORMATS, Field, format_named, house_bots
from tournaments.pairing import cost, meetings
from tournaments.results import MatchResult, Pod, Round, Tally, total_scores

SWISS = format_named("swiss")


def names(count: int) -> Pod:
    return tuple(f"e{number:02}" for number in range(count))


def result(round_no: int, pod_no: int, pod: Pod) -> MatchResult:
    """The earlier name wins."""
    order = sorted(pod)
    placings = tuple(order.index(name) + 1 for name in pod)
    return MatchResult(round_no, pod_no, 1, pod, (tuple(-p for p in placings),), placings, ())


def whole(entrants: Pod, pod_size: int, rounds: int) -> tuple[Round, ...]:
    """All rounds of a tournament, drawn one after the other."""
    drawn: tuple[Round, ...] = ()
    results: tuple[MatchResult, ...] = ()
    while (pods := SWISS.draw(Field(entrants, pod_size, rounds, "7", drawn, results))) is not None:
        drawn = (*drawn, pods)
        results += tuple(result(len(drawn), pod_no, pod) for pod_no, pod in enumerate(pods, start=1))
    return drawn


@pytest.mark.parametrize(("entrants", "rounds"), [(2, 6), (8, 6), (64, 6), (65, 7), (128, 7), (1024, 10)])
def test_rounds_by_default(entrants: int, rounds: int) -> None:
    assert SWISS.default_rounds(entrants, 4) == rounds


@pytest.mark.parametrize("pod_size", range(2, 9))
@pytest.mark.parametrize("count", [*range(2, 9), 13])
def test_everybody_sits_in_one_pod_of_every_round(count: int, pod_size: int) -> None:
    entrants = names(count)
    everybody = (*entrants, *house_bots(count, pod_size))
    drawn = whole(entrants, pod_size, 3)
    assert len(drawn) == 3
    for pods in drawn:
        assert sorted(name for pod in pods for name in pod) == sorted(everybody)
        assert {len(pod) for pod in pods} == {pod_size}


def test_house_bots_fill_the_last_pod() -> None:
    assert house_bots(4, 4) == ()
    assert house_bots(5, 4) == ("house-1", "house-2", "house-3")
    assert whole(("b", "a"), 4, 1) == ((("a", "b", "house-1", "house-2"),),)


def test_the_first_round_is_drawn_by_lot_and_the_order_of_entering_does_not_matter() -> None:
    (first,) = whole(names(8), 4, 1)
    lot = pairing_stream("7", 1).shuffled(names(8))
    assert {frozenset(pod) for pod in first} == {frozenset(lot[:4]), frozenset(lot[4:])}
    assert whole(names(8)[::-1], 4, 3) == whole(names(8), 4, 3)


def test_later_rounds_avoid_repeats_first_and_bring_like_scores_together() -> None:
    drawn = whole(names(16), 4, 3)
    results = [result(1, pod_no, pod) for pod_no, pod in enumerate(drawn[0], start=1)]
    scores = total_scores(results)
    met = meetings(drawn[:1], names(16))
    assert cost(drawn[1], scores, met) == (0, 0, 0, 0)  # the four winners meet, the four second, and so on
    assert cost(drawn[2], {}, meetings(drawn[:2], names(16))).repeats == 0


def test_what_is_won_from_a_house_bot_pairs_nobody() -> None:
    """a beat c and b beat d; e beat house-1, which is a tie. The winners meet, and not e."""
    drawn = ((("a", "c"), ("b", "d"), ("e", "house-1")),)
    results = tuple(MatchResult(1, n, 1, pod, (), (1, 2), ()) for n, pod in enumerate(drawn[0], start=1))
    field = Field(tuple("abcde"), 2, 3, "7", drawn, results)
    assert total_scores(results) == {"a": 2, "c": 0, "b": 2, "d": 0, "e": 1, "house-1": 0}
    assert SWISS.draw(field) == (("a", "b"), ("e", "c"), ("d", "house-1"))


def test_house_bots_go_round() -> None:
    """And do not stay with the weakest."""
    met = Tally.of(whole(names(21), 4, 4)).house_met
    assert set(met) == set(names(21))
    assert set(met.values()) == {1, 2}


def test_the_withdrawn_are_drawn_no_more_and_house_bots_take_the_places() -> None:
    drawn = ((("a", "b", "c"), ("d", "e", "f")),)
    field = Field(tuple("abdef"), 3, 3, "7", drawn, ())
    pods = SWISS.draw(field)
    assert pods is not None
    assert sorted(name for pod in pods for name in pod) == ["a", "b", "d", "e", "f", "house-1"]


def test_it_is_over_after_the_last_round_or_when_one_is_left() -> None:
    assert SWISS.draw(Field(("a", "b"), 2, 1, "7", ((("a", "b"),),), ())) is None
    assert SWISS.draw(Field(("a",), 2, 3, "7", (), ())) is None


@pytest.mark.parametrize("entrants", [("a", "a"), ("a", "house-1")])
def test_names_that_cannot_be_told_apart_are_refused(entrants: Pod) -> None:
    with pytest.raises(ValueError, match="name"):
        Field(entrants, 2, 3, "7", (), ())


def test_an_unknown_format_is_an_error() -> None:
    with pytest.raises(KeyError):
        format_named("chess960")


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_has_what_a_format_has(name: str) -> None:
    found = format_named(name)
    assert found.default_rounds(2, 4) >= 1
    assert found.draw(Field(("a", "b"), 2, 0, "7", (), ())) is None


def test_listing_formats_loads_no_numpy() -> None:
    """numpy and scipy take half a second that `--help` does not have."""
    light = "import tournaments.formats, tournaments.results, tournaments.seatings, sys"
    code = f"{light}; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
