"""Bots as files and as folders."""

from pathlib import Path

from arena.entrants.find import NoEntrant, find
from arena.process.sandbox import Sandbox


def program(path: Path, text: str = "#!/bin/sh\n", *, executable: bool = True) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755 if executable else 0o644)
    return str(path)


def folder(path: Path, manifest: str, **files: str) -> str:
    program(path / "bot.toml", manifest, executable=False)
    for name, text in files.items():
        program(path / name, text)
    return str(path)


def reason(word: str) -> str:
    """Why this word enters nobody."""
    return unplayable(word).reason


def unplayable(word: str) -> NoEntrant:
    """What of this word enters nobody."""
    found = find([word], "sticheln", Sandbox())
    assert found.entrants == ()
    (left_out,) = found.left_out
    return left_out
