"""The plug-in for pytest, in a pytest of its own."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from arena.laws.judge import LAWS
from tests.laws.installed import install

INI = "[pytest]\narena_games = mine\nfilterwarnings = error\ntrio_mode = true\n"


def run(folder: Path, env: dict[str, str], *words: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-P", "-m", "pytest", "-p", "no:cacheprovider", "--arena-matches", "1", *words],
        cwd=folder,
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def test_each_law_at_each_number_of_seats_is_a_test(tmp_path: Path) -> None:
    env = install(tmp_path, "HandShown")
    (tmp_path / "test_mine.py").write_text("def test_of_the_authors_own():\n    pass\n")
    words = ("--arena-game", "mine", "-W", "error", "-k", "own or (conserved or depends) and not event", "-v")
    status, out = run(tmp_path, env, *words)
    assert status == 1
    assert re.search(r"^mine\[4\]::cards are conserved PASSED", out, re.MULTILINE)
    assert re.search(r"^mine\[2\]::no view depends on hidden cards FAILED", out, re.MULTILINE)
    assert "test_mine.py::test_of_the_authors_own PASSED" in out
    assert "\n  BROKEN  no view depends on hidden cards: No view changes when" in out
    assert re.search(r"\n    found   seat \d can tell where hidden cards are: `extra\[\d\]` of its view", out)
    assert "Traceback" not in out
    assert f"{3 * len(LAWS)}" not in out.splitlines()[-1]  # -k left some out


@pytest.mark.thorough  # 2 s of processor.
@pytest.mark.parametrize(("words", "kept"), [((), True), (("test_mine.py",), False)], ids=["all", "a path"])
def test_the_ini_file_names_games_for_when_no_path_is_given(
    tmp_path: Path, words: tuple[str, ...], kept: bool
) -> None:
    env = install(tmp_path, "Twist")
    (tmp_path / "pytest.ini").write_text(INI)
    (tmp_path / "test_mine.py").write_text("def test_of_the_authors_own():\n    pass\n")
    status, out = run(tmp_path, env, "--collect-only", "-q", *words)
    assert status == 0, out
    assert ("mine[3]::cards are conserved\n" in out) == kept
    assert ("mine[4]::" in out) == kept
    assert out.count("::") == (3 * len(LAWS) + 1 if kept else 1)


def test_an_unknown_game_is_one_line(tmp_path: Path) -> None:
    status, out = run(tmp_path, install(tmp_path, "Twist"), "--arena-game", "chess")
    assert status == pytest.ExitCode.USAGE_ERROR
    assert "ERROR: --arena-game chess: unknown game 'chess'" in out
    assert "Traceback" not in out


@pytest.mark.thorough  # Three processes that load pytest.
def test_it_works_with_several_processes(tmp_path: Path) -> None:
    env = install(tmp_path, "Twist")
    status, out = run(
        tmp_path, env, "-n", "2", "--arena-game", "mine", "-k", "mine[2] and source", "-W", "error"
    )
    assert status == 0, out
    assert "2 passed" in out


def test_loading_it_loads_nothing_of_ours(tmp_path: Path) -> None:
    code = (
        "import sys, pytest; before = {*sys.modules}; import arena.laws.pytest_plugin;"
        "print(*sorted({*sys.modules} - before))"
    )
    env = {**os.environ, **install(tmp_path, "Twist")}
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], env=env, capture_output=True, text=True, check=True
    )
    assert set(done.stdout.split()) <= {"arena", "arena.laws", "arena.laws.pytest_plugin"}
