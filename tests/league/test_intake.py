"""What becomes of the programs that lie in the inbox, whatever an author has put there."""

import os
from pathlib import Path

import trio

from arena.checking.findings import Checked, Finding, NotChecked, Verdict
from arena.league.intake import collect, spoilt, take_in
from arena.league.office import Office
from tests.entrants.test_unpack import zipped
from tests.league.leagues import LAST, copied, done


def test_archives_in_the_inbox_become_versions_or_are_answered(league: Path, tmp_path: Path) -> None:
    league = copied(league, tmp_path)
    inbox = league / "inbox" / "red"
    zipped(
        inbox / "Packed Bot.zip", {"packed/bot.toml": b"command = 'python3 bot.py'\n", "packed/bot.py": b""}
    )
    zipped(inbox / "mybot.zip", {"mybot.py": LAST.source().encode()})
    zipped(inbox / "two.zip", {"ada.py": b"", "bob.py": b""})
    (inbox / "broken.tar.gz").write_bytes(b"\x1f\x8b")
    for path in inbox.iterdir():
        os.utime(path, (0, 0))
    with Office(league) as office:
        trio.run(collect, office)
        assert [version.id for version in office.state.waiting()] == ["red/packed-bot@1"]
    answers = (inbox / "answers.txt").read_text()
    assert "mybot.zip: is the current version already" in answers
    assert "two.zip: several files can be the bot: ada.py, bob.py; a bot.toml beside them" in answers
    assert "broken.tar.gz: broken.tar.gz is damaged" in answers
    assert "; pack it again as .zip or .tar.gz" in answers
    assert [path.name for path in inbox.iterdir()] == ["answers.txt"]


def test_what_everybody_reads_names_no_folder_of_this_machine(league: Path, tmp_path: Path) -> None:
    league = copied(league, tmp_path)
    unfit = league / "inbox" / "red" / "unfit"
    unfit.mkdir()
    (unfit / "notes.txt").write_text("no bot")
    os.utime(unfit / "notes.txt", (0, 0))
    os.utime(unfit, (0, 0))
    with Office(league) as office:
        trio.run(collect, office)
        (version,) = office.state.waiting()
        trio.run(take_in, office, version.id)
        found = office.state.versions[version.id]
    assert found.status == "refused"
    assert str(tmp_path) not in found.why + found.cure
    assert str(tmp_path) not in done("versions", league, "red/unfit").out
    assert str(tmp_path) not in (league / "inbox" / "red" / "answers.txt").read_text()


def test_a_check_that_the_machine_has_spoilt_says_nothing_of_the_bot() -> None:
    def checked(*diagnoses: str) -> Checked:
        failed = (Finding("x", "y", Verdict.FAILED, diagnosis=one) for one in diagnoses)
        return Checked("bot", (Finding("a", "b", Verdict.PASSED), *failed))

    assert spoilt(NotChecked("bot", "no room"))
    assert spoilt(checked("busy-machine"))
    assert spoilt(checked("starved"))
    assert not spoilt(checked("crashed"))
    assert not spoilt(checked())
