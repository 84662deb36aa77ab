"""Whether tournaments keep a deadline: `python -m tests.bench.deadlines`. Ten of them, with bots of different
pace, and what was expected after each round against what came.
"""

import re
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import click

import arena
from arena.director.journal import Journal
from arena.director.state import Record
from tests.support.programs import Program

PACES: Final = {"fast": (0.0,) * 8, "50 ms": (0.05,) * 8, "mixed": (0.0,) * 5 + (0.02, 0.05, 0.1)}
TRIES: Final = (
    ("fast", 1.0),
    ("fast", 1.5),
    ("fast", 2.0),
    ("50 ms", 1.0),
    ("50 ms", 2.0),
    ("50 ms", 3.0),
    ("mixed", 1.0),
    ("mixed", 1.5),
    ("mixed", 2.0),
    ("mixed", 3.0),
)
_ROUND: Final = re.compile(r"round (\d+) of about (\d+)")


class Said(NamedTuple):
    """What was expected when a round began: how many rounds there will be, and the end, in seconds from the
    begin."""

    round_no: int
    begun: float
    rounds: int
    ends: float


class Kept(NamedTuple):
    """A tournament with a deadline: what was `said` before each round, and what came. `seconds` is all of it,
    from the call to the table. `cut_off`: pods that did not end in time."""

    said: tuple[Said, ...]
    rounds: int
    seconds: float
    cut_off: int


def bots(folder: Path, pace: str) -> Iterator[str]:
    """Programs that take the times of this pace for each decision."""
    for number, seconds in enumerate(PACES[pace]):
        path = folder / f"bot{number}.py"
        path.write_text(Program(asked=f"time.sleep({seconds})").source() + f"\n# {number}\n")
        yield str(path)


def kept(folder: Path, pace: str, minutes: float, jobs: int) -> Kept:
    """Plays a tournament by the clock, in processes of its own."""
    said: dict[int, Said] = {}
    begun = time.monotonic()

    def heard(progress: arena.Progress) -> None:
        found, now = _ROUND.search(progress.text), time.monotonic() - begun
        if found and progress.seconds_left is not None and (round_no := int(found[1])) not in said:
            said[round_no] = Said(round_no, now, int(found[2]), now + progress.seconds_left)

    run = folder / "run"
    entered = list(bots(folder, pace))
    arena.tournament(entered, deals=1, minutes=minutes, jobs=jobs, out=run, on_progress=heard)
    seconds = time.monotonic() - begun
    with Journal(run) as journal:
        record = Record(journal.entries)
    return Kept(tuple(said.values()), len(record.drawn), seconds, len(record.cut_off))


@click.command()
@click.option("--jobs", default=1, show_default=True, help="Matches at a time.")
@click.option("--rows", default=6, show_default=True, help="Rounds that are shown of each tournament.")
@click.option("--every", default="1/1", help="K/N: the K-th of N parts of the tries.")
def main(jobs: int, rows: int, every: str) -> None:
    """Print for each tournament what was expected and what came."""
    part, parts = map(int, every.split("/"))
    print("late: seconds from the deadline to the end of the call, which also prepares and judges")
    for pace, minutes in TRIES[part - 1 :: parts]:
        with tempfile.TemporaryDirectory() as folder:
            found = kept(Path(folder), pace, minutes, jobs)
        late = found.seconds - 60 * minutes
        print(
            f"\n{pace}, {minutes:g} min: {found.rounds} rounds, {late:+.1f} s late, "
            f"{found.cut_off} pods cut off"
        )
        step = max(1, -(-len(found.said) // rows))
        for one in found.said[::step]:
            print(
                f"  round {one.round_no:2} at {one.begun:5.1f} s: expected {one.rounds:2} rounds, "
                f"end at {one.ends:5.1f} s; came {found.rounds:2}, {found.seconds:5.1f} s",
                flush=True,
            )


if __name__ == "__main__":
    main()
