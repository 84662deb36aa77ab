"""How long an author waits: from an empty folder to a board, and from a version that is sent to a league that
is being played to its number.

    python -m tests.bench.league_latency [NEWCOMERS]

Prints seconds: until six bots of three authors have a number; then for each newcomer, one at a time, until it
was received, checked, had a first number with an interval, and an interval of ±2 gains.
"""

import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from arena.calls.league import read
from arena.league.carried import CURRENT
from arena.league.state import State
from tests.cli.calls import ROOT, arena

BOARD = "sticheln:4"
SIX = {"red": ("greedy", "careful"), "blue": ("modest", "counter"), "green": ("dreamer", "random")}
GAINS = 2.0
PATIENCE_SECONDS = 900.0


def half_width(state: State, version: str) -> float | None:
    """Of its interval; None before it has one."""
    found = state.numbers[BOARD].strengths([version]).get(version)
    return None if found is None or found.low is None else found.strength - found.low


def after(begun: float, league: Path, so: Callable[[State], bool]) -> float:
    """The seconds since then when it is so."""
    while not so(read(league)):
        assert time.monotonic() - begun < PATIENCE_SECONDS, "it did not come to that"
        time.sleep(0.2)
    return time.monotonic() - begun


def main() -> None:
    """Print the figures."""
    newcomers = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    bots = {path.stem: path for path in (ROOT / "bots").iterdir()}
    with tempfile.TemporaryDirectory() as folder:
        league = Path(folder) / "league"
        begun = time.monotonic()
        arena("league", "new", league, "--board", BOARD)
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
            print(f"and an interval after {sure:.0f} s")
            for number in range(1, newcomers + 1):
                newcomer(league, Path(folder), bots["careful"], number)
        finally:
            daemon.terminate()
            daemon.wait()
        print(f"{read(league).last_draw} draws")


def newcomer(league: Path, folder: Path, program: Path, number: int) -> None:
    """Send one version, and print how long it takes."""
    sent = folder / f"new-{number}.py"
    shutil.copy(program, sent)
    sent.write_text(f"{sent.read_text()}\n# {number}\n")
    version, begun = f"red/new-{number}@1", time.monotonic()
    adding = subprocess.Popen(
        [sys.executable, "-P", "-m", "arena", "league", "add", str(league), str(sent), "--author", "red"],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    received = after(begun, league, lambda state: version in state.versions)
    checked = after(begun, league, lambda state: state.versions[version].status == CURRENT)
    known = after(begun, league, lambda state: half_width(state, version) is not None)
    narrow = after(begun, league, lambda state: (half_width(state, version) or 99) <= GAINS)
    adding.wait()
    print(f"received {received:.1f}, current {checked:.1f}, interval {known:.1f}, ±2 gains {narrow:.1f} s")


if __name__ == "__main__":
    main()
