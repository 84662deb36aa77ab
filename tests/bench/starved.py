"""How much longer honest bots take because of what one beside them has begun in its own turn, meant to go on
while it is stopped; beside what two matches without it differ by.

Each row is pairs of matches, taken in turns: the same program (storm.c) without its storm and with it. With
it, the honest bots have to answer within 50 ms, and how often they do not is counted. Means are medians over
the pairs; lateness, excess and being thrown out are the most that was seen in one.
"""

import statistics
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

import msgspec
import trio

from arena.entrants.digest import digest
from arena.log.entries import Acted, Faulted, Overspent, parse
from arena.log.settings import MatchSettings
from arena.playing.job import Entrant, Finished, Job, Report
from arena.playing.pool import play_all
from arena.process.cgroup import home_of_groups
from arena.process.cores import claimed
from arena.process.launch import Launch, launch_file
from arena.process.sandbox import Sandbox, choose
from protocol.faults import FaultKind
from protocol.messages import Limits
from protocol.streams import pod_key
from tests.bench.figures import HERE, Figures, compiled, interleaved

STORMS: Final = (
    "calm",
    "thirty helpers",
    "thirty helpers, ended",
    "200 sleeping processes",
    "200 sleeping threads",
    "forks",
    "pipes and signals",
    "page faults and madvise",
    "futex wakes",
    "memory bandwidth",
    "a large child ends",
    "10,000 sockets closed",
    "TCP, full",
    "TCP, kept alive",
    "TCP, paced",
    "TCP, unanswered",
)
"""As storm.c names them. The first is none: what two honest runs differ by."""
CHEAT: Final = 0
HONEST: Final[Mapping[int, str]] = {1: "C", 2: "Python", 3: "C"}
DEALS: Final = 16
QUICK: Final = Limits(start_ms=20_000, decision_ms=50, bank_ms=0)
PATIENT: Final = Limits(start_ms=20_000, decision_ms=5000, bank_ms=0)
"""The cheat's own."""


class Seen(NamedTuple):
    """µs a decision of the honest bots, as long as the cheat was there; how often one of them was late, the
    seconds of excess that were noted, and whether the cheat was thrown out."""

    c: float
    python: float
    late: int
    excess: float
    out: bool


def job(program: Path, storm: str, deals: int, sandbox: Sandbox) -> Job:
    def seat(name: str, path: Path, *words: str) -> Entrant:
        launch = launch_file(path)
        assert isinstance(launch, Launch), launch
        launch = msgspec.structs.replace(launch, argv=(*launch.argv, *words))
        return Entrant(name, launch, digest([path]), limits=PATIENT if words else None)

    programs = {"C": program.parent / "echo", "Python": HERE / "thinker.py"}
    honest = (seat(f"honest-{number}", programs[language]) for number, language in HONEST.items())
    bots = (seat("cheat", program, storm), *honest)
    key = pod_key("7", 0, 0)
    settings = MatchSettings(
        game="sticheln", options={}, deals=deals, limits=QUICK, faults=1000, sandbox=sandbox
    )
    return Job("starved", key, 1, bots, settings)


def seen(log: str) -> Seen:
    spent: dict[str, list[int]] = {"C": [], "Python": []}
    late, excess, out = 0, 0.0, False
    for entry in parse(log.encode()):
        # Of one that was thrown out before it was asked, the rest of the match is all that there is.
        there = not out or not all(spent.values())
        match entry:
            case Acted(seat=seat) if seat in HONEST and there and not entry.by_substitute:
                spent[HONEST[seat]].append(entry.us)
            case Faulted(seat=seat, kind=FaultKind.TIMEOUT) if seat in HONEST and there:
                late += 1
                spent[HONEST[seat]].append(entry.us)
            case Faulted(seat=seat, forfeits=True) if seat == CHEAT:
                out = True
            case Overspent(seat=seat, us=us) if seat == CHEAT:
                excess = us / 1e6
    return Seen(statistics.fmean(spent["C"]), statistics.fmean(spent["Python"]), late, excess, out)


def played(task: Job) -> Seen:
    """By a worker with a core of its own, as in a tournament."""
    reports: list[Report] = []
    with claimed(1) as cores:
        trio.run(partial(play_all, [task], 1, reports.append, cores=cores))
    (report,) = reports
    assert isinstance(report, Finished), report
    return seen(report.log)


def pair(program: Path, storm: str, deals: int, sandbox: Sandbox) -> Figures:
    without, beside = (played(job(program, name, deals, sandbox)) for name in (STORMS[0], storm))
    return tuple(_figures(without, beside))


def _figures(without: Seen, beside: Seen) -> Iterator[float]:
    for alone, then in ((without.c, beside.c), (without.python, beside.python)):
        yield from (alone, then, 100 * (then / alone - 1))
    yield from (beside.late, beside.excess, beside.out)


def print_all(runs: int, scale: float, folder: Path) -> None:
    """`scale`: of the usual number of deals."""
    folder.chmod(0o755)
    compiled("echo", folder)
    program = compiled("storm", folder)
    level, _ = choose(None)
    deals = max(1, round(DEALS * scale))
    ways = {storm: partial(pair, program, storm, deals, Sandbox(level)) for storm in STORMS}
    grouped = "with control groups" if home_of_groups() else "without control groups"
    print(f"\nµs of an honest decision alone and beside a storm, level {level}, {grouped}, {runs} pairs")
    heads = [f"{language}: {head}" for language in ("C", "Python") for head in ("alone", "beside", "more %")]
    print(f"{'':24}{''.join(f'{head:>17}' for head in heads)}   late  excess s  out")
    for storm, figures in interleaved(ways, runs).items():
        medians = [middle for middle, _, _ in figures]
        cells = [f"{us:,.0f}" for us in medians[:6]]
        for at in (2, 5):
            cells[at] = f"{medians[at]:+.1f} ({figures[at][1]:+.0f}…{figures[at][2]:+.0f})"
        late, excess, out = (most for _, _, most in figures[6:])
        print(f"{storm:24}{''.join(f'{cell:>17}' for cell in cells)}{late:7.0f}{excess:10.2f}{out:5.0f}")
