"""What an error says of an unknown word."""

from arena.system.errors import MOST_KNOWN, did_you_mean

MATCHES = [f"r{number:02}-p{pod:03}-s01" for number in range(1, 9) for pod in range(1, 99)]


def test_the_nearest_of_many_is_named() -> None:
    assert did_you_mean("r08-p97-s01", MATCHES) == "; did you mean 'r08-p097-s01'?"


def test_not_all_of_many_are_listed() -> None:
    assert did_you_mean("x", "abc") == "; choose from a, b, c"
    listed = did_you_mean("x", MATCHES)
    assert listed.count("-s01") == MOST_KNOWN
    assert listed.endswith(f"{MATCHES[MOST_KNOWN - 1]} and {len(MATCHES) - MOST_KNOWN} more")
