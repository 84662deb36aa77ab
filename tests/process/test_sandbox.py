"""What a sandbox keeps a bot from, shown by bots that try; what they can use up; what is left of them.

Everything here is done as whoever runs the tests and, where that is root, once more as an ordinary user.
"""

import contextlib
import json
import os
import platform
import resource
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import msgspec
import pytest

import arena.entrants.build
import arena.process.sandbox
import arena.process.sandbox_init
import arena.process.spawn
from arena.entrants.build import BuildError, built
from arena.entrants.digest import version_of
from arena.log.entries import Acted, Faulted, parse
from arena.playing.job import Finished, Report
from arena.playing.pool import play_all
from arena.playing.referee import play_match
from arena.process.launch import Launch, base_interpreter
from arena.process.sandbox import (
    BUILD,
    MEANING,
    Level,
    Sandbox,
    calls_refused,
    choose,
    command,
    inherited,
    probe,
    seat_uid,
    shown,
)
from arena.process.tree import children
from arena.system.errors import MachineError, UserError
from protocol.faults import FaultKind
from tests.support.boxed import DAEMON, ROOT, boxed, pass_as_an_ordinary_user, processes_of, said
from tests.support.jobs import ECHOES, alive, check
from tests.support.needs import require
from tests.support.programs import ECHO, RESOURCES, UNREADABLE, Program, at, entrant

PATIENCE_SECONDS = 30

T = TypeVar("T")


ATTEMPTS = {
    "connect to a port of the machine": "socket.create_connection(('127.0.0.1', {port}), 1)",
    "connect to the world": "socket.create_connection(('192.0.2.1', 80), 1)",
    "connect to an abstract socket": "socket.socket(socket.AF_UNIX).connect('\\0arena-test-{port}')",
    "read another bot": "open('{folder}/echo-1.py').read()",
    "read the journal": "open('{folder}/tournament.db').read()",
    "list the folder of the logs": "os.listdir('{folder}/stderr')",
    "read /etc/shadow": "open('/etc/shadow').read()",
    "list the home": "open('{home}/.profile').read()",
    "signal the referee": "os.kill({referee}, 0)",
    "map shared memory without a file": "__import__('mmap').mmap(-1, 4096)",
    "map zeros": "__import__('mmap').mmap(os.open('/dev/zero', os.O_RDWR), 4096)",
    "not be ended first when memory runs out": "open('/proc/self/oom_score_adj', 'w').write('0')",
    "read the machine's settings": "os.listdir('/proc/sys')[0]",
    "limit the first process": "__import__('resource').prlimit(1, 0, (0, 0))",
    "write to its own file": "open('{folder}/prober.py', 'a')",
    "write to the folder of the logs": "open('{folder}/stderr/x', 'w')",
    "write to the root": "open('/x', 'w')",
    "write to /usr": "open('/usr/x', 'w')",
    "write to /etc": "open('/etc/x', 'w')",
    "write to /dev": "open('/dev/x', 'w')",
    "become root": "os.setuid(0 if os.getuid() else 1)",
    "start 300 threads": "[threading.Thread(target=sleep, daemon=True).start() for _ in range(300)]",
}
ALLOWED = {
    "write to /tmp": "open('/tmp/x', 'w')",
    "write to /dev/shm": "open('/dev/shm/x', 'w')",
    "know its own name": "__import__('pwd').getpwuid(os.getuid()).pw_dir.index('/tmp')",
    "read zeros": "open('/dev/zero', 'rb').read(9).rindex(bytes(9))",
    "read its own file": "open('{folder}/prober.py').read()",
    "open its output by name": "open('/dev/stderr', 'w'), open('/proc/self/fd/1', 'w')",
}

PROBER = """\
import socket, threading
threading.stack_size(1 << 16)
def sleep(): time.sleep(60)
results = {}
for name, attempt in {attempts}.items():
    try:
        eval(attempt)
        results[name] = "done"
    except Exception as error:
        results[name] = type(error).__name__
json.dump(results, sys.stderr)
sys.stderr.flush()
"""


@pytest.fixture
def port() -> Iterator[int]:
    """One that is listened to, and so is the abstract socket of that number."""
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_UNIX) as abstract:
        number = server.getsockname()[1]
        abstract.bind(f"\0arena-test-{number}")
        abstract.listen()
        yield number


@pytest.mark.needs("bwrap")
async def test_what_a_bot_in_the_sandbox_tries_fails(tmp_path: Path, port: int) -> None:
    (tmp_path / "tournament.db").write_text("all hands")
    places = {"port": port, "folder": tmp_path, "home": Path.home(), "referee": os.getpid()}
    attempts = {name: code.format(**places) for name, code in {**ATTEMPTS, **ALLOWED}.items()}
    beside = "import contextlib\nwith contextlib.suppress(OSError): open('beside', 'w')\n"
    prober = ("prober", Program(before=beside + PROBER.replace("{attempts}", repr(attempts))))
    finished = await play_match(boxed(tmp_path, prober, *ECHOES[:2]))
    results = json.loads(said(tmp_path))
    assert {name for name, result in results.items() if result == "done"} == set(ALLOWED)
    # Its own working folder may be writable where that is a mere name in its /tmp.
    assert not (tmp_path / "beside").exists()
    assert results["start 300 threads"] == "RuntimeError"
    assert check(finished, tmp_path) == []


REFUSED = {
    "unshare": ("libc.unshare(0x10000000)", "EPERM"),
    "unshare, to mount": ("libc.unshare(0x10020000)", "EPERM"),
    "clone": ("libc.syscall({clone}, 0x10000000 | signal.SIGCHLD, 0, 0, 0, 0)", "EPERM"),
    "a thread with descriptors of its own": ("libc.syscall({clone}, 0x10900, 0, 0, 0, 0)", "EPERM"),
    "descriptors of one's own": ("libc.unshare(0x400)", "EPERM"),
    "descriptors of one's own, by closing others": ("libc.syscall(436, 1000, 1001, 2)", "EINVAL"),
    "clone3": ("libc.syscall(435, ctypes.byref((ctypes.c_uint64 * 8)(0x10000000)), 64)", "ENOSYS"),
    "mount": ("libc.mount(b'none', b'/tmp', b'tmpfs', 0, None)", "EPERM"),
    "fsopen": ("libc.syscall(430, b'tmpfs', 0)", "EPERM"),
    "memfd_create": ("libc.memfd_create(b'hoard', 0)", "ENOSYS"),
    "memfd_secret": ("libc.syscall(447, 0)", "ENOSYS"),
    "shmget": ("libc.shmget(0, 4096, 0o1600)", "ENOSYS"),
    "semget": ("libc.semget(0, 1, 0o1600)", "ENOSYS"),
    "msgget": ("libc.msgget(0, 0o1600)", "ENOSYS"),
    "huge pages": ("libc.prctl(41, 0, 0, 0, 0)", "done"),
    "be unreadable": ("libc.prctl(4, 0, 0, 0, 0) + 1 - libc.prctl(3, 0, 0, 0, 0)", "done"),
}
"""By libc's names where it has them, so that ours are not believed; and what a bot is told."""
CALLER = """\
import ctypes, errno, threading
libc = ctypes.CDLL(None, use_errno=True)
results = {}
for name, (call, _) in {calls}.items():
    ctypes.set_errno(0)
    results[name] = "done" if eval(call) >= 0 else errno.errorcode[ctypes.get_errno()]
thread = threading.Thread(target=lambda: results.update({"a thread": "done"}))
thread.start()
thread.join()
results["a process"] = subprocess.run(["/bin/echo", "done"], capture_output=True, text=True).stdout.strip()
results["descriptors"] = " ".join(sorted(os.listdir("/proc/self/fd"))[:3])
with open("/proc/self/fd/2", "w") as file: json.dump(results, file)
"""


@pytest.mark.needs("bwrap", "call numbers")
async def test_calls_that_hide_memory_are_refused(tmp_path: Path) -> None:
    clone = {"x86_64": 56, "aarch64": 220}[platform.machine()]
    calls = {name: (call.format(clone=clone), error) for name, (call, error) in REFUSED.items()}
    caller = ("caller", Program(before=CALLER.replace("{calls}", repr(calls))))
    finished = await play_match(boxed(tmp_path, caller, *ECHOES[:2]))
    assert json.loads(said(tmp_path)) == {
        **{name: error for name, (_, error) in REFUSED.items()},
        "a thread": "done",
        "a process": "done",
        "descriptors": "0 1 2",
    }
    assert check(finished, tmp_path) == []


@pytest.mark.needs("bwrap", "call numbers")
@pytest.mark.needs("root")
def test_without_the_filter_the_sandbox_does_not_pass_its_probe(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arena.process.sandbox, "calls_refused", lambda level: contextlib.nullcontext())
    assert probe.__wrapped__(Level.BWRAP) == "a bot can have a user namespace of its own"


@pytest.mark.needs("bwrap")
@pytest.mark.parametrize("name", RESOURCES)
async def test_what_a_bot_can_use_up_is_bounded(name: str, tmp_path: Path) -> None:
    """The fork bomb runs only because the probe has shown that the limit on processes holds."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    finished = await play_match(boxed(tmp_path, *ECHOES[:2], (name, RESOURCES[name])))
    (fault,) = check(finished, tmp_path)
    assert (fault.seat, fault.kind) == (2, RESOURCES[name].fault), fault
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000
    assert sum(file.stat().st_size for file in (tmp_path / "stderr").iterdir()) <= 64 * 1024


@pytest.mark.needs("bwrap")
async def test_what_many_helpers_inherit_is_no_hoard(tmp_path: Path) -> None:
    """Even if they guard their secrets."""
    opens = (
        f"{UNREADABLE}\nimport select, socket\nkept = socket.socketpair(), "
        "[os.eventfd(0) for _ in range(120)], [select.epoll() for _ in range(3)]"
    )
    forks = "for _ in range(20):\n    if os.fork() == 0: time.sleep(60)\ntime.sleep(0.3)"
    bot = ("forks", Program(before=opens, asked=at(9, forks), end="os._exit(0)"))
    finished = await play_match(boxed(tmp_path, *ECHOES[:2], bot, memory=512))
    assert check(finished, tmp_path) == []


@pytest.mark.needs("bwrap")
async def test_jobs_that_come_and_go_are_no_hoard(tmp_path: Path) -> None:
    """Nobody but root can look at what a process has open while it gives up its memory."""
    table = "kept = [os.pipe() for _ in range(100)]\ntable = bytearray(range(256)) * (150 * 2**12)"
    jobs = "for _ in range(20):\n    if (job := os.fork()) == 0: os._exit(0)\n    os.waitpid(job, 0)"
    bot = ("forks", Program(before=table, asked=jobs, end="os._exit(0)"))
    finished = await play_match(boxed(tmp_path, *ECHOES[:2], bot, memory=512))
    assert check(finished, tmp_path) == []


@pytest.mark.parametrize("level", [Level.BWRAP, Level.RLIMITS])
async def test_memory_lent_to_a_child_counts_once(level: Level, tmp_path: Path) -> None:
    """As vfork lends it until the child executes a program, which can take long on a busy core."""
    require(level)
    table = "import ctypes\nlibc, stack = ctypes.CDLL(None), bytearray(1 << 16)\ntable = b'x' * (300 << 20)\n"
    top = "top = ctypes.c_void_p(ctypes.addressof(ctypes.c_char.from_buffer(stack)) + len(stack))"
    lends = "job = libc.clone(libc.pause, top, 0x100 | 17, None)  # CLONE_VM, SIGCHLD.\n"
    waits = "time.sleep(0.2)\nos.kill(job, 9)\nos.waitpid(job, 0)"
    bot = ("lends", Program(before=table + top, asked=at(9, lends + waits), end="os._exit(0)"))
    finished = await play_match(boxed(tmp_path, *ECHOES[:2], bot, level=level, memory=512))
    assert check(finished, tmp_path) == []


PAGES = """\
import ctypes, mmap
ctypes.CDLL(None).prctl(41, 0, 0, 0, 0)  # PR_SET_THP_DISABLE.
memory = mmap.mmap(-1, 64 << 20, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
memory.madvise(mmap.MADV_HUGEPAGE)
for at in range(0, 64 << 20, 2 << 20): memory[at] = 1
print(sum(int(line.split()[1]) for line in open("/proc/self/smaps") if line.startswith("AnonHuge")), "kB")
"""


@pytest.mark.needs("bwrap")
def test_no_bot_gets_huge_pages(tmp_path: Path) -> None:
    """Of one that is given up except for a byte, 2 MiB stay that no account shows."""
    (tmp_path / "pages.py").write_text(PAGES)
    play = (sys.executable, "-m", "arena", "match", "pages.py", *["heuristic"] * 2, "--sandbox", "bwrap")
    env = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path[1:]])}
    done = subprocess.run(play, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert "“0 kB”" in done.stdout


@pytest.mark.needs("rlimits")
async def test_the_record_says_how_much_memory_it_was(tmp_path: Path) -> None:
    finished = await play_match(
        boxed(tmp_path, *ECHOES[:2], ("hog", RESOURCES["allocates"]), level=Level.RLIMITS)
    )
    (fault,) = check(finished, tmp_path)
    assert fault.detail.endswith("MB in use, 256 MB are allowed")
    assert 256 < int(fault.detail.split()[0]) < 1024


@pytest.mark.parametrize("level", [Level.BWRAP, Level.RLIMITS])
async def test_a_bot_may_have_64_processes_and_more_threads(level: Level, tmp_path: Path) -> None:
    require(level)
    asleep = "for _ in range({}): os.posix_spawn('/bin/sleep', ['sleep', '60'], {{}})\ntime.sleep({})"
    threads = "import threading\nthreading.stack_size(1 << 16)\n" + (
        "for _ in range(100): threading.Thread(target=time.sleep, args=(60,), daemon=True).start()"
    )
    many = ("many", Program(asked=at(9, asleep.format(65, 60))))
    most = ("most", Program(before=threads, asked=at(9, asleep.format(60, 0.2)), end="os._exit(0)"))
    finished = await play_match(boxed(tmp_path, ECHOES[0], many, most, level=level, memory=1024))
    (fault,) = check(finished, tmp_path)
    assert (fault.seat, fault.kind) == (1, FaultKind.MEMORY)
    assert fault.detail.endswith(" processes, 64 are allowed")


@pytest.mark.needs("bwrap")
@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (("--ro-bind", "/no/such/path", "/x"), "Can't find source path /no/such/path"),
        (("--no-such-option",), "Unknown option --no-such-option"),
    ],
)
async def test_a_wall_that_cannot_be_built_is_not_the_bots_fault(
    wrong: tuple[str, ...], why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*words: object, **more: object) -> tuple[str, ...]:
        argv = command(*words, **more)
        at = argv.index("--die-with-parent")
        return (*argv[:at], *wrong, *argv[at:])

    monkeypatch.setattr(arena.process.spawn, "command", fails)
    with pytest.raises(ExceptionGroup) as raised:
        await play_match(boxed(tmp_path, *ECHOES))
    (error,) = raised.value.exceptions
    assert isinstance(error, MachineError)
    assert f"could not be set up: bwrap: {why}" in str(error)


async def test_all_that_shared_the_memory_end_together(tmp_path: Path) -> None:
    """At any level, those in sessions of their own too."""
    hogs = (
        "for _ in range(10):\n    if os.fork() == 0: os.setsid(); hog = b'x' * 2**26; time.sleep(60)\n"
        "time.sleep(60)"
    )
    program = Program(asked=at(9, hogs))
    finished = await play_match(boxed(tmp_path, *ECHOES[:2], ("hog", program), level=Level.NONE))
    (entry,) = [entry for entry in parse(finished.log.encode()) if isinstance(entry, Faulted)]
    assert entry.kind is FaultKind.MEMORY
    assert [pid for pid in processes_of(tmp_path) if running(pid)] == []


SPINNER = """\
import threading
def spin():
    while True: pass
spent, replied = 0.0, None
threading.Thread(target=spin, daemon=True).start()
"""
COUNTS = """\
if replied is not None: spent += time.process_time() - replied
if m['id'] == 15: print(spent, file=sys.stderr, flush=True)
replied = time.process_time()"""


@pytest.mark.parametrize("level", [Level.BWRAP, Level.RLIMITS])
@pytest.mark.parametrize("kernel", ["this", "older"])
async def test_a_child_of_a_shell_is_frozen_too(
    level: Level, kernel: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bot is a shell whose child spins in a thread, also in the 14 × 100 ms of the others if it can."""
    require(level)
    if kernel == "older":
        monkeypatch.setattr(arena.process.sandbox_init, "groups_have_descriptors", lambda: False)
    sleepy = Program(asked="time.sleep(0.05)")
    task = boxed(
        tmp_path,
        ("spinner", Program(before=SPINNER, asked=COUNTS)),
        ("s-1", sleepy),
        ("s-2", sleepy),
        level=level,
    )
    inner = task.entrants[0].launch
    shell = Launch(("/bin/sh", "-c", '"$@"; true', "sh", *inner.argv), inner.folder)
    shelled = msgspec.structs.replace(task.entrants[0], launch=shell)
    finished = await play_match(msgspec.structs.replace(task, entrants=(shelled, *task.entrants[1:])))
    assert check(finished, tmp_path) == []
    assert float(said(tmp_path)) < 0.7


@pytest.mark.parametrize("level", [Level.BWRAP, Level.RLIMITS, Level.NONE])
async def test_a_daemon_does_not_survive_the_match(level: Level, tmp_path: Path) -> None:
    require(level)
    reports: list[Report] = []
    await play_all([boxed(tmp_path, *ECHOES[:2], ("daemon", DAEMON), level=level)], 1, reports.append)
    assert isinstance(reports[0], Finished)
    assert reports[0].forfeits == ()
    assert processes_of(tmp_path) == []


async def test_a_forfeit_ends_nobody_elses_helper(tmp_path: Path) -> None:
    """A wrapper whose engine answers from a session of its own, beside one that forfeits, and kept for the
    next match."""
    require(Level.RLIMITS)
    engine = "if os.fork():\n    os._exit(0) if os.fork() == 0 else time.sleep(600)\nos.setsid()"
    engine += "\nif os.fork(): os._exit(0)"
    bots = (
        ("wrapper", Program(before=engine, end="continue")),
        ("exits", Program(asked=at(3, "os._exit(3)"))),
    )
    match = boxed(tmp_path, *bots, ECHOES[0], level=Level.RLIMITS)
    reports: list[Report] = []
    jobs = [msgspec.structs.replace(match, match_id=f"m{number}", keep_bots=True) for number in range(3)]
    await play_all(jobs, 1, reports.append)
    for report in reports:
        assert isinstance(report, Finished)
        faults = [entry for entry in parse(report.log.encode()) if isinstance(entry, Faulted)]
        assert [fault.seat for fault in faults] == [1], faults
    assert [pid for pid in processes_of(tmp_path) if running(pid)] == []


async def test_what_a_bot_has_started_ends_with_its_forfeit(tmp_path: Path) -> None:
    """Where no sandbox ends it; another bot looks for it at each of its decisions."""
    require(Level.RLIMITS)
    pid = tmp_path / "pid"
    pid.touch()
    pid.chmod(0o666)
    helper = f"open({str(pid)!r}, 'w').write(str(os.getpid()))\n    time.sleep(60)"
    deserter = Program(
        before=f"if os.fork() == 0:\n    os.setsid()\n    if os.fork(): os._exit(0)\n    {helper}\n"
        f"while not os.path.getsize({str(pid)!r}): time.sleep(0.001)",
        asked=at(3, "answer = 'nonsense'"),
    )
    look = f"there = os.path.exists('/proc/' + open({str(pid)!r}).read())"
    witness = Program(asked=f"{look}\nanswer = json.dumps(json.loads(answer) | {{'note': str(there)}})")
    bots = (("deserter", deserter), ("witness", witness), ECHOES[0])
    reports: list[Report] = []
    await play_all([boxed(tmp_path, *bots, level=Level.RLIMITS)], 1, reports.append)
    assert isinstance(reports[0], Finished)
    entries = parse(reports[0].log.encode())
    (forfeit,) = [at for at, entry in enumerate(entries) if isinstance(entry, Faulted)]
    notes = [
        [entry.note for entry in part if isinstance(entry, Acted) and entry.seat == 1]
        for part in (entries[:forfeit], entries[forfeit:])
    ]
    assert set(notes[0]) == {"True"}
    assert set(notes[1]) == {"False"}


@pytest.mark.parametrize("level", [Level.BWRAP, Level.RLIMITS])
@pytest.mark.parametrize("victim", ["director", "worker"])
def test_kill_9_leaves_no_bot_and_no_worker(victim: str, level: Level, tmp_path: Path) -> None:
    """Bots that have a child in another session, frozen or thinking; at level rlimits the director must live
    to end those."""
    require(level)
    orphans_end = victim == "worker" or level is Level.BWRAP
    thinker = Program(before=DAEMON.before if orphans_end else "", asked="time.sleep(0.05)")
    for name in ("ada", "bob", "cy"):
        entrant(tmp_path, name, thinker)
    bots = sorted(tmp_path.glob("*.py"))
    director = subprocess.Popen(
        [sys.executable, "-m", "arena", "match", *bots, "--sandbox", level, "--deals", "50"],
        # Bots are told by where they play: in copies, which lie there too.
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path]),
            "XDG_CACHE_HOME": str(tmp_path / "cache"),
        },
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=ROOT,
    )
    try:
        (worker,) = wait_for(lambda: worker_of(director.pid))
        wait_for(lambda: len(started(tmp_path)) >= (6 if orphans_end else 3))
        time.sleep(0.3)
        before = set(processes_of(tmp_path)) - {director.pid}
        os.kill(director.pid if victim == "director" else worker, signal.SIGKILL)
        wait_for(lambda: not any(map(running, before | {worker})))
    finally:
        director.kill()
        director.wait()


def started(folder: Path) -> list[int]:
    """The processes of bots in a folder that are not those of the sandbox."""
    python = f"{base_interpreter()}\0".encode()
    return [pid for pid in processes_of(folder) if command_line(pid).startswith(python)]


def running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def worker_of(director: int) -> list[int]:
    return [pid for pid in children(director) if b"arena.playing.worker" in command_line(pid)]


def command_line(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""  # It has just ended.


def wait_for(found: Callable[[], T]) -> T:
    """Something that must be there soon, also where the machine is busy."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not (something := found()):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return something


def test_a_bot_is_shown_what_its_command_line_names(tmp_path: Path) -> None:
    for name in ("bot.py", "weights", "other.py"):
        (tmp_path / name).write_text("")
    (tmp_path / "folder").mkdir()
    words = ("python3", "bot.py", "--with", "weights", "folder", ".", "/etc/passwd", "/tmp", "/usr/bin/env")
    launch = Launch(words, str(tmp_path))
    named = [str(tmp_path / name) for name in ("bot.py", "weights", "folder")]
    assert set(shown(launch)) == {*named, str(tmp_path)}
    whole = Launch(words, str(tmp_path), owns_folder=True)
    assert shown(whole) == (str(tmp_path),)


@pytest.mark.parametrize("level", list(Level))
def test_a_program_whose_start_is_broken_off_is_not_executed(level: Level) -> None:
    """Its starter may end before it has begun."""
    require(level)
    with calls_refused(level) as refused:
        words = command(
            Launch(("/bin/echo", "executed"), "/"), level, BUILD, uid=seat_uid(), waits=True, refused=refused
        )
        done = subprocess.run(
            words, stdin=subprocess.DEVNULL, capture_output=True, pass_fds=inherited(refused), check=False
        )
    assert (done.stdout, done.returncode) == (b"", 1)


@pytest.mark.parametrize("change", [Path.touch, Path.mkdir])
def test_settings_that_are_installed_meanwhile_are_shown(
    change: Callable[[Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arena.process.sandbox, "SETTINGS", (f"{tmp_path}/php*",))
    monkeypatch.setattr(arena.process.sandbox, "SEARCHED", (str(tmp_path),))
    installed = tmp_path / "php"
    assert not _is_shown(installed)
    os.utime(tmp_path, (0, 0))  # The kernel's clock for folders stands still for some milliseconds.
    change(installed)
    assert _is_shown(installed)


def _is_shown(path: Path) -> bool:
    return str(path) in command(Launch(("bot",), "/"), Level.BWRAP, BUILD)


def test_root_has_a_user_for_every_seat(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    one, two = seat_uid(), seat_uid()
    assert one != two
    launch = Launch(("bot",), "/")
    words = command(launch, Level.BWRAP, BUILD, uid=one)
    assert f"--reuid={one}" in words
    assert "--unshare-user" not in words
    assert "--unshare-user" in command(launch, Level.BWRAP, BUILD, uid=None)


@pytest.mark.needs("bwrap")
@pytest.mark.needs("root")
async def test_a_bot_that_only_root_could_read_is_told_what_to_do(tmp_path: Path) -> None:
    task = boxed(tmp_path, *ECHOES[:2], ("private", ECHO))
    (tmp_path / "private.py").chmod(0o600)
    (fault,) = check(await play_match(task), tmp_path)
    assert fault.kind is FaultKind.SPAWN
    assert fault.detail.endswith("try chmod -R a+rX")


def test_a_level_that_is_asked_for_and_not_there_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        arena.process.sandbox, "probe", lambda level: "no such tool" if level == "bwrap" else None
    )
    with pytest.raises(UserError, match="--sandbox bwrap: no such tool"):
        choose(Level.BWRAP)
    level, word = choose(None)
    assert level is Level.RLIMITS
    assert word == f"{MEANING[Level.RLIMITS]}; bwrap: no such tool"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A bot's folder, to be built."""
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot" / "main.c").write_text("int main() {}")
    return tmp_path / "bot"


def make(source: Path, script: str, level: Level = Level.BWRAP) -> Path:
    return built(
        source, source.parent / "made", ("/bin/sh", "-c", script), Sandbox(level), version_of([source])
    )


@pytest.mark.needs("bwrap")
def test_a_build_writes_in_a_copy_of_its_folder_and_nowhere_else(source: Path, tmp_path: Path) -> None:
    script = f"cp main.c made && mkdir deep && touch deep/made && ! touch {source}/x {tmp_path}/x ~/x /x"
    folder = make(source, script.replace("~", str(Path.home())))
    assert (folder / "made").read_text() == "int main() {}"
    assert {path.stat().st_uid for path in folder.rglob("*")} == {os.geteuid()}
    assert not (source / "x").exists()


@pytest.mark.needs("bwrap", "call numbers")
def test_a_build_is_refused_those_calls_too(source: Path) -> None:
    with pytest.raises(BuildError, match="Operation not permitted"):
        make(source, "unshare --user true")
    with pytest.raises(BuildError, match="Operation not supported"):
        make(source, "fallocate -l 64K more")


@pytest.mark.needs("bwrap")
def test_a_failed_build_shows_its_output(source: Path) -> None:
    with pytest.raises(BuildError, match="failed with exit status 3: no compiler here"):
        make(source, "echo no compiler here >&2; exit 3")


@pytest.mark.parametrize("level", [Level.BWRAP, Level.RLIMITS])
@pytest.mark.parametrize("script", ["kill -KILL $$", "sh -c 'kill -KILL $$'"])
def test_a_build_that_a_signal_has_ended_says_which(level: Level, script: str, source: Path) -> None:
    require(level)
    with pytest.raises(BuildError, match=r"failed with exit status 137 \(SIGKILL\)"):
        make(source, script, level=level)


@pytest.mark.needs("bwrap")
def test_a_build_that_writes_too_large_a_file_is_told_the_limit(source: Path) -> None:
    with pytest.raises(BuildError, match="wrote more than 2048 MB into one file"):
        make(source, "truncate -s 3G large")


@pytest.mark.parametrize("level", [Level.BWRAP, Level.RLIMITS])
def test_a_build_that_takes_too_long_is_ended_with_all_it_started(
    level: Level, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    require(level)
    monkeypatch.setattr(arena.entrants.build, "BUILD_SECONDS", 0.3)
    with pytest.raises(BuildError, match=r"took more than 0.3 s: begun"):
        make(source, "echo begun; sleep 61 & sleep 61", level)
    wait_for(lambda: alive(source.parent) == [])


@pytest.mark.needs("root")
@pytest.mark.parametrize(
    "chosen",
    [
        "tries_fails or refused or bomb or mounts or fills-tmp or in_a_copy or hoard"
        " or bwrap and (shell or director or daemon)",
        pytest.param("test", marks=pytest.mark.thorough),
    ],
)
def test_the_same_as_an_ordinary_user(chosen: str) -> None:
    pass_as_an_ordinary_user(__file__, chosen)
