"""Does a review find the errors that a strong bot makes on purpose?

    python -m tests.bench.planted [--game ole] [--matches 10]

`planter.py` plays at `--time` among three copies of `heuristic`. A review with ten times the effort and
another seed says which decisions are errors of a point or more. Recall: of the planted ones among them, the
share that an ordinary review calls errors of a point or more. Precision: of all decisions that it calls so,
planted or not, the share that the larger review calls so.
"""

import sys
import tempfile
from pathlib import Path
from typing import Final

import click

import arena
from arena.games import GAMES
from arena.log.retrace import read
from arena.players.review.choices import choices
from arena.players.review.judge import Judge

PLANTER: Final = Path(__file__).with_name("planter.py")
POINT: Final = 1.0
EFFORT: Final = 10


def share(part: int, whole: int) -> str:
    """Such as `.85 ± .08 (17 of 20)`, with the binomial standard error."""
    if not whole:
        return "– (0 of 0)"
    found = part / whole
    return f"{found:.2f} ± {(found * (1 - found) / whole) ** 0.5:.2f} ({part} of {whole})"


@click.command()
@click.option("--game", "games", multiple=True, type=click.Choice(list(GAMES)), default=list(GAMES))
@click.option("--matches", default=10, show_default=True, help="For each game, each of its usual deals.")
@click.option("--time", default="100ms", show_default=True)
def main(games: tuple[str, ...], matches: int, time: str) -> None:
    """Print recall and precision, game by game."""
    print(
        f"errors planted in `search` at {time}, four seats; a review against one of {EFFORT} times its effort"
    )
    bots = [f"planter={sys.executable} -P {PLANTER}", *["heuristic"] * 3]
    for game in games:
        judge, truth = Judge(GAMES[game]), Judge(GAMES[game], "truth", EFFORT)
        decisions = planted = errors = found = called = right = 0
        with tempfile.TemporaryDirectory() as folder:
            for number in range(matches):
                path = Path(folder) / f"{number}.jsonl"
                match = arena.match(
                    bots, game=game, seed=number, time=time, sandbox="none", log=path, on_progress=False
                )
                notes = {row.request: row.note for row in match.decisions if row.seat == 0}
                for choice in choices(read(path), 0):
                    one, on_purpose = judge.judged(choice), notes[choice.request] == "planted"
                    decisions += 1
                    planted += on_purpose
                    if not on_purpose and one.cost < POINT:
                        continue
                    is_error = truth.judged(choice).cost >= POINT
                    if on_purpose and is_error:
                        errors += 1
                        found += one.cost >= POINT
                    if one.cost >= POINT:
                        called += 1
                        right += is_error
        print(
            f"{game:<18} {decisions} decisions, {planted} planted, {errors} of them errors; "
            f"recall {share(found, errors)}, precision {share(right, called)}",
            flush=True,
        )


if __name__ == "__main__":
    main()
