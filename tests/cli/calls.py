"""The `arena` command as a person calls it: a real process, its words, its exit code."""

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import msgspec

ROOT = Path(__file__).parent.parent.parent
BOTS = sorted(str(path) for path in (ROOT / "bots").iterdir() if path.is_file())


class Call(NamedTuple):
    status: int
    out: str
    err: str

    @property
    def json(self) -> object:
        return msgspec.json.decode(self.out)


def arena(*words: object, folder: Path = ROOT, env: Mapping[str, str] | None = None) -> Call:
    done = subprocess.run(
        [sys.executable, "-P", "-m", "arena", *map(str, words)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), **(env or {})},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return Call(done.returncode, done.stdout, done.stderr)


def blocks(document: str, language: str) -> list[str]:
    """What stands in a document, named from the project's folder, as text of a language."""
    text = (ROOT / document).read_text()
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def path_with_arena(folder: Path) -> str:
    """A PATH with the `arena` of this source on it, a command that is put into `folder`."""
    command = folder / "arena"
    command.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -P -m arena "$@"\n')
    command.chmod(0o755)
    return f"{folder}:/usr/local/bin:/usr/bin:/bin"
