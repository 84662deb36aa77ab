"""What a bot sees is settled when it enters: whom it meets changes nothing, and two that cannot be kept apart
are told at the door.
"""

import json
import os
import shutil
import subprocess
import sysconfig
import venv
from pathlib import Path

import msgspec
import pytest

from arena.director.journal import Journal
from arena.entrants.apart import PACKAGES, IsolationCheck
from arena.entrants.find import BUILTIN_BOTS, FoundBots, builtin_bot, find, house_bot, person
from arena.process.sandbox import Level, Sandbox, bounds, command
from protocol.messages import Limits
from tests.cli.calls import BOTS, ROOT, arena
from tests.support.directors import created
from tests.support.folders import folder, program
from tests.support.needs import require

WALLS = Sandbox(Level.BWRAP)


def found(*words: str, sandbox: Sandbox = WALLS) -> FoundBots:
    return find(words, "sticheln", sandbox)


def left_out(*words: str) -> list[tuple[str, str]]:
    return [(one.name, one.reason) for one in found(*words).left_out]


def test_the_house_is_nobodys_secret() -> None:
    apart = IsolationCheck(WALLS)
    everybody = (
        *(house_bot(f"house-{number}") for number in (1, 2)),
        *(builtin_bot(name, "ole") for name in BUILTIN_BOTS),
        person("person", "/tmp/nowhere", Limits()),
        *found(*BOTS).entrants,
    )
    assert [apart.obstacle(entrant) for entrant in everybody] == [None] * len(everybody)


def test_a_folder_that_holds_another_bot_comes_too_late(tmp_path: Path) -> None:
    inner = program(tmp_path / "outer" / "bots" / "inner.py", executable=False)
    outer = folder(tmp_path / "outer", 'command = "./go"', go="#!/bin/sh\n")
    assert left_out(inner, outer) == [
        ("outer", f"it would see the files of inner, which are in {tmp_path}/outer; move one of them")
    ]
    assert left_out(outer, inner) == [
        ("inner", f"outer would see its files, which are in {tmp_path}/outer; move one of them")
    ]
    assert left_out("heuristic", outer) == []


def test_a_built_folder_is_its_source_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    manifest = 'command = "./go"\nbuild = "cp made go"'
    outer = folder(tmp_path / "outer", manifest, made="#!/bin/sh\n")
    inner = program(tmp_path / "outer" / "inner.py", executable=False)
    assert [name for name, _ in left_out(inner, outer)] == ["outer"]


def test_a_link_is_where_it_leads(tmp_path: Path) -> None:
    outer = folder(tmp_path / "outer", 'command = "./go"', go="#!/bin/sh\n")
    program(tmp_path / "outer" / "inner.py", executable=False)
    (tmp_path / "inner.py").symlink_to(tmp_path / "outer" / "inner.py")
    ((name, why),) = left_out(outer, str(tmp_path / "inner.py"))
    assert name == "inner"
    assert why.startswith(f"{tmp_path}/inner.py is a link to /")  # A long path is cut.
    (tmp_path / "others").symlink_to(tmp_path / "outer")
    assert [name for name, _ in left_out(outer, str(tmp_path / "others" / "inner.py"))] == ["inner"]
    mine, theirs = str(tmp_path / "outer" / "inner.py"), str(tmp_path / "others" / "inner.py")
    ((name, why),) = left_out(f"first={mine}", f"second={theirs}")
    assert (name, why.split(";")[0]) == ("second", f"{theirs} points to {mine}, which belongs to first")


def test_neighbours_in_one_folder_and_copies_are_apart(tmp_path: Path) -> None:
    one, two = (program(tmp_path / name, executable=False) for name in ("one.py", "two.py"))
    words = (one, two, f"again={one}", f"a=python3 {one} x", f"b=python3 {one} y")
    assert [entrant.name for entrant in found(*words).entrants] == ["one", "two", "again", "a", "b"]


def test_a_command_line_that_names_the_folder_of_others_sees_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    other = program(tmp_path / "other.py", executable=False)
    program(tmp_path / "own.py", executable=False)
    assert [name for name, _ in left_out(other, "curious=python3 own.py .")] == ["curious"]


def test_what_every_bot_can_read_is_no_place_for_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.process.sandbox._everybodys", lambda: (str(tmp_path / "prefix"),))
    bot = program(tmp_path / "prefix" / "bots" / "mine.py", executable=False)
    ((_, reason),) = left_out(bot)
    assert reason.startswith("every bot would see its files")


def test_without_walls_nothing_is_hidden_anyway(tmp_path: Path) -> None:
    inner = program(tmp_path / "outer" / "inner.py", executable=False)
    outer = folder(tmp_path / "outer", 'command = "./go"', go="#!/bin/sh\n")
    assert len(found(inner, outer, sandbox=Sandbox(Level.RLIMITS)).entrants) == 2


def test_what_a_bot_sees_is_its_own_whoever_else_enters(tmp_path: Path) -> None:
    one = program(tmp_path / "one.py", executable=False)
    (alone,) = found(one).entrants
    together = found(one, *BOTS, "heuristic").entrants[0]
    words = [command(entrant.launch, Level.BWRAP, bounds(WALLS)) for entrant in (alone, together)]
    assert words[0] == words[1]


@pytest.mark.parametrize("how", ["admit", "replace"])
def test_who_comes_later_is_refused_where_it_would_be_read(how: str, tmp_path: Path) -> None:
    deep = folder(tmp_path / "deep", 'command = ["python3", "bot.py"]', **{"bot.py": "import sys\n"})
    entrants = found(deep, *BOTS[:2]).entrants
    settings = msgspec.structs.replace(created(tmp_path), entrants=entrants, sandbox=WALLS)
    Journal.create(tmp_path / "run", settings).close()
    late = program(tmp_path / "deep" / "late.py", executable=False)
    word, more = (late, ()) if how == "admit" else (f"{entrants[1].name}={late}", ("--reason", "better"))
    call = arena(how, tmp_path / "run", word, *more)
    assert call.status == 2
    assert f"deep would see its files, which are in {tmp_path}/deep" in call.err
    with Journal(tmp_path / "run") as journal:
        assert len(journal.entries) == 1


@pytest.mark.parametrize("how", ["admit", "replace"])
def test_who_comes_later_does_not_read_the_results(how: str, tmp_path: Path) -> None:
    entrants = found(*BOTS[:3]).entrants
    settings = msgspec.structs.replace(created(tmp_path), entrants=entrants, sandbox=WALLS)
    Journal.create(tmp_path / "late" / "run", settings).close()
    late = folder(tmp_path / "late", 'command = ["python3", "bot.py"]', **{"bot.py": "import sys\n"})
    word, more = (late, ()) if how == "admit" else (f"{entrants[1].name}={late}", ("--reason", "better"))
    call = arena(how, tmp_path / "late" / "run", word, *more)
    assert call.status == 2
    assert "would see the results there" in call.err


@pytest.mark.needs("bwrap")
def test_results_are_not_written_where_a_bot_reads(tmp_path: Path) -> None:
    deep = folder(tmp_path / "deep", 'command = ["python3", "bot.py"]', **{"bot.py": "import sys\n"})
    words = ("tournament", deep, *BOTS[:2], "--seats", 3, "--quiet", "--out", tmp_path / "deep" / "run")
    call = arena(*words)
    assert call.status == 2
    assert "deep would see the results there; choose a folder outside its own" in call.err
    assert not (tmp_path / "deep" / "run").exists()


@pytest.mark.needs("bwrap")
def test_a_log_is_not_written_where_a_bot_reads(tmp_path: Path) -> None:
    deep = folder(tmp_path / "deep", 'command = ["python3", "bot.py"]', **{"bot.py": "import sys\n"})
    call = arena("match", deep, *BOTS[:2], "--log", tmp_path / "deep" / "match.jsonl")
    assert call.status == 2
    assert "deep would see the results there" in call.err
    assert call.err.endswith(f"choose a folder outside its own, such as {tmp_path}/match.jsonl\n")
    call = arena("match", ".", *BOTS[:2], "--log", "match.jsonl", folder=tmp_path / "deep")
    assert call.err.endswith("choose a folder outside its own, such as ../match.jsonl\n")


@pytest.mark.thorough  # `search` takes all its time.
@pytest.mark.parametrize("level", [Level.BWRAP, Level.RLIMITS])
def test_the_houses_own_bots_meet_strangers_and_fillers(level: Level, tmp_path: Path) -> None:
    """They forfeited behind walls as soon as anybody else's file was in the match."""
    require(level)
    stranger = tmp_path / "mybot.py"
    stranger.write_text((ROOT / "bots" / "greedy.py").read_text())
    words = ("match", "heuristic", "search", stranger, "--seats", 4, "--deals", 1, "--time", "50ms+9s")
    call = arena(*words, "--sandbox", level, "--json", folder=tmp_path)
    assert call.status == 0, call.err
    assert call.json["faults"] == []  # type: ignore[index]


@pytest.mark.thorough  # 3 s of processor.
@pytest.mark.needs("bwrap")
def test_the_houses_own_bots_meet_after_an_installation_that_is_not_editable(tmp_path: Path) -> None:
    """What they need lies in one folder then, which is shown to both as a part of their Python."""
    venv.create(tmp_path, symlinks=True)
    (packages,) = tmp_path.glob("lib/python*/site-packages")
    (packages / "others.pth").write_text(sysconfig.get_path("purelib"))
    for name in (*PACKAGES, "tournaments"):
        for place in (ROOT, Path(sysconfig.get_path("platlib"))):
            if (place / name).is_dir():
                shutil.copytree(place / name, packages / name, ignore=shutil.ignore_patterns("__pycache__"))
    words = ("match", "heuristic", "search", "--seats", "3", "--deals", "1", "--time", "20ms+2s", "--json")
    done = subprocess.run(
        (tmp_path / "bin" / "python", "-P", "-m", "arena", *words, "--sandbox", "bwrap"),
        cwd=tmp_path,
        env={key: value for key, value in os.environ.items() if key != "PYTHONPATH"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["faults"] == []
