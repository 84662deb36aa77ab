"""The journal of a tournament (arena/journal/chained.py), and the logs next to it.

A match's row holds the digest of its log, so that damage anywhere shows. Knows files, neither how matches are
played nor what follows from the entries (state.py).
"""

import contextlib
import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec

from arena.director.entries import Created, JournalEntry, MatchAnnulled, MatchPlayed
from arena.journal.chained import SAFE, Chained, DamageError, JournalKind, make
from arena.journal.writers import is_written
from arena.log.entries import LOG_LIMIT
from arena.system import foreign
from arena.system.errors import UserError
from arena.system.files import write_all_whole
from arena.system.places import TOURNAMENT_FILE

FILE: Final = TOURNAMENT_FILE
LOGS: Final = "matches"
STDERR: Final = "stderr"
FORMAT: Final = 1
GENESIS: Final = hashlib.sha256(b"arena journal 1").hexdigest()

_PUT_BACK: Final = "restore that file, or annul the match"

_decoder: msgspec.json.Decoder[JournalEntry] = msgspec.json.Decoder(JournalEntry)


class Journal(Chained[JournalEntry]):
    """The journal of a run directory, and its logs."""

    def __init__(self, folder: Path, *, write: bool = False) -> None:
        """Raises UserError if there is no journal, it is damaged, or another process is writing it."""
        super().__init__(folder, KIND, write=write)

    @classmethod
    def create(cls, folder: Path, created: Created) -> "Journal":
        """Create a journal, atomically with its first entry. Raises UserError."""
        make(folder, KIND, created)
        return cls(folder, write=True)

    @property
    def is_played(self) -> bool:
        """Whether a process is playing the tournament or adding an entry."""
        return is_written(self.folder)

    def log_path(self, match_id: str) -> Path:
        """The log of a match that counts."""
        return self.folder / LOGS / f"{match_id}.jsonl"

    def aside_path(self, match_id: str, number: int) -> Path:
        """A log of an annulled match; `number` counts from 1."""
        return self.folder / LOGS / f"{match_id}.annulled-{number}"

    def save_logs(self, logs: Mapping[str, str]) -> dict[str, str]:
        """Write logs to disk, each atomically; call it before their rows are added. Returns their SHA-256 by
        match id. Raises UserError."""
        files = {match_id: log.encode() for match_id, log in logs.items()}
        try:
            write_all_whole({self.log_path(match_id): data for match_id, data in files.items()}, self.folder)
        except OSError as error:
            place = error.filename or self.folder / LOGS
            raise UserError(f"{place}: cannot be written ({error.strerror}); {SAFE}") from None
        return {match_id: hashlib.sha256(data).hexdigest() for match_id, data in files.items()}

    def set_log_aside(self, match_id: str) -> None:
        """Rename the log of an annulled match to the first free `aside_path`. If that fails, playing the
        match again overwrites the log, and the annulment stands all the same."""
        path, number = self.log_path(match_id), 1
        while os.path.lexists(aside := self.aside_path(match_id, number)):
            number += 1
        with contextlib.suppress(OSError):
            path.rename(aside)

    def set_annulled_aside(self) -> None:
        """Set aside the logs of annulled matches whose process was killed between writing the entry and
        renaming the log. Call it before they are played again."""
        logs: dict[str, str] = {}
        annulled: dict[str, str] = {}
        for entry in self.entries:
            match entry:
                case MatchPlayed(match_id=match_id, log=log):
                    logs[match_id] = log
                    annulled.pop(match_id, None)
                case MatchAnnulled(match_id=match_id) if match_id in logs:
                    annulled[match_id] = logs[match_id]
        for match_id, log in annulled.items():
            # A missing log was set aside before.
            with contextlib.suppress(DamageError):
                if hashlib.sha256(self.read_log(match_id).encode()).hexdigest() == log:
                    self.set_log_aside(match_id)

    def read_log(self, match_id: str, aside: int = 0) -> str:
        """The log of a match; with a number, the log of an annulled match that was set `aside` under it.
        Raises DamageError if it cannot be read."""
        path = self.aside_path(match_id, aside) if aside else self.log_path(match_id)
        try:
            return foreign.read(path, LOG_LIMIT, self.folder).decode()
        except OSError as error:
            raise DamageError(f"{path}: cannot be read ({error.strerror})") from None
        except UnicodeDecodeError as error:
            raise DamageError(f"{path}: cannot be read ({error})") from None

    def read_written_log(self, played: MatchPlayed) -> str:
        """The log of a match that counts. Raises DamageError if it is unreadable or not what was written."""
        try:
            log = self.read_log(played.match_id)
        except DamageError as error:
            raise DamageError(f"{error}; {_PUT_BACK}") from None
        if hashlib.sha256(log.encode()).hexdigest() != played.log:
            raise DamageError(
                f"{self.log_path(played.match_id)}: this is not the log that was written; {_PUT_BACK}"
            )
        return log


def _decoded(text: str) -> JournalEntry:
    """An entry with all text for people sanitised. Raises MsgspecError, ValueError."""
    return _decoder.decode(text).cleaned


KIND: Final = JournalKind(
    file=FILE,
    application_id=0x4172656E,  # "Aren"
    format=FORMAT,
    genesis=GENESIS,
    decode=_decoded,
    first=Created,
    folders=(LOGS, STDERR),
    flat=(LOGS, STDERR),
    missing="no tournament was run here ({} is missing)",
    there="a tournament was run here already: `arena standings {0}` shows it, `arena resume {0}` continues "
    "it; or choose another folder with {flag.out}",
    busy="another arena is running this tournament; stop it there with Ctrl-C, then continue with `arena "
    "resume {0}`",
)
