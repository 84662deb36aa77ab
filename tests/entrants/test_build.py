"""What a build may take and leave: builds that want all of the machine, run for real, within walls and
without.

Where this is run by root, once more as an ordinary user.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
import trio

import arena.entrants.build
import arena.entrants.quota
from arena.entrants.build import BuildError, built, cache
from arena.entrants.digest import version_of
from arena.entrants.find import find
from arena.process.sandbox import BUILD, Level, Sandbox
from arena.system.errors import UserError
from arena.system.machine import MIB
from tests.cli.calls import ROOT
from tests.support.boxed import pass_as_an_ordinary_user
from tests.support.folders import folder, program
from tests.support.jobs import alive
from tests.support.needs import require
from tests.support.waiting import until

BOUNDS = {"DISK": 48 * MIB, "FILES": 300, "MEMORY": 150 * MIB, "PROCESSES": 20}

NESTS = "import os\nfor _ in range(3000): os.mkdir('d'); os.chdir('d')\nopen('x', 'w')"
HOARDS = (
    "import os, time\nfor _ in range(2):\n if os.fork() == 0: break\nx = b'x' * (90 << 20)\ntime.sleep(60)"
)
GREEDY = {
    "a file without end": ("cat /dev/zero > out", "wrote more than 48 MB"),
    "many large files": (
        "i=0; while :; do i=$((i+1)); head -c 1000000 /dev/zero > $i; done",
        "wrote more than 48 MB",
    ),
    "output without end": ("cat /dev/zero", "wrote more than 48 MB"),
    "a file that is deleted": (
        "exec 3> out; rm out; cat /dev/zero >&3",
        "while its disk lost",
    ),
    "many files": ("for i in $(seq 1000); do : > $i; done; sleep 60", "made more than 300 files"),
    "many files, and an end": ("for i in $(seq 1000); do : > $i; done", "made more than 300 files"),
    "many folders": ("mkdir $(seq 1000)", "made more than 300 files"),
    "folders in folders": (f'python3 -c "{NESTS}"', "nested its folders deeper than 100"),
    "memory, in three processes": (f'python3 -c "{HOARDS}"', "MB of memory, but only 150 MB are allowed"),
    "processes": ("for i in $(seq 100); do sleep 60 & done; wait", "had more than 20 processes at a time"),
    "processes of their own": (
        "for i in $(seq 100); do setsid sleep 60 & done; sleep 61",
        "had more than 20 processes at a time",
    ),
}
MEMORY_FILES = ("head -c 200000000 /dev/zero > /tmp/x; sleep 60", "MB of memory, but only 150 MB are allowed")


@pytest.fixture(autouse=True)
def bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, bound in BOUNDS.items():
        monkeypatch.setattr(arena.entrants.quota, name, bound)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot" / "main.c").write_text("int main() {}")
    return tmp_path / "bot"


def make(source: Path, script: str, level: Level) -> Path:
    require(level)
    return built(
        source,
        source.parent / "made" / "bot",
        ("/bin/sh", "-c", script),
        Sandbox(level),
        version_of([source]),
    )


@pytest.mark.parametrize("level", [Level.BWRAP, Level.RLIMITS])
@pytest.mark.parametrize("name", GREEDY)
def test_a_build_takes_no_more_than_it_may(name: str, level: Level, source: Path) -> None:
    script, why = GREEDY[name]
    # Where neighbours fill the disk meanwhile, its free space may be missed first.
    with pytest.raises(BuildError, match=f"{why}|while its disk lost"):
        make(source, script, level)
    assert os.listdir(source.parent / "made") == []
    until(lambda: alive(source.parent) == [], seconds=30)


@pytest.mark.parametrize("level", [Level.BWRAP, Level.RLIMITS])
def test_a_build_ends_with_the_task_that_waits_for_it(level: Level, source: Path) -> None:
    async def main() -> bool:
        with trio.move_on_after(1) as scope:
            await trio.to_thread.run_sync(make, source, "sleep 100", level)
        return scope.cancelled_caught

    assert trio.run(main)
    assert os.listdir(source.parent / "made") == []
    until(lambda: alive(source.parent) == [], seconds=30)


ADOPTS = """
import os, sys
from pathlib import Path
from arena.entrants.build import BuildError, built
from arena.entrants.digest import version_of
from arena.process.sandbox import Level, Sandbox
from arena.process.tree import adopt_orphans, children
adopt_orphans()
source = Path(sys.argv[1])
for name in ("true", "false"):
    try:
        built(source, source.parent / name, (name,), Sandbox(Level.BWRAP), version_of([source]))
    except BuildError as error:
        print(error)
print("left:", children(os.getpid()))
"""


@pytest.mark.needs("bwrap")
def test_whoever_adopts_orphans_keeps_no_process_of_a_build(source: Path) -> None:
    done = subprocess.run(
        (sys.executable, "-c", ADOPTS, source), cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.stdout.splitlines() == ["its build failed with exit status 1", "left: []"], done.stderr


@pytest.mark.needs("bwrap")
def test_files_in_memory_are_memory(source: Path) -> None:
    script, why = MEMORY_FILES
    with pytest.raises(BuildError, match=why):
        make(source, script, Level.BWRAP)


@pytest.mark.parametrize("level", [Level.RLIMITS, Level.NONE])
def test_a_build_without_walls_has_limits(level: Level, source: Path) -> None:
    made = make(source, "ulimit -f > size; ulimit -n > open; ulimit -c > core", level)
    assert int((made / "size").read_text()) == BUILD.file_mb * 2048
    assert (made / "core").read_text() == "0\n"
    if level is Level.RLIMITS:
        assert int((made / "open").read_text()) <= BUILD.open_files


@pytest.mark.parametrize("level", [Level.BWRAP, Level.RLIMITS])
@pytest.mark.parametrize(
    "script", ["mkfifo odd", "python3 -c 'import socket; socket.socket(1).bind(\"odd\")'"]
)
def test_a_build_leaves_files_folders_and_links(script: str, level: Level, source: Path) -> None:
    with pytest.raises(BuildError, match="left odd, which is neither a file nor a folder nor a link"):
        make(source, script, level)
    made = make(source, "mkdir deep; ln -s main.c deep/link; ln -s /nowhere nowhere", level)
    assert os.readlink(made / "deep" / "link") == "main.c"


@pytest.mark.parametrize("level", [Level.BWRAP, Level.RLIMITS])
def test_a_build_leaves_no_folder_that_is_closed(level: Level, source: Path) -> None:
    if os.geteuid() == 0:
        return  # Root may read all. The test below shows it.
    with pytest.raises(BuildError, match="left deep, which cannot be read"):
        make(source, "mkdir -p deep/er; touch deep/er/x; chmod 0 deep/er deep", level)
    assert os.listdir(source.parent / "made") == []


@pytest.mark.needs("bwrap")
def test_a_link_that_a_build_leaves_is_the_bots_own_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    victim = program(tmp_path / "victim.py", "#!/usr/bin/env python3\n")
    bot = folder(tmp_path / "bot", f'command = "./go"\nbuild = "ln -s {victim} go"')
    (left_out,) = find([bot], "sticheln", Sandbox(Level.BWRAP)).left_out
    assert f"points to {victim}, outside its own files" in left_out.reason


@pytest.mark.thorough  # A run of pytest; tests/process/test_sandbox.py has one for the gate.
@pytest.mark.needs("root")
def test_the_same_as_an_ordinary_user() -> None:
    pass_as_an_ordinary_user(
        __file__, "deleted or three or processes or folders or in_memory or closed or leaves"
    )


def test_what_was_changed_while_it_entered_is_not_built(tmp_path: Path) -> None:
    """Else another program would lie in the cache under this one's digest."""
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot" / "bot.py").write_text("one")
    version = version_of([tmp_path / "bot"])
    (tmp_path / "bot" / "bot.py").write_text("another")
    with pytest.raises(BuildError, match="changed while it was entering"):
        built(tmp_path / "bot", tmp_path / "made", ("true",), Sandbox(Level.NONE), version)
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize("home", ["/etc/passwd", "relative"])
def test_without_a_home_copies_are_kept_in_the_users_temporary_folder(
    home: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", home)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    ours = tmp_path / f"arena-{os.geteuid()}"
    assert cache() == ours / "arena" / "built"
    ours.chmod(0o777)
    with pytest.raises(UserError, match="set XDG_CACHE_HOME to one"):
        cache()
