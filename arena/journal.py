"""What a tournament has done: one SQLite file with a row an entry; entries that come together are written in
one transaction.

It is the only truth; standings are always computed from it. Every row carries a digest over the digest of
the row before it and its own text, and a match's row holds the digest of its log, so that damage anywhere
shows. Entries are added and never changed.
Knows neither how matches are played nor what the entries add up to (record.py).
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
from typing import Annotated, Any, Final, Self, TypeAlias

import msgspec

from arena.durable import sync, write_all_whole
from arena.entrants import LeftOut
from arena.errors import UserError
from arena.filesystem import network_type
from arena.job import Entrant
from arena.naming import NAME
from arena.sandbox import Sandbox
from arena.sanitise import caption, title, visible
from protocol.messages import Limits
from protocol.outcome import Forfeit, Outcome
from protocol.streams import mixed_seed

FILE: Final = "tournament.db"
LOGS: Final = "matches"
STDERR: Final = "stderr"
LOCK: Final = "lock"
FORMAT: Final = 1
_APPLICATION_ID: Final = 0x4172656E  # "Aren"
_SAFE: Final = "what was played before is safe"
GENESIS: Final = hashlib.sha256(b"arena journal 1").hexdigest()

REASON_LIMIT: Final = 2000
"""Characters of a reason that are read."""

# A run directory may come from a stranger: what becomes the name of a file or is the key to something has one
# form, and all other text passes the sanitiser where it is read.
Name: TypeAlias = Annotated[str, msgspec.Meta(pattern=rf"^{NAME.pattern}\Z")]
MatchId: TypeAlias = Annotated[str, msgspec.Meta(pattern=r"^r[0-9]{1,9}-p[0-9]{1,9}-s[0-9]{1,9}\Z")]
Seed: TypeAlias = Annotated[str, msgspec.Meta(pattern=r"^[\x21-\x7e]+\Z")]
Public: TypeAlias = Annotated[
    str, msgspec.Meta(pattern=r"^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?\Z", max_length=256)
]


class Announced(msgspec.Struct, frozen=True):
    """From what the seed of a tournament was mixed: a secret, whose SHA-256 was published before the entries
    closed, and a value that nobody controls and that was known only after that."""

    secret: Seed
    public: Public

    @property
    def commitment(self) -> str:
        """What was published."""
        return hashlib.sha256(self.secret.encode()).hexdigest()

    @property
    def seed(self) -> str:
        return mixed_seed(self.secret, self.public)


class Created(msgspec.Struct, frozen=True, tag_field="type", tag="tournament"):
    """The first entry: everything that was settled before the first match. `rules` is the version of the
    game's rules, `deals` those of one match, `faults` the number that forfeits; with `duplicates` a pod
    plays the same deals in several seatings. `authors` by entrant is the organiser's word, which beats what
    a bot says of itself; `challengers` are whom a gauntlet is about. With `ponder` bots may think on
    the others' time, with `keep_bots` a process may play several matches. `pairing` is the version of the
    rules by which rounds are drawn, 0 in journals from before they were counted; `announced` is None for a
    seed that was not."""

    arena: str
    seed: Seed
    game: str
    rules: int
    options: dict[str, Any]
    format: str
    rounds: int
    pod_size: int
    duplicates: bool
    deals: int
    limits: Limits
    faults: int
    entrants: tuple[Entrant, ...]
    left_out: tuple[LeftOut, ...]
    authors: dict[Name, str] = {}
    challengers: tuple[Name, ...] = ()
    sandbox: Sandbox = Sandbox()
    ponder: bool = False
    keep_bots: bool = False
    pairing: Annotated[int, msgspec.Meta(ge=0)] = 0
    announced: Announced | None = None

    @property
    def seed_sha256(self) -> str:
        """Told before the first match, so that nobody can change the seed afterwards. Whether it was chosen
        beforehand it does not say."""
        return hashlib.sha256(self.seed.encode()).hexdigest()


class Drawn(msgspec.Struct, frozen=True, tag_field="type", tag="round"):
    """A round, before any of it is played: the names of each pod, house bots included."""

    round_no: int
    pods: tuple[tuple[Name, ...], ...]


class Played(msgspec.Struct, frozen=True, tag_field="type", tag="match"):
    """A finished match; `entrants` by seat, `log` the SHA-256 of its log. Of several with one id the last
    counts; those before it were annulled."""

    match_id: MatchId
    round_no: int
    pod_no: int
    seating_no: int
    entrants: tuple[str, ...]
    outcome: Outcome
    forfeits: tuple[Forfeit, ...]
    log: str


class Skipped(msgspec.Struct, frozen=True, tag_field="type", tag="skipped"):
    """A match that we spoilt twice. It counts for nobody."""

    match_id: MatchId
    round_no: int
    reason: str


class Withdrawn(msgspec.Struct, frozen=True, tag_field="type", tag="withdrawn"):
    """The organiser takes an entrant out, from the next round on."""

    name: Name
    reason: str


class Admitted(msgspec.Struct, frozen=True, tag_field="type", tag="admitted"):
    """A late entrant, from the next round on. It can be first if it sits in half of the rounds, or `may_win`
    all the same."""

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


ByOrganiser = Withdrawn | Admitted | Replaced | Annulled
Entry = Created | Drawn | Played | Skipped | ByOrganiser

_encoder = msgspec.json.Encoder()
_decoder: msgspec.json.Decoder[Entry] = msgspec.json.Decoder(Entry)


class DamageError(UserError):
    """A journal that is not what was written."""


class Journal:
    """A run directory's journal, open for reading, or for one process's writing."""

    def __init__(self, folder: Path, *, write: bool = False) -> None:
        """Raises UserError where there is no journal, it is damaged, or somebody else writes it."""
        self.folder = folder
        path = folder / FILE
        if not path.is_file():
            raise UserError(f"{folder}: no tournament was run here ({FILE} is missing)")
        if write:
            _require_local(folder)
        self.entries: list[Entry] = []
        self.digests: list[str] = []
        with contextlib.ExitStack() as opened:
            if write:
                opened.callback(os.close, _claim(folder))
            try:
                self._db = opened.enter_context(contextlib.closing(_connect(path, write=write)))
                self._load()
            except sqlite3.DatabaseError as error:
                raise DamageError(f"{path}: damaged ({error})") from None
            self._opened = opened.pop_all()

    @classmethod
    def create(cls, folder: Path, created: Created) -> "Journal":
        """A new journal, which exists as soon as its first entry is safe. Raises UserError."""
        path = folder / FILE
        if path.exists():
            go_on = f"go on with it by `arena resume {folder}`, or choose another folder with --out"
            raise UserError(f"{folder}: a tournament was run here already; {go_on}")
        _require_local(folder)
        _require_ours(folder)
        try:
            for part in (folder, folder / LOGS, folder / STDERR):
                part.mkdir(parents=True, exist_ok=True)
            unfinished = folder / f"{FILE}.new"
            for left in folder.glob(f"{FILE}.new*"):  # by a power cut, with SQLite's own file beside it
                left.unlink()
            with contextlib.closing(sqlite3.connect(unfinished)) as db:
                db.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
                db.execute(f"PRAGMA user_version = {FORMAT}")
                db.execute(
                    "CREATE TABLE entries"
                    " (no INTEGER PRIMARY KEY, entry TEXT NOT NULL, digest TEXT NOT NULL) STRICT"
                )
                text = _encoder.encode(created).decode()
                db.execute("INSERT INTO entries VALUES (1, ?, ?)", (text, chained(GENESIS, text)))
                db.commit()
            sync(unfinished)
            unfinished.rename(path)
            sync(folder)
        except (OSError, sqlite3.OperationalError) as error:
            raise UserError(f"{folder}: cannot be written ({error})") from None
        return cls(folder, write=True)

    def add(self, *entries: Entry) -> None:
        """Append entries, all of them or none; they are on the disk when this returns. Raises UserError where
        they cannot be."""
        texts = [_encoder.encode(entry).decode() for entry in entries]
        digests = list(itertools.accumulate(texts, chained, initial=self.digest))[1:]
        rows = zip(itertools.count(len(self.entries) + 1), texts, digests)
        try:
            with self._db:
                self._db.execute("BEGIN")
                self._db.executemany("INSERT INTO entries VALUES (?, ?, ?)", rows)
        except sqlite3.OperationalError as error:
            raise UserError(f"{self.folder / FILE}: cannot be written ({error}); {_SAFE}") from None
        self.entries += entries
        self.digests += digests

    @property
    def digest(self) -> str:
        """That of the last entry, and so of all before it."""
        return self.digests[-1] if self.digests else GENESIS

    def log_path(self, match_id: str) -> Path:
        return self.folder / LOGS / f"{match_id}.jsonl"

    def aside_path(self, match_id: str, number: int) -> Path:
        """Where a log of an annulled match is kept; `number` counts from 1."""
        return self.folder / LOGS / f"{match_id}.annulled-{number}"

    def save_logs(self, logs: Mapping[str, str]) -> dict[str, str]:
        """Put the logs of matches on the disk, each whole or not at all, before their rows. Returns their
        SHA-256 by match id. Raises UserError."""
        files = {match_id: log.encode() for match_id, log in logs.items()}
        try:
            write_all_whole({self.log_path(match_id): data for match_id, data in files.items()})
        except OSError as error:
            raise UserError(f"{self.folder / LOGS}: cannot be written ({error.strerror}); {_SAFE}") from None
        return {match_id: hashlib.sha256(data).hexdigest() for match_id, data in files.items()}

    def set_log_aside(self, match_id: str) -> None:
        """Keep the log of an annulled match under another name."""
        path, number = self.log_path(match_id), 1
        while (aside := self.aside_path(match_id, number)).exists():
            number += 1
        if path.exists():
            path.rename(aside)

    def read_log(self, match_id: str, aside: int = 0) -> str:
        """Of an annulled match, the log that was set `aside` under that number. Raises UserError where it is
        gone."""
        path = self.aside_path(match_id, aside) if aside else self.log_path(match_id)
        try:
            return path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise DamageError(f"{path}: cannot be read ({error})") from None

    def close(self) -> None:
        self._opened.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _load(self) -> None:
        (version,) = self._db.execute("PRAGMA user_version").fetchone()
        if version != FORMAT:
            newer = ": a newer arena wrote it" if version > FORMAT else ""
            raise UserError(f"{self.folder / FILE}: format {version} is not known here, {FORMAT} is{newer}")
        path = self.folder / FILE
        for no, text, digest in self._db.execute("SELECT no, entry, digest FROM entries ORDER BY no"):
            expected = chained(self.digest, text)
            if no != len(self.entries) + 1 or digest != expected or not isinstance(text, str):
                raise DamageError(f"{path}: entry {no} is not what was written")
            try:
                entry = _cleaned(_decoder.decode(text))
            except (msgspec.MsgspecError, ValueError, RecursionError) as error:
                raise DamageError(f"{path}: entry {no} cannot be read ({error})") from None
            if isinstance(entry, Created) != (no == 1):
                raise DamageError(f"{path}: entry {no} is out of place: the settings come first, and once")
            self.entries.append(entry)
            self.digests.append(expected)
        if not self.entries:
            raise DamageError(f"{path}: the first entry is missing")


def _cleaned(entry: Entry) -> Entry:
    """An entry with all text for people made harmless. Raises ValueError for an entrant of no valid name."""
    match entry:
        case Played(entrants=names):
            _require_names(names)
            return entry
        case Drawn():
            return entry
        case Created(entrants=entrants, left_out=left_out, authors=authors):
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
            )
        case Admitted(entrant=entrant):
            return Admitted(_named(entrant))
        case Replaced(entrant=entrant, reason=reason):
            return Replaced(_named(entrant), caption(reason, REASON_LIMIT))
        case Skipped(reason=reason):
            # Where it is our bug, it has several lines.
            return msgspec.structs.replace(entry, reason=visible(reason.encode(), REASON_LIMIT))
        case Withdrawn(reason=reason) | Annulled(reason=reason):
            return msgspec.structs.replace(entry, reason=caption(reason, REASON_LIMIT))


@functools.lru_cache(maxsize=1024)
def _require_names(names: tuple[str, ...]) -> None:
    """Raises ValueError. Those of thousands of matches are looked up, which is faster than their pattern."""
    for name in names:
        if not NAME.fullmatch(name):
            raise ValueError(f"{name!r} cannot be a name")


def _named(entrant: Entrant) -> Entrant:
    """Where its program stands is no text for people: it has to be found there."""
    _require_names((entrant.name,))
    return msgspec.structs.replace(entrant, author=caption(entrant.author), title=title(entrant.title))


def chained(before: str, text: str) -> str:
    return hashlib.sha256(f"{before}\n{text}".encode()).hexdigest()


def _connect(path: Path, *, write: bool) -> sqlite3.Connection:
    """For writing, by one thread at a time: what is committed is on the disk."""
    if write:
        db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        return _tried(db, "PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL")
    address = f"{path.absolute().as_uri()}?mode=ro"
    try:
        return _tried(sqlite3.connect(address, uri=True, isolation_level=None), "PRAGMA user_version")
    except sqlite3.OperationalError:
        # Even a reader leaves a file beside a database in use; where it may not, nobody else writes either.
        return sqlite3.connect(f"{address}&immutable=1", uri=True, isolation_level=None)


def _tried(db: sqlite3.Connection, *statements: str) -> sqlite3.Connection:
    """The database after these, closed where it refuses one."""
    try:
        for statement in statements:
            db.execute(statement)
    except sqlite3.DatabaseError:
        db.close()
        raise
    return db


def _require_ours(folder: Path) -> None:
    """Raises UserError for a folder of something else. What a power cut left of a first attempt is ours."""
    names = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
    if others := sorted(name for name in names - {LOGS, STDERR, LOCK} if not name.startswith(f"{FILE}.new")):
        raise UserError(f"{folder}: there is something else in it ({others[0]}); choose an empty folder")


def _require_local(folder: Path) -> None:
    """Raises UserError on a network file system: what is locked and written there may be neither for another
    machine, and SQLite's write-ahead log needs both."""
    if kind := network_type(folder):
        raise UserError(
            f"{folder}: a network file system ({kind}), where a journal is not safe; use a local disk"
        )


def _claim(folder: Path) -> int:
    """The right to write here, held until closed or until the process ends, however it ends."""
    try:
        descriptor = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise UserError(f"{folder}: cannot be written ({error.strerror})") from None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        raise UserError(
            f"{folder}: another arena is running this tournament; "
            f"a Ctrl-C there stops it, and `arena resume {folder}` goes on"
        ) from None
    return descriptor
