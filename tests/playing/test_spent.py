"""What a match's processor time went to: bots that compute for a known time, by their own clock."""

import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import pytest

from arena.director.wording import spent_text
from arena.playing.job import Finished, Job
from arena.playing.referee import Referee
from arena.playing.reused import BotPool
from arena.playing.spent import Spent, total
from arena.process.sandbox import Level, Sandbox
from tests.support.jobs import ECHOES, LIMITS, job, with_settings
from tests.support.needs import require
from tests.support.programs import Program, at

COMPUTE = "until = time.process_time() + {0}\nwhile time.process_time() < until: pass"
STARTS, THINKS, ENDS = 0.3, 0.5, 0.4
BUSY = Program(before=COMPUTE.format(STARTS), asked=at(2, COMPUTE.format(THINKS)), end=COMPUTE.format(ENDS))
TICKS_MS = 30
"""Without a control group processor time is read in ticks of 10 ms."""
OTHERS_MS = 250
"""What the other two, and a start of Python, are allowed."""


@pytest.fixture
async def bot_pool() -> AsyncIterator[BotPool]:
    bot_pool = BotPool()
    yield bot_pool
    await bot_pool.end_all()


def task(folder: Path, program: Program, level: Level) -> Job:
    return with_settings(job(folder, ("busy", program), *ECHOES[1:]), limits=LIMITS, sandbox=Sandbox(level))


PLAYS = """
import resource, sys, time, msgspec, trio
from arena.playing.job import Job
from arena.playing.referee import play_match
from arena.process.tree import adopt_orphans
def used():
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime
adopt_orphans()
job = msgspec.json.decode(sys.stdin.buffer.read(), type=Job)
before = used()
finished = trio.run(play_match, job)
print(msgspec.json.encode([finished.spent, 1000 * (used() - before)]).decode())
"""
"""As a worker does, which has no other children."""


async def spent(job: Job, bot_pool: BotPool) -> Spent:
    finished: Finished = await Referee(job, bot_pool=bot_pool).play()
    assert finished.spent is not None
    return finished.spent


def played(job: Job) -> tuple[Spent, float]:
    """What is said to be spent, and what was."""
    done = subprocess.run(
        (sys.executable, "-c", PLAYS), input=msgspec.json.encode(job), stdout=subprocess.PIPE, check=True
    )
    return msgspec.json.decode(done.stdout, type=tuple[Spent, float])


@pytest.mark.parametrize("level", list(Level))
def test_each_part_is_found_and_nothing_is_lost(level: Level, tmp_path: Path) -> None:
    require(level)
    found, whole = played(task(tmp_path, BUSY, level))
    assert 1000 * STARTS - TICKS_MS <= found.starting < 1000 * STARTS + OTHERS_MS
    assert 1000 * THINKS - TICKS_MS <= found.thinking < 1000 * THINKS + OTHERS_MS
    assert 1000 * ENDS - TICKS_MS <= found.ending < 1000 * ENDS + OTHERS_MS
    assert sum(msgspec.structs.astuple(found)) == pytest.approx(whole, rel=0.05)


def test_a_bot_that_forfeits_has_thought_too(tmp_path: Path) -> None:
    wrong = BUSY._replace(asked=f"{COMPUTE.format(THINKS)}\nanswer = 'hmm'")
    found, _ = played(task(tmp_path, wrong, Level.NONE))
    assert found.thinking >= 1000 * THINKS - TICKS_MS


async def test_a_bot_that_is_kept_starts_once(tmp_path: Path, bot_pool: BotPool) -> None:
    stays = BUSY._replace(end="continue")
    kept = msgspec.structs.replace(task(tmp_path, stays, Level.NONE), keep=("busy",))
    first, second = await spent(kept, bot_pool), await spent(kept, bot_pool)
    assert first.starting >= 1000 * STARTS - TICKS_MS
    assert second.starting < 1000 * STARTS - TICKS_MS
    assert first.ending == second.ending == 0


def test_sums_and_what_is_said_of_them() -> None:
    assert total([]) is None
    found = total([Spent(1, 2, 3, 4, 5), Spent(100, 200, 300, 400, 500)])
    assert found == Spent(101, 202, 303, 404, 505)
    said = spent_text(found)
    assert said.startswith("1.5 s: ")
    for part in ("thinking 0.1 s", "starting 0.2 s", "sandboxes 0.3 s", "ending 0.4 s", "logs 0.5 s"):
        assert part in said
