"""Rows for pandas and DuckDB: as many as there are seats, and what was played."""

import csv
import io
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest

from arena.director.row_lines import cell as _cell
from tests.cli.calls import arena
from tests.support.programs import MISBEHAVING, Program


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two echoes and one that exits in its first deal; a match of two deals."""
    folder = tmp_path_factory.mktemp("export")
    for name, program in (("ada", Program()), ("bob", Program()), ("cy", MISBEHAVING["exits"])):
        (folder / f"{name}.py").write_text(program.source())
    short = ("--seats", 3, "--rounds", 1, "--deals", 2, "--seed", 7, "--no-duplicates")
    call = arena("tournament", *sorted(folder.glob("*.py")), *short, "--out", folder / "run")
    assert call.status == 0, call.err
    return folder / "run"


def rows(run: Path, kind: str) -> list[dict[str, Any]]:
    """The JSON rows, which must be the CSV rows too."""
    as_json = arena("export", run, "--rows", kind, "--json").out.splitlines()
    as_csv = csv.DictReader(io.StringIO(arena("export", run, "--rows", kind, "--csv").out))
    found = [msgspec.json.decode(line) for line in as_json]
    assert list(as_csv) == [{key: cell(value) for key, value in row.items()} for row in found]
    return found


NOTES = ('=HYPERLINK("http://a.example","b")', "+1", "-2+3", "@SUM(A1)", "＝1", "'quoted'", "plain")


def test_a_note_is_no_formula_in_a_spreadsheet(tmp_path: Path) -> None:
    """And who takes one ' off has it as it was."""
    note = f"{NOTES!r}[m['id'] % {len(NOTES)}]"
    said = Program(asked=f"answer = json.dumps({{**json.loads(answer), 'note': {note}}})")
    (tmp_path / "-says.py").write_text(said.source())
    words = ("--seats", 3, "--rounds", 1, "--deals", 1, "--seed", 1, "--no-duplicates", "--sandbox", "none")
    bots = ("./-says.py", "bob=./-says.py", "cy=./-says.py")
    call = arena("tournament", *bots, *words, "--out", "run", folder=tmp_path)
    assert call.status == 0, call.err
    table = list(csv.DictReader(io.StringIO(arena("export", tmp_path / "run", "--rows", "decisions").out)))
    assert {row["note"][:1] for row in table} == {"'", "p"}
    assert {row["note"].removeprefix("'") for row in table} == set(NOTES)
    assert {row["bot"] for row in table} == {"'-says", "bob", "cy"}
    lines = arena("export", tmp_path / "run", "--rows", "decisions", "--json").out.splitlines()
    assert {msgspec.json.decode(line)["note"] for line in lines} == set(NOTES)
    deals = list(csv.DictReader(io.StringIO(arena("export", tmp_path / "run").out)))
    assert any(row["points"].startswith("-") for row in deals), "numbers stay numbers"


@pytest.mark.parametrize(
    "text",
    ["=1", " =1", "\u3000+1", "\t-1", "\r@x", "＝1", "\ufeff =1", "−1", "'=1", "\u115f=1", "\u2800\u3164+1"],
)
def test_a_text_that_could_be_a_formula_is_none(text: str) -> None:
    assert _cell(text) == f"'{text}"


@pytest.mark.parametrize("value", ["plays 1", "a=1", "", -1, -0.5, None])
def test_what_is_no_formula_stays(value: object) -> None:
    assert _cell(value) == value


def cell(value: object) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return msgspec.json.encode(value).decode()


def test_one_row_a_match_and_seat(run: Path) -> None:
    found = rows(run, "matches")
    assert len(found) == 3
    gone = [row for row in found if row["bot"] == "cy"]
    assert {(row["forfeit"], row["forfeit_deal"], row["placing"], row["score"]) for row in gone} == {
        ("exited", 1, 3, 0)
    }


def test_one_row_a_deal_and_seat(run: Path) -> None:
    found = rows(run, "deals")
    assert len(found) == 2 * 3
    assert {row["bot"] for row in found if row["substitute"]} == {"cy"}
    sums = Counter[tuple[str, int]]()
    for row in found:
        sums[row["match"], row["seat"]] += row["points"]
    assert sums == {(row["match"], row["seat"]): row["points"] for row in rows(run, "matches")}


def test_one_row_a_decision(run: Path) -> None:
    found = rows(run, "decisions")
    assert len(found) == 2 * 15 * 3
    for row in found:
        assert row["action"] in row["legal"]
        assert row["view"]["seat"] == row["seat"]
        assert (row["us"] is None) == (row["request"] is None)
    assert {row["bot"] for row in found if row["us"] is None} == {"cy"}
