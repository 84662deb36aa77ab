"""A journal: one SQLite file with one row per entry. Entries that are added together are written in one
transaction.

Each row carries a digest over the previous row's digest and its own text, so that damage anywhere shows.
Entries are added and never changed. Knows neither the meaning of entries nor what follows from them: that is
a `JournalKind`, one for tournaments and one for leagues.
"""

import contextlib
import hashlib
import itertools
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Generic, NamedTuple, Self, TypeVar

import msgspec

from arena.journal.database import JOURNAL_LIMIT, connected, is_empty, require_plain
from arena.journal.provenance import is_tag, tag, user_key
from arena.journal.writers import LOCK, claim, require_alone, require_local
from arena.system import foreign
from arena.system.errors import MachineError, UserError
from arena.system.files import UNFINISHED, sync
from arena.system.interruption import held
from arena.system.text import caption, shell_word
from arena.system.wording import flag

E = TypeVar("E")

UNREACHED: Final = (
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_CANTOPEN,
)
"""Errors that do not mean that a file is damaged."""
SAFE: Final = "what was played before is safe"
_ENTRIES: Final = (
    "CREATE TABLE entries (no INTEGER PRIMARY KEY, entry TEXT NOT NULL, digest TEXT NOT NULL) STRICT"
)
_MADE_HERE: Final = "CREATE TABLE made_here (id INTEGER PRIMARY KEY, tag TEXT NOT NULL) STRICT"
"""It holds one row: the tag of the last entry (provenance.py). Older journals have no such table."""
_SCHEMA: Final = (("table", "entries", "entries", _ENTRIES), ("table", "made_here", "made_here", _MADE_HERE))
"""All that sqlite_schema may hold, in the order of creation. A stranger's file could hold a trigger, or a
view that never stops computing."""

_encoder = msgspec.json.Encoder()


class DamageError(UserError):
    """A journal or one of its logs is not what was written."""


class JournalKind(NamedTuple, Generic[E]):
    """What distinguishes one kind of journal from another."""

    file: str
    application_id: int
    format: int
    genesis: str
    """Stands for the previous digest of the first entry."""
    decode: Callable[[str], E]
    """Reads and sanitises an entry. Raises MsgspecError or ValueError."""
    first: type | tuple[type, ...]
    """The type of the first entry, and of no other."""
    folders: tuple[str, ...]
    """The other contents of the run directory."""
    flat: tuple[str, ...]
    """Those of the folders that hold plain files only; unfinished files in them are deleted."""
    missing: str
    """The error if the file is missing; `{}` stands for the file."""
    there: str
    """The error if a journal exists already; `{0}` stands for the folder."""
    busy: str
    """The error if another process is writing it; `{0}` stands for the folder."""


class Chained(Generic[E]):
    """The journal of a folder, open for reading, or for writing by one process."""

    def __init__(self, folder: Path, kind: JournalKind[E], *, write: bool = False) -> None:
        """Raises UserError if there is no journal, it is damaged, or another process is writing it."""
        self.folder = folder
        self._kind = kind
        path = folder / kind.file
        if not os.path.lexists(path):
            raise UserError(f"{folder}: {kind.missing.format(kind.file)}")
        # Links on the way are followed once, so that what is looked at is what is opened.
        real = Path(os.path.realpath(folder), kind.file)
        if write:
            require_alone(real.parent)
        require_plain(path)
        if is_empty(path):
            raise DamageError(_empty(path))
        if write:
            require_local(folder)
        self.entries: list[E] = []
        self.digests: list[str] = []
        self.stranger = ""
        """Why it is not known to be this user's own; "" if it is."""
        self._key: bytes | None = None
        with contextlib.ExitStack() as opened:
            if write:
                opened.callback(os.close, claim(folder, kind.busy))
                _tidy(folder, kind.flat)
            try:
                self._db = opened.enter_context(connected(real, write=write))
                self._load()
            except OSError as error:
                raise MachineError(f"{error.filename}: cannot be copied ({error.strerror}); {SAFE}") from None
            except sqlite3.DatabaseError as error:
                if getattr(error, "sqlite_errorcode", 0) & 0xFF in UNREACHED:
                    why = (
                        f"cannot be opened ({caption(str(error))}), as when the disk is full or permission "
                        "is missing"
                    )
                    raise MachineError(f"{path}: {why}; {SAFE}") from None
                raise DamageError(f"{path}: damaged ({caption(str(error))})") from None
            self._opened = opened.pop_all()

    def add(self, *entries: E) -> None:
        """Append entries, all or none, and sync them to disk. Raises UserError if they cannot be written."""
        texts = [_encoder.encode(entry).decode() for entry in entries]
        digests = list(itertools.accumulate(texts, chained, initial=self.digest))[1:]
        rows = zip(itertools.count(len(self.entries) + 1), texts, digests)
        with self._written():
            self._db.executemany("INSERT INTO entries VALUES (?, ?, ?)", rows)
            if self._key is not None:
                self._set_tag(tag(self._key, digests[-1] if digests else self.digest))
        self.entries += entries
        self.digests += digests

    def later(self) -> list[E]:
        """The entries that another process has added since this journal was read. Raises DamageError."""
        path, there = self.folder / self._kind.file, (len(self.entries),)
        try:
            with connected(path, write=False) as db:  # The open one may be that of a copy.
                rows = db.execute("SELECT entry FROM entries WHERE no > ? ORDER BY no", there).fetchall()
            return [self._kind.decode(text) for (text,) in rows]
        except (OSError, sqlite3.DatabaseError, msgspec.MsgspecError, ValueError, RecursionError) as error:
            raise DamageError(f"{path}: it was damaged in the meantime ({caption(str(error))})") from None

    @property
    def digest(self) -> str:
        """The digest of the last entry, and so of all before it."""
        return self.digests[-1] if self.digests else self._kind.genesis

    @property
    def made_here(self) -> bool:
        """Whether the journal carries the tag of this user's key."""
        return self._key is not None

    def trust(self) -> None:
        """Make a stranger's run this user's own; do nothing if the user can have no key. Raises UserError."""
        key = user_key(make=True)
        if self.made_here or isinstance(key, str):
            return
        with self._written():
            self._db.execute(_MADE_HERE.replace("TABLE", "TABLE IF NOT EXISTS", 1))
            self._set_tag(tag(key, self.digest))
        self._key = key

    def _set_tag(self, made: str) -> None:
        self._db.execute("INSERT OR REPLACE INTO made_here VALUES (1, ?)", (made,))

    @contextlib.contextmanager
    def _written(self) -> Iterator[None]:
        """One transaction. Raises MachineError if it cannot be written."""
        try:
            with self._db:
                self._db.execute("BEGIN")
                yield
        except sqlite3.OperationalError as error:
            file = self.folder / self._kind.file
            raise MachineError(f"{file}: cannot be written ({error}); {SAFE}") from None

    def go_on(self, kind: JournalKind[E], *entries: E) -> None:
        """Continue in a new file that begins with these entries, keeping the lock. Raises UserError."""
        if os.path.lexists(self.folder / kind.file):
            raise UserError(f"{self.folder / kind.file}: it already exists; move it away")
        _make(self.folder, kind, entries)
        self._db.close()
        self._kind, self.entries, self.digests = kind, [], []
        self._db = self._opened.enter_context(connected(self.folder / kind.file, write=True))
        self._load()

    def close(self) -> None:
        """Close the file and release the lock."""
        self._opened.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _load(self) -> None:
        """Read everything in one transaction, since it may grow meanwhile."""
        path, known = self.folder / self._kind.file, self._kind.format
        (version,) = self._db.execute("PRAGMA user_version").fetchone()
        if version != known:
            newer = ": a newer arena wrote it" if version > known else ""
            raise UserError(f"{path}: this arena does not know format {version}, only {known}{newer}")
        with self._db:
            self._db.execute("BEGIN")
            schema = self._db.execute("SELECT type, name, tbl_name, sql FROM sqlite_master").fetchmany(3)
            if tuple(schema) not in (_SCHEMA[:1], _SCHEMA):
                raise DamageError(f"{path}: it contains tables that a journal does not have")
            self._load_entries(path)
            row = self._db.execute("SELECT tag FROM made_here").fetchone() if len(schema) > 1 else None
        self._judge(row[0] if row else None)

    def _load_entries(self, path: Path) -> None:
        size = 0
        for no, text, digest in self._db.execute("SELECT no, entry, digest FROM entries ORDER BY no"):
            expected = chained(self.digest, text)
            if no != len(self.entries) + 1 or digest != expected or not isinstance(text, str):
                raise DamageError(f"{path}: entry {no} is not what was written")
            # Rows can share pages, so together they can be larger than the file.
            size += len(text)
            if size > JOURNAL_LIMIT:
                raise DamageError(f"{path}: its entries are larger than {JOURNAL_LIMIT >> 20} MiB")
            try:
                entry = self._kind.decode(text)
            except (msgspec.MsgspecError, ValueError, RecursionError) as error:
                raise DamageError(f"{path}: entry {no} cannot be read ({error})") from None
            if isinstance(entry, self._kind.first) != (no == 1):
                raise DamageError(
                    f"{path}: entry {no} is out of place: the settings must come first, and only once"
                )
            self.entries.append(entry)
            self.digests.append(expected)
        if not self.entries:
            raise DamageError(f"{path}: the first entry is missing")

    def _judge(self, found: object) -> None:
        """Set `stranger` and the key from the journal's tag, None if it has none."""
        self.stranger, key = "this run was not made here by this user", user_key()
        if isinstance(key, str):
            self.stranger = f"this run may be a stranger's ({key})"
        elif found is None:
            self.stranger = "this run does not say where it was made, like all runs of earlier versions"
        elif is_tag(found, key, self.digest):
            self.stranger, self._key = "", key


def make(folder: Path, kind: JournalKind[Any], *entries: object) -> None:
    """Create a journal, atomically with its first entries. Raises UserError."""
    require_new(folder, kind)
    _make(folder, kind, entries)


def _make(folder: Path, kind: JournalKind[Any], entries: Iterable[object]) -> None:
    """Create the file of a journal atomically. Raises UserError."""
    with held():
        _made(folder, kind, entries)


def _made(folder: Path, kind: JournalKind[Any], entries: Iterable[object]) -> None:
    path = folder / kind.file
    try:
        for part in (folder, *(folder / name for name in kind.folders)):
            part.mkdir(mode=0o700, parents=True, exist_ok=True)
        unfinished = folder / f"{kind.file}.new"
        for left in folder.glob(f"{kind.file}.new*"):  # Left by a power cut, with SQLite's own files.
            left.unlink()
        key = user_key(make=True)
        # SQLite gives its other files the same mode.
        os.close(os.open(unfinished, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        with contextlib.closing(sqlite3.connect(unfinished)) as db:
            db.execute(f"PRAGMA application_id = {kind.application_id}")
            db.execute(f"PRAGMA user_version = {kind.format}")
            # WAL from the beginning, so that a reader never finds a rollback journal.
            db.execute("PRAGMA journal_mode = WAL")
            for *_, statement in _SCHEMA:
                db.execute(statement)
            digest = kind.genesis
            for no, text in enumerate((_encoder.encode(entry).decode() for entry in entries), 1):
                digest = chained(digest, text)
                db.execute("INSERT INTO entries VALUES (?, ?, ?)", (no, text, digest))
            if isinstance(key, bytes):
                db.execute("INSERT INTO made_here VALUES (1, ?)", (tag(key, digest),))
            db.commit()
        sync(unfinished)
        unfinished.rename(path)
        sync(folder)
    except (OSError, sqlite3.OperationalError) as error:
        raise UserError(f"{folder}: cannot be written ({error})") from None


def copy_first(source: Path, target: Path, count: int) -> None:
    """Copy the first `count` entries of a journal to a new file, without the tag. Raises sqlite3.Error."""
    with (
        connected(source, write=False) as db,
        contextlib.closing(sqlite3.connect(target)) as made,
    ):
        for name in ("application_id", "user_version"):
            made.execute(f"PRAGMA {name} = {db.execute(f'PRAGMA {name}').fetchone()[0]}")
        made.execute("PRAGMA journal_mode = WAL")
        made.execute(_ENTRIES)
        rows = db.execute("SELECT no, entry, digest FROM entries WHERE no <= ? ORDER BY no", (count,))
        made.executemany("INSERT INTO entries VALUES (?, ?, ?)", rows)
        made.commit()


def require_new(folder: Path, kind: JournalKind[Any]) -> None:
    """Raises UserError if no journal of this kind can be made in the folder."""
    path = folder / kind.file
    if os.path.lexists(path):
        there = f"{folder}: {kind.there.format(shell_word(folder), flag=flag)}"
        raise UserError(_empty(path) if is_empty(path) else there)
    require_local(folder)
    if os.path.isdir(folder):
        require_alone(folder)
    _require_ours(folder, kind)


def chained(before: str, text: str) -> str:
    """The digest of an entry. `before` is the previous entry's digest or the kind's genesis."""
    return hashlib.sha256(f"{before}\n{text}".encode()).hexdigest()


def _empty(path: Path) -> str:
    return (
        f"{path}: it is empty (0 bytes), as after an interrupted copy or on a full disk: copy it again, or "
        "delete it and start over"
    )


def _tidy(folder: Path, parts: tuple[str, ...]) -> None:
    """Delete files that a power cut left unfinished. Raises UserError if a link redirects a folder."""
    try:
        for part in parts:
            foreign.require_files(folder / part, folder)
            for left in (folder / part).glob(f"{UNFINISHED}*"):
                left.unlink()
    except OSError as error:
        raise UserError(f"{error.filename}: {error.strerror}") from None


def _require_ours(folder: Path, kind: JournalKind[Any]) -> None:
    """Raises UserError if a folder holds files that are not what a power cut left of a run."""
    names = {path.name for path in folder.iterdir()} if os.path.isdir(folder) else set()
    ours = {*kind.folders, LOCK}
    if others := sorted(name for name in names - ours if not name.startswith(f"{kind.file}.new")):
        raise UserError(f"{folder}: it contains something else ({others[0]}); choose an empty folder")
