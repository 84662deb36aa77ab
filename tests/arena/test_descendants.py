"""What is seen of the processes below a process, with real ones."""

import os
import signal
import subprocess
from collections.abc import Callable, Iterator

import pytest

import arena.descendants
from arena.descendants import NamelessFiles, tree, usage
from arena.launch import base_interpreter

if not hasattr(os, "memfd_create"):
    pytest.skip("this needs Linux", allow_module_level=True)

MIB = 1 << 20
HOARD = "import os\nfile = os.memfd_create('hoard')\nos.write(file, bytes(3 << 20))\n"
SAY_AND_WAIT = "\nprint('done', flush=True)\nos.read(0, 1)"

Started = Callable[[str], int]


@pytest.fixture
def started() -> Iterator[Started]:
    """Starts a program and waits until it has done what it does; the pid."""
    running = []

    def start(program: str) -> int:
        child = subprocess.Popen(
            [base_interpreter(), "-S", "-E", "-c", program + SAY_AND_WAIT],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        running.append(child)
        assert child.stdout is not None
        assert child.stdout.readline() == b"done\n"
        return child.pid

    yield start
    for child in running:
        os.killpg(child.pid, signal.SIGKILL)
        child.communicate()


def nameless(pid: int) -> int:
    return NamelessFiles().look(tree(pid))


def test_what_a_memfd_holds_is_in_no_resident_memory_and_is_seen(started: Started) -> None:
    plain, hoarder = started("import os"), started(HOARD * 9)
    assert usage([hoarder]).memory - usage([plain]).memory < 9 * 3 * MIB
    assert (nameless(plain), nameless(hoarder)) == (0, 9 * 3 * MIB)


def test_every_file_counts_once_and_those_of_all_processes_do(started: Started) -> None:
    below = HOARD + "os.dup(file)\nif os.fork(): os.read(0, 1)\n"
    assert nameless(started(below)) == 3 * MIB
    assert nameless(started(below + "os.write(os.memfd_create('more'), bytes(1 << 20))")) == 4 * MIB


def test_what_is_only_announced_counts_for_nothing(started: Started) -> None:
    assert nameless(started("import os\nos.ftruncate(os.memfd_create('sparse'), 1 << 40)")) == 0


def test_many_descriptors_are_looked_at_bit_by_bit(started: Started, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arena.descendants, "DESCRIPTORS_AT_ONCE", 8)
    pid = started("import os\nfor _ in range(20): os.dup(0)\n" + HOARD)
    files = NamelessFiles()
    seen = [files.look([pid]) for _ in range(9)]
    assert seen[0] == 0
    assert seen[2:] == [3 * MIB] * 7, "and what the last round has found holds until this one is over"


def test_who_vanishes_between_two_looks_is_not_missed(started: Started) -> None:
    gone = subprocess.Popen(["true"])
    gone.wait()
    hoarder = started(HOARD)
    assert NamelessFiles().look([gone.pid, hoarder]) == 3 * MIB
    assert usage([gone.pid]).memory == 0
    files = NamelessFiles()
    assert files.look([hoarder]) == 3 * MIB
    assert files.look([]) == 0
