"""A league that real processes have played, for tests to look at, and copies of it to be forged."""

import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import msgspec

from arena.journal.chained import chained
from arena.league.journal import FILE, KIND
from tests.cli.calls import BOTS, Call, arena
from tests.support.programs import Program

FIFTH: Final = () if len(BOTS) > 4 else ("--anchor", "heuristic")
"""A board of four seats wants five anchors. Without Node and Perl four of the samples play."""
NEW: Final = (
    *("--board", "sticheln:4", "--deals", 1, *FIFTH),
    *("--time", "60s", "--startup", "60s", "--sandbox", "none"),
)
"""Short matches, and no limit that a busy machine could exceed."""

LAST: Final = Program(asked="answer = answer.replace(m['legal'][0], m['legal'][-1])")
"""Plays the last action that is legal."""

Row = dict[str, Any]


def done(*words: object) -> Call:
    """A call that succeeds."""
    call = arena("league", *words)
    assert call.status == 0, call.err + call.out
    return call


def bot(folder: Path, name: str, program: Program) -> Path:
    """A bot in a file."""
    folder.mkdir(exist_ok=True)
    path = folder / f"{name}.py"
    path.write_text(program.source())
    return path


def founded(folder: Path) -> Path:
    """A league with two authors and no bots but the anchors."""
    league = folder / "league"
    done("new", league, *NEW)
    for author in ("red", "blue"):
        done("author", league, author)
    return league


def copied(league: Path, folder: Path) -> Path:
    """A copy that can be changed."""
    return Path(shutil.copytree(league, folder / "copy"))


def rewritten(league: Path, change: Callable[[list[Row]], object], file: str = FILE) -> None:
    """Changes entries, and chains their digests anew, as a forger would who has no key."""
    db = sqlite3.connect(league / file)
    rows = [msgspec.json.decode(text) for (text,) in db.execute("SELECT entry FROM entries ORDER BY no")]
    change(rows)
    db.execute("DELETE FROM entries")
    digest = KIND.genesis
    for no, row in enumerate(rows, 1):
        text = msgspec.json.encode(row).decode()
        digest = chained(digest, text)
        db.execute("INSERT INTO entries VALUES (?, ?, ?)", (no, text, digest))
    db.commit()
    db.close()


def of_type(rows: list[Row], kind: str) -> list[Row]:
    """The entries of one kind."""
    return [row for row in rows if row["type"] == kind]
