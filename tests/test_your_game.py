"""docs/your-game.md does what it says, and what `arena new --game` makes is a game that keeps every law."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from arena.starters import GAME, make_game
from tests.cli.calls import ROOT, arena, blocks
from tests.support.wheels import dist, environment, run

__all__ = ["dist"]

GUIDE = "docs/your-game.md"


def test_what_is_made_has_the_name_that_was_asked_for(tmp_path: Path) -> None:
    call = arena("new", "--game", "two-words", folder=tmp_path)
    assert call.status == 0
    assert f"{shlex.quote(sys.executable)} -m pip install -e two-words" in call.out
    made = tmp_path / "two-words"
    assert (made / "src" / "arena_two_words" / "rules.md").read_text().startswith("# Two Words")
    for path in made.rglob("*"):
        assert "mygame" not in path.name.lower()
        if path.is_file():
            text = path.read_text().lower()
            assert "mygame" not in text
            assert "my game" not in text
    again = arena("new", "--game", "two-words", folder=tmp_path)
    assert again.status == 2
    assert "already exists and is not empty" in again.err


@pytest.mark.parametrize(
    "words",
    [
        "pytest -q -p no:cacheprovider tests",
        "ruff check --no-cache --select E,F --line-length 120 .",
        # The gate has mypy look at it where it has the rest of the project in its cache: `.ci/run`.
        pytest.param("mypy --strict --cache-dir /dev/null src/arena_mygame", marks=pytest.mark.thorough),
    ],
)
def test_its_own_tests_pass_and_its_types_hold(words: str, tmp_path: Path) -> None:
    make_game(tmp_path / "mygame", "mygame")
    place = {**os.environ, "PYTHONPATH": f"{ROOT}:{tmp_path / 'mygame' / 'src'}"}
    command = (sys.executable, "-m", *words.split())
    done = subprocess.run(
        command, cwd=tmp_path / "mygame", env=place, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_template_is_the_game_that_the_guide_shows() -> None:
    made = {str(path.relative_to(GAME)) for path in GAME.rglob("*") if path.is_file()}
    readme = (GAME / "README.md").read_text()
    for name in made - {"README.md", "pyproject.toml", "src/arena_mygame/__init__.py"}:
        assert "pycache" in name or f"`{name}`" in readme, name


@pytest.mark.thorough
def test_the_guide_from_nothing_to_a_tournament(dist: Path, tmp_path: Path) -> None:
    (wheel,) = dist.glob("*.whl")
    commands = environment(tmp_path / "environment")
    run(commands / "pip", "install", "-q", wheel, "pytest", folder=tmp_path)
    place = {**os.environ, "PATH": f"{commands}:{os.environ['PATH']}", "PYTHONPATH": ""}
    for block in [*blocks(GUIDE, "sh"), "cd mygame && pytest -q"]:
        done = subprocess.run(
            ("sh", "-ec", block), cwd=tmp_path, env=place, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "first" / "tournament.db").is_file()
