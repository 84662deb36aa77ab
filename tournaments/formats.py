"""Formats: each is a pure function from what has happened in a tournament to its next round.

Knows neither how pods are chosen nor who plays them. A new format is its module and a line here.
"""

import importlib
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Final, Protocol

import msgspec

from tournaments.results import HOUSE_PREFIX, MatchResult, Round, Tally, is_house

FORMATS: Final[Mapping[str, str]] = {
    "swiss": "tournaments.swiss",
    "round-robin": "tournaments.round_robin",
    "gauntlet": "tournaments.gauntlet",
    "knockout": "tournaments.knockout",
    "swiss+knockout": "tournaments.stages",
}
"""The module of each format. It is imported on demand, since some use scipy, which is slow to load."""

PAIRING: Final = 2
"""The version of the pairing rules of all formats. Increase it whenever the same results could lead to other
pods. Journals that name no version have 0, where the installed scipy decided among equally good pairings; in
version 1 small fields were searched like large ones."""


class Field(msgspec.Struct, frozen=True, dict=True):
    """All that a format may use."""

    entrants: tuple[str, ...]
    """Without house bots and withdrawn entrants. They may change from round to round."""
    pod_size: int
    rounds: int
    """The planned number."""
    seed: str
    drawn: tuple[Round, ...]
    """The rounds paired so far, house bots included."""
    results: tuple[MatchResult, ...]
    authors: dict[str, str] = {}
    """By name, where known."""
    challengers: tuple[str, ...] = ()
    """Those of a gauntlet, withdrawn ones included."""
    quick: bool = False
    """Search less for the best pairing, as simulations of hundreds of tournaments do."""
    pairing: int = PAIRING
    """The version of the pairing rules."""

    def __post_init__(self) -> None:
        if len(set(self.entrants)) < len(self.entrants):
            raise ValueError("two entrants with the same name")
        if taken := [name for name in self.entrants if is_house(name)]:
            raise ValueError(f"{taken[0]!r}: names that begin with {HOUSE_PREFIX!r} belong to house bots")

    @cached_property
    def tally(self) -> Tally:
        """What `drawn` and `results` come to."""
        return Tally.of(self.drawn, self.results)

    def after(self, pods: Round, results: Sequence[MatchResult]) -> "Field":
        """The field one round later. Its tally is counted on from this one: counted anew in every round, a
        tournament of a thousand rounds would take a million steps."""
        tally = self.tally.after((pods,), results)
        return self._with(tally, drawn=(*self.drawn, pods), results=(*self.results, *results))

    def among(self, entrants: tuple[str, ...]) -> "Field":
        """The field with other entrants, after the same rounds."""
        return self._with(self.tally, entrants=entrants)

    def _with(self, tally: Tally, **changes: Any) -> "Field":
        changed = msgspec.structs.replace(self, **changes)
        changed.__dict__["tally"] = tally
        return changed


class Format(Protocol):
    """What a module in FORMATS defines."""

    ADAPTIVE: bool
    """Pods depend on results."""
    ELIMINATES: bool
    """Not all entrants play to the end, and the last one left wins, whatever its rank."""
    HAS_INTERVALS: bool
    """Gains get intervals. Not if entrants play as long as they win: then luck decides who plays enough."""

    def default_rounds(self, entrants: int, pod_size: int, challengers: int = 0) -> int:
        """The number of rounds if the organiser gives none."""
        ...

    def pods_by_round(self, entrants: int, pod_size: int, rounds: int, challengers: int = 0) -> list[int]:
        """The number of pods in each of at most `rounds` rounds, if no entrant joins or withdraws."""
        ...

    def no_further(self, field: Field) -> str | None:
        """Why rounds beyond those planned would make no sense; None if they do."""
        ...

    def draw(self, field: Field) -> Round | None:
        """The next round, once all results of the last one are in; None when the tournament is over."""
        ...


def format_named(name: str) -> Format:
    """The module of a format. Raises KeyError for a name that is not in FORMATS."""
    format: Format = importlib.import_module(FORMATS[name])
    return format


def house_bots(entrants: int, pod_size: int) -> tuple[str, ...]:
    """The names of the house bots that fill the last pod."""
    return tuple(f"{HOUSE_PREFIX}{number}" for number in range(1, -entrants % pod_size + 1))


def authors_of(field: Field, names: Iterable[str]) -> dict[str, str]:
    """The author of each name; house bots share one, so that they are kept apart like bots of one author."""
    return {**field.authors, **{name: HOUSE_PREFIX for name in names if is_house(name)}}
