"""Sentences for the person at a seat. Games write `bob takes it`; for the seat of the reader this becomes
`you take it`.
"""

import re
from collections.abc import Sequence
from typing import Final

from protocol.cards import Seat

YOU: Final = "you"
"""The name of the reader's seat."""

_VERB: Final = re.compile(rf"\b{YOU} (\w*[^\W\ds]s)\b")
_IRREGULAR: Final = {"is": "are", "has": "have", "was": "were"}
_LONG_ENDING: Final = re.compile(r"(ss|sh|ch|x|zz|o)es$")


def with_you(names: Sequence[str], seat: Seat) -> tuple[str, ...]:
    """The names by seat, with YOU at `seat`; a bot of that name is put into quotes."""
    apart = [f'"{name}"' if name.casefold() == YOU else name for name in names]
    return (*apart[:seat], YOU, *apart[seat + 1 :])


def to_you(sentence: str) -> str:
    """A sentence made with the names of `with_you`, with each verb that follows YOU in the second person."""
    return _VERB.sub(lambda found: f"{YOU} {_second_person(found[1])}", sentence)


def _second_person(verb: str) -> str:
    """The second person of a verb in the third person: `take` for `takes`."""
    if verb in _IRREGULAR:
        return _IRREGULAR[verb]
    if len(verb) > len("ties") and verb.endswith("ies"):
        return verb.removesuffix("ies") + "y"
    return verb.removesuffix("es" if _LONG_ENDING.search(verb) else "s")
