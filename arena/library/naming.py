"""The names of arguments in sentences that speak of flags or of fields. Knows texts only."""

import re
from collections.abc import Mapping
from typing import Final

SAME: Final = (
    *("bounded", "budget", "deals", "final", "format", "jobs", "log", "margin", "memory", "out", "public"),
    *("rounds", "sandbox", "seats", "seed", "startup", "time"),
)
FLAGS: Final[Mapping[str, str]] = {
    **{name: name for name in SAME},
    "author": "authors",
    "challenger": "challengers",
    "group": "groups",
    "no-duplicates": "duplicates=False",
    "option": "options",
    "seed-file": "seed_file",
    "title": "titles",
    "trust": "trust=True",
}
"""Flags of commands, and the arguments of calls that stand for them."""
FIELDS: Final[Mapping[str, str]] = {
    "allowed": "allow",
    "bank_ms": "time",
    "decision_ms": "time",
    "level": "sandbox",
    "memory_mb": "memory",
    "start_ms": "startup",
}
"""Fields of calls whose argument has another name."""
_FLAG: Final = re.compile(rf"(?<![\w'-])--({'|'.join(FLAGS)})(?![\w-])")


def as_arguments(text: str) -> str:
    """A sentence for people at a command line, with the names of arguments in place of flags; but a whole
    command that it names stays as it is."""
    parts = text.split("; ")
    return "; ".join(
        part if "arena " in part else _FLAG.sub(lambda flag: FLAGS[flag[1]], part) for part in parts
    )


def of_an_argument(error: str) -> str:
    """What msgspec says of a field, with the name of the argument in front."""
    what, _, place = error.partition(" - at `$")
    name = place.rstrip("`").rpartition(".")[2]
    return f"{FIELDS.get(name, name)}: {what}" if name else what
