"""The folder in which one process plays where there is no sandbox: a copy, in which only what is large or
lies deep is shared with what is kept."""

import os
import subprocess
import sys
from pathlib import Path

import msgspec

from arena.process.launch import Launch
from arena.process.private import LINKED_FROM, BotFolder, discard_abandoned_by
from arena.process.sandbox import Level


def test_what_is_large_or_deep_is_linked(tmp_path: Path) -> None:
    kept = tmp_path / "kept" / "digest"
    sizes = {"bot.py": 1, "notes/log": 1, "weights": LINKED_FROM, "lib/some/module.py": 1}
    for name, size in sizes.items():
        (kept / name).parent.mkdir(parents=True, exist_ok=True)
        (kept / name).write_bytes(bytes(size))
    words = ("python3", "/bots/mine/bot.py", "/bots/mine2", "weights")
    launch = Launch(words, "/bots/mine", owns_folder=True, kept=str(kept))
    private = BotFolder(launch, Level.NONE)
    own = Path(private.launch.folder)
    assert private.launch.argv == ("python3", f"{own}/bot.py", "/bots/mine2", "weights")
    assert {name for name in sizes if os.path.samefile(own / name, kept / name)} == {
        *("weights", "lib/some/module.py")
    }
    assert private.in_its_words(f'File "{own}/bot.py"'.encode()) == b'File "/bots/mine/bot.py"'
    private.discard()
    assert sorted(path.name for path in kept.parent.iterdir()) == ["digest"]
    assert {name for name in sizes if (kept / name).exists()} == {*sizes}


def test_what_is_not_kept_plays_where_it_is() -> None:
    launch = Launch(("./go",), "/bots/mine", owns_folder=True)
    assert BotFolder(launch, Level.NONE).launch == launch
    kept = msgspec.structs.replace(launch, kept="/kept/digest")
    assert BotFolder(kept, Level.BWRAP).launch == kept


COPIES = """\
import sys, time
from arena.process.launch import Launch
from arena.process.private import BotFolder
from arena.process.sandbox import Level
BotFolder(Launch(("bot",), "/bots/mine", owns_folder=True, kept=sys.argv[1]), Level.NONE)
print("copied", flush=True)
time.sleep(600)
"""


def test_only_the_copy_of_a_killed_process_is_abandoned(tmp_path: Path) -> None:
    kept = tmp_path / "kept" / "digest"
    kept.mkdir(parents=True)
    (kept / "bot").touch()
    launch = Launch(("bot",), "/bots/mine", owns_folder=True, kept=str(kept))
    owner = subprocess.Popen([sys.executable, "-c", COPIES, str(kept)], stdout=subprocess.PIPE, text=True)
    try:
        assert owner.stdout is not None
        assert owner.stdout.readline() == "copied\n"
        discard_abandoned_by([launch])
        assert len(list(kept.parent.iterdir())) == 2
    finally:
        owner.kill()
        owner.communicate()
    discard_abandoned_by([launch])
    assert [path.name for path in kept.parent.iterdir()] == ["digest"]
