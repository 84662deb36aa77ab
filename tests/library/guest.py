"""A program with a life of its own that calls the arena: `guest.py ROUNDS FOLDER BOT`. It prints what of its
own has changed, and nothing if nothing has.

It has children in sessions of their own, handlers of signals, threads, an asyncio loop that runs, and a
thousand descriptors.
"""

import asyncio
import contextlib
import ctypes
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import arena

WATCHED = [number for number in signal.valid_signals() if number not in (signal.SIGKILL, signal.SIGSTOP)]
COUNTED = {signal.SIGCHLD: 0, signal.SIGUSR1: 0, signal.SIGALRM: 0}


def lowest(view: Any, legal: tuple[str, ...]) -> str:
    return min(legal, key=lambda word: (len(word), word))


def on_signal(number: int, _: object) -> None:
    COUNTED[signal.Signals(number)] += 1


def on_interrupt(number: int, _: object) -> None:
    raise AssertionError("somebody interrupted the guest")


def state(children: list["subprocess.Popen[bytes]"]) -> dict[str, object]:
    """All that must stay as it is."""
    descriptors = {}
    for name in os.listdir("/proc/self/fd"):
        try:
            found = os.fstat(int(name))
        except OSError:
            continue
        descriptors[int(name)] = (found.st_dev, found.st_ino, os.get_inheritable(int(name)))
    mask = os.umask(0o22)
    os.umask(mask)
    return {
        "handlers": [signal.getsignal(number) for number in WATCHED],
        "blocked": signal.pthread_sigmask(signal.SIG_BLOCK, ()),
        "alive": [child.poll() for child in children],
        "own children": {pid for pid in kids() if pid not in {child.pid for child in children}},
        "descriptors": descriptors,
        "folder": os.getcwd(),
        "environment": dict(os.environ),
        "mask": mask,
        "cores": os.sched_getaffinity(0),
        "limits": resource.getrlimit(resource.RLIMIT_NOFILE),
        "threads": {thread.name for thread in threading.enumerate()},
        "priority": os.getpriority(os.PRIO_PROCESS, 0),
        "timer": signal.getitimer(signal.ITIMER_REAL)[1],
        "path": list(sys.path),
        "wakeup": signal.set_wakeup_fd(-1, warn_on_full_buffer=False),
        "subreaper": subreaper(),
    }


def kids() -> set[int]:
    """The children of every thread."""
    files = Path("/proc/self/task").glob("*/children")
    return {int(pid) for file in files for pid in file.read_text().split()}


def subreaper() -> int:
    answer = ctypes.c_int()
    ctypes.CDLL(None).prctl(37, ctypes.byref(answer), 0, 0, 0)  # PR_GET_CHILD_SUBREAPER
    return answer.value


def everything(folder: Path, bot: str, number: int) -> None:
    """Every call once that starts programs, and some that read."""
    quiet = {"on_progress": False}
    log = folder / f"match-{number}.jsonl"
    arena.match([lowest, bot, "heuristic"], deals=1, seed=number, log=log, **quiet)
    played = arena.match([bot, "heuristic"], deals=1, seed=number, **quiet)
    assert len(played.story()) > 100
    run = arena.tournament(
        [bot, "heuristic", f"other={bot}"], rounds=1, deals=1, out=folder / f"run-{number}", **quiet
    )
    assert arena.open(run.folder).standings.to_dicts() == run.standings.to_dicts()
    arena.compare(bot, "heuristic", budget=10, seed=number, keep_bots=True, **quiet)
    arena.check(bot, game="sticheln", budget="0.2s", **quiet)
    arena.replay(log).verify()
    with contextlib.suppress(ZeroDivisionError):
        arena.match([lambda view, legal: 1 / 0, "heuristic"], **quiet)


async def guest(rounds: int, folder: Path, bot: str, calls: Callable[[Path, str, int], None]) -> None:
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0.01)
            ticks += 1

    ticking = asyncio.create_task(tick())
    children = [subprocess.Popen(["sleep", "1000"], start_new_session=True) for _ in range(5)]
    held = [os.open(os.devnull, os.O_RDONLY) for _ in range(1000)]
    for number in COUNTED:
        signal.signal(number, on_signal)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, on_interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.05, 0.05)
    stop = threading.Event()
    threads = [
        threading.Thread(target=stop.wait, name=f"guest-{number}", daemon=True) for number in range(10)
    ]
    for thread in threads:
        thread.start()
    await asyncio.sleep(0.05)
    before = state(children)
    try:
        for number in range(rounds):
            print(f"round {number}", file=sys.stderr, flush=True)
            if number % 3 == 0:
                calls(folder, bot, number)  # In the running loop, as a cell of a notebook is.
            elif number % 3 == 1:
                thread = threading.Thread(target=calls, args=(folder, bot, number))
                thread.start()
                while thread.is_alive():
                    await asyncio.sleep(0.01)
                thread.join()
            else:
                waited = arena.match_async([bot, "heuristic"], deals=1, on_progress=False)
                await asyncio.wait_for(waited, 600)
                await asyncio.to_thread(calls, folder, bot, number)
            now = state(children)
            for what, value in before.items():
                allowed = now[what]
                if what == "threads":  # asyncio keeps those of `to_thread`.
                    allowed = {name for name in now["threads"] if not name.startswith("asyncio")}
                if allowed != value:
                    print(f"{what}: {value} is {now[what]}")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        for child in children:
            child.kill()
    if not ticks:
        print("the loop stood still")
    if not COUNTED[signal.SIGALRM]:
        print("no alarm came")
    stop.set()
    for descriptor in held:
        os.close(descriptor)
    ticking.cancel()


if __name__ == "__main__":
    begun = time.monotonic()
    asyncio.run(guest(int(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], everything))
    print(f"{time.monotonic() - begun:.0f} s", file=sys.stderr)
