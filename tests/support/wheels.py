"""The wheel, and an environment with nothing but it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import clone

ENVIRONMENT = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}


def run(*words: object, folder: Path) -> str:
    done = subprocess.run(
        [str(word) for word in words],
        cwd=folder,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def environment(folder: Path, python: str = sys.executable) -> Path:
    """The commands of a new, empty virtual environment."""
    run(python, "-m", "venv", folder, folder=folder.parent)
    return folder / "bin"


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel and the sdist, built from what git knows and what is about to be added to it."""
    folder = tmp_path_factory.mktemp("build")
    source = clone.copy(folder / "source")
    tools = environment(folder / "tools")
    run(tools / "pip", "install", "-q", "build", folder=folder)
    # By way of the sdist, so that it is known to be complete.
    run(tools / "python", "-m", "build", "-o", folder / "dist", folder=source)
    return folder / "dist"
