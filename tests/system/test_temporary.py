"""What a process needs for a while is gone with it, if not by itself then by the next one."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from arena.system.temporary import locked_folder, temporary_folder
from arena.system.trees import remove_folder

WAITS = """\
import time
from arena.system.temporary import temporary_folder
with temporary_folder() as folder:
    open(f"{folder}/file", "w").close()
    print(folder, flush=True)
    time.sleep(600)
"""


def test_the_folder_of_a_killed_process_goes_with_the_next_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    with temporary_folder() as own:
        owner = subprocess.Popen([sys.executable, "-c", WAITS], stdout=subprocess.PIPE, text=True)
        try:
            assert owner.stdout is not None
            left = Path(owner.stdout.readline().strip())
            with temporary_folder() as another:
                assert all(map(os.path.isdir, (own, left, another)))
            assert not os.path.exists(another)
        finally:
            owner.kill()
            owner.communicate()
        assert left.is_dir()
        with temporary_folder():
            assert not left.exists()
            assert os.path.isdir(own)
    assert [*tmp_path.iterdir()] == []


DISCARDS = """\
import sys
from arena.system.temporary import discard_abandoned
print("ready", flush=True)
while True:
    discard_abandoned(sys.argv[1], "some-")
"""


def test_a_new_folder_is_nobodys_to_delete(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", DISCARDS, str(tmp_path)], stdout=subprocess.PIPE) as other:
        try:
            assert other.stdout is not None
            other.stdout.readline()
            for _ in range(2_000):
                place, lock = locked_folder(str(tmp_path), "some-")
                Path(place, "file").touch()
                remove_folder(place)
                os.close(lock)
        finally:
            other.kill()
