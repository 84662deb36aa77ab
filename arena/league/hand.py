"""What may be asked of a league, by its organiser or its authors, and the entries that follow. The same
function answers while a daemon plays and while none does.

Requests are values that can be sent. Pure.
"""

from typing import Annotated

import msgspec

from arena.journal.entry import Problem
from arena.league.carried import CURRENT, RECEIVED, RESTING
from arena.league.days import SECONDS_A_DAY
from arena.league.entries import (
    Closed,
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
from arena.league.ids import HOUSE, Author, BotName, Count, Sha256, VersionId, author_of
from arena.league.state import LeagueState
from arena.system.errors import UserError, did_you_mean


class Add(msgspec.Struct, frozen=True, tag_field="type", tag="add"):
    """A program, which is in the store, is to become the next version of a bot."""

    author: Author
    bot: BotName
    digest: Sha256
    file: str


class Close(msgspec.Struct, frozen=True, tag_field="type", tag="close"):
    """The league is to take no further version, and to end after finals of so many comparisons."""

    reason: str
    finals: Annotated[int, msgspec.Meta(ge=0, le=10**6)] = 0

    def entry(self, at: int) -> Closed:
        return Closed(self.reason, at, self.finals)


class Prune(msgspec.Struct, frozen=True, tag_field="type", tag="prune"):
    """The logs of the first draws, up to this one, are to be deleted, or their private parts only."""

    last: Count
    private_only: bool

    def entry(self, at: int) -> Pruned:
        return Pruned(1, self.last, self.private_only)


class Freeze(msgspec.Struct, frozen=True, tag_field="type", tag="freeze"):
    """Everybody but the organiser is to be shown the league as it is now, until it is revealed."""

    reason: str

    def entry(self, at: int) -> Frozen:
        return Frozen(self.reason, at)


class Reveal(msgspec.Struct, frozen=True, tag_field="type", tag="reveal"):
    """The league is to be shown as it is again."""

    def entry(self, at: int) -> Unfrozen:
        return Unfrozen(at)


Request = (
    Registered | PanelSet | Paused | Retired | Restored | DrawAnnulled | Add | Prune | Freeze | Reveal | Close
)
"""An entry that an organiser may ask for as it stands, or what only the league can make an entry of."""


def answer(state: LeagueState, request: Request, at: int) -> tuple[Entry, ...]:
    """The entries by which a request is carried out, none where that is so already. Raises UserError."""
    at = max(at, state.at)
    if isinstance(request, Add):
        return _added(state, request, at)
    entry = request if isinstance(request, OrganiserEntry) else request.entry(at)
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
    for earlier in state.with_digest(request.digest):
        if state.versions[earlier].bot != bot:
            continue
        version = state.versions[earlier]
        if version.status in (CURRENT, RECEIVED):
            return ()
        if version.status == RESTING:
            return (Current(earlier, version.boards),)
    return (received(state, bot, request.digest, request.file, at),)


def require_welcome(state: LeagueState, author: str, bot: str, at: int) -> None:
    """Raises UserError where no further program of an author would be received, whatever it is. To be asked
    before anything of it is copied."""
    answer(state, Add(author, bot, digest="0" * 64, file=bot), at)


def received(state: LeagueState, bot: str, digest: str, file: str, at: int) -> Received:
    """The entry of the next version of `author/bot`. Raises UserError where its author has sent enough."""
    author, _, name = bot.partition("/")
    if author != HOUSE and state.sent_on(author, at // SECONDS_A_DAY) >= state.founded.quota:
        versions = "version" if state.founded.quota == 1 else "versions"
        raise UserError(f"{author} has sent {state.founded.quota} {versions} today; again tomorrow (UTC)")
    return Received(state.next_version(author, name), digest, file, at)


def twins(state: LeagueState, version: VersionId) -> list[VersionId]:
    """The versions of the same program that other authors sent."""
    digest = state.versions[version].digest
    return [one for one in state.with_digest(digest) if author_of(one) != author_of(version)]


def as_it_is(state: LeagueState, request: Request) -> str:
    """What is so already, where no entry follows from a request, and the way back."""
    if not isinstance(request, Paused | Retired | Restored):
        return "it is so already"
    found = state.versions[request.version]
    if found.status in PLAYING:
        return f"{found.id} plays already: it is {found.status}"
    why = f" ({found.why})" if found.why else ""
    return f"{found.id} is {found.status} already{why}; `arena league restore` lets it play again"
