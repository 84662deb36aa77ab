"""Who may be called what: titles are unique, and none looks like a name or a title that is another's.

Knows entrants and texts; starts nothing.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

import msgspec

from arena.entrants.entrant import Entrant
from arena.entrants.find import LENT
from arena.entrants.names import is_house_like, looks
from arena.system.errors import UserError
from arena.system.text import TITLE_COLUMNS, caption, columns, title

Owners: TypeAlias = dict[str, tuple[str, str]]
"""By the key of how it looks: whose it is, by name, and the name or title itself."""


class Entitled(NamedTuple):
    """`remarks` are sentences on the titles that were left out."""

    entrants: tuple[Entrant, ...]
    remarks: tuple[str, ...]


def entitled(
    entrants: Sequence[Entrant], typed: Mapping[str, str] = {}, beside: Iterable[Entrant] = ()
) -> Entitled:
    """The entrants, in their order, with the titles that they keep. `typed` is by name what the caller wants
    them to be called, "" for the name itself, and beats their own. `beside` are others who are there already.

    No title may look like another's name, a title of `beside`, or what the house's bots are called. Of two
    alike the typed one stays, or else the earlier one. An author's title never ends the caller's command: its
    bot is called by its name. One that the caller typed does: raises UserError."""
    owners: Owners = {}
    beside = list(beside)
    for name in (*LENT, *(one.name for one in (*beside, *entrants))):
        _own(owners, name, name)
    for one in beside:
        _own(owners, one.title, one.name)
    kept: dict[str, str] = {}
    for name, wish in typed.items():
        kept[name] = _typed(name, wish)
        if rival := _rival(owners, kept[name], name):
            raise UserError(f"--title {name}={wish}: it looks like {rival}; choose one that does not")
        _own(owners, kept[name], name)
    remarks = []
    for one in entrants:
        if one.name in kept:
            continue
        kept[one.name] = one.title
        if rival := _rival(owners, one.title, one.name):
            kept[one.name] = ""
            why = f"its title {one.title!r} looks like {rival}"
            remarks.append(f"{one.name}: called by its name, since {why}; --title {one.name}=… gives another")
        _own(owners, kept[one.name], one.name)
    return Entitled(
        tuple(msgspec.structs.replace(one, title=kept[one.name]) for one in entrants), tuple(remarks)
    )


def _typed(name: str, wish: str) -> str:
    wide = columns(caption(wish))
    if wide > TITLE_COLUMNS:
        raise UserError(f"--title {name}={wish}: {wide} columns wide; a title has at most {TITLE_COLUMNS}")
    cleaned = title(wish)
    if wish and not cleaned:
        raise UserError(f"--title {name}={wish}: nothing of it can be seen")
    return "" if cleaned == name else cleaned


def _own(owners: Owners, text: str, name: str) -> None:
    for key in looks(text) if text else ():
        owners.setdefault(key, (name, text))


def _rival(owners: Owners, text: str, name: str) -> str | None:
    """Whom a title of `name` imitates, in words."""
    if not text:
        return None
    if is_house_like(text):
        return "a house bot's name"
    others = sorted(owners[key] for key in looks(text) if key in owners and owners[key][0] != name)
    for other, seen in others:
        return f"the name {other!r}" if other == seen else f"the title {seen!r} of {other}"
    return None
