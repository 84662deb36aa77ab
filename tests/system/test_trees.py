"""Folders of strangers: whatever they change while one is copied or deleted, nothing outside is read, changed
or deleted, and what is taken stays within its bounds.
"""

import contextlib
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.system.trees import CopyLimits, NotCopiedError, NotCopiedReason, copy, remove_folder, walk
from tests.support.needs import require
from tests.support.swapping import needs_exchange, owned, stranger

BOUNDS = CopyLimits(size=1000, files=20, depth=5, seconds=60)
SECRET = "the secret of the league"


def test_a_copy_has_the_files_and_none_of_their_rights(tmp_path: Path) -> None:
    source = tmp_path / "source"
    (source / "in").mkdir(parents=True)
    (source / "in" / "run").write_text("#!/bin/sh\n")
    (source / "in" / "run").chmod(0o4711)
    (source / "data").write_bytes(b"x" * 500)
    (source / "data").chmod(0o600)
    (source / "out").symlink_to("/etc/passwd")
    (source / "cache").mkdir()
    os.utime(source / "data", (5, 5))
    copy(source, tmp_path / "copy", BOUNDS, left_out=lambda name: name == "cache")
    made = {str(path.relative_to(tmp_path)): path for path in (tmp_path / "copy").rglob("*")}
    assert sorted(made) == ["copy/data", "copy/in", "copy/in/run", "copy/out"]
    assert stat.S_IMODE(made["copy/in/run"].stat().st_mode) == 0o755
    assert stat.S_IMODE(made["copy/data"].stat().st_mode) == 0o644
    assert os.readlink(made["copy/out"]) == "/etc/passwd"
    assert made["copy/data"].stat().st_mtime != 5
    copy(source / "data", tmp_path / "data", BOUNDS, times=True)
    assert (tmp_path / "data").stat().st_mtime == 5


def many(folder: Path) -> None:
    for number in range(BOUNDS.files + 1):
        (folder / str(number)).touch()


def deep(folder: Path) -> None:
    folder.joinpath(*"abcdef").mkdir(parents=True)


def large(folder: Path) -> None:
    (folder / "one").write_bytes(bytes(600))
    (folder / "two").write_bytes(bytes(600))


def second_name(folder: Path) -> None:
    (folder / "one").touch()
    os.link(folder / "one", folder / "two")


def closed(folder: Path) -> None:
    require("no root")
    (folder / "one").touch(mode=0)


@pytest.mark.parametrize(
    ("fill", "why", "path"),
    [
        (many, NotCopiedReason.FILES, "9"),
        (deep, NotCopiedReason.DEPTH, "a/b/c/d/e/f"),
        (large, NotCopiedReason.SIZE, "two"),
        (second_name, NotCopiedReason.LINKED, "one"),
        (closed, NotCopiedReason.UNREADABLE, "one"),
        (lambda folder: os.mkfifo(folder / "one"), NotCopiedReason.KIND, "one"),
    ],
)
def test_what_is_not_copied(
    tmp_path: Path, fill: Callable[[Path], object], why: NotCopiedReason, path: str
) -> None:
    (tmp_path / "source").mkdir()
    fill(tmp_path / "source")
    before = os.listdir("/proc/self/fd") if os.path.exists("/proc/self/fd") else []
    with pytest.raises(NotCopiedError) as raised:
        copy(tmp_path / "source", tmp_path / "copy", BOUNDS, linked=False)
    assert (raised.value.why, raised.value.path) == (why, path)
    assert not before or os.listdir("/proc/self/fd") == before


def test_a_link_in_the_place_of_a_folder_is_not_copied(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/etc")
    with pytest.raises(NotCopiedError) as raised:
        copy(tmp_path / "link", tmp_path / "copy", BOUNDS)
    assert (raised.value.why, raised.value.detail) == (NotCopiedReason.KIND, "a symbolic link")


def test_a_folder_without_rights_that_no_path_can_name_is_deleted(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "link").symlink_to(tmp_path)
    here = os.open(folder, os.O_RDONLY)
    for _ in range(60):
        os.mkdir("d" * 100, dir_fd=here)
        deeper = os.open("d" * 100, os.O_RDONLY, dir_fd=here)
        os.fchmod(here, 0)
        os.close(here)
        here = deeper
    os.close(here)
    assert remove_folder(folder)
    assert os.listdir(tmp_path) == []


def test_a_link_in_the_place_of_a_folder_is_deleted_and_not_what_it_leads_to(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "file").touch()
    (tmp_path / "link").symlink_to("folder")
    assert remove_folder(tmp_path / "link")
    assert [path.name for path in tmp_path.rglob("*")] == ["folder", "file"]


@needs_exchange
@pytest.mark.parametrize(
    "tries",
    # So many show a race that is rarely won.
    [3, pytest.param(30, marks=pytest.mark.thorough), pytest.param(100, marks=pytest.mark.exhaustive)],
)
def test_folders_that_become_links_while_they_are_copied_and_deleted(tmp_path: Path, tries: int) -> None:
    ours, names = tmp_path / "ours", [f"data{number}" for number in range(8)]
    ours.mkdir(mode=0o711)
    for number in range(8):
        (ours / f"file{number}").write_text(SECRET)
        (ours / f"file{number}").chmod(0o600)
    before = {path: path.stat() for path in (ours, *ours.iterdir())}
    with stranger() as them:
        for number in range(tries):
            sent, theirs = tmp_path / f"sent{number}", tmp_path / f"theirs{number}"
            theirs.mkdir()
            for name in names:
                (sent / name).mkdir(parents=True)
                for file in range(8):
                    (sent / name / f"file{file}").write_text("mine")
                (theirs / name).symlink_to(ours)
            for file in range(100):  # Between a look at the folders and their opening.
                (sent / f"file{file}").touch()
            them.swaps(owned(sent), owned(theirs), *names)
            for again in range(4):
                target = tmp_path / f"copy{again}"
                with contextlib.suppress(NotCopiedError):
                    copy(sent, target, CopyLimits(10_000, 1000, 5, 60))
                files = (path for path in target.rglob("*") if path.is_file())
                assert {path.read_text() for path in files if path.resolve().parent != ours} <= {"", "mine"}
                remove_folder(target)
            remove_folder(sent, seconds=0.5)
            them.rests()
            assert remove_folder(sent)
    assert {path: path.stat() for path in (ours, *ours.iterdir())} == before


def test_a_walk_ends_where_there_is_no_end(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    many(tmp_path / "folder")
    with pytest.raises(NotCopiedError) as raised:
        list(walk(tmp_path / "folder", BOUNDS._replace(seconds=-1)))
    assert raised.value.why is NotCopiedReason.SECONDS


@pytest.mark.needs("root")
def test_a_folder_of_another_user_is_not_emptied(tmp_path: Path) -> None:
    (tmp_path / "top" / "theirs" / "private").mkdir(parents=True)
    (tmp_path / "top" / "theirs" / "private" / "marks").write_text("a secret")
    (tmp_path / "top" / "private").mkdir(mode=0o500)
    (tmp_path / "top" / "theirs" / "file").write_text("theirs")
    (tmp_path / "top" / "theirs" / "marks").write_text("a secret")
    for path in (tmp_path / "top", tmp_path / "top" / "theirs", tmp_path / "top" / "theirs" / "file"):
        os.chown(path, 64001, 64001)
    assert not remove_folder(tmp_path / "top", owner=64001)
    assert not [*tmp_path.rglob("file")]
    assert [path.read_text() for path in tmp_path.rglob("marks")] == ["a secret"] * 2
    assert (tmp_path / "top" / "private").stat().st_mode & 0o777 == 0o500
