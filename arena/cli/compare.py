"""`arena compare`: finds out whether one bot is better than another. Plays pods until that is settled."""

import functools
import hashlib
from collections.abc import Iterator, Sequence
from math import inf
from typing import Any, Final

import click
import msgspec
import trio

from arena.calls.terms import Terms
from arena.calls.titles import titles_of
from arena.calls.wording import counted
from arena.calls.workers import playing
from arena.cli import DONE, NO, UNDECIDED
from arena.cli.options import (
    FiniteRange,
    dask_option,
    jobs_option,
    json_option,
    keep_option,
    titles_option,
)
from arena.cli.output import print_json, say, stderr
from arena.cli.terms import terms_options, titles_from
from arena.entrants.entrant import Entrant
from arena.entrants.find import LENT, lent
from arena.running.compare import Comparison
from arena.system.errors import UserError
from tournaments.compare import FEWEST_UNITS, Answer, Question

NEIGHBOUR: Final = "heuristic"
"""The arena's own bot that takes empty seats. Beside strong bots a difference shows in fewer deals than
beside bots that play at random. `search` is stronger, but takes all the time that a match allows."""

EXITS: Final = {"better": DONE, "not better": NO, "undecided": UNDECIDED}
"""Each verdict with its exit status."""


@click.command("compare")
@click.argument("one", metavar="A", type=click.Path())
@click.argument("other", metavar="B", type=click.Path())
@click.option(
    "--against",
    multiple=True,
    metavar="BOT",
    type=click.Path(),
    help="A further bot at the table; repeatable.",
)
@click.option(
    "--seats",
    type=click.IntRange(2, 8),
    default=4,
    show_default=True,
    help=f"Seats; the arena's {NEIGHBOUR} takes the empty ones.",
)
@click.option(
    "--alpha",
    type=FiniteRange(0, 0.5, min_open=True, max_open=True),
    default=0.05,
    show_default=True,
    help="The highest probability of a wrong verdict.",
)
@click.option(
    "--margin",
    type=FiniteRange(0),
    default=0.0,
    show_default=True,
    help="The least difference in gain per deal that matters.",
)
@click.option(
    "--budget", type=click.IntRange(FEWEST_UNITS), default=1000, show_default=True, help="The most deals."
)
@click.option(
    "--final",
    is_flag=True,
    help="Promise to add no deals to the budget: finds small differences more often, large ones later.",
)
@click.option(
    "--bounded",
    is_flag=True,
    help="Assume only that differences stay within what the rules allow: also right if a rare deal or a rare "
    "forfeit costs very much; takes more deals.",
)
@titles_option
@keep_option
@jobs_option
@functools.partial(terms_options, deals="1, or the game's where a deal depends on the last")
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
    final: bool,
    bounded: bool,
    titles: tuple[str, ...],
    keep_bots: bool,
    jobs: int | None,
    terms: Terms,
    as_json: bool,
    dask: str | None,
) -> int:
    """Is A better than B? Plays duplicate deals, and stops when a sequential test settles it or the budget is
    spent. Exits with 0 if A is better, 1 if it is not better by --margin, 3 if that is undecided.

    The test counts pods: the same deals in all seatings, with a random order round the table for each pod.
    Matches of one deal need the fewest deals; in longer ones all deals of a pod count as one unit. The
    verdict is about the mean over random orders, among these bots, in matches of that many deals.

    Example: arena compare bots/careful.py bots/greedy.py --against bots/random.py
    """
    settled = terms.settled()
    if settled.options.open_ended:
        raise UserError(
            "these options let play decide how many deals a match has; seatings need equally many"
        )
    if final and bounded:
        raise UserError("--final and --bounded: two ways to be sure; say one of them")
    named = settled.playable((one, other, *against))
    entrants = settled.seated(
        (*named, *[lent(NEIGHBOUR, settled.game.id)] * (seats - len(named))), seats, titles_from(titles), say
    )
    if settled.asked_deals is None and settled.game.independent_deals:
        settled = msgspec.structs.replace(settled, asked_deals=1)
    job = settled.job(entrants, keep_bots=keep_bots)
    # Our own bots keep nothing from match to match, and take longer to start than to play a deal.
    job = msgspec.structs.replace(job, keep=tuple(bot.name for bot in entrants if bot.source in LENT))
    bound = settled.game.largest_lead(seats) if bounded else None
    question = Question(alpha, margin, pods_of(budget, job.deals), final, bound)
    comparison = Comparison(job, settled.seed, question)
    names = entrants[0].called, entrants[1].called
    console = stderr()
    say(settled.sandbox_line)
    say(f"beside them: {', '.join(neighbour.called for neighbour in entrants[2:]) or 'nobody'}")
    say(f"matches of {counted(job.deals, 'deal')}, every deal in all seatings")
    say(f"seed SHA-256: {hashlib.sha256(settled.seed.encode()).hexdigest()}")
    with playing(dask, jobs, say) as how, console.status("playing") as status:

        def on_answer(answer: Answer) -> None:
            status.update(sentence(answer, question, job.deals, *names))

        found = trio.run(comparison.settle, how.workers, on_answer, how.play_all, how.cores)
    if as_json:
        forfeits = {name: dict(kinds) for name, kinds in comparison.forfeits.items()}
        about = {"one": entrants[0].name, "other": entrants[1].name} | titles_of(entrants)
        about["against"] = [neighbour.name for neighbour in entrants[2:]]
        about |= {"seed": settled.seed, "forfeits": forfeits, "deals": job.deals}
        print_json(about | as_data(found) | as_data(question) | {"budget": budget})
    else:
        for line in (*result(found, question, job.deals, *names), *_forfeits(comparison, entrants)):
            click.echo(line)
    say(f"seed: {settled.seed}")
    assert found.verdict is not None
    return EXITS[found.verdict]


def _forfeits(comparison: Comparison, entrants: Sequence[Entrant]) -> Iterator[str]:
    """A line for each bot that forfeited, with the kinds of its faults."""
    called = {entrant.name: entrant.called for entrant in entrants}
    for name, kinds in comparison.forfeits.items():
        why = ", ".join(f"{count} × {kind}" for kind, count in kinds.items())
        yield f"{called[name]} forfeited {kinds.total()} of {comparison.matches} matches: {why}"


def pods_of(budget: int, deals: int) -> int:
    """The number of pods of `deals` deals in the budget. Raises UserError if they are too few."""
    pods = budget // deals
    if pods < FEWEST_UNITS:
        raise UserError(
            f"--budget {budget}: {counted(pods, 'pod')} of {counted(deals, 'deal')}, and a verdict takes "
            f"{FEWEST_UNITS}; say --budget {FEWEST_UNITS * deals}, or fewer --deals"
        )
    return pods


def as_data(value: Answer | Question) -> dict[str, Any]:
    """The fields of an answer or a question for --json."""
    data: dict[str, Any] = msgspec.to_builtins(value)
    return data


def result(answer: Answer, question: Question, deals: int, one: str, other: str) -> Iterator[str]:
    """The verdict and how sure it is, as lines. `deals` is the number in a match, `one` and `other` are the
    bots as people call them."""
    verdict = answer.verdict
    yield "undecided" if verdict in (None, "undecided") else f"{one} is {verdict} than {other}"
    yield sentence(answer, question, deals, one, other)
    if reason := still_held(answer, question):
        yield reason
    yield promise(question, deals)


def sentence(answer: Answer, question: Question, deals: int, one: str, other: str) -> str:
    """The difference, its interval and what was played, in one line."""
    pods = f"{counted(answer.units, 'pod')} of {deals} deals"
    played = counted(answer.units, "deal") if deals == 1 else pods
    if answer.difference is None:
        return played
    level = f"{100 * (1 - question.alpha):g} % interval"
    interval = "" if answer.low is None else f", {level} {answer.low:+.2f} … {answer.high:+.2f}"
    left = "" if answer.units_left is None else f", perhaps {answer.units_left} more to go"
    gains = f"{one} gains {answer.difference:+.3f} per deal more than {other}"
    return f"{gains}{interval}; {played}{left}"


def still_held(answer: Answer, question: Question) -> str:
    """Why there is a verdict although the interval contains the value that it excludes; "" if it does not."""
    edge = {"better": 0.0, "not better": question.margin}.get(answer.verdict or "")
    low = -inf if answer.low is None else answer.low
    high = inf if answer.high is None else answer.high
    if edge is None or not low <= edge <= high:
        return ""
    return (
        f"The interval still holds {edge:g}: it shares its {100 * question.alpha:g} % between two sides, "
        "and a verdict needs one side only."
    )


def promise(question: Question, deals: int) -> str:
    """The probability of a wrong verdict, and the condition for it."""
    chance = f"A verdict is wrong with a probability of at most {100 * question.alpha:g} %"
    if question.bound is not None:
        return (
            f"{chance}, however many deals are played and whatever they bring: by the rules "
            f"{question.bound:g} a deal is the most that one seat can gain more than another."
        )
    if question.final:
        most = counted(question.budget * deals, "deal")
        return f"{chance} if no more than {most} are ever played, and if differences are not very skewed."
    return (
        f"{chance}, however many deals are played, if differences are not very skewed "
        "(--bounded does without that)."
    )
