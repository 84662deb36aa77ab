"""Work shared among processes: every order is answered in its order, whatever becomes of them."""

import os
import signal
from pathlib import Path

import pytest

from arena.process.shared import AHEAD, answers, serve
from arena.process.tree import children

ROOT = Path(__file__).parent.parent.parent
ORDERS = [f"{number}".encode() for number in range(10 * AHEAD)]


def answered(line: bytes) -> bytes:
    """The order twice. The order `die` kills the process that got it."""
    if line == b"die\n":
        os.kill(os.getpid(), signal.SIGKILL)
    return line.strip() * 2


@pytest.fixture(autouse=True)
def importable(monkeypatch: pytest.MonkeyPatch) -> None:
    """The processes find this module."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))


@pytest.mark.parametrize("processes", [1, 3, 100])
def test_answers_come_in_the_order_of_the_orders(processes: int) -> None:
    assert list(answers(__name__, ORDERS, processes)) == [order * 2 for order in ORDERS]


def test_what_a_dead_process_should_have_done_has_no_answer() -> None:
    orders = [*ORDERS[:10], b"die", *ORDERS[11:]]
    found = list(answers(__name__, orders, 2))
    ours, its = slice(1, None, 2), slice(0, None, 2)
    assert found[ours] == [order * 2 for order in orders[ours]]
    done = [order * 2 for order in orders[its][:5]]
    assert found[its] == done + [None] * (len(orders[its]) - 5)


@pytest.mark.parametrize("processes", [0, 2])
def test_without_processes_nothing_is_answered(processes: int) -> None:
    assert list(answers("arena.no_such_module", ORDERS, processes)) == [None] * len(ORDERS)
    assert list(answers(__name__, [], processes)) == []


@pytest.mark.needs("linux")
def test_nobody_who_stops_asking_leaves_a_process() -> None:
    before = set(children(os.getpid()))
    asked = answers(__name__, ORDERS, 2)
    assert next(asked) == b"00"
    assert len(set(children(os.getpid())) - before) == 2
    asked.close()
    assert set(children(os.getpid())) <= before


if __name__ == "__main__":
    serve(answered)
