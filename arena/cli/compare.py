"""`arena compare`: plays pods until it is settled whether one bot is better than another."""

import time
from collections.abc import Iterator
from typing import Any, Final

import click
import msgspec

from arena.cli import DONE, NO, UNDECIDED
from arena.cli.derived import takes
from arena.cli.faults import say_bugs
from arena.cli.match import command as match
from arena.cli.onward import log_for, onward, said_again
from arena.cli.options import SectionCommand, json_option
from arena.cli.output import LINES_EVERY_SECONDS, print_json, say, stderr
from arena.commands.compare import NEIGHBOUR, Compare, CompareResult
from arena.system.wording import duration

EXITS: Final = {"better": DONE, "not better": NO, "undecided": UNDECIDED}
"""Each verdict with its exit status."""


@click.command("compare", cls=SectionCommand)
@takes(Compare)
@json_option
def command(call: Compare, as_json: bool) -> int:
    """Find out whether A is better than B. Play duplicate deals until a sequential test settles it or the
    budget is spent. Exits with 0 if A is better, 1 if it is not better by --margin, 3 if that is undecided.

    The unit of the test is a pod: the same deals in all seatings, with one random order round the table.
    Since all deals of a pod count as one unit, matches of one deal need the fewest deals. The verdict is
    about the mean over random orders, among these bots, in matches of that many deals.

    Example: arena compare mybot bots/greedy.py --against bots/random.py
    """
    console = stderr()
    status = console.status("playing")
    begun_at = said_at = time.monotonic()
    known: CompareResult | None = None

    def on_answer(so_far: CompareResult) -> None:
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
    except BaseException:  # Also after Ctrl-C, so that the result so far is not lost.
        status.stop()
        if known is not None:
            say(f"so far: {known.sentence}")
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
    for line in _next(tuple(map(str, (call.one, call.other, *(call.against or (NEIGHBOUR,))))), compared):
        say(line)
    assert compared.answer.verdict is not None
    return EXITS[compared.answer.verdict]


def _progress(so_far: CompareResult, seconds: float) -> str:
    """The result so far, and how many more pods and how much time it may take; `seconds` have passed."""
    answer = so_far.answer
    most = so_far.question.budget - answer.units

    def to_go(pods: int) -> str:
        return f"{pods} ({duration(pods * seconds / answer.units)})"

    perhaps = "" if answer.units_left is None else f"perhaps {to_go(answer.units_left)} left, "
    return f"{so_far.sentence}; {perhaps}at most {to_go(most)}"


def _next(table: tuple[str, ...], compared: CompareResult) -> Iterator[str]:
    """What to suggest to the author of the first bot at the table."""
    if compared.answer.verdict == "better":
        yield f"next: keep a copy of {compared.one}, change it, and compare it with the copy"
        return
    log = log_for(table)
    yield f"next: {onward('match', *table, *said_again(match), '--log', log)}"
    yield f"then: {onward('review', log, '--seat', 0)} shows where {compared.one} loses"


def as_data(compared: CompareResult) -> dict[str, Any]:
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
