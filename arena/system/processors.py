"""How much processor this process may use: the cores to which it is bound, and the CPU quotas of the control
groups that it is in, as containers set them. Starts nothing.
"""

import functools
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path("/")


class Quota(NamedTuple):
    """In every `period` of seconds the processes of a group may use so much time of `cores`; the kernel stops
    them for the rest of it."""

    cores: float
    period: float


def allowed() -> list[int]:
    """The numbers of the cores that this process may use, ascending."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def at_a_time(root: Path = ROOT) -> int:
    """How many matches, which take a core each, can be played at a time: 1 where the quota is below that."""
    cores, least = len(allowed()), quota(root)
    return cores if least is None else max(1, min(cores, int(least.cores)))


@functools.cache  # It takes as long as half the start of a bot, and is asked for at each.
def quota(root: Path = ROOT) -> Quota | None:
    """The least quota of the groups that this process is in, of cgroup v1 and v2 alike, and of all groups
    above these that can be seen; None if there is none. It is read once. `root` is where /proc and the mounts
    lie."""
    found = []
    with suppress(OSError):
        found = [one for group in _groups(root) if (one := _v2(group) or _v1(group))]
    return min(found, default=None)


def _groups(root: Path) -> Iterator[Path]:
    """The groups that can limit our CPU time. Raises OSError."""
    own: dict[str, str] = {}
    for line in (root / "proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        own |= dict.fromkeys(controllers.split(","), path)
    for line in (root / "proc/self/mountinfo").read_text().splitlines():
        mount, _, system = line.partition(" - ")
        kind, _, options = system.split(" ", 2)
        # Version 2 has one tree for all controllers, which /proc lists without any.
        tree = {"cgroup2": "", "cgroup": "cpu"}.get(kind)
        if tree not in own or (tree and tree not in options.split(",")):
            continue
        _, _, _, top, place, *_ = mount.split(" ")
        folder = root / place.lstrip("/")
        # In a container the mount may begin at our own group; or our group lies outside of what is mounted.
        path = os.path.relpath(own[tree], top)
        inside = folder if path.startswith("..") else folder / path
        for group in (inside, *inside.parents):
            yield group
            if group == folder:
                break


def _v2(group: Path) -> Quota | None:
    with suppress(OSError, ValueError):
        most, period = (group / "cpu.max").read_text().split()
        return _of(int(most), int(period))  # Without a quota it says "max".
    return None


def _v1(group: Path) -> Quota | None:
    with suppress(OSError, ValueError):
        most = int((group / "cpu.cfs_quota_us").read_text())
        return _of(most, int((group / "cpu.cfs_period_us").read_text()))
    return None


def _of(most: int, period: int) -> Quota | None:
    """In microseconds. A quota of version 1 that is negative is none."""
    return Quota(most / period, period / 1e6) if most > 0 and period > 0 else None
