"""A tournament full of strangers: what ten bots do wrong is no matter for the healthy ones' table."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest

from protocol.faults import FaultKind
from tests.cli.calls import BOTS, arena
from tests.support.programs import ECHO, MISBEHAVING, Program

# Without an illegal action: that is a reply, and who replies is not withdrawn, so other pods would be drawn.
TEN: Final = (
    "exits-before-ready",
    "banner",
    "two-objects",
    "killed",
    "half-a-line",
    "sleeps",
    "nonsense",
    "nesting-bomb",
    "closes-stdout",
    "floods",
)
GONE: Final = Program(FaultKind.EXITED, before="sys.exit(0)")
"""Its seat is the substitute's from the first deal on."""


def at_once(program: Program) -> Program:
    """The misdeed at the first request, so that the substitute makes every decision."""
    return program._replace(asked=program.asked.replace(" == 9:", " == 1:"))


def played(folder: Path, programs: Mapping[str, Program]) -> Path:
    """The run of a tournament of the sample bots and of these."""
    folder.mkdir()
    for name, program in programs.items():
        (folder / f"{name}.py").write_text(program.source())
    run = folder / "run"
    words = ("--rounds", 3, "--deals", 4, "--seed", "strangers", "--time", "1s", "--out", run, "--quiet")
    call = arena("tournament", *BOTS, *sorted(folder.glob("*.py")), *words)
    assert call.status == 0, call.err
    return run


@pytest.fixture
def shadows(tmp_path: Path) -> Path:
    """A folder of bots called like modules that we import, which tell of it when they are."""
    folder = tmp_path / "bots"
    folder.mkdir()
    source = f"open({str(tmp_path / 'imported')!r}, 'a').write(__name__)\n"
    for name in ("random", "trio", "msgspec", "signal", "arena"):
        (folder / f"{name}.py").write_text(f"if __name__ != '__main__':\n    {source}{ECHO.source()}")
    return folder


def test_nothing_is_imported_from_the_folder_of_the_bots(shadows: Path) -> None:
    call = arena("match", "random.py", "trio.py", "arena.py", "--deals", 1, folder=shadows, fresh=True)
    assert call.status == 0, call.err
    words = ("--rounds", 1, "--deals", 1, "--no-duplicates", "--jobs", 2, "--out", "run", "--quiet")
    call = arena("tournament", *sorted(shadows.glob("*.py")), *words, folder=shadows, fresh=True)
    assert call.status == 0, call.err
    assert not (shadows.parent / "imported").exists()


@pytest.mark.thorough
def test_the_table_of_the_healthy_is_that_of_a_run_with_the_substitute(tmp_path: Path) -> None:
    ten = {name: at_once(MISBEHAVING[name]) for name in TEN}
    wild = played(tmp_path / "wild", ten)
    tame = played(tmp_path / "tame", dict.fromkeys(TEN, GONE))

    def healthy(run: Path) -> list[object]:
        rows = arena("standings", run, "--json").json["entrants"]
        return [row for row in rows if row["name"] not in TEN]

    assert healthy(wild) == healthy(tame)
    assert len([row for row in healthy(wild) if row["rank"]]) == len(BOTS)
    rows = arena("faults", wild, "--json").json["faults"]  # type: ignore[index]
    assert {row["bot"]: row["kind"] for row in rows} == {name: ten[name].fault for name in TEN}
    assert all(row["detail"] for row in rows)
