"""What bots of different matches can tell each other at level bwrap: two that have agreed on how to talk try
every channel that is known to us, in matches played two at a time.

Each colluder draws a bit. Where it is 1 it does the sender's piece of every channel, and holds what it has
left to its end. At the start and at every decision it reads every channel. For each match in which a bit was
held, the readings of the other colluder meanwhile, and the first of the next match, are compared with the
bit. Bits are drawn anew 10,000 times for how often chance alone would show as much in any channel (max-T,
Westfall and Young), so that `p` is for all channels together.

Then the fastest channels by themselves: a sender and a receiver, each in a sandbox of its own, with a slot
of time for each bit.
"""

import base64
import contextlib
import json
import math
import os
import secrets
import statistics
import subprocess
import sys
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import trio

from arena.job import Entrant, Finished, Job, Report
from arena.launch import Launch, base_interpreter
from arena.pool import play_all
from arena.sandbox import Level, Sandbox, probe, settled
from arena.stderr import STDERR_KEPT
from protocol.messages import Limits
from protocol.streams import pod_key
from tests.arena.programs import ECHO, entrant
from tests.arena.test_channels import CHANNELS, NUMBERS, PRELUDE, sandboxed

MATCHES: Final = 200
DRAWS: Final = 10_000
P: Final = 0.001
PATIENT: Final = Limits(start_ms=60_000, decision_ms=60_000, bank_ms=0)

# As in CHANNELS: what everybody does first, what the sender leaves and holds, what is read.
FURTHER: Mapping[str, tuple[str, str, str]] = {
    "futex on a page of a file": (
        "shared = page_of(file, 3)",
        "thread(lambda: [libc.syscall(202, shared, 0, 0, None) for _ in iter(int, 1)])",
        "libc.syscall(202, shared, 1, 99)",
    ),
    "how many map a page (pagemap)": ("", "page_of(file, 5)", "mapped_by_one(file, 5)"),
    "whether a page was referenced (smaps)": (
        "page_of(file, 200)",
        "keep(os.open(file, 0)); [os.pread(kept[-1], 4096, 4096 * 200) for _ in range(9)]",
        "referenced()",
    ),
    "sysinfo": ("", "", "list(struct.unpack('10QH', sysinfo()))"),
    "times of devices": (
        "devices = ['/dev/' + name for name in ('null', 'zero', 'full', 'random', 'urandom', 'tty', 'ptmx')]",
        "[os.utime(name) for name in devices[:5]]",
        "[time_of(name) for name in devices]",
    ),
    "times and links of files": (
        "",
        "[os.listdir(name) for name in ('/usr/lib', '.', '/')]; open(file).read(9)",
        "[item for name in ('/usr', '/usr/lib', '/bin/sh', '/etc', '.', file) for item in list(os.stat(name))]",
    ),
    "attributes of files": ("", "os.setxattr(file, 'user.x', b'')", "len(os.listxattr(file))"),
    "room on file systems": (
        "",
        "open('/tmp/full', 'wb').write(bytes(1 << 24)); open('/dev/shm/full', 'wb').write(bytes(1 << 22))",
        "[item for name in ('/', '/usr', '/tmp', '/dev', '/dev/pts', '/proc', '/dev/shm', file)"
        " for item in os.statvfs(name)]",
    ),
    "an abstract socket": (
        "",
        "keep(socket.socket(socket.AF_UNIX)); kept[-1].bind(chr(0) + 'x'); kept[-1].listen()",
        "socket.socket(socket.AF_UNIX).connect_ex(chr(0) + 'x')",
    ),
    "a port of this machine": (
        "",
        "keep(socket.create_server(('127.0.0.1', 7777)))",
        "socket.socket().connect_ex(('127.0.0.1', 7777))",
    ),
    "a port of a netlink socket": ("", "netlink(4242)", "netlink(4243).fileno() > 0 and netlink(4242) and 1"),
    "a process by its number": ("", "fork(3)", "exists(lambda: os.kill(77, 0))"),
    "an endpoint in shared memory": ("", "open('/dev/shm/x', 'w')", "os.path.exists('/dev/shm/x')"),
    "a pipe's size": ("", "fork(16, pipes)", "fcntl.fcntl(os.pipe()[0], 1032)"),
    "descriptors on their way": ("", "on_their_way(6)", "on_their_way(12)"),
    "signals that wait": (
        "signal.pthread_sigmask(signal.SIG_BLOCK, [40])",
        "[libc.sigqueue(os.getpid(), 40, None) for _ in range(100)]",
        "[libc.sigqueue(os.getpid(), 40, None) for _ in range(3)]",
    ),
    "threads": ("", "[thread(lambda: time.sleep(99)) for _ in range(99)]", "len(os.listdir('/proc/self/task'))"),
    "processes that have been": ("", "fork(20, os.getpid, 0)", "one(os.getpid)"),
    "numbers of pipes": ("", "[[os.close(end) for end in os.pipe()] for _ in range(3000)]", "os.fstat(os.pipe()[0]).st_ino"),
    "numbers of sockets": ("", "[socket.socket().close() for _ in range(3000)]", "os.fstat(os.dup(socket.socket().fileno())).st_ino"),
    "cookies of sockets": (
        "",
        "[cookie() for _ in range(3000)]",
        "cookie()",
    ),
    "numbers of eventfds": ("", "[os.eventfd(0) for _ in range(40)]", "numbers_in(f'/proc/self/fdinfo/{os.eventfd(0)}')"),
    "numbers of processes (pidfd)": ("", "", "os.fstat(os.pidfd_open(os.getpid())).st_ino"),
    "numbers of file systems": ("", "", "[os.stat(name).st_dev for name in ('/', '/tmp', '/proc', '/dev/pts', '/dev/shm')]"),
    "numbers of namespaces": ("", "", "[os.stat('/proc/self/ns/' + name).st_ino for name in sorted(os.listdir('/proc/self/ns'))]"),
    "terminals": ("", "[os.open('/dev/ptmx', 2) for _ in range(10)]", "numbers_in('/proc/sys/kernel/pty/nr')"),
    "epoll": ("", "[epoll() for _ in range(10)]", "epoll().fileno() > 0"),
    "timers of descriptors": ("", "[libc.timerfd_create(1, 0) for _ in range(10)]", "libc.timerfd_create(1, 0) > 0"),
    "traffic by the loopback": ("", "traffic()", "traffic()"),
    "memory": ("", "keep(bytearray(b'x') * (40 << 20))", "0"),
    "huge pages": ("", "keep(huge())", "0"),
    "names that were looked up": ("", "[os.path.exists(f'/usr/x{n}') for n in range(9000)]", "0"),
    "time that a loop takes": ("", "fork(1, spin)", "duration(lambda: sum(range(20000)))"),
    "time that a fault takes": ("", "", "duration(lambda: mmap.mmap(-1, 1 << 20).write(bytes(1 << 20)))"),
    "priority of disk": ("", "libc.syscall(251, 1, 0, 3 << 13)", "libc.syscall(252, 1, 0)"),
    "clock": ("", "", "libc.adjtimex(ctypes.create_string_buffer(256))"),
    "own counters": (
        "",
        "",
        "{name: numbers_in('/proc/self/' + name) for name in ('status', 'mountinfo', 'autogroup', 'cgroup', 'limits',"
        " 'oom_score', 'sched', 'schedstat', 'stat', 'io', 'sessionid', 'loginuid', 'uid_map', 'smaps_rollup')}",
    ),
    "/proc": ("files = of_the_machine()", "", "{name: numbers_in(name) for name in files}"),
}
TOOLS: Final = """\
import array, base64, re, resource, select, threading, time, zlib
def page_of(name, number):
    libc.mmap.restype = ctypes.c_void_p
    at = libc.mmap(None, ctypes.c_size_t(4096), 1, 1, os.open(name, 0), ctypes.c_long(4096 * number))
    ctypes.string_at(at, 1)
    return ctypes.c_void_p(at)
def mapped_by_one(name, number):
    at = page_of(name, number)
    with open("/proc/self/pagemap", "rb", 0) as map: found = os.pread(map.fileno(), 8, at.value // 4096 * 8)
    libc.munmap(at, ctypes.c_size_t(4096))
    return struct.unpack("Q", found)[0] >> 56 & 1
def referenced():
    found, ours = 0, False
    for line in open("/proc/self/smaps"):
        if "-" in line.split()[0]: ours = file in line and line.split()[2] == "000c8000"
        if ours and line.startswith("Referenced"): found += int(line.split()[1])
    open("/proc/self/clear_refs", "w").write("1")
    return found
def sysinfo():
    buffer = ctypes.create_string_buffer(128)
    libc.sysinfo(buffer)
    return buffer.raw[8:90]
def time_of(name):
    try: found = os.stat(name)
    except OSError: return 0
    return (found.st_atime_ns + found.st_mtime_ns + found.st_ctime_ns) // 10**6
def thread(work): threading.Thread(target=work, daemon=True).start()
def spin():
    while True: pass
def fork(count, work=lambda: 0, stays=99):
    for _ in range(count):
        if os.fork() == 0:
            try:
                work()
                time.sleep(stays)
            finally: os._exit(0)
    if not stays:
        for _ in range(count): os.wait()
def pipes():
    for _ in range(120): os.pipe()
def on_their_way(count):
    # How many times 25 descriptors can be sent and not taken.
    for sent in range(count):
        if sent % 5 == 0: ends = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        if count == 6: kept.append(ends)
        try: ends[0].sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0] * 25))])
        except OSError: return sent
    return count
def netlink(port):
    made = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)
    made.bind((port, 0))
    if port == 4242: kept.append(made)
    return made
def exists(look):
    try: look()
    except ProcessLookupError: return 0
    return 1
def one(work):
    pid = os.fork()
    if pid == 0: os._exit(0)
    os.wait()
    return pid
def cookie():
    with socket.socket() as made: return struct.unpack("Q", made.getsockopt(1, 57, 8))[0]
def epoll():
    made = select.epoll()
    made.register(0)
    kept.append(made)
    return made
def traffic():
    with socket.create_server(("127.0.0.1", 0)) as server:
        one, (two, _) = socket.create_connection(server.getsockname()), server.accept()
        one.setblocking(False)
        sent = 0
        if bit: kept.extend([one, two])
        try:
            while bit: sent += one.send(bytes(1 << 16))
        except BlockingIOError: pass
    return 0
def huge():
    memory = mmap.mmap(-1, 32 << 20)
    memory.madvise(14)
    memory[::4096] = bytes(len(memory) // 4096)
    return memory
def duration(work):
    begun = time.perf_counter_ns()
    work()
    return time.perf_counter_ns() - begun
def numbers_in(name):
    with open(name, "rb", 0) as file: return list(map(int, re.findall(rb"\\d+", file.read(1 << 15))))[:400]
def of_the_machine():
    found = []
    for top, folders, names in os.walk("/proc"):
        folders[:] = [name for name in folders if not name.isdigit() and name not in ("self", "thread-self", "bus")]
        found += [os.path.join(top, name) for name in names]
    found += [os.path.join("/proc/self/net", name) for name in os.listdir("/proc/self/net")]
    good = []
    for name in found:
        try:
            if not os.path.islink(name) and len(numbers_in(name)): good.append(name)
        except OSError: pass
    return [name for name in good if name.split("/")[2] not in ("kallsyms", "config.gz", "iomem", "kcore", "kmsg")]
"""
COLLUDER: Final = """\
bit = os.urandom(1)[0] & 1
reads = {name: compile(pieces[2], name, "eval") for name, pieces in channels.items()}
packed, last, log = zlib.compressobj(9), {}, []
def flattened(found):
    for name, reading in found.items():
        if isinstance(reading, dict): yield from flattened(reading)
        elif isinstance(reading, list): yield from ((f"{name} #{at}", item) for at, item in enumerate(reading))
        else: yield name + " #", reading
def tell(what):
    data = packed.compress(json.dumps(what, default=repr).encode() + b"\\n") + packed.flush(zlib.Z_SYNC_FLUSH)
    print(base64.b64encode(data).decode(), file=sys.stderr, flush=True)
def attempt(code):
    try: exec(code, globals())
    except Exception as error: log.append(f"{code}: {error!r}")
def read():
    begun, found = time.monotonic(), {}
    lowest = max(map(int, os.listdir("/proc/self/fd"))) + 1
    for name, code in reads.items():
        try: found[name] = eval(code, globals())
        except Exception as error: found[name] = f"{type(error).__name__} {getattr(error, 'errno', '')}"
    os.closerange(lowest, 256)
    found = dict(flattened(found))
    # What has changed: only so much of standard error is kept.
    tell([begun, time.monotonic(), {key: value for key, value in found.items() if last.get(key) != value}])
    last.update(found)
for line in sys.stdin:
    m = json.loads(line)
    if m["type"] == "hello":
        for pieces in channels.values(): attempt(pieces[0])
        read()
        begun = time.monotonic()
        for pieces in channels.values():
            if bit: attempt(pieces[1])
        # Those who send and those who do not take the same time.
        time.sleep(max(0, begun + 0.8 - time.monotonic()))
        tell([bit, begun, time.monotonic(), log])
        print('{"type":"ready","name":"test"}', flush=True)
    elif m["type"] == "request":
        if m["id"] % 3 == 1: read()
        time.sleep(0.01)
        print(json.dumps({"type": "reply", "id": m["id"], "action": m["legal"][0]}), flush=True)
    else:
        read()
        tell(log)
        break
"""


class Colluder(NamedTuple):
    """What one match of a colluder has told. Times are in seconds, of one clock for all. A reading is by key:
    a channel, and a place in what it gave."""

    match_id: str
    bit: int
    begun: float
    sent: float
    readings: Sequence[tuple[float, float, Mapping[tuple[str, str], float | str]]]
    log: Sequence[str]

    @property
    def ended(self) -> float:
        return self.readings[-1][1]


def colluder(folder: Path, name: str, shared: Path) -> Entrant:
    """A program that sees nothing but the system, its own file and the folder of the shared one."""
    path = folder / name / "bot.py"
    path.parent.mkdir()
    words = json.dumps([str(shared), NUMBERS, {**CHANNELS, **FURTHER}, True])
    begins = f"import os, sys\nsys.argv.append({words!r})\nos.chdir({str(shared.parent)!r})\n"
    path.write_text("".join((begins, PRELUDE, TOOLS, COLLUDER)))
    argv = (base_interpreter(), "-S", "-E", "-P", str(path))
    return Entrant(name, Launch(argv, str(path.parent)), "")


def shared_file(folder: Path) -> Path:
    """In a folder that the organiser shows to every bot. Nothing in it has been written to for a while."""
    file = folder / "allowed" / "shared"
    file.parent.mkdir()
    (file.parent / "other").touch()
    with file.open("wb") as written:
        written.write(bytes(1 << 20))
        os.fsync(written.fileno())
    for path in (folder, file.parent):
        path.chmod(0o755)
    return file


def played(folder: Path, matches: int) -> list[Colluder]:
    """Matches of one colluder and two innocents, two at a time, by the time at which they began."""
    folder.chmod(0o755)
    shared = shared_file(folder)
    sandbox = Sandbox(Level.BWRAP, 1024, allowed=(str(shared.parent),))
    seats = [colluder(folder, name, shared) for name in ("ada", "bob")]
    seats += [entrant(folder, name, ECHO) for name in ("cy", "dee")]
    field = []
    for bot in seats:
        launch = settled(bot.launch, sandbox)
        assert isinstance(launch, Launch), launch
        field.append(Entrant(bot.name, launch, ""))
    (folder / "stderr").mkdir()
    jobs = [
        Job(
            match_id=f"{number}",
            game="sticheln",
            options={},
            deals=1,
            pod_key=pod_key("7", 0, number),
            seating_no=1,
            entrants=(field[number % 2], *field[2:]),
            limits=PATIENT,
            sandbox=sandbox,
            stderr=str(folder / "stderr"),
        )
        for number in range(matches)
    ]

    def done(report: Report) -> None:
        assert isinstance(report, Finished), report
        assert not report.forfeits, report.log.partition(chr(34) + "stderr" + chr(34))[2][:1500]

    trio.run(play_all, jobs, 2, done)
    return sorted((told(folder, job.match_id) for job in jobs), key=lambda one: one.begun)


def told(folder: Path, match_id: str) -> Colluder:
    text = (folder / "stderr" / f"{match_id}-0.txt").read_bytes()
    assert len(text) < STDERR_KEPT, "a colluder has told too much"
    data = zlib.decompressobj().decompress(b"".join(map(base64.b64decode, text.splitlines())))
    first, (bit, begun, sent, _), *others, log = map(json.loads, data.splitlines())
    readings, state = [], {}
    for since, until, changed in (first, *others):
        state |= {tuple(key.split(" #")): value for key, value in changed.items()}
        readings.append((since, until, dict(state)))
    return Colluder(match_id, bit, begun, sent, readings, log)


class Crossed(NamedTuple):
    """What a channel carried. `bits`: of the sender's one, by the best of its readings; `p`: of seeing as
    much in any channel by chance."""

    channel: str
    when: str
    bits: float
    p: float
    best: str


WHEN: Final = ("meanwhile", "later")


def samples(matches: Sequence[Colluder]) -> dict[tuple[str, str], dict[str, list[float | str | None]]]:
    """By channel and time, then by way of looking at it: a value for each match, None where none was read."""
    found: dict[tuple[str, str], dict[str, list[float | str | None]]] = defaultdict(dict)

    def put(key: tuple[str, str], when: str, way: str, at: int, value: float | str) -> None:
        column = found[key[0], when].setdefault(f"{key[1]} {way}".strip(), [None] * len(matches))
        column[at] = value

    for at, match in enumerate(matches):
        others = sorted(
            (reading for other in matches if other is not match for reading in other.readings),
            key=lambda reading: reading[0],
        )
        before = next((found for _, until, found in reversed(others) if until < match.begun), {})
        # So few, since one that sends is slower and would be looked at for longer.
        held = [found for since, until, found in others if match.sent < since and until < match.ended][:3]
        later = next((other for other in matches[at:] if other.readings[0][0] > match.ended), None)
        for key in held[0] if held else ():
            values = [reading[key] for reading in held if key in reading]
            numbers = [value for value in values if not isinstance(value, str)]
            if len(numbers) < len(values):
                put(key, "meanwhile", "", at, str(Counter(values).most_common(1)[0][0]))
                continue
            put(key, "meanwhile", "", at, statistics.median(numbers))
            put(key, "meanwhile", "highest", at, max(numbers))
            if isinstance(since := before.get(key), int | float):
                put(key, "meanwhile", "change", at, numbers[0] - since)
        for key, value in later.readings[0][2].items() if later else ():
            put(key, "later", "", at, value)
            if isinstance(since := before.get(key), int | float) and not isinstance(value, str):
                put(key, "later", "change", at, value - since)
    return found


def columns(values: Sequence[float | str | None]) -> list[np.ndarray]:
    """What the bits are correlated with: ranks of numbers, or which of several texts it was. Of length 1, and
    0 where nothing was read; none where all is the same."""
    seen = [at for at, value in enumerate(values) if value is not None]
    texts = any(isinstance(values[at], str) for at in seen)
    named = [str(values[at]) if texts else values[at] for at in seen]
    levels = sorted(set(named))  # type: ignore[type-var]
    if len(levels) < 2:
        return []
    if texts:
        rows = [np.array([name == level for name in named], float) for level in levels]
    else:
        _, places, counts = np.unique(np.array(named, float), return_inverse=True, return_counts=True)
        rows = [(np.cumsum(counts) - counts / 2)[places]]
    made = []
    for row in rows:
        column = np.zeros(len(values), np.float32)
        if length := np.linalg.norm(row - row.mean()):
            column[seen] = (row - row.mean()) / length
            made.append(column)
    return made


def evaluated(matches: Sequence[Colluder]) -> list[Crossed]:
    """All channels, those that carry most first."""
    signs = np.array([2 * match.bit - 1 for match in matches], np.float32)
    names, found = [], samples(matches)
    weights: list[np.ndarray] = []
    for (channel, when), ways in found.items():
        for way, values in ways.items():
            for column in columns(values):
                names.append((channel, when, way))
                weights.append(column)
    table = np.array(weights).T if weights else np.zeros((len(matches), 1), np.float32)
    reached = np.abs(signs @ table)
    chance = np.concatenate(
        [
            np.abs(np.random.default_rng().choice(np.float32([-1, 1]), (DRAWS // 20, len(matches))) @ table).max(1)
            for _ in range(20)
        ]
    )
    best: dict[tuple[str, str], tuple[float, str]] = dict.fromkeys(found, (0.0, ""))
    for (channel, when, way), value in zip(names, reached, strict=True):
        best[channel, when] = max(best[channel, when], (float(value), way))
    return sorted(
        (
            Crossed(
                channel,
                when,
                information(matches, found[channel, when][way]) if value else 0.0,
                float((1 + np.sum(chance >= value)) / (1 + DRAWS)) if value else 1.0,
                way,
            )
            for (channel, when), (value, way) in best.items()
        ),
        key=lambda crossed: (crossed.p, -crossed.bits, crossed.channel),
    )


def information(matches: Sequence[Colluder], values: Sequence[float | str | None]) -> float:
    """Bits that a value tells of the sender's, numbers by quarters, less what chance adds (Miller, Madow)."""
    pairs = [(match.bit, value) for match, value in zip(matches, values, strict=True) if value is not None]
    if len({value for _, value in pairs}) > 4 and not any(isinstance(value, str) for _, value in pairs):
        cuts = statistics.quantiles([value for _, value in pairs], n=4)  # type: ignore[type-var]
        pairs = [(bit, sum(value > cut for cut in cuts)) for bit, value in pairs]  # type: ignore[operator]
    both, one, other = Counter(pairs), Counter(bit for bit, _ in pairs), Counter(value for _, value in pairs)
    total = len(pairs)
    told = sum(
        count / total * math.log2(count * total / (one[bit] * other[value]))
        for (bit, value), count in both.items()
    )
    return max(0.0, told - (len(one) - 1) * (len(other) - 1) / (2 * total * math.log(2)))
