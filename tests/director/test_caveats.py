"""What stands below a table: who has no rank or no interval, and why."""

from math import inf

from arena.director.caveats import caveats
from arena.director.wording import without_order
from arena.entrants.entrant import Entrant
from arena.process.launch import Launch
from tests.support.results import match
from tournaments.formats import format_named
from tournaments.results import MatchResult
from tournaments.standings import standings
from tournaments.superiority import superiorities


def said(results: list[MatchResult], names: str, digests: str = "", widening: float = 1.0) -> list[str]:
    entrants = [
        Entrant(name, Launch(("true",), "/"), digest) for name, digest in zip(names, digests, strict=False)
    ]
    return list(caveats(standings(results, names, widening=widening), entrants, str.upper))


def test_pods_that_share_nobody() -> None:
    results = [match((1, 1, 1), {"a": (9,), "b": (0,)}), match((1, 2, 1), {"c": (1,), "d": (0,)})]
    assert said(results, "abcd")[0].startswith("no ranks: gains of pods that share no bot")
    results.append(match((2, 1, 1), {"a": (0,), "e": (2,)}))
    assert said(results, "abcde")[0].startswith("no rank for C and D: no pod connects them")


def test_who_has_not_played_needs_no_sentence() -> None:
    assert said([], "ab") == []
    results = [match((n, 1, 1), {"a": (n,), "b": (0,)}) for n in (1, 2, 3)]
    assert said(results, "abc") == []
    row = standings(results, "abc").entrants[-1]
    assert (row.name, row.rank, without_order(row)) == ("c", None, "no match yet")


def test_too_few_rounds() -> None:
    results = [match((n, 1, 1), {"a": (n,), "b": (0,)}) for n in (1, 2, 3)]
    assert [line[:32] for line in said(results[:2], "ab")] == ["no interval with fewer than 3 ro"]
    assert said(results, "ab") == []
    late = match((4, 1, 1), {"a": (4,), "c": (0,)})
    assert said([*results, late], "abc")[0].startswith("no interval for C with fewer than 3 rounds played")


def test_equal_programs_are_named() -> None:
    results = [match((n, 1, 1), {"a": (n,), "b": (0,), "c": (2,)}) for n in (1, 2, 3)]
    assert said(results, "abc", "xyx") == [
        "A and C are the same program: any difference between them is luck"
    ]


def test_a_knockout_has_no_intervals() -> None:
    """Of equal bots in one, every fifth of those who got as far as three rounds had a wrong interval."""
    assert not format_named("knockout").HAS_INTERVALS
    results = [match((n, 1, 1), {"a": (n,), "b": (0,)}) for n in (1, 2, 3)]
    assert [line[:12] for line in said(results, "ab", widening=inf)] == ["no intervals"]
    assert {row.low for row in standings(results, "ab", widening=inf).entrants} == {None}
    assert superiorities(results, "ab")
    assert superiorities(results, "ab", widening=inf) == ()
