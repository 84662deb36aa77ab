"""The entries about what is played: the seeds of the days, what is drawn from them, and the
results."""

from typing import TYPE_CHECKING, Annotated, Literal

import msgspec

from arena.journal.entry import Problem
from arena.league.days import SECONDS_A_DAY, commitment
from arena.league.entries.base import LeagueEntry, OrganiserEntry, without_checkpoint
from arena.league.ids import BoardId, Companions, Count, Day, Seconds, Sha256, VersionId
from arena.league.numbers import lead_of
from protocol.outcome import Deals, Forfeit

if TYPE_CHECKING:
    from arena.league.state import LeagueState


class Committed(LeagueEntry, frozen=True, tag="commitment"):
    """The SHA-256 of the seed of a day, from which its pods are dealt."""

    day: Day
    sha256: Sha256

    def misfit(self, state: "LeagueState") -> Problem | None:
        if self.day in state.committed:
            return Problem(f"the seed of day {self.day} was committed before")
        if self.day <= state.last_day:
            return Problem(f"the seed of day {self.day} was committed when pods had been drawn from it")
        return None

    def apply(self, state: "LeagueState") -> None:
        state.committed[self.day] = self.sha256


class Revealed(LeagueEntry, frozen=True, tag="seed"):
    """The seed of a day, once all that was drawn from it is over."""

    day: Day
    seed: Sha256

    def misfit(self, state: "LeagueState") -> Problem | None:
        if state.committed.get(self.day) != commitment(self.seed):
            return Problem(f"this is not the seed of day {self.day} that was committed")
        if any(draw.day == self.day for draw in state.in_flight.values()):
            return Problem(f"the seed of day {self.day} was revealed while a pod of it was played")
        return None

    def apply(self, state: "LeagueState") -> None:
        state.revealed[self.day] = self.seed
        # A day whose seed is known is over, even if the clock is set back to it.
        state.passes((self.day + 1) * SECONDS_A_DAY)


class DrawScheduled(LeagueEntry, frozen=True, tag="draw"):
    """What is played next, written before it is played: the `versions` of the question, one or two, each
    with the same `companions`, deals and seatings. `at` is the clock at the draw."""

    NEEDS_PANELS = True

    no: Count
    board: BoardId
    versions: Annotated[tuple[VersionId, ...], msgspec.Meta(min_length=1, max_length=2)]
    companions: Companions
    why: Literal["placement", "question", "final"]
    day: Day
    at: Seconds

    def misfit(self, state: "LeagueState") -> Problem | None:
        if problem := without_checkpoint(state):
            return problem
        pod = (*self.versions, *self.companions)
        if self.board not in state.boards:
            return Problem(f"there is no board {self.board}")
        if self.day in state.revealed:
            return Problem(f"draw {self.no} was drawn from a seed that was known")
        if self.no != state.last_draw + 1:
            return Problem(f"draw {self.no} stands where draw {state.last_draw + 1} is due")
        if any(one not in state.versions for one in pod):
            return Problem("a version that never came in was drawn")
        if len({*pod}) < len(pod):
            return Problem("a version sits twice in one pod")
        if len(self.companions) != state.boards[self.board].seats - 1:
            return Problem(f"its pods are not of {state.boards[self.board].seats}")
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
    """A match of a draw. Rows of `gains` are deals; their columns, and the seats of `forfeits`, are places in
    the pod: the version of the question has 0, its companions follow. Who sat where follows from the seed of
    the day, and is no secret once that is revealed."""

    gains: Deals
    forfeits: tuple[Forfeit, ...] = ()


class DrawPlayed(LeagueEntry, frozen=True, tag="played"):
    """A draw that was played: the matches of each version of the question, by seating. `seconds` of a core
    that it took. `public` and `private` are the SHA-256 of the two parts of its logs."""

    SENTENCE = "draw {0.no}: played in {0.seconds:.1f} s"

    no: Count
    matches: tuple[tuple[DrawMatch, ...], ...]
    seconds: Annotated[float, msgspec.Meta(ge=0)]
    public: Sha256
    private: Sha256

    def misfit(self, state: "LeagueState") -> Problem | None:
        if self.no not in state.in_flight:
            return Problem(f"draw {self.no} is not being played")
        draw = state.in_flight[self.no]
        size = 1 + len(draw.companions)
        if len(self.matches) != len(draw.versions) or len({len(rows) for rows in self.matches}) != 1:
            return Problem(f"draw {self.no} has results of another number of matches")
        for row in (row for rows in self.matches for row in rows):
            if not row.gains or any(len(deal) != size for deal in row.gains):
                return Problem(f"draw {self.no} has results that are not of {size} seats")
            if any(not 0 <= forfeit.seat < size for forfeit in row.forfeits):
                return Problem(f"draw {self.no} has a forfeit of no seat")
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
        state.numbers[draw.board].played(draw, leads, state.panels[draw.board].members)


class Checkpoint(LeagueEntry, frozen=True, tag="checkpoint"):
    """The strengths of a board by the exact fit. From now on they correct the luck of the draw of
    companions."""

    SENTENCE = "{0.board}: checkpoint"

    board: BoardId
    strengths: dict[VersionId, float]

    def misfit(self, state: "LeagueState") -> Problem | None:
        return None if self.board in state.boards else Problem(f"there is no board {self.board}")

    def apply(self, state: "LeagueState") -> None:
        state.numbers[self.board].checkpoint(self.strengths)


class DrawVoided(LeagueEntry, frozen=True, tag="void"):
    """A draw that the arena or the machine spoilt. It counts for nobody."""

    SENTENCE = "draw {0.no} counts for nobody: {0.reason}"

    no: Count
    reason: str

    def misfit(self, state: "LeagueState") -> Problem | None:
        return None if self.no in state.in_flight else Problem(f"draw {self.no} is not being played")

    def apply(self, state: "LeagueState") -> None:
        state.drop(self, is_void=True)


class DrawAnnulled(OrganiserEntry, frozen=True, tag="annulled"):
    """A draw that counts no longer, by the organiser."""

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
