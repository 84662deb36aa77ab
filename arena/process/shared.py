"""Work shared among processes of the arena, one for each core. Each carries out orders one by one; an order
and its answer are a line each. Does not know what the lines say.
"""

import contextlib
import os
from collections.abc import Callable, Generator, Sequence
from typing import Final

from arena.process.child import AskedProcess
from arena.process.tree import end_with_parent
from arena.system.errors import MachineError
from arena.system.lines import take_streams, write_line

AHEAD: Final = 4
"""The number of orders that a process has at a time, so that it never waits for the next one."""


def answers(module: str, orders: Sequence[bytes], processes: int) -> Generator[bytes | None, None, None]:
    """Have processes of `python -m module` carry out the orders; yield their answers, in the order of the
    orders. None: the process has died, or none could be started, so the caller does this work itself."""
    helpers: list[AskedProcess] = []
    try:
        with contextlib.suppress(MachineError):  # Those that were started do all of it.
            for _ in range(min(processes, len(orders))):
                helpers.append(AskedProcess(module))
        if not helpers:
            yield from (None for _ in orders)
            return
        ahead = AHEAD * len(helpers)
        for number, order in enumerate(orders[:ahead]):
            helpers[number % len(helpers)].tell(order)
        for number in range(len(orders)):
            helper = helpers[number % len(helpers)]
            line = helper.answer()
            for order in orders[number + ahead : number + ahead + 1]:
                helper.tell(order)
            yield line
    finally:
        for helper in helpers:
            helper.hang_up()
        for helper in helpers:
            helper.stop()


def serve(answer: Callable[[bytes], bytes]) -> None:
    """Be such a process: answer each line of standard input until it ends."""
    orders, answers = take_streams()
    # Works even while it is stopped, or gets no CPU time to see that its input has ended.
    end_with_parent()
    for line in os.fdopen(orders, "rb"):
        write_line(answers, answer(line))
