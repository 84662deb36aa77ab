"""The journal: what is in it stays in it, and whatever is not what was written shows."""

import random
import sqlite3
from pathlib import Path

import pytest

from arena.errors import UserError
from arena.job import Entrant
from arena.journal import FILE, Created, DamageError, Drawn, Journal, Played
from arena.launch import Launch
from protocol.messages import Limits
from protocol.outcome import Outcome

CREATED = Created(
    arena="0",
    seed="7",
    game="sticheln",
    rules=1,
    options={},
    format="swiss",
    rounds=3,
    pod_size=3,
    duplicates=True,
    deals=3,
    limits=Limits(),
    faults=1,
    entrants=tuple(Entrant(name, Launch((name,), "/"), "") for name in ("ada", "bob", "cy")),
    left_out=(),
)


def played(number: int) -> Played:
    outcome = Outcome(((1, 2, 3),), ((1, 2, 3),), (3, 2, 1))
    return Played(f"m{number}", 1, 1, number, ("ada", "bob", "cy"), outcome, (), "0" * 64)


def filled(folder: Path, matches: int = 20) -> str:
    with Journal.create(folder, CREATED) as journal:
        journal.add(Drawn(1, (("ada", "bob", "cy"),)))
        for number in range(1, matches + 1):
            journal.add(played(number))
        return journal.digest


def test_what_was_added_is_read_again(tmp_path: Path) -> None:
    digest = filled(tmp_path / "run")
    with Journal(tmp_path / "run") as journal:
        assert journal.entries[0] == CREATED
        assert journal.entries[1:3] == [Drawn(1, (("ada", "bob", "cy"),)), played(1)]
        assert journal.digest == digest


def test_a_second_writer_is_refused_and_a_reader_is_not(tmp_path: Path) -> None:
    with Journal.create(tmp_path / "run", CREATED) as writer:
        with pytest.raises(UserError, match="another arena is running this tournament"):
            Journal(tmp_path / "run", write=True)
        writer.add(played(1))
        with Journal(tmp_path / "run") as reader:
            assert reader.entries == [CREATED, played(1)]


def test_a_folder_that_holds_a_run_is_not_overwritten(tmp_path: Path) -> None:
    filled(tmp_path / "run")
    with pytest.raises(UserError, match="a tournament was run here already"):
        Journal.create(tmp_path / "run", CREATED)


def test_without_a_journal_there_is_nothing_to_open(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no tournament was run here"):
        Journal(tmp_path)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE entries SET entry = replace(entry, 'm7', 'm8') WHERE no = 9",
        "UPDATE entries SET entry = replace(entry, '[3,2,1]', '[1,2,3]') WHERE no = 12",
        "DELETE FROM entries WHERE no = 5",
        "DELETE FROM entries WHERE no = 1",
        "UPDATE entries SET no = 99 WHERE no = 22",
        "DELETE FROM entries",
    ],
)
def test_a_changed_row_shows(change: str, tmp_path: Path) -> None:
    filled(tmp_path / "run")
    db = sqlite3.connect(tmp_path / "run" / FILE)
    assert db.execute(change).rowcount > 0
    db.commit()
    db.close()
    with pytest.raises(DamageError):
        Journal(tmp_path / "run")


def test_a_journal_of_a_newer_format_is_refused(tmp_path: Path) -> None:
    filled(tmp_path / "run")
    db = sqlite3.connect(tmp_path / "run" / FILE)
    db.execute("PRAGMA user_version = 2")
    db.close()
    with pytest.raises(UserError, match="format 2 is not known here, 1 is: a newer arena wrote it"):
        Journal(tmp_path / "run")


def test_a_flipped_bit_is_noticed_or_changes_nothing(tmp_path: Path) -> None:
    digest = filled(tmp_path / "run")
    path = tmp_path / "run" / FILE
    good = path.read_bytes()
    chance = random.Random(7)
    noticed = 0
    for _ in range(200):
        at = chance.randrange(len(good))
        path.write_bytes(good[:at] + bytes([good[at] ^ 1 << chance.randrange(8)]) + good[at + 1 :])
        try:
            with Journal(tmp_path / "run") as journal:
                assert journal.digest == digest
                assert len(journal.entries) == 22
        except UserError:
            noticed += 1
    assert noticed > 50


def test_a_log_is_there_whole_or_not_at_all(tmp_path: Path) -> None:
    with Journal.create(tmp_path / "run", CREATED) as journal:
        journal.save_logs({"m1": "one\ntwo\n"})
        assert journal.log_path("m1").read_text() == "one\ntwo\n"
        assert [path.name for path in journal.log_path("m1").parent.iterdir()] == ["m1.jsonl"]
