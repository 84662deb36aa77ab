"""The same seed, the same table, whatever some of the field do to the processes and pipes around them."""

from pathlib import Path

import pytest

from tests.cli.calls import arena
from tests.support.programs import Program, at

HELPER = """\
if os.fork():
    os._exit(0) if os.fork() == 0 else time.sleep(600)
os.setsid()
if os.fork(): os._exit(0)
"""
FIELD = {
    "honest": Program(),
    "deaf": Program(asked=at(4, "os.close(0)")),
    "wrapper": Program(before=HELPER),
    "forfeits": Program(asked=at(6, "answer = 'nonsense'")),
    "also-honest": Program(),
}


@pytest.mark.parametrize(
    ("level", "times"),
    [
        pytest.param("bwrap", 10, marks=pytest.mark.thorough),
        pytest.param("rlimits", 10, marks=pytest.mark.exhaustive),  # The same field; five minutes each.
    ],
)
def test_a_field_that_misbehaves_repeats_exactly(level: str, times: int, tmp_path: Path) -> None:
    for name, program in FIELD.items():
        (tmp_path / f"{name}.py").write_text(program.source())
    bots = sorted(tmp_path.glob("*.py"))
    words = ("tournament", *bots, "--rounds", 2, "--deals", 1, "--seed", 7, "--time", "1500ms+0s", "--quiet")
    tables = set()
    for number in range(times):
        run = tmp_path / f"run-{number}"
        more = ("--jobs", 1 + number % 2, *(("--keep-bots",) if number % 4 > 1 else ()))
        call = arena(*words, *more, "--sandbox", level, "--out", run)
        assert call.status == 0, call.err
        tables.add(arena("standings", run, "--json").out)
        faults = arena("faults", run, "--json").json["faults"]  # type: ignore[index]
        assert {fault["bot"] for fault in faults} == {"deaf", "forfeits"}
    assert len(tables) == 1
