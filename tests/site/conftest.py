"""The site, built once for all who look at it, by way of a link to its folder."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.calls import ROOT
from tests.support.shared import shared


def build(folder: Path, source: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """`python -m docs.site FOLDER`, in a copy of the project if one is named."""
    command = (sys.executable, "-m", "docs.site", str(folder))
    return subprocess.run(command, cwd=source, capture_output=True, text=True, check=False)


def build_by_a_link(folder: Path) -> None:
    link = folder.with_name("link")
    link.symlink_to(folder)
    done = build(link)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shared(tmp_path_factory, "site", build_by_a_link)
