"""What a bot got of the machine when its time ran out: who is measured, what is told of it, and when the
machine may be to blame.
"""

from pathlib import Path

import msgspec
import pytest

from arena.log.entries import Faulted, LogError, Measured, parse
from arena.log.fault_report import FaultRow, fault_rows
from arena.playing.job import Finished, Job
from arena.playing.pool import play_all
from arena.system.processors import allowed
from protocol.faults import FaultKind
from tests.support.jobs import job, with_settings
from tests.support.programs import ECHO, Program, at

SLOW = Program(asked=at(3, "time.sleep(9)"))
SILENT = Program(before="time.sleep(9)")
WRONG = Program(asked=at(3, "answer = 'no'"))
LATE_LIMITS = {"start_ms": 1000, "decision_ms": 300, "bank_ms": 0}


def slow_match(folder: Path, **programs: Program) -> Job:
    made = job(folder, *programs.items())
    return with_settings(made, limits=msgspec.structs.replace(made.settings.limits, **LATE_LIMITS))


async def played(task: Job, *, core: bool) -> Finished:
    reports: list[object] = []
    await play_all([task], 1, reports.append, cores=allowed()[:1] if core else ())
    (finished,) = reports
    assert isinstance(finished, Finished)
    return finished


@pytest.mark.parametrize("core", [True, False])
async def test_whose_time_ran_out_is_measured_and_nobody_else(core: bool, tmp_path: Path) -> None:
    finished = await played(slow_match(tmp_path, slow=SLOW, silent=SILENT, wrong=WRONG), core=core)
    faults = {e.kind: e for e in parse(finished.log.encode()) if isinstance(e, Faulted)}
    assert faults.keys() == {FaultKind.TIMEOUT, FaultKind.HANDSHAKE, FaultKind.MALFORMED}
    assert faults[FaultKind.MALFORMED].measured is None
    for kind in (FaultKind.TIMEOUT, FaultKind.HANDSHAKE):
        seen = faults[kind].measured
        assert seen is not None
        assert seen.own_core is core
        assert 0 <= seen.us <= faults[kind].us
        assert 0 <= seen.lag_us <= faults[kind].us
        assert min(seen.cpu_us, seen.queued_us) >= 0
    assert "own_core" not in finished.log.partition("\n")[0], (
        "the same match elsewhere has the same first line"
    )


async def test_who_computes_is_seen_to(tmp_path: Path) -> None:
    """Its helper processes too, which end and are waited for."""
    work = "import time; end = time.process_time() + 0.02\nwhile time.process_time() < end: pass"
    busy = Program(asked=at(3, f"while True: subprocess.run([sys.executable, '-S', '-E', '-c', {work!r}])"))
    task = slow_match(tmp_path, busy=busy, ann=ECHO, bob=ECHO)
    limits = msgspec.structs.replace(task.settings.limits, decision_ms=1000)
    finished = await played(with_settings(task, limits=limits), core=False)
    (row,) = fault_rows(finished.log)
    assert row.measured is not None
    assert row.measured.cpu_us > 0 or not row.measured.us


def row(took: int = 1_000_000, **measured: object) -> FaultRow:
    seen = {"us": 950_000, "cpu_us": 0, "queued_us": 0, "lag_us": 900, "own_core": True} | measured
    words = {"detail": "", "sent": "", "reply": "", "status": None, "stderr": "", "forfeits": True}
    told = msgspec.convert(seen, Measured)
    return FaultRow("m", "ada", 0, FaultKind.TIMEOUT, 1, 3, us=took, measured=told, **words)  # type: ignore[arg-type]


def test_it_is_told_in_a_sentence() -> None:
    assert row(cpu_us=410_000, queued_us=20_100).machine == (
        "used at least 0.41 s of CPU in the last 0.95 s of its 1.00 s, and waited at least 21 ms for a core; "
        "the machine was at most 1 ms late; no other match had its core"
    )
    short = row(5_000, own_core=False).machine
    assert short.endswith("other matches may have had its core too")
    assert row(5_000, us=0).machine.startswith("its 5 ms had passed before its CPU time was measured")
    old = msgspec.structs.replace(row(), measured=None)
    assert (old.machine, old.judgement, old.machine_may_be_to_blame) == ("", "", False)


@pytest.mark.parametrize(
    ("measured", "judgement"),
    [
        ({"cpu_us": 900_000}, "it was computing all the time"),
        ({"cpu_us": 1_800_000, "queued_us": 900_000}, "it was computing all the time"),
        (
            {"cpu_us": 30_000, "queued_us": 9_000},
            "it used almost no CPU time: it was sleeping, or waiting for something",
        ),
        ({"cpu_us": 400_000}, ""),
        ({"cpu_us": 500_000, "queued_us": 450_000}, "the machine may be to blame"),
        ({"cpu_us": 0, "queued_us": 900_000}, "the machine may be to blame"),
        ({"cpu_us": 930_000, "lag_us": 101_000}, "the machine may be to blame"),
        ({"us": 0, "lag_us": 99_000}, ""),
    ],
    ids=[
        "busy",
        "threads that stand in each other's way",
        "asleep",
        "some of both",
        "half of a core",
        "no core at all",
        "nobody was woken",
        "too short to say",
    ],
)
def test_the_machine_is_blamed_for_what_it_took(measured: dict[str, object], judgement: str) -> None:
    assert row(**measured).judgement == judgement


def test_what_our_own_poll_takes_is_not_the_machines() -> None:
    assert row(5_000, us=0, lag_us=20_000).judgement == ""
    assert row(5_000, us=0, lag_us=21_000).machine_may_be_to_blame


def test_what_is_measured_in_a_strangers_log_is_in_bounds() -> None:
    fault = Faulted(0, 0, 0, FaultKind.HANDSHAKE, "", True, measured=row().measured)
    line = msgspec.json.encode(fault)
    for wrong in (b"-1", b"9" * 400, b'"1"', b"1e400"):
        with pytest.raises(LogError, match="line 1"):
            parse(line.replace(b'"lag_us":900', b'"lag_us":' + wrong))
