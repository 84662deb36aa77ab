"""The listing and the vectors by which SPEC.md fixes all chance, against the code."""

from typing import Any

import pytest

from protocol import streams
from tests.spec.text import by_the_listing, rows, section


def by_the_code() -> dict[str, Any]:
    """The names of SPEC.md's listing, bound to protocol.streams."""

    def draws(label: str, n: int, count: int) -> list[int]:
        stream = streams.Stream(label)
        return [stream.below(n) for _ in range(count)]

    return {
        "derive": streams.derive,
        "words": streams.Stream,
        "below": lambda stream, n: stream.below(n),
        "shuffled": lambda stream, items: list(stream.shuffled(items)),
        "draws": draws,
        "POD": streams.pod_key("7", 0, 0),
        "MATCH": streams.match_key(streams.pod_key("7", 0, 0), 1),
    }


@pytest.mark.parametrize("names", [by_the_code, by_the_listing])
def test_the_vectors_hold(names: Any) -> None:
    vectors = [row for row in rows(section("## Randomness")) if "`arena1/<" not in row[0] and len(row) == 2]
    assert len(vectors) == 14
    for expression, value in vectors:
        assert str(eval(expression.strip("`"), names())) == value.strip("`"), expression


def test_the_labels_are_those_of_the_code() -> None:
    pod, match = by_the_code()["POD"], by_the_code()["MATCH"]
    vectors = {row[0].strip("`"): row[1].strip("`") for row in rows(section("## Randomness"))}
    source = streams.DealSource(pod)
    assert vectors['below(words("arena1/" + POD + "/leader"), 3)'] == str(source.lot(3))
    assert vectors['shuffled(words("arena1/" + POD + "/deal/1"), range(45))'] == str(
        list(source.deck(1, range(45)))
    )
    assert vectors['shuffled(words("arena1/" + POD + "/labels"), range(4))'] == str(
        list(streams.seating_labels(pod, 4))
    )
    substitute = streams.substitute_stream(match, 0)
    assert vectors['draws("arena1/" + MATCH + "/substitute/0", 15, 5)'] == str(
        [substitute.below(15) for _ in range(5)]
    )
    assert vectors['below(words("arena1/" + MATCH + "/bot/seat-0"), 2**31)'] == str(
        streams.bot_seed(match, "seat-0")
    )
