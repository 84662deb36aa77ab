"""What `arena new` makes: a bot in every language, correct before anybody has touched it. The languages whose
tools this machine lacks are skipped by name; the gate takes the fast ones.
"""

import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner

import arena.cli.new
import arena.starters
from arena.calls.new import ALIASES
from arena.games import GAMES
from arena.starters import STARTERS, make, missing
from tests.cli.calls import ROOT
from tests.cli.calls import arena as call_arena

FAST = {
    "python": "sticheln",
    "perl": "ole",
    "javascript": "david-and-goliath",
    "sh": "sticheln",
    "c": "sticheln-1993",
}
"""What the gate checks, each in one game."""

# What each language's own tools have to say about the program: nothing.
LINTS: dict[str, Sequence[str]] = {
    "c": ("cc", "-std=c11", "-O2", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-o", "/dev/null"),
    "cpp": ("c++", "-std=c++17", "-O2", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-o", "/dev/null"),
    "go": ("gofmt", "-d"),
    "java": ("javac", "-Xlint:all", "-Werror", "-d", "."),
    "javascript": ("node", "--check"),
    "lua": ("luac", "-p"),
    "perl": ("perl", "-c"),
    "php": ("php", "-l"),
    "ruby": ("ruby", "-wc"),
    "rust": ("rustfmt", "--check", "--edition", "2021"),
    "sh": ("sh", "-n"),
    "python": (sys.executable, "-m", "mypy", "--strict", "--cache-dir", "/dev/null"),
}
SAYS_SO = ("Syntax OK", "syntax OK", "No syntax errors", "Success: no issues")


@pytest.fixture(autouse=True)
def builds(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing that was built before is taken."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))


def need(language: str) -> None:
    if lacks := missing(STARTERS[language]):
        pytest.skip(f"{language}: no {' and no '.join(lacks)} here")


@pytest.mark.parametrize("language", FAST)
def test_a_starter_in_a_fast_language_is_a_correct_bot(language: str, tmp_path: Path) -> None:
    need(language)
    made = call_arena("new", language, "mine", "--game", FAST[language], folder=tmp_path)
    assert (made.status, made.err) == (0, "")
    check = call_arena("check", "mine", folder=tmp_path)
    assert check.status == 0, check.out + check.err


@pytest.mark.thorough
@pytest.mark.parametrize("language", [*STARTERS, "python --kit"])
def test_a_starter_is_a_correct_bot_in_all_games(language: str, tmp_path: Path) -> None:
    need(language.split()[0])
    assert call_arena("new", *language.split(), "mine", folder=tmp_path).status == 0
    check = call_arena("check", "mine", folder=tmp_path)
    assert check.status == 0, check.out + check.err


@pytest.mark.thorough
@pytest.mark.parametrize("language", STARTERS)
@pytest.mark.parametrize("game", GAMES)
def test_a_starter_plays_every_game_to_the_end(language: str, game: str, tmp_path: Path) -> None:
    need(language)
    make(language, tmp_path / "mine", "mine", game)
    words = [tmp_path / "mine", *(ROOT / "bots" / bot for bot in ("careful.py", "greedy.py", "random.py"))]
    match = call_arena("match", *words, "--game", game, "--seed", 7, folder=tmp_path)
    assert match.status == 0, match.err
    assert "forfeited" not in match.out


def test_the_thorough_tests_are_told_what_to_install() -> None:
    told = (ROOT / "docs" / "release.md").read_text()
    (install,) = re.findall(r"`apt install ([^`]*)`", told)
    packages = {package for starter in STARTERS.values() for package in starter.packages.values()}
    assert set(" ".join(packages).split()) - {"dash", "python3"} <= set(install.split()), "docs/release.md"


@pytest.mark.thorough
@pytest.mark.parametrize("language", LINTS)
def test_the_tools_of_its_language_find_nothing(language: str, tmp_path: Path) -> None:
    command = LINTS[language]
    if shutil.which(command[0]) is None:
        pytest.skip(f"{language}: no {command[0]} here")
    make(language, tmp_path / "mine", "mine")
    done = subprocess.run(
        [*command, STARTERS[language].program],
        cwd=tmp_path / "mine",
        capture_output=True,
        text=True,
        check=False,
    )
    said = [
        line for line in (done.stdout + done.stderr).splitlines() if not any(word in line for word in SAYS_SO)
    ]
    assert (done.returncode, said) == (0, [])


@pytest.mark.parametrize("language", STARTERS)
def test_the_name_and_the_game_are_those_that_were_asked_for(language: str, tmp_path: Path) -> None:
    make(language, tmp_path / "mine", "Ada-2", "ole")
    files = [path for path in (tmp_path / "mine").rglob("*") if path.is_file()]
    assert not [path for path in files if "mybot" in path.read_text()]
    assert 'name = "Ada-2"\n' in (tmp_path / "mine" / "bot.toml").read_text()
    assert (tmp_path / "mine" / "bot.toml").read_text().endswith('games = ["ole"]\n')
    assert "your idea" in (tmp_path / "mine" / STARTERS[language].program).read_text()
    readme = (tmp_path / "mine" / "README.md").read_text()
    assert readme.startswith("# Ada-2\n")
    assert "arena match mine mine mine --game ole" in readme
    assert len(readme.splitlines()) <= 12


def test_a_language_that_cannot_be_played_here_is_made_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.starters.obstacle", lambda launch: "it is not there")
    made = CliRunner().invoke(arena.cli.new.command, ["java", str(tmp_path / "mine")])
    assert made.exit_code == 0, made.output
    assert (tmp_path / "mine" / "Bot.java").is_file()
    assert "cannot play on this machine yet: javac is missing" in made.output
    assert "apt install default-jdk-headless" in made.output


@pytest.mark.parametrize("called", [*ALIASES, "Python", "C++", "JavaScript"])
def test_a_language_may_be_called_as_people_do(called: str, tmp_path: Path) -> None:
    made = CliRunner().invoke(arena.cli.new.command, [called, str(tmp_path / "mine")])
    language = ALIASES.get(called.lower(), called.lower())
    assert made.exit_code == 0, made.output
    assert (tmp_path / "mine" / STARTERS[language].program).is_file()


def test_an_empty_folder_is_filled_and_the_way_on_is_named(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    made = call_arena("new", "python", "mine", "--kit", folder=tmp_path)
    assert (made.status, made.err) == (0, "")
    assert sorted(path.name for path in (tmp_path / "mine").iterdir()) == [
        "README.md",
        "bot.py",
        "bot.toml",
        "kit.py",
    ]
    assert [line.strip() for line in made.out.splitlines()[1:]] == [
        "arena check mine",
        "arena match mine heuristic search --log match.jsonl",
        "arena review match.jsonl --seat 0",
        "arena docs tutorial",
    ]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("pyton", "mine"), "unknown language 'pyton'; did you mean 'python'?"),
        (("cobol", "mine"), "unknown language 'cobol'; known are python, javascript, typescript, c, cpp,"),
        (("awk", "mine"), "unknown language 'awk'; known are python,"),
        (("python", "full"), "full exists already and is not empty"),
        (("python", "full/file"), "full/file exists already and is not a folder"),
        (("python", "full/file/below"), "Not a directory"),
        (("rust", "mine", "--kit"), "there is a kit for python only"),
        (("python", "my bot"), "'my bot' cannot be a bot's name"),
        (("python", ".mine"), "'.mine' cannot be a bot's name"),
        (("python", "mine", "--game", "chess"), "unknown game 'chess'"),
    ],
)
def test_a_wrong_call_leaves_nothing_behind(words: tuple[str, ...], why: str, tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").write_text("dear")
    made = call_arena("new", *words, folder=tmp_path)
    assert (made.status, made.out) == (2, "")
    assert why in made.err
    assert [path.name for path in tmp_path.rglob("*")] == ["full", "file"]
