"""Whether processes are stopped, as the kernel tells it: by a signal, or as a whole control group."""

from collections.abc import Iterable
from pathlib import Path


def all_stopped(pids: Iterable[int]) -> bool:
    """Of those that have not ended meanwhile, of which there must be one."""
    found = [stopped for pid in pids if (stopped := _stopped(pid)) is not None]
    return bool(found) and all(found)


def _stopped(pid: int) -> bool | None:
    """None if it has ended."""
    try:
        threads = [
            (thread / "stat").read_text().rpartition(")")[2].split()[0]
            for thread in Path(f"/proc/{pid}/task").iterdir()
        ]
        if set(threads) <= {"Z", "X"}:
            return None
        return set(threads) <= {"T", "Z", "X"} or _group_frozen(pid)
    except OSError:
        return None


def _group_frozen(pid: int) -> bool:
    groups = Path(f"/proc/{pid}/cgroup").read_text().splitlines()
    path = next((line[3:] for line in groups if line.startswith("0::")), None)
    for mount in Path("/proc/mounts").read_text().splitlines():
        _, folder, kind, *_ = mount.split()
        events = Path(f"{folder}{path}/cgroup.events")
        if path is not None and kind == "cgroup2" and events.exists():
            return "frozen 1" in events.read_text()
    return False
