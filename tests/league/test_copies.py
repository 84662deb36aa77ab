"""Copies of a league that is used meanwhile."""

import os
from pathlib import Path

import pytest

from arena.commands.league import read, verify
from arena.league import copies
from arena.league.hand import Prune
from arena.league.office import Office
from arena.league.store import KeptProgram as Kept
from tests.cli.calls import arena
from tests.league import quick
from tests.league.leagues import NEW, copied, done
from tests.support.programs import Program


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A league of one bot, whose files are called as the arena calls what it is only writing."""
    folder = tmp_path_factory.mktemp("played")
    league, program = folder / "league", folder / "unfinished-bot"
    program.mkdir()
    (program / "bot.toml").write_text("command = 'python3 unfinished-bot.py'\n")
    (program / "unfinished-bot.py").write_text(Program().source())
    done("new", league, *NEW)
    done("author", league, "red")
    quick.enter(league, "red", program)
    quick.play(league, 4)
    return league


def test_a_backup_has_all_that_is_not_only_being_written(played: Path, tmp_path: Path) -> None:
    league, backup = copied(played, tmp_path), tmp_path / "backup"
    inbox = league / "inbox" / "red"
    (inbox / "unfinished-idea.py").write_text("")
    os.mkfifo(inbox / "pipe")
    (league / "versions" / "unfinished-0").mkdir()
    next((league / "logs").iterdir()).joinpath("unfinished-0").write_text("")
    done("export", league, backup, "--backup")
    version = read(backup).versions["red/mybot@1"]
    program = Kept(version.digest, version.file).path(backup)
    assert {path.name for path in program.iterdir()} == {"bot.toml", "unfinished-bot.py"}
    assert {path.name for path in (backup / "inbox" / "red").iterdir()} == {
        "answers.txt",
        "unfinished-idea.py",
    }
    left = [path for part in ("versions", "logs") for path in (backup / part).rglob("unfinished-0")]
    assert left == []
    quick.play(backup, 1)
    found = verify(backup)
    assert (found.draws, found.wrong) == (5, ())


def test_logs_are_deleted_while_a_backup_is_made(
    played: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After its journal was copied, and before its logs."""
    league, copied_folder = copied(played, tmp_path), copies._copy_folder

    def pruned(source: Path, *others: object) -> None:
        with Office(league) as office:
            office.asked(Prune(2, private_only=False))
        copied_folder(source, *others)  # type: ignore[arg-type]

    monkeypatch.setattr(copies, "_copy_folder", pruned)
    copies.copy(league, tmp_path / "backup", everything=True)
    found = verify(tmp_path / "backup")
    assert (found.draws, found.wrong) == (2, ())


def test_a_copy_without_the_beginning_of_the_journal_is_no_league(played: Path, tmp_path: Path) -> None:
    league = copied(played, tmp_path)
    with Office(league) as office:
        office.next_segment()
    (league / "league-0001.db").unlink()
    call = arena("league", "standings", league)
    assert (call.status, "there is no league here (league-0001.db is missing)" in call.err) == (2, True)


def test_a_backup_has_of_the_inbox_only_what_could_be_taken(played: Path, tmp_path: Path) -> None:
    league, private = copied(played, tmp_path), tmp_path / "private"
    private.write_text("a key")
    inbox = league / "inbox" / "red"
    (inbox / "sent").mkdir()
    (inbox / "sent" / "bot.py").write_text("print()")
    (inbox / "link").symlink_to(private)
    os.link(private, inbox / "second-name")
    (league / "inbox" / "note").touch()
    (league / "inbox" / "purple").symlink_to(tmp_path)
    copies.copy(league, tmp_path / "backup", everything=True)
    copied_inbox = tmp_path / "backup" / "inbox"
    made = {str(path.relative_to(copied_inbox)) for path in copied_inbox.rglob("*")}
    assert made == {"red", "red/answers.txt", "red/sent", "red/sent/bot.py"}
