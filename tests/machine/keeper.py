"""Runs a command on a poor machine, and tells what it said and what it left.

It is a program, which imports nothing of ours: the case comes as JSON on standard input, written by
`tests/machine/runs.py`; the report goes to standard output. Orphans of the command become its children, so it
sees all that are left; as root it has file systems of its own, so nothing has to be unmounted.
"""

import contextlib
import ctypes
import fcntl
import json
import os
import pty
import random
import re
import resource
import select
import shutil
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

MNT_DETACH = 2
MS_BIND = 4096
ROOT = Path(__file__).parent.parent.parent
LIBC = ctypes.CDLL(None, use_errno=True)
PR_SET_CHILD_SUBREAPER = 36
CLONE_NEWNS = 0x20000
CONTROL = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b[()][A-Z0-9]|\x1b[=>]")
PROC = os.open("/proc", os.O_RDONLY | os.O_DIRECTORY)
FAREWELL = 4.0
"""Seconds that processes have to go after their command."""


def called(number: int) -> None:
    if number:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def read(name: str) -> bytes:
    """A file of /proc, even where a case covers it."""
    descriptor = os.open(name, os.O_RDONLY, dir_fd=PROC)
    with open(descriptor, "rb") as file:
        return file.read()


def tree(root: int) -> dict[int, list[str]]:
    """The living descendants of a process, with the words each was called with."""
    parents, words = {}, {}
    for name in os.listdir(PROC):
        if not name.isdigit():
            continue
        try:
            stat = read(f"{name}/stat").decode(errors="replace")
            line = read(f"{name}/cmdline")
        except OSError:
            continue
        state, parent = stat.rpartition(")")[2].split()[:2]
        parents[int(name)] = int(parent)
        if state not in "ZX":
            words[int(name)] = [part.decode(errors="replace") for part in line.split(b"\0")[:-1]]

    def below(pid: int) -> bool:
        while pid in parents and pid != root:
            pid = parents[pid]
        return pid == root

    return {pid: line for pid, line in words.items() if pid != root and below(pid)}


def find(pattern: str) -> list[int]:
    """Descendants whose words match, the oldest first."""
    return sorted(pid for pid, line in tree(os.getpid()).items() if re.search(pattern, " ".join(line)))


def outermost(pids: list[int]) -> list[int]:
    """Those whose parent is not among them: of a sandbox that is bwrap, and not the first process inside."""
    parents = {pid: int(read(f"{pid}/stat").rpartition(b")")[2].split()[1]) for pid in pids}
    return [pid for pid in pids if parents[pid] not in parents]


def listing(folders: list[str]) -> set[str]:
    found: set[str] = set()
    for folder in folders:
        for where, inner, files in os.walk(folder):
            found.update(os.path.join(where, name) for name in [*inner, *files])
    return found


class Terminal:
    """Presses its keys again and again, and remembers what was shown."""

    def __init__(self, keys: str) -> None:
        self._keys = keys.encode()
        self._ours, self.theirs = pty.openpty()
        fcntl.ioctl(self._ours, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self._shown = b""
        self._on = True
        self._thread = threading.Thread(target=self._attend)

    def begin(self) -> None:
        os.close(self.theirs)
        self._thread.start()

    def _attend(self) -> None:
        while self._on:
            ready, _, _ = select.select([self._ours], [], [], 0.1)
            try:
                if ready:
                    self._shown += os.read(self._ours, 65536)
                else:
                    os.write(self._ours, self._keys)
            except OSError:  # Nobody is at the other end any more.
                return

    def hang_up(self) -> None:
        if self._on:
            self._on = False
            self._thread.join()
            os.close(self._ours)

    @property
    def text(self) -> str:
        return CONTROL.sub("", self._shown.decode(errors="replace"))


class Reader:
    """What comes out of a pipe, to its end; none of the limits that a file has."""

    def __init__(self, pipe: IO[bytes] | None) -> None:
        self._pipe, self._parts = pipe, [b""]
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        while self._pipe is not None and (part := os.read(self._pipe.fileno(), 65536)):
            self._parts.append(part)

    def text(self) -> str:
        self._thread.join(1)
        return b"".join(self._parts).decode(errors="replace")


class Case:
    def __init__(self, told: dict[str, Any]) -> None:
        self.told = told
        self.user: int | None = told["user"]
        self.chance = random.Random(told.get("chance", 0))
        self.hogs: list[int] = []
        self.command: subprocess.Popen[bytes] | None = None
        self.terminal: Terminal | None = None

    # What can be done to the machine, each called by its name in a case.

    def mount(self, folder: str, options: str) -> None:
        os.makedirs(folder, exist_ok=True)
        data = f"{options},uid={self.user},gid={self.user}" if self.user is not None else options
        called(LIBC.mount(b"tmpfs", folder.encode(), b"tmpfs", 0, data.encode()))

    def remount(self, folder: str, options: str) -> None:
        subprocess.run(["mount", "-o", f"remount,{options}", folder], check=True)

    def bind(self, source: str, target: str) -> None:
        subprocess.run(["mount", "--bind", source, target], check=True)

    def cover(self, folder: str) -> None:
        called(LIBC.mount(b"tmpfs", folder.encode(), b"tmpfs", 0, b"size=1m,mode=755"))

    def mkdir(self, folder: str) -> None:
        os.makedirs(folder, exist_ok=True)
        if self.user is not None:
            os.chown(folder, self.user, self.user)

    def unmount(self, folder: str) -> None:
        # The command of that name needs /proc, which may be what is covered.
        if ctypes.CDLL(None).umount2(os.fsencode(folder), MNT_DETACH):
            raise OSError(f"{folder}: not unmounted")

    def remove(self, path: str) -> None:
        shutil.rmtree(path, ignore_errors=True) if os.path.isdir(path) else Path(path).unlink(missing_ok=True)

    def fill(self, folder: str) -> None:
        """Not a byte is left; what is being written is not in the way."""
        with open(os.path.join(folder, ".filler"), "ab", buffering=0) as file:
            block = 1 << 20
            while block:
                try:
                    file.write(b"x" * block)
                except OSError:
                    block //= 2

    def crowd(self, folder: str) -> None:
        """Not an inode is left."""
        os.makedirs(os.path.join(folder, ".crowd"), exist_ok=True)
        for number in range(100_000):
            try:
                open(os.path.join(folder, ".crowd", str(number)), "x").close()
            except OSError:
                return

    def empty(self, folder: str) -> None:
        Path(folder, ".filler").unlink(missing_ok=True)
        shutil.rmtree(os.path.join(folder, ".crowd"), ignore_errors=True)

    def mode(self, path: str, bits: int) -> None:
        os.chmod(path, bits)

    def kill(self, pattern: str, which: int, name: str) -> None:
        pids = outermost(find(pattern))
        if not pids:
            raise LookupError(f"nothing matches {pattern}: {list(tree(os.getpid()).values())}")
        with contextlib.suppress(ProcessLookupError):  # It may have gone by itself just now.
            os.kill(pids[which % len(pids)], getattr(signal, name))

    def killall(self, pattern: str, name: str) -> None:
        for pid in find(pattern):
            os.kill(pid, getattr(signal, name))

    def signal(self, name: str) -> None:
        assert self.command is not None
        self.command.send_signal(getattr(signal, name))

    def stop(self, seconds: float) -> None:
        """All of it sleeps, like a laptop whose lid was closed; the bots, too, by their parents."""
        pids = find("")
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        time.sleep(seconds)
        for pid in pids:
            try:
                os.kill(pid, signal.SIGCONT)
            except ProcessLookupError:
                continue

    def hog(self, number: int) -> None:
        """Another program of the same user has so many processes, or as many as it gets."""
        ours, theirs = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(ours)
            self.become(limits=True)
            os.setpgid(0, 0)
            made = 0
            for _ in range(number):
                try:
                    if os.fork() == 0:
                        os.close(theirs)
                        time.sleep(600)
                        os._exit(0)
                except OSError:
                    break
                made += 1
            os.write(theirs, str(made).encode())
            os.close(theirs)
            time.sleep(600)
            os._exit(0)
        os.close(theirs)
        os.read(ours, 16)
        os.close(ours)
        self.hogs.append(pid)

    def release(self) -> None:
        for pid in self.hogs:
            try:
                os.killpg(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
            os.waitpid(pid, 0)
        self.hogs.clear()

    def hang_up(self) -> None:
        """The terminal goes away."""
        assert self.terminal is not None
        self.terminal.hang_up()

    def limit(self, pattern: str, name: str, soft: int, hard: int) -> None:
        """Of processes that run, as another administrator's `prlimit` does it."""
        for pid in find(pattern):
            subprocess.run(
                ["prlimit", f"--pid={pid}", f"--{name.lower()}={soft}:{hard}"],
                preexec_fn=lambda: self.become(limits=False),
                check=False,
            )

    def wait(self, seconds: float) -> None:
        time.sleep(seconds)

    def until(self, pattern: str) -> None:
        """Until such a process is there."""
        assert self.command is not None
        while not find(pattern) and self.command.poll() is None:
            time.sleep(0.005)

    def heard(self) -> None:
        """Until it handles signals: before, Python itself is being loaded, which may take long."""
        assert self.command is not None
        term = 1 << (signal.SIGTERM - 1)
        while self.command.poll() is None:
            caught = re.search(rb"SigCgt:\s*(\w+)", read(f"{self.command.pid}/status"))
            if caught is not None and int(caught[1], 16) & term:
                return
            time.sleep(0.005)

    # Running the command.

    def become(self, limits: bool) -> None:
        if limits:
            for name, pair in self.told.get("limits", {}).items():
                resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), tuple(pair))
        if self.user is not None:
            os.setgroups([])
            os.setresgid(self.user, self.user, self.user)
            os.setresuid(self.user, self.user, self.user)

    def started(self, terminal: bool) -> None:
        """In the child, before the command is there."""
        if terminal:
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        if "umask" in self.told:
            os.umask(self.told["umask"])
        self.become(limits=True)
        if self.told.get("vanished"):
            os.rmdir(os.getcwd())
        for descriptor in self.told.get("closed", []):
            os.close(descriptor)

    def do(self, steps: list[list[Any]]) -> None:
        for name, *rest in steps:
            deed: Callable[..., None] = getattr(self, name)
            deed(*rest)

    def run(self) -> dict[str, Any]:
        told = self.told
        self.do(told.get("before", []))
        watched = listing(told["watched"])
        terminal: Terminal | None = None
        source: Any = subprocess.DEVNULL
        output: Any = os.open(told["output"], os.O_WRONLY) if "output" in told else subprocess.PIPE
        errors: Any = subprocess.PIPE
        if told.get("terminal"):
            terminal = Terminal(told["keys"])
            source = output = errors = terminal.theirs
        self.command = subprocess.Popen(
            told["argv"],
            cwd=told["cwd"],
            env=told["env"],
            stdin=source,
            stdout=output,
            stderr=errors,
            start_new_session=True,
            preexec_fn=lambda: self.started(terminal is not None),
        )
        out, err = Reader(self.command.stdout), Reader(self.command.stderr)
        trouble = ""
        if terminal is not None:
            terminal.begin()
            self.terminal = terminal
        try:
            self.do(told.get("middle", []))
        except (LookupError, ProcessLookupError) as error:
            trouble = str(error)
        status = self.ended()
        self.release()
        left = self.left()
        if terminal is not None:
            terminal.hang_up()
        report: dict[str, Any] = {
            "status": status,
            "out": out.text(),
            "err": err.text() + (terminal.text if terminal else ""),
            "left": left,
            "trouble": trouble,
            "files": sorted(
                path for path in listing(told["watched"]) - watched if not path.startswith(f"{ROOT}/")
            ),
        }
        self.do(told.get("mend", []))
        report["later"] = {name: self.later(words) for name, words in told.get("later", {}).items()}
        report["logs"] = {
            str(path): path.read_text(errors="replace")
            for pattern in told.get("logs", [])
            for path in sorted(Path("/").glob(pattern.lstrip("/")))
            if path.is_file()
        }
        return report

    def ended(self) -> int | None:
        """Its status, none if it did not end."""
        assert self.command is not None
        try:
            return self.command.wait(self.told["seconds"])
        except subprocess.TimeoutExpired:
            for pid in find(""):
                os.kill(pid, signal.SIGKILL)
            self.command.wait()
            return None

    def left(self) -> list[str]:
        deadline = time.monotonic() + FAREWELL
        while (pids := tree(os.getpid())) and time.monotonic() < deadline:
            time.sleep(0.02)
        for pid in pids:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        return [" ".join(line)[:300] for line in pids.values()]

    def later(self, words: list[str]) -> dict[str, Any]:
        """A command on the machine as it is afterwards."""
        try:
            done = subprocess.run(
                words,
                cwd=self.told["healthy_cwd"],
                env=self.told["healthy_env"],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=self.told["seconds"],
                preexec_fn=lambda: self.become(limits=False),
                check=False,
            )
        except subprocess.TimeoutExpired:
            return {"status": None, "out": "", "err": "did not end"}
        return {
            "status": done.returncode,
            "out": done.stdout.decode(errors="replace"),
            "err": done.stderr.decode(errors="replace"),
        }


def main() -> None:
    told = json.load(sys.stdin)
    called(LIBC.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    if told["own_mounts"]:
        called(LIBC.unshare(CLONE_NEWNS))
        subprocess.run(["mount", "--make-rprivate", "/"], check=True)
        source = os.open(ROOT, os.O_RDONLY)
        for folder in ("/tmp", "/dev/shm"):
            called(LIBC.mount(b"tmpfs", folder.encode(), b"tmpfs", 0, b"size=64m,mode=1777"))
        if not os.path.exists(ROOT):  # It lies there, as a clone may.
            os.makedirs(ROOT)
            called(LIBC.mount(f"/proc/self/fd/{source}".encode(), os.fsencode(ROOT), None, MS_BIND, None))
        os.close(source)
    json.dump(Case(told).run(), sys.stdout)


if __name__ == "__main__":
    main()
