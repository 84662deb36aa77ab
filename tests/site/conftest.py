"""The site, built once for all who look at it, over a site that stood there before."""

import importlib.util
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
    if not all(map(importlib.util.find_spec, ("sphinx", "myst_parser", "furo"))):
        pytest.skip("the extra `docs` is not installed: Sphinx, MyST, Furo")
    folder = tmp_path_factory.mktemp("site")
    for name in ("llms.txt", "gone.html"):
        (folder / name).write_text("of the site before")
    done = build(folder)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return folder
