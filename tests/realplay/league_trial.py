"""A league's promises, held against the truth on boards resampled from real play.

The anchors and the first authors are there from the beginning. When the board sleeps for the first time, a
second author comes with each program, and some of the first send a second version: a better one, a worse one
and one that plays as the one before. The board is over when it sleeps again.

In the world "panels" the panel changes when these come, and again every EVERY draws. In the world "hunter"
one program is strong against weak companions only.
"""

from collections.abc import Sequence
from functools import cache
from typing import Final, NamedTuple

import numpy as np

from arena.league.entries import Checkpoint, DrawScheduled, PanelSet
from arena.league.ids import VersionId
from tests.realplay.bank import WORDS, Bank, Gains
from tests.realplay.league import ANCHORS, League
from tests.realplay.league_truth import Truth, leads
from tests.realplay.versions import VERSIONS
from tournaments.strength import Strength, StrengthFit

EARLY: Final = {f"first-{program}/bot@1": program for program in VERSIONS}
LATE: Final = {
    **{f"other-{program}/bot@1": program for program in VERSIONS},
    "first-loose/bot@2": "greedy",
    "first-careful/bot@2": "rash",
    "first-random/bot@2": "random",
}
WORLDS: Final = ("as played", "panels", "hunter", "panels, hunter")
EVERY: Final = 100
PANELS: Final = (
    ANCHORS,
    (*ANCHORS[:3], "first-greedy/bot@1", "first-careful/bot@1", "first-rash/bot@1"),
    (ANCHORS[0], *ANCHORS[-2:], "first-random/bot@1", "first-loose/bot@1"),
)
"""They follow one another; the zero is in all of them."""
HUNTER: Final = "greedy"
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
    """That one version is ahead of the other; and by how much it is, in comparisons and in strength, against
    the panel since both have played against which this is most."""

    one: VersionId
    other: VersionId
    compared: float
    strength: float


class Trial(NamedTuple):
    """What became of one board."""

    pods: tuple[int, int] | None
    """Played until it slept for the first time, and in all; None if it never did."""
    placed: list[Held]
    """The intervals of newcomers at the end of their placements."""
    asleep: list[Held]
    """Those of all when the board sleeps at last."""
    said: list[Said]
    """All statements then."""
    worst: float
    """The greatest share of wrong statements after any draw."""
    placements: tuple[int, int]
    """How many of their pods were counted, and after how many of these a number of anybody else was another
    one in any bit."""


def hunted(bank: Bank) -> Bank:
    """The bank, but the hunter gains as much more per deal as its companions are weaker than the mean of all
    programs, and as much less as they are stronger."""
    programs, others = leads(bank, bank.gains.shape[1]).mean(axis=(1, 2, 3)), len(WORDS[0]) - 1
    of_seats = (programs - programs.mean())[np.array(WORDS)]
    of_companions = (of_seats.sum(axis=1, keepdims=True) - of_seats) / others
    hunts = np.array(WORDS) == [*VERSIONS].index(HUNTER)
    more: Gains = np.rint(np.where(hunts, -of_companions, 0)).astype(np.int16)
    return bank._replace(gains=bank.gains + more, again=None if bank.again is None else bank.again + more)


def trial(bank: Bank, number: int, world: str = WORLDS[0]) -> Trial:
    """The board of this number."""
    league = League(hunted(bank) if "hunter" in world else bank, number)
    for version, program in EARLY.items():
        league.enter(version, program)
    watched = _Watched(league, "panels" in world)
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
        watched.worst,
        (watched.placements, watched.changes),
    )


class _Watched:
    """A league that is played, and looked at after every draw. `changing`: also its panel."""

    def __init__(self, league: League, changing: bool) -> None:
        self.league, self.changing = league, changing
        self.truths: list[Truth] = []
        """Against each panel so far."""
        self.since: dict[VersionId, int] = {}
        """For each version, the panel with which it began."""
        self.next_change = 0
        """The draw after which the panel changes."""
        self._against(ANCHORS)
        self._said = cache(self._judge)
        self.worst = 0.0
        self.placed: list[Held] = []
        self.placements = self.changes = 0

    def _against(self, members: Sequence[VersionId]) -> None:
        self.truths.append(Truth(self.league.bank, self.league.board.deals, members, self.league.programs))

    def _next_draw(self, kind: str) -> DrawScheduled | None:
        """After the panel has changed, if it is time and all of the next one have a strength."""
        league, panel = self.league, PANELS[len(self.truths) % len(PANELS)]
        if self.changing and kind == "later" and league.state.last_draw >= self.next_change:
            entry = PanelSet(league.board.id, panel, ANCHORS[0])
            if entry.misfit(league.state) is None:
                league.add(entry)
                self._against(panel)
                self.next_change = league.state.last_draw + EVERY
        return league.next_draw()

    def play(self, kind: str) -> int:
        """Until it sleeps: the pods so far; 0 if it does not."""
        waiting: set[VersionId] = set()
        while (drawn := self._next_draw(kind)) is not None and drawn.no < MOST:
            for version in drawn.versions:
                self.since.setdefault(version, len(self.truths) - 1)
            if drawn.why == "placement":
                waiting.add(drawn.versions[0])
                self._placement(drawn)
                self.look()
                continue
            # Whoever has been placed is compared from now on: what its placement said is what it was.
            for version in waiting & {*drawn.versions}:
                self._over(version, kind)
            waiting -= {*drawn.versions}
            self.league.add(self.league.result(drawn))
            self.look()
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
        true = self.truths[-1].strength(version) - self.truths[-1].strength(ANCHORS[0])
        half = (found.high - found.low) / 2
        return Held(self.league.programs[version], kind, found.strength - true, half)

    def look(self) -> None:
        """Note what share of the statements of this moment is wrong."""
        now = self.league.numbers.statements.now
        wrong = sum(self._said(one, other, len(self.truths)).strength <= EQUAL for one, other in now)
        self.worst = max(self.worst, wrong / max(1, len(now)))

    def said(self) -> list[Said]:
        """All that the board says now, or for certain."""
        statements = self.league.numbers.statements
        return [
            self._said(one, other, len(self.truths)) for one, other in {*statements.now, *statements.certain}
        ]

    def _judge(self, one: VersionId, other: VersionId, panels: int) -> Said:
        truths = self.truths[max(self.since[one], self.since[other]) : panels]
        return Said(
            one,
            other,
            max(truth.apart(one, other) for truth in truths),
            max(truth.strength(one) - truth.strength(other) for truth in truths),
        )


def _bits(fit: StrengthFit | None) -> tuple[object, ...]:
    return () if fit is None else (fit.names, fit.strength.tobytes(), fit.covariance.tobytes())
