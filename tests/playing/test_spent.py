"""What a match's processor time went to: bots that compute for a known time, by their own clock."""

import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from arena.director.wording import spent_text
from arena.playing.job import Job
from arena.playing.spent import Spent, total
from arena.process.sandbox import Level, Sandbox
from tests.support.jobs import ECHOES, job, with_settings
from tests.support.needs import require
from tests.support.programs import Program, at

COMPUTE = "until = time.process_time() + {0}\nwhile time.process_time() < until: pass"
STARTS, THINKS, ENDS = 0.3, 0.5, 0.4
BEATS = f"""
begun = time.process_time()
while (so_far := time.process_time() - begun) < {ENDS}:
    print(so_far, file=sys.stderr, flush=True)
"""
"""A busy machine may not let it end before it is killed, so it says how much it had."""
BUSY = Program(before=COMPUTE.format(STARTS), asked=at(2, COMPUTE.format(THINKS)), end=BEATS)
SLACK_MS = 5

PLAYS = """
import resource, sys, time, msgspec, trio
from arena.playing.job import Job
from arena.playing.reused import BotPool
from arena.playing.worker import report
from arena.process.tree import adopt_orphans
def used():
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime
async def play(job):
    bot_pool = BotPool()
    before = used()
    first = await report(job, bot_pool, print)
    after = used()
    second = await report(job, bot_pool, print) if job.keep else first
    await bot_pool.end_all()
    return first.spent, second.spent, 1000 * (after - before)
adopt_orphans()
job = msgspec.json.decode(sys.stdin.buffer.read(), type=Job)
print(msgspec.json.encode(trio.run(play, job)).decode())
"""
"""What a worker does: it plays, and has no other children."""


def task(folder: Path, program: Program, level: Level = Level.NONE) -> Job:
    return with_settings(job(folder, ("busy", program), *ECHOES[1:]), sandbox=Sandbox(level))


def played(job: Job) -> tuple[Spent, Spent, float]:
    """What a match is said to have cost, what a second one, and what the first really has."""
    done = subprocess.run(
        (sys.executable, "-c", PLAYS), input=msgspec.json.encode(job), stdout=subprocess.PIPE, check=True
    )
    return msgspec.json.decode(done.stdout, type=tuple[Spent, Spent, float])


@pytest.mark.parametrize("stays", ["", "time.sleep(600)"], ids=["exits", "is killed"])
@pytest.mark.parametrize(
    "level",
    [
        Level.BWRAP,
        *(pytest.param(level, marks=pytest.mark.thorough) for level in (Level.RLIMITS, Level.NONE)),
    ],
)
def test_each_part_is_found_and_nothing_is_lost(level: Level, stays: str, tmp_path: Path) -> None:
    require(level)
    found, _, whole = played(task(tmp_path, BUSY._replace(end=f"{BEATS}\n{stays}"), level))
    ends = float((tmp_path / "stderr" / "m-0.txt").read_text().split()[-1])
    assert found.starting >= 1000 * STARTS - SLACK_MS
    assert found.thinking >= 1000 * THINKS - SLACK_MS
    assert found.ending >= 1000 * ends - SLACK_MS
    assert sum(msgspec.structs.astuple(found)) >= 0.95 * whole
    if level is not Level.BWRAP:  # What is killed with its sandbox, the kernel leaves out of the whole.
        assert sum(msgspec.structs.astuple(found)) <= 1.05 * whole


@pytest.mark.thorough  # 1 s of processor.
def test_a_bot_that_forfeits_has_thought_too(tmp_path: Path) -> None:
    wrong = BUSY._replace(asked=f"{COMPUTE.format(THINKS)}\nanswer = 'hmm'")
    found, _, whole = played(task(tmp_path, wrong))
    assert found.thinking >= 1000 * THINKS - SLACK_MS
    assert sum(msgspec.structs.astuple(found)) == pytest.approx(whole, rel=0.05)


def test_a_bot_that_is_kept_starts_once(tmp_path: Path) -> None:
    stays = BUSY._replace(end="continue")
    first, second, _ = played(msgspec.structs.replace(task(tmp_path, stays), keep=("busy",)))
    assert first.starting >= 1000 * STARTS - SLACK_MS
    assert second.starting < first.starting - 1000 * STARTS / 2
    assert second.thinking < 1000 * THINKS


@pytest.mark.parametrize("wrong", [-1, 10**10 + 1, 1.5, "1", None])
def test_what_cannot_have_been_spent_is_not_read(wrong: object) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert([0, 0, wrong, 0, 0], Spent)


def test_sums_and_what_is_said_of_them() -> None:
    assert total([]) is None
    found = total([Spent(1, 2, 3, 4, 5), Spent(100, 200, 300, 400, 500)])
    assert found == Spent(101, 202, 303, 404, 505)
    said = spent_text(found)
    assert said.startswith("1.5 s: ")
    for part in ("thinking 0.1 s", "starting 0.2 s", "sandboxes 0.3 s", "ending 0.4 s", "logs 0.5 s"):
        assert part in said
