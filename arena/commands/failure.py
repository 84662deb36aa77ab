"""Why a call failed, for whoever called: whose fault it was, in one line; or the report of a bug of ours."""

import errno
import os
import traceback
from typing import Final, Literal, TypeAlias

import msgspec

from arena.games import registry
from arena.process.prepare import folder_is_gone
from arena.system.errors import MachineError, UserError, leaves, machine_trouble
from arena.system.interruption import asked
from arena.system.text import in_utf8

OUT_OF_REACH: Final = (errno.EACCES, errno.EPERM, errno.ENAMETOOLONG, errno.ELOOP)
"""What the system says of a path that its user named, or of one below, and may not or cannot reach."""
Kind: TypeAlias = Literal["user", "machine", "bug", "interrupted"]


class Failure(msgspec.Struct, frozen=True):
    """`text` is one line; for a bug it is the traceback."""

    kind: Kind
    text: str


def failure_of(error: BaseException) -> Failure:
    """Why an error was raised, or a group of errors. Once the process was interrupted, that is the cause of
    whatever comes. The first mistake of the user, or trouble with the machine, comes before a bug; a game of
    a package is blamed for its own errors."""
    errors = list(leaves(error))
    if asked() or any(isinstance(one, KeyboardInterrupt) for one in errors):
        return Failure("interrupted", "interrupted")
    for one in errors:
        if isinstance(one, UserError):
            return Failure("machine" if isinstance(one, MachineError) else "user", str(one))
    if reason := registry.blame(error):
        return Failure("user", reason)
    if trouble := machine_trouble(error):
        return Failure("machine", trouble)
    for one in errors:
        if isinstance(one, OSError) and one.errno in OUT_OF_REACH and one.filename is not None:
            return Failure("user", f"{in_utf8(os.fsdecode(one.filename))}: {one.strerror}")
    if folder_is_gone():
        return Failure("user", "the current folder no longer exists; cd to one that does")
    return Failure("bug", "".join(traceback.format_exception(error)))
