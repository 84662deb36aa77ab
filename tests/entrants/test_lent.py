"""House bots that are entered by name: their digest covers the code that decides what they do."""

import subprocess
import sys

import pytest

from arena.entrants.find import BUILTIN_BOTS, ROOMS_OF_BUILTIN_BOTS
from tests.cli.calls import ROOT
from tests.support.loaded import LOADED

WITHOUT_SAY = {"arena", "arena/players", "arena/system"}
"""What says the version, and reads files and the machine: it decides no action."""


@pytest.mark.parametrize("name", BUILTIN_BOTS)
def test_the_digest_covers_what_is_loaded(name: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOADED.format(name=name)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    ours = [path for path in done.stdout.splitlines() if path.startswith(f"{ROOT}/")]
    parts = [path.removeprefix(f"{ROOT}/").split("/")[:-1] for path in ours if "/.venv/" not in path]
    folders = {"/".join(part) for part in parts} - WITHOUT_SAY
    covered = tuple(f"{room}/" for room in ROOMS_OF_BUILTIN_BOTS)
    assert [folder for folder in folders if not f"{folder}/".startswith(covered)] == []
    assert "arena/games" in folders
