"""Programs below bwrap: a bot's eye on the sandbox, an ordinary user, what is left of its processes."""

import contextlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from arena.playing.job import Job
from arena.process.launch import base_interpreter
from arena.process.sandbox import Level, Sandbox
from protocol.messages import Limits
from tests.support.jobs import job, with_settings
from tests.support.needs import require
from tests.support.programs import Program

ROOT = Path(__file__).parent.parent.parent


PATIENT = Limits(start_ms=30_000, decision_ms=30_000, bank_ms=0)
"""None of these programs is to be late, however busy the machine is."""


SOME_USER = 54321


def boxed(folder: Path, *programs: tuple[str, Program], level: Level = Level.BWRAP, memory: int = 256) -> Job:
    return with_settings(job(folder, *programs), limits=PATIENT, sandbox=Sandbox(level, memory))


def said(folder: Path, seat: int = 0) -> str:
    return (folder / "stderr" / f"m-{seat}.txt").read_text()


def processes_of(folder: Path) -> list[int]:
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            words = (entry / "cmdline").read_bytes()
            if str(folder).encode() in words and int(entry.name) != os.getpid():
                found.append(int(entry.name))
        except OSError:
            continue
    return found


DAEMON = Program(
    before="if os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0: time.sleep(60)\n    os._exit(0)"
)


def pass_as_an_ordinary_user(file: str, chosen: str, marked: str = "not thorough") -> None:
    """The tests of a file that an expression has `chosen`, as somebody else. They are skipped where nobody
    else can."""
    require("setpriv")
    become = ("setpriv", f"--reuid={SOME_USER}", f"--regid={SOME_USER}", "--clear-groups", "--", "env")
    packages = os.path.dirname(os.path.dirname(pytest.__file__))
    with tempfile.TemporaryDirectory() as folder:
        os.chown(folder, SOME_USER, SOME_USER)
        env = {"PATH": os.defpath, "PYTHONPATH": f"{ROOT}:{packages}", "HOME": folder, "TMPDIR": folder}
        for python in (base_interpreter(), f"/usr/bin/python3.{sys.version_info.minor}"):
            with contextlib.suppress(OSError):
                test = (*become, python, "-B", "-c", "import trio, msgspec, arena.playing.referee")
                if subprocess.run(test, env=env, cwd="/", capture_output=True, check=False).returncode == 0:
                    break
        else:
            pytest.skip("an ordinary user can use no Python here that has what the tests need")
        tests = subprocess.run(
            [
                *become,
                python,
                "-B",
                "-m",
                "pytest",
                "-p",
                "no:cacheprovider",
                "-q",
                "-rs",
                "-m",
                marked,
                "-k",
                chosen,
                file,
            ],
            env=env,
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
    print(tests.stdout)
    assert tests.returncode == 0, tests.stdout
