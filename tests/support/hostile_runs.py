"""Run directories that others have rewritten."""

import shutil
import sqlite3
from pathlib import Path
from typing import Final

import pytest

from arena.director.journal import FILE, GENESIS
from arena.journal.chained import chained
from tests.cli.calls import arena
from tests.support.programs import ECHO

SECRET: Final = "what is nobody's business"


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of one match."""
    place = tmp_path_factory.mktemp("honest")
    for name in ("ada", "bob", "cy"):
        (place / f"{name}.py").write_text(ECHO.source())
    words = ("--rounds", 1, "--deals", 1, "--seats", 3, "--no-duplicates", "--seed", 7, "--quiet")
    call = arena("tournament", *sorted(place.glob("*.py")), *words, "--out", place / "run")
    assert call.status == 0, call.err
    return place / "run"


@pytest.fixture
def run(honest: Path, tmp_path: Path) -> Path:
    (tmp_path / "victim").write_text(SECRET)
    (tmp_path / "elsewhere").mkdir()
    return Path(shutil.copytree(honest, tmp_path / "run"))


def rewritten(run: Path, before: str, after: str) -> None:
    """A forger changes entries and writes the whole chain anew."""
    db = sqlite3.connect(run / FILE)
    digest, changed = GENESIS, 0
    for no, text in db.execute("SELECT no, entry FROM entries ORDER BY no").fetchall():
        changed += before in text
        text = text.replace(before, after)
        digest = chained(digest, text)
        db.execute("UPDATE entries SET entry = ?, digest = ? WHERE no = ?", (text, digest, no))
    db.commit()
    db.close()
    assert changed
