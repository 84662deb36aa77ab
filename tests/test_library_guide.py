"""The guide of the library and its notebook, run as they stand, where the samples are."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

import arena
from tests.cli.calls import blocks

ROOT = Path(__file__).parent.parent
EXECUTE = """\
import nbclient, nbformat
notebook = nbformat.read("library.ipynb", as_version=4)
nbclient.NotebookClient(notebook, timeout=600, kernel_name="python3").execute()
nbformat.write(notebook, "executed.ipynb")
"""


BRIEFER = {
    "budget=20,": 'budget=10, seats=3, against=["bots/random.py"], keep_bots=True,',
    "rounds=2, deals=1,": "rounds=2, deals=1, duplicates=False,",
    "deals=2, seed=7": "deals=1, seed=7",
    'bot="greedy", deals=2)': 'bot="greedy", deals=1)',
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "bots").symlink_to(ROOT / "bots")
    return tmp_path


def run(folder: Path, *words: str) -> str:
    """In a process of its own, as a reader would."""
    done = subprocess.run(
        [sys.executable, "-P", *words], cwd=folder, capture_output=True, timeout=900, env=environment()
    )
    assert done.returncode == 0, done.stderr.decode()[-3000:]
    return done.stdout.decode()


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), "JUPYTER_PLATFORM_DIRS": "1"}


@pytest.mark.thorough  # 16 s of processor.
def test_every_block_of_the_guide_runs(folder: Path) -> None:
    program = "\n".join(blocks("docs/library.md", "python"))
    brief = program
    for whole, part in BRIEFER.items():
        assert whole in brief
        brief = brief.replace(whole, part)
    said = run(folder, "-c", brief)
    assert "deal 1" in said
    assert said.splitlines()[-1] == "2"
    assert (folder / "spring" / "tournament.db").exists()


# A kernel, matplotlib, a tournament of four rounds, sixty deals compared: as long as a hundred other tests.
# The calls are those of the guide, which is run each time.
@pytest.mark.thorough
def test_the_notebook_ends_in_a_plot(folder: Path) -> None:
    (folder / "library.ipynb").write_bytes((ROOT / "docs" / "library.ipynb").read_bytes())
    run(folder, "-c", EXECUTE)
    notebook: dict[str, Any] = msgspec.json.decode((folder / "executed.ipynb").read_bytes())
    shown = {
        kind
        for cell in notebook["cells"]
        for output in cell.get("outputs", ())
        for kind in output.get("data", ())
    }
    assert {"image/png", "text/html"} <= shown
    pages = [
        "".join(output["data"]["text/html"])
        for cell in notebook["cells"]
        for output in cell.get("outputs", ())
        if "text/html" in output.get("data", ())
    ]
    assert any("<iframe" in page and "srcdoc" in page for page in pages)
    assert any("gain/deal" in page for page in pages)
    assert not any(
        output["output_type"] == "error" for cell in notebook["cells"] for output in cell.get("outputs", ())
    )


def test_the_notebook_is_kept_without_what_it_shows() -> None:
    notebook = msgspec.json.decode((ROOT / "docs" / "library.ipynb").read_bytes())
    assert not any(cell.get("outputs") for cell in notebook["cells"])
    source = "\n".join("".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code")
    compile(source, "library.ipynb", "exec")
    assert set(re.findall(r"\barena\.(\w+)", source)) <= set(arena.__all__)
