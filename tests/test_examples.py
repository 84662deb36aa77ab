"""The programs in the guides are typed, for either type checker. The gate has mypy look at them where it
looks at the arena itself, with its cache."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.calls import ROOT
from tests.support import examples

pytestmark = pytest.mark.thorough
"""Without a cache mypy takes a minute; pyright, of the extra `oracles`, takes ten seconds."""


MISTAKES = {
    'arena.match(["heuristic"], seats="four")': '"seats"',
    'arena.tournament(["heuristic"], round=3)': '"round"',
    'arena.open("spring").resume(minutes="ten")': '"minutes"',
    "arena.compare(3, 4)": "",
}
"""Wrong calls of functions whose parameters are derived, and the parameter that a type checker names."""


def mistakes(folder: Path) -> Path:
    """A program with a right call, and the wrong ones."""
    right = 'arena.match([Path("bot.py"), "heuristic"], seats=4, log=Path("log"), allow=(Path("/opt"),))'
    program = folder / "mistakes.py"
    program.write_text("\n".join(["import arena", "from pathlib import Path", right, *MISTAKES, ""]))
    return program


def errors(lines: list[str]) -> dict[int, str]:
    """By line of the program of mistakes, what is said of it."""
    found: dict[int, str] = {}
    for line in lines:
        if place := re.search(r"mistakes\.py:(\d+):.* error", line):
            found[int(place[1])] = found.get(int(place[1]), "") + line
    return found


def require_all_mistakes(found: dict[int, str]) -> None:
    assert list(found) == [*range(4, 4 + len(MISTAKES))]
    for line, name in zip(found.values(), MISTAKES.values(), strict=True):
        assert name in line


def test_mypy_sees_names_and_types(tmp_path: Path) -> None:
    words = ["--strict", "--cache-dir", str(tmp_path / "cache"), str(mistakes(tmp_path))]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *words], cwd=ROOT, capture_output=True, text=True, check=False
    )
    require_all_mistakes(errors(done.stdout.splitlines()))


def test_pyright_sees_names_and_types(tmp_path: Path) -> None:
    mistakes(tmp_path)
    require_all_mistakes(errors(pyright(tmp_path).stdout.splitlines()))


def test_mypy_finds_nothing_to_say(tmp_path: Path) -> None:
    words = ["--cache-dir", str(tmp_path / "cache"), *map(str, examples.write(tmp_path / "guides"))]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *words], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


def test_pyright_finds_nothing_to_say(tmp_path: Path) -> None:
    examples.write(tmp_path)
    done = pyright(tmp_path)
    assert done.returncode == 0, done.stdout


def pyright(folder: Path) -> "subprocess.CompletedProcess[str]":
    pytest.importorskip("pyright", reason="pyright is not installed: pip install -e '.[oracles]'")
    if shutil.which("node") is None:
        pytest.skip("pyright needs node: apt install nodejs")
    settings = {"extraPaths": [str(ROOT)], "reportMissingImports": False, "reportMissingModuleSource": False}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    return subprocess.run(
        [sys.executable, "-m", "pyright", "--pythonpath", sys.executable],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
