"""A seed that is announced: half of it drawn and committed to before the entries close, half of it a public
value that nobody controls.
"""

import hashlib
import os
import re
import secrets
from pathlib import Path
from typing import Final

import msgspec

from arena.director.entries import Created, SeedSources
from arena.playing.terms import Say
from arena.system.errors import UserError
from arena.system.text import shell_word
from arena.system.wording import flag

FILE: Final = "secret.seed"
_SECRET: Final = re.compile(r"[0-9a-f]{64}")


class CommitSeed(msgspec.Struct, frozen=True, kw_only=True):
    """The SHA-256 of the secret seed in a file, to publish with an invitation. `commit`: draw the seed into
    the file, which must not exist yet."""

    path: str = FILE
    commit: bool = False

    def carry_out(self, say: Say) -> str:
        """The SHA-256 as hex digits. Raises UserError."""
        path = Path(self.path)
        if self.commit:
            _draw(path)
            say(
                f"{path}: a new secret seed; publish its SHA-256, and keep the file to yourself until the end"
            )
        return hashlib.sha256(_secret(path, say).encode()).hexdigest()


def announced(seed_file: Path | None, public: str | None, seed: object, say: Say) -> SeedSources | None:
    """The parts that the seed is mixed from; None where neither is given. `seed` is a seed that was given
    beside them. Raises UserError."""
    if seed_file is None and public is None:
        return None
    if seed_file is None or public is None:
        raise UserError(
            f"{flag.seed_file} FILE and {flag.public} VALUE must be used together: with only one of them, "
            "the seed could be chosen"
        )
    if seed is not None:
        raise UserError(f"{flag.seed} and {flag.seed_file}: the seed is either given or mixed")
    try:
        spelt = " ".join(public.lower().split())
        return msgspec.convert({"secret": _secret(seed_file, say), "public": spelt}, SeedSources)
    except msgspec.ValidationError:
        raise UserError(f"{flag.public} {public!r}: it must be 1 to 256 printable ASCII characters") from None


def seed_lines_before(created: Created) -> list[str]:
    """What is published about the seed before the first match."""
    if created.announced is None:
        return [f"seed SHA-256: {created.seed_sha256}"]
    return [
        f"secret seed SHA-256: {created.announced.commitment} (as announced, if it is what you published)",
        f"public value: {created.announced.public}",
    ]


def seed_lines_after(created: Created) -> list[str]:
    """What is published about the seed after the last match."""
    if created.announced is None:
        return [f"seed: {created.seed}"]
    mixed = f"{created.announced.secret} (secret), {created.announced.public} (public value)"
    return [f"seed: {created.seed}, mixed from {mixed}"]


def _draw(path: Path) -> None:
    """Write a new secret seed into a file that only its owner can read. It has no line end, so that
    `sha256sum` prints the published hash. Raises UserError."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with open(descriptor, "w") as file:
            file.write(secrets.token_hex(32))
            file.flush()
            os.fsync(descriptor)
    except FileExistsError:
        raise UserError(
            f"{path} already exists: a seed is drawn only once; `arena seed {shell_word(path)}` prints its "
            "SHA-256 again"
        ) from None
    except OSError as error:
        raise UserError(f"{path}: cannot be written ({error.strerror})") from None


def _secret(path: Path, say: Say) -> str:
    """The secret seed in a file; warns if others can read it. Raises UserError."""
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            text = (file.read(1024) or b"").decode("ascii").strip()
            others = os.fstat(file.fileno()).st_mode & 0o077
    except OSError as error:
        way_out = "; `arena seed --commit` draws one" if isinstance(error, FileNotFoundError) else ""
        raise UserError(f"{path}: cannot be read ({error.strerror}){way_out}") from None
    except UnicodeDecodeError:
        text, others = "", 0
    if not _SECRET.fullmatch(text):
        raise UserError(f"{path}: contains no secret seed (64 hex digits); `arena seed --commit` draws one")
    if others:
        say(f"{path} can be read by others on this machine: chmod 600 {shell_word(path)}")
    return text
