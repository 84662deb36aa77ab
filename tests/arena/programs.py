"""Bots as tiny real programs: a well-behaved one, and the ways in which one can go wrong.

Each is the echo bot with a few lines put in: BEFORE runs once at the start, ASKED at each request with the
message in `m`. Names are the entry's key.
"""

from pathlib import Path
from typing import NamedTuple

from arena.job import Entrant
from arena.launch import Launch, base_interpreter
from protocol.faults import FaultKind

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


class Program(NamedTuple):
    """What is put into the echo bot, and the fault that has to come of it; None if none."""

    fault: FaultKind | None = None
    before: str = ""
    asked: str = ""
    end: str = "pass"

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
    "stops-itself": Program(FaultKind.TIMEOUT, asked=at(9, "os.kill(os.getpid(), signal.SIGSTOP)")),
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


RESOURCES: dict[str, Program] = {
    "allocates": Program(FaultKind.MEMORY, asked=at(9, "hog = []\nwhile True: hog.append(b'x' * 2**23)")),
    "allocates-by-ten": Program(
        FaultKind.MEMORY,
        asked=at(
            9,
            "for _ in range(10):\n    if os.fork() == 0: hog = b'x' * 2**30; time.sleep(60)\ntime.sleep(60)",
        ),
    ),
    "allocates-at-once": Program(FaultKind.EXITED, asked=at(9, "hog = bytearray(10 * 2**30)")),
    "fork-bomb": Program(
        FaultKind.MEMORY,
        asked=at(9, "while True:\n    try: os.fork()\n    except OSError: time.sleep(0.01)"),
    ),
    "fills-tmp": Program(FaultKind.EXITED, asked=at(9, "fill('/tmp')")),
    "fills-shm": Program(FaultKind.EXITED, asked=at(9, "fill('/dev/shm')")),
    "a-gigabyte-to-stderr": Program(
        FaultKind.FLOOD,
        before="signal.signal(signal.SIGXFSZ, signal.SIG_DFL)",
        asked=at(9, "for _ in range(1000): sys.stderr.write('x' * 2**20)"),
    ),
}
"""For a sandbox that holds only. Those that fill a folder learn that it is full."""


def entrant(folder: Path, name: str, program: Program) -> Entrant:
    """The program as a file in `folder`, ready to be seated."""
    path = folder / f"{name}.py"
    path.write_text(program.source())
    return Entrant(name, Launch((base_interpreter(), "-S", "-E", "-P", str(path)), str(folder)), "")
