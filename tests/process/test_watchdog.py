"""How often the watchdog looks, and whose time that is; what it kills for is in test_sandbox.py and
test_cgroup.py."""

import time

import pytest
import trio

from arena.process.botprocess import BotProcess
from arena.process.watchdog import LONGEST_SECONDS, SHARE, Watchdog

COST_SECONDS = SHARE * LONGEST_SECONDS
"""CPU time of a look, for which the pause is the longest."""


class Slow(BotProcess):
    """Has so many processes that each look takes long."""

    def __init__(self) -> None:
        self.processes, self.computed_seen, self.looks = 0, 0.0, 0

    @property
    def excess(self) -> float:
        return 0.0

    def look(self) -> int:
        self.looks += 1
        until = time.thread_time() + COST_SECONDS
        while time.thread_time() < until:
            pass
        return 0

    def computed(self) -> float:
        return 0.0


async def test_looks_that_cost_more_are_fewer_and_no_bots_time(
    autojump_clock: trio.testing.MockClock,
) -> None:
    """By trio's clock nothing takes time but the pauses."""
    slow = Slow()
    watchdog = Watchdog(lambda: {0: slow}, memory=1)
    with trio.move_on_after(10 * LONGEST_SECONDS):
        await watchdog.watch()
    assert 9 <= slow.looks <= 11
    assert watchdog.lost_since(0.0) >= slow.looks * COST_SECONDS
    watchdog.asked(0)
    assert watchdog.lost_since(trio.current_time()) == pytest.approx(0.0)
