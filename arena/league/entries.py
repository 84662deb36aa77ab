"""What a league has done: the entries of its journal (arena/journal/chained.py).

It is the only truth: boards, versions, numbers and draws follow from it. Whatever was decided by a clock or
by a cost stands in the entry, rounded, so that it can be decided again. Knows neither how matches are played
nor what the entries add up to (state.py).
"""

import hashlib
import os
import re
import stat
from pathlib import Path
from typing import Annotated, Final, Literal

import msgspec

from arena.journal.chained import Chained, DamageError, Kind, make
from arena.league.carried import Carried
from arena.league.ids import Author, BoardId, Companions, Count, Day, Seconds, Sha256, Stage, VersionId
from arena.log.settings import MatchSettings
from arena.system.errors import UserError
from arena.system.foreign import KINDS
from arena.system.places import LEAGUE_FILE
from arena.system.text import caption, title
from protocol.outcome import Deals, Forfeit

FILE: Final = LEAGUE_FILE
"""The first segment of the journal; `segment_file` names the others."""
_SEGMENT: Final = re.compile(r"league-(0[0-9]{3}|[1-9][0-9]{3,8})\.db", re.ASCII)
LOGS: Final = "logs"
PRIVATE: Final = "private"
VERSIONS: Final = "versions"
BUILT: Final = "built"
INBOX: Final = "inbox"
MOST_MEMBERS: Final = 64
"""Of a panel."""
REASON_LIMIT: Final = 2000
"""Characters of a reason that are read."""


class Board(MatchSettings, frozen=True, kw_only=True):
    """One setting in which versions are ranked. `rules` is the version of the game's rules. Two versions
    whose strengths differ by less than `margin` gains a deal are as good as equal; a comparison counts for at
    most `cap` (tournaments/eprocess.py)."""

    id: BoardId
    seats: Annotated[int, msgspec.Meta(ge=2, le=8)]
    rules: int
    margin: Annotated[float, msgspec.Meta(gt=0)]
    cap: Annotated[float, msgspec.Meta(gt=0)]


class Founded(msgspec.Struct, frozen=True, tag_field="type", tag="league"):
    """The first entry. `alpha`: how probable it is at most that any order is ever called wrongly, by board. A
    version is paused after `faults` matches that it forfeited, and an author may send `quota` versions a
    day. A file of the journal holds `segment` draws."""

    arena: str
    boards: Annotated[tuple[Board, ...], msgspec.Meta(min_length=1)]
    alpha: Annotated[float, msgspec.Meta(gt=0, lt=1)] = 0.05
    faults: Count = 5
    quota: Count = 50
    segment: Count = 10_000


class Started(msgspec.Struct, frozen=True, tag_field="type", tag="started"):
    """A process begins to play: with which arena, Python and machine, on how many cores, and with which
    packages that bring games, by game. The guards of drawing begin anew."""

    arena: str
    python: str
    machine: str
    jobs: Count
    at: Seconds
    packages: dict[str, str] = {}

    def unlike(self, before: "Started") -> str:
        """In what a result could differ because it is played by this process and not by that one before it;
        "" for nothing."""
        parts = (
            ("arena", before.arena, self.arena),
            ("Python", before.python, self.python),
            ("machine", before.machine, self.machine),
            *(
                (game, before.packages[game], package)
                for game, package in self.packages.items()
                if game in before.packages
            ),
        )
        return ", ".join(f"{what} {now} after {then}" for what, then, now in parts if then != now)


class Registered(msgspec.Struct, frozen=True, tag_field="type", tag="author"):
    """An author. `token` is the SHA-256 of the token, which was shown once; a later entry replaces it."""

    author: Author
    title: str
    token: Sha256


class Received(msgspec.Struct, frozen=True, tag_field="type", tag="received"):
    """A version has come in. `digest` is that of its program, `file` what the program is called."""

    version: VersionId
    digest: Sha256
    file: str
    at: Seconds


class Passed(msgspec.Struct, frozen=True, tag_field="type", tag="passed"):
    """A version has passed a stage of the intake; `seconds` since it was received."""

    version: VersionId
    stage: Stage
    seconds: Annotated[float, msgspec.Meta(ge=0)]


class Refused(msgspec.Struct, frozen=True, tag_field="type", tag="refused"):
    """A version has failed at a stage; the one before it stays current. `cure` says how to mend it."""

    version: VersionId
    stage: Stage
    reason: str
    cure: str


class Current(msgspec.Struct, frozen=True, tag_field="type", tag="current"):
    """From now on this is the current version of its bot, on these boards. An earlier version may become
    current again."""

    version: VersionId
    boards: tuple[BoardId, ...]


class PanelSet(msgspec.Struct, frozen=True, tag_field="type", tag="panel"):
    """The mix against which a board measures from now on. `zero` is the anchor whose strength is 0."""

    board: BoardId
    members: Annotated[tuple[VersionId, ...], msgspec.Meta(min_length=2, max_length=MOST_MEMBERS)]
    zero: VersionId


class Committed(msgspec.Struct, frozen=True, tag_field="type", tag="commitment"):
    """The SHA-256 of the seed of a day, from which its pods are dealt."""

    day: Day
    sha256: Sha256


class Revealed(msgspec.Struct, frozen=True, tag_field="type", tag="seed"):
    """The seed of a day, once all that was drawn from it is over."""

    day: Day
    seed: Sha256


class Drawn(msgspec.Struct, frozen=True, tag_field="type", tag="draw"):
    """What is played next, written before it is played: the `versions` of the question, one or two, each
    with the same `companions`, deals and seatings. `at` is the clock at the draw."""

    no: Count
    board: BoardId
    versions: Annotated[tuple[VersionId, ...], msgspec.Meta(min_length=1, max_length=2)]
    companions: Companions
    why: Literal["placement", "question", "final"]
    day: Day
    at: Seconds


class MatchRow(msgspec.Struct, frozen=True, array_like=True):
    """A match of a draw. Rows of `gains` are deals; their columns, and the seats of `forfeits`, are places in
    the pod: the version of the question has 0, its companions follow. Who sat where follows from the seed of
    the day, and is no secret once that is revealed."""

    gains: Deals
    forfeits: tuple[Forfeit, ...] = ()


class Played(msgspec.Struct, frozen=True, tag_field="type", tag="played"):
    """A draw that was played: the matches of each version of the question, by seating. `seconds` of a core
    that it took. `public` and `private` are the SHA-256 of the two parts of its logs."""

    no: Count
    matches: tuple[tuple[MatchRow, ...], ...]
    seconds: Annotated[float, msgspec.Meta(ge=0)]
    public: Sha256
    private: Sha256


class Checkpoint(msgspec.Struct, frozen=True, tag_field="type", tag="checkpoint"):
    """The strengths of a board by the exact fit. From now on they correct the luck of the draw of
    companions."""

    board: BoardId
    strengths: dict[VersionId, float]


class Voided(msgspec.Struct, frozen=True, tag_field="type", tag="void"):
    """A draw that the arena or the machine spoilt. It counts for nobody."""

    no: Count
    reason: str


class Annulled(msgspec.Struct, frozen=True, tag_field="type", tag="annulled"):
    """A draw that counts no longer, by the organiser."""

    no: Count
    reason: str


class Paused(msgspec.Struct, frozen=True, tag_field="type", tag="paused"):
    """A version plays no longer, until it is restored: after too many faults, or by the organiser."""

    version: VersionId
    reason: str


class Retired(msgspec.Struct, frozen=True, tag_field="type", tag="retired"):
    """A bot leaves the board: its current version plays no longer."""

    version: VersionId
    reason: str


class Restored(msgspec.Struct, frozen=True, tag_field="type", tag="restored"):
    """A paused or retired version plays again."""

    version: VersionId
    reason: str


class Pruned(msgspec.Struct, frozen=True, tag_field="type", tag="pruned"):
    """The logs of these draws, first to last, were deleted; their digests stay."""

    first: Count
    last: Count
    private_only: bool


class Closed(msgspec.Struct, frozen=True, tag_field="type", tag="closed"):
    """The league takes no further version. Those that have come in are placed; then so many comparisons are
    the final of each board."""

    reason: str
    at: Seconds
    finals: Annotated[int, msgspec.Meta(ge=0, le=10**6)] = 0


class Finals(msgspec.Struct, frozen=True, tag_field="type", tag="finals"):
    """The finals begin, between these versions of each board: its leading group."""

    finalists: dict[BoardId, tuple[VersionId, ...]]


class Sealed(msgspec.Struct, frozen=True, tag_field="type", tag="sealed"):
    """All is played, and nothing happens any more; the digest of this entry is the seal."""

    at: Seconds


class Frozen(msgspec.Struct, frozen=True, tag_field="type", tag="frozen"):
    """From now on everybody but the organiser is shown the league as it is here."""

    reason: str
    at: Seconds


class Unfrozen(msgspec.Struct, frozen=True, tag_field="type", tag="unfrozen"):
    """The league is shown as it is again."""

    at: Seconds


Holding = Started | Frozen | Closed | Finals
"""Entries that hold until another one says otherwise, however many segments later."""


class Continued(msgspec.Struct, frozen=True, tag_field="type", tag="segment"):
    """The first entry of every further segment of the journal. `before` is the digest of the last entry of
    the segment before it, `carried` the state after that, and `holding` the entries that hold still. `why`:
    in what the one who plays from now on differs from the one before, which the next entry is about; ""
    where the segment before was full."""

    number: Annotated[int, msgspec.Meta(ge=2, le=10**9)]
    before: Sha256
    founded: Founded
    carried: Carried
    holding: tuple[Holding, ...] = ()
    why: str = ""


ByOrganiser = Annulled | Paused | Retired | Restored | Closed
Entry = (
    Founded
    | Continued
    | Registered
    | Started
    | Received
    | Passed
    | Refused
    | Current
    | PanelSet
    | Committed
    | Revealed
    | Drawn
    | Played
    | Checkpoint
    | Voided
    | Pruned
    | Frozen
    | Unfrozen
    | Finals
    | Sealed
    | ByOrganiser
)

_decoder: msgspec.json.Decoder[Entry] = msgspec.json.Decoder(Entry)


class LeagueJournal(Chained[Entry]):
    """The last segment of the journal in a league's folder, or another one."""

    def __init__(self, folder: Path, *, write: bool = False, number: int | None = None) -> None:
        """Raises UserError where there is no league, it is damaged, or another process writes it."""
        _require_folder(folder)
        last = last_segment(folder)
        self.number = number or last
        if self.number < last and not (folder / segment_file(self.number)).exists():
            raise DamageError(f"{folder / segment_file(self.number)}: this segment is missing")
        super().__init__(folder, _kind(self.number), write=write)
        first = self.entries[0]
        begins = first.number if isinstance(first, Continued) else 1
        if begins != self.number:
            raise DamageError(f"{folder / segment_file(self.number)}: it is segment {begins}")

    @classmethod
    def create(cls, folder: Path, founded: Founded, *entries: Entry) -> "LeagueJournal":
        """A new journal, which exists as soon as its first entries are safe. Raises UserError."""
        make(folder, KIND, founded, *entries)
        return cls(folder, write=True)

    def next_segment(self, first: Continued, *further: Entry) -> None:
        """Goes on in a new file, which begins with these entries. Raises UserError."""
        self.go_on(_kind(first.number), first, *further)
        self.number = first.number


def _require_folder(folder: Path) -> None:
    """Raises UserError for a file or a pipe, and for a folder in which the journal does not begin, as in a
    copy that was interrupted."""
    if folder.exists() and not folder.is_dir():
        raise UserError(
            f"{folder}: a league is a folder, and this is {KINDS.get(stat.S_IFMT(folder.stat().st_mode))}; "
            "unpack it, and name the folder that holds the journal"
        )
    if not os.path.lexists(folder / FILE):
        raise UserError(f"{folder}: {KIND.missing.format(FILE)}")


def segment_file(number: int) -> str:
    """What the file of a segment is called."""
    return f"league-{number:04}.db"


def last_segment(folder: Path) -> int:
    """The number of the last segment in a folder; 1 where there is none."""
    found = (_SEGMENT.fullmatch(path.name) for path in folder.glob("league-*.db"))
    return max((int(name[1]) for name in found if name), default=1)


def _kind(number: int) -> Kind[Entry]:
    return KIND._replace(file=segment_file(number))


def _decoded(text: str) -> Entry:
    """An entry with all text for people sanitised. Raises MsgspecError, ValueError."""
    return cleaned(_decoder.decode(text))


def cleaned(entry: Entry) -> Entry:
    """The entry with all text for people sanitised. Raises ValueError for what cannot be a file's name."""
    match entry:
        case Continued(carried=carried, holding=holding, why=why):
            return msgspec.structs.replace(
                entry,
                carried=carried.cleaned,
                holding=tuple(map(cleaned, holding)),
                why=caption(why, REASON_LIMIT),
            )
        case Started():
            texts = {name: caption(getattr(entry, name)) for name in ("arena", "python", "machine")}
            packages = {caption(game): caption(one) for game, one in entry.packages.items()}
            return msgspec.structs.replace(entry, **texts, packages=packages)
        case Registered():
            return msgspec.structs.replace(entry, title=title(entry.title))
        case Received(file=file):
            if "/" in file or file in ("", ".", ".."):
                raise ValueError(f"{caption(file)!r} is no name of a file")
        case Refused(reason=reason, cure=cure):
            return msgspec.structs.replace(
                entry, reason=caption(reason, REASON_LIMIT), cure=caption(cure, REASON_LIMIT)
            )
        case Voided() | Annulled() | Paused() | Retired() | Restored() | Closed() | Frozen():
            return msgspec.structs.replace(entry, reason=caption(entry.reason, REASON_LIMIT))
    return entry


KIND: Final = Kind(
    file=FILE,
    application_id=0x41726C67,  # "Arlg"
    format=1,
    genesis=hashlib.sha256(b"arena league 1").hexdigest(),
    decode=_decoded,
    first=(Founded, Continued),
    folders=(LOGS, PRIVATE, VERSIONS, BUILT, INBOX),
    flat=(),
    missing="there is no league ({} is missing); `arena league new` begins one",
    there="there is a league already; play it by `arena league run {0}`, or choose another folder",
    busy="another arena writes this league; a Ctrl-C there stops it",
)
