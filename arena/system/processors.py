"""How much CPU this process may use: the cores to which it is bound, and the CPU quotas of its control
groups, as containers set them. Starts nothing."""

import functools
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path("/")


class Quota(NamedTuple):
    """In each `period`, in seconds, the processes of a group may use the time of `cores`; the kernel stops
    them for the rest of it."""

    cores: float
    period: float


def allowed() -> list[int]:
    """The numbers of the cores that this process may use, in ascending order."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def at_a_time(root: Path = ROOT) -> int:
    """The number of matches that can be played at the same time, one per core, at least 1."""
    cores, least = len(allowed()), quota(root)
    return cores if least is None else max(1, min(cores, int(least.cores)))


@functools.cache  # It takes half as long as starting a bot, and every start needs it.
def quota(root: Path = ROOT) -> Quota | None:
    """The lowest quota of this process's groups (cgroup v1 and v2) and of their visible ancestors; None if
    there is none. It is read once. `root` is the folder with /proc and the mounts."""
    quotas = []
    with suppress(OSError):
        quotas = [limit for group in _groups(root) if (limit := _v2(group) or _v1(group))]
    return min(quotas, default=None)


def _groups(root: Path) -> Iterator[Path]:
    """The groups that can limit our CPU time. Raises OSError."""
    own: dict[str, str] = {}
    for line in (root / "proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        own |= dict.fromkeys(controllers.split(","), path)
    for line in (root / "proc/self/mountinfo").read_text().splitlines():
        mount, _, system = line.partition(" - ")
        kind, _, options = system.split(" ", 2)
        # Version 2 has one tree for all controllers, which /proc lists with an empty name.
        tree = {"cgroup2": "", "cgroup": "cpu"}.get(kind)
        if tree not in own or (tree and tree not in options.split(",")):
            continue
        _, _, _, top, place, *_ = mount.split(" ")
        folder = root / place.lstrip("/")
        # In a container the mount may begin at our own group, or our group may lie outside it.
        path = os.path.relpath(own[tree], top)
        inside = folder if path.startswith("..") else folder / path
        for group in (inside, *inside.parents):
            yield group
            if group == folder:
                break


def _v2(group: Path) -> Quota | None:
    with suppress(OSError, ValueError):
        most, period = (group / "cpu.max").read_text().split()
        return _of(int(most), int(period))  # "max" means no quota, and raises ValueError.
    return None


def _v1(group: Path) -> Quota | None:
    with suppress(OSError, ValueError):
        most = int((group / "cpu.cfs_quota_us").read_text())
        return _of(most, int((group / "cpu.cfs_period_us").read_text()))
    return None


def _of(most: int, period: int) -> Quota | None:
    """A quota from microseconds. In version 1 a negative value means none."""
    return Quota(most / period, period / 1e6) if most > 0 and period > 0 else None
