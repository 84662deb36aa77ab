"""What systems, editors and interpreters leave is in nobody's sight: for each name of the table a bot that
would play by it, at every level, built and not, alone and in a folder, in a league and on another machine."""

import os
import sys
import time
from pathlib import Path

import msgspec
import pytest

from arena.cluster.bundle import launch as launch_of
from arena.cluster.bundle import pack, unpack
from arena.entrants.clutter import CLUTTER, is_clutter
from arena.entrants.digest import Rule, digest
from arena.entrants.entrant import Entrant
from arena.entrants.find import find, find_again
from arena.entrants.kept import how_changed
from arena.league.store import entrant, keep
from arena.process.botprocess import BotProcess
from arena.process.launch import Launch
from arena.process.sandbox import Level, Sandbox
from arena.process.spawn import spawn
from tests.support.clutter import EXAMPLES, cluttered
from tests.support.needs import require

PROGRAMS = (
    "helper.pyc",
    "cache/x",
    ".venv/lib/x",
    "node_modules/.bin/x",
    ".env",
    "x.swp",
    "git",
    "data.db",
    "#1",
)
"""Names that look like it and are not in the table."""

LOOKS = """\
import os, sys
sys.path.insert(0, os.getcwd())
top, found = sys.argv[1], []
for here, folders, files in os.walk(top):
    empty = [name for name in folders if not os.listdir(os.path.join(here, name))]
    found += [os.path.relpath(os.path.join(here, name), top) for name in files + empty]
try:
    import helper
    print(helper.WHO, file=sys.stderr)
except ImportError:
    print("nobody", file=sys.stderr)
for name in found: print(name, file=sys.stderr)
print(os.path.abspath(__file__), file=sys.stderr)
"""
"""Says whom its module is by, and then all that it sees."""


def looker(folder: Path, build: str = "") -> Path:
    folder.mkdir()
    (folder / "bot.toml").write_text(f'command = ["python3", "bot.py", "."]\n{build}')
    (folder / "bot.py").write_text(LOOKS)
    (folder / "helper.py").write_text("WHO = 'the source'\n")
    (folder / "deep").mkdir()
    (folder / "deep" / "data").write_text("")
    return folder


def entered(word: object, level: Level) -> Entrant:
    require(level)
    found = find([str(word)], "sticheln", Sandbox(level))
    assert not found.left_out, found.left_out
    return found.entrants[0]


def seen(launch: Launch, level: Level, folder: Path) -> list[str]:
    """What a bot says that it sees."""
    process = spawn(launch, folder / "said", Sandbox(level))
    assert isinstance(process, BotProcess), process
    process.begin()
    until = time.monotonic() + 60
    while process.status() is None and time.monotonic() < until:
        time.sleep(0.005)
    process.kill()
    return (folder / "said").read_text().splitlines()


OWN = ["bot.py", "bot.toml", "deep/data", "helper.py"]


@pytest.mark.parametrize("level", Level)
def test_what_is_no_program_is_in_no_bots_sight(level: Level, tmp_path: Path) -> None:
    before = entered(looker(tmp_path / "mine"), level)
    bot = entered(cluttered(tmp_path / "mine"), level)
    who, *names, itself = seen(bot.launch, level, tmp_path)
    assert (who, sorted(names)) == ("the source", OWN)
    assert itself == str(tmp_path / "mine" / "bot.py")
    assert bot.digest == before.digest


@pytest.mark.parametrize("level", Level)
def test_nor_in_that_of_its_build(level: Level, tmp_path: Path) -> None:
    """What the build makes under such a name stays: it follows from the program."""
    script = "mkdir -p __pycache__ lib/__pycache__ && ls -A > built && touch lib/__pycache__/made built~"
    looker(tmp_path / "mine", f'build = ["/bin/sh", "-c", "{script}"]\n')
    bot = entered(cluttered(tmp_path / "mine"), level)
    assert Path(bot.launch.kept, "built").read_text().split() == [
        "__pycache__", *OWN[:2], "built", "deep", "helper.py", "lib",
    ]  # fmt: skip
    who, *names, _ = seen(bot.launch, level, tmp_path)
    made = {name for name in names if "__pycache__" in name} - {"__pycache__"}
    assert (who, "built~" in names) == ("the source", True)
    assert "lib/__pycache__/made" in made
    assert {*names} - made <= {*OWN, "built", "built~", "__pycache__"}


@pytest.mark.parametrize("level", Level)
def test_a_single_file_stands_alone(level: Level, tmp_path: Path) -> None:
    """Also one that is executable, to which Python adds its folder."""
    bot = cluttered(looker(tmp_path / "mine")) / "bot.py"
    bot.write_text("#!/usr/bin/env python3\n" + LOOKS.replace("sys.argv[1]", "os.path.dirname(sys.argv[0])"))
    (bot.parent / "json.py").write_text("WHO = 'a neighbour'\n")
    for mode in (0o644, 0o755):
        bot.chmod(mode)
        assert seen(entered(bot, level).launch, level, tmp_path) == ["nobody", "bot.py", str(bot)]


@pytest.mark.parametrize("level", [Level.BWRAP, Level.NONE])
def test_nor_in_a_league(level: Level, tmp_path: Path) -> None:
    require(level)
    (tmp_path / "league").mkdir()
    program = keep(tmp_path / "league", cluttered(looker(tmp_path / "mine")))
    bot = entrant(tmp_path / "league", "red/mine@1", program, "sticheln", Sandbox(level))
    who, *names, _ = seen(bot.launch, level, tmp_path)
    assert (who, sorted(names)) == ("the source", OWN)
    assert [
        name for here in os.walk(program.path(tmp_path / "league")) for name in here[2] if is_clutter(name)
    ] == []
    cluttered(program.path(tmp_path / "league"))
    again = entrant(tmp_path / "league", "red/mine@1", program, "sticheln", Sandbox(level))
    assert seen(again.launch, level, tmp_path)[0] == "the source"


def test_nor_on_another_machine(tmp_path: Path) -> None:
    here = entered(cluttered(looker(tmp_path / "mine")), Level.NONE)
    label, bundle = pack(here)
    unpack(bundle, label, tmp_path / "there")
    launch = launch_of(here, label, tmp_path / "there", "sticheln", Sandbox(Level.NONE))
    assert seen(launch, Level.NONE, tmp_path)[0] == "the source"
    left = [name for _, folders, files in os.walk(tmp_path / "there") for name in (*folders, *files)]
    assert [name for name in left if is_clutter(name)] == []


def test_what_one_process_writes_no_other_one_finds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))  # Other tests play from the common one.
    bot = entered(looker(tmp_path / "mine"), Level.NONE)
    (tmp_path / "mine" / "bot.py").write_text(LOOKS + "open('log', 'a').write('x'); open('bot.py', 'w')\n")
    bot = entered(tmp_path / "mine", Level.NONE)
    before = seen(bot.launch, Level.NONE, tmp_path)
    assert seen(bot.launch, Level.NONE, tmp_path) == before
    assert sorted(before[1:-1]) == OWN
    assert {*os.listdir(tmp_path / "mine")} == {"bot.py", "bot.toml", "deep", "helper.py"}
    kept = Path(bot.launch.kept)
    assert {path.name for path in kept.parent.glob("played-*")} == set()

    # A copy that somebody has damaged is made anew.
    (kept / "helper.py").write_text("WHO = 'somebody else'\n")
    assert seen(entered(tmp_path / "mine", Level.NONE).launch, Level.NONE, tmp_path) == before


def test_each_pattern_of_the_table_has_an_example() -> None:
    assert {*EXAMPLES} == {pattern for _, patterns in CLUTTER for pattern in patterns}
    assert [name for name in EXAMPLES.values() if not any(map(is_clutter, name.split("/")))] == []
    assert [name for name in PROGRAMS if any(map(is_clutter, name.split("/")))] == []


def test_a_program_that_is_called_so_is_told_why_it_is_not_found(tmp_path: Path) -> None:
    looker(tmp_path / "mine")
    (tmp_path / "mine" / ".git").mkdir()
    (tmp_path / "mine" / ".git" / "go").symlink_to("/bin/sh")
    (tmp_path / "mine" / "bot.toml").write_text('command = ".git/go"\n')
    (left_out,) = find([str(tmp_path / "mine")], "sticheln", Sandbox()).left_out
    assert ".git/go does not exist: .git is a name for files left by systems" in left_out.reason
    (tmp_path / "mine" / "bot.py~").write_text("#!/bin/sh\n")
    (tmp_path / "mine" / "bot.py~").chmod(0o755)
    found = find([str(tmp_path / "mine" / "bot.py~")], "sticheln", Sandbox())
    assert [why for _, why in found.passed_over] == ["left by a system, an editor or an interpreter"]


def test_a_digest_of_an_older_arena_is_compared_by_its_rule(tmp_path: Path) -> None:
    """And what it was taken of plays: that arena's bots saw all of their folder."""
    bot = cluttered(looker(tmp_path / "mine"))
    older = digest([bot], rule=Rule.ALL)
    same, now = find_again(str(bot), older, "sticheln", Sandbox(Level.NONE))
    assert same is not None
    assert (same.digest, now.entrants[0].digest) == (older, digest([bot]))
    assert seen(same.launch, Level.NONE, tmp_path)[0] == "a file of no program"
    (bot / "a~").write_text("more")
    assert find_again(str(bot), older, "sticheln", Sandbox(Level.NONE))[0] is None


CHANGES = {
    "helper.py has changed": lambda bot: (bot / "helper.py").write_text("WHO = 'me'\n"),
    "log was added": lambda bot: (bot / "log").write_text(""),
    "helper.py was removed": lambda bot: (bot / "helper.py").unlink(),
    "helper.py is executable now": lambda bot: (bot / "helper.py").chmod(0o755),
    "link points elsewhere": lambda bot: ((bot / "link").unlink(), (bot / "link").symlink_to("/")),
    "link was a link and is now a file": lambda bot: ((bot / "link").unlink(), (bot / "link").write_text("")),
    "a was added, b was added, c was added and 1 more": lambda bot: [(bot / name).mkdir() for name in "abcd"],
}


@pytest.mark.parametrize("build", ["", 'build = "touch product"\n'])
def test_what_differs_is_named(build: str, tmp_path: Path) -> None:
    for number, (how, change) in enumerate(CHANGES.items()):
        bot = looker(tmp_path / f"{number}", build)
        (bot / "link").symlink_to("helper.py")
        version = entered(bot, Level.NONE).digest
        change(bot)
        assert how_changed(bot, version) == f"has changed since it entered: {how}"
    (bot / "bot.toml").write_text('command = "python3"\n')
    assert how_changed(bot, "0" * 64) == "has changed since it entered"


def test_a_library_of_its_own_is_compiled_once(tmp_path: Path) -> None:
    bot = cluttered(looker(tmp_path / "mine"))
    (bot / "library.py").write_text("VALUE = 1\n" * 60_000)
    (bot / "broken.py").write_text("broken(")
    launch = entered(bot, Level.NONE).launch
    tag = sys.implementation.cache_tag
    assert {path.name for path in Path(launch.kept, "__pycache__").iterdir()} == {
        f"{name}.{tag}.pyc" for name in ("bot", "helper", "library")
    }
    assert seen(launch, Level.NONE, tmp_path)[0] == "the source"
    assert entered(bot, Level.NONE).launch == launch


def test_old_launches_have_no_copy() -> None:
    old = msgspec.json.decode(b'{"argv":["./go"],"folder":"/bots/mine","owns_folder":true}', type=Launch)
    assert (old.kept, old.on_disk("/bots/mine/go")) == ("", "/bots/mine/go")
    new = msgspec.structs.replace(old, kept="/kept/1")
    paths = ("/bots/mine/go", "/bots/mine", "/bots/mine/../other", "/bots/mine2/go", "/usr/bin/go")
    assert [*map(new.on_disk, paths)] == ["/kept/1/go", "/kept/1", *paths[2:]]
    file = Launch(("python3", "/bots/go.py"), "/bots", kept="/kept/2/go.py")
    assert (file.on_disk("/bots/go.py"), file.on_disk("/bots/other.py")) == (
        "/kept/2/go.py",
        "/bots/other.py",
    )
