"""Whether logs are of the matches that a journal gives, in all that it settles."""

import sqlite3
from pathlib import Path

import msgspec

from arena.director.director import run
from arena.director.entries import JournalEntry, MatchAnnulled, Replaced, RoundPaired
from arena.director.journal import FILE, GENESIS, Journal
from arena.journal.chained import chained
from tests.support.directors import created
from tests.support.journals import wrong
from tests.support.programs import ECHO, Program, entrant


def forged(folder: Path, old: str, new: str) -> None:
    """The journal with other words in its first entry, and the whole chain written anew."""
    with sqlite3.connect(folder / FILE) as db:
        digest = GENESIS
        for no, text in db.execute("SELECT no, entry FROM entries ORDER BY no").fetchall():
            if no == 1:
                assert old in text
                text = text.replace(old, new)
            digest = chained(digest, text)
            db.execute("UPDATE entries SET entry = ?, digest = ? WHERE no = ?", (text, digest, no))
    db.close()


async def test_a_log_of_other_terms_than_the_journal_gives_is_found(tmp_path: Path) -> None:
    settings = msgspec.structs.replace(
        created(tmp_path, ("ada", ECHO), ("bob", ECHO), rounds=1),
        game="ole",
        options={"forced_play": True},
        duplicates=False,
    )
    # The third seat is a house bot's: its program is that of the version that played.
    settings = msgspec.structs.replace(
        settings, entrants=tuple(msgspec.structs.replace(one, digest="d" * 64) for one in settings.entrants)
    )
    folder = tmp_path / "run"
    with Journal.create(folder, settings) as journal:
        await run(journal, 1, lambda entry: None)
        log = journal.log_path("r01-p001-s01").read_text()
        assert '"house-1"' in log
    assert wrong(folder) == {None}
    for old, new, why in (
        ('"forced_play":true', '"forced_play":false', "options: the log says"),
        ('"start_ms":5000', '"start_ms":5001', 'limits: the log says {"start_ms":5000'),
        ('"memory_mb":', '"memory_mb":9', "sandbox: the log says"),
        ('"ponder":false', '"ponder":true', "ponder: the log says false, the journal true"),
        ("d" * 64, "0" * 64, "the seats, or the programs in them, are not those that were drawn"),
        ('"seed":"7"', '"seed":"8"', "the deals are not those derived from the seed"),
    ):
        forged(folder, old, new)
        (found,) = wrong(folder) - {None}
        assert found is not None
        assert found.startswith(why)
        forged(folder, new, old)
    assert wrong(folder) == {None}


async def test_in_the_round_of_an_entrants_new_version_its_digest_is_due(tmp_path: Path) -> None:
    """The old one is due where the round had been drawn, even if a match of it is played again."""
    folder = tmp_path / "run"
    settings = created(tmp_path, ("ada", ECHO), ("bob", ECHO), ("cy", ECHO), rounds=2)
    settings = msgspec.structs.replace(settings, duplicates=False)
    (tmp_path / "new").mkdir()
    new = msgspec.structs.replace(entrant(tmp_path / "new", "bob", Program()), digest="f" * 64)
    with Journal.create(folder, settings) as journal:
        journal.add(RoundPaired(1, (("ada", "bob", "cy"),)))
        journal.add(Replaced(new, "mended"))
        await run(journal, 1, lambda entry: None)
        journal.add(MatchAnnulled("r01-p001-s01", "asleep"))
        journal.set_log_aside("r01-p001-s01")
        heard: list[JournalEntry] = []
        await run(journal, 1, heard.append)
        assert len(heard) == 1
        played = {name: "f" * 64 in journal.read_log(name) for name in ("r01-p001-s01", "r02-p001-s01")}
    assert played == {"r01-p001-s01": False, "r02-p001-s01": True}
    assert wrong(folder) == {None}
