"""How long an author waits: from an empty folder to a board, and from a version that is sent to a league that
is being played to its number.

    python -m tests.bench.league_latency [--newcomers 20] [--versions 50] [--think 50]

Prints seconds: until six bots of three authors have a number; then, with so many versions on the board, for
each newcomer, one at a time, until it was received, checked, had a first number with an interval, and an
interval of ±2 gains, with the median and the 95 % point of each. The others are copies of the six, of ten
authors, and are given time to be placed before the first newcomer is sent. Also until a newcomer's first pod
began, and what the league had promised for that. With `--think` all are a bot that takes so many milliseconds
for a decision.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import click
import numpy as np

from arena.commands.league import read
from arena.league.carried import CURRENT
from arena.league.state import LeagueState
from arena.league.tables import forecast
from tests.cli.calls import ROOT, arena

BOARD: Final = "sticheln:4"
SIX: Final = {"red": ("greedy", "careful"), "blue": ("modest", "counter"), "green": ("dreamer", "random")}
AUTHORS: Final = 10
"""Of the crowd."""
ANSWERS: Final = "    print("
"""Where greedy.py says something."""
GAINS: Final = 2.0
PATIENCE_SECONDS: Final = 1800.0


def half_width(state: LeagueState, version: str) -> float | None:
    """Of its interval; None before it has one."""
    found = state.numbers[BOARD].strengths([version]).get(version)
    return None if found is None or found.low is None else found.strength - found.low


def after(begun: float, league: Path, so: Callable[[LeagueState], bool]) -> float:
    """The seconds since then when it is so."""
    while not so(read(league)):
        assert time.monotonic() - begun < PATIENCE_SECONDS, "it did not come to that"
        time.sleep(0.2)
    return time.monotonic() - begun


class Waits(NamedTuple):
    """Seconds since a newcomer was sent."""

    received: float
    current: float
    first_pod: float
    interval: float
    narrow: float
    promised: float
    """From `current` to `first_pod`, at most."""


@click.command()
@click.option("--newcomers", default=20, show_default=True)
@click.option("--versions", default=50, show_default=True, help="On the board before them, 6 at least.")
@click.option("--think", default=0, show_default=True, help="Milliseconds of a bot for a decision.")
def main(newcomers: int, versions: int, think: int) -> None:
    """Print the figures."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        bots = {path.stem: thoughtful(path, folder, think) for path in (ROOT / "bots").iterdir()}
        league = folder / "league"
        begun = time.monotonic()
        arena("league", "new", league, "--board", BOARD, "--time", f"{50 + 2 * think}ms+1s")
        for author, names in SIX.items():
            arena("league", "author", league, author)
            for name in names:
                print(arena("league", "add", league, bots[name], "--author", author).out.strip())
        print(f"six bots are in after {time.monotonic() - begun:.0f} s")
        daemon = subprocess.Popen(
            [sys.executable, "-P", "-m", "arena", "league", "run", str(league)],
            cwd=ROOT,
            stderr=subprocess.DEVNULL,
        )
        try:
            six = [f"{author}/{name}@1" for author, names in SIX.items() for name in names]
            some = after(begun, league, lambda state: len(state.numbers[BOARD].strengths(six)) >= len(six))
            print(f"all six have a number after {some:.0f} s")
            sure = after(begun, league, lambda state: all(half_width(state, one) for one in six))
            print(f"and an interval after {sure:.0f} s", flush=True)
            crowd(league, folder, list(bots.values()), versions - len(six))
            print(
                f"{len(read(league).ranked(BOARD))} versions play on the board, anchors included", flush=True
            )
            waits = [newcomer(league, folder, bots["careful"], number) for number in range(1, newcomers + 1)]
        finally:
            daemon.terminate()
            daemon.wait()
        for name, seconds in zip(Waits._fields, zip(*waits, strict=True), strict=True):
            middle, late = np.quantile(seconds, (0.5, 0.95))
            print(f"{name:<9} p50 {middle:5.1f}, p95 {late:5.1f} s")
        kept = sum(one.first_pod - one.current <= one.promised for one in waits)
        print(f"a first pod began when it was promised: {kept} of {len(waits)}")
        print(f"{read(league).last_draw} draws")


def thoughtful(program: Path, folder: Path, think: int) -> Path:
    """The program, or one that thinks so many milliseconds."""
    if not think:
        return program
    (folder / "slow").mkdir(exist_ok=True)
    slow = folder / "slow" / f"{program.stem}.py"
    fast = (ROOT / "bots" / "greedy.py").read_text()
    slow.write_text("import time\n" + fast.replace(ANSWERS, f"    time.sleep({think / 1000})\n{ANSWERS}"))
    return variant(slow, slow)


def variant(program: Path, place: Path) -> Path:
    """A copy of a program that is another one by its digest."""
    place.parent.mkdir(exist_ok=True)
    mark = "//" if program.suffix == ".js" else "#"
    place.write_text(f"{program.read_text()}\n{mark} {place.stem}\n")
    place.chmod(program.stat().st_mode)
    return place


def crowd(league: Path, folder: Path, programs: Sequence[Path], count: int) -> None:
    """Send so many versions, and wait until each has an interval."""
    begun = time.monotonic()
    sent = []
    for number in range(count):
        author = f"author-{number % AUTHORS}"
        if number < AUTHORS:
            arena("league", "author", league, author)
        program = programs[number % len(programs)]
        copy = variant(program, folder / "crowd" / f"bot-{number}{program.suffix}")
        arena("league", "add", league, copy, "--author", author)
        sent.append(f"{author}/bot-{number}@1")
    after(begun, league, lambda state: all(half_width(state, one) for one in sent))
    print(f"{count} more have an interval {time.monotonic() - begun:.0f} s after the first was sent")


def newcomer(league: Path, folder: Path, program: Path, number: int) -> Waits:
    """Send one version, and print how long it takes."""
    sent = variant(program, folder / "new" / f"new-{number}{program.suffix}")
    version, begun = f"red/new-{number}@1", time.monotonic()
    promised = forecast(read(league), BOARD).newcomer_waits
    assert promised is not None
    adding = subprocess.Popen(
        [sys.executable, "-P", "-m", "arena", "league", "add", str(league), str(sent), "--author", "red"],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )

    def drawn(state: LeagueState) -> bool:
        return any(version in draw.versions for draw in state.draws.values())

    waits = Waits(
        after(begun, league, lambda state: version in state.versions),
        after(begun, league, lambda state: state.versions[version].status == CURRENT),
        after(begun, league, drawn),
        after(begun, league, lambda state: half_width(state, version) is not None),
        after(begun, league, lambda state: (half_width(state, version) or 99) <= GAINS),
        promised,
    )
    adding.wait()
    print(", ".join(f"{name} {seconds:.1f}" for name, seconds in waits._asdict().items()), "s", flush=True)
    return waits


if __name__ == "__main__":
    main()
