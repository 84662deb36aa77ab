"""A tournament that has begun and has a director."""

from pathlib import Path

from arena.director.entries import Created, JournalEntry
from protocol.messages import Limits
from tests.support.programs import Program, entrant


def created(folder: Path, *programs: tuple[str, Program], rounds: int = 2) -> Created:
    return Created(
        arena="0",
        seed="7",
        game="sticheln",
        rules=1,
        options={},
        format="swiss",
        rounds=rounds,
        pod_size=3,
        duplicates=True,
        deals=1,
        limits=Limits(start_ms=5000, decision_ms=500, bank_ms=0),
        faults=1,
        entrants=tuple(entrant(folder, name, program) for name, program in programs),
        left_out=(),
    )


def nothing(entry: JournalEntry) -> None:
    pass
