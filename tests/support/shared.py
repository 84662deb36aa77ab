"""What takes long to make, made once for all processes of a test run. Knows nothing of what is made."""

import fcntl
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest


def root(factory: pytest.TempPathFactory) -> Path:
    """The folder that the processes of pytest-xdist have in common; alone, one's own."""
    base = factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


def shared(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """The folder in which `make` has made something. Who changes it takes a copy."""
    place = root(factory) / "shared"
    place.mkdir(exist_ok=True)
    folder, made = place / name, place / f"{name}.made"
    with (place / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            shutil.rmtree(folder, ignore_errors=True)  # Of somebody who failed.
            folder.mkdir()
            make(folder)
            made.touch()
    return folder
