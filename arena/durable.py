"""Files that are on the disk as a whole or not at all, whenever the power goes.

Knows nothing of what is in them.
"""

import contextlib
import ctypes
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

_write_out = getattr(ctypes.CDLL(None), "sync_file_range", None)
"""Linux: begin to write what a descriptor's file holds to the disk, without waiting for it."""
_SYNC_FILE_RANGE_WRITE: Final = 2


def write_whole(path: Path, data: bytes) -> None:
    """Have a file on the disk as a whole or not at all. Raises OSError."""
    write_all_whole({path: data})


def write_all_whole(files: Mapping[Path, bytes]) -> None:
    """The same for files of one folder."""
    unfinished = {path: path.with_name(f"{path.name}.new") for path in files}
    try:
        for path, data in files.items():
            unfinished[path].write_bytes(data)
        _sync_all(list(unfinished.values()))
        for path, new in unfinished.items():
            new.rename(path)
        for folder in {path.parent for path in files}:
            sync(folder)
    except OSError:
        for new in unfinished.values():
            with contextlib.suppress(OSError):
                new.unlink(missing_ok=True)
        raise


def sync(path: Path) -> None:
    """Have a file, or a folder's list of names, on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _sync_all(paths: Sequence[Path]) -> None:
    """The same for several files. The disk is given all of them before it is waited for, which takes half as
    long as one after the other; and nobody else's files, which could take minutes."""
    if _write_out is not None and len(paths) > 1:
        for path in paths:
            descriptor = os.open(path, os.O_RDONLY)
            _write_out(descriptor, ctypes.c_int64(0), ctypes.c_int64(0), _SYNC_FILE_RANGE_WRITE)
            os.close(descriptor)
    for path in paths:
        sync(path)
