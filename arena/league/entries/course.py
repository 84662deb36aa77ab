"""Entries about a league as a whole: how it is founded, played, shown, closed and sealed."""

from math import sqrt
from typing import TYPE_CHECKING, Annotated, Final, Self

import msgspec

from arena.journal.entry import REASON_LIMIT, Problem
from arena.league.carried import CarriedState
from arena.league.days import SECONDS_A_DAY
from arena.league.entries.base import IS_SO, LeagueEntry, OrganiserEntry
from arena.league.entries.bots import PanelSet, Registered
from arena.league.entries.statements import unfinished
from arena.league.finals import finalists_due, seal_due
from arena.league.ids import BoardId, Count, Seconds, Sha256, VersionId
from arena.league.statements import FIRST_RULE, RULE
from arena.log.settings import MatchSettings
from arena.system.text import caption
from arena.system.wording import flag, moment

if TYPE_CHECKING:
    from arena.league.state import LeagueState


LONGEST_SECONDS: Final = 10 * 366 * SECONDS_A_DAY
"""The latest deadline, from when it is announced."""
COMMON: Final = 0.13
"""The share of the variance of a gain that all deals of a pod have in common, as measured in real play."""


class Board(MatchSettings, frozen=True, kw_only=True):
    """One game with its settings, in which versions are ranked."""

    id: BoardId
    seats: Annotated[int, msgspec.Meta(ge=2, le=8)]
    rules: int
    """The version of the game's rules."""
    margin: Annotated[float, msgspec.Meta(gt=0)]
    """A smaller difference between two strengths does not matter, in gain per deal."""
    cap: Annotated[float, msgspec.Meta(gt=0)]
    """Three standard deviations of a bot's gain in a deal. By the first rule of statements, the most that a
    comparison counts for (tournaments/eprocess.py)."""

    @property
    def deviation(self) -> float:
        """The expected standard deviation of a row, in gain per deal. The deals of a pod share their order
        round the table, so a part of the variance does not shrink with their number."""
        return round(self.cap / 3 * sqrt(COMMON + (1 - COMMON) / self.deals), 6)


class Founded(LeagueEntry, frozen=True, tag="league"):
    """The first entry: the settings."""

    arena: str
    """The version of the arena."""
    boards: Annotated[tuple[Board, ...], msgspec.Meta(min_length=1)]
    alpha: Annotated[float, msgspec.Meta(gt=0, lt=1)] = 0.05
    """The greatest probability of any wrong order in the life of a board."""
    faults: Count = 5
    """A version is paused after it has forfeited this many matches."""
    quota: Count = 50
    """Versions that an author may send per day."""
    segment: Count = 10_000
    """Draws in one file of the journal."""

    def problem(self, state: "LeagueState") -> Problem | None:
        return Problem("the settings must come first, and only once")

    def apply(self, state: "LeagueState") -> None:
        state.found(self)


class Started(LeagueEntry, frozen=True, tag="started"):
    """A process begins to play. The accounts of the guards (drawing.py) start empty."""

    SENTENCE = "arena {0.arena} plays, {0.jobs} at a time"

    arena: str
    python: str
    machine: str
    jobs: Count
    """The draws that are played at a time."""
    at: Seconds
    packages: dict[str, str] = msgspec.field(default_factory=dict)
    """The package of each game that does not come with the arena."""
    rule: Annotated[int, msgspec.Meta(ge=FIRST_RULE, le=RULE)] = FIRST_RULE
    """By which draws are chosen and statements made: see `RULE`."""

    def unlike(self, before: "Started") -> str:
        """The differences to the process before that could change a result; "" if there are none."""
        parts = (
            ("arena", before.arena, self.arena),
            ("Python", before.python, self.python),
            ("machine", before.machine, self.machine),
            ("rule", str(before.rule), str(self.rule)),
            *(
                (game, before.packages[game], package)
                for game, package in self.packages.items()
                if game in before.packages
            ),
        )
        return ", ".join(f"{what} {now} after {then}" for what, then, now in parts if then != now)

    def apply(self, state: "LeagueState") -> None:
        state.start(self)
        state.passes(self.at)

    @property
    def cleaned(self) -> Self:
        texts = {name: caption(getattr(self, name)) for name in ("arena", "python", "machine")}
        packages = {caption(game): caption(one) for game, one in self.packages.items()}
        return msgspec.structs.replace(self, **texts, packages=packages)


class Closes(OrganiserEntry, frozen=True, tag="closes"):
    """The league will be closed at a time in the future. A later entry replaces it."""

    AFTER_CLOSE = False
    NEEDS_PANELS = True

    reason: str
    closes: Seconds
    """When. What arrives later is no longer accepted."""
    finals: Annotated[int, msgspec.Meta(ge=0, le=10**6)]
    """Comparisons in the final of each board."""
    at: Seconds

    def misfit(self, state: "LeagueState") -> Problem | None:
        if self.closes <= max(self.at, state.at):
            return Problem("its deadline had passed", f"{moment(self.closes)} has passed; name a later time")
        if self.closes > self.at + LONGEST_SECONDS:
            return Problem("its deadline was too late", "that is ten years from now; name an earlier time")
        return None

    def apply(self, state: "LeagueState") -> None:
        state.passes(self.at)
        state.closes = self
        state.by_organiser.append(self)

    def sentence(self) -> str:
        return f"closes at {moment(self.closes)}: {self.reason}"


class Closed(OrganiserEntry, frozen=True, tag="closed"):
    """The league takes no further versions. Those that have arrived are placed; then the finals follow."""

    AFTER_CLOSE = False
    NEEDS_PANELS = True
    SENTENCE = "closed: {0.reason}"

    reason: str
    at: Seconds
    finals: Annotated[int, msgspec.Meta(ge=0, le=10**6)] = 0
    """Comparisons in the final of each board."""

    def apply(self, state: "LeagueState") -> None:
        state.closed, state.closes = self, None
        state.by_organiser.append(self)


class Finals(LeagueEntry, frozen=True, tag="finals"):
    """The finals begin, between the leading group of each board."""

    NEEDS_PANELS = True

    finalists: dict[BoardId, tuple[VersionId, ...]]

    def misfit(self, state: "LeagueState") -> Problem | None:
        # By the first rule, other versions were in the final.
        if state.rule > FIRST_RULE and self.finalists != finalists_due(state):
            return Problem("no finals of these versions were due")
        return unfinished(state)

    def apply(self, state: "LeagueState") -> None:
        state.finals = self

    def sentence(self) -> str:
        groups = (f"{board}: {', '.join(group) or 'nobody'}" for board, group in self.finalists.items())
        return f"the finals begin; {'; '.join(groups)}"


class Sealed(LeagueEntry, frozen=True, tag="sealed"):
    """Everything has been played, and the results stand. The digest of this entry is the seal."""

    NEEDS_PANELS = True
    SENTENCE = "sealed: everything has been played"

    at: Seconds

    def misfit(self, state: "LeagueState") -> Problem | None:
        if not seal_due(state):
            return Problem("not everything had been played when it was sealed")
        for day in state.committed:
            if day <= state.last_day and day not in state.revealed:
                return Problem(f"it was sealed before the seed of day {day} was revealed")
        return unfinished(state)

    def apply(self, state: "LeagueState") -> None:
        state.sealed = self
        state.passes(self.at)


class Frozen(OrganiserEntry, frozen=True, tag="frozen"):
    """From now on everybody but the organiser sees the league as it is here."""

    AFTER_SEAL = True
    SENTENCE = "frozen: {0.reason}"

    reason: str
    at: Seconds

    def misfit(self, state: "LeagueState") -> Problem | None:
        return Problem("it was already frozen", is_so=True) if state.frozen else None

    def apply(self, state: "LeagueState") -> None:
        state.frozen = self


class Unfrozen(OrganiserEntry, frozen=True, tag="unfrozen"):
    """The end of a freeze."""

    AFTER_SEAL = True
    SENTENCE = "no longer frozen"

    at: Seconds

    def misfit(self, state: "LeagueState") -> Problem | None:
        return None if state.frozen else Problem("it was not frozen", is_so=True)

    def apply(self, state: "LeagueState") -> None:
        state.frozen = None


class Pruned(OrganiserEntry, frozen=True, tag="pruned"):
    """The logs of draws `first` to `last`, or only their private parts, were deleted. Their digests stay."""

    AFTER_SEAL = True

    first: Count
    last: Count
    private_only: bool

    def misfit(self, state: "LeagueState") -> Problem | None:
        return self._not_over(state) if self.last > state.last_draw else None

    def _not_over(self, state: "LeagueState") -> Problem:
        finding = f"draw {self.last} is not over yet"
        return Problem(finding, self._shown(state) or f"{finding}; the last one is {state.last_draw}")

    def _shown(self, state: "LeagueState") -> str:
        if not state.frozen or self.private_only:
            return ""
        return (
            f"the league is frozen, and what it shows needs these logs; use {flag.private} to delete only "
            "the private parts, or `arena league reveal` to end the freeze"
        )

    def objection(self, state: "LeagueState") -> Problem | None:
        if shown := self._shown(state):
            return Problem(shown)
        if any(no <= self.last for no in state.in_flight):
            return self._not_over(state)
        return IS_SO if self in state.pruned else None

    def apply(self, state: "LeagueState") -> None:
        state.pruned.append(self)

    def sentence(self) -> str:
        what = "private parts of the logs" if self.private_only else "logs"
        return f"draws {self.first} to {self.last}: {what} deleted"


Holding = Started | Frozen | Closes | Closed | Finals
"""Entries that stay in force until another one ends them, however many segments later."""


class Continued(LeagueEntry, frozen=True, tag="segment"):
    """The first entry of each further segment of the journal."""

    number: Annotated[int, msgspec.Meta(ge=2, le=10**9)]
    before: Sha256
    """The digest of the last entry of the previous segment."""
    founded: Founded
    carried: CarriedState
    """The state after that entry."""
    holding: tuple[Holding, ...] = ()
    """The entries that are still in force."""
    why: str = ""
    """How the next entry, a `Started`, differs from the previous one; "" if the previous segment was full."""

    @classmethod
    def after(cls, state: "LeagueState", number: int, before: str, why: str = "") -> Self:
        """The entry that carries this state into a new segment."""
        holding = (state.started, state.frozen, state.closes, state.closed, state.finals)
        return cls(number, before, state.founded, state.carried(), tuple(filter(None, holding)), why)

    @property
    def by_first_rule(self) -> Self:
        """The same entry as an arena wrote it that knew the first rule only."""
        boards = {
            id: msgspec.structs.replace(board, evidence=None, statements=())
            for id, board in self.carried.boards.items()
        }
        return msgspec.structs.replace(self, carried=msgspec.structs.replace(self.carried, boards=boards))

    def problem(self, state: "LeagueState") -> Problem | None:
        if state.in_flight:
            return Problem(f"segment {self.number} began while something was being played")
        if state.panels.keys() != state.boards.keys():
            return Problem("a board has no panel yet")
        expected = Continued.after(state, self.number, self.before, self.why)
        if self != expected and (state.rule > FIRST_RULE or self != expected.by_first_rule):
            return Problem(
                f"segment {self.number} does not begin with the state at the end of the one before it"
            )
        return None

    def apply(self, state: "LeagueState") -> None:
        carried = self.carried
        state.found(self.founded)
        state.carry_on(
            carried,
            (Registered(name, carried.titles[name], token) for name, token in carried.tokens.items()),
            (PanelSet(board, before.panel, before.zero) for board, before in carried.boards.items()),
            self.holding,
        )

    def sentence(self) -> str:
        return f"segment {self.number} of the journal begins" + f": {self.why}" * bool(self.why)

    @property
    def cleaned(self) -> Self:
        return msgspec.structs.replace(
            self,
            carried=self.carried.cleaned,
            holding=tuple(entry.cleaned for entry in self.holding),
            why=caption(self.why, REASON_LIMIT),
        )


OfCourse = Founded | Continued | Started | Closes | Closed | Finals | Sealed | Frozen | Unfrozen | Pruned
