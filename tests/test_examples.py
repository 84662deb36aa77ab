"""The programs in the guides are typed, for either type checker. The gate has mypy look at them where it
looks at the arena itself, with its cache."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.calls import ROOT
from tests.support import examples

pytestmark = pytest.mark.thorough
"""Without a cache mypy takes a minute; pyright, of the extra `oracles`, takes ten seconds."""


def test_mypy_finds_nothing_to_say(tmp_path: Path) -> None:
    words = ["--cache-dir", str(tmp_path / "cache"), *map(str, examples.write(tmp_path / "guides"))]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *words], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


def test_pyright_finds_nothing_to_say(tmp_path: Path) -> None:
    pytest.importorskip("pyright", reason="pyright is not installed: pip install -e '.[oracles]'")
    if shutil.which("node") is None:
        pytest.skip("pyright needs node: apt install nodejs")
    examples.write(tmp_path)
    settings = {"extraPaths": [str(ROOT)], "reportMissingImports": False, "reportMissingModuleSource": False}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings))
    done = subprocess.run(
        [sys.executable, "-m", "pyright", "--pythonpath", sys.executable],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
