"""The project as it is handed out: what git knows, and what is about to be added to it."""

import shutil
import subprocess
from pathlib import Path
from typing import Final

from tests.support.needs import ROOT, require

LISTED: Final = ("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")


def copy(folder: Path) -> Path:
    """Copies it into a folder."""
    require("clone")
    for name in subprocess.check_output(LISTED, cwd=ROOT, text=True).split("\0"):
        if name and (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    return folder
