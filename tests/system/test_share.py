"""The share of a core that something may take beside what matters more."""

import time

import pytest

from arena.system.share import CpuShare


def busy(seconds: float) -> None:
    """Takes so much of a core, however busy the machine is."""
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        pass


def test_whoever_has_taken_nothing_need_not_wait() -> None:
    assert CpuShare(0.01).wait == 0


def test_what_was_taken_is_paid_back_by_waiting() -> None:
    share = CpuShare(0.001)
    begun = time.monotonic()
    with share.spending():
        busy(0.01)
    left = share.wait
    assert left >= 10 - (time.monotonic() - begun)


def test_several_add_up() -> None:
    share = CpuShare(0.001)
    begun = time.monotonic()
    for _ in range(3):
        with share.spending():
            busy(0.01)
    left = share.wait
    assert left >= 30 - (time.monotonic() - begun)


def test_to_wait_for_something_costs_nothing() -> None:
    share = CpuShare(0.001)
    with share.spending():
        time.sleep(1)
    assert share.wait < 1000, "as much as if it had worked"


def test_what_fails_is_paid_too() -> None:
    share = CpuShare(0.001)

    def fails() -> None:
        busy(0.01)
        raise ValueError("full")

    with pytest.raises(ValueError, match="full"), share.spending():
        fails()
    assert share.wait > 0
