"""What one decision costs the referee on one core: µs of its own CPU, rules, log and frozen seats included,
beside the floors of the same run; and where that goes.
"""

import cProfile
import os
import pstats
import statistics
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import trio

from arena.games import GAMES
from arena.log.entries import Acted, parse
from arena.log.settings import MatchSettings
from arena.playing.job import Job
from arena.playing.referee import Referee, SeatedBot
from arena.playing.reused import BotPool
from arena.process.launch import Launch, launch_file
from arena.process.sandbox import Level, Sandbox
from arena.process.spawn import spawn
from protocol.messages import Limits
from protocol.streams import pod_key
from tests.bench.figures import SEATS, Figures, bots, compiled, entrants, interleaved, show
from tests.bench.minimal import minimal

REQUEST_BYTES = 1000
"""A Sticheln request in the middle of a deal."""

STAGES = {
    "encode": ["encode", "raw"],
    "write": ["write"],
    "signals": ["freeze", "thaw"],
    "wait": ["short_poll", "_answers_within"],
    "read": ["read_now"],
    "decode": ["open", "feed", "take"],
    "rules": ["apply", "view", "legal"],
    "log": ["add"],
}
"""Functions by stage; none of them calls another, so that their times can be added up."""
STAGE_FILES = ("codec.py", "botprocess.py", "inbox.py", "sticheln.py", "entries.py")


def job(
    game: str,
    bot: Path,
    number: int,
    deals: int,
    *,
    seats: int = SEATS,
    keep_bots: bool = False,
    **settings: Any,
) -> Job:
    """The match `number` of a bot against itself."""
    key = pod_key("7", 0, number)
    of_match = MatchSettings(game=game, options={}, deals=deals, limits=Limits(), faults=1, **settings)
    return Job("bench", key, 1, entrants(bot, seats), of_match, keep_bots=keep_bots)


def decisions_of(log: str) -> int:
    return sum(isinstance(entry, Acted) for entry in parse(log.encode()))


def matches(
    game: str, bot: Path, *, count: int, deals: int, keep_bots: bool, seats: int = SEATS, **settings: Any
) -> Figures:
    """µs of referee's CPU a decision, and decisions a second, over so many matches; the processes of kept
    bots are there before."""
    settings |= {"keep_bots": keep_bots, "seats": seats}
    jobs = [job(game, bot, number, deals, **settings) for number in range(count)]

    async def play() -> Figures:
        bot_pool = BotPool()
        try:
            if keep_bots:
                await Referee(jobs[0], bot_pool=bot_pool).play()
            cpu, wall = time.process_time(), time.perf_counter()
            logs = [(await Referee(job, bot_pool=bot_pool).play()).log for job in jobs]
            cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
            made = sum(map(decisions_of, logs))
            return cpu / made * 1e6, made / wall
        finally:
            await bot_pool.end_all()

    return trio.run(play)


def beside_floors(game: str, bot: Path, seats: int, count: int, program: Path, **settings: Any) -> Figures:
    """Of kept bots: µs of referee's CPU a decision; how many times the minimal loop with `program`, and
    blocking Python, that is, both taken at once before and after; and decisions a second."""
    lowest = [minimal(game, program, seats, count=count, deals=SEATS)[0]]
    cpu, speed = matches(game, bot, count=count, deals=SEATS, keep_bots=True, seats=seats, **settings)
    lowest.append(minimal(game, program, seats, count=count, deals=SEATS)[0])
    return cpu, cpu / statistics.mean(lowest), cpu / blocking(program, 5 * count * SEATS)[0], speed


class TimedStart(Referee):
    """`starting`: seconds of CPU that it took until all bots were ready."""

    starting = 0.0

    def _prepare(self) -> None:
        begun = time.process_time()
        super()._prepare()
        self.starting += time.process_time() - begun

    async def _start(self, bot: SeatedBot) -> None:
        begun = time.process_time()
        await super()._start(bot)
        self.starting += time.process_time() - begun


def fresh(bot: Path, count: int) -> Figures:
    """ms of referee's CPU for a match of four deals with fresh processes: from `ready` on, and what came
    before; of that, what it took to have the processes."""
    spawning = 0.0

    def timed(*arguments: Any) -> Any:
        nonlocal spawning
        begun = time.process_time()
        try:
            return spawn(*arguments)
        finally:
            spawning += time.process_time() - begun

    async def play() -> Figures:
        nonlocal spawning
        first, *jobs = (job("sticheln", bot, number, SEATS) for number in range(count + 1))
        await Referee(first, timed).play()  # What a process does once is not a match's.
        cpu, starting, spawning = time.process_time(), 0.0, 0.0
        for task in jobs:
            referee = TimedStart(task, timed)
            await referee.play()
            starting += referee.starting
        cpu = time.process_time() - cpu
        return tuple(1e3 / count * seconds for seconds in (cpu - starting, starting, spawning))

    return trio.run(play)


def c_pingpong(program: Path, count: int) -> Figures:
    done = subprocess.run(
        [program, str(REQUEST_BYTES), str(count)], capture_output=True, text=True, check=True
    )
    cpu, wall = map(float, done.stdout.split())
    return cpu, 1e6 / wall


@contextmanager
def answering(bot: Path) -> Iterator[tuple[int, int, bytes]]:
    """The pipes of a C bot, and a line that it answers."""
    launch = launch_file(bot)
    assert isinstance(launch, Launch)
    padding = "x" * (REQUEST_BYTES - 60)
    line = msgspec.json.encode({"type": "request", "id": 1, "legal": ["G11"], "view": padding}) + b"\n"
    with subprocess.Popen(launch.argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        yield child.stdin.fileno(), child.stdout.fileno(), line
        child.stdin.close()


def blocking(bot: Path, count: int) -> Figures:
    with answering(bot) as (down, up, line):
        cpu, wall = time.process_time(), time.perf_counter()
        for _ in range(count):
            os.write(down, line)
            os.read(up, 4096)
        return (time.process_time() - cpu) / count * 1e6, count / (time.perf_counter() - wall)


def trio_streams(bot: Path, count: int) -> Figures:
    async def ask(down: int, up: int, line: bytes) -> Figures:
        async with (
            trio.lowlevel.FdStream(os.dup(down)) as writing,
            trio.lowlevel.FdStream(os.dup(up)) as reading,
        ):
            cpu, wall = time.process_time(), time.perf_counter()
            for _ in range(count):
                with trio.fail_after(1):
                    await writing.send_all(line)
                    await reading.receive_some(4096)
            return (time.process_time() - cpu) / count * 1e6, count / (time.perf_counter() - wall)

    with answering(bot) as (down, up, line):
        figures = trio.run(ask, down, up, line)
        os.set_blocking(down, True)
    return figures


def stages(bot: Path, count: int) -> dict[str, list[tuple[float, float, float]]]:
    """The share of each stage, in percent of the time that the profiler sees."""
    profile = cProfile.Profile()
    profile.enable()
    matches("sticheln", bot, count=count, deals=1, keep_bots=True)
    profile.disable()
    found: Any = pstats.Stats(profile)
    shares = {
        stage: 100
        / found.total_tt
        * sum(
            seconds
            for (file, _, name), (_, _, _, seconds, _) in found.stats.items()
            if name in names and file.endswith(STAGE_FILES)
        )
        for stage, names in STAGES.items()
    }
    shares["all else"] = 100 - sum(shares.values())
    return {stage: [(share,) * 3] for stage, share in shares.items()}


def print_all(runs: int, scale: float, folder: Path) -> None:
    """`scale`: of the usual number of matches."""
    if hasattr(os, "sched_setaffinity"):
        before = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {min(before)})  # as a worker: one core, and its bots on it
    count, trips = max(2, round(20 * scale)), max(200, round(20_000 * scale))
    found, pingpong = bots(folder, scale), compiled("pingpong", folder)
    ways = {
        "floor: C ping-pong": lambda: c_pingpong(pingpong, trips),
        "floor: blocking Python": lambda: blocking(found["C"], trips),
        "floor: trio streams, fail_after": lambda: trio_streams(found["C"], trips),
    }
    for language, bot in found.items():
        for how, matches_of_it in (("kept", count), ("fresh", max(2, count // 5))):
            ways[f"sticheln, {language}, {how}"] = partial(
                matches, "sticheln", bot, count=matches_of_it, deals=SEATS, keep_bots=how == "kept"
            )
    heads = ["referee CPU µs", "decisions/s"]
    show("one decision on one core, matches of four deals", heads, interleaved(ways, runs))
    echo, threaded = found["C"], compiled("echo", folder, "threaded")
    beside = {
        f"{game.id}, {seats} seats": partial(beside_floors, game.id, echo, seats, count, echo)
        for game in GAMES.values()
        for seats in (game.seats[0], SEATS, game.seats[-1])
    } | {
        f"sticheln, 4 seats, {how}": partial(beside_floors, "sticheln", bot, SEATS, count, echo, **settings)
        for how, bot, settings in (
            ("bwrap", echo, {"sandbox": Sandbox(Level.BWRAP)}),
            ("no sandbox", echo, {"sandbox": Sandbox(Level.NONE)}),
            ("cgroup frozen", threaded, {}),
            ("pondering", echo, {"ponder": True}),
        )
    }
    heads = ["referee CPU µs", "× minimal loop", "× blocking", "decisions/s"]
    title = "one decision on one core, kept C bots, frozen by a signal to their group at level rlimits"
    show(title, heads, interleaved(beside, runs), [1, 2, 1, 0])
    afresh = {
        f"sticheln, {language}": partial(fresh, bot, max(2, count // 4)) for language, bot in found.items()
    }
    heads = ["ms from `ready` on", "ms until then", "of that spawning"]
    show("a match of four deals, fresh bots: referee's CPU", heads, interleaved(afresh, runs))
    show("stages, by a profiler that makes calls dearer", ["%"], stages(found["C"], count))
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, before)
