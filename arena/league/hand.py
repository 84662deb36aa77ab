"""Requests of the organiser and of authors, and the entries that carry them out. The same function decides
whether or not a daemon plays the league.

Requests are values that can be sent to another process. Pure.
"""

from typing import Annotated, Final

import msgspec

from arena.journal.entry import Problem
from arena.league.carried import CURRENT, PAUSED, RECEIVED, RESTING, RETIRED
from arena.league.days import SECONDS_A_DAY
from arena.league.entries import (
    Closed,
    Closes,
    Current,
    DrawAnnulled,
    Entry,
    Frozen,
    PanelSet,
    Paused,
    Pruned,
    Received,
    Registered,
    Restored,
    Retired,
    Unfrozen,
)
from arena.league.entries.base import OrganiserEntry
from arena.league.entries.bots import PLAYING
from arena.league.ids import HOUSE, Author, BotName, Count, Seconds, Sha256, VersionId, author_of
from arena.league.state import LeagueState
from arena.system.errors import UserError, did_you_mean

FINALS: Final = 20
"""Comparisons of the final of each board, if the organiser does not say how many."""


class Add(msgspec.Struct, frozen=True, tag_field="type", tag="add"):
    """Make a program in the store the next version of a bot."""

    author: Author
    bot: BotName
    digest: Sha256
    file: str


class Close(msgspec.Struct, frozen=True, tag_field="type", tag="close"):
    """Take no further versions, and end after a final on each board."""

    reason: str
    finals: Annotated[int, msgspec.Meta(ge=0, le=10**6)] | None = None
    """Comparisons of each final; None for as many as announced, or else FINALS."""
    closes: Seconds | None = None
    """When; None for now."""

    def entry(self, state: LeagueState, at: int) -> Closed | Closes:
        announced = state.closes.finals if state.closes else FINALS
        finals = announced if self.finals is None else self.finals
        if self.closes is None:
            return Closed(self.reason, at, finals)
        return Closes(self.reason, self.closes, finals, at)


class Prune(msgspec.Struct, frozen=True, tag_field="type", tag="prune"):
    """Delete the logs of draws 1 to `last`, or only their private parts."""

    last: Count
    private_only: bool

    def entry(self, state: LeagueState, at: int) -> Pruned:
        return Pruned(1, self.last, self.private_only)


class Freeze(msgspec.Struct, frozen=True, tag_field="type", tag="freeze"):
    """Show everybody but the organiser the league as it is now, until it is revealed."""

    reason: str

    def entry(self, state: LeagueState, at: int) -> Frozen:
        return Frozen(self.reason, at)


class Reveal(msgspec.Struct, frozen=True, tag_field="type", tag="reveal"):
    """End the freeze."""

    def entry(self, state: LeagueState, at: int) -> Unfrozen:
        return Unfrozen(at)


Request = (
    Registered | PanelSet | Paused | Retired | Restored | DrawAnnulled | Add | Prune | Freeze | Reveal | Close
)
"""An entry that the organiser may ask for, or a request from which the league makes one."""


def answer(state: LeagueState, request: Request, at: int) -> tuple[Entry, ...]:
    """The entries that carry out a request; none if there is nothing to do. Raises UserError."""
    at = max(at, state.at)
    if isinstance(request, Add):
        return _added(state, request, at)
    entry = request if isinstance(request, OrganiserEntry) else request.entry(state, at)
    problem = entry.declined(state)
    if problem and problem.is_so:
        return ()
    _require_none(problem)
    return (entry,)


def _require_none(problem: Problem | None) -> None:
    """Raises UserError."""
    if problem:
        raise UserError(problem.refused)


def _added(state: LeagueState, request: Add, at: int) -> tuple[Entry, ...]:
    _require_none(Received.barred(state))
    if request.author not in state.authors:
        known = did_you_mean(request.author, state.authors) if state.authors else ""
        raise UserError(f"no author is called {request.author!r}{known}; `arena league author` registers one")
    bot = f"{request.author}/{request.bot}"
    for earlier in reversed(state.with_digest(request.digest)):
        if state.versions[earlier].bot != bot:
            continue
        version = state.versions[earlier]
        if version.status in (CURRENT, RECEIVED):
            return ()
        if version.status == RESTING:
            return (Current(earlier, version.boards),)
        if version.status in (PAUSED, RETIRED):
            raise UserError(
                f"this is the program of {earlier}, which is {version.status} ({version.why}); send a "
                "changed one, or ask the organiser to restore it"
            )
    return (received(state, bot, request.digest, request.file, at),)


def require_welcome(state: LeagueState, author: str, bot: str, at: int) -> None:
    """Raises UserError if any further program of the author would be refused. Call it before copying one."""
    answer(state, Add(author, bot, digest="0" * 64, file=bot), at)


def received(state: LeagueState, bot: str, digest: str, file: str, at: int) -> Received:
    """The entry of the next version of `author/bot`. Raises UserError if its author's quota is used up."""
    author, _, name = bot.partition("/")
    if author != HOUSE and state.sent_on(author, at // SECONDS_A_DAY) >= state.founded.quota:
        versions = "version" if state.founded.quota == 1 else "versions"
        raise UserError(f"{author} has sent {state.founded.quota} {versions} today; try again tomorrow (UTC)")
    return Received(state.next_version(author, name), digest, file, at)


def twins(state: LeagueState, version: VersionId) -> list[VersionId]:
    """The versions of other authors with the same digest."""
    digest = state.versions[version].digest
    return [other for other in state.with_digest(digest) if author_of(other) != author_of(version)]


def as_it_is(state: LeagueState, request: Request) -> str:
    """A sentence that explains why a request had nothing to do, and how to undo that state."""
    if not isinstance(request, Paused | Retired | Restored):
        return "that is already the case"
    version = state.versions[request.version]
    if version.status in PLAYING:
        return f"{version.id} already plays: it is {version.status}"
    why = f" ({version.why})" if version.why else ""
    return f"{version.id} is already {version.status}{why}; to let it play again, use `arena league restore`"
