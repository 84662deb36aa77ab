"""`arena seed`: draws a secret seed, and prints its hash to publish with an invitation. Also the options of
`arena tournament` that deal from such a seed.
"""

import hashlib
import os
import re
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeVar

import click
import msgspec

from arena.cli.output import say
from arena.running.journal import Announced, Created
from arena.system.errors import UserError

R = TypeVar("R")

FILE: Final = Path("secret.seed")
_SECRET: Final = re.compile(r"[0-9a-f]{64}")


@click.command("seed")
@click.argument("path", metavar="[FILE]", type=click.Path(path_type=Path), default=FILE, required=False)
@click.option("--commit", is_flag=True, help="Draw a secret seed into FILE, which must not exist yet.")
def command(path: Path, commit: bool) -> None:
    """Print the SHA-256 of the secret seed in FILE (secret.seed), to publish with an invitation. FILE stays
    secret until the tournament is over. After the entries have closed, wait for a public value that nobody
    controls; then `arena tournament --seed-file FILE --public VALUE` deals from both.

    Example: arena seed --commit spring.seed
    """
    if commit:
        _draw(path)
        say(f"{path}: a new secret seed; publish its SHA-256, and keep the file to yourself until the end")
    click.echo(hashlib.sha256(_secret(path).encode()).hexdigest())


def seed_options(command: Callable[..., R]) -> Callable[..., R]:
    """The options of an announced seed; the command gets them as `seed_file` and `public`."""
    for option in (
        click.option(
            "--public",
            metavar="VALUE",
            help="With --seed-file: a value that nobody controls, or knew before the entries closed.",
        ),
        click.option(
            "--seed-file",
            type=click.Path(path_type=Path),
            metavar="FILE",
            help="Deal from the secret seed of `arena seed --commit`, whose SHA-256 was published.",
        ),
    ):
        command = option(command)
    return command


def announced(seed_file: Path | None, public: str | None) -> Announced | None:
    """The parts that the seed is mixed from; None without these options. Raises UserError."""
    if seed_file is None and public is None:
        return None
    if seed_file is None or public is None:
        raise UserError("--seed-file FILE and --public VALUE go together: without both a seed can be chosen")
    given = click.get_current_context().get_parameter_source("seed")
    if given is not click.core.ParameterSource.DEFAULT:
        raise UserError("--seed and --seed-file: the seed is either given or mixed")
    try:
        spelt = " ".join(public.lower().split())
        return msgspec.convert({"secret": _secret(seed_file), "public": spelt}, Announced)
    except msgspec.ValidationError:
        raise UserError(f"--public {public!r}: 1 to 256 printable ASCII characters are due") from None


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
            f"{path} exists: a seed is drawn once; `arena seed {path}` prints its SHA-256 again"
        ) from None
    except OSError as error:
        raise UserError(f"{path}: cannot be written ({error.strerror})") from None


def _secret(path: Path) -> str:
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
        raise UserError(f"{path}: holds no secret seed (64 hex digits); `arena seed --commit` draws one")
    if others:
        say(f"{path} can be read by others on this machine: chmod 600 {path}")
    return text
