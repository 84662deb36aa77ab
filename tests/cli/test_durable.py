"""A tournament that loses power, bits and rows: it ends with the table it would have had, or says clearly
that it cannot. And the organiser's hand in it.
"""

import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from arena.director.journal import FILE, GENESIS, Journal
from arena.director.standings import as_data
from arena.director.state import Record
from arena.director.verify import findings
from arena.journal.chained import chained
from arena.system.errors import UserError
from tests.cli.calls import ROOT, arena
from tests.support.programs import Program
from tests.support.standings import table
from tests.support.waiting import running

WHOLE = ("--seats", 4, "--rounds", 2, "--deals", 1, "--seed", 7, "--jobs", 1)


@pytest.fixture(scope="module")
def bots(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Four deterministic ones, of which the last forfeits its matches."""
    folder = tmp_path_factory.mktemp("bots")
    for name, program in (
        ("ada", Program()),
        ("bob", Program(asked="answer = answer.replace(m['legal'][0], m['legal'][-1])")),
        ("cy", Program(asked="answer = answer.replace(m['legal'][0], m['legal'][len(m['legal']) // 2])")),
        ("dee", Program(asked="if m['id'] == 7: sys.exit(1)")),
    ):
        (folder / f"{name}.py").write_text(program.source())
    return [str(path) for path in sorted(folder.iterdir())]


@pytest.fixture(scope="module")
def whole(bots: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run from beginning to end."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    call = arena("tournament", *bots, *WHOLE, "--out", folder)
    assert call.status == 0, call.err
    return folder


def go(bots: list[str], folder: Path) -> list[str]:
    """The words that begin the tournament, or go on with it."""
    words = ["resume", folder] if (folder / FILE).exists() else ["tournament", *bots, *WHOLE, "--out", folder]
    return [str(word) for word in words]


def cut_short(bots: list[str], folder: Path, seconds: float = 0) -> None:
    """Go on and lose power: after so long, or when a match has ended."""
    director = subprocess.Popen(
        [sys.executable, "-m", "arena", *go(bots, folder)],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    if seconds:
        time.sleep(seconds)
    else:
        running(folder)
    director.send_signal(signal.SIGKILL)
    director.wait()


def lose_power(bots: list[str], folder: Path, times: int, chance: random.Random) -> None:
    for _ in range(times):
        cut_short(bots, folder, 0.3 + chance.random())
    call = arena(*go(bots, folder))
    assert call.status == 0, call.err


# The gate has one cut, behind the first match, in tests/cli/test_formats.py.
@pytest.mark.thorough
def test_after_fifty_power_cuts_the_table_is_the_same(bots: list[str], whole: Path, tmp_path: Path) -> None:
    chance = random.Random(50)
    for number in range(10):
        lose_power(bots, tmp_path / f"run-{number}", 5, chance)
        assert table(tmp_path / f"run-{number}") == table(whole)
        assert arena("verify", tmp_path / f"run-{number}").status == 0


def test_a_whole_run_verifies(whole: Path) -> None:
    with Journal(whole) as journal:
        digest = journal.digest
    call = arena("verify", whole, "--digest", digest)
    assert (call.status, call.out) == (0, f"8 matches, 0 things wrong; journal digest {digest}\n")


def damaged(whole: Path, folder: Path) -> Path:
    shutil.copytree(whole, folder)
    return folder


def test_a_changed_log_is_found(whole: Path, tmp_path: Path) -> None:
    run = damaged(whole, tmp_path / "run")
    path = sorted((run / "matches").iterdir())[5]
    path.write_text(path.read_text().replace('"us":', '"us":1', 1))
    call = arena("verify", run)
    assert call.status == 1
    assert f"{path.stem}: {path} is not the log that was written" in call.err


def test_a_missing_log_is_found(whole: Path, tmp_path: Path) -> None:
    run = damaged(whole, tmp_path / "run")
    path = sorted((run / "matches").iterdir())[5]
    path.unlink()
    call = arena("verify", run)
    assert call.status == 1
    assert f"{path.stem}: {path}: cannot be read" in call.err


def rewritten(run: Path, change: tuple[str, str]) -> None:
    """A forger changes an entry and writes the whole chain anew."""
    db = sqlite3.connect(run / FILE)
    digest = GENESIS
    for no, text in db.execute("SELECT no, entry FROM entries ORDER BY no").fetchall():
        text = text.replace(*change)
        digest = chained(digest, text)
        db.execute("UPDATE entries SET entry = ?, digest = ? WHERE no = ?", (text, digest, no))
    db.commit()
    db.close()


def test_a_chain_written_anew_shows_against_the_printed_digest(whole: Path, tmp_path: Path) -> None:
    with Journal(whole) as journal:
        digest = journal.digest
    run = damaged(whole, tmp_path / "run")
    rewritten(run, ('"rounds":2', '"rounds":3'))
    assert arena("verify", run).status == 0
    call = arena("verify", run, "--digest", digest)
    assert call.status == 1
    assert "it is a different journal" in call.err


def test_a_forged_outcome_is_found_without_any_digest(whole: Path, tmp_path: Path) -> None:
    run = damaged(whole, tmp_path / "run")
    rewritten(run, ('"placings":[4,3,1,2]', '"placings":[4,3,2,1]'))
    call = arena("verify", run)
    assert call.status == 1
    assert "the journal's outcome differs from the log's" in call.err


def test_a_shortened_chain_shows_against_the_printed_digest(whole: Path, tmp_path: Path) -> None:
    with Journal(whole) as journal:
        digest, before = journal.digest, journal.digests[-2]
    run = damaged(whole, tmp_path / "run")
    db = sqlite3.connect(run / FILE)
    db.execute("DELETE FROM entries WHERE no = (SELECT max(no) FROM entries)")
    db.commit()
    db.close()
    assert arena("verify", run, "--digest", before).status == 0
    assert arena("verify", run, "--digest", digest).status == 1
    assert "it continued after that" in arena("verify", whole, "--digest", before).err


def noticed(run: Path, digest: str, good: object) -> bool:
    """Whether `arena verify --digest` would complain; if not, the table must be the good one."""
    try:
        with Journal(run) as journal:
            if journal.digest != digest or any(finding.wrong for finding in findings(journal)):
                return True
            assert as_data(Record(journal.entries)) == good
            return False
    except UserError:
        return True


def corrupt(whole: Path, folder: Path, times: int) -> int:
    """Flip a bit of a file of a run or cut it off, at random, again and again; how often that is noticed."""
    chance, count = random.Random(times), 0
    with Journal(whole) as journal:
        digest, good = journal.digest, as_data(Record(journal.entries))
    run = damaged(whole, folder)
    for number in range(times):
        path = chance.choice([run / FILE, run / FILE, *sorted((run / "matches").iterdir())[:2]])
        original = path.read_bytes()
        data = bytearray(original)
        if number % 2:
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        else:
            del data[chance.randrange(len(data)) :]
        path.write_bytes(data)
        count += noticed(run, digest, good)
        path.write_bytes(original)
    return count


def test_damage_is_noticed_or_changes_nothing(whole: Path, tmp_path: Path) -> None:
    assert corrupt(whole, tmp_path / "run", 24) >= 12


@pytest.mark.thorough
def test_damage_a_thousand_times(whole: Path, tmp_path: Path) -> None:
    assert corrupt(whole, tmp_path / "run", 1000) > 600


def test_a_changed_bot_is_not_taken_for_the_one_that_entered(bots: list[str], tmp_path: Path) -> None:
    own = [shutil.copy(bot, tmp_path) for bot in bots]
    cut_short(own, tmp_path / "run")
    Path(own[1]).write_text(Program().source() + "\n# better\n")
    call = arena("resume", tmp_path / "run")
    assert call.status == 2
    assert f"bob: {own[1]} has changed since it entered" in call.err
    assert arena("replace", tmp_path / "run", own[1], "--reason", "mended").status == 0


@pytest.mark.thorough
def test_a_due_match_is_played_by_the_version_that_was_drawn(bots: list[str], tmp_path: Path) -> None:
    """A bot is mended in its place while its round is going on: the new program is not the old one's."""
    own = [shutil.copy(bot, tmp_path) for bot in bots]
    run, bob = tmp_path / "run", Path(own[1])
    cut_short(own, run)
    old, new = bob.read_text(), Program().source() + "\n# better\n"
    bob.write_text(new)
    assert arena("replace", run, bob, "--reason", "mended").status == 0
    call = arena("resume", run)
    assert call.status == 2
    with Journal(run) as journal:
        entrants = {entrant.name: entrant for entrant in Record(journal.entries[:1]).entrants.values()}
    due = r"and r01-p00\d-s0\d must still be played by the version before `arena replace`"
    assert re.search(rf"bob: {bob} has changed since it entered, {due}", call.err)
    assert f"(digest {entrants['bob'].digest[:16]}…); restore that version" in call.err

    # Where the old version is lost, the tournament can still end.
    assert f"or end the tournament without the unfinished pods: arena resume {run} --minutes 0" in call.err
    copy = shutil.copytree(run, tmp_path / "copy", ignore=shutil.ignore_patterns("socket"))
    assert arena("resume", copy, "--minutes", 0, "--trust").status == 0
    assert (arena("verify", copy).status, arena("resume", copy).status) == (0, 0)

    bob.write_text(old)
    assert arena("resume", run).status == 2  # That is not the new version.
    elsewhere = tmp_path / "bob-2.py"
    elsewhere.write_text(new)
    assert arena("replace", run, f"bob={elsewhere}", "--reason", "mended").status == 0
    assert arena("resume", run).status == 0
    assert arena("verify", run).status == 0


def test_two_cannot_run_one_tournament(whole: Path, tmp_path: Path) -> None:
    run = damaged(whole, tmp_path / "run")
    with Journal(run, write=True):
        call = arena("resume", run)
    assert call.status == 2
    assert "another arena is running this tournament" in call.err


@pytest.mark.thorough  # 4 s of processor; test_hand gives the same orders.
def test_the_organisers_hand(bots: list[str], tmp_path: Path) -> None:
    """Stopped in the first round; then one goes, one comes, one is mended, and a match is played again."""
    own = [shutil.copy(bot, tmp_path) for bot in bots]
    run = tmp_path / "run"
    cut_short(own, run)
    late = Path(shutil.copy(bots[0], tmp_path / "late.py"))
    silent = arena("withdraw", run, "bob", "--reason", " ")
    assert (silent.status, "--reason is empty" in silent.err) == (2, True)
    assert arena("withdraw", run, "bob", "--reason", "his own wish").status == 0
    assert arena("withdraw", run, "bob", "--reason", "again").status == 2
    assert arena("admit", run, late).status == 0
    again = arena("admit", run, late)
    assert (again.status, "late was already admitted, with this program" in again.err) == (0, True)
    same = arena("replace", run, own[0], "--reason", "by mistake")
    assert (same.status, "ada already plays with this program" in same.err) == (0, True)
    moved = tmp_path / "moved" / "ada.py"
    moved.parent.mkdir()
    moved.write_bytes(Path(own[0]).read_bytes())
    elsewhere = arena("replace", run, moved, "--reason", "tidied up")
    assert (elsewhere.status, "the same program from its new place" in elsewhere.err) == (0, True)
    mended = tmp_path / "mended" / "dee.py"
    mended.parent.mkdir()
    mended.write_text(Program().source())
    assert arena("replace", run, mended, "--reason", "the crash mended").status == 0
    mended.write_text(Program().source() + "\n# once more\n")
    assert arena("replace", run, mended, "--reason", "the crash mended at last").status == 0

    # What stands in the first round is the old dee; she is still there, so it can be played.
    call = arena("resume", run)
    assert call.status == 0, call.err
    assert re.search(r"withdrawn +bob +his own wish", call.out)
    assert re.search(r"admitted +late", call.out)
    assert re.search(r"replaced +dee +the crash mended", call.out)
    assert re.search(r"– +bob .* withdrawn", call.out)
    rows = arena("standings", run, "--json").json["entrants"]  # type: ignore[index]
    assert sorted((row["name"], row["joined"]) for row in rows if row["joined"]) == [("dee", 2), ("late", 2)]
    # The version between was never drawn, and is no row; nor is a program that only moved.
    assert [row["name"] for row in rows if row["rank_low"] is None] == ["bob", "dee (round 1)"]
    with Journal(run) as journal:
        first, second = Record(journal.entries).drawn
    assert "bob" in {name for pod in first for name in pod}
    later = {name for pod in second for name in pod if not name.startswith("house-")}
    assert later == {"ada", "cy", "dee", "late"}

    assert arena("annul", run, "r01-p001-s01", "--reason", "the machine was asleep").status == 0
    assert arena("annul", run, "r01-p001-s01", "--reason", "again").status == 2
    again = arena("resume", run)
    assert again.status == 0
    assert re.search(r"annulled +r01-p001-s01 +the machine was asleep", again.out)
    assert arena("verify", run).status == 0


@pytest.mark.needs("root")
def test_a_read_only_run_can_be_looked_at(whole: Path, tmp_path: Path) -> None:
    run = damaged(whole, tmp_path / "run")
    subprocess.run(["mount", "--bind", run, run], check=True)
    try:
        subprocess.run(["mount", "-o", "remount,ro,bind", run], check=True)
        assert arena("resume", run).status == 2
        assert table(run) == table(whole)
    finally:
        subprocess.run(["umount", run], check=True)
