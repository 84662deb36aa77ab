"""What bots of different matches tell each other by the kernel, what one does while it is stopped, and what
it leaves behind as somebody else's program: shown by programs that try.

Everything here is done as whoever runs the tests and, where that is root, once more as an ordinary user.
"""

import contextlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from textwrap import indent
from typing import IO

import msgspec
import pytest

from arena.entrants.build import built
from arena.entrants.digest import version_of
from arena.playing.referee import play_match
from arena.process.botprocess import BotProcess
from arena.process.keyring import leave_session_keyring
from arena.process.launch import Launch, base_interpreter, bot_environment
from arena.process.sandbox import Level, Sandbox, bounds, calls_refused, command, inherited, seat_uid
from arena.process.spawn import spawn
from arena.process.tree import tree
from tests.process.stopped import all_stopped
from tests.support.boxed import boxed, pass_as_an_ordinary_user
from tests.support.channels import CHANNELS, NUMBERS, PRELUDE, sandboxed
from tests.support.jobs import ECHOES, check
from tests.support.programs import Program

pytestmark = pytest.mark.needs("bwrap", "call numbers")


CROSS_WITHOUT_THE_FILTER = {"flock", "a lock by fcntl", "a lock of an open file", "the session's keys"}
"""By any kernel, for anybody."""
PAIR = f"""\
{PRELUDE}
def step(which):
    found = {{}}
    for name, pieces in channels.items():
        try:
            piece = pieces[which]
            if which == 2: found[name] = str(eval(piece, globals()))
            elif which == 0 or leaves: exec(piece, globals())
        except Exception as error:
            found[name] = type(error).__name__ + " " + str(error)
    return found
for line in sys.stdin:
    print(json.dumps(step(int(line))), flush=True)
"""


def found(folder: Path, *, leaves: bool, filtered: bool = True) -> dict[str, str]:
    """What the receiver reads, by channel, where the sender has left a sign or nothing."""
    file = folder / "shared"
    file.write_bytes(bytes(1 << 20))
    file.chmod(0o644)
    (folder / "other").touch()
    folder.chmod(0o755)
    with file.open("rb") as written:
        os.fsync(written.fileno())
    leave_session_keyring()  # as a worker does, so that there is one that both inherit
    words = (folder, PAIR, json.dumps([str(file), NUMBERS, CHANNELS, leaves]))
    with sandboxed(*words, filtered=filtered) as receiver, sandboxed(*words, filtered=filtered) as sender:

        def step(ends: tuple[IO[bytes], IO[bytes]], which: int) -> dict[str, str]:
            ends[0].write(f"{which}\n".encode())
            ends[0].flush()
            told: dict[str, str] = json.loads(ends[1].readline())
            return told

        step(receiver, 0)
        step(sender, 1)
        return step(receiver, 2)


def test_a_sign_that_one_bot_leaves_is_not_found_by_another(tmp_path: Path) -> None:
    assert found(tmp_path, leaves=True) == found(tmp_path, leaves=False)


def test_without_the_filter_it_would_be(tmp_path: Path) -> None:
    # In this order, since a key stays when both have gone.
    nothing, left = (found(tmp_path, leaves=leaves, filtered=False) for leaves in (False, True))
    assert {name for name in CHANNELS if left[name] != nothing[name]} >= CROSS_WITHOUT_THE_FILTER


def asked(folder: Path, source: str, *arguments: str) -> str:
    """What a program in a sandbox says."""
    with sandboxed(folder, source, *arguments) as (_, output):
        return output.read().decode()


# By libc's names where it has them, so that our numbers are not believed; and what is answered.
CALLS = {
    "setns": ("libc.setns(os.open('/proc/self/ns/net', 0), 0)", "EPERM"),
    "hugetlb": ("libc.mmap(None, 1 << 21, 3, 0x40022, -1, 0)", "ENOMEM"),
    "cachestat": ("libc.syscall(451, 0, 0, 0, 0)", "ENOSYS"),
    "pageout": ("libc.madvise(ctypes.c_void_p(page), 4096, 21)", "EINVAL"),
    "a lease": ("libc.fcntl(0, 1024, 0)", "EINVAL"),
    "F_NOTIFY": ("libc.fcntl(0, 1026, 2)", "EINVAL"),
    "F_SETSIG": ("libc.fcntl(0, 10, 18)", "EINVAL"),
    "F_SETPIPE_SZ": ("libc.fcntl(0, 1031, 4096)", "EINVAL"),
    "fanotify": ("libc.fanotify_init(0, 0)", "ENOSYS"),
    "inotify": ("libc.inotify_init()", "ENOSYS"),
    "io_uring": ("libc.syscall(425, 1, 0)", "ENOSYS"),
    "a handle": ("libc.name_to_handle_at(-100, b'/usr', 0, 0, 0)", "ENOSYS"),
    "a queue": ("libc.syscall({mq_open}, b'x', 0o100, 0o600, 0)", "ENOSYS"),
    "the kernel's log": ("libc.klogctl(3, b' ' * 99, 99)", "EPERM"),
    "vsock": ("libc.socket(40, 1, 0)", "EAFNOSUPPORT"),
    "the kernel's ciphers": ("libc.socket(38, 5, 0)", "EAFNOSUPPORT"),
    "a protocol to be loaded": ("libc.socket(2, 1, 132)", "EPROTONOSUPPORT"),
    "the number of a socket": ("libc.getsockopt(libc.socket(1, 1, 0), 1, 57, page, page + 8)", "ENOPROTOOPT"),
    "ptrace": ("libc.ptrace(0, 0, 0, 0)", "EPERM"),
    "perf": ("libc.syscall({perf_event_open}, 0, 0, -1, -1, 0)", "ENOSYS"),
    "bpf": ("libc.syscall({bpf}, 0, 0, 0)", "ENOSYS"),
    "userfaultfd": ("libc.syscall({userfaultfd}, 1)", "ENOSYS"),
    "a terminal": ("libc.open(b'/dev/ptmx', 2)", "ENOENT"),
    "unlocking a terminal": ("libc.ioctl(0, 0x40045431, page)", "EPERM"),
    "openat2": ("libc.syscall(437, -100, b'/', 0, 0)", "ENOSYS"),
    "a call of a later kernel": ("libc.syscall(470, 0, 0, 0)", "ENOSYS"),
    "a timer": ("libc.timer_create(1, 0, page)", "EAGAIN"),
    "a child that ends with SIGCONT": ("libc.syscall({clone}, 18, 0, 0, 0, 0)", "EINVAL"),
    "SIGCONT when a parent ends": ("libc.prctl(1, 18, 0, 0, 0)", "EINVAL"),
    "a core of its own": ("libc.prctl(62, 1, 0, 0, 0)", "EINVAL"),
    "a session": ("libc.setsid()", 0),
    "a group": ("libc.setpgid(0, 0)", 0),
    "a priority": ("libc.setpriority(0, 0, 5)", 0),
    "a core": ("libc.sched_setaffinity(0, 8, b'\\xff' * 8)", 0),
    "a schedule": ("libc.sched_setscheduler(0, 3, b'\\0' * 4)", 0),
    "advice on a file": ("libc.posix_fadvise(0, 0, 0, 4)", 0),
    "a lock": ("libc.flock(0, 2)", 0),
    "all to the disk": ("libc.syncfs(0)", 0),
}
UNCHANGED = (
    "os.getsid(0), os.getpgrp(), os.getpriority(0, 0), os.sched_getaffinity(0), os.sched_getscheduler(0)"
)
CALLER = """\
import ctypes, errno, json, mmap, os, sys
libc = ctypes.CDLL(None, use_errno=True)
memory = mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
page = ctypes.addressof(ctypes.c_char.from_buffer(memory))
before, answers = (%(unchanged)s), {}
for name, call in json.loads(sys.argv[1]).items():
    ctypes.set_errno(0)
    done = eval(call)
    answers[name] = errno.errorcode[ctypes.get_errno()] if done == -1 else done
assert before == (%(unchanged)s)
print(json.dumps(answers))
"""


def test_what_a_bot_is_answered_in_the_sandbox(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    calls = {name: call.format(**NUMBERS) for name, (call, _) in CALLS.items()}
    answers = json.loads(asked(tmp_path, CALLER % {"unchanged": UNCHANGED}, json.dumps(calls)))
    # It is the kernel's pointer for no memory; posix_fadvise itself returns the error.
    assert answers == {name: answer for name, (_, answer) in CALLS.items()}


WAYS_TO_SET_A_MODE = {
    "chmod": "os.chmod('x', mode)",
    "fchmod": "os.fchmod(os.open('x', 0), mode)",
    "of its standard error": "os.fchmod(2, mode)",
    "fchmodat": "os.chmod('x', mode, dir_fd=os.open('.', 0))",
    "fchmodat2": "told(libc.syscall(452, -100, b'x', mode, 0))",
    "open": "os.open('y', os.O_CREAT | os.O_WRONLY, mode)",
    "without a name": "os.open('.', os.O_TMPFILE | os.O_RDWR, mode)",
    "mknod": "os.mknod('z', mode | 0o100000)",
    "mkdir": "os.mkdir('w', mode)",
    "creat": "told(libc.creat(b'v', mode))",
}
MODES = """\
import ctypes, errno, json, os, sys
libc = ctypes.CDLL(None, use_errno=True)
def told(done):
    if done < 0: raise OSError(ctypes.get_errno(), "")
os.chdir("/tmp")
os.umask(0)
open("x", "w")
answers = {}
for name, way in json.loads(sys.argv[1]).items():
    for mode in 0o4755, 0o2755, 0o6711:
        try:
            eval(way)
            answers[name] = "done"
        except OSError as error:
            answers.setdefault(name, errno.errorcode[error.errno])
for mode in 0o755, 0o1777, 0o600, 0: os.chmod("x", mode)
answers["files"] = sorted(name for name in os.listdir(".") if os.lstat(name).st_mode & 0o6000)
print(json.dumps(answers))
"""


def test_no_call_makes_a_program_that_runs_as_its_owner(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    answers = json.loads(asked(tmp_path, MODES, json.dumps(WAYS_TO_SET_A_MODE)))
    assert answers == {**dict.fromkeys(WAYS_TO_SET_A_MODE, "EPERM"), "files": []}


# What a process of the bot does without end, beside one that waits for requests.
RUNS_ON = {
    "in a session of its own": "os.setsid()\nwhile True: pass",
    "in a group of its own": "os.setpgid(0, 0)\nwhile True: pass",
    "woken by kill": "while True: os.kill(0, signal.SIGCONT)",
    "woken by a thread": "while True: libc.syscall({tgkill}, os.getpid(), os.getpid(), 18)",
    "woken by a descriptor": (
        "me = os.pidfd_open(os.getpid())\nwhile True: signal.pidfd_send_signal(me, signal.SIGCONT)"
    ),
    "woken by a queue": "while True: libc.sigqueue(os.getpid(), 18, None)",
    "woken by a timer": (
        "signal.signal(signal.SIGCONT, lambda *_: None)\n"
        "event, timer = (ctypes.c_int * 16)(0, 0, 18, 0), ctypes.c_void_p()\n"
        "libc.timer_create(1, event, ctypes.byref(timer))\n"
        "libc.timer_settime(timer, 0, (ctypes.c_long * 4)(0, 10**6, 0, 10**6), None)\n"
        "while True: pass"
    ),
    "woken by children that end": (
        "while True:\n    if libc.syscall({clone}, 18, 0, 0, 0, 0) == 0: os._exit(0)\n"
        "    while libc.waitpid(-1, None, 0x40000001) > 0: pass"
    ),
}
RUNNER = """\
import ctypes, os, signal, sys
libc = ctypes.CDLL(None)
for _ in range(4):
    if os.fork() == 0:
%s
print("begun", flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize("name", RUNS_ON)
async def test_nothing_of_a_bot_runs_while_it_is_stopped(name: str, tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    source = RUNNER % indent(RUNS_ON[name].format(**NUMBERS), " " * 8)
    launch = Launch((base_interpreter(), "-I", "-S", "-c", source), str(tmp_path), owns_folder=True)
    process = spawn(launch, None, Sandbox(Level.BWRAP))
    assert isinstance(process, BotProcess)
    process.begin()
    try:
        while not process.ready_within(1):
            assert process.status() is None
        for _ in range(12):
            time.sleep(0.005)
            process.freeze()
            # It takes effect when they would run next, which may be a while.
            deadline = time.monotonic() + 5
            while not all_stopped(processes_of_bot(process)) and time.monotonic() < deadline:
                time.sleep(0.01)
            time.sleep(0.005)
            assert all_stopped(processes_of_bot(process))
            process.thaw()
    finally:
        process.kill()


def processes_of_bot(process: BotProcess) -> list[int]:
    """Without the walls."""
    found = []
    for pid in tree(process.pid):
        with contextlib.suppress(OSError):
            if Path(f"/proc/{pid}/comm").read_text() != "bwrap\n":
                found.append(pid)
    return found


@pytest.mark.thorough  # A run of pytest; tests/process/test_sandbox.py has one for the gate.
@pytest.mark.needs("root")
def test_as_an_ordinary_user() -> None:
    pass_as_an_ordinary_user(__file__, "not ordinary")


KEYS = """\
import ctypes, os, signal
from arena.process.keyring import leave_session_keyring
libc = ctypes.CDLL(None)
def is_found(): return libc.syscall({keyctl}, 10, -3, b"user", b"dear-key", 0) > 0
assert leave_session_keyring()  # It takes the place of the login's.
libc.syscall({add_key}, b"user", b"dear-key", b"x", 1, -3)
assert is_found()
ours = "%08x" % libc.syscall({keyctl}, 0, -3, 0)
assert ours in open("/proc/keys").read()
holder = os.fork() or signal.pause()  # As the bots of another worker do.
leave_session_keyring.cache_clear()
assert leave_session_keyring() and not is_found()
seen = open("/proc/keys").read()
os.kill(holder, signal.SIGKILL)
assert ours not in seen
"""


def test_who_starts_bots_does_so_without_the_keys_of_the_login() -> None:
    subprocess.run([sys.executable, "-c", KEYS.format(**NUMBERS)], check=True)


LOOKS = """\
for pid in [name for name in os.listdir("/proc") if name.isdigit()]:
    for name in "cmdline", "environ", "mountinfo", "cgroup", "status", "cwd", "exe", "root":
        path = f"/proc/{pid}/{name}"
        print(path, os.path.realpath(path), file=sys.stderr)
        try: print(open(path).read(), file=sys.stderr)
        except OSError: pass
for name in os.listdir("/proc/self/fd"): print(os.path.realpath("/proc/self/fd/" + name), file=sys.stderr)
"""
FIRST = """\
from arena.process.tree import new_mark
from arena.process.sandbox import seat_uid
print(new_mark().partition("-")[2], seat_uid())
"""


async def test_nothing_that_a_bot_sees_says_which_match_it_plays(tmp_path: Path) -> None:
    """Neither the match's id, nor how many bots have been started before."""
    match = boxed(tmp_path, ("looks", Program(before=LOOKS)), *ECHOES[:2])
    check(await play_match(msgspec.structs.replace(match, match_id="r01-p002-s03")), tmp_path)
    own = tmp_path / "stderr" / "r01-p002-s03-0.txt"
    seen = own.read_text()
    assert "/proc/1/cmdline" in seen
    assert "r01-p002" not in seen.replace(str(own), "")
    starts = [subprocess.check_output([sys.executable, "-c", FIRST]) for _ in range(2)]
    assert starts[0] != starts[1]


SETS_BITS = "chmod 4755 made; chmod 2755 deep; chmod 1777 ."


@pytest.mark.parametrize("level", [Level.BWRAP, Level.RLIMITS])
def test_what_is_built_runs_as_nobody_but_who_starts_it(level: Level, tmp_path: Path) -> None:
    """Whether the author has set the bits, or the build does."""
    source = tmp_path / "bot"
    (source / "own").mkdir(parents=True)
    for path in (source / "program", source / "own"):
        path.touch()
        path.chmod(0o6755)
    made = built(
        source,
        tmp_path / "cache" / "made",
        ("/bin/sh", "-c", f"touch made; mkdir deep; {SETS_BITS}; true"),
        Sandbox(level),
        version_of([source]),
    )
    found = {path.name: path.stat().st_mode & 0o7777 for path in (*made.rglob("*"), made, made.parent)}
    assert not [name for name, mode in found.items() if mode & 0o7000], found
    assert found["cache"] == 0o700
    assert {"program", "own", "made", "deep"} <= set(found)


def test_no_bot_reaches_the_wall_around_it() -> None:
    """As an ordinary user's bot could by the memory of the first process, whose user it shares."""
    tried = ["/proc/1/mem", "/proc/1/task/1/mem", "/proc/1/root/etc", "/proc/1/environ"]
    launch = Launch((base_interpreter(), "-S", "-c", f"import os; print(*map(os.path.exists, {tried}))"), "/")
    with calls_refused(Level.BWRAP) as refused:
        words = command(launch, Level.BWRAP, bounds(Sandbox()), uid=seat_uid(), refused=refused)
        done = subprocess.run(
            words, env=bot_environment(), pass_fds=inherited(refused), capture_output=True, check=True
        )
    assert done.stdout.split() == [b"False"] * len(tried)
