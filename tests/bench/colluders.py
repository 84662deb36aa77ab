"""The programs of crossing.py: what colluders leave, what they read, and how two of them use one channel.

They are text, put together there, and run where nothing of ours can be imported.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

FUTEX: Final = "futex on a page of a file"
# As in CHANNELS: what everybody does first, what the sender leaves and holds, what is read.
FURTHER: Mapping[str, tuple[str, str, str]] = {
    FUTEX: (
        "shared = page_of(file, 3)",
        "thread(lambda: [libc.syscall(202, shared, 0, 0, None) for _ in iter(int, 1)])",
        "libc.syscall(202, shared, 1, 99)",
    ),
    "how many map a page (pagemap)": ("", "page_of(file, 5)", "mapped_by_one(file, 5)"),
    "whether a page was referenced (smaps)": (
        "page_of('page-0', 0)",
        "keep(os.open('page-0', 0)); os.pread(kept[-1], 4096, 0)",
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
        "[item for name in ('/usr', '/usr/lib', '/bin/sh', '/etc', '.', file) for item in os.stat(name)]",
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
    "threads": (
        "",
        "[thread(lambda: time.sleep(99)) for _ in range(99)]",
        "len(os.listdir('/proc/self/task'))",
    ),
    "processes that have been": ("", "fork(20, os.getpid, 0)", "one(os.getpid)"),
    "numbers of pipes": (
        "",
        "[[os.close(end) for end in os.pipe()] for _ in range(3000)]",
        "os.fstat(os.pipe()[0]).st_ino",
    ),
    "numbers of sockets": (
        "",
        "[socket.socket().close() for _ in range(3000)]",
        "number_of(socket.socket())",
    ),
    "cookies of sockets": (
        "",
        "[cookie() for _ in range(3000)]",
        "cookie()",
    ),
    "numbers of eventfds": (
        "",
        "[os.eventfd(0) for _ in range(40)]",
        "numbers_in(f'/proc/self/fdinfo/{os.eventfd(0)}')",
    ),
    "numbers of processes (pidfd)": ("", "", "os.fstat(os.pidfd_open(os.getpid())).st_ino"),
    "numbers of file systems": (
        "",
        "",
        "[os.stat(name).st_dev for name in ('/', '/tmp', '/proc', '/dev/pts', '/dev/shm')]",
    ),
    "numbers of namespaces": (
        "",
        "",
        "[os.stat('/proc/self/ns/' + name).st_ino for name in sorted(os.listdir('/proc/self/ns'))]",
    ),
    "terminals": (
        "",
        "[os.open('/dev/ptmx', 2) for _ in range(10)]",
        "numbers_in('/proc/sys/kernel/pty/nr')",
    ),
    "epoll": ("", "[epoll() for _ in range(10)]", "epoll().fileno() > 0"),
    "timers of descriptors": (
        "",
        "[libc.timerfd_create(1, 0) for _ in range(10)]",
        "libc.timerfd_create(1, 0) > 0",
    ),
    "traffic by the loopback": ("", "traffic()", "traffic()"),
    "memory": ("", "keep(bytearray(b'x') * (40 << 20))", "0"),
    "huge pages": ("", "keep(huge())", "0"),
    "names that were looked up": ("", "[os.path.exists(f'/usr/x{n}') for n in range(9000)]", "0"),
    "time that a loop takes": ("", "fork(1, spin)", "duration(lambda: sum(range(20000)))"),
    "time that a fault takes": ("", "", "duration(lambda: mmap.mmap(-1, 1 << 20).write(bytes(1 << 20)))"),
    "priority of disk": ("", "libc.syscall(251, 1, 0, 3 << 13)", "libc.syscall(252, 1, 0)"),
    "how the clock is set": ("", "", "libc.adjtimex(ctypes.create_string_buffer(256))"),
    "time that has passed": ("", "", "time.monotonic()"),
    "own counters": (
        "",
        "",
        "{'/proc/self/' + name: numbers_in('/proc/self/' + name) for name in ('status', 'mountinfo',"
        " 'autogroup', 'cgroup', 'limits', 'oom_score', 'sched', 'schedstat', 'stat', 'io', 'sessionid',"
        " 'loginuid', 'uid_map', 'smaps_rollup')}",
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
    found, name = {}, ""
    for line in open("/proc/self/smaps"):
        if "-" in line.split()[0]: name = os.path.basename(line.split()[-1])
        if name.startswith("page-") and line.startswith("Referenced"):
            found[int(name[5:])] = min(1, int(line.split()[1]))
    open("/proc/self/clear_refs", "w").write("1")
    return [bit for _, bit in sorted(found.items())]
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
    until = time.monotonic() + 0.3
    while time.monotonic() < until: pass
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
    try:
        while True: os.pipe()
    except OSError: pass  # As many as it may have open.
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
def number_of(made):
    with made: return os.fstat(made.fileno()).st_ino
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
        others = ("self", "thread-self", "bus")
        folders[:] = [name for name in folders if not name.isdigit() and name not in others]
        found += [os.path.join(top, name) for name in names]
    found += [os.path.join("/proc/self/net", name) for name in os.listdir("/proc/self/net")]
    good = []
    for name in found:
        try:
            if not os.path.islink(name) and len(numbers_in(name)): good.append(name)
        except OSError: pass
    text = ("/proc/kallsyms", "/proc/config.gz", "/proc/iomem")
    return [name for name in good if name not in text]
"""
COLLUDER: Final = """\
bit = os.urandom(1)[0] & 1
reads = {name: compile(pieces[2], name, "eval") for name, pieces in channels.items()}
packed, last, log = zlib.compressobj(9), {}, []
def flattened(found):
    for name, reading in found.items():
        if isinstance(reading, dict): yield from flattened(reading)
        elif isinstance(reading, list):
            yield from ((f"{name} #{at}", item) for at, item in enumerate(reading))
        else: yield name + " #", reading
def tell(what):
    data = packed.compress(json.dumps(what, default=repr).encode() + b"\\n") + packed.flush(zlib.Z_SYNC_FLUSH)
    print(base64.b64encode(data).decode(), file=sys.stderr, flush=True)
def wait(until): time.sleep(max(0, until - time.monotonic()))  # Whoever sends is slower, which must not tell.
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
    changed = {key: value for key, value in found.items() if last.get(key, tell) != value}
    tell([begun, time.monotonic(), changed])
    last.update(found)
for line in sys.stdin:
    m = json.loads(line)
    if m["type"] == "hello":
        for pieces in channels.values(): attempt(pieces[0])
        read()
        begun = time.monotonic()
        for pieces in channels.values():
            if bit: attempt(pieces[1])
        wait(begun + 0.8)
        tell([bit, begun, time.monotonic(), log])
        print('{"type":"ready","name":"test"}', flush=True)
    elif m["type"] == "request":
        if m["id"] % 3 == 1: read()
        wait(begun + 0.8 + 0.12 * m["id"])
        print(json.dumps({"type": "reply", "id": m["id"], "action": m["legal"][0]}), flush=True)
    else:
        read()
        tell(log)
        break
"""


class Tuned(NamedTuple):
    """A channel by itself, pieces of Python: what the sender prepares and what it does about the bits of a
    slot, of which there are `width`; what the receiver prepares and reads them by."""

    width: int
    slot: float
    prepares: str
    sends: str
    looks: str
    reads: str
    slots: int = 400


TUNED: Final[Mapping[str, Tuned]] = {
    FUTEX: Tuned(
        1,
        0.0005,
        "at = page_of(file, 3)",
        "pause(at, until) if bits[0] else wait(until)",
        "at = page_of(file, 3)",
        "[libc.syscall(202, at, 1, 1)]",
    ),
    "how many map a page (pagemap)": Tuned(
        200,
        0.005,
        "held = []",
        "[libc.munmap(at, page) for at in held]; "
        "held = [page_of(file, n) for n, bit in enumerate(bits) if bit]; wait(until)",
        "map = open('/proc/self/pagemap', 'rb', 0)",
        "mapped_by_others(200)",
    ),
    "the machine's memory in files (sysinfo)": Tuned(
        1,
        0.02,
        "held = open('/tmp/held', 'wb', 0)",
        "size = bits[0] << 22; os.pwrite(held.fileno(), bytes(size), 0); held.truncate(size); wait(until)",
        "usual = []",
        "[more_than_usual(struct.unpack('10QH', sysinfo())[5])]",
    ),
}
TUNES: Final = """\
import random
page, descriptor = ctypes.c_size_t(4096), os.open(file, 0)
def page_of(name, number):
    libc.mmap.restype = ctypes.c_void_p
    at = ctypes.c_void_p(libc.mmap(None, page, 1, 0x8001, descriptor, ctypes.c_long(4096 * number)))
    return at
def mapped_by_others(count):
    libc.mmap.restype = ctypes.c_void_p
    at = libc.mmap(None, ctypes.c_size_t(4096 * count), 1, 0x8001, descriptor, ctypes.c_long(0))
    found = struct.unpack(f"{count}Q", os.pread(map.fileno(), 8 * count, at // 4096 * 8))
    libc.munmap(ctypes.c_void_p(at), ctypes.c_size_t(4096 * count))
    return [1 - (entry >> 56 & 1) for entry in found]
def wait(until):
    while (left := until - time.monotonic()) > 0: time.sleep(left if left > .0002 else 0)
def pause(at, until):
    left = until - time.monotonic()
    if left > 0: libc.syscall(202, at, 0, 0, pack("qq", 0, int(left * 1e9)))
    wait(until)
def more_than_usual(found):
    usual.append(found)
    return int(found > (min(usual[-40:]) + max(usual[-40:])) / 2)
role, begins, slot, width, slots, first, each = json.loads(sys.argv[2])
stream, told = random.Random(7), []
exec(first)
each = compile(each, "each", "exec" if role == "sends" else "eval")
for number in range(slots):
    bits = [stream.getrandbits(1) for _ in range(width)]
    since, until = begins + number * slot, begins + (number + 1) * slot
    if role == "sends":
        wait(since)
        exec(each)
    else:
        wait(since + .6 * slot)
        told.append(sum(found != bit for found, bit in zip(eval(each), bits)))
print(sum(told) if role == "reads" else 0, flush=True)
"""
