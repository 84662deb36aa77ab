"""Opens the SQLite file of a journal, which may be a stranger's, or lie where other users can write.

Knows neither entries nor digests.
"""

import contextlib
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from arena.journal.writers import is_shared
from arena.system import foreign
from arena.system.errors import UserError
from arena.system.temporary import temporary_folder

ENTRY_LIMIT: Final = 64 << 20
"""Bytes of an entry; longer ones are not read."""
JOURNAL_LIMIT: Final = 1 << 30
"""Bytes of all entries of a journal, ten times what 10,000 entrants need; larger ones are not read."""
SNAPSHOTS: Final = 5
"""The most attempts to copy a journal between two checkpoints of its writer."""

_GUARDS: Final = ("PRAGMA trusted_schema = OFF", "PRAGMA cell_size_check = ON")
"""What SQLite advises for files of strangers (https://www.sqlite.org/security.html)."""


@contextlib.contextmanager
def connected(path: Path, *, write: bool) -> Iterator[sqlite3.Connection]:
    """The open database; with `write`, for one thread at a time, and durably: commits are synced to disk.

    Even a reader has SQLite write beside the file, at names that another user who can write there may have
    given to other files. Such a folder is read from a copy. Raises OSError if that cannot be made.
    """
    path = Path(os.path.realpath(path.parent), path.name)
    with contextlib.ExitStack() as closing:
        if not write and is_shared(path.parent):
            path = _snapshot(path, Path(closing.enter_context(temporary_folder())))
        yield closing.enter_context(contextlib.closing(_connect(path, write=write)))


def _snapshot(path: Path, to: Path) -> Path:
    """A copy of a database in the folder `to`, which is empty. Raises OSError."""
    copy = to / path.name
    for _ in range(SNAPSHOTS):
        before = os.lstat(path)
        # What a checkpoint moves out of the log in between is then in both files.
        for beside in ("-wal", ""):
            copied = copy.with_name(f"{copy.name}{beside}")
            copied.unlink(missing_ok=True)
            with contextlib.suppress(FileNotFoundError):
                foreign.copy(path.with_name(f"{path.name}{beside}"), copied, JOURNAL_LIMIT)
        now = os.lstat(path)
        if (before.st_mtime_ns, before.st_size) == (now.st_mtime_ns, now.st_size):
            break
    return copy


def _connect(path: Path, *, write: bool) -> sqlite3.Connection:
    if write:
        db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        return _tried(db, *_GUARDS, "PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL")
    address = f"{path.absolute().as_uri()}?mode=ro"
    try:
        db = sqlite3.connect(address, uri=True, isolation_level=None)
        return _tried(db, *_GUARDS, "PRAGMA user_version")
    except sqlite3.OperationalError:
        # A reader, too, has to make a file next to a database in use. If it may not, nobody can write to the
        # folder, so the database can be read as immutable.
        db = sqlite3.connect(f"{address}&immutable=1", uri=True, isolation_level=None)
        return _tried(db, *_GUARDS)


def _tried(db: sqlite3.Connection, *statements: str) -> sqlite3.Connection:
    """The database after these statements. It is closed if one fails."""
    db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, ENTRY_LIMIT)
    try:
        for statement in statements:
            db.execute(statement)
    except sqlite3.DatabaseError:
        db.close()
        raise
    return db


def require_plain(path: Path) -> None:
    """Raises UserError if SQLite would follow a link, wait for a pipe, or find a rollback journal: it would
    obey that, and delete any file that the journal names."""
    try:
        for beside in ("", "-wal", "-shm", "-journal"):
            beside_path = path.with_name(f"{path.name}{beside}")
            if (size := foreign.size(beside_path) or 0) > JOURNAL_LIMIT:
                raise UserError(f"{beside_path}: larger than {JOURNAL_LIMIT >> 20} MiB, which no journal is")
        if size:  # The last one is the rollback journal.
            raise UserError(f"{beside_path}: the arena does not leave such a file; move it away")
    except OSError as error:
        raise UserError(f"{error.filename}: {error.strerror}") from None


def is_empty(path: Path) -> bool:
    """Whether a journal's file is empty, and so is its write-ahead log."""
    try:
        return not any(foreign.size(path.with_name(f"{path.name}{beside}")) for beside in ("", "-wal"))
    except OSError:
        return False  # A link, or a pipe.
