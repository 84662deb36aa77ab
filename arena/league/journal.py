"""The journal of a league: its segments, one file each (arena/journal/chained.py), and the folders next to
them.

Knows how entries are stored, not their kinds (entries/).
"""

import hashlib
import os
import re
import stat
from pathlib import Path
from typing import Final

import msgspec

from arena.journal.chained import Chained, DamageError, JournalKind, make
from arena.league.entries import Continued, Entry, Founded
from arena.system.errors import UserError
from arena.system.foreign import KINDS
from arena.system.places import LEAGUE_FILE

FILE: Final = LEAGUE_FILE
"""The first segment of the journal; `segment_file` names the others."""
_SEGMENT: Final = re.compile(r"league-(0[0-9]{3}|[1-9][0-9]{3,8})\.db", re.ASCII)
LOGS: Final = "logs"
PRIVATE: Final = "private"
VERSIONS: Final = "versions"
BUILT: Final = "built"
INBOX: Final = "inbox"

_decoder: Final[msgspec.json.Decoder[Entry]] = msgspec.json.Decoder(Entry)


class LeagueJournal(Chained[Entry]):
    """A segment of the journal in a league's folder; the last one unless `number` is given."""

    def __init__(self, folder: Path, *, write: bool = False, number: int | None = None) -> None:
        """Raises UserError if there is no league, it is damaged, or another process is writing it."""
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
        """Create a journal, atomically with its first entries. Raises UserError."""
        make(folder, KIND, founded, *entries)
        return cls(folder, write=True)

    def next_segment(self, first: Continued, *further: Entry) -> None:
        """Continue in a new file that begins with these entries. Raises UserError."""
        self.go_on(_kind(first.number), first, *further)
        self.number = first.number


def _require_folder(folder: Path) -> None:
    """Raises UserError unless it is a folder with the first segment, which an interrupted copy lacks."""
    if os.path.exists(folder) and not os.path.isdir(folder):
        raise UserError(
            f"{folder}: a league is a folder, but this is {KINDS.get(stat.S_IFMT(folder.stat().st_mode))}; "
            "unpack it, and name the folder that contains the journal"
        )
    if not os.path.lexists(folder / FILE):
        raise UserError(f"{folder}: {KIND.missing.format(FILE)}")


def segment_file(number: int) -> str:
    return f"league-{number:04}.db"


def last_segment(folder: Path) -> int:
    """The number of the last segment in a folder; 1 if there is none."""
    found = (_SEGMENT.fullmatch(path.name) for path in folder.glob("league-*.db"))
    return max((int(name[1]) for name in found if name), default=1)


def _kind(number: int) -> JournalKind[Entry]:
    return KIND._replace(file=segment_file(number))


def _decoded(text: str) -> Entry:
    """An entry with all text for people sanitised. Raises MsgspecError, ValueError."""
    return _decoder.decode(text).cleaned


KIND: Final = JournalKind(
    file=FILE,
    application_id=0x41726C67,  # "Arlg"
    format=1,
    genesis=hashlib.sha256(b"arena league 1").hexdigest(),
    decode=_decoded,
    first=(Founded, Continued),
    folders=(LOGS, PRIVATE, VERSIONS, BUILT, INBOX),
    flat=(),
    missing="there is no league here ({} is missing); to begin one: `arena league new`",
    there="there is already a league here; play it with `arena league run {0}`, or choose a different folder",
    busy="another arena is writing this league; stop it there with Ctrl-C",
)
