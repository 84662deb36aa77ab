"""What is seen of the processes below a process, with real ones."""

import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from arena.process.launch import base_interpreter
from arena.process.sandbox import Level, Sandbox, bounds
from arena.process.tree import NUMBERS, descriptors, load, opened, tree, usage

pytestmark = pytest.mark.needs("linux")
MIB = 1 << 20
SAY_AND_WAIT = "\nimport os\nprint('done', flush=True)\nos.read(0, 1)"

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


def test_what_the_processes_below_use_is_added_up(started: Started) -> None:
    alone = started("hog = b'x' * (9 << 20)")
    below = started("import os\nhog = b'x' * (9 << 20)\nif os.fork(): os.read(0, 1)")
    assert len(list(tree(below))) == 2
    assert usage(tree(alone)).memory > 9 * MIB
    assert usage(tree(below)).memory > usage([below]).memory > 9 * MIB


def test_the_tables_of_what_is_mapped_count(started: Started) -> None:
    """Ten thousand pages of nothing, each in a table of its own."""
    program = """
import mmap
far = mmap.mmap(-1, 10_000 << 21, flags=mmap.MAP_PRIVATE | 0x4000, prot=mmap.PROT_READ)
far.madvise(mmap.MADV_NOHUGEPAGE)
for at in range(0, len(far), 1 << 21):
    far[at]
"""
    assert usage([started(program)]).memory > 40 * MIB


def test_who_vanishes_between_two_looks_uses_nothing(started: Started) -> None:
    gone = subprocess.Popen(["true"])
    gone.wait()
    assert usage([gone.pid], {}) == (0, {}, 0, 0, 0, False)
    running = started("")
    assert usage([gone.pid, running]).memory > MIB


def test_a_process_whose_first_thread_has_left_uses_what_it_used(started: Started) -> None:
    leave = "ctypes.CDLL(None).syscall({'x86_64': 60, 'aarch64': 93}[os.uname().machine], 0)"
    stays = (
        f"import ctypes, os, threading\nhog = b'x' * (99 << 20)\nif threading.main_thread().ident: {leave}"
    )
    gone = "open('/proc/self/stat').read().rpartition(')')[2].split()[0] == 'Z'"
    thread = f"while not {gone}: pass{SAY_AND_WAIT}"
    pid = started(
        f"import threading\nthreading.Thread(target=exec, args=[{thread!r}, {{}}]).start()\n{stays}"
    )
    assert usage([pid]).memory > 99 * MIB


def is_over(pid: int) -> bool:
    """Whether a process is a zombie, or has been reaped by whoever inherited it."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


@pytest.mark.parametrize("seen", [True, False])
def test_what_a_dying_process_has_counts_until_it_is_freed(*, seen: bool, started: Started) -> None:
    """Whether or not it was looked at before: a bot that starts one helper after another can die faster than
    the kernel frees."""
    size, being_freed = 300 * MIB, 0
    for _ in range(30):  # On a busy machine all of that may happen between two looks.
        pid = started(f"hog = b'x' * {size}")
        before = usage([pid]).resident if seen else {}
        os.kill(pid, signal.SIGKILL)
        while True:
            plain, counted = usage([pid], None).memory, usage([pid], before).memory
            if is_over(pid):
                break
            being_freed += plain == 0
            assert plain > 0 or counted > size
        assert usage([pid], before).memory == 0
        if being_freed:
            return
    pytest.fail("no process was seen while it was freed")


LENDS = """
import ctypes
libc, stack = ctypes.CDLL(None), ctypes.create_string_buffer(1 << 16)
hog = b"x" * {size}
libc.clone(libc.pause, ctypes.c_void_p(ctypes.addressof(stack) + len(stack)), 0x100 | 17, None)  # CLONE_VM.
"""


def test_a_memory_that_is_lent_to_a_child_counts_once(started: Started) -> None:
    """As vfork lends it, and so posix_spawn and Python's subprocess; but fork makes a copy."""
    size = 99 * MIB
    lent, copied = started(LENDS.format(size=size)), started(f"import os\nhog = b'x' * {size}\nos.fork()")
    assert len(list(tree(lent))) == len(list(tree(copied))) == 2
    assert size < usage(tree(lent)).memory < 1.5 * size
    assert usage(tree(copied)).memory > 2 * size


def test_a_lent_memory_counts_until_both_have_given_it_up(started: Started) -> None:
    size = 300 * MIB
    owner, child = pids = list(tree(started(LENDS.format(size=size))))
    before = usage(pids).resident
    os.kill(owner, signal.SIGKILL)
    while not is_over(owner):
        assert usage(pids, before).memory > size
    before = usage(pids, before).resident
    os.kill(child, signal.SIGKILL)
    being_freed = 0
    while True:
        plain, counted = usage(pids).memory, usage(pids, before).memory
        if is_over(child):
            break
        being_freed += plain == 0
        assert counted > size
    assert being_freed > 0


COMPUTE = "import time\nwhile time.process_time() < 0.3: pass"
TICKS = 0.05
"""CPU time is counted in ticks, one for each process."""


@pytest.mark.parametrize(
    "program",
    [
        COMPUTE,
        f"import threading\nt = threading.Thread(target=exec, args=[{COMPUTE!r}])\nt.start()\nt.join()",
        f"import subprocess, sys\nsubprocess.run([sys.executable, '-S', '-E', '-c', {COMPUTE!r}])",
    ],
    ids=["itself", "a thread that has ended", "a child that it has waited for"],
)
def test_all_that_has_computed_counts(program: str, started: Started) -> None:
    before = load([])
    cpu, queued = load(tree(started(program))).since(before)
    assert cpu >= 0.3 - TICKS
    assert queued >= 0


def test_who_waits_does_not_compute(started: Started) -> None:
    pid = started("")
    before = load(tree(pid))
    assert load(tree(pid)).since(before)[0] <= TICKS


def test_what_a_process_has_open_is_counted(started: Started) -> None:
    pid = started(
        "import os, select, socket\n"
        "kept = select.epoll(), os.eventfd(0), open('/proc/self/status'), socket.socketpair()\n"
        "kept[0].register(kept[1])\n"
        "socket.send_fds(kept[3][0], [b'x'], [kept[1]])"
    )
    found = opened([pid], 1000)
    assert (found.watched, found.proc_files, found.in_transit) == (1, 1, 1)
    assert descriptors(pid) == len(os.listdir(f"/proc/{pid}/fd")) == 8
    assert bounds(Sandbox(Level.BWRAP)).open_files == NUMBERS
