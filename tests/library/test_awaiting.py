"""Calls that are awaited, below asyncio and trio, and broken off."""

import asyncio
import os
import signal
from pathlib import Path
from typing import Any

import pytest
import trio

import arena
from arena.system.errors import leaves

ROOT = Path(__file__).parents[2]
FAST: Any = {"deals": 1, "on_progress": False}
ENDLESS: Any = {"deals": 1000, "on_progress": False}
TWO = ["heuristic", "h2=heuristic"]


def hosts() -> set[int]:
    """The processes that carry out a call of this one."""
    found = set()
    for path in [*Path("/proc").glob("[0-9]*")]:
        try:
            words = (path / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if b"arena.library.host" in words and str(os.getpid()).encode() in words:
            found.add(int(path.name))
    return found


def bot_of(folder: Path) -> str:
    """The name of the file of its bot: it plays from a copy, whose path does not name the folder."""
    return f"{folder.name[-20:]}.py"


def playing(folder: Path) -> list[str]:
    """The processes that play the bot of this folder."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if bot_of(folder) in words:
            found.append(words)
    return found


async def test_below_trio() -> None:
    played = await arena.match_async(["heuristic"], seed=7, **FAST)
    assert played.seed == "7"


def bot_in(folder: Path) -> Path:
    bot = folder / bot_of(folder)
    bot.write_bytes((ROOT / "bots" / "greedy.py").read_bytes())
    return bot


async def test_below_trio_a_cancelled_call_leaves_nothing(tmp_path: Path) -> None:
    bot = bot_in(tmp_path)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(lambda: arena.match_async([bot], **ENDLESS))
        while not playing(tmp_path):
            await trio.sleep(0.05)
        nursery.cancel_scope.cancel()
    assert not hosts()
    assert not playing(tmp_path)


def test_below_trio_an_interrupt_leaves_nothing(tmp_path: Path) -> None:
    bot = bot_in(tmp_path)

    async def interrupted() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(interrupt)
            await arena.match_async([bot], **ENDLESS)

    async def interrupt() -> None:
        while not playing(tmp_path):
            await trio.sleep(0.05)
        signal.raise_signal(signal.SIGINT)

    with pytest.raises(BaseExceptionGroup) as raised:
        trio.run(interrupted)
    assert KeyboardInterrupt in map(type, leaves(raised.value)), leaves(raised.value)
    assert not hosts()
    assert not playing(tmp_path)


def test_what_no_coroutine_can_raise_ends_it_all_the_same() -> None:
    def exhausted(view: Any, legal: tuple[str, ...]) -> str:
        return str(next(iter(())))

    with pytest.raises(RuntimeError, match="a function raised StopIteration"):
        asyncio.run(arena.match_async([exhausted, "heuristic"], **FAST))


@pytest.mark.thorough  # 2 s of processor.
def test_below_asyncio_several_at_a_time() -> None:
    async def several() -> list[arena.Replay]:
        return await asyncio.gather(
            *(arena.match_async(["heuristic"], seed=seed, **FAST) for seed in range(2))
        )

    assert [one.seed for one in asyncio.run(several())] == ["0", "1"]


def test_below_asyncio_a_cancelled_call_leaves_nothing(tmp_path: Path) -> None:
    bot = bot_in(tmp_path)

    async def cancelled() -> None:
        task = asyncio.create_task(arena.match_async([bot], **ENDLESS))
        while not playing(tmp_path):
            await asyncio.sleep(0.05)
        task.cancel()
        await asyncio.sleep(0)
        task.cancel()  # A second time, while it waits for the end of the call.
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not hosts()
        assert not playing(tmp_path)

    asyncio.run(cancelled())


def test_an_error_is_raised_where_it_is_awaited() -> None:
    async def wrong() -> None:
        await arena.match_async(["gone.py"], **FAST)

    with pytest.raises(arena.UserError, match=r"gone\.py"):
        asyncio.run(wrong())


@pytest.mark.thorough  # 1 s of processor.
def test_a_method_is_awaited_too(tmp_path: Path) -> None:
    run = arena.tournament(TWO, rounds=1, seats=3, duplicates=False, out=tmp_path / "run", jobs=1, **FAST)
    again = asyncio.run(arena.asynchronous(run.resume)(on_progress=False))
    assert again.over


@pytest.mark.thorough  # 4 s of processor; tests/cli/test_interrupt.py does it by signals.
def test_a_tournament_that_is_broken_off_goes_on(tmp_path: Path) -> None:
    seen = []

    def stop(progress: arena.Progress) -> None:
        seen.append(progress)
        if progress.done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        arena.tournament(
            TWO, rounds=4, seats=3, deals=1, duplicates=False, out=tmp_path / "run", on_progress=stop
        )
    assert not hosts()
    assert seen[-1].total > seen[-1].done > 0
    broken_off = arena.open(tmp_path / "run")
    assert not broken_off.over
    run = broken_off.resume(on_progress=False)
    assert run.over
    assert not run.verify().wrong


def test_a_child_that_is_killed_is_an_error_of_the_machine(tmp_path: Path) -> None:
    bot = bot_in(tmp_path)

    async def killed() -> None:
        task = asyncio.create_task(arena.match_async([bot, "heuristic"], **ENDLESS))
        while not playing(tmp_path):
            await asyncio.sleep(0.05)
        for pid in hosts():
            os.kill(pid, signal.SIGKILL)
        with pytest.raises(arena.MachineError, match="was killed from outside, by signal 9"):
            await task
        for _ in range(600):
            if not playing(tmp_path):
                return
            await asyncio.sleep(0.1)
        raise AssertionError(playing(tmp_path))

    asyncio.run(killed())


def test_a_child_that_somebody_has_stopped_is_broken_off_too() -> None:
    async def stopped() -> None:
        task = asyncio.create_task(arena.match_async(["heuristic"], **ENDLESS))
        while not hosts():
            await asyncio.sleep(0.05)
        for pid in hosts():
            os.kill(pid, signal.SIGSTOP)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not hosts()

    asyncio.run(stopped())
