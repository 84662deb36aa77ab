"""Decides which titles entrants keep: each is unique, and none looks like another entrant's name or title.

Knows entrants and texts; starts nothing.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

import msgspec

from arena.entrants.entrant import Entrant
from arena.entrants.find import BUILTIN_BOTS
from arena.entrants.names import is_house_like, looks
from arena.system.errors import UserError
from arena.system.text import TITLE_COLUMNS, caption, columns, title
from arena.system.wording import flag

Owners: TypeAlias = dict[str, tuple[str, str]]
"""By a key of `looks`, the name of the entrant that owns the text, and the text."""


class TitledEntrants(NamedTuple):
    """Entrants with the titles that they keep. `remarks`: a sentence for each title that was dropped."""

    entrants: tuple[Entrant, ...]
    remarks: tuple[str, ...]


def entitled(
    entrants: Sequence[Entrant], typed: Mapping[str, str] = {}, beside: Iterable[Entrant] = ()
) -> TitledEntrants:
    """The entrants, in order, with the titles that they keep. `typed`: the caller's titles by name ("" for
    the name itself), which override the authors'. `beside`: entrants that are already in the tournament.

    No title may look like another entrant's name, a title of `beside`, or the name of a house bot. Of two
    titles that look alike the typed one stays, or else the earlier. If an author's title is refused, the bot
    is called by its name; if a typed one is refused, UserError is raised."""
    owners: Owners = {}
    beside = list(beside)
    for name in (*BUILTIN_BOTS, *(one.name for one in (*beside, *entrants))):
        _claim(owners, name, name)
    for one in beside:
        _claim(owners, one.title, one.name)
    titles: dict[str, str] = {}
    for name, text in typed.items():
        titles[name] = _typed_title(name, text)
        if rival := _rival(owners, titles[name], name):
            raise UserError(f"{flag.titles} {name}={text}: it looks like {rival}; choose a different title")
        _claim(owners, titles[name], name)
    remarks = []
    for one in entrants:
        if one.name in titles:
            continue
        titles[one.name] = one.title
        if rival := _rival(owners, one.title, one.name):
            titles[one.name] = ""
            why = f"its title {one.title!r} looks like {rival}"
            remarks.append(
                f"{one.name}: shown under its name, since {why}; {flag.titles} {one.name}=… sets a "
                "different title"
            )
        _claim(owners, titles[one.name], one.name)
    return TitledEntrants(
        tuple(msgspec.structs.replace(one, title=titles[one.name]) for one in entrants), tuple(remarks)
    )


def _typed_title(name: str, text: str) -> str:
    """Clean the title that the caller typed for `name`; "" if it is the name. Raises UserError."""
    wide = columns(caption(text))
    if wide > TITLE_COLUMNS:
        raise UserError(
            f"{flag.titles} {name}={text}: {wide} columns wide; a title has at most {TITLE_COLUMNS}"
        )
    cleaned = title(text)
    if text and not cleaned:
        raise UserError(f"{flag.titles} {name}={text}: none of it is visible")
    return "" if cleaned == name else cleaned


def _claim(owners: Owners, text: str, name: str) -> None:
    """Make the entrant `name` the owner of every key of `text` that has no owner yet."""
    for key in looks(text) if text else ():
        owners.setdefault(key, (name, text))


def _rival(owners: Owners, text: str, name: str) -> str | None:
    """A description of the other entrant's name or title that `text` looks like; None if there is none."""
    if not text:
        return None
    if is_house_like(text):
        return "a house bot's name"
    others = sorted(owners[key] for key in looks(text) if key in owners and owners[key][0] != name)
    for other, seen in others:
        return f"the name {other!r}" if other == seen else f"the title {seen!r} of {other}"
    return None
