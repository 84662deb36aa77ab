"""What is installed elsewhere: the wheel and the sdist hold all that is needed, and the wheel, in an empty
environment and an empty folder, makes a bot, finds the samples and plays a tournament.
"""

import json
import os
import re
import subprocess
import tarfile
import tomllib
import zipfile
from email.parser import HeaderParser
from pathlib import Path
from typing import Any, Final

import pytest

import arena
from arena.starters import STARTERS
from tests.cli.calls import ROOT, blocks
from tests.cli.terminals import Terminal
from tests.support.playing import play_to_the_end
from tests.support.wheels import dist, environment, run

__all__ = ["dist"]

pytestmark = pytest.mark.thorough


PROJECT: Final = (ROOT / "pyproject.toml").read_text()
CLAIMED: Final = re.findall(r'"Programming Language :: Python :: (3\.\d+)"', PROJECT)


def interpreter(version: str) -> str | None:
    """A Python of this version that can make environments: on the PATH, or of pyenv."""
    installed = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions")
    places = [f"python{version}", *map(str, installed.glob(f"{version}.*/bin/python3"))]
    for place in places:
        tried = subprocess.run(
            ("/usr/bin/env", place, "-c", "import ensurepip, sys; print(sys._base_executable)"),
            capture_output=True,
            text=True,
            check=False,
        )
        if tried.returncode == 0:
            return tried.stdout.strip()
    return None


def files(folder: str) -> set[str]:
    return {
        str(path.relative_to(ROOT))
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and path.parent.name != "__pycache__"
    }


def test_the_wheel_holds_what_is_played_with_and_nothing_else(dist: Path) -> None:
    (wheel,) = dist.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    shared = {
        f"arena/share/{name}" for name in files("bots") | {"SPEC.md", "CHANGELOG.md", "docs/tutorial.md"}
    }
    assert shared | files("arena/starters") | {"arena/py.typed"} <= names
    assert {name.partition("/")[0] for name in names} == {
        "arena",
        "protocol",
        "tournaments",
        f"card_arena-{arena.__version__}.dist-info",
    }
    assert not [name for name in names if name.endswith(".pyc")]


def test_the_sdist_holds_the_tests_too(dist: Path) -> None:
    (sdist,) = dist.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    kept = files("bots") | files("tests") | files("docs") | files("protocol")
    assert kept | {"pyproject.toml", "setup.py", "SPEC.md", "README.md", "LICENSE", "CHANGELOG.md"} <= names


def test_what_it_says_of_itself(dist: Path) -> None:
    (wheel,) = dist.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        said = HeaderParser().parsestr(
            archive.read(f"card_arena-{arena.__version__}.dist-info/METADATA").decode()
        )
    assert said["Version"] == arena.__version__
    assert said["License-Expression"] == "MIT"
    assert said["License-File"] == "LICENSE"
    assert "Typing :: Typed" in said.get_all("Classifier", [])
    project = tomllib.loads(PROJECT)["project"]
    assert said["Requires-Python"] == project["requires-python"]


def test_the_wheel_plays_a_tournament_in_an_empty_folder(dist: Path, tmp_path: Path) -> None:
    (wheel,) = dist.glob("*.whl")
    commands = environment(tmp_path / "environment")
    run(commands / "pip", "install", "-q", wheel, folder=tmp_path)
    command, empty = commands / "arena", tmp_path / "empty"
    empty.mkdir()
    assert f"arena {arena.__version__}" in run(command, "--version", folder=empty)
    run(command, "bots", "--copy", "bots", folder=empty)
    for language in STARTERS:
        run(command, "new", language, f"{language}bot", folder=empty)
    assert run(command, "docs", "spec", folder=empty) == (ROOT / "SPEC.md").read_text()
    run(command, "new", "python", "mybot", "--kit", folder=empty)
    run(command, "check", "mybot", "--game", "sticheln", folder=empty)
    bots = sorted(path.relative_to(empty) for path in (empty / "bots").iterdir())
    assert len(bots) == len(files("bots"))
    words = ("mybot", *bots, "--rounds", 1, "--deals", 1, "--seed", 7, "--out", "run")
    table = run(command, "tournament", *words, folder=empty)
    assert "mybot" in table
    assert json.loads(run(command, "faults", "run", "--json", folder=empty))["faults"] == []


@pytest.mark.parametrize(
    "version",  # Half a minute of processor each; the tests' own is one of them.
    [*(pytest.param(version, marks=pytest.mark.exhaustive) for version in CLAIMED[:-1]), CLAIMED[-1]],
)
def test_it_plays_on_every_python_that_it_names(version: str, dist: Path, tmp_path: Path) -> None:
    if (python := interpreter(version)) is None:
        pytest.skip(f"no Python {version} here")
    (wheel,) = dist.glob("*.whl")
    commands = environment(tmp_path / "environment", python)
    run(commands / "pip", "install", "-q", wheel, folder=tmp_path)
    assert f"Python {version}." in run(commands / "arena", "--version", folder=tmp_path)
    for words in (
        "new python mybot",
        "check mybot --game ole",
        "bots --copy bots",
        "tournament mybot bots/greedy.py bots/modest.sh --seats 3 --rounds 1 --deals 1 --out run --report",
    ):
        run(commands / "arena", *words.split(), folder=tmp_path)
    assert json.loads(run(commands / "arena", "faults", "run", "--json", folder=tmp_path))["faults"] == []


def test_without_numpy_and_scipy_bots_are_made_checked_and_played(dist: Path, tmp_path: Path) -> None:
    (wheel,) = dist.glob("*.whl")
    (line,) = (block for block in blocks("docs/install.md", "sh") if "--no-deps" in block)
    commands = environment(tmp_path / "environment")
    run(
        "sh",
        "-ec",
        line.replace(".venv/bin/pip ", f"{commands}/pip ").replace(" . ", f" {wheel} "),
        folder=tmp_path,
    )
    assert "numpy not installed, scipy not installed" in run(commands / "arena", "--version", folder=tmp_path)
    for words in (
        "new python mybot",
        "check mybot",
        "match mybot heuristic search --deals 1 --log match.jsonl",
        "replay match.jsonl --html match.html",
    ):
        run(commands / "arena", *words.split(), folder=tmp_path)


@pytest.fixture(scope="module")
def installed(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The commands of an environment into which the wheel was installed, with a cluster."""
    folder = tmp_path_factory.mktemp("installed")
    (wheel,) = dist.glob("*.whl")
    commands = environment(folder / "environment")
    run(commands / "pip", "install", "-q", f"{wheel}[dask]", folder=folder)
    return commands


@pytest.mark.exhaustive  # Five minutes each.
@pytest.mark.parametrize("level", ["bwrap", "rlimits", "none"])
def test_the_houses_strong_bots_are_faultless_wherever_they_play(
    level: str, installed: Path, tmp_path: Path
) -> None:
    """As entrants, opponents and neighbours of fillers, of strangers and of a person."""
    (tmp_path / "bots").mkdir()
    run(installed / "arena", "bots", "--copy", "bots", folder=tmp_path)
    (tmp_path / "bots" / "greedy.py").rename(tmp_path / "mybot.py")

    def played(*words: object) -> Any:
        options = ("--sandbox", level, "--json")
        done = subprocess.run(
            [str(installed / "arena"), *map(str, words), *options],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode in (0, 1, 3), done.stderr
        return json.loads(done.stdout)

    short = ("--deals", 1, "--seed", 3, "--time", "50ms+20s")
    match = ("match", "heuristic", "search", "mybot.py", "--seats", 4, *short, "--log", "match.jsonl")
    assert played(*match)["faults"] == []
    assert played("rematch", "match.jsonl", "--seat", 2, "bots/random.py")["faults"] == []
    assert played("rematch", "match.jsonl", "--seat", 2, "search", "mybot.py")["faults"] == []
    played(
        "tournament", "mybot.py", "heuristic", "search", "--rounds", 2, *short, "--out", "spring", "--quiet"
    )
    words = ("tournament", "mybot.py", "heuristic", "search", "--rounds", 1, *short, "--quiet")
    played(*words, "--out", "dask", "--dask", "local")
    for place in ("spring", "dask"):
        assert (
            json.loads(run(installed / "arena", "faults", place, "--json", folder=tmp_path))["faults"] == []
        )
    compared = played("compare", "mybot.py", "heuristic", "--against", "search", "--budget", 12, *short)
    assert compared["forfeits"] == {}
    words = ("play", "heuristic", "search", *short, "--sandbox", level, "--log", "played.jsonl")
    with Terminal(*words, folder=tmp_path, command=(installed / "arena",)) as terminal:
        play_to_the_end(terminal)
        terminal.press("\r")
        assert terminal.end() == 0
    assert '"type":"fault"' not in (tmp_path / "played.jsonl").read_text()
