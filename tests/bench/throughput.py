"""How much all cores play, and how much more than one; whether the time of a tournament grows as its matches
do, and how much memory its director takes.

    python -m tests.bench.throughput MATCHES    one tournament in a process of its own, for its memory
"""

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import msgspec
import trio

from arena.director.director import run
from arena.director.entries import Created, JournalEntry, MatchPlayed
from arena.director.journal import Journal
from arena.games import GAMES
from arena.playing.job import Finished, Report
from arena.playing.pool import Pool
from arena.process.cores import claimed
from arena.system.processors import allowed
from protocol.messages import Limits
from tests.bench.decisions import REQUEST_BYTES, decisions_of, job
from tests.bench.figures import SEATS, Figures, bots, compiled, entrants, interleaved, show, spreads

FIELD = 16
"""Entrants of the tournament: their processes are as many as one worker keeps."""
MATCHES_OF_A_ROUND = FIELD
STARTING_ROUNDS = 10
"""In each of them every process is needed once, by any worker: afterwards two have them all, but for one in a
thousand."""

WAYS: dict[str, tuple[int, dict[str, bool]]] = {
    "kept": (250, {"keep_bots": True}),
    "kept, pondering": (250, {"keep_bots": True, "ponder": True}),
    "fresh": (40, {}),
}
"""How bots are treated: so many matches, and the settings of their jobs."""


def c_pingpongs(program: Path, cores: list[int], count: int) -> float:
    """Round trips a second of one C ping-pong on each of these cores at the same time: what a second core is
    worth here, since two may be one that is shared."""
    before, running = os.sched_getaffinity(0), []
    for core in cores:
        os.sched_setaffinity(0, {core})
        argv = [program, str(REQUEST_BYTES), str(count)]
        running.append(subprocess.Popen(argv, stdout=subprocess.PIPE, text=True))
    os.sched_setaffinity(0, before)
    return sum(1e6 / float(pingpong.communicate()[0].split()[1]) for pingpong in running)


def one_and_all(measure: Callable[[int], float]) -> Figures:
    """What so many cores reach: one, all of them, all to one; taken right after each other."""
    one, together = measure(1), measure(len(allowed()))
    return one, together, together / one


def pool_of(game: str, bot: Path, count: int, settings: dict[str, bool], workers: int) -> float:
    """Decisions a second of so many workers, without a director. What starts processes comes before the
    clock."""
    jobs = [
        msgspec.structs.replace(job(game, bot, number, SEATS, **settings), match_id=str(number))
        for number in range(count)
    ]

    async def play(cores: list[int]) -> float:
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
        return sum(map(decisions_of, logs)) / seconds

    with claimed(workers) as cores:
        return trio.run(play, cores)


def tournament(matches: int, bot: Path, folder: Path) -> tuple[list[float], int]:
    """When each of so many matches of one deal was on the disk, in seconds from the moment at which all
    processes had been started; and the director's memory in MB."""
    starting = max(
        1, min(STARTING_ROUNDS, matches // 1000)
    )  # Few matches are measured for their memory only.
    created = Created(
        arena="bench",
        seed="7",
        game="sticheln",
        rules=1,
        options={},
        format="swiss",
        rounds=starting - (-matches // MATCHES_OF_A_ROUND),
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

    def on_entry(entry: JournalEntry) -> None:
        if isinstance(entry, MatchPlayed):
            times.append(time.perf_counter())

    with Journal.create(folder / f"run-{matches}", created) as journal, claimed(len(allowed())) as cores:
        trio.run(run, journal, len(allowed()), on_entry, None, None, cores)
    begun, *since = times[starting * MATCHES_OF_A_ROUND - 1 :]
    return [at - begun for at in since], resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def halvings(most: int, least: int) -> list[int]:
    """From the smallest that is `least` or more."""
    return [*(halvings(most // 2, least) if most >= 2 * least else ()), most]


def growth(times: list[float], matches: int) -> Figures:
    """When so many matches were done, and how much longer that took than half as many."""
    return times[matches - 1], times[matches - 1] / times[matches // 2 - 1]


def in_a_process(matches: int) -> tuple[list[float], int]:
    argv = [sys.executable, "-m", "tests.bench.throughput", str(matches)]
    done = subprocess.run(argv, capture_output=True, check=True)
    return msgspec.json.decode(done.stdout, type=tuple[list[float], int])


def print_all(runs: int, scale: float, folder: Path) -> None:
    """`scale`: of the usual number of matches."""
    found = bots(folder, scale)
    heads, digits = ["one core", "all", "all to one"], [0, 0, 2]
    if hasattr(os, "sched_setaffinity"):
        pingpong, trips = compiled("pingpong", folder), max(200, round(100_000 * scale))
        floor = partial(one_and_all, lambda count: c_pingpongs(pingpong, allowed()[:count], trips))
        rows = interleaved({"floor: C ping-pong": floor}, runs)
        show(f"round trips a second, {len(allowed())} cores", heads, rows, digits)
    ways = {
        f"{language}, {how}": partial(
            one_and_all, partial(pool_of, "sticheln", bot, max(8, round(count * scale)), settings)
        )
        for language, bot in found.items()
        for how, (count, settings) in WAYS.items()
    } | {
        f"{game}, C, {how}": partial(
            one_and_all, partial(pool_of, game, found["C"], max(8, round(count * scale)), settings)
        )
        for game in GAMES
        if game != "sticheln"
        for how, (count, settings) in WAYS.items()
        if how != "fresh"
    }
    show("decisions a second, a worker a core", heads, interleaved(ways, runs), digits)
    least, most = (max(8, round(matches * scale)) for matches in (100, 10_000))
    tournaments = [in_a_process(most) for _ in range(runs)]
    steps = {
        f"{matches:,} matches": spreads(growth(times, matches) for times, _ in tournaments)
        for matches in halvings(most, least)
    }
    title = f"a tournament of {most:,} matches of one deal, kept C bots, with its journal"
    show(title, ["seconds", "to half as many"], steps, [2, 2])
    few, many = in_a_process(least)[1], statistics.median(memory for _, memory in tournaments)
    print(f"memory of the director: {few} MB with {least} matches, {many} MB with {most:,}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        measured = tournament(int(sys.argv[1]), bots(Path(name))["C"], Path(name))
        sys.stdout.write(msgspec.json.encode(measured).decode())
