"""Leagues of games that packages bring."""

from pathlib import Path

import pytest

from arena.commands.league import CAP, read
from tests.cli.calls import ROOT, Call, arena
from tests.games.registry.packages import edit, install
from tests.league.leagues import NEW

LUCK = "advise=advise, luck=Luck(with_duplicates=2.5, without=6.0)"


@pytest.fixture
def code(tmp_path: Path) -> Path:
    """The code of a package with the game `mygame`."""
    (tmp_path / "site").mkdir()
    return install(tmp_path / "site")


def call(code: Path, *words: object) -> Call:
    """A command that finds the package."""
    return arena("league", *words, env={"PYTHONPATH": f"{ROOT}:{code.parent}"})


def test_a_comparison_counts_by_the_luck_that_a_package_states(code: Path, tmp_path: Path) -> None:
    new = ("--board", "mygame:4", *NEW[2:])
    assert call(code, "new", tmp_path / "before", *new).status == 0
    edit(code / "__init__.py", "advise=advise", LUCK)
    edit(code / "__init__.py", "import Extras", "import Extras, Luck")
    assert call(code, "new", tmp_path / "after", *new).status == 0
    assert read(tmp_path / "after").boards["mygame:4"].cap == CAP * 2.5
    assert read(tmp_path / "before").boards["mygame:4"].cap > CAP * 2.5


@pytest.mark.thorough  # 8 s of processor.
def test_other_rules_are_refused_and_other_code_begins_a_segment(code: Path, tmp_path: Path) -> None:
    league = tmp_path / "league"
    assert call(code, "new", league, "--board", "mygame:3", *NEW[2:]).status == 0
    assert call(code, "author", league, "red").status == 0
    run = ("run", league, "--draws", 1, "--jobs", 1)
    assert call(code, *run).status == 0
    with (code / "rules.md").open("a") as file:
        file.write("The same rules in other words.\n")
    said = call(code, *run)
    assert (said.status, "segment 2 of the journal begins: mygame arena-mygame 1.0" in said.err) == (0, True)
    assert call(code, "verify", league).status == 0
    edit(code / "game.py", "    rules = 1\n", "    rules = 2\n")
    told = "mygame:3: a board of mygame, rules version 1; this arena has version 2"
    wrong = (
        run,
        ("verify", league),
        ("add", league, "bots/greedy.py", "--author", "red"),
        ("new", tmp_path / "next", "--after", league),
    )
    for words in wrong:
        refused = call(code, *words)
        assert (refused.status, told in refused.err) == (2, True), refused.err
    assert call(code, "standings", league).status == 0
    edit(code / "game.py", "    rules = 2\n", "    rules = 1\n")
    assert call(code, "verify", league).status == 0
