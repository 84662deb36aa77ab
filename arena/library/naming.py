"""The names of arguments in sentences that speak of flags."""

import re
from typing import Any

from arena.playing.arguments import Declared, declared


def as_arguments(text: str, command: Any) -> str:
    """A sentence for people at a command line, with the names of arguments in place of the flags of this
    command; but a whole command that it names stays as it is."""
    named = dict(pair for one in declared(command) if one.flag for pair in _named(one))
    flags = re.compile(rf"(?<![\w'-])({'|'.join(named)})(?![\w-])")
    parts = text.split("; ")
    return "; ".join(
        part if "arena " in part else flags.sub(lambda flag: named[flag[1]], part) for part in parts
    )


def _named(one: Declared) -> list[tuple[str, str]]:
    if one.type is bool:
        return [(one.flag, f"{one.name}=True"), (one.flag.replace("--", "--no-", 1), f"{one.name}=False")]
    return [(one.flag, one.name)]


def of_an_argument(error: str) -> str:
    """What msgspec says of a field, with its name in front."""
    what, _, place = error.partition(" - at `$")
    name = place.rstrip("`").rpartition(".")[2]
    return f"{name}: {what}" if name else what
