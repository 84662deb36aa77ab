"""Judges by the header of a compiled program whether this machine can execute it. Knows no process.

Source: https://man7.org/linux/man-pages/man5/elf.5.html
"""

import contextlib
import functools
import os
import struct
from typing import BinaryIO, Final

from arena.process.obstacle import Obstacle, ObstacleKind

MAGIC: Final = b"\x7fELF"
HEADER: Final = 64
ALSO: Final = {62: (3,), 183: (40,)}
"""By our own e_machine (x86-64, AArch64): the other machines whose programs the kernel may execute."""
INTERPRETER: Final = 3
"""PT_INTERP, the type of the program header that names the loader."""
HANDLERS: Final = "/proc/sys/fs/binfmt_misc"
NO_HANDLERS: Final = frozenset({"register", "status"})
LONGEST_PATH: Final = 4096


def obstacle(path: str, called: str) -> Obstacle | None:
    """Why a binary, named `called` by the bot, cannot be executed; None if it can. Raises OSError."""
    other = ObstacleKind.OTHER
    if (ours := _our_machine()) is None:
        return None
    with open(path, "rb") as file:
        header = file.read(HEADER)
        if header[:4] != MAGIC:
            return None if _has_handlers() else Obstacle(other, f"{called} is compiled for another system")
        if len(header) < HEADER:
            return Obstacle(other, f"{called} is cut off: it is not a complete program")
        if _machine(header) not in (ours, *ALSO.get(ours, ())):
            text = f"{called} is compiled for another kind of machine"
            return None if _has_handlers() else Obstacle(other, text)
        with contextlib.suppress(struct.error, ValueError, OverflowError):
            loader = _loader(header, file)
            if loader and not os.path.isfile(loader):
                text = f"{called} needs the loader {loader}, which does not exist here"
                return Obstacle(ObstacleKind.NOT_THERE, text)
    return None


def _loader(header: bytes, file: BinaryIO) -> str | None:
    """The path of the loader that a program names; None if it names none. Raises struct.error, ValueError or
    OverflowError for a malformed header."""
    order = "<" if header[5] == 1 else ">"
    wide = header[4] == 2
    (table,) = struct.unpack_from(order + ("Q" if wide else "I"), header, 32 if wide else 28)
    size, number = struct.unpack_from(f"{order}HH", header, 54 if wide else 42)
    for index in range(number):
        file.seek(table + index * size)
        entry = file.read(size)
        if struct.unpack_from(f"{order}I", entry)[0] != INTERPRETER:
            continue
        (offset,) = struct.unpack_from(order + ("Q" if wide else "I"), entry, 8 if wide else 4)
        (length,) = struct.unpack_from(order + ("Q" if wide else "I"), entry, 32 if wide else 16)
        file.seek(offset)
        return os.fsdecode(file.read(min(length, LONGEST_PATH)).rstrip(b"\0"))
    return None


def _machine(header: bytes) -> int:
    machine: int = struct.unpack_from("<H" if header[5] == 1 else ">H", header, 18)[0]
    return machine


@functools.cache
def _our_machine() -> int | None:
    """e_machine of this Python; None where programs are not ELF files."""
    with contextlib.suppress(OSError), open("/proc/self/exe", "rb") as file:
        header = file.read(HEADER)
        return _machine(header) if header[:4] == MAGIC else None
    return None


def _has_handlers() -> bool:
    """Whether binfmt_misc has handlers for other formats, such as programs for other machines."""
    with contextlib.suppress(OSError):
        return bool(set(os.listdir(HANDLERS)) - NO_HANDLERS)
    return False
