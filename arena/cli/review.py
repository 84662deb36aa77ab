"""`arena review`: shows which decisions, and which kinds of decisions, cost a bot most."""

from pathlib import Path

import click

from arena.cli.derived import takes
from arena.cli.onward import onward
from arena.cli.options import file_option, json_option
from arena.cli.output import Column, clear_status, print_json, print_table, say, show_status, stdout
from arena.commands.replay import read_log
from arena.commands.review import Review, ReviewPace, ReviewResult
from arena.director.journal import LOGS
from arena.games import registry
from arena.players.review.judged import JudgedChoice
from arena.system.outputs import require_other, require_place, write_file
from arena.system.text import called
from arena.system.wording import counted


@click.command("review")
@takes(Review)
@file_option("--html", "With a log: write its replay, with a mark at each error.")
@json_option
def command(call: Review, html: Path | None, as_json: bool) -> None:
    """Find out why a bot loses. Judge each of its decisions in a match, or in a sample of a tournament: what
    would a strong bot have done, and what did the choice cost? A decision is judged by what the seat could
    know, not by where the cards were.

    The cost of a choice is how much more the better action gains in that deal, on average over deals imagined
    from what the seat saw, in which all seats continue as `search` expects. The search can be wrong too:
    --effort 10 thinks ten times as long. The sum of the costs shows where a bot loses; it does not predict
    what the bot would gain without these errors.

    \b
    arena review match.jsonl --seat 0
    arena review match.jsonl --seat 0 --html review.html
    arena review arena-2026-11-20-1 --bot careful
    """
    place = Path(call.place)
    require_place("--html", html)
    require_other("--html", html, place)
    if html is not None and place.is_dir():
        raise click.UsageError("--html works only with a log; for a run's pages, use `arena report`")
    try:
        reviewed = call.carry_out(say, _show)
    finally:
        clear_status()
    if html is not None:
        # Imported here because the templates are slow to load.
        from arena.report.replay import replay_page

        log = read_log(place, lambda text: None)
        write_file("--html", html, replay_page(log, judged=reviewed.judged).encode())
    if as_json:
        print_json(reviewed)
    else:
        _print(reviewed, html)


def _show(pace: ReviewPace) -> None:
    show_status(str(pace))


def _print(reviewed: ReviewResult, html: Path | None) -> None:
    console = stdout()
    for line in headline(reviewed):
        click.echo(line)
    click.echo()
    columns = [
        Column("kind"),
        Column("choices", right=True, spare=2),
        Column("errors", right=True),
        Column("each", right=True, spare=1),
        Column("a deal", right=True),
    ]
    cells = [
        (row.kind, str(row.choices), str(row.errors), f"{row.each:.2f}", f"{row.a_deal:.2f}")
        for row in reviewed.kinds
    ]
    print_table("Cost by kind of decision", columns, cells, console)
    if not reviewed.dearest:
        click.echo("no decision certainly cost anything")
        return
    several = reviewed.matches_played > 1
    columns = [
        *([Column("match", spare=1)] if several else []),
        Column("deal", right=True),
        Column("trick", right=True),
        Column("kind", spare=2),
        Column("played"),
        Column("better"),
        Column("cost", right=True),
        Column("±", right=True, spare=3),
    ]
    rows = [_cells(one, several) for one in reviewed.dearest]
    print_table("The most expensive decisions", columns, rows, console)
    say(_next(reviewed, html))
    say("then: keep a copy of the bot, change it, and run: arena compare BOT COPY --against heuristic")


def headline(reviewed: ReviewResult) -> list[str]:
    """Which bot was judged, on how many deals, and what its decisions cost."""
    title = registry.game(reviewed.game).title
    seat = "" if reviewed.seat is None else f", seat {reviewed.seat}"
    choices = counted(len(reviewed.judged), "decision")
    of = (
        f"{counted(reviewed.deals, 'deal')}"
        if reviewed.deals == reviewed.deals_played
        else f"{reviewed.deals} of {counted(reviewed.deals_played, 'deal')}, chosen at random"
    )
    interval = "" if reviewed.low is None else f", 95 % interval {reviewed.low:.2f} … {reviewed.high:.2f}"
    return [
        f"{called(reviewed.bot, reviewed.title)}{seat}: {title}, {of}, {choices} with a choice",
        f"its decisions cost {reviewed.cost:.2f} points a deal in all{interval}",
    ]


def _cells(one: JudgedChoice, several: bool) -> tuple[str, ...]:
    place = (*((one.match,) if several else ()), str(one.deal), str(one.trick or "–"))
    return (*place, one.kind, one.played, one.better, f"{one.cost:.1f}", f"{2 * one.error:.1f}")


def _next(reviewed: ReviewResult, html: Path | None) -> str:
    """The next command to suggest."""
    if html is not None:
        return f"{html}: the replay, with a mark at each of them"
    first, log = reviewed.dearest[0], Path(reviewed.place)
    if log.is_dir():
        log = log / LOGS / f"{first.match}.jsonl"
    return f"next: {onward('review', log, '--seat', first.seat, '--html', 'review.html')} shows them"
