"""What a tournament has done: the entries of its journal (arena/journal/chained.py), and the logs beside it.

It is the only truth; standings are always computed from it. A match's row holds the digest of its log, so
that damage anywhere shows.
Knows neither how matches are played nor what the entries add up to (state.py).
"""

import contextlib
import functools
import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Final, TypeAlias

import msgspec

from arena.entrants.entrant import Entrant
from arena.entrants.find import LeftOut
from arena.entrants.names import NAME
from arena.journal.chained import SAFE, Chained, DamageError, Kind, is_written, make
from arena.log.entries import LOG_LIMIT
from arena.log.house_bugs import HouseBug
from arena.log.settings import MatchSettings, Number
from arena.system import foreign
from arena.system.errors import UserError
from arena.system.files import write_all_whole
from arena.system.places import TOURNAMENT_FILE
from arena.system.text import caption, title, visible
from protocol.outcome import Forfeit, Outcome
from protocol.streams import mixed_seed

FILE: Final = TOURNAMENT_FILE
LOGS: Final = "matches"
STDERR: Final = "stderr"
FORMAT: Final = 1
GENESIS: Final = hashlib.sha256(b"arena journal 1").hexdigest()

_PUT_BACK: Final = "put that back, or annul the match"

REASON_LIMIT: Final = 2000
"""Characters of a reason that are read."""
LATEST: Final = 250_000_000_000
"""Seconds since 1970 until the latest deadline, in a year of four digits."""

MOST_SEATS: Final = 64
"""More than any game has, and few enough for a square of seatings."""

# A run directory may come from a stranger: a text that becomes the name of a file, or a key, has to match a
# pattern, and all other text passes the sanitiser when it is read.
Name: TypeAlias = Annotated[str, msgspec.Meta(pattern=rf"^{NAME.pattern}\Z")]
MatchId: TypeAlias = Annotated[str, msgspec.Meta(pattern=r"^r[0-9]{1,9}-p[0-9]{1,9}-s[0-9]{1,9}\Z")]
Pod: TypeAlias = Annotated[tuple[Name, ...], msgspec.Meta(min_length=1, max_length=MOST_SEATS)]
Seed: TypeAlias = Annotated[str, msgspec.Meta(pattern=r"^[\x21-\x7e]+\Z")]
# One spelling for each value, without capital letters: with several, their author could choose among seeds.
Public: TypeAlias = Annotated[
    str,
    msgspec.Meta(pattern=r"^[\x21-\x40\x5b-\x7e]+(?: [\x21-\x40\x5b-\x7e]+)*\Z", max_length=256),
]


class Announced(msgspec.Struct, frozen=True):
    """The two texts from which the seed of a tournament was mixed: a secret, whose SHA-256 was published
    before the entries closed, and a public value that nobody controls and that became known only after
    that."""

    secret: Seed
    public: Public

    @property
    def commitment(self) -> str:
        """The SHA-256 of the secret, which was published."""
        return hashlib.sha256(self.secret.encode()).hexdigest()

    @property
    def seed(self) -> str:
        """The seed that the two give."""
        return mixed_seed(self.secret, self.public)


class Created(MatchSettings, frozen=True, tag_field="type", tag="tournament"):
    """The first entry: everything that was settled before the first match. `rules` is the version of the
    game's rules; with `duplicates` a pod plays the same deals in several seatings. `authors` are those that
    the organiser gives, by entrant: they override what a bot says of itself. `groups` are by entrant too, and
    have tables of their own. `challengers` are the entrants that a gauntlet is about. With `keep_bots` a
    process may play several matches. `pairing` is the version of the rules by which rounds are drawn, 0 in
    journals from before they were counted; `announced` is None for a seed that was not announced."""

    arena: str
    seed: Seed
    rules: int
    format: str
    rounds: Number
    pod_size: Annotated[int, msgspec.Meta(ge=2, le=MOST_SEATS)]
    duplicates: bool
    entrants: tuple[Entrant, ...]
    left_out: tuple[LeftOut, ...]
    authors: dict[Name, str] = msgspec.field(default_factory=dict)
    groups: dict[Name, str] = msgspec.field(default_factory=dict)
    challengers: tuple[Name, ...] = ()
    keep_bots: bool = False
    pairing: Annotated[int, msgspec.Meta(ge=0)] = 0
    announced: Announced | None = None

    @property
    def seed_sha256(self) -> str:
        """Printed before the first match, so that nobody can change the seed afterwards. It does not prove
        that the seed was not chosen on purpose."""
        return hashlib.sha256(self.seed.encode()).hexdigest()


class Drawn(msgspec.Struct, frozen=True, tag_field="type", tag="round"):
    """A round, written before any of it is played: the names of each pod, house bots included."""

    round_no: Number
    pods: Annotated[tuple[Pod, ...], msgspec.Meta(min_length=1)]


class MatchPlayed(msgspec.Struct, frozen=True, tag_field="type", tag="match", omit_defaults=True):
    """A finished match; `entrants` by seat, `log` is the SHA-256 of its log, `bugs` what failed in bots of
    the arena's own. Of several entries with one id the last one counts; the others were annulled."""

    match_id: MatchId
    round_no: Number
    pod_no: Number
    seating_no: Number
    entrants: tuple[str, ...]
    outcome: Outcome
    forfeits: tuple[Forfeit, ...]
    log: str
    bugs: tuple[HouseBug, ...] = ()


class Skipped(msgspec.Struct, frozen=True, tag_field="type", tag="skipped"):
    """A match that errors of the arena spoilt too often. It counts for no entrant."""

    match_id: MatchId
    round_no: Number
    reason: str


class Withdrawn(msgspec.Struct, frozen=True, tag_field="type", tag="withdrawn"):
    """The organiser withdraws an entrant, from the next round on."""

    name: Name
    reason: str


class Admitted(msgspec.Struct, frozen=True, tag_field="type", tag="admitted"):
    """A late entrant, from the next round on. It can be ranked first if it plays half of the rounds; with
    `may_win`, in any case."""

    entrant: Entrant
    may_win: bool = False


class Replaced(msgspec.Struct, frozen=True, tag_field="type", tag="replaced"):
    """A new version of an entrant, under the same name, from the next round on. `afresh`: if it was
    withdrawn it takes part again, and deaths before that round count no longer. Journals of earlier arenas do
    not have it: there they counted."""

    entrant: Entrant
    reason: str
    afresh: bool = False


class Annulled(msgspec.Struct, frozen=True, tag_field="type", tag="annulled"):
    """A match counts no longer, and is to be played again under its id."""

    match_id: MatchId
    reason: str


class Extended(msgspec.Struct, frozen=True, tag_field="type", tag="extended"):
    """The tournament has this many rounds from now on, which is more than before."""

    rounds: Number


class Deadline(msgspec.Struct, frozen=True, tag_field="type", tag="deadline"):
    """As many rounds are played as fit before `at`, in seconds since 1970 (UTC), and at most `most_rounds` in
    all. `by_clock`: at whatever time the clock shows; else it is a duration, which a clock that is set does
    not change. A later one takes its place, and so do rounds that are added by number."""

    at: Annotated[int, msgspec.Meta(ge=0, le=LATEST)]
    most_rounds: Number
    by_clock: bool = True


class TimeUp(msgspec.Struct, frozen=True, tag_field="type", tag="time-up"):
    """The deadline ended the tournament after so many `rounds`, the last one included where it was cut off.
    `unfinished` are the pods, by round and number, that had not been played in all their seatings: none of
    their matches counts."""

    rounds: Annotated[int, msgspec.Meta(ge=0)]
    unfinished: tuple[tuple[Number, Number], ...] = ()


ByOrganiser = Withdrawn | Admitted | Replaced | Annulled | Extended | Deadline
JournalEntry = Created | Drawn | MatchPlayed | Skipped | TimeUp | ByOrganiser

_decoder: msgspec.json.Decoder[JournalEntry] = msgspec.json.Decoder(JournalEntry)


class Journal(Chained[JournalEntry]):
    """The journal of a run directory, and the logs beside it."""

    def __init__(self, folder: Path, *, write: bool = False) -> None:
        """Raises UserError where there is no journal, it is damaged, or another process writes it."""
        super().__init__(folder, KIND, write=write)

    @classmethod
    def create(cls, folder: Path, created: Created) -> "Journal":
        """A new journal, which exists as soon as its first entry is safe. Raises UserError."""
        make(folder, KIND, created)
        return cls(folder, write=True)

    @property
    def is_played(self) -> bool:
        """Whether a process plays the tournament now, or enters something."""
        return is_written(self.folder)

    def log_path(self, match_id: str) -> Path:
        """Where the log of a match is kept that counts."""
        return self.folder / LOGS / f"{match_id}.jsonl"

    def aside_path(self, match_id: str, number: int) -> Path:
        """Where a log of an annulled match is kept; `number` counts from 1."""
        return self.folder / LOGS / f"{match_id}.annulled-{number}"

    def save_logs(self, logs: Mapping[str, str]) -> dict[str, str]:
        """Writes the logs of matches to the disk, each whole or not at all; their rows are added after that.
        Returns their SHA-256 by match id. Raises UserError."""
        files = {match_id: log.encode() for match_id, log in logs.items()}
        try:
            logs_by_path = {self.log_path(match_id): data for match_id, data in files.items()}
            write_all_whole(logs_by_path, self.folder)
        except OSError as error:
            place = error.filename or self.folder / LOGS
            raise UserError(f"{place}: cannot be written ({error.strerror}); {SAFE}") from None
        return {match_id: hashlib.sha256(data).hexdigest() for match_id, data in files.items()}

    def set_log_aside(self, match_id: str) -> None:
        """Renames the log of an annulled match to the first free `aside_path`. Where that cannot be done, it
        is replaced when the match is played again, and the entry holds all the same."""
        path, number = self.log_path(match_id), 1
        while os.path.lexists(aside := self.aside_path(match_id, number)):
            number += 1
        with contextlib.suppress(OSError):
            path.rename(aside)

    def set_annulled_aside(self) -> None:
        """Sets the logs of annulled matches aside of which the entry was written and no more, since the
        process was killed in between. To be called before they are played again."""
        logs: dict[str, str] = {}
        annulled: dict[str, str] = {}
        for entry in self.entries:
            match entry:
                case MatchPlayed(match_id=match_id, log=log):
                    logs[match_id] = log
                    annulled.pop(match_id, None)
                case Annulled(match_id=match_id) if match_id in logs:
                    annulled[match_id] = logs[match_id]
        for match_id, log in annulled.items():
            # A log that is missing was set aside.
            with contextlib.suppress(DamageError):
                if hashlib.sha256(self.read_log(match_id).encode()).hexdigest() == log:
                    self.set_log_aside(match_id)

    def read_log(self, match_id: str, aside: int = 0) -> str:
        """The log of a match; with a number, the one of an annulled match that was set `aside` under it.
        Raises DamageError where it cannot be read."""
        path = self.aside_path(match_id, aside) if aside else self.log_path(match_id)
        try:
            return foreign.read(path, LOG_LIMIT, self.folder).decode()
        except OSError as error:
            raise DamageError(f"{path}: cannot be read ({error.strerror})") from None
        except UnicodeDecodeError as error:
            raise DamageError(f"{path}: cannot be read ({error})") from None

    def read_written_log(self, played: MatchPlayed) -> str:
        """The log of a match that counts. Raises DamageError where it cannot be read, or is another one than
        was written."""
        try:
            log = self.read_log(played.match_id)
        except DamageError as error:
            raise DamageError(f"{error}; {_PUT_BACK}") from None
        if hashlib.sha256(log.encode()).hexdigest() != played.log:
            raise DamageError(f"{self.log_path(played.match_id)}: not the log that was written; {_PUT_BACK}")
        return log


def _decoded(text: str) -> JournalEntry:
    """An entry with all text for people sanitised. Raises MsgspecError, ValueError."""
    return cleaned(_decoder.decode(text))


def cleaned(entry: JournalEntry) -> JournalEntry:
    """The entry with all text for people sanitised. Raises ValueError for an entrant with an invalid name."""
    match entry:
        case MatchPlayed(entrants=names):
            _require_names(names)
            _require_whole(entry)
            if entry.bugs:
                return msgspec.structs.replace(entry, bugs=tuple(bug.cleaned for bug in entry.bugs))
            return entry
        case Drawn() | Extended() | Deadline() | TimeUp():
            return entry
        case Created(entrants=entrants, left_out=left_out, authors=authors, groups=groups):
            return msgspec.structs.replace(
                entry,
                arena=caption(entry.arena),
                entrants=tuple(map(_named, entrants)),
                left_out=tuple(
                    LeftOut(
                        caption(one.name), caption(one.reason, REASON_LIMIT), tuple(map(caption, one.plays))
                    )
                    for one in left_out
                ),
                authors={name: caption(author) for name, author in authors.items()},
                groups={name: caption(group) for name, group in groups.items()},
            )
        case Admitted(entrant=entrant):
            return msgspec.structs.replace(entry, entrant=_named(entrant))
        case Replaced(entrant=entrant, reason=reason):
            return msgspec.structs.replace(
                entry, entrant=_named(entrant), reason=caption(reason, REASON_LIMIT)
            )
        case Skipped(reason=reason):
            # Where it is our bug, it has several lines.
            return msgspec.structs.replace(entry, reason=visible(reason.encode(), REASON_LIMIT))
        case Withdrawn(reason=reason) | Annulled(reason=reason):
            return msgspec.structs.replace(entry, reason=caption(reason, REASON_LIMIT))


@functools.lru_cache(maxsize=1024)
def _require_names(names: tuple[str, ...]) -> None:
    """Raises ValueError for an invalid name. Thousands of matches have the same few names, and the cache is
    faster than the pattern."""
    for name in names:
        if not NAME.fullmatch(name):
            raise ValueError(f"{name!r} cannot be a name")


def _require_whole(played: MatchPlayed) -> None:
    """Raises ValueError where a result does not cover all seats in all deals."""
    seats, outcome = len(played.entrants), played.outcome
    rows = (*outcome.points, *outcome.gains, outcome.placings)
    named = {*(forfeit.seat for forfeit in played.forfeits), *(bug.seat for bug in played.bugs)}
    if not (
        len(outcome.points) == len(outcome.gains)
        and seats
        and all(len(row) == seats for row in rows)
        and named <= {*range(seats)}
    ):
        raise ValueError("its result is not one of all seats in all deals")


def _named(entrant: Entrant) -> Entrant:
    """The entrant with its texts sanitised, but for the paths of its program, which must stay as they are.
    Raises ValueError for an invalid name."""
    _require_names((entrant.name,))
    return msgspec.structs.replace(entrant, author=caption(entrant.author), title=title(entrant.title))


KIND: Final = Kind(
    file=FILE,
    application_id=0x4172656E,  # "Aren"
    format=FORMAT,
    genesis=GENESIS,
    decode=_decoded,
    first=Created,
    folders=(LOGS, STDERR),
    flat=(LOGS, STDERR),
    missing="no tournament was run here ({} is missing)",
    there="a tournament was run here already; go on with it by `arena resume {0}`, or choose another folder "
    "with --out",
    busy="another arena is running this tournament; a Ctrl-C there stops it, and `arena resume {0}` goes on",
)
