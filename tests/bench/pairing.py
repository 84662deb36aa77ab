"""What a Swiss drawing achieves and costs: repeated meetings, how far the scores at a table are apart, and
seconds of CPU a round, in pods of four; and how balanced the seatings of a pod are.

    python -m tests.bench.pairing [--entrants 8]… [--rounds 10]

Bots are synthetic. Gaps are in points of the score, of which a round gives 12 at most; they and the repeats
are of rounds 2 and later.
"""

import statistics
import time
from collections import Counter
from collections.abc import Iterator
from itertools import combinations, permutations
from typing import NamedTuple

import click
import msgspec

from tests.tournaments.simulated import POD_SIZE, SWISS, Design, play
from tournaments.formats import Field
from tournaments.pairing import cost, meetings
from tournaments.results import total_scores
from tournaments.seatings import williams_square


class Drawing(NamedTuple):
    """Of one round. gap: the mean over all two of a pod."""

    repeats: int
    gap: float
    seconds: float


@click.command()
@click.option("--entrants", "counts", multiple=True, default=(8, 32, 128, 1024), show_default=True)
@click.option("--rounds", default=10, show_default=True)
def main(counts: tuple[int, ...], rounds: int) -> None:
    click.echo(f"{'entrants':>8} {'rounds':>7} {'repeats':>8} {'mean gap':>9} {'s/round':>8} {'slowest':>8}")
    for count in counts:
        first, *later = drawings(Design(count, rounds, deals=1))
        seconds = [first.seconds, *(drawing.seconds for drawing in later)]
        click.echo(
            f"{count:>8} {rounds:>7} {sum(drawing.repeats for drawing in later):>8} "
            f"{statistics.fmean(drawing.gap for drawing in later):>9.2f} "
            f"{statistics.fmean(seconds):>8.3f} {max(seconds):>8.3f}"
        )
    click.echo(f"\n{'seats':>8} {'seatings':>8}  in each seat  as left neighbour")
    for seats in range(3, 9):
        square = williams_square(seats)
        in_seat = Counter((label, seat) for row in square for seat, label in enumerate(row))
        beside = Counter((row[seat], row[(seat + 1) % seats]) for row in square for seat in range(seats))
        often = [beside[two] for two in permutations(range(seats), 2)]
        each = f"{min(in_seat.values())}–{max(in_seat.values())}"
        click.echo(f"{seats:>8} {len(square):>8}  {each:>12}  {min(often)}–{max(often)}")


def drawings(design: Design) -> Iterator[Drawing]:
    """Of one tournament."""
    strength = design.strengths(1)
    field = Field(design.names, POD_SIZE, design.rounds, "1", (), ())
    for round_no in range(1, design.rounds + 1):
        begun = time.process_time()
        pods = SWISS.draw(field)
        seconds = time.process_time() - begun
        assert pods is not None
        scores = total_scores(field.results)
        pairs = [two for pod in pods for two in combinations(pod, 2)]
        gap = statistics.fmean(abs(scores[one] - scores[other]) / 2 for one, other in pairs)
        yield Drawing(cost(pods, scores, meetings(field.drawn, design.names)).repeats, gap, seconds)
        results = tuple(
            result
            for pod_no, pod in enumerate(pods, start=1)
            for result in play((round_no, pod_no), pod, strength, "1", deals=design.deals)
        )
        field = msgspec.structs.replace(field, drawn=(*field.drawn, pods), results=field.results + results)


if __name__ == "__main__":
    main()
