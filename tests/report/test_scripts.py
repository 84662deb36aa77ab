"""The pages' scripts by themselves: their unit tests under Node, and what they may never do."""

import re
import subprocess
from pathlib import Path

import pytest

import arena.report

STATIC = Path(arena.report.__file__).parent / "static"
SCRIPTS = sorted(STATIC.glob("*.js"))


@pytest.mark.needs("node")
def test_the_scripts_pass_their_unit_tests() -> None:
    tests = sorted(str(path) for path in Path(__file__).parent.glob("*.test.js"))
    done = subprocess.run(["node", "--test", *tests], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_a_script_makes_no_markup_of_text_and_asks_nobody(script: Path) -> None:
    source = script.read_text()
    never = r"innerHTML|outerHTML|insertAdjacent|document\.write|\beval\b|new Function|XMLHttp|WebSocket"
    assert re.findall(never, source) == []
    # A person's page comes from a server and may ask it, and so may the report of a tournament that runs, or
    # that has thousands of matches.
    assert bool(re.search(r"fetch\(", source)) == (script.name in ("playing.js", "live.js", "reading.js"))
    assert "</script" not in source.lower()
    assert "<!--" not in source
    assert "\r" not in source
