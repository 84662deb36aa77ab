"""The daily seeds, derived from the secret of the league, which never leaves its folder. The SHA-256 of a
day's seed is published the day before, and the seed itself once the day and all draws from it are over.

Knows one file and days as numbers, no clock.
"""

import hashlib
import os
import secrets
from pathlib import Path
from typing import Final

from arena.system import foreign
from arena.system.errors import UserError
from arena.system.files import write_whole
from protocol.streams import derive

SECRET: Final = "secret"
"""The file of the league's secret, which only its owner may read."""
SECONDS_A_DAY: Final = 86_400


def make_secret(league: Path) -> None:
    """Generate the secret of a new league, unless it exists. Raises UserError."""
    path = league / SECRET
    if path.exists():
        return
    try:
        write_whole(path, f"{secrets.token_hex(32)}\n".encode(), league)
        os.chmod(path, 0o600)
    except OSError as error:
        raise UserError(f"{path}: cannot be written ({error.strerror})") from None


def read_secret(league: Path) -> str:
    """Raises UserError."""
    path = league / SECRET
    try:
        text = foreign.read(path, 1024, league).decode().strip()
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: cannot be read ({error}); without it, no pod can be dealt") from None
    if len(text) != 64:
        raise UserError(f"{path}: contains no league secret")
    return text


def seed_of(secret: str, day: int) -> str:
    return derive(secret, f"arena1/league/day/{day}")


def commitment(seed: str) -> str:
    return hashlib.sha256(seed.encode()).hexdigest()


def pod_key(seed: str, board: str, no: int) -> str:
    """The key from which a draw's companions, deals, leader and seating labels are derived."""
    return derive(seed, f"{board}/{no}")
