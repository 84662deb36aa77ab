"""The journal: what is in it stays in it, and whatever is not what was written shows."""

import os
import random
import sqlite3
from pathlib import Path
from typing import Any

import msgspec
import pytest

from arena.director.entries import (
    Admitted,
    ByOrganiser,
    Created,
    JournalEntry,
    LeftOut,
    MatchAnnulled,
    Replaced,
    RoundPaired,
    Skipped,
    Withdrawn,
)
from arena.director.journal import FILE, GENESIS, Journal
from arena.entrants.entrant import Entrant
from arena.journal.chained import DamageError, chained
from arena.process.launch import Launch
from arena.system.errors import UserError
from tests.support.journals import CREATED, filled, played


def test_what_was_added_is_read_again(tmp_path: Path) -> None:
    digest = filled(tmp_path / "run")
    with Journal(tmp_path / "run") as journal:
        assert journal.entries[0] == CREATED
        assert journal.entries[1:3] == [RoundPaired(1, (("ada", "bob", "cy"),)), played(1)]
        assert journal.digest == digest


def test_who_may_win_may_so_when_it_is_read_again(tmp_path: Path) -> None:
    with Journal.create(tmp_path / "run", CREATED) as journal:
        journal.add(Admitted(Entrant("dee", Launch(("x",), "/"), ""), may_win=True))
    with Journal(tmp_path / "run") as journal:
        assert journal.entries[1] == Admitted(Entrant("dee", Launch(("x",), "/"), ""), may_win=True)


def test_a_second_writer_is_refused_and_a_reader_is_not(tmp_path: Path) -> None:
    with Journal.create(tmp_path / "run", CREATED) as writer:
        with pytest.raises(UserError, match="another arena is running this tournament"):
            Journal(tmp_path / "run", write=True)
        writer.add(played(1))
        with Journal(tmp_path / "run") as reader:
            assert reader.entries == [CREATED, played(1)]


def test_what_a_power_cut_left_of_a_first_attempt_is_no_obstacle(tmp_path: Path) -> None:
    for folder in ("matches", "stderr"):
        (tmp_path / folder).mkdir()
    for name in ("lock", "tournament.db.new", "tournament.db.new-journal"):
        (tmp_path / name).write_bytes(b"half")
    with Journal.create(tmp_path, CREATED) as journal:
        assert journal.entries == [CREATED]
    assert not list(tmp_path.glob("*.new*"))


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "bot.py").touch()
    with pytest.raises(UserError, match=r"it contains something else \(bot.py\)"):
        Journal.create(tmp_path, CREATED)
    assert [path.name for path in tmp_path.iterdir()] == ["bot.py"]


def test_a_folder_that_holds_a_run_is_not_overwritten(tmp_path: Path) -> None:
    filled(tmp_path / "run")
    with pytest.raises(UserError, match="a tournament was run here already"):
        Journal.create(tmp_path / "run", CREATED)


def test_where_others_can_write_nothing_is_written(tmp_path: Path) -> None:
    """They could put a rollback journal there, by which SQLite deletes any file, while it is opened."""
    filled(tmp_path / "run")
    (tmp_path / "run").chmod(0o707)
    with pytest.raises(UserError, match="other users can write to it; first: chmod go-w "):
        Journal(tmp_path / "run", write=True)
    with Journal(tmp_path / "run") as reader:
        assert reader.entries
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty").chmod(0o777)
    with pytest.raises(UserError, match="other users can write to it"):
        Journal.create(tmp_path / "empty", CREATED)
    (tmp_path / "empty").chmod(0o770)  # By a group, which may be its user's alone.
    if os.geteuid() == 0:
        os.chown(tmp_path / "empty", 0, 0)
        Journal.create(tmp_path / "empty", CREATED).close()
        os.chown(tmp_path / "run", 64001, 64001)
        with pytest.raises(UserError, match="it belongs to another user; copy it"):
            Journal(tmp_path / "run", write=True)


def test_where_others_can_write_a_reader_writes_nothing(tmp_path: Path) -> None:
    """Not even what SQLite writes beside a file, since those names may be other files by then."""
    run = tmp_path / "run"
    filled(run)
    with Journal(run, write=True) as writer:
        writer.add(writer.entries[-1])
        run.chmod(0o707)
        before = {path.name: path.read_bytes() for path in run.iterdir() if path.is_file()}
        assert f"{FILE}-wal" in before
        with Journal(run) as reader:
            assert reader.digest == writer.digest
        assert {path.name: path.read_bytes() for path in run.iterdir() if path.is_file()} == before
    for mode_of_run, mode_above in ((0o707, 0o700), (0o700, 0o707)):  # What stands above can be exchanged.
        run.chmod(mode_of_run)
        tmp_path.chmod(mode_above)
        for beside in ("-wal", "-shm"):
            (run / f"{FILE}{beside}").write_text("a key")
            with Journal(run) as reader:
                assert len(reader.entries) == len(writer.entries)
                assert reader.later() == []
            assert (run / f"{FILE}{beside}").read_text() == "a key"


def test_without_a_journal_there_is_nothing_to_open(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no tournament was run here"):
        Journal(tmp_path)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE entries SET entry = replace(entry, 's07', 's08') WHERE no = 9",
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
    with pytest.raises(UserError, match="does not know format 2, only 1: a newer arena wrote it"):
        Journal(tmp_path / "run")


def foreign(folder: Path, *entries: JournalEntry | bytes) -> Path:
    """A run directory as a stranger may have made it, its chain in order."""
    filled(folder, matches=0)
    db = sqlite3.connect(folder / FILE)
    db.execute("DELETE FROM entries")
    digest = GENESIS
    for no, entry in enumerate(entries, 1):
        text = (entry if isinstance(entry, bytes) else msgspec.json.encode(entry)).decode()
        digest = chained(digest, text)
        db.execute("INSERT INTO entries VALUES (?, ?, ?)", (no, text, digest))
    db.commit()
    db.close()
    return folder


ESCAPE = "\x1b[2J\u202e"


@pytest.mark.parametrize(
    "entry",
    [
        msgspec.structs.replace(played(1), match_id="../../victim"),
        msgspec.structs.replace(played(1), match_id="r01-p001-s01\n"),
        msgspec.structs.replace(played(1), entrants=("ada", ESCAPE, "cy")),
        Skipped("/r01-p001-s01", 1, ""),
        MatchAnnulled("r1-p1-s1/..", ""),
        RoundPaired(1, (("ada", ESCAPE),)),
        Withdrawn(ESCAPE, ""),
        Admitted(Entrant(ESCAPE, Launch(("x",), "/"), "")),
        Replaced(Entrant("", Launch(("x",), "/"), ""), ""),
        b'{"type":"withdrawn","name":' + b"[" * 100_000,
    ],
)
def test_an_entry_that_is_none_of_ours_is_refused(entry: JournalEntry | bytes, tmp_path: Path) -> None:
    folder = foreign(tmp_path / "run", CREATED, entry)
    with pytest.raises(DamageError, match="entry 2 cannot be read"):
        Journal(folder)


@pytest.mark.parametrize(
    "change",
    [
        {"seed": "é"},
        {"entrants": (Entrant(ESCAPE, Launch(("x",), "/"), ""),)},
        {"authors": {ESCAPE: ""}},
        {"groups": {ESCAPE: ""}},
        {"challengers": (ESCAPE,)},
    ],
)
def test_settings_that_are_none_of_ours_are_refused(change: dict[str, Any], tmp_path: Path) -> None:
    folder = foreign(tmp_path / "run", msgspec.structs.replace(CREATED, **change))
    with pytest.raises(DamageError, match="entry 1 cannot be read"):
        Journal(folder)


def test_the_text_of_a_foreign_journal_is_cleaned_where_it_is_read(tmp_path: Path) -> None:
    ada = Entrant("ada", Launch(("x",), "/"), "", source=ESCAPE, author=ESCAPE)
    settings = msgspec.structs.replace(
        CREATED,
        arena=ESCAPE,
        left_out=(LeftOut(ESCAPE, ESCAPE),),
        entrants=(ada,),
        authors={"ada": ESCAPE},
        groups={"ada": ESCAPE},
    )
    reasons = (
        Withdrawn("ada", ESCAPE),
        Admitted(ada),
        Replaced(ada, ESCAPE),
        MatchAnnulled("r01-p001-s01", ESCAPE),
        Skipped("r01-p001-s01", 1, f"{ESCAPE}\nat last"),
    )
    with Journal(foreign(tmp_path / "run", settings, *reasons)) as journal:
        created, *others, skipped = journal.entries
    assert isinstance(created, Created)
    assert isinstance(skipped, Skipped)
    (left_out,) = created.left_out
    shown = [created.arena, left_out.name, left_out.reason, created.authors["ada"], created.groups["ada"]]
    shown += [created.entrants[0].author, *skipped.reason.split("\n")]
    for entry in others:
        assert isinstance(entry, ByOrganiser)
        shown += entry.row()
    assert all(text.isprintable() for text in shown)


@pytest.mark.parametrize("entries", [(Withdrawn("ada", ""),), (CREATED, CREATED)])
def test_the_settings_stand_first_and_once(entries: tuple[JournalEntry, ...], tmp_path: Path) -> None:
    with pytest.raises(DamageError, match=f"entry {len(entries)} is out of place"):
        Journal(foreign(tmp_path / "run", *entries))


def test_a_journal_that_cannot_be_read_is_let_go(tmp_path: Path) -> None:
    folder = foreign(tmp_path / "run", Withdrawn("ada", ""))
    open_files = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        with pytest.raises(DamageError, match="out of place") as refused:
            Journal(folder, write=True)
        # The traceback holds on to what was not let go.
        assert len(os.listdir("/proc/self/fd")) == open_files, refused
    (folder / FILE).write_bytes(b"no database" * 1000)
    with pytest.raises(DamageError, match="damaged"):
        Journal(folder, write=True)
    assert len(os.listdir("/proc/self/fd")) == open_files


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
        assert (tmp_path / "run").stat().st_mode & 0o777 == 0o700
        assert [path.name for path in journal.log_path("m1").parent.iterdir()] == ["m1.jsonl"]


def test_what_stands_in_the_place_of_a_log_is_named(tmp_path: Path) -> None:
    with Journal.create(tmp_path / "run", CREATED) as journal:
        place = journal.log_path("m1")
        place.mkdir()
        with pytest.raises(UserError) as told:
            journal.save_logs({"m1": "one\ntwo\n"})
    why = "a folder is there, which a file cannot replace; move it away"
    assert str(told.value) == f"{place}: cannot be written ({why}); what was played before is safe"
    with pytest.raises(UserError, match=f"{place}: expected a file, got a folder; remove it"):
        Journal(tmp_path / "run", write=True)
