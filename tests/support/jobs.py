"""Jobs of one match for the referee, played and compared."""

import os
from pathlib import Path
from typing import Any

import msgspec

from arena.log.entries import Faulted, parse
from arena.log.retrace import of_entries, verify
from arena.log.settings import MatchSettings
from arena.playing.job import Finished, Job
from protocol.messages import Limits
from protocol.streams import pod_key
from tests.support.programs import ECHO, Program, entrant

LIMITS = Limits(start_ms=60_000, decision_ms=60_000, bank_ms=0)


def job(folder: Path, *programs: tuple[str, Program], deals: int = 1, faults: int = 1) -> Job:
    (folder / "stderr").mkdir(exist_ok=True)
    return Job(
        match_id="m",
        settings=MatchSettings(game="sticheln", options={}, deals=deals, limits=LIMITS, faults=faults),
        pod_key=pod_key("7", 0, 0),
        seating_no=1,
        entrants=tuple(entrant(folder, name, program) for name, program in programs),
        stderr=str(folder / "stderr"),
    )


def with_settings(job: Job, **changes: Any) -> Job:
    return msgspec.structs.replace(job, settings=msgspec.structs.replace(job.settings, **changes))


def alive(folder: Path) -> list[str]:
    """The commands of all processes that work in `folder`, wherever they hang in the tree, and the zombies
    among our children."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            state, parent = (entry / "stat").read_text().rpartition(")")[2].split()[:2]
            if int(parent) == os.getpid() and state == "Z":
                found.append(f"zombie {entry.name}")
                continue
            words = (entry / "cmdline").read_bytes().decode(errors="replace")
            if (entry / "cwd").resolve() == folder or str(folder) in words:
                found.append(words)
        except OSError:  # It has ended, or is somebody else's with a folder too deep to be named.
            continue
    return found


def check(finished: Finished, folder: Path) -> list[Faulted]:
    """The faults of a match that is otherwise as it must be."""
    assert alive(folder) == []
    entries = parse(finished.log.encode())
    verify(of_entries(entries))
    return [entry for entry in entries if isinstance(entry, Faulted)]


ECHOES = tuple((f"echo-{seat}", ECHO) for seat in range(3))


def name(pid: int) -> str:
    """As the process calls itself."""
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""
