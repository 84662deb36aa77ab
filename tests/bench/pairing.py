"""What a Swiss drawing achieves and costs: repeated meetings, how far the scores at a table are apart, and
seconds of CPU a round, in pods of four; large fields at once and in blocks, and 10,000 entrants in a process
of its own; small fields in pods of every size against brute force; and how balanced seatings are.

    python -m tests.bench.pairing [--entrants 8]… [--rounds 10] [--large 10000] [--small 12]

Bots are synthetic. Gaps are in points of the score, of which a round gives 12 at most; they and the repeats
are of rounds 2 and later.
"""

import multiprocessing
import re
import statistics
import time
from collections import Counter
from collections.abc import Iterator
from itertools import combinations, permutations
from pathlib import Path
from typing import NamedTuple

import click
import msgspec

from tests.tournaments.partitions import number_of_partitions, partitions, price
from tests.tournaments.simulated import POD_SIZE, SWISS, Design, play
from tournaments import pairing
from tournaments.explain import explain
from tournaments.formats import Field, house_bots
from tournaments.pairing import meetings
from tournaments.results import Round, Tally, total_scores
from tournaments.seatings import williams_square

MOST_PARTITIONS = 20_000
"""Beyond, nobody waits for brute force."""


class Drawing(NamedTuple):
    """Of one round. met: by how often, how many pairs had met that often before. gap: the mean over all two
    entrants of a pod."""

    field: Field
    pods: Round
    met: Counter[int]
    gap: float
    seconds: float


@click.command()
@click.option("--entrants", "counts", multiple=True, default=(8, 32, 128, 1024), show_default=True)
@click.option("--rounds", default=10, show_default=True)
@click.option("--large", default=10_000, show_default=True, help="Entrants of the largest field; 0 for none.")
@click.option("--small", default=12, show_default=True, help="Entrants of the largest small field.")
def main(counts: tuple[int, ...], rounds: int, large: int, small: int) -> None:
    heads = (
        "entrants",
        "searched",
        "rounds",
        "pairs again",
        "a third time",
        "mean gap",
        "s/round",
        "slowest",
    )
    click.echo("".join(f"{head:>14}" for head in heads))
    for count in counts:
        click.echo(figures(count, rounds, pairing.BLOCK))
    for count, block in ((1024, 256), (2048, 2048), (2048, 1024)) if large else ():
        click.echo(figures(count, min(rounds, 5), block))
    if large:
        with multiprocessing.get_context("spawn").Pool(1) as child:
            click.echo(child.apply(in_a_process_of_its_own, (large, rounds)))
    print_small(small, rounds)
    click.echo(f"\n{'seats':>8} {'seatings':>8}  in each seat  as left neighbour")
    for seats in range(3, 9):
        square = williams_square(seats)
        in_seat = Counter((label, seat) for row in square for seat, label in enumerate(row))
        beside = Counter((row[seat], row[(seat + 1) % seats]) for row in square for seat in range(seats))
        often = [beside[two] for two in permutations(range(seats), 2)]
        each = f"{min(in_seat.values())}–{max(in_seat.values())}"
        click.echo(f"{seats:>8} {len(square):>8}  {each:>12}  {min(often)}–{max(often)}")


def figures(count: int, rounds: int, block: int) -> str:
    """A line on a field that is searched in blocks of at most `block`."""
    usual, pairing.BLOCK = pairing.BLOCK, block
    first, *later = drawings(Design(count, rounds, deals=1))
    pairing.BLOCK = usual
    seconds = [first.seconds, *(drawing.seconds for drawing in later)]
    again = sum((drawing.met for drawing in later), Counter[int]())
    cells = (
        count,
        "at once" if count <= block else f"by {block}",
        rounds,
        again[1],
        sum(again.values()) - again[0] - again[1],
        f"{statistics.fmean(drawing.gap for drawing in later):.3f}",
        f"{statistics.fmean(seconds):.3f}",
        f"{max(seconds):.3f}",
    )
    return "".join(f"{cell:>14}" for cell in cells)


def in_a_process_of_its_own(count: int, rounds: int) -> str:
    line = figures(count, rounds, pairing.BLOCK)
    peak = peak_mb()
    *_, last = drawings(Design(count, 3, deals=1))
    begun = time.process_time()
    explain(last.field, last.pods)
    explained = time.process_time() - begun
    whole = peak_mb()
    return f"{line}  {peak} MB at most; a round explained: {explained:.1f} s, {whole} MB"


def peak_mb() -> int:
    """Not from getrusage, which goes on from what the parent used."""
    (line,) = re.findall(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    return int(line) // 1024


def drawings(design: Design, pod_size: int = POD_SIZE) -> Iterator[Drawing]:
    """Of one tournament."""
    strength = design.strengths(1) | dict.fromkeys(house_bots(design.entrants, pod_size), 0.0)
    field = Field(design.names, pod_size, design.rounds, "1", (), ())
    for round_no in range(1, design.rounds + 1):
        begun = time.process_time()
        pods = SWISS.draw(field)
        seconds = time.process_time() - begun
        assert pods is not None
        scores, met = total_scores(field.results), meetings(field.drawn, design.names)
        known = set(design.names)
        pairs = [two for pod in pods for two in combinations(sorted(known.intersection(pod)), 2)]
        gap = statistics.fmean(abs(scores[one] - scores[other]) / 2 for one, other in pairs)
        yield Drawing(field, pods, Counter(met.get(two, 0) for two in pairs), gap, seconds)
        results = tuple(
            result
            for pod_no, pod in enumerate(pods, start=1)
            for result in play((round_no, pod_no), pod, strength, "1", deals=design.deals)
        )
        field = msgspec.structs.replace(field, drawn=(*field.drawn, pods), results=field.results + results)


def print_small(most: int, rounds: int) -> None:
    """Every field that does not fit into one pod: how many pairs have met how often in the end, the fewest
    and the most house bots that an entrant met, and how many later rounds no partition is cheaper than."""
    click.echo(
        f"\n{rounds} rounds\n{'entrants':>8} {'pods of':>8} {'house bots':>11}  as cheap as any   pairs"
    )
    for pod_size in range(2, 9):
        for count in range(max(5, pod_size + 1), most + 1):
            rows = list(drawings(Design(count, rounds, deals=1), pod_size))
            drawn = [row.pods for row in rows]
            names = rows[0].field.entrants
            house = Tally.of(drawn).house_met
            in_all = [house.get(name, 0) for name in names]
            met = meetings(drawn, names)
            often = Counter(met.get(two, 0) for two in combinations(names, 2))
            click.echo(
                f"{count:>8} {pod_size:>8} {f'{min(in_all)}–{max(in_all)}':>11}  {optimal(rows[1:]):>15}   "
                + ", ".join(f"{often[times]} met {times} ×" for times in sorted(often))
            )


def optimal(rows: list[Drawing]) -> str:
    """How many are as cheap as any other partition; – where there are too many of these."""
    names = [name for pod in rows[0].pods for name in pod]
    size = len(rows[0].pods[0])
    if number_of_partitions(len(names), size) > MOST_PARTITIONS:
        return "–"
    every = list(partitions(tuple(sorted(names)), size))
    found = 0
    for row in rows:
        scores = dict(total_scores(row.field.results))
        of_pod = {pod: price((pod,), row.field.drawn, scores) for pod in combinations(sorted(names), size)}
        least = min(
            [sum(part) for part in zip(*[of_pod[pod] for pod in pods], strict=True)] for pods in every
        )
        found += price(row.pods, row.field.drawn, scores) == least
    return f"{found} of {len(rows)}"


if __name__ == "__main__":
    main()
