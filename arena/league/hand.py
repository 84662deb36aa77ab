"""What may be asked of a league, by its organiser or its authors, and the entries that follow. The same
function answers while a daemon plays and while none does.

Requests are values that can be sent. Pure.
"""

from typing import Annotated, Final

import msgspec

from arena.league.carried import CURRENT, PAUSED, RECEIVED, RESTING, RETIRED, Version
from arena.league.days import SECONDS_A_DAY
from arena.league.entries import (
    Annulled,
    Closed,
    Current,
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
from arena.league.ids import HOUSE, Author, BotName, Count, Sha256, VersionId, author_of
from arena.league.panel import unfit
from arena.league.state import State
from arena.system.errors import UserError, did_you_mean

PLAYING: Final = (CURRENT, RESTING)


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


class Prune(msgspec.Struct, frozen=True, tag_field="type", tag="prune"):
    """The logs of the first draws, up to this one, are to be deleted, or their private parts only."""

    last: Count
    private_only: bool


class Freeze(msgspec.Struct, frozen=True, tag_field="type", tag="freeze"):
    """Everybody but the organiser is to be shown the league as it is now, until it is revealed."""

    reason: str


class Reveal(msgspec.Struct, frozen=True, tag_field="type", tag="reveal"):
    """The league is to be shown as it is again."""


Request = (
    Registered | PanelSet | Paused | Retired | Restored | Annulled | Add | Prune | Freeze | Reveal | Close
)
"""An entry that an organiser may ask for as it stands, or what only the league can make an entry of."""


def answer(state: State, request: Request, at: int) -> tuple[Entry, ...]:
    """The entries by which a request is carried out, none where that is so already. Raises UserError."""
    if state.closed and isinstance(request, Add | Registered | Close):
        raise UserError(f"the league is closed: {state.closed.reason}")
    if state.sealed and not isinstance(request, Prune | Freeze | Reveal):
        raise UserError("the league is sealed: what was played stands")
    if (
        isinstance(request, Paused | Retired | Restored | Annulled | Freeze | Close)
        and not request.reason.strip()
    ):
        raise UserError("--reason is empty: say why, for everybody")
    at = max(at, state.at)
    match request:
        case Registered():
            if request.author == HOUSE:
                raise UserError(f"{HOUSE} is the author of the anchors; choose another name")
            return (request,)
        case Add():
            return _added(state, request, at)
        case PanelSet(board=board):
            if reason := unfit(state, request):
                raise UserError(reason)
            return () if state.panels[board] == request else (request,)
        case Paused():
            version = _may_leave(state, request.version)
            return () if version.status in (PAUSED, RETIRED) else (request,)
        case Retired():
            version = _may_leave(state, request.version)
            return () if version.status == RETIRED else (request,)
        case Restored():
            return () if _version(state, request.version).status in PLAYING else (request,)
        case Annulled(no=no):
            if no in state.over:
                return ()
            if no < state.first_draw:
                raise UserError(f"draw {no} is in an earlier segment of the journal, and counts")
            if no not in state.played:
                raise UserError(f"no draw {no} was played; the last one is {state.last_draw}")
            return (request,)
        case Prune(last=last, private_only=private_only):
            if state.frozen and not private_only:
                raise UserError(
                    "the league is frozen, and what is shown of it needs these logs; --private deletes the "
                    "others, `arena league reveal` ends the freeze"
                )
            if last > state.last_draw or any(no <= last for no in state.in_flight):
                raise UserError(f"draw {last} is not over yet; the last one is {state.last_draw}")
            pruned = Pruned(1, last, private_only)
            return () if pruned in state.pruned else (pruned,)
        case Freeze(reason=reason):
            return () if state.frozen else (Frozen(reason, at),)
        case Reveal():
            return (Unfrozen(at),) if state.frozen else ()
        case Close(reason=reason, finals=finals):
            return (Closed(reason, at, finals),)


def _added(state: State, request: Add, at: int) -> tuple[Entry, ...]:
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


def require_welcome(state: State, author: str, bot: str, at: int) -> None:
    """Raises UserError where no further program of an author would be received, whatever it is. To be asked
    before anything of it is copied."""
    answer(state, Add(author, bot, digest="0" * 64, file=bot), at)


def received(state: State, bot: str, digest: str, file: str, at: int) -> Received:
    """The entry of the next version of `author/bot`. Raises UserError where its author has sent enough."""
    author, _, name = bot.partition("/")
    if author != HOUSE and state.sent_on(author, at // SECONDS_A_DAY) >= state.founded.quota:
        versions = "version" if state.founded.quota == 1 else "versions"
        raise UserError(f"{author} has sent {state.founded.quota} {versions} today; again tomorrow (UTC)")
    return Received(state.next_version(author, name), digest, file, at)


def twins(state: State, version: VersionId) -> list[VersionId]:
    """The versions of the same program that other authors sent."""
    digest = state.versions[version].digest
    return [one for one in state.with_digest(digest) if author_of(one) != author_of(version)]


def as_it_is(state: State, request: Request) -> str:
    """What is so already, where no entry follows from a request, and the way back."""
    if not isinstance(request, Paused | Retired | Restored):
        return "it is so already"
    found = state.versions[request.version]
    if found.status not in (PAUSED, RETIRED):
        return f"{found.id} plays already: it is {found.status}"
    why = f" ({found.why})" if found.why else ""
    return f"{found.id} is {found.status} already{why}; `arena league restore` lets it play again"


def _may_leave(state: State, name: VersionId) -> Version:
    """As `_version`, for one that is to leave the boards. Raises UserError."""
    found = _version(state, name)
    for board in found.boards:
        if state.numbers[board].zero == name:
            raise UserError(f"{name} is the zero of {board}, and always there")
        members, seats = state.panels[board].members, state.boards[board].seats
        others = [one for one in members if one != name and state.versions[one].status in PLAYING]
        if name in members and found.status in PLAYING and len(others) < seats:
            raise UserError(
                f"without {name} the panel of {board} has {len(others)} versions that play, and {seats} are "
                "due; `arena league panel` names others first"
            )
    return found


def _version(state: State, name: VersionId) -> Version:
    """The version of this name that passed the intake. Raises UserError."""
    found = state.versions.get(name)
    if found is None:
        raise UserError(f"no version is called {name!r}{did_you_mean(name, state.versions)}")
    if not found.boards:
        raise UserError(f"{name} plays on no board: it is {found.status}")
    return found
