"""Explaining a drawing: by hand, and every exchange against the independent checker's prices."""

import random
from itertools import combinations

from tests.support.changing import play
from tests.tournaments.checker import complaints
from tournaments.explain import PodMeeting, Swap, before_each_round, explain
from tournaments.formats import Field
from tournaments.pairing import Cost, cost, meetings
from tournaments.results import MatchResult, Tally, total_scores


def test_by_hand() -> None:
    """Round 1: a beat b, c beat d. In round 2 the winners meet, a and c, and the losers."""
    first = (("a", "b"), ("c", "d"))
    won = tuple(MatchResult(1, n, 1, pod, (), (1, 2), ()) for n, pod in enumerate(first, start=1))
    drawn = (first, (("a", "c"), ("b", "d")))
    field = Field(tuple("abcd"), 2, 2, "7", drawn, won, {"a": "x", "d": "x"})
    _, second = before_each_round(field)
    one, two = explain(second, drawn[1])
    assert one.scores == {"a": 1.0, "c": 1.0}
    assert one.meetings == (PodMeeting("a", "c", met=0, gap=0, same_author=False),)
    assert one.cost == Cost(0, 0, 0, 0)
    # a for b gives b–c and a–d: one author, and gaps of 2² twice.
    assert one.exchange == Swap("a", "b", pod_no=2, change=Cost(0, 1, 0, 8))
    assert one.way_out() == "a for b of pod 2: +1 of one author, +8 squared gaps"
    assert two.pod_no == 2
    # a for d gives d–c and b–a again, two repeats.
    again, _ = explain(second, (("a", "b"), ("c", "d")))
    assert again.meetings[0].met == 1
    assert again.exchange is not None
    assert again.exchange.change == Cost(-2, 0, 0, -8)


def test_one_pod_has_nobody_to_exchange() -> None:
    (only,) = explain(Field(("a", "b"), 2, 1, "7", (), ()), (("a", "b"),))
    assert only.exchange is None
    assert only.way_out() == "–"


def test_what_an_exchange_does_not_change_is_left_out() -> None:
    first, _ = explain(Field(tuple("abcd"), 2, 1, "7", (), ()), (("a", "b"), ("c", "d")))
    assert first.way_out("table") == "a for c of table 2: as good"


def test_the_cheapest_exchange_is_the_cheapest() -> None:
    for field, pods in play("swiss", 13, 4):
        totals, met = total_scores(field.results), meetings(field.drawn, field.entrants)
        scores, house = (
            {name: totals[name] for name in field.entrants},
            Tally.of(field.drawn).house_met,
        )
        authors = {
            **field.authors,
            **{name: "house" for pod in pods for name in pod if name.startswith("house-")},
        }
        for at, explained in enumerate(explain(field, pods)):
            changes = []
            for number, other in enumerate(pods):
                if number != at:
                    was = cost([pods[at], other], scores, met, authors, house)
                    for mine in pods[at]:
                        for theirs in other:
                            swap = {mine: theirs, theirs: mine}
                            two = [tuple(swap.get(name, name) for name in pod) for pod in (pods[at], other)]
                            then = cost(two, scores, met, authors, house)
                            changes.append(tuple(a - b for a, b in zip(then, was, strict=True)))
            assert explained.exchange is not None
            assert tuple(explained.exchange.change) == min(changes)
            if field.drawn:
                assert min(changes) >= (0, 0, 0, 0)


def test_the_checker_finds_what_is_wrong() -> None:
    """A checker that says nothing proves nothing."""
    *_, (field, pods) = play("swiss", 9, 3)
    rng = random.Random(1)
    found = 0
    for one, other in combinations(range(len(pods)), 2):
        i, j = rng.randrange(3), rng.randrange(3)
        swap = {pods[one][i]: pods[other][j], pods[other][j]: pods[one][i]}
        worse = tuple(tuple(swap.get(name, name) for name in pod) for pod in pods)
        found += bool(complaints("swiss", field, worse))
    assert found
    assert complaints("swiss", field, pods[1:])
    assert complaints("swiss", field, (pods[0], pods[0], *pods[2:]))
    assert complaints("knockout", field, pods)
