"""Builds a bot once: in a copy of its folder that is named by its digest, so that the same program is never
built twice and the author's folder stays as it is.

Knows folders and one command; no manifest and no game.
"""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from arena.launch import bot_environment
from arena.sanitise import visible

BUILD_SECONDS: Final = 300
OUTPUT_SHOWN: Final = 2000


class BuildError(Exception):
    """A build that failed; the text ends with the last of its output."""


def cache() -> Path:
    """Where what was built is kept: $XDG_CACHE_HOME/arena, else ~/.cache/arena."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "arena", "builds")


def built(folder: Path, digest: str, command: Sequence[str]) -> Path:
    """The copy of `folder` in which `command` has succeeded. Raises BuildError."""
    finished = cache() / digest
    if finished.is_dir():
        return finished
    finished.parent.mkdir(parents=True, exist_ok=True)
    unfinished = Path(tempfile.mkdtemp(prefix="unfinished-", dir=finished.parent))
    try:
        shutil.copytree(folder, unfinished, dirs_exist_ok=True, symlinks=True)
        _run(command, unfinished)
        try:
            unfinished.rename(finished)
        except OSError:
            # Somebody else built the same program meanwhile.
            if not finished.is_dir():
                raise
        return finished
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def _run(command: Sequence[str], folder: Path) -> None:
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env=bot_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=BUILD_SECONDS,
            check=False,
            start_new_session=True,
        )
    except subprocess.TimeoutExpired:
        raise BuildError(f"its build took more than {BUILD_SECONDS} s") from None
    except OSError as error:
        raise BuildError(f"its build could not be started: {command[0]}: {error.strerror}") from None
    if done.returncode:
        output = visible(done.stdout, OUTPUT_SHOWN).strip()
        raise BuildError(f"its build failed with exit status {done.returncode}: {output}")
