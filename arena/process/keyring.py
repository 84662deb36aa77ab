"""A process's session keyring, in which the kernel keeps secrets of a login: of network file systems, say.

Children inherit it. So one who starts strangers' programs takes a new one, which is empty: they see none of
the organiser's keys, and no login outlives a match in which they could leave a word for the next one.
"""

import ctypes
import functools
import os
import platform
from collections.abc import Mapping
from typing import Final

KEYCTL: Final[Mapping[str, int]] = {"x86_64": 250, "aarch64": 219}
"""The call's number by machine; libc has no function for it."""
JOIN_SESSION_KEYRING, SETPERM = 1, 5
ALL_FOR_THOSE_WHO_HAVE_IT: Final = 0x3F000000


@functools.cache
def leave_session_keyring() -> bool:
    """Have a session keyring of this process's own, once. False where there is none: the kernel has no keys,
    its machine is not known here, or the user has as many as he may have, 200 unless the system says
    otherwise; hence it is one for a worker and not one for each bot."""
    number = KEYCTL.get(platform.machine())
    if number is None or not os.path.exists("/proc/keys"):
        return False
    keyctl = functools.partial(ctypes.CDLL(None).syscall, number)
    serial: int = keyctl(JOIN_SESSION_KEYRING, None)
    if serial > 0:
        # Else the user's other bots find it in /proc/keys, with how many processes have it.
        keyctl(SETPERM, serial, ALL_FOR_THOSE_WHO_HAVE_IT)
    return serial > 0
