"""`arena tournament`: runs a tournament, from the bots on the command line to the final table."""

from pathlib import Path

import click

from arena.cli import BUG, DONE, INTERRUPTED, USER_ERROR
from arena.cli.config import config_option
from arena.cli.faults import say_bugs
from arena.cli.live import shown
from arena.cli.meant import PlaceType
from arena.cli.onward import how_to_serve, onward
from arena.cli.options import (
    FiniteRange,
    bots_argument,
    dask_option,
    jobs_option,
    json_option,
    keep_option,
    titles_option,
)
from arena.cli.output import print_json, say, stdout
from arena.cli.seed import seed_options
from arena.cli.terms import of_bots, terms_options, titles_from
from arena.commands.seed import seed_lines_after
from arena.commands.tournament import PlanTournament, Ran, RunTournament
from arena.director.ends import MOST_MINUTES
from arena.director.journal import Journal
from arena.director.state import Record
from arena.playing.terms import Terms
from arena.system.errors import UserError
from arena.system.places import Kind
from arena.system.text import shell_word
from tournaments.formats import FORMATS

until_option = click.option(
    "--until", metavar="TIME", help="Play as many rounds as fit before this time: 11:30, or 2026-05-07T11:30."
)
minutes_option = click.option(
    "--minutes", type=FiniteRange(0, MOST_MINUTES), help="Play as many rounds as fit into so many minutes."
)
quiet_option = click.option("--quiet", is_flag=True, help="Show no progress.")
report_option = click.option(
    "--report", is_flag=True, help="Write report.html and replays, which follow the rounds."
)


@click.command("tournament")
@bots_argument
@click.option("--format", "format_name", type=click.Choice(list(FORMATS)), default="swiss", show_default=True)
@click.option("--rounds", type=click.IntRange(1, 1000), help="Rounds.  [default: the format's]")
@click.option("--seats", type=click.IntRange(2, 8), default=4, show_default=True, help="Entrants in a pod.")
@terms_options
@seed_options
@json_option
@click.option(
    "--duplicates/--no-duplicates",
    default=True,
    show_default=True,
    help="Play the deals of a pod in several seatings, or each deal only once.",
)
@keep_option
@jobs_option
@click.option(
    "--out", type=click.Path(path_type=Path), help="The run directory.  [default: arena-<date>-<n>]"
)
@quiet_option
@report_option
@click.option(
    "--challenger",
    "challengers",
    multiple=True,
    metavar="BOT",
    help="A bot that a gauntlet tests; may be repeated.",
)
@click.option(
    "--author",
    "authors",
    multiple=True,
    metavar="BOT=AUTHOR",
    help="A bot's author; bots of one author are kept apart where possible.",
)
@click.option(
    "--group",
    "groups",
    multiple=True,
    metavar="BOT=GROUP",
    help="A group that gets a table of its own, such as a class; may be repeated.",
)
@titles_option
@click.option(
    "--plan",
    "margin",
    type=FiniteRange(0, min_open=True),
    metavar="MARGIN",
    help="Play nothing; print what it takes to know gains per deal to ±MARGIN.",
)
@click.option(
    "--like",
    type=PlaceType(Kind.TOURNAMENT),
    metavar="DIR",
    help="A run that tells how long matches take; with --plan, after three rounds, how much gains vary, too.",
)
@until_option
@minutes_option
@dask_option
@config_option
def command(
    bots: tuple[str, ...],
    format_name: str,
    rounds: int | None,
    seats: int,
    terms: Terms,
    seed_file: Path | None,
    public: str | None,
    as_json: bool,
    duplicates: bool,
    keep_bots: bool,
    jobs: int | None,
    out: Path | None,
    quiet: bool,
    report: bool,
    challengers: tuple[str, ...],
    authors: tuple[str, ...],
    groups: tuple[str, ...],
    titles: tuple[str, ...],
    margin: float | None,
    like: Path | None,
    until: str | None,
    minutes: float | None,
    dask: str | None,
) -> int:
    """Pair bots over several rounds, seat every pod in all balanced seatings of the same deals, and rank
    the bots by what they gain per deal. A table (class.csv) or an archive (class.zip) names several bots.

    Example: arena tournament bots/* --game sticheln --rounds 5 --seed 7
    """
    call = RunTournament(
        bots=bots,
        format=format_name,
        rounds=rounds,
        seats=seats,
        terms=terms,
        seed_file=None if seed_file is None else str(seed_file),
        public=public,
        duplicates=duplicates,
        keep_bots=keep_bots,
        jobs=jobs,
        out=None if out is None else str(out),
        report=report,
        challengers=challengers,
        authors=of_bots(authors, "--author", "who wrote it?"),
        groups=of_bots(groups, "--group", "which one is it in?"),
        titles=titles_from(titles),
        dask=dask,
        quiet=quiet,
        until=until,
        minutes=minutes,
        like=None if like is None else str(like),
    )
    if margin is not None:
        if until is not None or minutes is not None:
            raise UserError("--plan plays nothing; leave out --until and --minutes")
        from arena.cli.plan import print_plan

        plan = PlanTournament(tournament=call, margin=margin, like=None if like is None else str(like))
        print_plan(plan.carry_out(say), like, stdout(), as_json=as_json)
        return DONE
    if like is not None and until is None and minutes is None:
        raise UserError("--like DIR goes with --plan MARGIN, --until or --minutes")
    return show_ended(call.carry_out(say, shown(quiet=quiet)), as_json=as_json)


def show_ended(ran: Ran, *, as_json: bool) -> int:
    """Print the table of a tournament that has ended or was interrupted. Returns the exit status."""
    # Imported here because numpy and scipy are slow to load, and no match has to wait for them.
    from arena.cli.standings import print_standings
    from arena.director.standings import as_data

    with Journal(Path(ran.folder)) as journal:
        record = Record(journal.entries)
        if as_json:
            print_json(as_data(record))
        else:
            print_standings(record, journal.read_written_log, stdout())
        say_bugs(record.bugs, journal.folder)
        say(f"journal digest: {journal.digest}")
        say(f"logs and journal: {journal.folder}")
        if ran.report:
            say(f"report: {ran.report}")
        if ran.served:
            for line in how_to_serve(journal.folder):
                say(line)
    if ran.interrupted:
        say(f"interrupted: these are the standings so far; arena resume {shell_word(ran.folder)} goes on")
        return INTERRUPTED
    for line in seed_lines_after(record.created):
        say(line)
    if record.skipped:
        say(f"not played, by errors of the arena: {', '.join(record.skipped)}; please report them")
        return BUG
    if not ran.report and not ran.lacking:
        say(f"next: {onward('report', ran.folder)} makes pages for a browser, with every replay")
    return USER_ERROR if ran.lacking else DONE
