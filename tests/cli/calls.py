"""The `arena` command as a person calls it: a real process, its words, its exit code."""

import atexit
import functools
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import msgspec

from tests.support.needs import lacking

ROOT = Path(__file__).parent.parent.parent
SAMPLES = sorted(str(path) for path in (ROOT / "bots").iterdir() if path.is_file())
NEEDED = {".py": (), ".js": ("node",), ".sh": ("sh", "awk"), ".pl": ("perl",)}
"""Suffix to the programs that such a sample needs, the first of which runs it."""
BOTS = [path for path in SAMPLES if not any(map(lacking, NEEDED[Path(path).suffix]))]
"""The samples that can play here."""


class Call(NamedTuple):
    status: int
    out: str
    err: str

    @property
    def json(self) -> object:
        return msgspec.json.decode(self.out)


OF_THE_INTERPRETER = re.compile(r"PYTHON(?!PATH$)|LANG|LC_")
"""Variables that begin so take effect when a process starts, and not later."""
PATIENCE_SECONDS = 600


def arena(
    *words: object, folder: Path = ROOT, env: Mapping[str, str] | None = None, fresh: bool = False
) -> Call:
    """In a process forked from one that has loaded everything (tests/cli/preloaded.py); with `fresh` in one
    that loads it itself."""
    if fresh or any(map(OF_THE_INTERPRETER.match, env or ())):
        return _fresh(*words, folder=folder, env=env)
    request = {
        "argv": list(map(str, words)),
        "folder": str(folder),
        "env": {**os.environ, "PYTHONPATH": str(ROOT), **(env or {})},
    }
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err, open(os.devnull, "rb") as nothing:
        streams = [nothing.fileno(), out.fileno(), err.fileno()]
        socket.send_fds(_preloaded(), [json.dumps(request).encode()], streams)
        try:
            status = int(_preloaded().recv(64))
        except TimeoutError:
            _preloaded.cache_clear()  # Its answer would be taken for that to the next call.
            raise
        texts = []
        for stream in (out, err):
            stream.seek(0)
            texts.append(stream.read().decode().replace("\r\n", "\n"))
    return Call(status, *texts)


@functools.cache
def _preloaded() -> socket.socket:
    """Our end of the dialogue with a process that ends when we do."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    ours.settimeout(PATIENCE_SECONDS)
    with theirs:
        server = subprocess.Popen(
            [sys.executable, "-P", "-m", "tests.cli.preloaded"],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, sys.path)])},
            stdin=theirs,
        )

    def end() -> None:
        ours.close()
        server.wait()

    atexit.register(end)
    return ours


def _fresh(*words: object, folder: Path, env: Mapping[str, str] | None) -> Call:
    done = subprocess.run(
        [sys.executable, "-P", "-m", "arena", *map(str, words)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), **(env or {})},
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
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
