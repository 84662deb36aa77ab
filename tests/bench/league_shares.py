"""Whose bots get how much of the cores, who waits how long, and when does the board sleep? One simulated
board at a time, played by the rules of tournaments/ in simulated time, on two cores.

    python -m tests.bench.league_shares [--hours 24]

share: of the core seconds played while several authors had something to ask. wait: the longest time that
one of the author's unsettled bots waited for a pod, with OVER if `longest_wait` had promised less. forecasts:
the range that the forecast said, from the beginning, at a tenth, a half and nine tenths of the time
it took.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Final

import click

from tests.tournaments.simulated_league import Bot, League

HOUR: Final = 3_600_000

ANCHORS: Final = [Bot("house/zero"), Bot("house/weak", -8.0), Bot("house/strong", 8.0)]


def spread(author: str, count: int, cost: int = 1000) -> list[Bot]:
    """Bots of one author, from weak to strong."""
    return [Bot(f"{author}/{at}", 12 * (at + 0.5) / count - 6, cost) for at in range(count)]


BOARDS: Final[dict[str, Sequence[Bot]]] = {
    "equal: ten bots of ten authors": [*ANCHORS, *(Bot(f"author{at}/x") for at in range(10))],
    "spread: ten bots of ten authors": [
        *ANCHORS,
        *(Bot(f"author{at}/x", 1.2 * at - 5.4) for at in range(10)),
    ],
    "twins: two copies of a program": [
        *ANCHORS,
        *(Bot(f"{name}/x", 2.0, program="x") for name in ("one", "two")),
    ],
    "neighbours: two bots of one author": [
        *ANCHORS,
        Bot("one/old", 2.0),
        Bot("one/new", 3.0, before="one/old"),
    ],
    "slow: one bot of 48 s a pod, five of 1 s": [
        *ANCHORS,
        Bot("slow/x", 1.0, 48_000),
        *(Bot(f"fast{at}/x", at / 2) for at in range(5)),
    ],
    "forty: one author's, and one of another": [*ANCHORS, *spread("many", 40), Bot("one/x", 0.5)],
}


@click.command()
@click.option("--hours", default=24, show_default=True, help="Of simulated time, at most.")
@click.option("--board", "wanted", multiple=True, help="Only boards whose name holds this.")
@click.option("--seed", default=1, show_default=True)
def main(hours: int, wanted: tuple[str, ...], seed: int) -> None:
    """Print some lines for each board."""
    for name, bots in BOARDS.items():
        if wanted and not any(text in name for text in wanted):
            continue
        league = League(bots, seed=seed)
        asleep = league.run(hours * HOUR)
        pods = sum(sums.count for sums in league.singles.values())
        pods += 2 * sum(sums.count for sums in league.pairs.values())
        state = f"asleep after {minutes(league.now)}" if asleep else f"awake after {hours} h"
        click.echo(f"{name}: {pods} pods, {len(league.pairs)} pairs met, {state}")
        spent, waits = Counter[str](), Counter[str]()
        for version, cost in league.contested.items():
            spent[version.partition("/")[0]] += cost
        for version, wait in league.waits.items():
            author = version.partition("/")[0]
            waits[author] = max(waits[author], wait)
        for author in sorted(waits, key=lambda author: (-waits[author], author))[:4]:
            over = "" if not any(each.startswith(f"{author}/") for each in league.over_bound) else ", OVER"
            click.echo(
                f"  {author:<8} share {spent[author] / max(1, spent.total()):.2f}, "
                f"longest wait {minutes(waits[author])}{over}"
            )
        if asleep:
            said = (league.forecast_at(league.now * part // 10) for part in (1, 5, 9))
            ends = (f"{minutes(1000 * least)} to {minutes(1000 * most)}" for least, most in said)
            click.echo(f"  forecasts {', '.join(ends)}")


def minutes(milliseconds: float) -> str:
    return f"{milliseconds / 60_000:.1f} min"


if __name__ == "__main__":
    main()
