"""A process that reads what strangers have written: what that does to it is said, and the next is read."""

import os
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.process.reader import NOBODY, Reader, ReaderLimits, ReadError
from arena.process.tree import children

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(scope="module")
def reader() -> Iterator[Reader]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT), prepend=os.pathsep)
        made = Reader("tests.process.reads")
        answer(made, "reads")
        yield made


def answer(
    reader: Reader, task: str, data: bytes = b"", seconds: float = 60, written: int = 0
) -> list[bytes]:
    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.seek(0)
        limits = ReaderLimits(seconds, written=written)
        with reader.reading(task.encode(), [file.fileno()], limits) as pieces:
            return list(pieces)


def test_what_it_is_given_is_read(reader: Reader) -> None:
    assert answer(reader, "reads", b"abc") == [b"abc"]
    assert answer(reader, "reads") == [b""]


@pytest.mark.parametrize(
    ("task", "seconds", "why"),
    [
        ("hangs", 0.1, "cannot be read within 0.1 s"),
        ("sleeps", 0.1, "cannot be read within 0.1 s"),
        ("grows", 60, "cannot be read within 512 MB of memory"),
        ("dies", 60, "cannot be read: it crashes the process that reads it"),
        ("fails", 60, "cannot be read: it crashes the process that reads it"),
        ("says too much", 60, "cannot be read: it crashes the process that reads it"),
    ],
)
def test_what_breaks_it_is_said_and_the_next_one_is_read(
    reader: Reader, task: str, seconds: float, why: str
) -> None:
    with pytest.raises(ReadError) as raised:
        answer(reader, task, seconds=seconds)
    assert str(raised.value) == why
    assert answer(reader, "reads", b"abc") == [b"abc"]


def test_nobody_has_to_hear_all_of_it(reader: Reader) -> None:
    with reader.reading(b"says on and on", [], ReaderLimits(60)) as pieces:
        assert next(pieces) == bytes(1000)
    assert answer(reader, "reads", b"abc") == [b"abc"]


def test_it_can_do_nothing_but_read(reader: Reader) -> None:
    *acts, uid = (piece.decode() for piece in answer(reader, "acts"))
    assert acts[:3] == ["OSError 24"] * 3
    assert uid == str(os.geteuid() or NOBODY)
    if uid != "0":
        assert acts[3] == "BlockingIOError 11"
    assert answer(reader, "writes", written=1000) == [b"OSError 27"]


def test_one_that_was_ended_from_outside_begins_again(reader: Reader) -> None:
    pid = children(os.getpid())
    other = Reader("tests.process.reads")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT), prepend=os.pathsep)
        assert answer(other, "reads", b"abc") == [b"abc"]
        (started,) = set(children(os.getpid())) - set(pid)
        os.kill(started, signal.SIGKILL)
        os.waitid(os.P_PID, started, os.WEXITED | os.WNOWAIT)
        assert answer(other, "reads", b"abc") == [b"abc"]
    del other
    assert set(children(os.getpid())) == set(pid)
