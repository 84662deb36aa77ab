"""Processes kept between matches: real ones, which stay when a match has ended."""

import re
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import pytest

import arena.playing.reused
import arena.process.cgroup
import arena.process.watchdog
from arena.log.entries import Faulted, Greeted, parse
from arena.log.retrace import of_entries, verify
from arena.playing.job import Finished, Job
from arena.playing.referee import Referee
from arena.playing.reused import BotPool
from arena.process.sandbox import Level, Sandbox
from protocol.faults import FaultKind
from protocol.messages import Limits
from tests.support.jobs import alive, job, with_settings
from tests.support.needs import require
from tests.support.programs import ECHO, Program, at

STAYS = Program(before="print(os.getpid(), file=sys.stderr)", end="continue")
LEAVES = ECHO
"""Ends by itself when it has read `end`."""
PATIENT = Limits(start_ms=5000, decision_ms=5000, bank_ms=0)


@pytest.fixture
async def bot_pool() -> AsyncIterator[BotPool]:
    bot_pool = BotPool()
    yield bot_pool
    await bot_pool.end_all()


def keeping(folder: Path, *programs: tuple[str, Program], level: Level = Level.RLIMITS) -> Job:
    task = with_settings(job(folder, *programs), limits=PATIENT, sandbox=Sandbox(level))
    return msgspec.structs.replace(task, keep_bots=True)


async def play(job: Job, bot_pool: BotPool, number: int = 1, seating_no: int = 1) -> Finished:
    job = msgspec.structs.replace(job, match_id=f"m{number}", seating_no=seating_no)
    finished = await Referee(job, bot_pool=bot_pool).play()
    verify(of_entries(parse(finished.log.encode())))
    return finished


def faults(finished: Finished) -> list[FaultKind]:
    return [entry.kind for entry in parse(finished.log.encode()) if isinstance(entry, Faulted)]


def unmeasured(finished: Finished) -> str:
    return re.sub(r'"us":\d+', "", finished.log)


THREE = (("ada", STAYS), ("bob", STAYS), ("cy", STAYS))


@pytest.mark.parametrize("level", [Level.BWRAP, Level.RLIMITS])
async def test_the_same_processes_play_again_with_the_same_log(
    tmp_path: Path, bot_pool: BotPool, level: Level
) -> None:
    require(level)
    task = keeping(tmp_path, *THREE, level=level)
    first = await play(task, bot_pool)
    pids = bot_pool.pids
    second = await play(task, bot_pool)
    assert len(pids) == 3
    assert bot_pool.pids == pids
    fresh = await play(msgspec.structs.replace(task, keep_bots=False), bot_pool)
    assert unmeasured(first) == unmeasured(second) == unmeasured(fresh)


async def test_only_those_who_are_named_are_kept(tmp_path: Path, bot_pool: BotPool) -> None:
    task = msgspec.structs.replace(keeping(tmp_path, *THREE), keep_bots=False, keep=("bob",))
    first = await play(task, bot_pool)
    pids = bot_pool.pids
    assert len(pids) == 1
    assert unmeasured(await play(task, bot_pool)) == unmeasured(first)
    assert bot_pool.pids == pids


async def test_another_seating_another_process(tmp_path: Path, bot_pool: BotPool) -> None:
    """So that nobody meets a deal twice."""
    task = keeping(tmp_path, *THREE)
    await play(task, bot_pool, seating_no=1)
    pids = bot_pool.pids
    await play(task, bot_pool, seating_no=2)
    assert pids < bot_pool.pids
    assert len(bot_pool.pids) == 6


async def test_who_leaves_at_the_end_is_started_afresh(tmp_path: Path, bot_pool: BotPool) -> None:
    task = keeping(tmp_path, ("ada", STAYS), ("bob", LEAVES), ("cy", STAYS))
    for number in (1, 2, 3):
        finished = await play(task, bot_pool, number)
        assert faults(finished) == []
        assert sum(isinstance(entry, Greeted) for entry in parse(finished.log.encode())) == 3
    assert len(bot_pool.pids) == 2, "who does not stay is not kept"


async def test_what_is_said_after_the_end_is_not_taken_for_the_next_match(
    tmp_path: Path, bot_pool: BotPool
) -> None:
    talks = Program(end="say('good game')\nsay('')\nsay('{\"type\":\"reply\",\"id\":3}')\ncontinue")
    task = keeping(tmp_path, ("ada", talks), ("bob", STAYS), ("cy", STAYS))
    await play(task, bot_pool)
    pids = bot_pool.pids
    assert faults(await play(task, bot_pool)) == []
    assert bot_pool.pids == pids


async def test_a_fault_ends_the_process(tmp_path: Path, bot_pool: BotPool) -> None:
    errs = Program(asked=at(3, "answer = 'hmm'"), end="continue")
    task = keeping(tmp_path, ("ada", errs), ("bob", STAYS), ("cy", STAYS))
    for _ in range(2):  # The second match has a fresh one, which errs again.
        assert faults(await play(task, bot_pool)) == [FaultKind.MALFORMED]
        assert len(bot_pool.pids) == 2


GROWS = STAYS._replace(before=f"{STAYS.before}\nhoard = b'x' * 2**27")
LEFT = "while os.getpgid(helper) == os.getpgrp(): time.sleep(0.001)"
RESTS = "    time.sleep(60)\n    os._exit(0)"
APART = STAYS._replace(before=f"helper = os.fork()\nif helper == 0:\n    os.setsid()\n{RESTS}\n{LEFT}")
BESIDE = STAYS._replace(before=f"if os.fork() == 0:\n{RESTS}")


@pytest.mark.parametrize(
    ("restless", "level"),
    # At level bwrap nobody leaves his session.
    [(APART, Level.RLIMITS), (GROWS, Level.RLIMITS), (GROWS, Level.BWRAP)],
    ids=["apart-rlimits", "grows-rlimits", "grows-bwrap"],
)
async def test_who_does_not_rest_is_found_sooner_or_later(
    restless: Program, level: Level, tmp_path: Path, bot_pool: BotPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Matches so short that no watchdog of theirs sees it. In a cgroup those who have left their session
    keep still too."""
    require(level)
    monkeypatch.setattr(arena.process.cgroup, "home_of_groups", lambda: None)
    monkeypatch.setattr(arena.playing.reused, "LOOK_SECONDS", 0)
    monkeypatch.setattr(arena.process.watchdog, "INTERVAL_SECONDS", 60)
    bots = (("restless", restless), ("beside", BESIDE), ("cy", STAYS))
    task = with_settings(keeping(tmp_path, *bots), sandbox=Sandbox(level, 100))
    number = 0
    while len(bot_pool.pids) != 2 and number < 5:
        number += 1
        assert faults(await play(task, bot_pool, number)) == []
    assert len(bot_pool.pids) == 2
    await play(task, bot_pool, number + 1)
    assert len(bot_pool.pids) == 2, "it is not kept again"


async def test_those_that_have_rested_longest_end_first(tmp_path: Path) -> None:
    bot_pool = BotPool(most=3)
    task = keeping(tmp_path, *THREE)
    await play(task, bot_pool, seating_no=1)
    await play(task, bot_pool, seating_no=2)
    second = bot_pool.pids
    await play(task, bot_pool, seating_no=2)
    assert bot_pool.pids == second
    await bot_pool.end_all()
    assert alive(tmp_path) == []


async def test_every_match_has_its_own_standard_error(tmp_path: Path, bot_pool: BotPool) -> None:
    talks = Program(asked="if m['id'] % 15 == 1: print('request', m['id'], file=sys.stderr)", end="continue")
    task = keeping(tmp_path, ("ada", talks), ("bob", LEAVES), ("cy", LEAVES))
    for number in (1, 2):
        await play(task, bot_pool, number)
    await bot_pool.end_all()
    texts = {path.name: path.read_text() for path in (tmp_path / "stderr").iterdir()}
    assert texts == {"m1-0.txt": "request 1\n", "m2-0.txt": "request 16\n"}
