"""The titles of entrants in the JSON of commands. The field is left out if there are none."""

from collections.abc import Iterable
from typing import Any

from arena.entrants.entrant import Entrant
from arena.log.entries import LoggedEntrant


def with_title(data: dict[str, Any], title: str) -> dict[str, Any]:
    """`data` with the field `title`, if the title is not empty."""
    return data | ({"title": title} if title else {})


def titles_of(entrants: Iterable[Entrant | LoggedEntrant]) -> dict[str, Any]:
    """The field `titles`, which maps names to titles; no field if there are no titles."""
    titles = {entrant.name: entrant.title for entrant in entrants if entrant.title}
    return {"titles": titles} if titles else {}
