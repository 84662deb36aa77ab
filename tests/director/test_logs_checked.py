"""Logs that several processes check are found to be what one process finds."""

from pathlib import Path

from arena.director.director import run
from arena.director.entries import MatchPlayed
from arena.director.journal import Journal
from arena.director.logs_checked import logs_checked
from tests.support.directors import created
from tests.support.programs import ECHO

ALONE = 1_000_000
BESIDE = 1


async def test_beside_each_other_they_find_the_same(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    with Journal.create(folder, created(tmp_path, ("ada", ECHO), ("bob", ECHO), rounds=3)) as journal:
        await run(journal, 2, lambda entry: None)
    with Journal(folder) as journal:
        due = [no for no, entry in enumerate(journal.entries, 1) if isinstance(entry, MatchPlayed)]
        second = journal.entries[due[1] - 1]
        assert isinstance(second, MatchPlayed)
        log = journal.log_path(second.match_id)
        log.write_text(log.read_text() + "\n")
        journal.log_path("r03-p001-s01").unlink()
        alone = list(logs_checked(journal, due, ALONE))
        assert list(logs_checked(journal, due, BESIDE)) == alone
    assert [one.opened is None for one in alone].count(True) == 2
    assert alone[1].wrong == f"{log} is not the log that was written"
    assert all((one.opened is None) == (one.wrong is not None) for one in alone)
