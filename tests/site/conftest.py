"""The site, built once for all who look at it, by way of a link to its folder."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.calls import ROOT


def build(folder: Path, source: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """`python -m docs.site FOLDER`, in a copy of the project if one is named."""
    command = (sys.executable, "-m", "docs.site", str(folder))
    return subprocess.run(command, cwd=source, capture_output=True, text=True, check=False)


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    link = folder.with_name("link")
    link.symlink_to(folder)
    done = build(link)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return folder
