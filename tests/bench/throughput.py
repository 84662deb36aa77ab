"""How much all cores play: workers without and with a journal, whether time grows as the matches do, and how
much memory the director takes.

    python -m tests.bench.throughput MATCHES    one tournament in a process of its own, for its memory
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import msgspec
import trio

from arena.cores import allowed, claimed
from arena.director import run
from arena.job import Finished, Report
from arena.journal import Created, Entry, Journal, Played
from arena.pool import Pool
from protocol.messages import Limits
from tests.bench.decisions import REQUEST_BYTES, decisions_of, job
from tests.bench.figures import SEATS, Figures, bots, compiled, entrants, interleaved, show

FIELD = 16
"""Entrants of the tournament: their processes are as many as one worker keeps."""
MATCHES_OF_A_ROUND = FIELD

WAYS: dict[str, tuple[int, dict[str, bool]]] = {
    "kept": (250, {"keep_bots": True}),
    "kept, pondering": (250, {"keep_bots": True, "ponder": True}),
    "fresh": (40, {}),
}
"""How bots are treated: so many matches, and the settings of their jobs."""


def c_pingpongs(program: Path, cores: list[int], count: int) -> Figures:
    """Round trips a second of one C ping-pong on each of these cores at the same time: what a second core is
    worth here, since two may be one that is shared."""
    before, running = os.sched_getaffinity(0), []
    for core in cores:
        os.sched_setaffinity(0, {core})
        argv = [program, str(REQUEST_BYTES), str(count)]
        running.append(subprocess.Popen(argv, stdout=subprocess.PIPE, text=True))
    os.sched_setaffinity(0, before)
    return (sum(1e6 / float(pingpong.communicate()[0].split()[1]) for pingpong in running),)


def pool_of(workers: int, bot: Path, count: int, **settings: bool) -> Figures:
    """Matches and decisions a second of so many workers, without a director. What starts processes comes
    before the clock."""
    jobs = [
        msgspec.structs.replace(job("sticheln", bot, number, SEATS, **settings), match_id=str(number))
        for number in range(count)
    ]

    async def play(cores: list[int]) -> Figures:
        logs: list[str] = []

        def done(report: Report) -> None:
            assert isinstance(report, Finished), report
            logs.append(report.log)

        async with Pool(workers, cores) as pool:
            await pool.play_all(jobs[: 4 * workers], workers, done)
            logs.clear()
            begun = time.perf_counter()
            await pool.play_all(jobs, workers, done)
            seconds = time.perf_counter() - begun
        return count / seconds, sum(map(decisions_of, logs)) / seconds

    with claimed(workers) as cores:
        return trio.run(play, cores)


def tournament(matches: int, bot: Path, folder: Path) -> tuple[list[float], int]:
    """When each match of a tournament of one-deal matches was on the disk, in seconds, and the director's
    memory in MB."""
    created = Created(
        arena="bench",
        seed="7",
        game="sticheln",
        rules=1,
        options={},
        format="swiss",
        rounds=-(-matches // MATCHES_OF_A_ROUND),
        pod_size=SEATS,
        duplicates=True,
        deals=1,
        limits=Limits(),
        faults=1,
        entrants=entrants(bot, FIELD),
        left_out=(),
        keep_bots=True,
    )
    times: list[float] = []

    def told(entry: Entry) -> None:
        if isinstance(entry, Played):
            times.append(time.perf_counter() - begun)

    with Journal.create(folder / f"run-{matches}", created) as journal, claimed(len(allowed())) as cores:
        begun = time.perf_counter()
        trio.run(run, journal, len(allowed()), told, None, None, cores)
    return times, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def doublings(first: int, last: int) -> Iterator[int]:
    """Below `last`."""
    while first < last:
        yield first
        first *= 2


def in_a_process(matches: int) -> tuple[list[float], int]:
    argv = [sys.executable, "-m", "tests.bench.throughput", str(matches)]
    done = subprocess.run(argv, capture_output=True, check=True)
    return msgspec.json.decode(done.stdout, type=tuple[list[float], int])


def print_all(runs: int, scale: float, folder: Path) -> None:
    """`scale`: of the usual number of matches."""
    found, cores = bots(folder, scale), len(allowed())
    if hasattr(os, "sched_setaffinity"):
        pingpong, trips = compiled("pingpong", folder), max(200, round(100_000 * scale))
        floors = {
            f"floor: C ping-pong, {count} core{'s' * (count > 1)}": lambda count=count: c_pingpongs(  # type: ignore[misc]
                pingpong, allowed()[:count], trips
            )
            for count in dict.fromkeys((1, cores))
        }
        show("what a second core is worth", ["round trips/s"], interleaved(floors, runs), digits=0)
    ways: dict[str, Callable[[], Figures]] = {}
    for language, bot in found.items():
        for workers in dict.fromkeys((1, cores)):
            for how, (count, settings) in WAYS.items():
                ways[f"{language}, {how}, {workers} worker{'s' * (workers > 1)}"] = partial(
                    pool_of, workers, bot, max(8, round(count * scale)), **settings
                )
    show("workers, matches of four deals, no journal", ["matches/s", "decisions/s"], interleaved(ways, runs))
    most = max(100, round(10_000 * scale))
    times, memory = in_a_process(most)
    print(f"\na tournament of {most} matches of one deal, kept C bots, with its journal")
    print(f"{'matches':>16}{'seconds':>10}{'ms a match since the line above':>34}")
    before = 0
    for at in [*doublings(100, len(times)), len(times)]:
        since = (times[at - 1] - (times[before - 1] if before else 0)) / (at - before) * 1e3
        print(f"{at:>16,}{times[at - 1]:>10.2f}{since:>34.2f}")
        before = at
    print(f"memory of the director: {in_a_process(100)[1]} MB with 100 matches, {memory} MB with {most}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        measured = tournament(int(sys.argv[1]), bots(Path(name))["C"], Path(name))
        sys.stdout.write(msgspec.json.encode(measured).decode())
