"""Leaves the session keyring, in which the kernel keeps the secrets of a login, such as those of network file
systems.

Children inherit the keyring. So a process that starts strangers' programs joins a new, empty one: they see
none of the organiser's keys and cannot leave data in it for a later match. Knows no programs.
"""

import ctypes
import functools
import os
import platform
from collections.abc import Mapping
from typing import Final

KEYCTL: Final[Mapping[str, int]] = {"x86_64": 250, "aarch64": 219}
"""The number of the system call, by machine; libc has no function for it."""
JOIN_SESSION_KEYRING, SETPERM = 1, 5
ALL_FOR_THOSE_WHO_HAVE_IT: Final = 0x3F000000
"""Permissions of a key: all for processes that possess it, none for others."""


@functools.cache
def leave_session_keyring() -> bool:
    """Join a new session keyring, once per process. False if that fails: the kernel has no keys, the machine
    is not in KEYCTL, or the user has reached the limit on keys, 200 by default. Because of that limit there
    is one keyring per worker, not one per bot."""
    number = KEYCTL.get(platform.machine())
    if number is None or not os.path.exists("/proc/keys"):
        return False
    keyctl = functools.partial(ctypes.CDLL(None).syscall, number)
    serial: int = keyctl(JOIN_SESSION_KEYRING, None)
    if serial > 0:
        # Otherwise other bots of this user would see it in /proc/keys, with its number of processes.
        keyctl(SETPERM, serial, ALL_FOR_THOSE_WHO_HAVE_IT)
    return serial > 0
