"""What a large board costs: from sums by pair to strengths, and to what is played next.

    python -m tests.bench.league_scale [--current 500] [--versions 5000] [--rows 10000000]

Every version has met its predecessor and some neighbours. Rows are added to sums as they come. Timed, in
seconds of the processor: to add a part of them; to open, which is the exact fit of all with those at rest
marginalised; a comparison in between; and what is open.
"""

import resource
import time
from collections.abc import Callable
from itertools import combinations
from typing import TypeVar

import click
import numpy as np

from tournaments.agenda import Account, chosen
from tournaments.evidence import Evidence
from tournaments.questions import Ranked, open_wishes
from tournaments.strength import Pair, PairSums, Sums, fitted, pair_added

T = TypeVar("T")
PARTNERS = 6
ADDED = 20_000


def timed(what: str, call: Callable[[], T], times: int = 1) -> T:
    begun = time.process_time()
    for _ in range(times):
        found = call()
    each = (time.process_time() - begun) / times
    click.echo(f"{what:<52}{each:>10.4f} s")
    return found


@click.command()
@click.option("--current", default=500, show_default=True)
@click.option("--versions", default=5000, show_default=True)
@click.option("--rows", default=10_000_000, show_default=True)
def main(current: int, versions: int, rows: int) -> None:
    """Print a line for each part."""
    rng = np.random.default_rng(1)
    names = [f"a{number % 200}/b@{number}" for number in range(versions)]
    resting = set(names[: versions - current])
    pairs: dict[Pair, PairSums] = {}
    for at in range(1, versions):
        for before in {max(0, at - 200), at - 1, *rng.integers(max(0, at - current), at, PARTNERS).tolist()}:
            pairs[names[before], names[at]] = PairSums()
    each = rows // 2 // len(pairs)
    strength = dict(zip(names, rng.normal(0, 4, versions).tolist(), strict=True))
    for one, other in pairs:
        apart = rng.normal(strength[one] - strength[other], 2.9 / each**0.5)
        together = rng.normal(strength[one] + strength[other], 4.3 / each**0.5)
        pairs[one, other] = PairSums(
            each, each * apart, each * together, each * (8.4 + apart**2), each * (18.6 + together**2)
        )
    singles = {name: Sums(9, 9.0, 60.0) for name in names}
    click.echo(f"{versions} versions, {current} current, {len(pairs)} pairs, {2 * each * len(pairs)} rows")

    def add() -> None:
        sums, known = PairSums(), Evidence(2.6)
        for _ in range(ADDED):
            sums = pair_added(sums, 1.0, 0.5)
            known.compared(("a", "b"), 1.0, 0.5)
            known.log_of("a", "b")

    timed(f"{ADDED} comparisons added", add)
    fit = timed("opened: the exact fit", lambda: fitted(singles, pairs, resting))
    pair = (fit.names[0], fit.names[1])
    timed("a comparison more", lambda: fit.after(pair, 1.0, 2.0), 20)
    costs = dict.fromkeys(names, 1000)
    before = {names[at]: names[at - 200] for at in range(200, versions)}
    ranked = [name for name in names if name not in resting]
    met = {pair: sums.count for pair, sums in pairs.items()}
    board = Ranked(ranked, fit, singles, met, (), before, (), costs, 1.0)
    wishes = timed("what is open", lambda: open_wishes(board), 5)
    known = Evidence(2.6)
    for name in ranked:
        for row in rng.normal(strength[name], 2.6, 9):
            known.placed(name, float(row))
    timed("all that may be said", lambda: [known.log_of(*pair) for pair in combinations(ranked, 2)])
    authors = {name: name.partition("/")[0] for name in names}
    timed("what is chosen of it", lambda: chosen(wishes, authors, Account()), 5)
    click.echo(f"{len(wishes)} open; {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB at most")


if __name__ == "__main__":
    main()
