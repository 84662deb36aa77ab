"""Formats: how a tournament goes on, each a pure function from what has happened to the next round.

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
"""Name to the module that is the format; imported when it is asked for, as those that compute are slow to
load."""

PAIRING: Final = 2
"""The version of the rules by which rounds are drawn, in all formats: it counts up whenever the same results
could lead to other pods. By version 0, which journals have that name none, equally good drawings were told
apart by whatever scipy was installed; by version 1, small fields were searched as large ones are."""


class Field(msgspec.Struct, frozen=True):
    """All that a format may look at. `entrants` are those not withdrawn, without house bots, and may be
    others from round to round; `rounds` is the number planned; `drawn` and `results` are what there is so
    far, house bots included; `authors` is by name, for those that are known; `challengers` are those whom a
    gauntlet is about, withdrawn or not. `hasty`: this is one of hundreds of simulated tournaments, whose
    drawings need not be the very best. `pairing`: by which version of the rules it is drawn."""

    entrants: tuple[str, ...]
    pod_size: int
    rounds: int
    seed: str
    drawn: tuple[Round, ...]
    results: tuple[MatchResult, ...]
    authors: dict[str, str] = {}
    challengers: tuple[str, ...] = ()
    hasty: bool = False
    pairing: int = PAIRING

    def __post_init__(self) -> None:
        if len(set(self.entrants)) < len(self.entrants):
            raise ValueError("two entrants of one name")
        if taken := [name for name in self.entrants if is_house(name)]:
            raise ValueError(f"{taken[0]!r}: names that begin with {HOUSE_PREFIX!r} belong to house bots")


class Format(Protocol):
    """What a module in FORMATS has. ADAPTIVE: who meets whom depends on results. ELIMINATES: not everybody
    plays to the end, and the last to stay wins, whatever the ranks say."""

    ADAPTIVE: bool
    ELIMINATES: bool

    def default_rounds(self, entrants: int, pod_size: int, challengers: int = 0) -> int: ...

    def pods_by_round(self, entrants: int, pod_size: int, rounds: int, challengers: int = 0) -> list[int]:
        """How many pods each round has while nobody comes or goes, of at most so many rounds."""
        ...

    def draw(self, field: Field) -> Round | None:
        """The round after the last one drawn, all of whose results are in; None when it is over."""
        ...


def format_named(name: str) -> Format:
    """Raises KeyError for a name that is not in FORMATS."""
    found: Format = importlib.import_module(FORMATS[name])
    return found


def house_bots(entrants: int, pod_size: int) -> tuple[str, ...]:
    """The names of as many as it takes to fill the last pod."""
    return tuple(f"{HOUSE_PREFIX}{number}" for number in range(1, -entrants % pod_size + 1))


def authors_of(field: Field, names: Iterable[str]) -> dict[str, str]:
    """The field's, and for the house bots among `names` one of their own: they are kept apart alike."""
    return {**field.authors, **{name: HOUSE_PREFIX for name in names if is_house(name)}}
