"""Names of authors, bots, versions and boards, as types. A league may come from a stranger, so whatever
becomes a file name or part of a key must match a pattern."""

import functools
from typing import Annotated, Final, Literal, TypeAlias

import msgspec

HOUSE: Final = "house"
"""The author of the anchors. Nobody can register under this name."""

_WORD: Final = "[a-z0-9][a-z0-9-]{0,15}"
Author: TypeAlias = Annotated[str, msgspec.Meta(pattern=rf"^{_WORD}\Z")]
BotName: TypeAlias = Author
VersionId: TypeAlias = Annotated[str, msgspec.Meta(pattern=rf"^{_WORD}/{_WORD}@[1-9][0-9]{{0,5}}\Z")]
"""`author/bot@n`; n numbers the versions of a bot from 1."""
BoardId: TypeAlias = Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9-]{1,40}:[2-8]\Z")]
"""`game:seats`."""
Sha256: TypeAlias = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}\Z")]
Count: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=10**9)]
Day: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=10**6)]
"""Days since 1970, in UTC."""
Seconds: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=10**11)]
"""Since 1970."""
Companions: TypeAlias = Annotated[tuple[VersionId, ...], msgspec.Meta(min_length=1, max_length=7)]
Stage: TypeAlias = Literal["received", "built", "checked"]


def version_parts(version: VersionId) -> tuple[str, str, int]:
    """Author, bot and number of a version."""
    author, _, rest = version.partition("/")
    bot, _, number = rest.partition("@")
    return author, bot, int(number)


@functools.lru_cache(maxsize=4096)
def author_of(version: VersionId) -> str:
    return version.partition("/")[0]
