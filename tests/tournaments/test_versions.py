"""Versions: who took whose place from when, as rows of the table."""

from tests.support.results import match
from tournaments.standings import standings
from tournaments.versions import by_version, earlier_versions, version_of


def test_a_version_is_called_by_its_rounds() -> None:
    replaced = {"a": (2, 5)}
    names = [version_of("a", round_no, replaced) for round_no in range(1, 7)]
    assert names == ["a (round 1)", *["a (rounds 2–4)"] * 3, "a", "a"]
    assert version_of("b", 1, replaced) == "b"
    assert earlier_versions(["b", "a"], replaced) == ("a (round 1)", "a (rounds 2–4)")


def test_each_version_has_its_own_gain() -> None:
    """a is 6 below b in three rounds, and 6 above in the three after it was replaced."""
    results = [
        match((n, 1, 1), {"a": (3 if n > 3 else -3,), "b": (-3 if n > 3 else 3,)}) for n in range(1, 7)
    ]
    replaced = {"a": (4,)}
    earlier = earlier_versions(["a", "b"], replaced)
    rows = standings(by_version(results, replaced), ["a", "b", *earlier], earlier, joined={"a": 4}).entrants
    assert [(row.name, row.rank, row.gain, row.pods, row.joined) for row in rows] == [
        ("a", 1, 3.0, 3, 4),
        ("b", 2, -3.0, 6, None),
        ("a (rounds 1–3)", None, -9.0, 3, None),
    ]
