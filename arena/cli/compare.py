"""`arena compare`: finds out whether one bot is better than another. Plays pods until that is settled."""

import functools
import time
from collections.abc import Iterator
from typing import Any, Final

import click
import msgspec

from arena.cli import DONE, NO, UNDECIDED
from arena.cli.faults import say_bugs
from arena.cli.match import command as match
from arena.cli.onward import log_for, onward, said_again
from arena.cli.options import (
    BOT,
    FiniteRange,
    dask_option,
    jobs_option,
    json_option,
    keep_option,
    titles_option,
)
from arena.cli.output import LINES_EVERY_SECONDS, print_json, say, stderr
from arena.cli.terms import terms_options, titles_from
from arena.commands.compare import NEIGHBOUR, Compare, Compared
from arena.playing.terms import Terms
from arena.system.wording import duration
from tournaments.compare import FEWEST_UNITS

EXITS: Final = {"better": DONE, "not better": NO, "undecided": UNDECIDED}
"""Each verdict with its exit status."""


@click.command("compare")
@click.argument("one", metavar="A", type=BOT)
@click.argument("other", metavar="B", type=BOT)
@click.option(
    "--against",
    multiple=True,
    metavar="BOT",
    type=BOT,
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
    call = Compare(
        one=one,
        other=other,
        against=against,
        seats=seats,
        alpha=alpha,
        margin=margin,
        budget=budget,
        final=final,
        bounded=bounded,
        titles=titles_from(titles),
        keep_bots=keep_bots,
        jobs=jobs,
        terms=terms,
        dask=dask,
    )
    console = stderr()
    status = console.status("playing")
    begun_at = said_at = time.monotonic()
    known: Compared | None = None

    def on_answer(so_far: Compared) -> None:
        nonlocal known, said_at
        status.start()
        if not so_far.answer.units:
            return
        known = so_far
        now = time.monotonic()
        progress = _progress(so_far, now - begun_at)
        status.update(progress)
        if not console.is_terminal and now - said_at > LINES_EVERY_SECONDS:
            said_at = now
            say(progress)

    try:
        compared = call.carry_out(say, on_answer)
    except BaseException:  # Also Ctrl-C: what is known is not lost.
        status.stop()
        if known is not None:
            say(f"until then: {known.sentence}")
        raise
    finally:
        status.stop()
    if as_json:
        print_json(as_data(compared))
    else:
        for line in compared.result:
            click.echo(line)
    say(f"seed: {compared.seed}")
    say_bugs(compared.bugs)
    for line in _next((one, other, *(against or (NEIGHBOUR,))), compared):
        say(line)
    assert compared.answer.verdict is not None
    return EXITS[compared.answer.verdict]


def _progress(so_far: Compared, seconds: float) -> str:
    """What is known, and how many pods and how much time it may take yet; `seconds` have passed."""
    answer = so_far.answer
    most = so_far.question.budget - answer.units

    def to_go(pods: int) -> str:
        return f"{pods} ({duration(pods * seconds / answer.units)})"

    perhaps = "" if answer.units_left is None else f"perhaps {to_go(answer.units_left)} to go, "
    return f"{so_far.sentence}; {perhaps}at most {to_go(most)}"


def _next(table: tuple[str, ...], compared: Compared) -> Iterator[str]:
    """What the author of the first bot at the table may do now."""
    if compared.answer.verdict == "better":
        yield f"next: keep a copy of {compared.one}, change it, and compare it with the copy"
        return
    log = log_for(table)
    yield f"next: {onward('match', *table, *said_again(match), '--log', log)}"
    yield f"then: {onward('review', log, '--seat', 0)} says where {compared.one} loses"


def as_data(compared: Compared) -> dict[str, Any]:
    """A comparison for --json."""
    about = {"one": compared.one, "other": compared.other}
    titles = {"titles": compared.titles} if compared.titles else {}
    played = {
        "against": compared.against,
        "seed": compared.seed,
        "forfeits": compared.forfeits,
        "deals": compared.deals,
        "left_out": compared.left_out,
        "bugs": msgspec.to_builtins(compared.bugs),
    }
    found: dict[str, Any] = msgspec.to_builtins(compared.answer) | msgspec.to_builtins(compared.question)
    return about | titles | played | found | {"budget": compared.budget}
