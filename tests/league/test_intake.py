"""What becomes of the programs that lie in the inbox, whatever an author has put there."""

import contextlib
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from itertools import islice, product
from pathlib import Path

import pytest
import trio

from arena.checking.findings import Checked, Finding, NotChecked, Verdict
from arena.league.carried import Version
from arena.league.inbox import REST_SECONDS, LeagueInbox, can_be_told, opened, removed, tell
from arena.league.intake import MOST_REMARKS, SEE_FOR_YOURSELF, Collector, spoilt, take_in
from arena.league.office import Office
from arena.league.room import PROGRAM, TAKEN, leftovers, tidy
from arena.league.store import BOUNDS, MOST_FILES, UnfitProgram, keep
from arena.report.league_site import write_site
from arena.system.errors import UserError
from arena.system.trees import remove_folder
from tests.league.leagues import LAST, copied, done, of_type, rewritten
from tests.support.archives import zipped
from tests.support.daemons import PATIENCE_SECONDS, begun, says
from tests.support.programs import Program, at
from tests.support.swapping import needs_exchange, owned, stranger
from tests.support.waiting import until


def collected(league: Path) -> tuple[list[str], str]:
    """The versions that wait when all is taken out of the inbox, and what its organiser is told."""
    said: list[str] = []
    with Office(league) as office:
        collector = Collector(office, said.append, rest=0)
        for _ in range(100):
            trio.run(collector.collect)
            if {path.name for path in (league / "inbox").glob("*/*")} <= {"answers.txt"}:
                break
        return [version.id for version in office.state.waiting()], "\n".join(said)


def answers(league: Path, author: str = "red") -> str:
    """The answers to an author, without the time before each."""
    _, *lines = (league / "inbox" / author / "answers.txt").read_text().splitlines(keepends=True)
    timed = [re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC: (.*\n)", line) for line in lines]
    assert all(timed)
    return "".join(line[1] for line in timed if line)


@contextlib.contextmanager
def undeletable(path: Path) -> Iterator[None]:
    """A file that its folder does not let go."""
    if os.geteuid():
        path.parent.chmod(0o500)
    elif not shutil.which("chattr") or subprocess.run(["chattr", "+i", path], check=False).returncode:
        pytest.skip("no file can be made immutable here")
    try:
        yield
    finally:
        if os.geteuid():
            path.parent.chmod(0o700)
        else:
            subprocess.run(["chattr", "-i", path], check=True)


def test_archives_in_the_inbox_become_versions_or_are_answered(league: Path, tmp_path: Path) -> None:
    league = copied(league, tmp_path)
    inbox = league / "inbox" / "red"
    zipped(
        inbox / "Packed Bot.zip", {"packed/bot.toml": b"command = 'python3 bot.py'\n", "packed/bot.py": b""}
    )
    zipped(inbox / "mybot.zip", {"mybot.py": LAST.source().encode()})
    zipped(inbox / "two.zip", {"ada.py": b"", "bob.py": b""})
    (inbox / "broken.tar.gz").write_bytes(b"\x1f\x8b")
    versions, said = collected(league)
    assert versions == ["red/packed-bot@1"]
    refused = {line.partition(": ")[0] for line in said.splitlines()}
    assert refused == {str(inbox / name) for name in ("two.zip", "broken.tar.gz")}
    told = answers(league)
    assert "mybot.zip: it is already the current version" in told
    assert "two.zip: several files can be the bot: ada.py, bob.py; add a bot.toml next to them" in told
    assert "broken.tar.gz: broken.tar.gz is damaged" in told
    assert "; pack it again as .zip or .tar.gz" in told
    assert [path.name for path in inbox.iterdir()] == ["answers.txt"]


def test_no_author_uses_up_what_the_organiser_is_told_of_others(league: Path, tmp_path: Path) -> None:
    league = copied(league, tmp_path)
    done("author", league, "blue")
    inbox, said = league / "inbox", list[str]()
    for signs in islice(product("!#%+", repeat=4), MOST_REMARKS + 4):  # Long names are shown cut off.
        (inbox / "red" / f"{''.join(signs)}.py").touch()
    with Office(league) as office:
        collector = Collector(office, said.append, rest=0)
        while [*(inbox / "red").glob("*.py")]:
            trio.run(collector.collect)
        assert len(said) == MOST_REMARKS + 1
        assert said[-1].endswith("; further remarks about this folder are not shown")
        (inbox / "blue" / "!.py").touch()
        trio.run(collector.collect)
    assert said[-1].startswith(f"{inbox}/blue/!.py: refused: this cannot become a name")


def test_what_is_left_over_keeps_nobody_waiting(league: Path, tmp_path: Path) -> None:
    """An author's hundred thousand folders, of which as many are deleted at each start as there is time."""
    left = copied(league, tmp_path) / "built" / f"{TAKEN}{os.getuid()}-0"
    (left / "folder").mkdir(parents=True)
    tidy(left.parent.parent, seconds=0)
    assert left.exists()
    tidy(left.parent.parent)
    assert not left.exists()


def test_what_could_not_be_deleted_in_time_stays_in_one_place(league: Path, tmp_path: Path) -> None:
    copy = copied(league, tmp_path)
    for number in range(2000):
        (copy / "inbox" / "red" / "wide" / f"{number}").mkdir(parents=True)
    with opened(copy, "red") as inside:
        assert removed(copy, "wide", inside, None, seconds=0.002)
    assert not (copy / "inbox" / "red" / "wide").exists()
    assert len(leftovers(copy)) <= 1
    tidy(copy)
    assert leftovers(copy) == []


def test_what_everybody_reads_names_no_folder_of_this_machine(league: Path, tmp_path: Path) -> None:
    league = copied(league, tmp_path)
    unfit = league / "inbox" / "red" / "unfit"
    unfit.mkdir()
    (unfit / "bot.toml").write_text("command = './gone'\n")
    with Office(league) as office:
        trio.run(Collector(office, print, rest=0).collect)
        (version,) = office.state.waiting()
        trio.run(take_in, office, version.id)
        found = office.state.versions[version.id]
    assert found.status == "refused"
    assert str(tmp_path) not in found.why + found.cure
    assert str(tmp_path) not in done("versions", league, "red/unfit").out
    assert str(tmp_path) not in (league / "inbox" / "red" / "answers.txt").read_text()


def refused(league: Path, program: Program) -> Version:
    """The version that an author's program becomes."""
    sent = league / "inbox" / "red" / "broken.py"
    sent.write_text(program.source())
    with Office(league) as office:
        trio.run(Collector(office, print, rest=0).collect)
        (version,) = office.state.waiting()
        trio.run(take_in, office, version.id)
        return office.state.versions[version.id]


@pytest.mark.thorough  # 2 s of processor.
def test_a_refusal_says_what_the_bot_did_where_and_what_to_do(league: Path, tmp_path: Path) -> None:
    league = copied(league, tmp_path)
    crashed = refused(league, Program(asked=at(5, "raise ValueError('bad <b>weights</b>')")))
    assert crashed.why == (
        "in a trial match of Sticheln (NSV) at 3 seats it crashed at request 5 with "
        "“ValueError: bad <b>weights</b>”"
    )
    assert crashed.cure == SEE_FOR_YOURSELF
    illegal = refused(league, Program(asked=at(2, "answer = answer.replace(m['legal'][0], 'joker')")))
    assert (
        illegal.why == "in a trial match of Sticheln (NSV) at 3 seats its answer to request 2 was not legal"
    )
    assert (
        illegal.cure == "“joker” is not in `legal`: send one of the strings listed there, exactly as written"
    )
    told = done("versions", league, "red/broken").out
    for one in (crashed, illegal):
        assert f"{one.id}: refused, {one.why}; {one.cure}\n" in told
        assert f"{one.id}: refused: {one.why}; {one.cure}\n" in answers(league)
    write_site(league, tmp_path / "site", "")
    page = (tmp_path / "site" / "bots" / "red.broken.html").read_text()
    assert page.count("“joker” is not in") == 1
    assert "bad &lt;b&gt;weights" in page


@pytest.mark.thorough
def test_neither_names_nor_strangers_nor_what_stays_stop_a_league(league: Path, tmp_path: Path) -> None:
    league = copied(league, tmp_path)
    inbox = league / "inbox" / "red"
    bot = LAST.source().encode()
    for name in (b"bad\xff.py", b"two\nlines.py", "\u202eround.py".encode()):
        Path(os.fsdecode(os.fsencode(inbox) + b"/" + name)).write_bytes(bot)
    (inbox / "stays.py").write_bytes(bot + b"# another one\n")
    (league / "inbox" / "purple").mkdir()
    Path(os.fsdecode(os.fsencode(league / "inbox") + b"/no\xff.py")).touch()
    time.sleep(REST_SECONDS + 0.1)
    heard = tmp_path / "heard"
    with undeletable(inbox / "stays.py"), heard.open("wb") as file:
        daemon = begun(league, file)
        try:
            until(says(heard, "cannot be deleted"), PATIENCE_SECONDS)
            daemon.send_signal(signal.SIGINT)
            assert daemon.wait(PATIENCE_SECONDS) == 130
        finally:
            daemon.kill()
            daemon.wait()
    said = heard.read_text()
    assert said.count("it was examined and cannot be deleted; it is left there until it changes") == 1
    assert (
        said.count(
            f"{league / 'inbox' / 'purple'}: it belongs to no author; to register one: `arena league author`"
        )
        == 1
    )
    assert said.count(f"{league / 'inbox'}/no?.py: it belongs to no author") == 1
    told = answers(league).splitlines()
    assert sum(line.startswith("red/stays@1: received; ") for line in told) == 1
    assert "bad?.py: a file called 'bad\\udcff.py' cannot be stored; give it a plain name" in told
    assert "two lines.py: a file called 'two\\nlines.py' cannot be stored; give it a plain name" in told
    assert "round.py: a file called '\\u202eround.py' cannot be stored; give it a plain name" in told


def test_a_link_in_the_place_of_an_inbox_is_not_followed(league: Path, tmp_path: Path) -> None:
    copy = copied(league, tmp_path)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "mine.py").write_text(LAST.source())
    inbox = copy / "inbox" / "red"
    shutil.rmtree(inbox)
    inbox.symlink_to(elsewhere)
    versions, said = collected(copy)
    assert versions == []
    assert "inbox/red: nothing can be taken from here: expected a folder, got a symbolic link" in said
    assert [path.name for path in elsewhere.iterdir()] == ["mine.py"]


def test_what_is_the_leagues_own_is_not_taken_where_others_can_put_it(league: Path, tmp_path: Path) -> None:
    """Who may move a folder may not be allowed to read or to delete what is in it."""
    copy = copied(league, tmp_path)
    inbox = copy / "inbox" / "red"
    inbox.chmod(0o777)
    (inbox / "notes.py").write_text("raise SystemExit('a secret')")
    (inbox / "moved" / "private").mkdir(parents=True)
    (inbox / "moved" / "private" / "marks").write_text("a secret")
    (inbox / "moved" / "bot.toml").write_text("command = 'cat private/marks'")
    versions, said = collected(copy)
    assert versions == []
    for name in ("notes.py", "moved"):
        assert f"{name}: {name} does not belong to its author; send your own copy" in answers(copy)
        assert f"inbox/red/{name}: it was examined and cannot be deleted" in said
    assert "secret" not in answers(copy)
    assert (inbox / "moved" / "private" / "marks").read_text() == "a secret"


def test_what_is_gone_from_a_folder_of_others_is_not_as_it_was(league: Path, tmp_path: Path) -> None:
    copy = copied(league, tmp_path)
    folder = copy / "inbox" / "red"
    folder.chmod(0o777)
    (folder / "one.py").write_text("")
    inbox = LeagueInbox(copy, rest=0.0)
    sent = inbox.arrived("red")
    assert sent is not None
    (folder / "one.py").unlink()
    with opened(copy, "red") as inside:
        assert not inbox.is_as_found(sent, inside)


@pytest.mark.needs("root")
@pytest.mark.parametrize("whose", ["private", "private/marks"])
def test_what_a_third_user_has_is_no_part_of_a_program(whose: str, league: Path, tmp_path: Path) -> None:
    copy = copied(league, tmp_path)
    inbox = copy / "inbox" / "red"
    (inbox / "moved" / "private").mkdir(parents=True)
    (inbox / "moved" / "private" / "marks").write_text("a secret")
    (inbox / "moved" / "bot.toml").write_text("command = 'cat private/marks'")
    for path in (inbox, *inbox.rglob("*")):
        os.chown(path, 64001, 64001)
    os.chown(inbox / "moved" / whose, 64002, 64002)
    assert collected(copy)[0] == []
    assert f"moved: {whose} does not belong to its author" in answers(copy)
    assert (inbox / "moved" / "private" / "marks").read_text() == "a secret"


@pytest.mark.needs("root")
@pytest.mark.parametrize("is_folder", [True, False])
def test_what_takes_the_place_of_a_program_comes_back(is_folder: bool, league: Path, tmp_path: Path) -> None:
    """Its author exchanged it for what belongs to the league's user, after it was looked at."""
    copy = copied(league, tmp_path)
    private = copy / "inbox" / "red" / "bot"
    if is_folder:
        private.mkdir()
    kept = private / "marks" if is_folder else private
    kept.write_text("a secret")
    with opened(copy, "red") as inside:
        assert not removed(copy, "bot", inside, 64001)
    (back,) = (copy / "inbox" / "red").glob("not-sent-*")
    assert (back / "marks" if is_folder else back).read_text() == "a secret"
    assert not list((copy / "built").glob("*-*"))


@pytest.mark.needs("root")
def test_what_was_moved_into_a_program_that_is_deleted_stays(league: Path, tmp_path: Path) -> None:
    copy = copied(league, tmp_path)
    taken = copy / "built" / f"{TAKEN}64001-0"
    (taken / "deep" / "private").mkdir(parents=True)
    for path in (taken, taken / "deep"):
        (path / "bot.py").touch()
        for mine in (path, path / "bot.py"):
            os.chown(mine, 64001, 64001)
    (taken / "deep" / "private" / "marks").write_text("a secret")
    tidy(copy)
    tidy(copy)
    left = [path.name for path in (copy / "built").rglob("*") if path.is_file()]
    assert "bot.py" not in left
    assert left.count("marks") == 1
    _, told = collected(copy)
    assert f"{copy / 'built' / TAKEN}64001-" in told


@pytest.mark.needs("root")
def test_what_was_left_of_a_program_is_deleted_later(league: Path, tmp_path: Path) -> None:
    """All of its author's, and nothing else."""
    copy = copied(league, tmp_path)
    program = copy / "inbox" / "red" / "bot"
    (program / "in" / "deeper").mkdir(parents=True)
    (program / "in" / "marks").write_text("a secret")
    for path in (program, program / "in", program / "in" / "deeper"):
        os.chown(path, 64001, 64001)
    with opened(copy, "red") as inside:
        assert removed(copy, "bot", inside, 64001, seconds=0)
    (left,) = leftovers(copy)
    assert (left / PROGRAM / "in" / "deeper").exists()
    while list(left.rglob("deeper")):
        assert f"{left}: this is left of a program" in collected(copy)[1]
    tidy(copy)
    (left,) = leftovers(copy)
    assert [path.read_text() for path in left.rglob("*") if path.is_file()] == ["a secret"]


def test_a_hard_link_to_another_file_is_refused(league: Path, tmp_path: Path) -> None:
    copy = copied(league, tmp_path)
    inbox = copy / "inbox" / "red"
    (tmp_path / "private.py").write_text("raise SystemExit('a secret')")
    os.link(tmp_path / "private.py", inbox / "one.py")
    (inbox / "folder").mkdir()
    (inbox / "folder" / "bot.toml").write_text("command = 'python3 data.py'")
    os.link(tmp_path / "private.py", inbox / "folder" / "data.py")
    assert collected(copy)[0] == []
    for name in ("one.py", "folder"):
        assert f"{name}: it is a hard link to a file that also has another name; send a copy" in answers(copy)
    assert (tmp_path / "private.py").exists()


def test_answers_are_added_to_no_other_file(league: Path, tmp_path: Path) -> None:
    copy = copied(league, tmp_path)
    answers_of = {author: copy / "inbox" / author / "answers.txt" for author in ("red", "blue")}
    private = tmp_path / "private"
    private.write_text("a key\n")
    for path in answers_of.values():
        path.unlink(missing_ok=True)
    os.link(private, answers_of["red"])
    answers_of["blue"].symlink_to(private)
    for author in answers_of:
        tell(copy, author, "a line")
    assert private.read_text() == "a key\n"
    assert answers(copy) == "a line\n"
    assert answers_of["red"].stat().st_nlink == 1
    (copy / "inbox" / "red" / "answers.txt").write_text("my notes\n")
    tell(copy, "red", "another")
    assert answers(copy) == "another\n"
    tell(copy, "red", "a third")
    (copy / "inbox" / "red" / "answers.txt").write_text("more notes\n")
    tell(copy, "red", "a fourth")
    earlier = (copy / "inbox" / "red").glob("answers-earlier-*.txt")
    assert sorted(path.read_text() for path in earlier) == ["a key\n", "more notes\n", "my notes\n"]
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    shutil.rmtree(copy / "inbox" / "red")
    (copy / "inbox" / "red").symlink_to(elsewhere)
    tell(copy, "red", "a line")
    assert not can_be_told(copy, "red")
    assert os.listdir(elsewhere) == []


def test_answers_that_find_no_room_leave_nothing(league: Path, tmp_path: Path) -> None:
    copy = copied(league, tmp_path)
    inbox = copy / "inbox" / "red"
    (inbox / "answers.txt").unlink(missing_ok=True)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    opened_before = os.listdir("/dev/fd")
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        for _ in range(3):
            tell(copy, "red", "a line")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert (os.listdir(inbox), len(os.listdir("/dev/fd"))) == ([], len(opened_before))
    tell(copy, "red", "another")
    assert answers(copy) == "another\n"


def test_answers_go_astray_at_no_moment(league: Path, tmp_path: Path) -> None:
    """Its author links the file for answers to another, and removes that name again, all the time."""
    copy = copied(league, tmp_path)
    inbox, private = copy / "inbox" / "red", tmp_path / "private"
    (inbox / "answers.txt").unlink(missing_ok=True)
    private.write_text("a key\n")
    swapping = (
        "import os, sys, contextlib\n"
        "while True:\n"
        "    with contextlib.suppress(OSError):\n"
        "        os.link(sys.argv[1], sys.argv[2])\n"
        "    with contextlib.suppress(OSError):\n"
        "        os.unlink(sys.argv[2])\n"
    )
    with subprocess.Popen([sys.executable, "-c", swapping, private, inbox / "answers.txt"]) as swapper:
        for _ in range(20_000):
            tell(copy, "red", "a line")
        swapper.kill()
    assert private.read_text() == "a key\n"


@pytest.mark.parametrize("year", [1970, 2100])
def test_no_author_says_since_when_a_program_is_at_rest(league: Path, tmp_path: Path, year: int) -> None:
    copy = copied(league, tmp_path)
    sent = copy / "inbox" / "red" / "mine"
    sent.mkdir()
    (sent / "bot.py").write_text("half of")
    for path in (sent / "bot.py", sent):
        os.utime(path, (seconds := (year - 1970) * 31_557_600, seconds))
    assert LeagueInbox(copy, rest=10_000).arrived("red") is None
    inbox = LeagueInbox(copy, rest=0)
    assert (found := inbox.arrived("red"))
    (sent / "bot.py").write_text("half of i")
    assert inbox.remove(found)  # It is not what was found.
    assert sent.exists()


def test_what_is_put_in_the_place_of_a_program_that_was_taken_stays(league: Path, tmp_path: Path) -> None:
    copy = copied(league, tmp_path)
    sent = copy / "inbox" / "red" / "mine.py"
    sent.write_text("print()")
    inbox = LeagueInbox(copy, rest=0)
    assert (first := inbox.arrived("red"))
    sent.write_text("print(1)")
    assert inbox.remove(first)
    assert (second := inbox.arrived("red"))
    assert inbox.remove(second)
    assert not sent.exists()
    assert inbox.arrived("red") is None


SECRET = "the secret of the league"


@needs_exchange
@pytest.mark.parametrize(
    "tries",
    # So many show a race that is rarely won.
    [2, pytest.param(30, marks=pytest.mark.thorough), pytest.param(100, marks=pytest.mark.exhaustive)],
)
def test_nobody_reads_by_a_link_that_changes_places_with_a_folder(
    league: Path, tmp_path: Path, tries: int
) -> None:
    """One with a bot.toml, which messages quote, and one with what a version would hold."""
    copy = copied(league, tmp_path)
    ours, inbox, theirs = tmp_path / "ours", owned(copy / "inbox" / "red"), tmp_path / "theirs"
    ours.mkdir(mode=0o711)
    for name in ("bot.toml", "bot.py"):
        (ours / name).write_text(f"{SECRET} = 1\n")
        (ours / name).chmod(0o600)
    before = {path: path.stat() for path in (ours, *ours.iterdir())}
    with stranger() as them, Office(copy) as office:
        for number in range(tries):
            remove_folder(theirs)
            theirs.mkdir()
            (inbox / "sent" / "data").mkdir(parents=True)
            for folder in (inbox / "sent", inbox / "sent" / "data"):
                (folder / "bot.toml").write_text(f"command = 'python3 bot.py' # {number}\n")
                (folder / "bot.py").write_text("print()\n")
            for name in ("sent", "data", "bot.toml"):
                (theirs / name).symlink_to(ours / "bot.toml" if name == "bot.toml" else ours)
            swapped = ("sent", "data", "bot.toml")[number % 3]
            where = inbox if swapped == "sent" else inbox / "sent"
            owned(inbox)
            them.swaps(where, owned(theirs), swapped)
            collector = Collector(office, print, rest=0)
            trio.run(collector.collect)
            with contextlib.suppress(UnfitProgram, UserError):
                keep(copy, inbox / "sent")
            them.rests()
            remove_folder(inbox / "sent")
            for version in [*office.state.waiting()]:
                trio.run(take_in, office, version.id)
    assert SECRET not in answers(copy)
    for path in (copy / "versions").rglob("*"):
        assert path.is_symlink() or path.is_dir() or SECRET not in path.read_text(errors="replace"), path
    assert {path: path.stat() for path in (ours, *ours.iterdir())} == before


def test_who_cannot_be_told_is_told_of(league: Path, tmp_path: Path) -> None:
    copy = copied(league, tmp_path)
    inbox = copy / "inbox" / "red"
    (inbox / "answers.txt").unlink(missing_ok=True)
    os.mkfifo(inbox / "answers.txt")
    (inbox / "mine.py").write_text("print()")
    versions, said = collected(copy)
    assert versions == ["red/mine@1"]
    assert "red/answers.txt: it is not a file, so answers cannot be written" in said


def test_what_cannot_be_deleted_is_taken_once_until_it_is_changed(league: Path, tmp_path: Path) -> None:
    league = copied(league, tmp_path)
    stays = league / "inbox" / "red" / "stays.py"
    stays.write_bytes(LAST.source().encode())
    said: list[str] = []
    with Office(league) as office:
        collector = Collector(office, said.append, rest=0)
        with undeletable(stays):
            for _ in range(3):
                trio.run(collector.collect)
        assert len(said) == 1
        stays.write_bytes(LAST.source().encode() + b"# better\n")
        trio.run(collector.collect)
        assert not stays.exists()
        assert [version.id for version in office.state.waiting()] == ["red/stays@1", "red/stays@2"]


def deep(path: Path, depth: int) -> Path:
    """A bot far below, deeper than a path can name."""
    path.mkdir()
    here = os.open(path, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir("d" * 100, dir_fd=here)
        below = os.open("d" * 100, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)
    return path


def test_folders_in_folders_are_refused_and_hold_up_nobody(
    league: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    league = copied(league, tmp_path)
    inbox = league / "inbox" / "red"
    (inbox / "outer" / "inner").mkdir(parents=True)
    (inbox / "outer" / "inner" / "bot.toml").write_text("command = 'python3 bot.py'\n")
    (inbox / "no-bot").mkdir()
    for name, depth in (("deep", 100), ("deeper", 1200)):
        request.addfinalizer(partial(remove_folder, deep(inbox / name, depth)))  # pytest itself cannot.
    (inbox / "large").mkdir()
    for number in range(MOST_FILES + 1):
        (inbox / "large" / str(number)).touch()
    (inbox / "mine.py").write_bytes(LAST.source().encode())
    versions, said = collected(league)
    assert versions == ["red/mine@1"]
    assert f"{inbox}/no-bot: refused: it is a folder without a bot.toml" in said
    assert len(said.splitlines()) == 5
    told = answers(league).splitlines()
    assert "outer: it has no bot.toml; the folder inner in it has one; send that folder" in told
    assert "no-bot: it is a folder without a bot.toml; send one file, or a folder with a bot.toml" in told
    assert "deep: its folders are nested deeper than 32; use fewer levels of folders" in told
    assert "deeper: its folders are nested deeper than 32; use fewer levels of folders" in told
    assert f"large: it has more than {MOST_FILES} files; leave out what it does not need to play" in told
    assert [path.name for path in inbox.iterdir()] == ["answers.txt"]
    assert not [*(league / "built").glob("unfinished-*")]


def test_who_has_sent_enough_is_refused_before_anything_is_copied(league: Path, tmp_path: Path) -> None:
    league = copied(league, tmp_path)
    rewritten(league, lambda rows: of_type(rows, "league")[0].update(quota=1))
    before = sorted((league / "versions").iterdir())
    inbox = league / "inbox" / "red"
    zipped(inbox / "packed.zip", {"bot.py": b"pass\n"})
    (inbox / "plain.py").write_text("pass\n")
    # A program that cannot even be unpacked: nobody has tried to.
    (inbox / "broken.zip").write_bytes(b"PK\3\4")
    versions, said = collected(league)
    assert versions == []
    for name in ("packed.zip", "plain.py", "broken.zip"):
        assert f"{inbox}/{name}: refused: red has sent 1 version today; try again tomorrow (UTC)" in said
        assert f"{name}: red has sent 1 version today; try again tomorrow (UTC)" in answers(league)
    assert sorted((league / "versions").iterdir()) == before


@pytest.mark.thorough  # 9 s of processor.
def test_nobody_waits_for_all_the_slow_archives_of_another_one(league: Path, tmp_path: Path) -> None:
    league = copied(league, tmp_path)
    for number in range(6):
        files = {f"{number}/{other}": b"" for other in range(BOUNDS.files // 2 - 10)}
        zipped(league / "inbox" / "red" / f"slow{number}.zip", files)
    for number in range(2):
        path = league / "inbox" / "blue" / f"quick{number}.py"
        path.write_bytes(LAST.source().encode())
    left = 0

    async def collected_until(versions: list[str]) -> None:
        nonlocal left

        async def collect() -> None:
            # A turn takes some seconds at most, and a busy machine needs several.
            while [version.id for version in office.state.waiting()] != versions:
                await collector.collect()

        async with trio.open_nursery() as nursery:
            nursery.start_soon(collect)
            while [version.id for version in office.state.waiting()] != versions:
                await trio.sleep(0.001)
            left = len([*(league / "inbox" / "red").glob("*.zip")])

    with Office(league) as office:
        collector = Collector(office, print, rest=0)
        trio.run(collected_until, ["blue/quick0@1", "blue/quick1@1"])
    assert left >= 4, f"{6 - left} of the six went first"


def test_a_damaged_copy_is_restored_by_whoever_sends_the_program_again(league: Path, tmp_path: Path) -> None:
    league = copied(league, tmp_path)
    for name in ("first", "second"):
        folder = league / "inbox" / "red" / name
        folder.mkdir()
        (folder / "bot.toml").write_text("command = 'python3 bot.py'\n")
        (folder / "bot.py").write_text(LAST.source())
        if name == "first":
            assert collected(league) == (["red/first@1"], "")
            with Office(league) as office:
                version = office.state.versions["red/first@1"]
            kept = league / "versions" / version.digest / version.file
            (kept / "bot.py").write_text("raise SystemExit")
    assert collected(league) == (["red/first@1", "red/second@1"], "")
    assert (kept / "bot.py").read_text() == LAST.source()
    shutil.rmtree(kept.parent)
    again = league / "inbox" / "blue" / "again"
    again.mkdir()
    (again / "bot.toml").write_text("command = 'python3 bot.py'\n")
    (again / "bot.py").write_text(LAST.source())
    assert "blue/again@1" in collected(league)[0]
    assert (kept / "bot.py").read_text() == LAST.source()
    assert not [*(league / "versions").glob("unfinished-*")]


def test_a_check_that_the_machine_has_spoilt_says_nothing_of_the_bot() -> None:
    def checked(*diagnoses: str) -> Checked:
        failed = (Finding("x", "y", Verdict.FAILED, diagnosis=one) for one in diagnoses)
        return Checked("bot", (Finding("a", "b", Verdict.PASSED), *failed))

    assert spoilt(NotChecked("bot", "no room"))
    assert spoilt(checked("busy-machine"))
    assert spoilt(checked("starved"))
    assert not spoilt(checked("crashed"))
    assert not spoilt(checked())
