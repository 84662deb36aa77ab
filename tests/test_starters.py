"""What `arena new` makes: a bot in every language, correct before anybody has touched it. The languages whose
tools this machine lacks are skipped by name; the gate takes the fast ones.
"""

import json
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner

import arena.cli.new
import arena.starters
from arena.commands.new import ALIASES
from arena.games import GAMES
from arena.starters import HERE, STARTERS, make
from tests.cli.calls import ROOT
from tests.cli.calls import arena as call_arena
from tests.support.needs import require

FAST = {
    "python": "sticheln",
    "perl": "ole",
    "javascript": "david-and-goliath",
    "sh": "sticheln",
    "c": "sticheln-1993",
}
"""What the gate checks, each in one game."""

THINKING = [language for language, starter in STARTERS.items() if starter.thinking]
LONGEST = 90
"""Lines of a starter's program: what somebody new to it reads at once."""

# What each language's own tools have to say about a program, whose path comes last: nothing.
C_WARNINGS = ("-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror", "-o", "/dev/null")
CPPCHECK = ("cppcheck", "--quiet", "--enable=warning,performance,portability", "--error-exitcode=1")
LISP_QUIETLY = """(let* ((*standard-output* (make-broadcast-stream)) (*error-output* *standard-output*))
  (asdf:load-system :yason))"""
LISP_WARNINGS = """(handler-bind ((warning (lambda (warning) (print warning) (exit :code 1))))
  (load (car (last *posix-argv*))))"""
LISP = ("sbcl", "--noinform", "--non-interactive", "--eval", "(require :asdf)", "--eval", LISP_QUIETLY)
LINTS: Sequence[tuple[str, Sequence[str]]] = (
    ("awk", ("gawk", "--posix", "--lint=invalid", "-f")),
    ("c", ("cc", "-std=c11", "-O2", "-Wconversion", *C_WARNINGS)),
    ("c", CPPCHECK),
    ("commonlisp", (*LISP, "--eval", LISP_WARNINGS, "--end-toplevel-options")),
    ("cpp", ("c++", "-std=c++17", "-O2", "-Wconversion", *C_WARNINGS)),
    ("cpp", CPPCHECK),
    ("d", ("ldc2", "-w", "-de", "-o-")),
    ("go", ("gofmt", "-d")),
    ("go", ("go", "vet")),
    ("haskell", ("ghc", "-Wall", "-Wcompat", "-Werror", "-fno-code")),
    ("haskell", ("hlint",)),
    ("java", ("javac", "-Xlint:all", "-Werror", "-d", ".")),
    ("javascript", ("node", "--check")),
    ("lua", ("luac", "-p")),
    ("lua", ("luacheck", "--quiet", "--max-line-length", "120", "--no-unused-args")),
    (
        "ocaml",
        ("ocamlfind", "ocamlopt", "-package", "yojson", "-linkpkg", "-w", "+a-70", "-warn-error", "+a"),
    ),
    ("pascal", ("fpc", "-Sewn", "-v0", "-vewn", "-obot")),
    ("perl", ("perl", "-c")),
    ("perl", ("perlcritic", "--gentle", "--quiet")),
    ("php", ("php", "-l")),
    ("prolog", ("swipl", "-q", "-g", "check", "-t", "halt", "--on-warning=status", "--on-error=status")),
    ("python", (sys.executable, "-m", "mypy", "--strict", "--cache-dir", "/dev/null")),
    ("r", ("Rscript", "-e", "print(lintr::lint(commandArgs(TRUE)))")),
    ("ruby", ("ruby", "-wc")),
    ("ruby", ("rubocop", "--lint", "--format", "simple")),
    ("rust", ("rustfmt", "--check", "--edition", "2021")),
    ("rust", ("cargo", "clippy", "--quiet", "--offline", "--", "-D", "warnings", "-W", "clippy::pedantic")),
    ("sh", ("sh", "-n")),
    ("sh", ("shellcheck", "--shell=sh")),
    ("typescript", ("tsc", "--noEmit", "--strict")),
)
OF_FOLDERS = ("cargo", "tsc")
"""Tools that find the programs of a folder by themselves."""
SAYS_SO = (
    *("Syntax OK", "syntax OK", "No syntax errors", "Success: no issues", "source OK", "no offenses"),
    *("No hints", "Total: ", "Free Pascal Compiler", "Copyright", "Compiling Main"),
)
ABSENT = ("there is no package called", "no such command: `clippy`", "is not installed for the toolchain")
"""What Rscript, cargo and rustup say of a tool that would be a part of them."""


@pytest.fixture(autouse=True)
def builds(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing that was built before is taken."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))


def need(language: str) -> None:
    require(*STARTERS[language].packages)


@pytest.mark.thorough  # 4 s of processor.
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
    everywhere = {"dash", "mawk", "python3"}
    assert set(" ".join(packages).split()) - everywhere <= set(install.split()), "docs/release.md"


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("language", "command"), LINTS, ids=[f"{language}-{command[0]}" for language, command in LINTS]
)
def test_the_tools_of_its_language_find_nothing(
    language: str, command: Sequence[str], tmp_path: Path
) -> None:
    need(language)
    require(command[0])
    make(language, tmp_path / "mine", "mine")
    for program in filter(None, (STARTERS[language].program, STARTERS[language].thinking)):
        done = subprocess.run(
            [*command] if command[0] in OF_FOLDERS else [*command, program],
            cwd=tmp_path / "mine",
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
        )
        said = [
            line
            for line in (done.stdout + done.stderr).splitlines()
            if line.strip() and not any(word in line for word in SAYS_SO)
        ]
        if any(words in done.stderr for words in ABSENT):
            pytest.skip(f"{language}: {done.stderr.splitlines()[0]}")
        assert (done.returncode, said) == (0, []), program


def test_twenty_languages_have_a_starter_that_is_read_at_once() -> None:
    assert len(STARTERS) >= 20
    lines = {
        language: len((HERE / language / starter.program).read_text().splitlines())
        for language, starter in STARTERS.items()
    }
    assert {language: count for language, count in lines.items() if count > LONGEST} == {}


def think(language: str, folder: Path) -> None:
    """Make a starter whose larger bot plays, as its README says."""
    starter = STARTERS[language]
    make(language, folder, folder.name)
    assert f"{starter.thinking} is a larger bot" in " ".join((folder / "README.md").read_text().split())
    manifest = (folder / "bot.toml").read_text()
    assert manifest.count(starter.program) == 1
    (folder / "bot.toml").write_text(manifest.replace(starter.program, starter.thinking))


def test_three_languages_have_a_bot_that_thinks() -> None:
    assert THINKING == ["python", "javascript", "c"]


@pytest.mark.parametrize("language", ["c"])
def test_a_fast_bot_that_thinks_is_correct(language: str, tmp_path: Path) -> None:
    need(language)
    think(language, tmp_path / "mine")
    check = call_arena("check", "mine", "--game", "sticheln", folder=tmp_path)
    assert check.status == 0, check.out + check.err


@pytest.mark.thorough
@pytest.mark.parametrize("language", THINKING)
def test_a_bot_that_thinks_is_correct_in_all_games(language: str, tmp_path: Path) -> None:
    need(language)
    think(language, tmp_path / "mine")
    check = call_arena("check", "mine", folder=tmp_path)
    assert check.status == 0, check.out + check.err


@pytest.mark.thorough
@pytest.mark.parametrize("language", THINKING)
def test_a_bot_that_thinks_is_better_than_greedy_and_never_late(language: str, tmp_path: Path) -> None:
    need(language)
    think(language, tmp_path / "mine")
    bots = ROOT / "bots"
    words = ("mine", bots / "greedy.py", "--against", bots / "random.py", "--seed", 7, "--budget", 200)
    compared = call_arena("compare", *words, "--keep-bots", "--json", folder=tmp_path)
    assert compared.status == 0, compared.out + compared.err
    assert json.loads(compared.out)["forfeits"] == {}


@pytest.mark.parametrize("language", STARTERS)
def test_the_name_and_the_game_are_those_that_were_asked_for(language: str, tmp_path: Path) -> None:
    make(language, tmp_path / "mine", "Ada-2", "ole")
    files = [path for path in (tmp_path / "mine").rglob("*") if path.is_file()]
    assert not [path for path in files if "mybot" in path.read_text()]
    assert "name" not in (tmp_path / "mine" / "bot.toml").read_text(), "a copy would have it, too"
    assert (tmp_path / "mine" / "bot.toml").read_text().endswith('games = ["ole"]\n')
    assert "your idea" in (tmp_path / "mine" / STARTERS[language].program).read_text()
    readme = (tmp_path / "mine" / "README.md").read_text()
    assert readme.startswith("# Ada-2\n")
    assert "arena match mine heuristic search --game ole" in readme
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
        (("cobol", "mine"), "unknown language 'cobol'; choose from python, javascript, typescript, c, cpp,"),
        (("zig", "mine"), "unknown language 'zig'; choose from python,"),
        (("python", "full"), "full already exists and is not empty"),
        (("python", "full/file"), "full/file already exists and is not a folder"),
        (("python", "full/file/below"), "Not a directory"),
        (("rust", "mine", "--kit"), "there is a kit only for python"),
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
