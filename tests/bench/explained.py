"""How often a hidden card is imagined where it is: by deals that are all equally likely, and by deals that
are weighted by how well they explain what was decided (arena/games/instep/weighted.py). On logs of real
matches: `python -m tests.bench.explained LOG...`, where a folder stands for all logs in it.

Means of matches with their standard errors. A deal is early, in its middle, or late, by how many cards the
seat in turn has left.
"""

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import click
import numpy as np

from arena.games.game import Game, State
from arena.games.instep import weighted
from arena.games.instep.batch import GONE, held
from arena.games.instep.registered import batch_for, in_step
from arena.log.retrace import read, retrace
from protocol.cards import Seat

WORLDS = 64
EVERY = 4
"""One decision in so many is looked at."""
STAGES = ("early", "middle", "late")

Found = tuple[float, float, int]
"""How many hidden cards of a moment are imagined where they are, by either way, and how many there are."""


def moments(log: Path) -> Iterator[tuple[Game, State, Seat]]:
    """Some decisions of a match, each with the state before it."""
    match, number = read(log), 0
    for turn in retrace(match):
        for seat in turn.actions if turn.before is not None and turn.before.pending else ():
            number += 1
            if number % EVERY == 0 and turn.before is not None:
                yield match.game, turn.before, seat


def found(game: Game, state: State, seat: Seat, rng: np.random.Generator) -> Found | None:
    """None where nothing is hidden, or nothing was decided."""
    view, owner = state.view(seat), held(game, [state])[0]
    decisions, hidden = in_step(game).decisions(game, view), (owner != GONE) & (owner != seat)
    if decisions is None or len(set(owner[hidden].tolist())) < 2:
        return None
    kind = batch_for(game)
    owners = (
        kind.imagined(game, view, WORLDS, rng),
        weighted.imagined(kind, game, view, decisions, WORLDS, rng),
    )
    plain, explained = ((imagined[:, hidden] == owner[hidden]).mean(axis=0).sum() for imagined in owners)
    return float(plain), float(explained), int(hidden.sum())


@click.command()
@click.argument("logs", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
def main(logs: tuple[Path, ...]) -> None:
    """Print the shares by game, seats, and stage of the deal."""
    rng = np.random.default_rng(1)
    sums: dict[tuple[str, int, str], dict[Path, list[Found]]] = defaultdict(lambda: defaultdict(list))
    files = [file for log in logs for file in (sorted(log.rglob("*.jsonl")) if log.is_dir() else [log])]
    for file in files:
        for game, state, seat in moments(file):
            if in_step(game).decisions is None:
                break
            one = found(game, state, seat, rng)
            if one is not None:
                seats = state.setting.seats
                left = len(state.hands[seat]) / (len(state.setting.deck) // seats)
                stage = STAGES[min(int(3 * (1 - left)), 2)]
                sums[game.id, seats, stage][file].append(one)
    print(f"{'game':<14} seats  stage   matches  uniform %  weighted %  difference")
    for (name, seats, stage), by_file in sorted(
        sums.items(), key=lambda item: (*item[0][:2], STAGES.index(item[0][2]))
    ):
        plain, explained, cards = np.array([np.sum(rows, axis=0) for rows in by_file.values()]).T
        ahead = 100 * (explained - plain) / cards
        error = ahead.std(ddof=1) / np.sqrt(len(ahead)) if len(ahead) > 1 else np.nan
        print(
            f"{name:<14} {seats:>5}  {stage:<6}  {len(ahead):>7}  {100 * (plain / cards).mean():>9.1f}"
            f"  {100 * (explained / cards).mean():>10.1f}  {ahead.mean():>+6.1f} ± {error:.1f}"
        )


if __name__ == "__main__":
    main()
