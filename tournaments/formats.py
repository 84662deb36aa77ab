"""Formats: each is a pure function from what has happened in a tournament to its next round.

Knows neither how pods are chosen nor who plays them. Adding a format touches its module and one line here.
"""

import importlib
from collections.abc import Iterable, Mapping
from typing import Final, Protocol

import msgspec

from tournaments.results import HOUSE_PREFIX, MatchResult, Round, is_house

FORMATS: Final[Mapping[str, str]] = {
    "swiss": "tournaments.swiss",
    "round-robin": "tournaments.round_robin",
    "gauntlet": "tournaments.gauntlet",
    "knockout": "tournaments.knockout",
    "swiss+knockout": "tournaments.stages",
}
"""The name of a format to its module, which is imported on demand: scipy, which some use, is slow to load."""

PAIRING: Final = 2
"""The version of the drawing rules of all formats. It counts up whenever the same results could lead to other
pods. In version 0, that of journals that name none, the installed scipy decided among equally good drawings;
in version 1 small fields were searched like large ones."""


class Field(msgspec.Struct, frozen=True):
    """All that a format may use. entrants: those not withdrawn, without house bots; they may change from
    round to round. rounds: the planned number. drawn, results: those so far, house bots included. authors: by
    name, where known. challengers: those of a gauntlet, withdrawn ones included. quick: search less for the
    best drawing, as in simulations of hundreds of tournaments. pairing: the version of the drawing rules."""

    entrants: tuple[str, ...]
    pod_size: int
    rounds: int
    seed: str
    drawn: tuple[Round, ...]
    results: tuple[MatchResult, ...]
    authors: dict[str, str] = {}
    challengers: tuple[str, ...] = ()
    quick: bool = False
    pairing: int = PAIRING

    def __post_init__(self) -> None:
        if len(set(self.entrants)) < len(self.entrants):
            raise ValueError("two entrants of one name")
        if taken := [name for name in self.entrants if is_house(name)]:
            raise ValueError(f"{taken[0]!r}: names that begin with {HOUSE_PREFIX!r} belong to house bots")


class Format(Protocol):
    """What a module in FORMATS defines. ADAPTIVE: pods depend on results. ELIMINATES: not all entrants play
    to the end, and the last one left wins, whatever its rank. HAS_INTERVALS: gains get intervals; not where
    entrants play as long as they win, since then those that play enough are those that luck has favoured."""

    ADAPTIVE: bool
    ELIMINATES: bool
    HAS_INTERVALS: bool

    def default_rounds(self, entrants: int, pod_size: int, challengers: int = 0) -> int:
        """The number of rounds if the organiser gives none."""
        ...

    def pods_by_round(self, entrants: int, pod_size: int, rounds: int, challengers: int = 0) -> list[int]:
        """The number of pods in each of at most `rounds` rounds, if no entrant joins or withdraws."""
        ...

    def no_further(self, field: Field) -> str | None:
        """Why rounds beyond those that were planned would make no sense; None where they do."""
        ...

    def draw(self, field: Field) -> Round | None:
        """The next round, once all results of the last one are in; None when the tournament is over."""
        ...


def format_named(name: str) -> Format:
    """The module of a format. Raises KeyError for a name that is not in FORMATS."""
    found: Format = importlib.import_module(FORMATS[name])
    return found


def house_bots(entrants: int, pod_size: int) -> tuple[str, ...]:
    """The names of the house bots that fill the last pod."""
    return tuple(f"{HOUSE_PREFIX}{number}" for number in range(1, -entrants % pod_size + 1))


def authors_of(field: Field, names: Iterable[str]) -> dict[str, str]:
    """The field's authors, with one author for all house bots among `names`, so that house bots are kept
    apart like the bots of one author."""
    return {**field.authors, **{name: HOUSE_PREFIX for name in names if is_house(name)}}
