"""How many comparisons it takes until a version is said to be ahead of the one before it, by how much better
it is and by the cap of a comparison.

    python -m tests.bench.league_power [--runs 1000] [--deviation 2.9] [--opened 20]

A comparison is two pods; its standard deviation is that of a pod's own part, times √2. Caps are 3 to 7 such
deviations, and "rules" is what the rules of Sticheln allow at four seats, twice the largest lead. "One look"
is what a test of normal units needs, with the same α, that knows the deviation and looks only once.
"""

from math import log

import click
import numpy as np
from scipy.special import ndtri

from arena.games import GAMES
from tournaments.eprocess import SHARES, share_of_alpha

CAPS = (3.0, 4.0, 5.0, 7.0)
MOST = 8000


@click.command()
@click.option("--runs", default=1000, show_default=True)
@click.option("--deviation", default=2.9, show_default=True, help="Of a comparison.")
@click.option("--opened", default=20, show_default=True, help="The pair's number in the order of opening.")
def main(runs: int, deviation: float, opened: int) -> None:
    """Print a line for each difference."""
    share = share_of_alpha(opened)
    rules = 2.0 * GAMES["sticheln"].largest_lead(4)
    caps = [*(cap * deviation for cap in CAPS), rules]
    heads = [f"cap {cap:.3g}" for cap in caps[:-1]] + [f"rules {rules:g}"]
    click.echo(f"comparisons until said: median (90 %), {runs} runs, deviation {deviation:g}, α {share:.2g}")
    click.echo("gains " + "".join(f"{head:>15}" for head in heads) + f"{'one look':>12}")
    for gains in (0.5, 1.0, 2.0, 3.0, 5.0):
        cells = [_cell(gains, deviation, cap, share, runs) for cap in caps]
        fixed = ((ndtri(1 - share)) * deviation / gains) ** 2
        click.echo(f"{gains:<6g}" + "".join(f"{cell:>15}" for cell in cells) + f"{fixed:>12.0f}")


def _cell(gains: float, deviation: float, cap: float, share: float, runs: int) -> str:
    rng = np.random.default_rng(1)
    bets = np.zeros((runs, len(SHARES)))
    found = np.zeros(runs)
    for count in range(1, MOST + 1):
        x = np.clip(rng.normal(gains, deviation, runs), -cap, cap) / cap
        bets += np.log1p(np.outer(x, SHARES))
        capital = np.logaddexp.reduce(bets, axis=1) - log(len(SHARES))
        found[(found == 0) & (capital >= -log(share))] = count
        if found.all():
            break
    found[found == 0] = np.inf
    median, late = (
        f"{each:.0f}" if each < np.inf else "–" for each in np.sort(found)[[runs // 2, 9 * runs // 10]]
    )
    return f"{median} ({late})"


if __name__ == "__main__":
    main()
