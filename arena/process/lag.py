"""How late this machine is under the load of so many matches at a time, measured before they begin: no limit
can be shorter than what the machine itself may take. And how fast it is, beside others.

Knows children and clocks; neither bots nor matches.
"""

import math
import subprocess
import time
from typing import Final

from arena.process.launch import base_interpreter, bot_environment

SAFE_FACTOR: Final = 5
"""A limit is safe if the machine, at its latest, takes a fifth of it: a match has hundreds of decisions and
the measurement a few dozen, so it sees less than the worst."""

MOST_CHILDREN: Final = 64
"""More would be seconds to start, and say the same."""

TURNS: Final = 20
WORK: Final = 100_000
WORK_TRIES: Final = 5
PATIENCE_SECONDS: Final = 10.0

_MATCH: Final = f"""
import time
worst = 0.0
for _ in range({TURNS}):
    due = time.monotonic() + 0.001
    while time.monotonic() < due: pass
    due = time.monotonic() + 0.001
    time.sleep(0.001)
    worst = max(worst, time.monotonic() - due)
print(worst)
"""
"""As in a match: somebody computes for a millisecond, then waits for as long, and is woken late."""


def lag_ms(matches: int) -> float:
    """The latest that anybody was woken, in milliseconds. Takes some 60 ms where each match has a core."""
    argv = [base_interpreter(), "-I", "-S", "-c", _MATCH]
    children = [
        subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, env=bot_environment())
        for _ in range(min(matches, MOST_CHILDREN))
    ]
    try:
        return max(float(child.communicate(timeout=PATIENCE_SECONDS)[0]) for child in children) * 1000
    except subprocess.TimeoutExpired:
        return PATIENCE_SECONDS * 1000
    finally:
        for child in children:
            child.kill()
            child.communicate()


def safe_ms(lag_ms: float) -> int:
    """The shortest limit that is safe with such a lag."""
    return math.ceil(SAFE_FACTOR * lag_ms)


def warning(decision_ms: int, lag_ms: float, matches: int) -> str | None:
    """What to tell whoever wants a limit that is not safe with such a lag."""
    safe = safe_ms(lag_ms)
    if decision_ms >= safe:
        return None
    return (
        f"this machine is up to {lag_ms:.1f} ms late with {matches} matches at a time: decision limits "
        f"below {safe} ms are not safe here, take fewer --jobs or more --time"
    )


def work_ms() -> float:
    """What a fixed piece of work takes here, in milliseconds of the processor's time; the best of some."""
    return min(_worked_ms() for _ in range(WORK_TRIES))


def _worked_ms() -> float:
    begun = time.thread_time()
    for _ in range(WORK):
        pass
    return (time.thread_time() - begun) * 1000
