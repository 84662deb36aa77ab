"""What a tournament has done: one SQLite file with one row per entry; entries that are added together are
written in one transaction.

It is the only truth; standings are always computed from it. Every row carries a digest over the digest of
the row before it and its own text, and a match's row holds the digest of its log, so that damage anywhere
shows. Entries are added and never changed.
Knows neither how matches are played nor what the entries add up to (state.py).
"""

import contextlib
import fcntl
import functools
import hashlib
import itertools
import os
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Annotated, Final, Self, TypeAlias

import msgspec

from arena.entrants.entrant import Entrant
from arena.entrants.find import LeftOut
from arena.entrants.names import NAME
from arena.log.entries import LOG_LIMIT
from arena.log.settings import MatchSettings, Number
from arena.running.trust import is_tag, tag, user_key
from arena.system import foreign
from arena.system.errors import UserError
from arena.system.files import UNFINISHED, sync, write_all_whole
from arena.system.mounts import network_type
from arena.system.text import caption, title, visible
from protocol.outcome import Forfeit, Outcome
from protocol.streams import mixed_seed

FILE: Final = "tournament.db"
LOGS: Final = "matches"
STDERR: Final = "stderr"
LOCK: Final = "lock"
FORMAT: Final = 1
_APPLICATION_ID: Final = 0x4172656E  # "Aren"
_SAFE: Final = "what was played before is safe"
_ENTRIES: Final = (
    "CREATE TABLE entries (no INTEGER PRIMARY KEY, entry TEXT NOT NULL, digest TEXT NOT NULL) STRICT"
)
_MADE_HERE: Final = "CREATE TABLE made_here (id INTEGER PRIMARY KEY, tag TEXT NOT NULL) STRICT"
"""Holds one row: the tag of arena.running.trust for the last entry. Older journals have no such table."""
_SCHEMA: Final = (
    ("table", "entries", "entries", _ENTRIES),
    ("table", "made_here", "made_here", _MADE_HERE),
)
"""All that sqlite_schema may hold, in the order in which it was made. A stranger's file could hold a trigger,
or a view that computes without end."""
GENESIS: Final = hashlib.sha256(b"arena journal 1").hexdigest()

REASON_LIMIT: Final = 2000
"""Characters of a reason that are read."""
ENTRY_LIMIT: Final = 64 << 20
"""Bytes of an entry that is read."""
JOURNAL_LIMIT: Final = 1 << 30
"""Bytes of all entries of a journal that is read: ten times what 10,000 entrants need."""

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


class MatchPlayed(msgspec.Struct, frozen=True, tag_field="type", tag="match"):
    """A finished match; `entrants` by seat, `log` is the SHA-256 of its log. Of several entries with one id
    the last one counts; the others were annulled."""

    match_id: MatchId
    round_no: Number
    pod_no: Number
    seating_no: Number
    entrants: tuple[str, ...]
    outcome: Outcome
    forfeits: tuple[Forfeit, ...]
    log: str


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
    """A new version of an entrant, under the same name, from the next round on."""

    entrant: Entrant
    reason: str


class Annulled(msgspec.Struct, frozen=True, tag_field="type", tag="annulled"):
    """A match counts no longer, and is to be played again under its id."""

    match_id: MatchId
    reason: str


class Extended(msgspec.Struct, frozen=True, tag_field="type", tag="extended"):
    """The tournament has this many rounds from now on, which is more than before."""

    rounds: Number


ByOrganiser = Withdrawn | Admitted | Replaced | Annulled | Extended
JournalEntry = Created | Drawn | MatchPlayed | Skipped | ByOrganiser

_encoder = msgspec.json.Encoder()
_decoder: msgspec.json.Decoder[JournalEntry] = msgspec.json.Decoder(JournalEntry)


class DamageError(UserError):
    """A journal, or a log beside it, is not what was written."""


class LockedError(UserError):
    """Another process writes the journal."""


class Journal:
    """The journal of a run directory, open for reading, or for writing by one process. `stranger` says why it
    is not known to be this user's own, "" where it is."""

    def __init__(self, folder: Path, *, write: bool = False) -> None:
        """Raises UserError where there is no journal, it is damaged, or another process writes it."""
        self.folder = folder
        path = folder / FILE
        if not os.path.lexists(path):
            raise UserError(f"{folder}: no tournament was run here ({FILE} is missing)")
        _require_plain(folder)
        if write:
            _require_local(folder)
        self.entries: list[JournalEntry] = []
        self.digests: list[str] = []
        self.stranger = ""
        self._key: bytes | None = None
        with contextlib.ExitStack() as opened:
            if write:
                opened.callback(os.close, _claim(folder))
                _tidy(folder)
            try:
                self._db = opened.enter_context(contextlib.closing(_connect(path, write=write)))
                self._load()
            except sqlite3.DatabaseError as error:
                raise DamageError(f"{path}: damaged ({caption(str(error))})") from None
            self._opened = opened.pop_all()

    @classmethod
    def create(cls, folder: Path, created: Created) -> "Journal":
        """A new journal, which exists as soon as its first entry is safe. Raises UserError."""
        path = folder / FILE
        if os.path.lexists(path):
            go_on = f"go on with it by `arena resume {folder}`, or choose another folder with --out"
            raise UserError(f"{folder}: a tournament was run here already; {go_on}")
        _require_local(folder)
        _require_ours(folder)
        try:
            for part in (folder, folder / LOGS, folder / STDERR):
                part.mkdir(mode=0o700, parents=True, exist_ok=True)
            unfinished = folder / f"{FILE}.new"
            for left in folder.glob(f"{FILE}.new*"):  # by a power cut, with SQLite's own file beside it
                left.unlink()
            key = user_key(make=True)
            with contextlib.closing(sqlite3.connect(unfinished)) as db:
                db.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
                db.execute(f"PRAGMA user_version = {FORMAT}")
                # From the beginning, so that a reader never finds a rollback journal beside the file.
                db.execute("PRAGMA journal_mode = WAL")
                for *_, statement in _SCHEMA:
                    db.execute(statement)
                text = _encoder.encode(created).decode()
                digest = chained(GENESIS, text)
                db.execute("INSERT INTO entries VALUES (1, ?, ?)", (text, digest))
                if isinstance(key, bytes):
                    db.execute("INSERT INTO made_here VALUES (1, ?)", (tag(key, digest),))
                db.commit()
            sync(unfinished)
            unfinished.rename(path)
            sync(folder)
        except (OSError, sqlite3.OperationalError) as error:
            raise UserError(f"{folder}: cannot be written ({error})") from None
        return cls(folder, write=True)

    def add(self, *entries: JournalEntry) -> None:
        """Appends entries, all of them or none; they are on the disk when this returns. Raises UserError
        where they cannot be written."""
        texts = [_encoder.encode(entry).decode() for entry in entries]
        digests = list(itertools.accumulate(texts, chained, initial=self.digest))[1:]
        rows = zip(itertools.count(len(self.entries) + 1), texts, digests)
        try:
            with self._db:
                self._db.execute("BEGIN")
                self._db.executemany("INSERT INTO entries VALUES (?, ?, ?)", rows)
                if self._key is not None:
                    self._set_tag(tag(self._key, digests[-1] if digests else self.digest))
        except sqlite3.OperationalError as error:
            raise UserError(f"{self.folder / FILE}: cannot be written ({error}); {_SAFE}") from None
        self.entries += entries
        self.digests += digests

    @property
    def made_here(self) -> bool:
        """Whether the journal carries the tag of this user's key."""
        return self._key is not None

    def trust(self) -> None:
        """Makes a stranger's run this user's own from now on; does nothing where the user can have no key.
        Raises UserError."""
        key = user_key(make=True)
        if self.made_here or isinstance(key, str):
            return
        try:
            with self._db:
                self._db.execute("BEGIN")
                self._db.execute(_MADE_HERE.replace("TABLE", "TABLE IF NOT EXISTS", 1))
                self._set_tag(tag(key, self.digest))
        except sqlite3.OperationalError as error:
            raise UserError(f"{self.folder / FILE}: cannot be written ({error}); {_SAFE}") from None
        self._key = key

    def _set_tag(self, made: str) -> None:
        self._db.execute("INSERT OR REPLACE INTO made_here VALUES (1, ?)", (made,))

    @property
    def digest(self) -> str:
        """The digest of the last entry, and so of all before it."""
        return self.digests[-1] if self.digests else GENESIS

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
            raise UserError(f"{self.folder / LOGS}: cannot be written ({error.strerror}); {_SAFE}") from None
        return {match_id: hashlib.sha256(data).hexdigest() for match_id, data in files.items()}

    def set_log_aside(self, match_id: str) -> None:
        """Renames the log of an annulled match to the first free `aside_path`."""
        path, number = self.log_path(match_id), 1
        while os.path.lexists(aside := self.aside_path(match_id, number)):
            number += 1
        if os.path.lexists(path):
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

    def close(self) -> None:
        """Closes the file, and lets other processes write it."""
        self._opened.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _load(self) -> None:
        """Reads all of it in one transaction, since it may grow meanwhile."""
        (version,) = self._db.execute("PRAGMA user_version").fetchone()
        if version != FORMAT:
            newer = ": a newer arena wrote it" if version > FORMAT else ""
            raise UserError(f"{self.folder / FILE}: format {version} is not known here, {FORMAT} is{newer}")
        path = self.folder / FILE
        with self._db:
            self._db.execute("BEGIN")
            schema = self._db.execute("SELECT type, name, tbl_name, sql FROM sqlite_master").fetchmany(3)
            if tuple(schema) not in (_SCHEMA[:1], _SCHEMA):
                raise DamageError(f"{path}: there are other tables in it than those of a journal")
            self._load_entries()
            found = self._db.execute("SELECT tag FROM made_here").fetchone() if len(schema) > 1 else None
        self._judge(found[0] if found else None)

    def _load_entries(self) -> None:
        path, size = self.folder / FILE, 0
        for no, text, digest in self._db.execute("SELECT no, entry, digest FROM entries ORDER BY no"):
            expected = chained(self.digest, text)
            if no != len(self.entries) + 1 or digest != expected or not isinstance(text, str):
                raise DamageError(f"{path}: entry {no} is not what was written")
            # Rows can share pages, so that together they are larger than the file.
            size += len(text)
            if size > JOURNAL_LIMIT:
                raise DamageError(f"{path}: its entries are larger than {JOURNAL_LIMIT >> 20} MiB")
            try:
                entry = cleaned(_decoder.decode(text))
            except (msgspec.MsgspecError, ValueError, RecursionError) as error:
                raise DamageError(f"{path}: entry {no} cannot be read ({error})") from None
            if isinstance(entry, Created) != (no == 1):
                raise DamageError(f"{path}: entry {no} is out of place: the settings come first, and once")
            self.entries.append(entry)
            self.digests.append(expected)
        if not self.entries:
            raise DamageError(f"{path}: the first entry is missing")

    def _judge(self, found: object) -> None:
        """Sets `stranger` and the key by the tag that was `found`, None for no tag."""
        self.stranger, key = "this run was not made here by this user", user_key()
        if isinstance(key, str):
            self.stranger = f"this run may be a stranger's ({key})"
        elif found is None:
            self.stranger = "this run does not say where it was made, as those of earlier versions do not"
        elif is_tag(found, key, self.digest):
            self.stranger, self._key = "", key


def cleaned(entry: JournalEntry) -> JournalEntry:
    """The entry with all text for people sanitised. Raises ValueError for an entrant with an invalid name."""
    match entry:
        case MatchPlayed(entrants=names):
            _require_names(names)
            _require_whole(entry)
            return entry
        case Drawn() | Extended():
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
            return Replaced(_named(entrant), caption(reason, REASON_LIMIT))
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
    forfeited = all(0 <= forfeit.seat < seats for forfeit in played.forfeits)
    if not (
        len(outcome.points) == len(outcome.gains)
        and seats
        and all(len(row) == seats for row in rows)
        and forfeited
    ):
        raise ValueError("its result is not one of all seats in all deals")


def _named(entrant: Entrant) -> Entrant:
    """The entrant with its texts sanitised, but for the paths of its program, which must stay as they are.
    Raises ValueError for an invalid name."""
    _require_names((entrant.name,))
    return msgspec.structs.replace(entrant, author=caption(entrant.author), title=title(entrant.title))


def chained(before: str, text: str) -> str:
    """The digest of an entry with this text; `before` is the digest of the entry before it, or GENESIS."""
    return hashlib.sha256(f"{before}\n{text}".encode()).hexdigest()


_GUARDS: Final = ("PRAGMA trusted_schema = OFF", "PRAGMA cell_size_check = ON")
"""What SQLite advises for files of strangers (https://www.sqlite.org/security.html)."""


def _connect(path: Path, *, write: bool) -> sqlite3.Connection:
    """Opens the database. To `write`: by one thread at a time, and what is committed is on the disk."""
    if write:
        db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        return _tried(db, *_GUARDS, "PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL")
    address = f"{path.absolute().as_uri()}?mode=ro"
    try:
        db = sqlite3.connect(address, uri=True, isolation_level=None)
        return _tried(db, *_GUARDS, "PRAGMA user_version")
    except sqlite3.OperationalError:
        # Even a reader has to make a file beside a database in use. Where it may not, no process can write to
        # the folder either, and the database can be read as one that never changes.
        db = sqlite3.connect(f"{address}&immutable=1", uri=True, isolation_level=None)
        return _tried(db, *_GUARDS)


def _tried(db: sqlite3.Connection, *statements: str) -> sqlite3.Connection:
    """The database after these statements; it is closed where one fails."""
    db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, ENTRY_LIMIT)
    try:
        for statement in statements:
            db.execute(statement)
    except sqlite3.DatabaseError:
        db.close()
        raise
    return db


def _require_plain(folder: Path) -> None:
    """Raises UserError where SQLite would follow a link, wait for a pipe, or find a rollback journal beside
    the database: it would obey that, and delete any file that it names."""
    try:
        for beside in ("", "-wal", "-shm", "-journal"):
            path = folder / f"{FILE}{beside}"
            if (size := foreign.size(path) or 0) > JOURNAL_LIMIT:
                raise UserError(f"{path}: larger than {JOURNAL_LIMIT >> 20} MiB, which no journal is")
        if size:  # of the last one, the rollback journal
            raise UserError(f"{path}: the arena leaves no such file; move it away")
    except OSError as error:
        raise UserError(f"{error.filename}: {error.strerror}") from None


def _tidy(folder: Path) -> None:
    """Deletes the unfinished files that a power cut has left. Raises UserError where a link would lead what
    is written to another place."""
    try:
        for part in (LOGS, STDERR):
            foreign.require_files(folder / part, folder)
            for left in (folder / part).glob(f"{UNFINISHED}*"):
                left.unlink()
    except OSError as error:
        raise UserError(f"{error.filename}: {error.strerror}") from None


def _require_ours(folder: Path) -> None:
    """Raises UserError for a folder that holds other files than those that a power cut left of a run."""
    names = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
    if others := sorted(name for name in names - {LOGS, STDERR, LOCK} if not name.startswith(f"{FILE}.new")):
        raise UserError(f"{folder}: there is something else in it ({others[0]}); choose an empty folder")


def _require_local(folder: Path) -> None:
    """Raises UserError on a network file system: locks and writes there may not hold for other machines, and
    SQLite's write-ahead log needs both."""
    if kind := network_type(folder):
        raise UserError(
            f"{folder}: a network file system ({kind}), where a journal is not safe; use a local disk"
        )


def _claim(folder: Path) -> int:
    """A file descriptor that holds the right to write in the folder, until it is closed or the process ends.
    Raises UserError where another process has that right."""
    try:
        foreign.size(folder / LOCK)
        descriptor = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | foreign.NO_WAITING, 0o644)
    except OSError as error:
        raise UserError(f"{folder}: cannot be written ({error.strerror})") from None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        raise LockedError(
            f"{folder}: another arena is running this tournament; "
            f"a Ctrl-C there stops it, and `arena resume {folder}` goes on"
        ) from None
    return descriptor
