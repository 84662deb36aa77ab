"""The state of a league as a value: what the next segment of its journal begins with, so that nobody has to
read the segments before it to go on. Pure.
"""

from typing import Final

import msgspec

from arena.league.ids import Author, BoardId, Day, Seconds, Sha256, VersionId
from arena.system.text import caption, title
from tournaments.eprocess import PairEvidence
from tournaments.strength import PairSums, Sums

TEXT_LIMIT: Final = 2000
"""Characters of a reason or a cure that are read."""
RECEIVED: Final = "received"
REFUSED: Final = "refused"
PASSED: Final = "passed"
RESTING: Final = "resting"
CURRENT: Final = "current"
PAUSED: Final = "paused"
RETIRED: Final = "retired"


class Version(msgspec.Struct, frozen=True):
    """A version: what it is, and where it stands. `status` is one of the words above; `why` says why it was
    refused, paused or retired. `number`: its place in the order of arrival, from 1. `faults`: the matches
    that it forfeited since it was last restored."""

    id: VersionId
    digest: str
    file: str
    at: int
    number: int
    status: str = RECEIVED
    why: str = ""
    cure: str = ""
    boards: tuple[BoardId, ...] = ()
    faults: int = 0

    @property
    def bot(self) -> str:
        """`author/bot`."""
        return self.id.partition("@")[0]


class CarriedPair(msgspec.Struct, frozen=True):
    """Two versions that were drawn for a comparison, by arrival. `sums` is None where none was counted."""

    first: VersionId
    second: VersionId
    versus: PairEvidence
    sums: PairSums | None


class CarriedBoard(msgspec.Struct, frozen=True):
    """The numbers of a board. Pairs stand in the order in which their sums began, then those without any."""

    panel: tuple[VersionId, ...]
    zero: VersionId
    known: dict[VersionId, float]
    since_checkpoint: int
    singles: dict[VersionId, Sums]
    pairs: tuple[CarriedPair, ...]
    pods: dict[VersionId, int]
    draws: int


class CarriedState(msgspec.Struct, frozen=True):
    """All that decides what happens next. `last_draw` is the number of the last draw; `titles` and `tokens`
    are by author; `pods` and `milliseconds` by version; `finals`: on a board, how
    often two versions were drawn for its final."""

    boards: dict[BoardId, CarriedBoard]
    titles: dict[Author, str]
    tokens: dict[Author, Sha256]
    versions: tuple[Version, ...]
    current: dict[str, VersionId]
    committed: dict[Day, Sha256]
    revealed: dict[Day, Sha256]
    last_draw: int
    pods: dict[VersionId, int]
    milliseconds: dict[VersionId, int]
    at: Seconds
    finals: tuple[tuple[BoardId, tuple[VersionId, ...], int], ...] = ()

    @property
    def cleaned(self) -> "CarriedState":
        """With all text for people sanitised."""
        return msgspec.structs.replace(
            self,
            titles={author: title(text) for author, text in self.titles.items()},
            versions=tuple(
                msgspec.structs.replace(
                    one, why=caption(one.why, TEXT_LIMIT), cure=caption(one.cure, TEXT_LIMIT)
                )
                for one in self.versions
            ),
        )
