"""Proves that this user made a run: its journal carries a tag (an HMAC) that only the user's key makes.

The owner of the files proves nothing, since a user who unpacks an archive owns everything in it. The key is
kept only in the user's state folder. The tag covers the digest of the journal's last entry, and so the whole
journal. So a run stays the user's own when it is moved, copied or killed. For another user, on a machine with
another state folder, and after any change it counts as a stranger's. Knows neither entries nor commands.
"""

import contextlib
import hmac
import os
import secrets
from pathlib import Path
from typing import Final

from arena.system.text import shell_word

KEY: Final = "key"
KEY_BYTES: Final = 32
_PURPOSE: Final = "arena journal made here 1"


def user_key(*, make: bool = False) -> bytes | str:
    """The user's key as bytes, or a line on why there is none. `make` creates a missing key."""
    path = _state_folder() / KEY
    if not path.is_absolute():
        return "this user has no home folder (HOME) to keep a key in"
    try:
        if make and not os.path.lexists(path):
            _make(path)
        for place, closed in ((path.parent, 0o022), (path, 0o077)):
            status = os.stat(place)
            if status.st_uid != os.geteuid() or status.st_mode & closed:
                return f"{place}: others could use it (chmod go= {shell_word(place)})"
        with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            key = file.read(KEY_BYTES)
    except FileNotFoundError:
        return f"{path}: this user has no key yet"
    except OSError as error:
        return f"{path}: {error.strerror}"
    return key if len(key) == KEY_BYTES else f"{path}: it contains no key; delete it"


def tag(key: bytes, digest: str) -> str:
    """The tag of a journal whose last entry has this digest."""
    return hmac.new(key, f"{_PURPOSE}\n{digest}".encode(), "sha256").hexdigest()


def is_tag(found: object, key: bytes, digest: str) -> bool:
    """Whether `found` is the tag of a journal with this last digest, compared in constant time."""
    return isinstance(found, str) and hmac.compare_digest(found.encode(), tag(key, digest).encode())


def _state_folder() -> Path:
    """The user's folder for persistent data that are not settings (XDG Base Directory Specification)."""
    given = os.environ.get("XDG_STATE_HOME", "")
    base = given if os.path.isabs(given) else os.path.expanduser("~/.local/state")
    return Path(base, "card-arena")


def _make(path: Path) -> None:
    """Make a key. If another process makes one at the same time, that one is kept. Raises OSError."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    new = path.with_name(f"unfinished-{secrets.token_hex(8)}")
    try:
        with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb") as file:
            file.write(secrets.token_bytes(KEY_BYTES))
            file.flush()
            os.fsync(file.fileno())
        with contextlib.suppress(FileExistsError):
            os.link(new, path)  # Unlike a rename, this never replaces a key that is there.
    finally:
        new.unlink(missing_ok=True)
