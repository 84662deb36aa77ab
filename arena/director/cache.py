"""Caches computed results in the user's cache folder, each under the digest of all its inputs.

The inputs include the arena's code and the versions of its libraries. Other inputs have another name, so no
entry is ever out of date. A file is trusted only with an HMAC over its name and content by the user's key
(provenance.py). If a file is missing, not trusted or unreadable, or the user has no key, the result is
computed.

Files are written atomically, so several processes may use the folder. Once all files together exceed LIMIT,
the least recently used are deleted. Does not know what it caches.
"""

import contextlib
import functools
import hashlib
import hmac
import importlib.metadata
import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec

from arena.games.package import MissingCodeError, code_digest
from arena.journal.provenance import user_key
from arena.system import foreign
from arena.system.files import abandoned, write_whole

LIMIT: Final = 256 << 20
"""Bytes of all files together."""
FILE_LIMIT: Final = 64 << 20
"""Bytes of one file."""
TAG_BYTES: Final = 32

T = TypeVar("T")


def remembered(what: str, follows_from: Any, kind: type[T], compute: Callable[[], T]) -> T:
    """The result of `compute`, of the type `kind`, from the cache if possible. `what` names the computation;
    `follows_from` holds all its inputs, without sets, whose order is not fixed."""
    name = digest(what, follows_from)
    if (cached := recall(name, kind)) is not None:
        return cached
    result = compute()
    keep(name, result)
    return result


def digest(what: str, follows_from: Any) -> str:
    """The name of a cached result; inputs of equal content give the same name."""
    # JSON, since a journal may hold integers that are too large for MessagePack.
    data = msgspec.json.encode((what, _code(), follows_from))
    return hashlib.sha256(data).hexdigest()


def recall(name: str, kind: type[T]) -> T | None:
    """The result cached under a name; None if there is none, or if this user did not write it."""
    if (key := _key()) is None or (folder := tables_folder()) is None:
        return None
    path = folder / name
    try:
        data = foreign.read(path, FILE_LIMIT)
        tag, content = data[:TAG_BYTES], data[TAG_BYTES:]
        if not hmac.compare_digest(tag, _tag(key, name, content)):
            return None
        os.utime(path, follow_symlinks=False)  # Mark it as recently used.
    except OSError:
        return None
    with contextlib.suppress(msgspec.MsgspecError):
        return msgspec.msgpack.decode(content, type=kind)
    return None


def keep(name: str, result: Any) -> None:
    """Cache a result if possible."""
    try:
        content = msgspec.msgpack.encode(result)
    except OverflowError:
        return
    if (
        (key := _key()) is None
        or (folder := tables_folder()) is None
        or len(content) + TAG_BYTES > FILE_LIMIT
    ):
        return
    with contextlib.suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_whole(folder / name, _tag(key, name, content) + content, lasting=False)
        _tidy(folder)


def _tidy(folder: Path) -> None:
    """Delete what killed processes have left, and the oldest files until all together are at most LIMIT.
    Raises OSError."""
    for left in abandoned(folder):
        left.unlink()
    with os.scandir(folder) as entries:
        listed = [(entry, entry.stat(follow_symlinks=False)) for entry in entries]
    files = [(entry, status) for entry, status in listed if stat.S_ISREG(status.st_mode)]
    too_much = sum(status.st_size for _, status in files) - LIMIT
    for entry, status in sorted(files, key=lambda file: file[1].st_mtime_ns):
        if too_much <= 0:
            break
        os.unlink(entry.path)
        too_much -= status.st_size


def tables_folder() -> Path | None:
    """The folder of the cache, in $XDG_CACHE_HOME or else ~/.cache; None for a user without a home folder."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(base, "arena", "tables") if os.path.isabs(base) else None


def _key() -> bytes | None:
    key = user_key()
    return key if isinstance(key, bytes) else None


def _tag(key: bytes, name: str, content: bytes) -> bytes:
    return hmac.new(key, b"arena cache 1\n" + name.encode() + b"\n" + content, "sha256").digest()


@functools.cache
def _code() -> tuple[str, ...]:
    """The digests and versions of the code, since other code may compute other results."""
    versions = [sys.version]
    for library in ("numpy", "scipy", "msgspec", "jinja2"):
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            versions.append(importlib.metadata.version(library))
    try:
        return (*map(code_digest, ("arena", "protocol", "tournaments")), *versions)
    except MissingCodeError:
        return (os.urandom(16).hex(),)  # Code that cannot be identified never matches.
