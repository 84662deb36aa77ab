"""A bot that is a folder, with parts that are no program."""

from pathlib import Path

from tests.support.programs import ECHO


def folder_bot(folder: Path, build: str = "") -> Path:
    """One whose program is in a folder called tests, reads one called docs, and may be executed."""
    (folder / "tests").mkdir(parents=True)
    (folder / "docs").mkdir()
    (folder / "empty").mkdir()
    (folder / "bot.toml").write_text(f'command = "tests/run"\nauthor = "Ada"\n{build}')
    (folder / "docs" / "words.txt").write_text("hello")
    (folder / "tests" / "run").write_text("#!/bin/sh\nexec python3 tests/main.py\n")
    (folder / "tests" / "run").chmod(0o751)
    (folder / "tests" / "main.py").write_text(ECHO.source())
    (folder / "latest").symlink_to("docs/words.txt")
    return folder
