"""Entries about authors and their bots: registration, intake, and where versions play."""

from typing import TYPE_CHECKING, Annotated, Final, Self

import msgspec

from arena.journal.entry import REASON_LIMIT, Problem
from arena.league.carried import CURRENT, PAUSED, RECEIVED, REFUSED, RESTING, RETIRED, Version
from arena.league.entries.base import IS_SO, LeagueEntry, OrganiserEntry
from arena.league.ids import (
    HOUSE,
    Author,
    BoardId,
    Seconds,
    Sha256,
    Stage,
    VersionId,
    author_of,
    version_parts,
)
from arena.system.errors import did_you_mean
from arena.system.text import caption, title

if TYPE_CHECKING:
    from arena.league.state import LeagueState

PLAYING: Final = (CURRENT, RESTING)
MOST_MEMBERS: Final = 64
"""The most versions of a panel."""


class Registered(OrganiserEntry, frozen=True, tag="author"):
    """An author. A later entry replaces it."""

    AFTER_CLOSE = False
    SENTENCE = "{0.author}: registered"

    author: Author
    title: str
    token: Sha256
    """The SHA-256 of the author's token, which was shown once."""

    def objection(self, state: "LeagueState") -> Problem | None:
        if self.author == HOUSE:
            return Problem(f"{HOUSE} is the author of the anchors; choose another name")
        return None

    def apply(self, state: "LeagueState") -> None:
        state.authors[self.author] = self

    @property
    def cleaned(self) -> Self:
        return msgspec.structs.replace(self, title=title(self.title))


class Received(LeagueEntry, frozen=True, tag="received"):
    """A version has arrived."""

    AFTER_CLOSE = False
    SENTENCE = "{0.version}: received"

    version: VersionId
    digest: Sha256
    file: str
    """The name of its program."""
    at: Seconds

    def misfit(self, state: "LeagueState") -> Problem | None:
        author, bot, _ = version_parts(self.version)
        if self.version != state.next_version(author, bot):
            return Problem(f"{self.version} is not the next version of its bot")
        if state.closes and self.at >= state.closes.closes:
            return Problem(f"{self.version} came after the deadline")
        return None if author in {*state.authors, HOUSE} else Problem(f"{author} is not an author")

    def apply(self, state: "LeagueState") -> None:
        state.passes(self.at)
        state.arrives(Version(self.version, self.digest, self.file, self.at, len(state.versions) + 1))

    @property
    def cleaned(self) -> Self:
        if "/" in self.file or self.file in ("", ".", ".."):
            raise ValueError(f"{caption(self.file)!r} is not a file name")
        return self


class _InIntake(LeagueEntry, frozen=True):
    """The outcome of a stage of the intake."""

    version: VersionId
    stage: Stage

    def misfit(self, state: "LeagueState") -> Problem | None:
        known = state.versions.get(self.version)
        return None if known and known.status == RECEIVED else Problem(f"{self.version} is not in the intake")


class Passed(_InIntake, frozen=True, tag="passed"):
    """A version has passed a stage of the intake."""

    seconds: Annotated[float, msgspec.Meta(ge=0)]
    """Since its intake began."""

    def apply(self, state: "LeagueState") -> None:
        if self.stage == "checked":
            state.checked.add(self.version)
            state.check_seconds.append(self.seconds)


class Refused(_InIntake, frozen=True, tag="refused"):
    """A version has failed a stage; its predecessor stays current. `cure` says how to fix it."""

    SENTENCE = "{0.version}: refused: {0.reason}; {0.cure}"

    reason: str
    cure: str

    def apply(self, state: "LeagueState") -> None:
        state.change(self.version, status=REFUSED, why=self.reason, cure=self.cure)

    @property
    def cleaned(self) -> Self:
        reason, cure = (caption(text, REASON_LIMIT) for text in (self.reason, self.cure))
        return msgspec.structs.replace(self, reason=reason, cure=cure)


class Current(LeagueEntry, frozen=True, tag="current"):
    """The version becomes the current one of its bot, on these boards. Earlier versions may become it
    again."""

    SENTENCE = "{0.version}: current"

    version: VersionId
    boards: tuple[BoardId, ...]

    def misfit(self, state: "LeagueState") -> Problem | None:
        version = self.version
        known = state.versions.get(version)
        if known is None:
            return Problem(f"{version} was never received")
        if not self.boards or not {*self.boards} <= {*state.boards}:
            return Problem(f"{version} is on a board that does not exist")
        if known.status == RESTING or author_of(version) == HOUSE or version in state.checked:
            return None
        return Problem(f"{version} was not checked")

    def apply(self, state: "LeagueState") -> None:
        bot = state.versions[self.version].bot
        before = state.current.get(bot, self.version)
        if before != self.version and state.versions[before].status == CURRENT:
            state.change(before, status=RESTING)
        state.change(self.version, status=CURRENT, boards=self.boards, why="")
        state.forgive(self.version)
        state.current[bot] = self.version


class PanelSet(OrganiserEntry, frozen=True, tag="panel"):
    """The panel against which a board measures from now on."""

    board: BoardId
    members: Annotated[tuple[VersionId, ...], msgspec.Meta(min_length=2, max_length=MOST_MEMBERS)]
    zero: VersionId
    """The anchor whose strength is 0."""

    def misfit(self, state: "LeagueState") -> Problem | None:
        unfit = self._unfit(state) or (self._unmeasured(state) if self.board in state.panels else None)
        return None if unfit is None else Problem(unfit)

    def _unfit(self, state: "LeagueState") -> str | None:
        board = state.boards.get(self.board)
        if board is None:
            return f"there is no board {self.board}"
        if len({*self.members}) < len(self.members):
            return "a version may be in the panel only once"
        for member in self.members:
            version = state.versions.get(member)
            if version is None or board.id not in version.boards:
                return f"{member} is not a version on {board.id}"
            if version.status not in PLAYING:
                return f"{member} is {version.status}"
        if len(self.members) <= board.seats:
            return f"a panel of {board.id} needs at least {board.seats + 1} versions"
        if self.zero not in self.members:
            return f"{self.zero} is the zero of {board.id}, and must stay in its panel"
        return None

    def _unmeasured(self, state: "LeagueState") -> str | None:
        """Why the numbers so far cannot be converted from the previous panel to this one."""
        if self.zero != state.panels[self.board].zero:
            return f"the zero of {self.board} must stay {state.panels[self.board].zero}"
        known = state.numbers[self.board].known
        for member in self.members:
            if member not in known:
                return f"{member} has no strength from comparisons at the last checkpoint of {self.board}"
        return None

    def objection(self, state: "LeagueState") -> Problem | None:
        return IS_SO if state.panels[self.board] == self else None

    def apply(self, state: "LeagueState") -> None:
        numbers, before = state.numbers[self.board], state.panels.get(self.board)
        state.panels[self.board] = self
        numbers.zero = self.zero
        state.reordered()
        if before is not None:
            numbers.renewed(before.members, self.members)

    def sentence(self) -> str:
        return f"{self.board}: its panel is {', '.join(self.members)}"


class _OnBoards(OrganiserEntry, frozen=True):
    """A decision about a version that passed the intake."""

    version: VersionId
    reason: str

    def misfit(self, state: "LeagueState") -> Problem | None:
        known = state.versions.get(self.version)
        if known and known.boards:
            return None
        refusal = f"no version is called {self.version!r}{did_you_mean(self.version, state.versions)}"
        if known:
            refusal = f"{self.version} plays on no board: it is {known.status}"
        return Problem(f"{self.version} did not pass the intake", refusal)

    def needed(self, state: "LeagueState") -> Problem | None:
        """Why the organiser cannot remove the version from its boards. A pause for faults skips this
        check."""
        name, version = self.version, state.versions[self.version]
        for board in version.boards:
            if state.numbers[board].zero == name:
                return Problem(f"{name} is the zero of {board}, and must always stay")
            members, seats = state.panels[board].members, state.boards[board].seats
            others = [other for other in members if other != name and state.versions[other].status in PLAYING]
            if name in members and version.status in PLAYING and len(others) < seats:
                return Problem(
                    f"without {name}, the panel of {board} has only {len(others)} versions that play, but "
                    f"it needs {seats}; name others first with `arena league panel`"
                )
        return None


class Paused(_OnBoards, frozen=True, tag="paused"):
    """A version does not play until it is restored, after too many faults or by the organiser."""

    SENTENCE = "{0.version}: paused, {0.reason}"

    def objection(self, state: "LeagueState") -> Problem | None:
        is_off = state.versions[self.version].status in (PAUSED, RETIRED)
        return self.needed(state) or (IS_SO if is_off else None)

    def apply(self, state: "LeagueState") -> None:
        state.change(self.version, status=PAUSED, why=self.reason)
        state.by_organiser.append(self)


class Retired(_OnBoards, frozen=True, tag="retired"):
    """A bot leaves its boards: its current version no longer plays."""

    SENTENCE = "{0.version}: retired, {0.reason}"

    def objection(self, state: "LeagueState") -> Problem | None:
        is_off = state.versions[self.version].status == RETIRED
        return self.needed(state) or (IS_SO if is_off else None)

    def apply(self, state: "LeagueState") -> None:
        state.change(self.version, status=RETIRED, why=self.reason)
        state.by_organiser.append(self)


class Restored(_OnBoards, frozen=True, tag="restored"):
    """A paused or retired version plays again."""

    SENTENCE = "{0.version}: restored, {0.reason}"

    def objection(self, state: "LeagueState") -> Problem | None:
        return IS_SO if state.versions[self.version].status in PLAYING else None

    def apply(self, state: "LeagueState") -> None:
        is_current = state.current.get(state.versions[self.version].bot) == self.version
        state.change(self.version, status=CURRENT if is_current else RESTING, why="")
        state.forgive(self.version)
        state.try_again(self.version)
        state.by_organiser.append(self)


OfBots = Registered | Received | Passed | Refused | Current | PanelSet | Paused | Retired | Restored
