"""Prints the plan of a tournament (`arena tournament --plan`)."""

from rich.console import Console

from arena.cli.output import Column, print_json, print_table
from arena.commands.plan import PlanResult
from arena.games import registry
from arena.playing.spellings import AnyPath
from arena.system.wording import duration
from tournaments.statistics import FEWEST_PODS


def print_plan(plan: PlanResult, like: AnyPath | None, console: Console, *, as_json: bool) -> None:
    """Print what reaching the margin takes. `like` is the run in which the spread of gains was measured."""
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
        console.print(f"a {plan.format} says who wins, and gives no intervals: --format swiss does")
    elif len(plan.sizes) == 1:
        way_out = "" if plan.format == "swiss" else ": --format swiss has as many rounds as it takes"
        console.print(f"±{plan.margin:g} is out of reach like this{way_out}")
    elif not plan.deals_suffice:
        console.print(f"no number of deals makes it ±{plan.margin:g} in so few rounds: it takes more rounds")
    common = f"{plan.correlation:.0%} of its variance is common to the deals of a pod, as in {like}"
    if not plan.measured:
        common = f"typical of {plan.game}; what is common to the deals of a pod only --like DIR knows"
        if like is not None:
            common += f" after {FEWEST_PODS} rounds or more, which {like} has not, or where gains do not vary"
    if like is None:
        console.print("for an expected time, add --like DIR, a run of at least one round")
    console.print(
        f"where a bot's gain in a deal has a standard deviation of {plan.deviation:.2f}; {common}",
        soft_wrap=True,
    )
