"""What is kept gives the same as what is computed; and whatever else lies in its place is noticed."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from arena.director import cache
from arena.director.cache import TAG_BYTES, remembered
from arena.director.figures import figures
from arena.director.journal import Journal
from arena.director.state import Record
from arena.journal.provenance import user_key
from tests.bench.tables import Size, chance_run, play
from tests.cli.calls import arena


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    user_key(make=True)
    return tmp_path / "cache" / "arena" / "tables"


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four rounds of eight bots, but for the last pod."""
    return chance_run(tmp_path_factory.mktemp("played") / "run", Size(8, 4))


def counted(follows_from: object = "facts") -> int:
    """How often it was computed when it was asked for once."""
    times: list[int] = []

    def compute() -> list[float]:
        times.append(1)
        return [0.1, 2.0]

    assert remembered("test", follows_from, list, compute) == [0.1, 2.0]
    return len(times)


def only(folder: Path) -> Path:
    (path,) = folder.iterdir()
    return path


def test_it_is_computed_once_for_what_it_follows_from() -> None:
    assert [counted(), counted(), counted("other facts"), counted()] == [1, 0, 1, 0]


def test_numbers_of_any_size_tell_apart() -> None:
    """A stranger's journal may hold them."""
    assert [counted(10**40), counted(10**40), counted(10**40 + 1)] == [1, 0, 1]
    assert remembered("large", "facts", int, lambda: 10**40) == 10**40


def test_a_byte_changed_anywhere_is_noticed(folder: Path) -> None:
    counted()
    path = only(folder)
    whole = path.read_bytes()
    for at in range(len(whole)):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        assert counted() == 1
        assert path.read_bytes() == whole, "it is mended"


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def linked(path: Path) -> None:
    path.rename(path.parent.parent / "elsewhere")
    path.symlink_to(path.parent.parent / "elsewhere")


def a_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def of_another_name(path: Path) -> None:
    counted("other facts")
    (other,) = set(path.parent.iterdir()) - {path}
    other.replace(path)


def enormous(path: Path) -> None:
    os.truncate(path, cache.FILE_LIMIT + 1)


@pytest.mark.parametrize(
    "spoil", [cut, emptied, linked, a_pipe, a_folder, of_another_name, enormous], ids=lambda one: one.__name__
)
def test_what_else_lies_there_is_not_believed(folder: Path, spoil: Callable[[Path], None]) -> None:
    counted()
    spoil(only(folder))
    assert counted() == 1


def test_what_has_another_shape_is_not_believed(folder: Path) -> None:
    """As where a field was added to what is kept, and the code could not be told apart."""
    name = cache.digest("test", "facts")
    cache.keep(name, {"a": 1})
    assert counted() == 1


def test_another_user_s_file_is_not_believed(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "another"))
    assert [counted(), counted()] == [1, 1], "who has no key keeps nothing"
    user_key(make=True)
    assert [counted(), counted()] == [1, 0]


def test_another_version_of_the_arena_begins_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    counted()
    monkeypatch.setattr(cache, "_code", lambda: ("another",))
    assert [counted(), counted()] == [1, 0]


@pytest.mark.parametrize("place", ["/proc", "/dev/null", "relative"])
def test_where_nothing_can_be_kept_it_is_computed(monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", place)
    assert [counted(), counted()] == [1, 1]


def test_what_was_not_used_for_long_goes_first(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(4):
        counted(number)
    paths = {number: folder / cache.digest("test", number) for number in range(5)}
    for number in range(4):
        os.utime(paths[number], ns=(number, number))
    assert counted(0) == 0, "it has been used now"
    monkeypatch.setattr(cache, "LIMIT", 3 * paths[0].stat().st_size)
    counted(4)
    assert {number for number, path in paths.items() if path.exists()} == {0, 3, 4}


def test_what_a_killed_process_has_left_goes(folder: Path) -> None:
    """Not at once: another one may still be writing it."""
    counted("before")
    new, old = (folder / f"unfinished-{number}-0123" for number in (1, 2))
    for path in (new, old):
        path.write_bytes(b"half")
    os.utime(old, ns=(0, 0))
    counted("after")
    assert (new.exists(), old.exists()) == (True, False)


def test_tables_are_the_same_from_the_cache_and_from_nothing(
    played: Path, tmp_path: Path, folder: Path
) -> None:
    """Also after one more pod, and with a cache in which every file was changed."""
    run = Path(shutil.copytree(played, tmp_path / "run"))

    def tables() -> tuple[object, ...]:
        with Journal(run) as journal:
            record = Record(journal.entries)
            return record.standings(), figures(record)

    first = tables()
    assert tables() == first
    with Journal(run, write=True) as journal:
        record = Record(journal.entries)
        play(journal, record, record.due())
    grown = tables()
    assert grown != first
    for path in folder.iterdir():
        path.write_bytes(path.read_bytes()[:-1] + b"\0")
    assert tables() == grown
    shutil.rmtree(folder)
    assert tables() == grown


def test_only_what_this_user_tagged_reaches_the_table(played: Path, folder: Path) -> None:
    """A cache that nobody reads would pass all other tests."""
    honest = arena("standings", played)
    assert (honest.status, honest.err) == (0, "")
    true = {path: path.read_bytes() for path in folder.iterdir()}
    forged = {path: content.replace(b"bot-001", b"bot-999") for path, content in true.items()}
    assert forged != true
    for path, content in forged.items():
        path.write_bytes(content)
    assert arena("standings", played) == honest
    for path, content in forged.items():
        cache.keep(path.name, msgspec.Raw(content[TAG_BYTES:]))
    assert "bot-999" in arena("standings", played).out


@pytest.mark.thorough  # 3 s of processor.
def test_processes_at_once_give_the_same(played: Path, folder: Path) -> None:
    words = [sys.executable, "-m", "arena", "standings", str(played), "--full", "--json"]
    calls = [subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(2)]
    (said,) = {call.communicate() for call in calls}
    assert (said[0][:1], said[1]) == (b"{", b"")
    assert arena("standings", played, "--full", "--json").out.encode() == said[0]
