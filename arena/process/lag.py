"""Measures how late this machine wakes a process when it runs a number of matches at a time, since no time
limit can be shorter than that; and how fast its processor is, to compare machines.

Measures before the matches begin. Knows children and clocks; neither bots nor matches.
"""

import math
import subprocess
import time
from typing import Final

from arena.process.launch import base_interpreter, bot_environment
from arena.system.interruption import held
from arena.system.processors import quota

SAFE_FACTOR: Final = 5
"""A limit is safe if it is at least five times the greatest lag measured. The measurement underestimates the
worst case: it takes a few dozen turns, a match has hundreds of decisions."""

MOST_CHILDREN: Final = 64
"""More would take seconds to start and measure the same."""

LATEST_MS: Final = 200
"""No machine without a CPU quota lags this much: with nine busy processes per core it was 33 ms."""
PERIODS: Final = 2.5
"""The periods of a CPU quota that a measurement takes, so that it contains one from start to end."""

TURNS: Final = 20
WORK: Final = 100_000
WORK_TRIES: Final = 5
PATIENCE_SECONDS: Final = 10.0

_MATCH: Final = f"""
import sys, time
worst = 0.0
for _ in range({TURNS}):
    due = time.monotonic() + 0.001
    while time.monotonic() < due: pass
    due = time.monotonic() + 0.001
    time.sleep(0.001)
    worst = max(worst, time.monotonic() - due)
now = time.monotonic()
due = now + float(sys.argv[1])
while now < due:
    before, now = now, time.monotonic()
    worst = max(worst, now - before)
print(worst)
"""
"""A program that imitates a match: it repeatedly computes for a millisecond and sleeps for a millisecond.
Then it computes for the seconds in its argument (0 without a CPU quota), as bots do in their turns. It prints
the greatest delay of a wake-up, or the longest time that the quota stopped it."""


def lag_ms(matches: int) -> float:
    """The greatest lag in milliseconds, measured with one child for each match. Takes about 60 ms if each has
    a core, and a quarter of a second more with a CPU quota."""
    limit = quota()
    computes = PERIODS * limit.period if limit else 0.0
    argv = [base_interpreter(), "-I", "-S", "-c", _MATCH, str(computes)]
    children: list[subprocess.Popen[bytes]] = []
    try:
        with held():
            for _ in range(min(matches, MOST_CHILDREN)):
                children.append(
                    subprocess.Popen(
                        argv,
                        stdin=subprocess.DEVNULL,
                        stdout=subprocess.PIPE,
                        stderr=subprocess.DEVNULL,
                        env=bot_environment(),
                        start_new_session=True,  # A Ctrl-C is for us, and we end them.
                    )
                )
        return max(float(child.communicate(timeout=PATIENCE_SECONDS)[0]) for child in children) * 1000
    except subprocess.TimeoutExpired:
        return PATIENCE_SECONDS * 1000
    finally:
        with held():
            for child in children:
                child.kill()
                child.communicate()


def safe_ms(lag_ms: float) -> int:
    """The shortest time limit in milliseconds that is safe with this lag."""
    return math.ceil(SAFE_FACTOR * lag_ms)


def too_late(decision_ms: int, matches: int) -> str | None:
    """A warning if this machine's lag makes the decision limit unsafe; None if the limit is safe. Measures
    the lag only if it can matter."""
    if decision_ms >= SAFE_FACTOR * LATEST_MS and quota() is None:
        return None
    return warning(decision_ms, lag_ms(matches), matches)


def warning(decision_ms: int, lag_ms: float, matches: int) -> str | None:
    """A warning if the decision limit is unsafe with this lag; None if it is safe."""
    safe = safe_ms(lag_ms)
    if decision_ms >= safe:
        return None
    at_a_time = f"{matches} matches at a time" if matches > 1 else "one match at a time"
    way_out = "fewer --jobs or a longer --time" if matches > 1 else "a longer --time"
    limit = quota()
    cause = f"; its CPU quota is {limit.cores:g} cores" if limit else ""
    return (
        f"this machine is up to {lag_ms:.1f} ms late with {at_a_time}{cause}: decision limits below {safe} "
        f"ms are not safe here; use {way_out}"
    )


def work_ms() -> float:
    """The CPU time in milliseconds of a fixed amount of work on this machine; the best of WORK_TRIES."""
    return min(_worked_ms() for _ in range(WORK_TRIES))


def _worked_ms() -> float:
    begun = time.thread_time()
    for _ in range(WORK):
        pass
    return (time.thread_time() - begun) * 1000
