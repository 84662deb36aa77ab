"""Bots as tiny real programs: a well-behaved one, and the ways in which one can go wrong.

Each is the echo bot with a few lines put in: BEFORE runs once at the start, ASKED at each request with the
message in `m`. Names are the entry's key.
"""

from pathlib import Path
from typing import NamedTuple

from arena.entrants.entrant import Entrant
from arena.process.launch import Launch, base_interpreter
from protocol.faults import FaultKind
from protocol.messages import Limits

FRAME = """\
import json, os, signal, subprocess, sys, time
def fill(folder):
    for number in range(1000):
        with open(f"{{folder}}/{{number}}", "wb") as file: file.write(bytes(2**23))
def say(text):
    sys.stdout.write(text + "\\n")
    sys.stdout.flush()
{before}
for line in sys.stdin:
    m = json.loads(line)
    if m["type"] == "hello":
        say('{{"type":"ready","name":"test"}}')
    elif m["type"] == "request":
        answer = json.dumps({{"type": "reply", "id": m["id"], "action": m["legal"][0]}})
{asked}
        say(answer)
    else:
{end}
        break
"""


SHORT = Limits(start_ms=1500, decision_ms=300, bank_ms=0)
"""Of programs that are waited for in vain; the others have time however busy the machine is."""


class Program(NamedTuple):
    """What is put into the echo bot, and the fault that has to come of it; None if none."""

    fault: FaultKind | None = None
    before: str = ""
    asked: str = ""
    end: str = "pass"

    @property
    def is_waited_for(self) -> bool:
        """Whether time alone shows what it does wrong."""
        silent = "os.close(0)" in self.asked or "if os.fork(): os._exit(3)" in self.before + self.asked
        return self.fault in (FaultKind.HANDSHAKE, FaultKind.TIMEOUT) or silent

    def source(self) -> str:
        def indented(text: str) -> str:
            return "\n".join(" " * 8 + line for line in text.splitlines())

        return FRAME.format(before=self.before, asked=indented(self.asked), end=indented(self.end))


def at(request: int, code: str) -> str:
    """Code that runs at one request only."""
    return f"if m['id'] == {request}:\n" + "\n".join(f"    {line}" for line in code.splitlines())


ECHO = Program()

MISBEHAVING: dict[str, Program] = {
    "exits-before-ready": Program(
        FaultKind.EXITED, before="print('no licence', file=sys.stderr); sys.exit(3)"
    ),
    "crashes-before-ready": Program(FaultKind.EXITED, before="raise ValueError('bad weights')"),
    "silent": Program(FaultKind.HANDSHAKE, before="time.sleep(60)"),
    "banner": Program(FaultKind.HANDSHAKE, before="say('Welcome to MyBot 2.0')"),
    "two-objects": Program(FaultKind.HANDSHAKE, before='say(\'{"type":"ready","name":"a"} {}\')'),
    "exits": Program(FaultKind.EXITED, asked=at(9, "sys.exit(1)")),
    "killed": Program(FaultKind.EXITED, asked=at(9, "os.kill(os.getpid(), signal.SIGSEGV)")),
    "half-a-line": Program(FaultKind.EXITED, asked=at(9, "sys.stdout.write(answer[:20])\nsys.exit(0)")),
    "closes-stdout": Program(FaultKind.EXITED, asked=at(9, "os.close(1)\ntime.sleep(60)")),
    "closes-stdin": Program(FaultKind.EXITED, asked=at(9, "os.close(0)\ntime.sleep(60)")),
    "sleeps": Program(FaultKind.TIMEOUT, asked=at(9, "time.sleep(60)")),
    "spins": Program(FaultKind.TIMEOUT, asked=at(9, "while True: pass")),
    "stops-itself": Program(
        FaultKind.TIMEOUT, asked=at(9, "while True: os.kill(os.getpid(), signal.SIGSTOP)")
    ),
    "never-reads": Program(FaultKind.TIMEOUT, asked=at(2, "time.sleep(60)")),
    "nonsense": Program(FaultKind.MALFORMED, asked=at(9, "answer = 'hmm, let me think'")),
    "binary": Program(FaultKind.MALFORMED, asked=at(9, "os.write(1, bytes(range(128, 256)) + b'\\n')")),
    "nesting-bomb": Program(FaultKind.MALFORMED, asked=at(9, "answer = '{\"x\":' + '[' * 60000")),
    "never-asked": Program(FaultKind.MALFORMED, asked=at(9, "answer = answer.replace('9', '99', 1)")),
    "lacks-the-card": Program(
        FaultKind.ILLEGAL, asked=at(9, "answer = json.dumps({'type': 'reply', 'id': 9, 'action': 'Z9'})")
    ),
    "floods": Program(FaultKind.FLOOD, asked=at(9, "while True: sys.stdout.write('x' * 4096)")),
    "blank-lines": Program(FaultKind.FLOOD, asked=at(9, "while True: sys.stdout.write('\\n' * 4096)")),
}

FORGIVEN: dict[str, Program] = {
    "blank-and-crlf": Program(asked="answer = '\\r\\n\\n' + answer + '\\r'"),
    "answers-twice": Program(asked="answer = answer + '\\n' + answer"),
    "stderr-spam": Program(before="sys.stderr.write('x' * 200_000 + 'the end')"),
    "ignores-end": Program(end="time.sleep(60)"),
    "ignores-sigterm": Program(before="signal.signal(signal.SIGTERM, signal.SIG_IGN)", end="time.sleep(60)"),
    "stopped-at-end": Program(end="os.kill(os.getpid(), signal.SIGSTOP)"),
    "grandchild-holds-stdout": Program(before="subprocess.Popen(['sleep', '60'])"),
    "writes-after-end": Program(end="say('x' * 100_000)"),
    "dirty-name": Program(
        asked="pass",
        before='say(\'{"type":"ready","name":"[/red]\\\\u001b]0;x\\\\u202e" }\'); sys.stdin.readline()',
    ),
}


UNREADABLE = "import ctypes\nctypes.CDLL(None).prctl(4, 0, 0, 0, 0)"  # PR_SET_DUMPABLE.
EXECUTE_ONLY = """\
import ctypes, shutil
if not os.path.exists('/tmp/python'):
    shutil.copy(sys.executable, '/tmp/python')
    os.chmod('/tmp/python', 0o111)
    os.environ['PYTHONHOME'] = f'{sys.base_prefix}:{sys.base_exec_prefix}'
    os.execv('/tmp/python', [sys.executable, *sys.orig_argv[1:]])
assert ctypes.CDLL(None).prctl(3, 0, 0, 0, 0) != 1  # PR_GET_DUMPABLE.
"""
"""The kernel lets nobody look at the process of a program that cannot be read."""
LONG_PATHS = """\
import mmap
name = chr(10) * 255
os.chdir('/tmp')
for _ in range(5000): os.mkdir(name); os.chdir(name)
with open('f', 'w+b') as file: file.truncate(4096); deep = mmap.mmap(file.fileno(), 0)
def shown():
    file = os.open('/proc/self/maps', os.O_RDONLY)
    while os.read(file, 4096): pass
    return file
"""
"""For the path of that file the kernel keeps 8 MiB for each descriptor by which it was shown."""


RESOURCES: dict[str, Program] = {
    "allocates": Program(FaultKind.MEMORY, asked=at(9, "hog = []\nwhile True: hog.append(b'x' * 2**23)")),
    "allocates-by-ten": Program(
        FaultKind.MEMORY,
        asked=at(
            9,
            "for _ in range(10):\n    if os.fork() == 0: hog = b'x' * 2**30; time.sleep(60)\ntime.sleep(60)",
        ),
    ),
    "hoards-memfds": Program(
        FaultKind.EXITED,
        asked=at(
            9, "for _ in range(99): os.write(os.memfd_create('hoard'), bytes(3 * 2**20))\ntime.sleep(0.3)"
        ),
    ),
    "mounts-a-folder": Program(
        FaultKind.EXITED,
        before="import ctypes\nlibc, uid = ctypes.CDLL(None, use_errno=True), os.getuid()",
        asked=at(
            9,
            "if libc.unshare(0x10020000): raise OSError(ctypes.get_errno(), 'unshare')\n"
            "for name, text in ('setgroups', 'deny'), ('uid_map', f'0 {uid} 1'), ('gid_map', f'0 {uid} 1'):\n"
            "    with open(f'/proc/self/{name}', 'w') as file: file.write(text)\n"
            "if libc.mount(b'none', b'/tmp', b'tmpfs', 0, None): raise OSError(ctypes.get_errno(), 'mount')\n"
            "for number in range(50):\n"
            "    with open(f'/tmp/{number}', 'wb') as file: file.write(bytes(7 * 2**20))",
        ),
    ),
    "hoards-sockets": Program(
        FaultKind.MEMORY,
        before="import socket",
        asked=at(
            9,
            "for _ in range(8):\n    if os.fork() == 0: hoard = [socket.socket() for _ in range(240)]; "
            "time.sleep(60)\ntime.sleep(60)",
        ),
    ),
    "waits-for-millions": Program(
        FaultKind.MEMORY,
        before="import select",
        asked=at(
            9,
            "os.fork()\n"
            "epolls, files = [select.epoll() for _ in range(80)], [os.eventfd(0) for _ in range(80)]\n"
            "for number in range(max(files) + 1, 255):\n"
            "    for file in files:\n"
            "        os.dup2(file, number)\n"
            "        for epoll in epolls: epoll.register(number)\n"
            "time.sleep(60)",
        ),
    ),
    "hoards-long-paths": Program(
        FaultKind.MEMORY,
        before=LONG_PATHS,
        asked=at(9, "hoard = [shown() for _ in range(40)]\ntime.sleep(60)"),
    ),
    "hoards-long-paths-unseen": Program(
        FaultKind.MEMORY,
        before=f"{EXECUTE_ONLY}\n{LONG_PATHS}",
        asked=at(9, "hoard = [shown() for _ in range(40)]\ntime.sleep(60)"),
    ),
    "sends-long-paths": Program(
        FaultKind.MEMORY,
        before=f"import socket\nends = socket.socketpair()\n{LONG_PATHS}",
        asked=at(
            9,
            "for _ in range(40):\n"
            "    socket.send_fds(ends[0], [b'x'], [file := shown()])\n    os.close(file)\n"
            "time.sleep(60)",
        ),
    ),
    "hoards-long-paths-in-a-thread": Program(
        FaultKind.MEMORY,
        before=f"import ctypes, platform, threading\n{LONG_PATHS}",
        asked=at(
            9,
            "def hoards():\n    hoard = [shown() for _ in range(40)]\n    time.sleep(60)\n"
            "threading.Thread(target=hoards).start()\n"
            "ctypes.CDLL(None).syscall({'x86_64': 60, 'aarch64': 93}[platform.machine()], 0)",
        ),
    ),
    "allocates-at-once": Program(FaultKind.EXITED, asked=at(9, "hog = bytearray(10 * 2**30)")),
    "fork-bomb": Program(
        FaultKind.MEMORY,
        asked=at(9, "while True:\n    try: os.fork()\n    except OSError: time.sleep(0.01)"),
    ),
    "fills-tmp": Program(FaultKind.EXITED, asked=at(9, "fill('/tmp')")),
    "fills-shm": Program(FaultKind.EXITED, asked=at(9, "fill('/dev/shm')")),
}
"""For a sandbox that holds only. Those that fill a folder learn that it is full."""


def answering(**changes: str) -> str:
    """Code by which request 9 is answered with these fields; the values are JSON as it stands there."""
    fields = {"type": '"reply"', "id": "9", "action": '"R1"'} | changes
    members = ", ".join(f'"{key}": {value}' for key, value in fields.items())
    return at(9, f"answer = {'{' + members + '}'!r}")


CATALOGUE: dict[str, Program] = {
    # before `ready`
    "exits-0": Program(FaultKind.EXITED, before="sys.exit(0)"),
    "killed-before-ready": Program(FaultKind.EXITED, before="os.kill(os.getpid(), signal.SIGKILL)"),
    "daemonises": Program(FaultKind.EXITED, before="if os.fork(): os._exit(3)\ntime.sleep(60)"),
    "prompt": Program(FaultKind.HANDSHAKE, before="sys.stdout.write('> '); sys.stdout.flush()"),
    "prompt-and-silence": Program(
        FaultKind.HANDSHAKE, before="sys.stdout.write('> '); sys.stdout.flush(); time.sleep(60)"
    ),
    "other-protocol": Program(
        FaultKind.HANDSHAKE, before='say(\'{"type":"ready","name":"x","protocol":2}\')'
    ),
    "utf-16": Program(FaultKind.HANDSHAKE, before="sys.stdout.reconfigure(encoding='utf-16')"),
    "over-two-lines": Program(FaultKind.HANDSHAKE, before='say(\'{"type":"ready",\\n"name":"x"}\')'),
    "binary-before-ready": Program(FaultKind.HANDSHAKE, before="os.write(1, bytes(range(256)))"),
    "banner-without-end": Program(FaultKind.FLOOD, before="while True: sys.stdout.write('welcome ')"),
    # a reply that is none
    "id-float": Program(FaultKind.MALFORMED, asked=answering(id="9.0")),
    "id-true": Program(FaultKind.MALFORMED, asked=answering(id="true")),
    "id-null": Program(FaultKind.MALFORMED, asked=answering(id="null")),
    "id-text": Program(FaultKind.MALFORMED, asked=answering(id='"9"')),
    "id-list": Program(FaultKind.MALFORMED, asked=answering(id="[9]")),
    "id-nan": Program(FaultKind.MALFORMED, asked=answering(id="NaN")),
    "id-infinite": Program(FaultKind.MALFORMED, asked=answering(id="1e999")),
    "id-of-30-digits": Program(FaultKind.MALFORMED, asked=answering(id="9" * 30)),
    "id-negative": Program(FaultKind.MALFORMED, asked=answering(id="-9")),
    "action-number": Program(FaultKind.MALFORMED, asked=answering(action="7")),
    "action-null": Program(FaultKind.MALFORMED, asked=answering(action="null")),
    "note-null": Program(FaultKind.MALFORMED, asked=answering(note="null")),
    "no-action": Program(FaultKind.MALFORMED, asked=at(9, 'answer = \'{"type":"reply","id":9}\'')),
    "list": Program(FaultKind.MALFORMED, asked=at(9, "answer = '[' + answer + ']'")),
    "null": Program(FaultKind.MALFORMED, asked=at(9, "answer = 'null'")),
    "debug-behind-the-answer": Program(FaultKind.MALFORMED, asked=at(9, "answer += '\\nI played well'")),
    "ready-again": Program(FaultKind.MALFORMED, asked=at(9, 'answer = \'{"type":"ready","name":"x"}\'')),
    # too much
    "gigabyte-without-newline": Program(
        FaultKind.FLOOD, asked=at(9, "for _ in range(1 << 14): os.write(1, b'x' * (1 << 16))")
    ),
    "old-replies": Program(
        FaultKind.FLOOD, asked=at(9, "while True: say(answer.replace('\"id\": 9', '\"id\": 8'))")
    ),
    "stderr-flood": Program(FaultKind.TIMEOUT, asked=at(9, "while True: os.write(2, b'\\xff' * 65536)")),
    # time, and the end
    "drips": Program(
        FaultKind.TIMEOUT, asked=at(9, "for char in answer: os.write(1, char.encode()); time.sleep(1)")
    ),
    "exits-after-a-reply-without-newline": Program(
        FaultKind.EXITED, asked=at(9, "sys.stdout.write(answer); sys.stdout.flush(); os._exit(0)")
    ),
    "daemonises-in-play": Program(FaultKind.EXITED, asked=at(9, "if os.fork(): os._exit(3)\ntime.sleep(60)")),
}
"""With MISBEHAVING, all that is known of how bots go wrong."""

ODD: dict[str, Program] = {
    "byte-order-mark": Program(before="os.write(1, b'\\xef\\xbb\\xbf')"),
    "long-name": Program(before=f'say(\'{{"type":"ready","name":"{"n" * 9999}"}}\'); sys.stdin.readline()'),
    "unknown-field": Program(asked='answer = answer[:-1] + \', "mood": [null, {"a": 1e999}]}\''),
    "duplicate-keys": Program(asked="answer = answer.replace('{', '{\"action\": \"Z9\", ')"),
    "closed-id": Program(asked="if m['id'] > 1: say(answer.replace('\"id\": %d' % m['id'], '\"id\": 1'))"),
    "binary-stderr": Program(before="os.write(2, bytes(range(256)) * 1000)"),
    "a-quarter-of-the-limit": Program(asked=at(9, "time.sleep(0.08)")),
    "slow-clean-up": Program(end="time.sleep(0.5)"),
    "grandchild-at-the-end": Program(end="subprocess.Popen(['sleep', '60'])"),
    "daemon-that-plays": Program(before="if os.fork(): os._exit(0)"),
}
"""Odd, and no fault."""


def entrant(folder: Path, name: str, program: Program) -> Entrant:
    """The program as a file in `folder`, ready to be seated."""
    path = folder / f"{name}.py"
    path.write_text(program.source())
    launch = Launch((base_interpreter(), "-S", "-E", "-P", str(path)), str(folder))
    return Entrant(name, launch, "", limits=SHORT if program.is_waited_for else None)
