"""What a terminal sends, as keys."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.screens.terminal.keys import ESCAPE, SEQUENCES, UNKNOWN, keys


@pytest.mark.parametrize(("sent", "key"), SEQUENCES.items())
def test_every_key_is_known_by_what_it_sends(sent: bytes, key: str) -> None:
    assert keys(sent) == ([key], b"")


def test_characters_are_themselves() -> None:
    assert keys("a?Z0é".encode()) == (["a", "?", "Z", "0", "é"], b"")


def test_the_beginning_of_a_key_waits_for_its_rest() -> None:
    for sent in (b"\x1b", b"\x1b[", b"\x1b[5", b"\x1bO", "é".encode()[:1]):
        assert keys(b"a" + sent) == (["a"], sent)


def test_keys_that_mean_nothing_are_keys_all_the_same() -> None:
    """Where any key goes back, these do too: ctrl-right, ctrl-space, alt-x, alt-é, F1, delete."""
    for sent in (b"\x1b[1;5C", b"\x00", b"\x1bx", "\x1bé".encode(), b"\x1bOP", b"\x1b[3~"):
        assert keys(sent + b"a") == ([UNKNOWN, "a"], b"")


def test_an_escape_that_nothing_follows_is_the_escape_key() -> None:
    assert keys(b"a\x1b") == (["a"], b"\x1b")
    assert keys(b"\x1b", whole=True) == ([ESCAPE], b"")
    assert keys(b"\x1b\x1b[A") == ([ESCAPE, "up"], b"")
    assert keys(b"\x1b[", whole=True) == ([ESCAPE, "["], b"")


@given(st.lists(st.sampled_from([*SEQUENCES, b"a", b"?", "é".encode(), b"\x1b[200~"])), st.integers(1, 5))
def test_it_does_not_matter_how_the_bytes_come(sent: list[bytes], size: int) -> None:
    data, found, rest = b"".join(sent), [], b""
    for at in range(0, len(data), size):
        more, rest = keys(rest + data[at : at + size])
        found += more
    assert (found, rest) == keys(data)


@given(st.binary())
def test_no_bytes_are_too_strange(data: bytes) -> None:
    found, rest = keys(data)
    assert all(len(key) == 1 or key in (*SEQUENCES.values(), ESCAPE, UNKNOWN) for key in found)
    assert data.endswith(rest)
    assert keys(rest, whole=True)[1] == b""
