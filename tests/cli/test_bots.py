"""`arena bots` and `arena docs`: what comes with the arena, found from anywhere."""

import re
from pathlib import Path

from arena.entrants import LENT
from tests.cli.calls import BOTS, ROOT, arena


def test_the_bots_that_come_along_are_named_with_what_they_do(tmp_path: Path) -> None:
    call = arena("bots", "--json", folder=tmp_path)
    assert call.status == 0
    assert [bot["path"] for bot in call.json] == [*BOTS, *(None for _ in LENT)]
    assert tuple(bot["bot"] for bot in call.json[len(BOTS) :]) == LENT
    for bot in call.json:
        assert bot["language"]
        assert bot["does"].endswith(".")
    table = arena("bots", folder=tmp_path).out
    assert "takes what is good now, and never asks what comes next." in table
    assert re.search("heuristic .* by its name alone", table)


def test_a_copy_is_the_same_and_is_listed_where_it_is(tmp_path: Path) -> None:
    call = arena("bots", "--copy", "mine", "--json", folder=tmp_path)
    assert call.status == 0
    assert [sample["path"] for sample in call.json] == [f"mine/{Path(path).name}" for path in BOTS]
    for path in map(Path, BOTS):
        assert (tmp_path / "mine" / path.name).read_bytes() == path.read_bytes()
    again = arena("bots", "--copy", "mine", folder=tmp_path)
    assert (again.status, again.out) == (2, "")
    assert "mine: it is there already; choose another folder" in again.err


def test_documents_are_listed_and_printed(tmp_path: Path) -> None:
    call = arena("docs", folder=tmp_path)
    assert call.status == 0
    named = dict(line.split() for line in call.out.splitlines())
    assert (named["spec"], named["changes"]) == (str(ROOT / "SPEC.md"), str(ROOT / "CHANGELOG.md"))
    assert named["tutorial"] == str(ROOT / "docs" / "tutorial.md")
    assert arena("docs", "spec", folder=tmp_path).out == (ROOT / "SPEC.md").read_text()
    wrong = arena("docs", "tutoral", folder=tmp_path)
    assert (wrong.status, wrong.out) == (2, "")
    assert "unknown document 'tutoral'; did you mean 'tutorial'?" in wrong.err
