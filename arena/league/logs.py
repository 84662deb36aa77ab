"""The logs of a draw in two parts: a public one, which by itself proves every deal and every action, and a
private one, which only the bot's author and the organiser may read: notes, what a bot printed, what it
answered when it was at fault, and how long it took.

Each part is one compressed file for all matches of a draw, in a folder for its day. Knows lines of JSON and
files, neither games nor who may read what.
"""

import contextlib
import gzip
import hashlib
import zlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from arena.journal.chained import SAFE, DamageError
from arena.league.journal import LOGS, PRIVATE
from arena.log.entries import LOG_LIMIT
from arena.system import foreign
from arena.system.errors import MachineError
from arena.system.files import write_whole

PRIVATE_FIELDS: Final[Mapping[str, Any]] = {
    "us": 0,
    "note": "",
    "detail": "",
    "request": "",
    "reply": "",
    "stderr": "",
    "status": None,
    "measured": None,
    "name": "",
    "version": "",
    "author": "",
    "language": "",
}
"""The private fields of a log line, each with the value that replaces it in the public part; of an action
they are left out."""
_PARTED: Final = frozenset({"ready", "action", "fault", "excess"})
"""The types of lines with private fields. In other lines, fields of the same names are public."""

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder().decode


class LogParts(NamedTuple):
    """The two parts of the logs of a draw, as lines of JSON."""

    public: bytes
    private: bytes

    @property
    def digests(self) -> tuple[str, str]:
        """The SHA-256 of the public and of the private part."""
        return hashlib.sha256(self.public).hexdigest(), hashlib.sha256(self.private).hexdigest()


def parted(logs: Iterable[str]) -> LogParts:
    """Split the logs of several matches. Each private line has the index of its public line, from 0."""
    public, private = [], []
    for number, line in enumerate(line for log in logs for line in log.splitlines()):
        fields = _decode(line)
        if fields["type"] in _PARTED:
            hidden = {key: fields[key] for key in PRIVATE_FIELDS if key in fields}
            private.append(_encode([number, hidden]) + b"\n")
            if fields["type"] == "action":
                # A log leaves out a time of 0 and an empty note, so if others stayed, one could tell them.
                fields = {key: value for key, value in fields.items() if key not in hidden}
            else:
                fields |= {key: PRIVATE_FIELDS[key] for key in hidden}
        public.append(_encode(fields) + b"\n")
    return LogParts(b"".join(public), b"".join(private))


def joined(parts: LogParts) -> bytes:
    """Join the parts to whole logs; each line has the same fields and values as when it was written."""
    hidden = dict(map(_decode, parts.private.splitlines()))
    lines = parts.public.splitlines(keepends=True)
    for number, fields in hidden.items():
        lines[number] = _encode(_decode(lines[number]) | fields) + b"\n"
    return b"".join(lines)


def matches(part: bytes) -> Iterator[bytes]:
    """Split a public part, or joined parts, into the logs of single matches. Each ends with its outcome."""
    begun: list[bytes] = []
    for line in part.splitlines(keepends=True):
        begun.append(line)
        if line.startswith(b'{"type":"outcome"'):
            yield b"".join(begun)
            begun = []
    if begun:
        yield b"".join(begun)


def log_path(folder: Path, day: int, no: int, part: str = LOGS) -> Path:
    return folder / part / str(day) / f"{no}.jsonl.gz"


def draw_of(name: str) -> int | None:
    """The number of the draw, from the name of its log; None for any other file."""
    no = name.removesuffix(".jsonl.gz")
    return int(no) if no != name and no.isascii() and no.isdecimal() else None


def save(folder: Path, day: int, no: int, parts: LogParts) -> None:
    """Write both parts to disk, each atomically. Raises MachineError."""
    for name, data in ((LOGS, parts.public), (PRIVATE, parts.private)):
        path = log_path(folder, day, no, name)
        try:
            path.parent.mkdir(mode=0o700, exist_ok=True)
            write_whole(path, gzip.compress(data, mtime=0), folder)
        except OSError as error:
            raise MachineError(f"{path}: cannot be written ({error.strerror}); {SAFE}") from None


def read(folder: Path, day: int, no: int, part: str = LOGS) -> bytes | None:
    """A part of the logs of a draw; None if there is none. Raises DamageError."""
    path = log_path(folder, day, no, part)
    try:
        packed = foreign.read(path, LOG_LIMIT, folder)
        unpacker = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
        data = unpacker.decompress(packed, LOG_LIMIT)
        if not unpacker.eof or unpacker.unconsumed_tail or unpacker.unused_data:
            raise DamageError(f"{path}: it is not a compressed log of at most {LOG_LIMIT >> 20} MiB")
        return data
    except FileNotFoundError:
        return None
    except OSError as error:
        raise DamageError(f"{path}: cannot be read ({error.strerror})") from None
    except zlib.error as error:
        raise DamageError(f"{path}: cannot be read ({error})") from None


def delete(folder: Path, last: int, *, private_only: bool) -> None:
    """Delete the logs of all draws up to `last`, or only their private parts."""
    for part in (PRIVATE,) if private_only else (LOGS, PRIVATE):
        for path in (folder / part).glob("[0-9]*/*.jsonl.gz"):
            if (no := draw_of(path.name)) is not None and no <= last:
                with contextlib.suppress(OSError):
                    path.unlink()
