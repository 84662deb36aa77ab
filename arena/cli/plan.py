"""Prints the plan of a tournament (`arena tournament --plan`)."""

from rich.console import Console

from arena.cli.output import Column, print_json, print_table
from arena.commands.plan import PlanResult
from arena.games import registry
from arena.playing.spellings import AnyPath
from arena.system.wording import duration
from tournaments.statistics import FEWEST_PODS


def print_plan(plan: PlanResult, like: AnyPath | None, console: Console, *, as_json: bool) -> None:
    """Print how many rounds or deals it takes to reach the margin. `like` is the run in which the spread of
    gains was measured."""
    if as_json:
        print_json({name: getattr(plan, name) for name in ("margin", "deviation", "correlation", "sizes")})
        return
    numbers = ("rounds", "deals", "matches", "expected", "at worst", "gain/deal ±")
    columns = [Column(""), *(Column(one, right=True) for one in numbers)]
    rows = [
        (
            size.what,
            str(size.rounds),
            str(size.deals),
            str(size.matches),
            "–" if size.expected_seconds is None else duration(size.expected_seconds),
            duration(size.worst_seconds),
            "–" if size.margin is None else f"{size.margin:.3f}",
        )
        for size in plan.sizes
    ]
    title = f"{registry.game(plan.game).title} · {plan.format} · {plan.bots} bots"
    print_table(title, columns, rows, console)
    _print_remarks(plan, like, console)


def _print_remarks(plan: PlanResult, like: AnyPath | None, console: Console) -> None:
    if not plan.has_intervals:
        console.print(f"a {plan.format} finds a winner but gives no intervals; --format swiss does")
    elif len(plan.sizes) == 1:
        way_out = "" if plan.format == "swiss" else "; --format swiss can have as many rounds as needed"
        console.print(f"±{plan.margin:g} cannot be reached with these settings{way_out}")
    elif not plan.deals_suffice:
        console.print(f"no number of deals reaches ±{plan.margin:g} in so few rounds; it takes more rounds")
    common = f"deals of a pod share {plan.correlation:.0%} of its variance, as in {like}"
    if not plan.measured:
        common = (
            f"typical of {plan.game}; --like DIR would measure how much the deals of a pod have in common"
        )
        if like is not None:
            common += (
                f" if it had {FEWEST_PODS} rounds or more, which {like} does not have, or if gains varied"
            )
    if like is None:
        console.print("for an expected time, add --like DIR with a run of at least one round")
    console.print(
        f"assuming a standard deviation of {plan.deviation:.2f} for a bot's gain in a deal; {common}",
        soft_wrap=True,
    )
