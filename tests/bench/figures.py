"""How figures are taken and shown, and the bots that they are taken with. Knows nothing of what is measured.

Every figure is the median of several runs beside its spread. The runs of what is compared are interleaved, so
that a noisy minute hits all alike. Two ways can be compared on any machine; one by itself needs a quiet one.
"""

import shutil
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from arena.entrants.digest import digest
from arena.entrants.entrant import Entrant
from arena.process.launch import Launch, launch_file

HERE = Path(__file__).parent
SEATS = 4

Figures = tuple[float, ...]
Spread = tuple[float, float, float]
"""The median of several figures, the least and the greatest."""


def compiled(name: str, folder: Path, variant: str = "") -> Path:
    """`variant`: a name that the source looks for."""
    compiler = shutil.which("cc") or sys.exit("no C compiler (cc) on the PATH")
    program = folder / (name + variant)
    defined = [f"-D{variant.upper()}"] if variant else []
    subprocess.run([compiler, "-O2", "-pthread", *defined, "-o", program, HERE / f"{name}.c"], check=True)
    return program


def bots(folder: Path, scale: float = 1) -> dict[str, Path]:
    """By language, the program that echoes legal[0]; compiled ones go to `folder`. Only the fastest where
    little is measured."""
    found = {"C": compiled("echo", folder)}
    if scale == 1:
        found["Python"] = HERE / "echo.py"
    if scale == 1 and shutil.which("node"):
        found["Node"] = HERE / "echo.js"
    return found


def entrants(bot: Path, count: int = SEATS) -> tuple[Entrant, ...]:
    """So many of one program, under different names."""
    launch = launch_file(bot)
    assert isinstance(launch, Launch), launch
    return tuple(Entrant(f"{bot.stem}-{number}", launch, digest([bot])) for number in range(count))


def spreads(runs: Iterable[Figures]) -> list[Spread]:
    """Of each figure over all runs."""
    return [(statistics.median(row), min(row), max(row)) for row in zip(*runs, strict=True)]


def interleaved(ways: Mapping[str, Callable[[], Figures]], runs: int) -> dict[str, list[Spread]]:
    """By way, each of its figures."""
    taken: dict[str, list[Figures]] = {name: [] for name in ways}
    for _ in range(runs):
        for name, measure in ways.items():
            taken[name].append(measure())
    return {name: spreads(figures) for name, figures in taken.items()}


def show(
    title: str,
    heads: Sequence[str],
    rows: Mapping[str, Sequence[Spread]],
    digits: Sequence[int] = (),
) -> None:
    """One line a way: each figure, and from where to where it spreads. `digits` behind the point, by figure;
    one where nothing is said."""
    digits = [*digits, *[1] * (len(heads) - len(digits))]
    widths = [max(16, len(head) + 2) for head in heads]
    named = (f"{head:>{width}}{'spread':>20}" for head, width in zip(heads, widths, strict=True))
    print(f"\n{title}\n{'':34}" + "".join(named))
    for name, figures in rows.items():
        cells = (
            f"{middle:>{width},.{places}f}{f'{least:,.{places}f}–{most:,.{places}f}':>20}"
            for (middle, least, most), width, places in zip(figures, widths, digits, strict=True)
        )
        print(f"{name:34}" + "".join(cells), flush=True)
