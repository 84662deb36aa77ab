"""A league's promises, held against the truth on boards resampled from real play.

The anchors and the first authors are there from the beginning. When the board sleeps for the first time, a
second author comes with each program, and some of the first send a second version: a better one, a worse one
and one that plays as the one before. The board is over when it sleeps again.
"""

from typing import Final, NamedTuple

from arena.league.entries import Checkpoint, DrawScheduled
from arena.league.ids import VersionId
from tests.realplay.bank import Bank
from tests.realplay.league import ANCHORS, League
from tests.realplay.league_truth import Truth
from tests.realplay.versions import VERSIONS
from tournaments.strength import Strength, StrengthFit

EARLY: Final = {f"first-{program}/bot@1": program for program in VERSIONS}
LATE: Final = {
    **{f"other-{program}/bot@1": program for program in VERSIONS},
    "first-loose/bot@2": "greedy",
    "first-careful/bot@2": "rash",
    "first-random/bot@2": "random",
}
MOST: Final = 5000
"""Draws, after which a board that does not sleep is given up."""
EQUAL: Final = 1e-9
"""Strengths of the same program, reckoned once, differ by nothing; others by far more."""


class Held(NamedTuple):
    """An interval: of which program and of whom, how far its estimate is from the truth, and half its
    width."""

    program: int
    kind: str
    off: float
    half: float

    @property
    def right(self) -> bool:
        return abs(self.off) <= self.half


class Said(NamedTuple):
    """That one version is ahead of the other; and by how much it is, in comparisons and in strength."""

    one: VersionId
    other: VersionId
    compared: float
    strength: float


class Trial(NamedTuple):
    """One board. pods: played until it slept for the first time, and in all; None if it never did. placed:
    the intervals of newcomers at the end of their placements; asleep: those of all when the board sleeps at
    last. said: all statements then. placements: how many pods of them
    were counted, and after how many of these a number of anybody else was another one in any bit."""

    pods: tuple[int, int] | None
    placed: list[Held]
    asleep: list[Held]
    said: list[Said]
    placements: tuple[int, int]


def trial(bank: Bank, number: int) -> Trial:
    """The board of this number."""
    league = League(bank, number)
    for version, program in EARLY.items():
        league.enter(version, program)
    watched = _Watched(league, Truth(bank, league.board.deals, ANCHORS, league.programs))
    first = watched.play("first")
    for version, program in LATE.items():
        league.enter(version, program)
    last = watched.play("later")
    ranked = league.state.ranked(league.board.id)
    found = league.numbers.strengths(ranked)
    kinds = {version: "anchor" if version in ANCHORS else "author" for version in ranked}
    asleep = [watched.held(version, found[version], kinds[version]) for version in ranked if version in found]
    return Trial(
        (first, last) if first and last else None,
        watched.placed,
        [one for one in asleep if one is not None],
        watched.said(),
        (watched.placements, watched.changes),
    )


class _Watched:
    """A league that is played, and looked at after every draw."""

    def __init__(self, league: League, truth: Truth) -> None:
        self.league, self.truth = league, truth
        self.placed: list[Held] = []
        self.placements = self.changes = 0

    def play(self, kind: str) -> int:
        """Until it sleeps: the pods so far; 0 if it does not."""
        waiting: set[VersionId] = set()
        while (drawn := self.league.next_draw()) is not None and drawn.no < MOST:
            if drawn.why == "placement":
                waiting.add(drawn.versions[0])
                self._placement(drawn)
                continue
            # Whoever has been placed is compared from now on: what its placement said is what it was.
            for version in waiting & {*drawn.versions}:
                self._over(version, kind)
            waiting -= {*drawn.versions}
            self.league.add(self.league.result(drawn))
        for version in sorted(waiting):
            self._over(version, kind)
        return 0 if drawn else sum(self.league.numbers.pods.values())

    def _over(self, version: VersionId, kind: str) -> None:
        found = self.league.numbers.strengths([version])
        kind = "anchor" if version in ANCHORS else kind
        if version in found and (one := self.held(version, found[version], kind)) is not None:
            self.placed.append(one)

    def _placement(self, drawn: DrawScheduled) -> None:
        """Plays it, and sees to it that it changes nobody else's number. A checkpoint makes the fit anew from
        the comparisons before: then it is the same as if it had come before the placement."""
        numbers, version = self.league.numbers, drawn.versions[0]
        fit, exact = numbers.fit(), numbers.exact()
        others = {name: one for name, one in self._strengths().items() if name != version}
        checkpoint = any(
            isinstance(entry, Checkpoint) for entry in self.league.add(self.league.result(drawn))
        )
        self.placements += 1
        if checkpoint:
            self.changes += numbers.exact() != exact
        else:
            now = {name: one for name, one in self._strengths().items() if name != version}
            self.changes += now != others or _bits(numbers.fit()) != _bits(fit)

    def _strengths(self) -> dict[VersionId, Strength]:
        return self.league.numbers.strengths(self.league.state.ranked(self.league.board.id))

    def held(self, version: VersionId, found: Strength, kind: str) -> Held | None:
        """None without an interval, or of the zero."""
        if found.low is None or found.high is None or version == ANCHORS[0]:
            return None
        true = self.truth.strength(version) - self.truth.strength(ANCHORS[0])
        half = (found.high - found.low) / 2
        return Held(self.league.programs[version], kind, found.strength - true, half)

    def said(self) -> list[Said]:
        """All that the board says now, or for certain."""
        statements = self.league.numbers.statements
        return [
            Said(
                one,
                other,
                self.truth.apart(one, other),
                self.truth.strength(one) - self.truth.strength(other),
            )
            for one, other in {*statements.now, *statements.certain}
        ]


def _bits(fit: StrengthFit | None) -> tuple[object, ...]:
    return () if fit is None else (fit.names, fit.strength.tobytes(), fit.covariance.tobytes())
