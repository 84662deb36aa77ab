"""An installation without numpy and scipy: bots are made, checked and played; what needs the libraries
says so.
"""

import os
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.system.errors import NUMERIC
from tests.cli.calls import BOTS, ROOT, Call, arena, blocks
from tests.cli.terminals import Terminal

LACKS_IT = "arena: numpy is needed here but is not installed: pip install numpy scipy\n"


@pytest.fixture
def small(tmp_path: Path) -> dict[str, str]:
    """The environment of a process that finds neither."""
    libraries = tmp_path / "libraries"
    libraries.mkdir()
    missing = f"import sys\nsys.modules.update(dict.fromkeys({NUMERIC!r}))\n"
    (libraries / "sitecustomize.py").write_text(missing)
    return {"PYTHONPATH": f"{libraries}{os.pathsep}{ROOT}"}


@pytest.fixture
def ok(small: dict[str, str], tmp_path: Path) -> Callable[..., Call]:
    def call(*words: object, status: int = 0) -> Call:
        done = arena(*words, folder=tmp_path, env=small, fresh=True)
        assert done.status == status, done.err
        return done

    return call


@pytest.mark.thorough  # 4 s of processor.
def test_bots_are_made_checked_and_played(
    ok: Callable[..., Call], small: dict[str, str], tmp_path: Path
) -> None:
    ok("new", "python", "mybot")
    (tmp_path / "banner.sh").write_text("echo MyBot 1.0; cat >/dev/null")
    ok("check", "banner.sh", "--html", "checks", status=1)
    ok("match", "mybot", *BOTS[:2], "--deals", 1, "--log", "match.jsonl")
    ok("replay", "match.jsonl", "--html", "match.html", "--with-stderr")
    assert ok("review", "match.jsonl", "--seat", 0, status=2).err == LACKS_IT
    with Terminal("play", *BOTS[:2], folder=tmp_path, env=small) as terminal:
        terminal.until("choose")


@pytest.mark.parametrize(
    "words",
    ["tournament mybot other", "standings run", "league standings autumn"],
)
def test_what_needs_it_names_what_it_lacks_and_the_way_out(words: str, ok: Callable[..., Call]) -> None:
    call = ok(*words.split(), status=2)
    assert call.out == ""
    assert call.err == LACKS_IT


def test_the_guide_installs_everything_else() -> None:
    (line,) = (block for block in blocks("docs/install.md", "sh") if "--no-deps" in block)
    needed = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    names = {requirement.partition(">=")[0] for requirement in needed}
    assert set(line.partition("&&")[2].split()[2:]) == names - set(NUMERIC)
