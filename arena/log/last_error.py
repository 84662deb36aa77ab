"""Finds the line of a standard error that says why a program ended: runtimes print the stack, their version
or a hint behind it.

Knows text and the habits of runtimes; no process and no log. It may guess, since people read the line and no
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
"""Matches the line of an exception in most languages, without the blanks before it."""
INDENTED: Final = r"what\(\)|\*\* \(|\| [\w.]+(Error|Exception): "
"""Beginnings of an indented line that says an error: in C++, in Elixir where a process ended by that of
another, in Python within a group of exceptions."""
WHERE_IT_WAS: Final = re.compile(
    rf"(?:\s|\\t)++(?!{INDENTED})|[}}\])]+$|\^+$|-{{5,}}$|.*\[0x[0-9a-f]+\]$|\"\"\"$|\".*\"$|\S+\(.*\)$|"
    r"Node\.js v|\(Use `node |Require stack:|- /|[Ss]tack (traceback|trace|backtrace):|Stacktrace:|#\d+ |"
    r"note: |goroutine \d|exit status \d|created by |Aborted|For more details|BEGIN failed--|"
    r"Compilation failed in require|Did you mean\?|Crash dump is being written|CallStack \(|Raised |"
    r"Called from |Re-raised at |in expression starting at |Calls: |Execution halted"
)
"""Matches lines that runtimes print behind the one that says what was wrong: the stack, their version."""


def last_error(stderr: str) -> str:
    """The line of a standard error that says why the program ended, harmless: the last one above the stack
    and the like. If the message has several lines, the one that names the exception. "" if nothing was
    written. In `stderr` a tab or carriage return may be written as `\\t` or `\\r`."""
    lines = [line for full in stderr.splitlines() if (line := full.removesuffix("\\r")).strip()]
    if not lines:
        return ""
    place = [WHERE_IT_WAS.match(line) is not None for line in lines]
    if all(place):
        return caption(lines[-1])
    last = max(at for at, is_place in enumerate(place) if not is_place)
    block = list(takewhile(lambda at: not place[at], range(last, -1, -1)))
    # Without a stack at either end the lines are the program's own, and the last of them is its last word.
    has_stack = last + 1 < len(lines) or block[-1] > 0
    shown = [lines[at].lstrip(" |") for at in block]
    named = [line for line in shown if re.search(EXCEPTION, line)] if has_stack else []
    return caption(named[0] if named else shown[0])
