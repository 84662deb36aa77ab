"""What a run names is started for who made the run, and for others when they have seen it and said so."""

import multiprocessing
import os
import shutil
import sqlite3
from pathlib import Path
from typing import Final

import pytest

from arena.director.journal import FILE, Journal
from arena.journal.provenance import KEY, user_key
from arena.process.launch import base_interpreter
from tests.cli.calls import Call, arena
from tests.support.hostile_runs import rewritten
from tests.support.programs import ECHO, Program

LENGTH: Final = ("--rounds", 1, "--deals", 1, "--seats", 3, "--no-duplicates", "--seed", 7, "--quiet")
MATCH: Final = "r01-p001-s01"


def begun(place: Path, *words: object) -> Path:
    """A run of three bots, of which a match is still to be played."""
    for name in ("ada", "bob", "cy"):
        (place / f"{name}.py").write_text(ECHO.source())
    run = place / "run"
    call = arena("tournament", *sorted(place.glob("*.py")), *LENGTH, *words, "--out", run)
    assert call.status == 0, call.err
    assert arena("annul", run, MATCH, "--reason", "once more").status == 0
    return run


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return begun(tmp_path_factory.mktemp("own"))


@pytest.fixture
def run(own: Path, tmp_path: Path) -> Path:
    """It is still one's own when it is copied."""
    return Path(shutil.copytree(own, tmp_path / "copied"))


def resumed(run: Path, *words: str, state: Path | None = None) -> Call:
    env = {} if state is None else {"XDG_STATE_HOME": str(state)}
    return arena("resume", run, "--quiet", *words, env=env)


def test_one_s_own_run_goes_on_wherever_it_is(run: Path) -> None:
    """Also when the organiser has put a hand to it, and it was killed behind an entry."""
    with Journal(run, write=True) as journal:
        assert journal.made_here
    call = resumed(run)
    assert (call.status, "these programs would be started" in call.err) == (0, False)
    with Journal(run) as journal:
        assert journal.made_here


@pytest.mark.needs("bwrap")
def test_another_s_run_goes_on_when_it_has_been_shown_and_trusted(run: Path, tmp_path: Path) -> None:
    call = resumed(run, state=tmp_path / "other")
    assert call.status == 2
    shown, *programs, refused = call.err.splitlines()
    assert shown == "these programs would be started, at level bwrap:"
    for name, line in zip(("ada", "bob", "cy"), programs, strict=True):
        assert line.startswith(f"  {name}: {base_interpreter()} -P /")
    assert "has no key yet); if these programs may be started, add --trust" in refused
    assert resumed(run, "--trust", state=tmp_path / "other").status == 0
    assert resumed(run, state=tmp_path / "other").status == 0, "it is theirs now"
    assert resumed(run).status == 2, "and no longer ours"


def test_a_changed_command_makes_a_run_a_stranger_s(run: Path, tmp_path: Path) -> None:
    """Its program is the one that entered, so that only the tag can tell; what it starts is another."""
    evil = f'"argv":["/bin/sh","-c","touch {tmp_path}/ran; exec '
    rewritten(run, f'"argv":["{base_interpreter()}","-P","', evil)
    call = resumed(run)
    assert call.status == 2
    assert "this run was not made here by this user; if these programs may be started" in call.err
    assert f"  ada: /bin/sh -c 'touch {tmp_path}/ran; exec " in call.err
    assert not (tmp_path / "ran").exists()


def test_a_stranger_s_run_stays_one_when_an_entry_is_added(run: Path) -> None:
    rewritten(run, '"faults":1', '"faults":2')
    assert arena("withdraw", run, "ada", "--reason", "her wish").status == 0
    with Journal(run) as journal:
        assert not journal.made_here
    late = ("admit", run, run.parent / "late.py")
    (run.parent / "late.py").write_text(ECHO.source())
    assert arena(*late).status == 2


@pytest.mark.thorough
def test_a_run_of_an_earlier_arena_asks_once(run: Path) -> None:
    db = sqlite3.connect(run / FILE)
    db.execute("DROP TABLE made_here")
    db.close()
    assert "does not say where it was made, like all runs of earlier versions" in resumed(run).err
    assert resumed(run, "--trust").status == 0
    assert resumed(run).status == 0


@pytest.mark.thorough
@pytest.mark.needs("bwrap")
def test_below_the_best_level_only_where_that_is_said_too(tmp_path: Path) -> None:
    run, other = begun(tmp_path, "--sandbox", "none"), tmp_path / "other"
    assert "add --trust --sandbox none" in resumed(run, state=other).err
    trusted = resumed(run, "--trust", state=other)
    assert (trusted.status, "level none, below bwrap" in trusted.err) == (2, True)
    assert resumed(run, "--trust", "--sandbox", "bwrap", state=other).status == 2
    assert resumed(run, "--trust", "--sandbox", "none", state=other).status == 0


@pytest.mark.thorough
def test_who_can_have_no_key_is_told_so_and_plays(tmp_path: Path) -> None:
    nowhere = {"XDG_STATE_HOME": "/proc"}
    for name in ("ada", "bob", "cy"):
        (tmp_path / f"{name}.py").write_text(ECHO.source())
    call = arena("tournament", *tmp_path.glob("*.py"), *LENGTH, "--out", tmp_path / "run", env=nowhere)
    assert call.status == 0
    assert "/proc/card-arena/key" in call.err
    assert "arena resume will ask for --trust" in call.err
    assert arena("resume", tmp_path / "run", env=nowhere).status == 2
    assert arena("resume", tmp_path / "run", "--trust", env=nowhere).status == 0


def test_a_rematch_takes_no_program_from_a_stranger_s_run(own: Path, run: Path, tmp_path: Path) -> None:
    assert resumed(run).status == 0
    other = {"XDG_STATE_HOME": str(tmp_path / "other")}
    (tmp_path / "new.py").write_text(ECHO.source() + "\n")
    words = ("rematch", run / "matches" / f"{MATCH}.jsonl", "--seat", 0, tmp_path / "new.py")
    assert arena(*words, *own.parent.glob("*.py"), env=other).status == 0, "all are named"
    assert arena(*words).status == 0, "it is one's own"
    call = arena(*words, env=other)
    assert call.status == 2
    assert "if these programs may be started, add --trust" in call.err
    assert arena(*words, "--trust", env=other).status == 0


@pytest.mark.needs("bwrap")
def test_a_program_is_run_again_inside_the_walls(run: Path, tmp_path: Path) -> None:
    assert resumed(run).status == 0
    (tmp_path / "secret").write_text("nobody's business")
    spy = Program(
        before=f"import os\nprint('\\x1b[2J', os.path.exists({str(tmp_path / 'secret')!r}), file=sys.stderr)"
    )
    (tmp_path / "spy.py").write_text(spy.source())
    words = ("rerun", run / "matches" / f"{MATCH}.jsonl", "--seat", 0)
    program = (tmp_path / "spy.py",)
    for walled in (program, ("--", "python3", "-P", *program)):
        call = arena(*words, *walled)
        assert (call.status, call.err) == (0, "\\x1b[2J False\n")
    open_ = arena(*words, "--sandbox", "none", "--", "python3", "-P", *program)
    assert (open_.status, open_.err) == (0, "\x1b[2J True\n")


def made(_: int) -> bytes | str:
    return user_key(make=True)


def test_of_many_who_begin_at_once_all_have_one_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    with multiprocessing.get_context("fork").Pool(4) as pool:
        (key,) = set(pool.map(made, range(32), chunksize=1))
    assert isinstance(key, bytes)
    path = tmp_path / "card-arena" / KEY
    assert [path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777] == [0o600, 0o700]
    assert os.listdir(path.parent) == [KEY]


@pytest.mark.parametrize("spoilt", ["open", "link", "short", "folder"])
def test_a_key_that_others_could_know_is_none(
    spoilt: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert isinstance(user_key(make=True), bytes)
    path = tmp_path / "card-arena" / KEY
    match spoilt:
        case "open":
            path.chmod(0o644)
        case "link":
            path.rename(tmp_path / "key")
            path.symlink_to(tmp_path / "key")
        case "short":
            path.write_bytes(b"short")
        case "folder":
            path.parent.chmod(0o777)
    reason = user_key(make=True)
    assert isinstance(reason, str)
    assert str(path.parent) in reason
