"""The replays of many matches, which several processes write, are those that one process writes."""

from pathlib import Path

import pytest

from arena.director.entries import MatchPlayed
from arena.director.journal import Journal
from arena.report import REPLAYS
from arena.report.replay_files import write_replays
from tests.support.reports import copied, entries_of

ALONE = 1_000_000
BESIDE = 1


def written(run: Path, fewest: int, *, served: bool) -> tuple[set[str], set[str], dict[str, bytes], int]:
    """The matches that have a replay, those without one, the files, and how many were written."""
    new: set[Path] = set()
    with Journal(run) as journal:
        (run / REPLAYS).mkdir(exist_ok=True)
        linked, failed = write_replays(
            journal,
            {run / REPLAYS / "r02-p001-s02.json": "in the way"},
            new,
            served=served,
            with_stderr=True,
            is_played=False,
            progress=lambda done, total: None,
            fewest=fewest,
        )
    files = {path.name: path.read_bytes() for path in (run / REPLAYS).iterdir()}
    return linked, set(failed), files, len(new)


@pytest.mark.parametrize("served", [True, False])
def test_beside_each_other_they_write_the_same(served: bool, twelve: Path, tmp_path: Path) -> None:
    found = []
    matches = sum(isinstance(entry, MatchPlayed) for entry in entries_of(twelve))
    for fewest in (ALONE, BESIDE):
        run = copied(twelve, tmp_path / f"run-{fewest}", len(entries_of(twelve)))
        (run / "matches" / "r01-p002-s03.jsonl").write_text("{}\n")
        linked, failed, files, new = written(run, fewest, served=served)
        assert failed == {"r01-p002-s03"}
        assert len(linked) == len(files) == new == matches - (2 if served else 1)
        found.append((linked, failed, files))
        assert written(run, fewest, served=served) == (linked, failed, files, 0)
        (run / REPLAYS / sorted(files)[1]).unlink()
        assert written(run, fewest, served=served) == (linked, failed, files, 1)
    assert found[0] == found[1]


@pytest.mark.parametrize("fewest", [ALONE, BESIDE])
def test_what_is_there_is_not_written_again(fewest: int, twelve: Path, tmp_path: Path) -> None:
    run = copied(twelve, tmp_path / "run", len(entries_of(twelve)))
    *_, first = written(run, fewest, served=True)
    *_, again = written(run, fewest, served=True)
    assert (first > 0, again) == (True, 0)
