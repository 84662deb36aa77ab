"""`arena compare`: is one bot better than another, and how sure is that? Plays pods until it is settled."""

import hashlib
from typing import Any

import click
import msgspec
import trio

from arena.cli import DONE, NO, UNDECIDED
from arena.cli.cluster import dask_option, jobs_option, players
from arena.cli.options import json_option, keep_option, titles_option
from arena.cli.output import print_json, say, stderr, titles_of
from arena.cli.terms import Terms, terms_options
from arena.compare import Comparison
from arena.errors import UserError
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
@titles_option
@keep_option
@jobs_option
@terms_options
@json_option
@dask_option
def command(
    one: str,
    other: str,
    against: tuple[str, ...],
    seats: int,
    alpha: float,
    margin: float,
    budget: int,
    titles: tuple[str, ...],
    keep_bots: bool,
    jobs: int | None,
    terms: Terms,
    as_json: bool,
    dask: str | None,
) -> int:
    """Is A better than B? Plays duplicate deals until an interval that may be looked at after every deal
    settles it, or the budget is spent. Exits with 0: better, 1: not better by --margin, 3: undecided.

    Example: arena compare bots/careful.py bots/greedy.py --against bots/random.py
    """
    if terms.options.open_ended:
        raise UserError(
            "these options let play decide how many deals a match has; seatings need equally many"
        )
    entrants = terms.seated(terms.playable((one, other, *against)), seats, titles)
    job = terms.job(entrants, keep_bots=keep_bots)
    comparison = Comparison(job, terms.seed, Question(alpha, margin, budget))
    names = entrants[0].called, entrants[1].called
    console = stderr()
    say(terms.sandbox_line)
    say(f"seed SHA-256: {hashlib.sha256(terms.seed.encode()).hexdigest()}")
    with players(dask, jobs) as they, console.status("playing") as status:

        def told(answer: Answer) -> None:
            status.update(sentence(answer, *names))

        found = trio.run(comparison.settle, they.workers, told, they.play_all, they.cores)
    if as_json:
        forfeits = {name: dict(kinds) for name, kinds in comparison.forfeits.items()}
        about = {"one": entrants[0].name, "other": entrants[1].name} | titles_of(entrants)
        about |= {"seed": terms.seed, "forfeits": forfeits}
        print_json(about | as_data(found))
    else:
        verdict = found.verdict
        click.echo(verdict if verdict == "undecided" else f"{names[0]} is {verdict} than {names[1]}")
        click.echo(sentence(found, *names))
        for name, kinds in comparison.forfeits.items():
            why = ", ".join(f"{count} × {kind}" for kind, count in kinds.items())
            called = next(entrant.called for entrant in entrants if entrant.name == name)
            click.echo(f"{called} forfeited {kinds.total()} of {comparison.matches} matches: {why}")
    say(f"seed: {terms.seed}")
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
