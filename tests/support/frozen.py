"""A bot that works while it is not asked, and how much of it a level lets through."""

from pathlib import Path

from arena.playing.job import Job
from arena.process.sandbox import Level, Sandbox
from protocol.messages import Limits
from tests.support.jobs import job, with_settings
from tests.support.programs import Program, at

PATIENT = Limits(start_ms=20_000, decision_ms=20_000, bank_ms=0)


SPIN = """
import threading
signal.alarm(60)
def spin():
    while True: pass
threading.Thread(target=spin, daemon=True).start()"""


TIMER = f"""\
import ctypes
libc = ctypes.CDLL(None)
signal.signal(signal.SIGCONT, lambda *_: None)
event = (ctypes.c_int * 16)(0, 0, signal.SIGCONT, 0)
for number in range(1, 50):
    timer, each = ctypes.c_void_p(), (ctypes.c_long * 4)(0, 100_000_000, 0, number * 2_000_000)
    libc.timer_create(1, ctypes.byref(event), ctypes.byref(timer))
    libc.timer_settime(timer, 0, ctypes.byref(each), None){SPIN}"""
"""Several, because a stop takes back the signal of one that has just fired."""


def frozen_out(folder: Path, level: Level, before: str, *, tells: bool = True) -> Job:
    """A match of a bot beside two that wait at one decision: until it is killed, if it can tell them who it
    is, or for half a second."""
    pid = folder / "pid"
    note = f"open({str(pid)!r}, 'w').write(str(os.getpid()))\n" if tells else ""
    waits = (
        "until = time.monotonic() + (10 if there(pid) else 0.5)\n"
        "while time.monotonic() < until and (alive() or not there(pid)): time.sleep(0.01)"
    )
    looks = (
        f"pid, there = {str(pid)!r}, os.path.exists\n"
        "def alive():\n"
        "    try: stat = open(f'/proc/{open(pid).read()}/stat').read()\n"
        "    except OSError: return False\n"
        "    return stat.rpartition(')')[2].split()[0] not in 'ZX'"
    )
    honest = Program(before=looks, asked=at(3, waits))
    bots = (("cheat", Program(before=note + before)), ("ann", honest), ("bob", honest))
    return with_settings(job(folder, *bots), limits=PATIENT, sandbox=Sandbox(level, 1024))
