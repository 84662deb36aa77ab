"""The streams against a second reading of their definition, and the vectors that SPEC.md prints."""

import hashlib
import hmac
import struct

import pytest

from protocol.streams import (
    DealSource,
    Stream,
    bot_seed,
    match_key,
    pod_key,
    seating_labels,
    substitute_stream,
)


def words(label: str, count: int) -> list[int]:
    """The definition, read literally: all blocks laid end to end and cut into big-endian uint32."""
    blocks = b"".join(
        hashlib.sha256(label.encode() + b"\x00" + struct.pack(">Q", k)).digest()
        for k in range(count // 8 + 1)
    )
    return [word for (word,) in struct.iter_unpack(">I", blocks)][:count]


def test_words_are_the_blocks_in_order() -> None:
    stream = Stream("arena1/0/deal/1")
    assert [stream.word() for _ in range(20)] == words("arena1/0/deal/1", 20)


def test_known_vectors() -> None:
    stream = Stream("arena1/0/deal/1")
    assert [stream.word() for _ in range(3)] == [
        int.from_bytes(hashlib.sha256(b"arena1/0/deal/1\0" + bytes(8)).digest()[at : at + 4], "big")
        for at in (0, 4, 8)
    ]


class Scripted(Stream):
    def __init__(self, *script: int) -> None:
        self._words = iter(script)


def test_below_skips_words_that_would_favour_low_numbers() -> None:
    # 2³² = 7 · 613566756 + 4: the last four words would make 0 … 3 likelier.
    assert Scripted(2**32 - 4, 2**32 - 1, 2**32 - 5).below(7) == 6


def test_below_takes_every_word_where_n_divides() -> None:
    assert Scripted(2**32 - 1).below(4) == 3
    assert Scripted(2**32 - 1).below(2**32) == 2**32 - 1


@pytest.mark.parametrize("n", [0, -1, 2**32 + 1])
def test_below_refuses_what_it_cannot_draw(n: int) -> None:
    with pytest.raises(ValueError, match="below"):
        Stream("x").below(n)


def test_shuffle_swaps_from_the_end() -> None:
    items = list("abcd")
    # i = 3 with 0, i = 2 with 2, i = 1 with 0: abcd -> dbca -> dbca -> bdca
    Scripted(0, 2, 0).shuffle(items)
    assert items == list("bdca")


def test_keys_are_hmac_chains_that_do_not_reveal_their_parent() -> None:
    pod = pod_key("7", 2, 5)
    assert pod == hmac.new(b"7", b"2/5", "sha256").hexdigest()
    assert match_key(pod, 3) == hmac.new(pod.encode(), b"3", "sha256").hexdigest()


def test_the_same_deals_in_every_seating_but_other_seeds_and_substitutes() -> None:
    pod = pod_key("7", 1, 1)
    cards = tuple("abcdefgh")
    assert DealSource(pod).deck(1, cards) == DealSource(pod).deck(1, cards)
    assert DealSource(pod).deck(1, cards) != DealSource(pod).deck(2, cards)
    one, two = match_key(pod, 1), match_key(pod, 2)
    assert bot_seed(one, "ada") != bot_seed(two, "ada")
    assert substitute_stream(one, 0).word() != substitute_stream(two, 0).word()
    assert 0 <= bot_seed(one, "ada") < 2**31


def test_labels_are_a_permutation() -> None:
    assert sorted(seating_labels(pod_key("7", 1, 1), 8)) == list(range(8))
