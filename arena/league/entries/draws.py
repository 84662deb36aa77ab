"""Entries about what is played: the daily seeds, the draws, and their results."""

from typing import TYPE_CHECKING, Annotated, Literal

import msgspec

from arena.journal.entry import Problem
from arena.league.days import SECONDS_A_DAY, commitment
from arena.league.entries.base import LeagueEntry, OrganiserEntry
from arena.league.entries.statements import unfinished
from arena.league.ids import BoardId, Companions, Count, Day, Seconds, Sha256, VersionId
from arena.league.numbers import lead_of
from protocol.outcome import Deals, Forfeit

if TYPE_CHECKING:
    from arena.league.state import LeagueState


class Committed(LeagueEntry, frozen=True, tag="commitment"):
    """The SHA-256 of a day's seed, from which its pods are dealt, published before the day's first draw."""

    day: Day
    sha256: Sha256

    def misfit(self, state: "LeagueState") -> Problem | None:
        if self.day in state.committed:
            return Problem(f"the seed of day {self.day} was already committed")
        if self.day <= state.last_day:
            return Problem(f"the seed of day {self.day} was committed after pods had been drawn from it")
        return None

    def apply(self, state: "LeagueState") -> None:
        state.committed[self.day] = self.sha256


class Revealed(LeagueEntry, frozen=True, tag="seed"):
    """A day's seed, published once all draws from it are over."""

    day: Day
    seed: Sha256

    def misfit(self, state: "LeagueState") -> Problem | None:
        if state.committed.get(self.day) != commitment(self.seed):
            return Problem(f"this is not the seed of day {self.day} that was committed")
        if any(draw.day == self.day for draw in state.in_flight.values()):
            return Problem(f"the seed of day {self.day} was revealed while one of its pods was being played")
        return None

    def apply(self, state: "LeagueState") -> None:
        state.revealed[self.day] = self.seed
        # A day whose seed is known is over, even if the clock is set back.
        state.passes((self.day + 1) * SECONDS_A_DAY)


class DrawScheduled(LeagueEntry, frozen=True, tag="draw"):
    """A draw, written before it is played. Each version has the same companions, deals and seatings."""

    NEEDS_PANELS = True

    no: Count
    board: BoardId
    versions: Annotated[tuple[VersionId, ...], msgspec.Meta(min_length=1, max_length=2)]
    """Those of the question: one for a placement, or two, in the order of their arrival."""
    companions: Companions
    why: Literal["placement", "question", "final"]
    day: Day
    at: Seconds
    """The clock reading at the draw."""

    def misfit(self, state: "LeagueState") -> Problem | None:
        if problem := unfinished(state):
            return problem
        pod = (*self.versions, *self.companions)
        if self.board not in state.boards:
            return Problem(f"there is no board {self.board}")
        if self.day in state.revealed:
            return Problem(f"draw {self.no} was drawn from a seed that was already known")
        if self.no != state.last_draw + 1:
            return Problem(f"expected draw {state.last_draw + 1}, got draw {self.no}")
        if any(version not in state.versions for version in pod):
            return Problem("a version that was never received was drawn")
        if len({*pod}) < len(pod):
            return Problem("a version sits twice in one pod")
        if len(self.companions) != state.boards[self.board].seats - 1:
            return Problem(f"its pods do not have {state.boards[self.board].seats} seats")
        return None

    def apply(self, state: "LeagueState") -> None:
        state.passes(self.at)
        state.last_day = max(state.last_day, self.day)
        state.draws[self.no] = state.in_flight[self.no] = self
        state.panel_at[self.no] = state.panels[self.board].members
        state.numbers[self.board].drawn(self)
        state.count_final(self, 1)

    def sentence(self) -> str:
        asked = f"{self.why} of {' and '.join(self.versions)}"
        return f"draw {self.no}, {asked}, with {', '.join(self.companions)}"


class DrawMatch(msgspec.Struct, frozen=True, array_like=True):
    """A match of a draw. Places in the pod stand for seats: 0 is the version of the question, its companions
    follow. The day's seed, once revealed, shows who sat where."""

    gains: Deals
    """A row for each deal, a column for each place."""
    forfeits: tuple[Forfeit, ...] = ()


class DrawPlayed(LeagueEntry, frozen=True, tag="played"):
    """A draw that was played."""

    SENTENCE = "draw {0.no}: played in {0.seconds:.1f} s"

    no: Count
    matches: tuple[tuple[DrawMatch, ...], ...]
    """For each version of the question, its matches by seating."""
    seconds: Annotated[float, msgspec.Meta(ge=0)]
    """How long it occupied a worker, and with it a core."""
    public: Sha256
    """The SHA-256 of the public part of its logs."""
    private: Sha256
    """The SHA-256 of the private part."""
    alike: Annotated[int, msgspec.Meta(ge=0)] = 0
    """The choices of a comparison that both versions took, if they took all of them alike (../alike.py)."""

    def misfit(self, state: "LeagueState") -> Problem | None:
        if self.no not in state.in_flight:
            return Problem(f"draw {self.no} is not being played")
        draw = state.in_flight[self.no]
        size = 1 + len(draw.companions)
        if len(self.matches) != len(draw.versions) or len({len(rows) for rows in self.matches}) != 1:
            return Problem(f"draw {self.no} has results for a different number of matches")
        for row in (row for rows in self.matches for row in rows):
            if not row.gains or any(len(deal) != size for deal in row.gains):
                return Problem(f"draw {self.no} has results that are not for {size} seats")
            if any(not 0 <= forfeit.seat < size for forfeit in row.forfeits):
                return Problem(f"draw {self.no} has a forfeit of a seat that does not exist")
        return None

    def apply(self, state: "LeagueState") -> None:
        draw = state.in_flight.pop(self.no)
        state.played[self.no] = self
        for version, matches in zip(draw.versions, self.matches, strict=True):
            state.pod_count[version] += 1
            state.milliseconds[version] += round(self.seconds * 1000) // len(draw.versions)
            for place in (forfeit.seat for match in matches for forfeit in match.forfeits):
                state.forfeited(self.no, (version, *draw.companions)[place])
        leads = [lead_of(matches) for matches in self.matches]
        state.numbers[draw.board].played(draw, leads, state.panels[draw.board].members, self.alike)


class Checkpoint(LeagueEntry, frozen=True, tag="checkpoint"):
    """A board's strengths by the exact fit. From now on they correct for the luck of drawing companions."""

    SENTENCE = "{0.board}: checkpoint"

    board: BoardId
    strengths: dict[VersionId, float]

    def misfit(self, state: "LeagueState") -> Problem | None:
        return None if self.board in state.boards else Problem(f"there is no board {self.board}")

    def apply(self, state: "LeagueState") -> None:
        state.numbers[self.board].checkpoint(self.strengths)


class DrawVoided(LeagueEntry, frozen=True, tag="void"):
    """A draw that the arena or the machine spoilt. It does not count."""

    SENTENCE = "draw {0.no} counts for nobody: {0.reason}"

    no: Count
    reason: str

    def misfit(self, state: "LeagueState") -> Problem | None:
        return None if self.no in state.in_flight else Problem(f"draw {self.no} is not being played")

    def apply(self, state: "LeagueState") -> None:
        state.drop(self, is_void=True)


class DrawAnnulled(OrganiserEntry, frozen=True, tag="annulled"):
    """The organiser made a draw not count."""

    SENTENCE = "draw {0.no} counts for nobody: {0.reason}"

    no: Count
    reason: str

    def misfit(self, state: "LeagueState") -> Problem | None:
        finding = f"draw {self.no} does not count"
        if self.no in state.over:
            return Problem(finding, is_so=True)
        if self.no < state.first_draw:
            return Problem(finding, f"draw {self.no} is in an earlier segment of the journal, and counts")
        if self.no not in state.played:
            return Problem(finding, f"no draw {self.no} was played; the last one is {state.last_draw}")
        return None

    def apply(self, state: "LeagueState") -> None:
        state.drop(self)
        state.by_organiser.append(self)


OfDraws = Committed | Revealed | DrawScheduled | DrawPlayed | Checkpoint | DrawVoided | DrawAnnulled
