"""Limits what a build may use: processes, memory, disk space, files. A build is checked while it runs and
when it has ended, and each complaint names the limit.

Knows folders and processes; neither what is built nor in which sandbox.
"""

import errno
import os
import stat
import time
from collections.abc import Iterable, Mapping
from typing import Final

from arena.process.sandbox import BUILD, IN_MEMORY
from arena.process.tree import Resident, mark_of, tree, usage
from arena.system.machine import MIB
from arena.system.text import caption

MEMORY: Final = min(4096 * MIB, os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") * 3 // 4)
"""Total bytes of all its processes, and of the folders that its sandbox keeps in memory."""
DISK: Final = 2048 * MIB
"""Bytes of its files and its output. If the disk has less than twice that, half of the free space."""
FILES: Final = 200_000
"""Files, folders and links together."""
PROCESSES: Final = 500
"""The number of processes at a time."""
DEPTH: Final = 100
"""Levels of folders in folders."""
LEAST_SECONDS: Final = 0.5
"""The minimum time between two scans of all files. After a slow scan it is five times the scan's duration."""


class BuildWatch:
    """Watches the build in `folder` with the first process `pid` and the output in the file descriptor
    `output`. A non-empty `mark` identifies processes that have left its tree."""

    def __init__(self, pid: int, mark: str, folder: str, output: int) -> None:
        self._pid, self._mark, self._folder, self._output = pid, mark, folder, output
        self._free = _free(folder)
        self._disk = min(DISK, self._free // 2)
        self._next = time.monotonic() + LEAST_SECONDS
        self._resident: Mapping[int, Resident] = {}
        """Of its processes at the last look."""
        self._more = self._disk
        """If the disk loses this many bytes, all files are scanned immediately."""

    def complaint(self) -> str | None:
        """Which limit the build exceeds at the moment, as a predicate; None for none."""
        # First, since it is cheap, and the disk may fill while we count processes.
        lost = self._free - _free(self._folder)
        if lost > 2 * self._disk:
            # Deleted files that are still open take space too, but no scan finds them.
            return (
                f"was running while its disk lost {lost // MIB} MB, but may write only {self._disk // MIB} MB"
            )
        pids = dict.fromkeys((*tree(self._pid), *marked(self._mark)))
        if len(pids) > PROCESSES:
            return f"had more than {PROCESSES} processes at a time"
        used = usage(pids, self._resident)
        self._resident = used.resident
        memory = used.memory + _in_memory(pids)
        if memory > MEMORY:
            return f"used {memory // MIB} MB of memory, but only {MEMORY // MIB} MB are allowed"
        begun = time.monotonic()
        if begun < self._next and lost < self._more:
            return None
        found = self.files_complaint(ended=False)
        # If another process writes to the disk, it causes one scan, and not one at every look.
        self._more = max(lost, self._disk) + self._disk // 8
        self._next = time.monotonic() + max(LEAST_SECONDS, 5 * (time.monotonic() - begun))
        return found

    def files_complaint(self, *, ended: bool) -> str | None:
        """What is wrong with the build's files, as a predicate; None for nothing. When it has `ended`, only
        readable files, folders and links may be left."""
        size, files = os.fstat(self._output).st_blocks * 512, 0
        waiting = [(self._folder, 0)]
        while waiting:
            folder, depth = waiting.pop()
            if depth > DEPTH:
                return f"nested its folders deeper than {DEPTH}"
            try:
                with os.scandir(folder) as entries:
                    for entry in entries:
                        found = entry.stat(follow_symlinks=False)
                        size, files = size + found.st_blocks * 512, files + 1
                        if stat.S_ISDIR(found.st_mode):
                            waiting.append((entry.path, depth + 1))
                        elif ended and not (stat.S_ISREG(found.st_mode) or stat.S_ISLNK(found.st_mode)):
                            name = caption(os.path.relpath(entry.path, self._folder))
                            return f"left {name}, which is neither a file nor a folder nor a link"
                        if files > FILES:
                            return f"made more than {FILES} files"
                        if size > self._disk:
                            return f"wrote more than {self._disk // MIB} MB"
            except OSError as error:
                if error.errno == errno.ENAMETOOLONG:
                    return f"nested its folders deeper than {DEPTH}"
                if ended:
                    name = caption(os.path.relpath(folder, self._folder))
                    return f"left {name}, which cannot be read: {error.strerror}"
                # While the build runs, it may have deleted or closed the folder.
        return None


def marked(mark: str) -> list[int]:
    """The pids of all processes with `mark`, whatever their parents; none for an empty mark."""
    if not mark:
        return []
    return [int(name) for name in os.listdir("/proc") if name.isdigit() and mark_of(int(name)) == mark]


def _free(folder: str) -> int:
    """Free bytes on the disk of `folder`."""
    disk = os.statvfs(folder)
    return disk.f_bfree * disk.f_frsize


def _in_memory(pids: Iterable[int]) -> int:
    """Bytes in the folders that a build's sandbox keeps in memory. They are read through any process inside,
    and recognised by their size: a process outside has other folders at these paths."""
    for pid in pids:
        try:
            disks = [os.statvfs(f"/proc/{pid}/root{folder}") for folder in IN_MEMORY]
        except OSError:
            continue
        if all(disk.f_blocks * disk.f_frsize == BUILD.folder_bytes for disk in disks):
            return sum((disk.f_blocks - disk.f_bfree) * disk.f_frsize for disk in disks)
    return 0
