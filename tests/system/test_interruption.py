"""What an interruption does, by what runs when it comes."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.calls import ROOT

BEGIN = """
import os, signal, sys, time
from arena.system.interruption import asked, begin, hear, held, listening
signal.signal(signal.SIGINT, signal.default_int_handler)
hear()
def interrupt(number=signal.SIGINT):
    os.kill(os.getpid(), number)
"""


def told(program: str, folder: Path = ROOT, hear: str = "begin()\n") -> str:
    """What a program prints, and its exit status where that is not 0."""
    done = subprocess.run(
        [sys.executable, "-c", BEGIN + hear + program],
        cwd=ROOT,
        env={"PYTHONPATH": f"{ROOT}:{folder}"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.stdout + done.stderr + (f"{done.returncode}" if done.returncode else "")


def test_while_a_command_is_loaded_the_process_ends() -> None:
    assert told("try: interrupt()\nfinally: print('undone')", hear="") == "arena: interrupted\n130"


def test_nothing_of_ours_is_imported_before_a_handler_stands() -> None:
    program = """
class Interrupts:
    def find_spec(self, name, path=None, target=None):
        if name == "arena.system.interruption":
            interrupt()
for name in [name for name in sys.modules if name.startswith("arena")]:
    del sys.modules[name]
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.meta_path.insert(0, Interrupts())
import arena.__main__
"""
    assert told(program, hear="") == "arena: interrupted\n130"


def test_an_import_is_finished_before(tmp_path: Path) -> None:
    (tmp_path / "loud.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\nwhole = True")
    program = """
try:
    import loud
    time.sleep(5)
except KeyboardInterrupt:
    print(loud.whole, asked())
"""
    assert told(program, tmp_path) == "True True\n"


def test_what_is_held_is_finished_before() -> None:
    program = """
try:
    with held():
        interrupt()
        time.sleep(0.05)
        print("whole")
    time.sleep(5)
except KeyboardInterrupt:
    print("then")
"""
    assert told(program) == "whole\nthen\n"


@pytest.mark.parametrize(
    "prepared",
    ["", "from arena.process.prepare import prepare_process\nprepare_process()\n"],
    ids=["in a command", "where bots are started"],
)
def test_one_in_a_destructor_comes_again_and_is_not_printed(prepared: str) -> None:
    program = """
class Gone:
    def __del__(self):
        interrupt()
        time.sleep(0)
try:
    Gone()
    time.sleep(5)
except KeyboardInterrupt:
    print("then")
"""
    assert told(prepared + program) == "then\n"


def test_the_way_out_is_not_interrupted() -> None:
    program = """
try:
    interrupt()
    time.sleep(5)
except KeyboardInterrupt:
    interrupt()
    time.sleep(0.05)
    print("whole")
"""
    assert told(program) == "whole\n"


def test_whatever_a_library_makes_of_it_is_an_interruption() -> None:
    program = """
from arena.commands.failure import failure_of
try:
    try:
        interrupt()
        time.sleep(5)
    except BaseException:
        raise ImportError("cannot load it") from None
except ImportError as error:
    print(failure_of(error).kind)
"""
    assert told(program) == "interrupted\n"


def test_whoever_listens_is_told_and_nothing_is_raised() -> None:
    program = """
heard = []
with listening(heard.append):
    for number in (signal.SIGINT, signal.SIGTERM):
        interrupt(number)
print([int(number) for number in heard])
"""
    assert told(program) == f"{[int(signal.SIGINT), int(signal.SIGTERM)]}\n"


def test_a_hangup_that_nohup_ignores_is_ignored_while_somebody_listens() -> None:
    program = """
signal.signal(signal.SIGHUP, signal.SIG_IGN)
with listening(print):
    interrupt(signal.SIGHUP)
print(asked())
"""
    assert told(program) == "False\n"


def test_one_that_was_put_off_until_the_end_does_not_kill() -> None:
    """At its end the interpreter gives signals back to the system, which kills at SIGALRM."""
    program = """
from arena.system.interruption import ignore
class Slow:
    def __del__(self, sleep=time.sleep):
        sleep(0.1)
slow = Slow()
with held():
    interrupt()
    ignore()
"""
    assert told(program) == ""
