"""A game in a folder, installed as far as Python's metadata says."""

import os
from pathlib import Path

from tests.cli.calls import ROOT

BEGINNING = """\
import os, time
from tests.games.leaky import *
from tests.games.leaky import {base}

class Mine({base}):
    api, id = 1, "mine"
"""


def install(folder: Path, base: str, more: str = "") -> dict[str, str]:
    """The game `mine`, which extends one of tests/games/leaky.py by `more` methods. Returns the environment
    in which it is found, with the arena's plug-in for pytest."""
    (folder / "minegame.py").write_text(BEGINNING.format(base=base) + more + "\nGAME = Mine()\n")
    metadata = folder / "minegame-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: minegame\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(
        "[arena.games]\nmine = minegame:GAME\n[pytest11]\narena_laws = arena.laws.pytest_plugin\n"
    )
    return {"PYTHONPATH": f"{folder}{os.pathsep}{ROOT}"}
