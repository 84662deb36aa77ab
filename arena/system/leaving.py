"""Ends an interrupted command that has nothing to undo yet: the first handler of Ctrl-C, which stands until
`interruption` is loaded.

Imports only what the interpreter has loaded itself, since while anything else is imported an interruption
would still end in a traceback.
"""

import _signal  # type: ignore[import-not-found]  # `signal` takes a millisecond to load.
import contextlib
import os
import sys
from typing import Final

STATUS: Final = 130
"""The exit status of an interrupted command."""


def leave(*_: object) -> None:
    """A handler that ends the process at once, and says so."""
    with contextlib.suppress(OSError):
        os.write(2, b"arena: interrupted\n")
        if "--json" in sys.argv:
            os.write(1, b'{"error": "interrupted", "exit": %d}\n' % STATUS)
    os._exit(STATUS)


def leave_at_once() -> None:
    """Install it for Ctrl-C, unless that is ignored."""
    if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
        _signal.signal(_signal.SIGINT, leave)
