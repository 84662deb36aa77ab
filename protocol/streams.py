"""Keys and streams: every random choice of a tournament is derived from text that anybody can check later.

A *key* is secret ASCII text. A *stream* is the endless sequence of numbers that belongs to a label. With the
key anybody can compute the same numbers, in any language (SPEC.md, "Randomness", has test vectors). Knows
neither cards nor seats, beyond shuffling and counting them.
"""

import hashlib
import hmac
import itertools
import struct
from collections.abc import Iterator, MutableSequence, Sequence
from typing import TypeVar

T = TypeVar("T")

_WORD = 1 << 32
_EIGHT_WORDS = struct.Struct(">8I")


def _words(label: str, first: int) -> Iterator[int]:
    """Block k is SHA-256(label ‖ 0x00 ‖ uint64 big-endian k), read as eight big-endian uint32 words."""
    prefix = label.encode("ascii") + b"\0"
    for block_no in itertools.count(first):
        yield from _EIGHT_WORDS.unpack(hashlib.sha256(prefix + block_no.to_bytes(8, "big")).digest())


class Stream:
    """The numbers of one label (ASCII text), one after the other."""

    def __init__(self, label: str, first: int = 0) -> None:
        """`first`: the number of eight-word blocks to skip."""
        self._words = _words(label, first)

    def word(self) -> int:
        """The next number in 0 … 2³²−1."""
        return next(self._words)

    def below(self, n: int) -> int:
        """The next number in 0 … n−1, each equally likely: words are skipped that are not below the greatest
        multiple of n. Raises ValueError for n outside 1 … 2³²."""
        if not 1 <= n <= _WORD:
            raise ValueError(f"below({n}): n must be in 1 … 2³²")
        fair = _WORD - _WORD % n
        while (word := next(self._words)) >= fair:
            pass
        return word % n

    def choice(self, items: Sequence[T]) -> T:
        """One of `items`, each equally likely. Raises ValueError if there are none."""
        return items[self.below(len(items))]

    def shuffle(self, items: MutableSequence[T]) -> None:
        """Shuffle in place, by Fisher–Yates from the end: for i from n−1 down to 1, swap i and
        below(i + 1)."""
        for i in range(len(items) - 1, 0, -1):
            j = self.below(i + 1)
            items[i], items[j] = items[j], items[i]

    def shuffled(self, items: Sequence[T]) -> tuple[T, ...]:
        """`items` in the order that `shuffle` gives them."""
        order = list(items)
        self.shuffle(order)
        return tuple(order)

    def key(self) -> str:
        """A new key of 64 hex digits, made of the next eight words."""
        return "".join(f"{self.word():08x}" for _ in range(8))


class DealSource:
    """What chance decides in a match, from the key of its pod: the shuffled decks, and who begins."""

    def __init__(self, key: str) -> None:
        self.key = key

    def deck(self, deal_no: int, cards: Sequence[T]) -> tuple[T, ...]:
        """The shuffled deck of deal `deal_no` (from 1)."""
        return Stream(f"arena1/{self.key}/deal/{deal_no}").shuffled(cards)

    def lot(self, seats: int) -> int:
        """The seat chosen by lot: first leader or first dealer, whatever the game needs."""
        return Stream(f"arena1/{self.key}/leader").below(seats)


def derive(key: str, message: str) -> str:
    """HMAC-SHA256(key, message) as 64 hex digits: a key below `key` that does not reveal it."""
    return hmac.digest(key.encode("ascii"), message.encode("ascii"), "sha256").hex()


def mixed_seed(secret: str, public: str) -> str:
    """The seed of a tournament, from a secret whose SHA-256 was published beforehand, and a printable ASCII
    text that nobody could know then. No other key is derived from `secret` by such a message."""
    return derive(secret, f"arena1/public/{public}")


def pod_key(seed: str, round_no: int, pod_no: int) -> str:
    """The key of a pod: its deals, its first leader or dealer, and its seating labels."""
    return derive(seed, f"{round_no}/{pod_no}")


def match_key(pod_key: str, seating_no: int) -> str:
    """The key of a match: its substitutes and bot seeds."""
    return derive(pod_key, str(seating_no))


def seating_labels(pod_key: str, seats: int) -> tuple[int, ...]:
    """A random order of 0 … seats−1: the label of the seating square for each entrant of the pod."""
    return Stream(f"arena1/{pod_key}/labels").shuffled(range(seats))


def substitute_stream(match_key: str, seat: int) -> Stream:
    """The stream that decides the actions of a substitute at that seat."""
    return Stream(f"arena1/{match_key}/substitute/{seat}")


def bot_seed(match_key: str, entrant: str) -> int:
    """The seed in 0 … 2³¹−1 that a bot gets for its own randomness."""
    return Stream(f"arena1/{match_key}/bot/{entrant}").below(1 << 31)


def pairing_stream(seed: str, round_no: int) -> Stream:
    """The stream that decides what a format leaves to chance in a round's pairing."""
    return Stream(f"arena1/{seed}/pairing/{round_no}")


def lot_stream(seed: str) -> Stream:
    """The stream that breaks a knockout's ties."""
    return Stream(f"arena1/{seed}/lot")
