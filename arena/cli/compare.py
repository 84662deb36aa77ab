"""`arena compare`: is one bot better than another, and how sure is that? Plays pods until it is settled."""

import hashlib
from typing import Any

import click
import msgspec
import trio

from arena.cli import DONE, NO, UNDECIDED
from arena.cli.cluster import dask_option, players
from arena.cli.match import playable, seated
from arena.cli.options import (
    checked_seed,
    chosen_sandbox,
    game_options,
    keep_option,
    play_options,
    with_startup,
)
from arena.cli.output import print_json, say, stderr
from arena.compare import Comparison
from arena.errors import UserError
from arena.games.game import Game
from arena.job import Job
from protocol.messages import Limits
from tournaments.compare import FEWEST_UNITS, Answer, Question

EXITS = {"better": DONE, "not better": NO, "undecided": UNDECIDED}


@click.command("compare")
@click.argument("one", metavar="A", type=click.Path())
@click.argument("other", metavar="B", type=click.Path())
@click.option(
    "--against", multiple=True, metavar="BOT", type=click.Path(), help="Who else sits there; may be repeated."
)
@click.option("--seats", type=click.IntRange(2, 8), default=4, show_default=True, help="House bots fill up.")
@click.option(
    "--alpha",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.05,
    show_default=True,
    help="How often the answer may be wrong.",
)
@click.option(
    "--margin",
    type=click.FloatRange(0),
    default=0.0,
    show_default=True,
    help="The least difference in gain per deal that matters.",
)
@click.option(
    "--budget",
    type=click.IntRange(FEWEST_UNITS),
    default=1000,
    show_default=True,
    help="The most deals; pods, where deals depend on each other.",
)
@keep_option
@click.option("--jobs", type=click.IntRange(1, 1024), help="Matches at a time.  [default: one a core]")
@play_options
@dask_option
def command(
    one: str,
    other: str,
    against: tuple[str, ...],
    seats: int,
    alpha: float,
    margin: float,
    budget: int,
    keep_bots: bool,
    jobs: int | None,
    game: Game,
    options: tuple[str, ...],
    deals: int | None,
    seed: str | None,
    time: Limits,
    startup: int,
    faults: int,
    level: str | None,
    memory: int,
    as_json: bool,
    dask: str | None,
) -> int:
    """Is A better than B? Plays duplicate deals until an interval that may be looked at after every deal
    settles it, or the budget is spent. Exits with 0: better, 1: not better by --margin, 3: undecided.

    Example: arena compare bots/careful.py bots/greedy.py --against bots/random.py
    """
    variant = game_options(game, options)
    if variant.open_ended:
        raise UserError(
            "these options let play decide how many deals a match has; seatings need equally many"
        )
    sandbox, what_it_means = chosen_sandbox(level, memory)
    entrants = seated(playable((one, other, *against), game, sandbox), game, seats)
    seed = checked_seed(seed)
    job = Job(
        match_id="",
        game=game.id,
        options=msgspec.to_builtins(variant),
        deals=deals or game.deals(seats, variant),
        pod_key="",
        seating_no=0,
        entrants=entrants,
        limits=with_startup(time, startup),
        faults=faults,
        sandbox=sandbox,
        keep_bots=keep_bots,
    )
    comparison = Comparison(job, seed, Question(alpha, margin, budget))
    names = entrants[0].name, entrants[1].name
    console = stderr()
    say(what_it_means)
    say(f"seed SHA-256: {hashlib.sha256(seed.encode()).hexdigest()}")
    with players(dask, jobs) as they, console.status("playing") as status:

        def told(answer: Answer) -> None:
            status.update(sentence(answer, *names))

        found = trio.run(comparison.settle, they.workers, told, they.play_all, they.cores)
    if as_json:
        print_json({"one": names[0], "other": names[1], "seed": seed} | as_data(found))
    else:
        verdict = found.verdict
        click.echo(verdict if verdict == "undecided" else f"{names[0]} is {verdict} than {names[1]}")
        click.echo(sentence(found, *names))
    say(f"seed: {seed}")
    assert found.verdict is not None
    return EXITS[found.verdict]


def as_data(answer: Answer) -> dict[str, Any]:
    data: dict[str, Any] = msgspec.to_builtins(answer)
    return data


def sentence(answer: Answer, one: str, other: str) -> str:
    """What is known, in one line."""
    played = f"{answer.units} {answer.unit}s"
    if answer.difference is None:
        return played
    interval = "" if answer.low is None else f", surely {answer.low:+.2f} … {answer.high:+.2f}"
    left = "" if answer.units_left is None else f", perhaps {answer.units_left} more to go"
    gains = f"{one} gains {answer.difference:+.3f} per deal more than {other}"
    return f"{gains}{interval}; {played}{left}"
