"""The state of a league as a value. Each further segment of the journal begins with it, so that earlier
segments need not be read. Pure."""

from typing import Final

import msgspec

from arena.league.ids import Author, BoardId, Day, Seconds, Sha256, VersionId
from arena.system.text import caption, title
from tournaments.eprocess import PairEvidence
from tournaments.strength import PairSums, Sums

TEXT_LIMIT: Final = 2000
"""Characters of a reason or a cure; the rest is cut off."""
RECEIVED: Final = "received"
REFUSED: Final = "refused"
PASSED: Final = "passed"
RESTING: Final = "resting"
CURRENT: Final = "current"
PAUSED: Final = "paused"
RETIRED: Final = "retired"


class Version(msgspec.Struct, frozen=True):
    """A version of a bot, with its status."""

    id: VersionId
    digest: str
    file: str
    """The name of its program in the store."""
    at: int
    """When it arrived, in seconds since 1970."""
    number: int
    """Its place in the order of arrival, from 1."""
    status: str = RECEIVED
    """One of the words above."""
    why: str = ""
    """Why it was refused, paused or retired."""
    cure: str = ""
    """How to fix what it was refused for."""
    boards: tuple[BoardId, ...] = ()
    faults: int = 0
    """The matches that it forfeited since it last became current or was restored."""

    @property
    def bot(self) -> str:
        """`author/bot`."""
        return self.id.partition("@")[0]


class CarriedPair(msgspec.Struct, frozen=True):
    """Two versions that were drawn for a comparison."""

    first: VersionId
    """The one that arrived earlier."""
    second: VersionId
    versus: PairEvidence | None
    """By the first rule of statements; None for a pair that was first drawn under another."""
    sums: PairSums | None
    """None before the first comparison was counted."""


class CountedDraw(msgspec.Struct, frozen=True, array_like=True):
    """A draw that counts as evidence."""

    numbers: tuple[int, ...]
    """The numbers of its versions, by arrival on the board."""
    rows: tuple[float, ...]
    """The row of each version."""
    panel: int
    """The number of panels before the one that it was measured against."""


class CarriedEvidence(msgspec.Struct, frozen=True):
    """What the statements of a board rest on (statements.py)."""

    arrived: tuple[VersionId, ...]
    """The versions in the order of their first draws."""
    draws: tuple[CountedDraw, ...]
    panel: int
    """The number of panels before the present one."""


class StandingStatement(msgspec.Struct, frozen=True):
    """A statement that a board makes."""

    above: VersionId
    """The version that is ahead."""
    below: VersionId
    since: Seconds | None
    """Since when it has been made; None if it is only certain."""
    certain: bool


class CarriedBoard(msgspec.Struct, frozen=True):
    """The numbers of a board (numbers.py)."""

    panel: tuple[VersionId, ...]
    zero: VersionId
    known: dict[VersionId, float]
    """The strengths of the last checkpoint."""
    since_checkpoint: int
    """Draws played since then."""
    singles: dict[VersionId, Sums]
    pairs: tuple[CarriedPair, ...]
    """In the order in which their sums began, then the pairs without sums."""
    pods: dict[VersionId, int]
    draws: int
    """Draws that were played and count."""
    evidence: CarriedEvidence | None = None
    """None of a board that only an older arena has played."""
    statements: tuple[StandingStatement, ...] = ()
    alike: tuple[tuple[VersionId, VersionId, int], ...] = ()
    """The pairs that never differed in a comparison, with the choices that they took alike."""


class CarriedState(msgspec.Struct, frozen=True):
    """Everything that determines what happens next."""

    boards: dict[BoardId, CarriedBoard]
    titles: dict[Author, str]
    tokens: dict[Author, Sha256]
    versions: tuple[Version, ...]
    current: dict[str, VersionId]
    """By `author/bot`."""
    committed: dict[Day, Sha256]
    revealed: dict[Day, Sha256]
    last_draw: int
    """The number of the last draw."""
    pods: dict[VersionId, int]
    milliseconds: dict[VersionId, int]
    """Core time of all pods of a version."""
    at: Seconds
    """The latest clock reading."""
    finals: tuple[tuple[BoardId, tuple[VersionId, ...], int], ...] = ()
    """How often each pair was drawn for the final of a board."""

    @property
    def cleaned(self) -> "CarriedState":
        """The same state with all text for people sanitised."""
        return msgspec.structs.replace(
            self,
            titles={author: title(text) for author, text in self.titles.items()},
            versions=tuple(
                msgspec.structs.replace(
                    version, why=caption(version.why, TEXT_LIMIT), cure=caption(version.cure, TEXT_LIMIT)
                )
                for version in self.versions
            ),
        )
