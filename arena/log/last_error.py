"""Finds the line of standard error that says why a program ended. Runtimes print the stack, their version or
a hint after it.

Knows text and the habits of runtimes, no process and no log. It may guess, since people read the line and no
ruling depends on it.
"""

import re
from itertools import takewhile
from typing import Final

from arena.system.text import caption

EXCEPTION: Final = (
    r"^[\w.:$]*(Error|Exception|Interrupt|Iteration)\b|^Exception in thread|^Uncaught |^Caused by: |^panic: |"
    r"\((\w+::)*\w*(Error|Exception)\)$|^PHP Fatal error|^\S*\blua\S*: |^terminate called|what\(\): |"
    r" at \S+ line \d+(, <\S+> \w+ \d+)?\.$|^\*\* \(|^escript: exception|^Unhandled exception|^Fatal error: "
)
"""Matches the line of an exception in most languages, stripped of leading blanks."""
INDENTED: Final = r"what\(\)|\*\* \(|\| [\w.]+(Error|Exception): "
"""Beginnings of an indented line that states an error: in C++, in Elixir if another process ended this one,
in Python within a group of exceptions."""
WHERE_IT_WAS: Final = re.compile(
    rf"(?:\s|\\t)++(?!{INDENTED})|[}}\])]+$|\^+$|-{{5,}}$|.*\[0x[0-9a-f]+\]$|\"\"\"$|\".*\"$|\S+\(.*\)$|"
    r"Node\.js v|\(Use `node |Require stack:|- /|[Ss]tack (traceback|trace|backtrace):|Stacktrace:|#\d+ |"
    r"note: |goroutine \d|exit status \d|created by |Aborted|For more details|BEGIN failed--|"
    r"Compilation failed in require|Did you mean\?|Crash dump is being written|CallStack \(|Raised |"
    r"Called from |Re-raised at |in expression starting at |Calls: |Execution halted"
)
"""Matches the lines that runtimes print after the error: the stack, their version."""


def last_error(stderr: str) -> str:
    r"""The sanitised line of standard error that says why the program ended: the last one above the stack or,
    in a message of several lines, the one that names the exception. "" if nothing was written. A tab or
    carriage return in `stderr` may be written as `\t` or `\r`."""
    lines = [line for full in stderr.splitlines() if (line := full.removesuffix("\\r")).strip()]
    if not lines:
        return ""
    place = [WHERE_IT_WAS.match(line) is not None for line in lines]
    if all(place):
        return caption(lines[-1])
    last = max(at for at, is_place in enumerate(place) if not is_place)
    block = list(takewhile(lambda at: not place[at], range(last, -1, -1)))
    # Without a stack at either end the program wrote the lines itself, and its last line counts.
    has_stack = last + 1 < len(lines) or block[-1] > 0
    shown = [lines[at].lstrip(" |") for at in block]
    named = [line for line in shown if re.search(EXCEPTION, line)] if has_stack else []
    return caption(named[0] if named else shown[0])
