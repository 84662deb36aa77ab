"""`arena tournament`: runs a tournament, from the bots on the command line to the final table."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

import click
import trio

from arena import __version__
from arena.calls.standings import as_data
from arena.cli import BUG, DONE, INTERRUPTED
from arena.cli.cluster import Playing, dask_option, jobs_option, playing
from arena.cli.config import config_option
from arena.cli.live import display
from arena.cli.options import FiniteRange, bots_argument, json_option, keep_option, titles_option, unused
from arena.cli.output import counted, duration, print_json, say, stdout
from arena.cli.seed import announced, seed_lines_after, seed_lines_before, seed_options
from arena.cli.standings import print_standings
from arena.cli.terms import Terms, of_bots, require_seats, require_unread, terms_options, with_titles
from arena.entrants.entrant import Entrant
from arena.entrants.find import Found, find, require_unique
from arena.process.cores import allowed
from arena.process.lag import lag_ms, warning
from arena.running.director import GRACE_SECONDS, Stopping, run_until_stopped
from arena.running.journal import Created, Drawn, Journal, JournalEntry
from arena.running.state import Record, planned_matches
from arena.system.errors import UserError
from arena.system.text import caption
from tournaments.formats import FORMATS, PAIRING, format_named

quiet_option = click.option("--quiet", is_flag=True, help="Show no progress.")
report_option = click.option(
    "--report", is_flag=True, help="Write report.html and replays after every round."
)

SAFE_SEED_LENGTH: Final = 32
"""A shorter seed is guessable; 32 hex digits are not."""


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
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="With --plan: take the spread of gains from this run.  [default: typical of the game]",
)
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
    titles: tuple[str, ...],
    margin: float | None,
    like: Path | None,
    dask: str | None,
) -> int:
    """Pair bots over several rounds, seat every pod in all balanced seatings of the same deals, and rank
    the bots by what they gain per deal.

    Example: arena tournament bots/* --game sticheln --rounds 5 --seed 7
    """
    require_seats(terms.game, seats)
    mixed = announced(seed_file, public)
    if terms.options.open_ended and duplicates:
        raise UserError(
            "these options let play decide how many deals a match has, and duplicate deals need equally many "
            "in every seating: add --no-duplicates"
        )
    found = _found(bots, terms)
    entrants = with_titles(found.entrants, titles)
    planned = format_named(format_name).default_rounds
    created = Created(
        arena=__version__,
        seed=mixed.seed if mixed else terms.seed,
        **terms.settings(seats),
        rules=terms.game.rules,
        format=format_name,
        rounds=rounds or planned(len(entrants), seats, len(challengers)),
        pod_size=seats,
        duplicates=duplicates,
        entrants=tuple(sorted(entrants, key=lambda entrant: entrant.name)),
        left_out=found.left_out,
        authors=_authors(authors, entrants),
        challengers=tuple(name for name, _ in of_bots(challengers, entrants, "--challenger")),
        keep_bots=keep_bots,
        pairing=PAIRING,
        announced=mixed,
    )
    if (format_name == "gauntlet") != bool(challengers):
        raise UserError("--format gauntlet and --challenger BOT go together")
    if margin is not None:
        from arena.cli.plan import print_plan

        print_plan(created, jobs or len(allowed()), margin, like, stdout(), as_json=as_json)
        return DONE
    if like is not None:
        raise UserError("--like DIR goes with --plan MARGIN")
    folder = out or unused()
    require_unread(folder, found.entrants, terms.sandbox)
    require_unread(seed_file, found.entrants, terms.sandbox)
    with playing(dask, jobs, quiet=quiet) as how, Journal.create(folder, created) as journal:
        say(terms.sandbox_line)
        if not journal.made_here:
            say(f"{journal.stranger}; arena resume will ask for --trust")
        if not quiet:
            _announce(created, folder, None if dask else how.workers)
        return run_tournament(journal, how, quiet=quiet, as_json=as_json, report=report)


def _found(words: Sequence[str], terms: Terms) -> Found:
    """The bots that the words name, two at least. Prints which words are passed over, and which bots are left
    out. Raises UserError."""
    found = find(words, terms.game.id, terms.sandbox)
    for word, reason in found.passed_over:
        if "=" in word and not Path(word).exists():
            raise UserError(f"{word}: not a bot ({reason})")
        say(f"{word}: passed over, not a bot ({reason})")
    for left_out in found.left_out:
        say(f"{left_out.name}: left out, {left_out.reason}")
    require_unique(found.entrants)
    if len(found.entrants) < 2:
        raise UserError(f"a tournament needs two bots, here {'is one' if found.entrants else 'are none'}")
    return found


def _authors(words: Iterable[str], entrants: Sequence[Entrant]) -> dict[str, str]:
    authors = dict(of_bots(words, entrants, "--author", "who wrote it?"))
    for name, author in authors.items():
        if not author:
            raise UserError(f"--author {name}=: who wrote it? --author {name}=AUTHOR")
    return {name: caption(author) for name, author in authors.items()}


STOPPING: Final = f"stopping: matches that run have {GRACE_SECONDS:g} s to end; Ctrl-C again ends all at once"


def run_tournament(journal: Journal, how: Playing, *, quiet: bool, as_json: bool, report: bool) -> int:
    """Run the tournament from the present state of its journal until it ends or is interrupted, and print the
    table. Returns the exit status."""
    with display(Record(journal.entries).created, journal.entries, quiet=quiet) as shown:

        def on_entry(entry: JournalEntry) -> None:
            shown.on_entry(entry)
            # A round is drawn when no match runs, so the time for a report delays none.
            if report and isinstance(entry, Drawn):
                try:
                    _write_report(journal)
                except UserError as error:
                    # A report that cannot be written must not end the tournament.
                    say(str(error))

        stopping = Stopping(lambda: shown.say(STOPPING))
        trio.run(run_until_stopped, journal, how.workers, on_entry, stopping, how.play_all, how.cores)
    record = Record(journal.entries)
    if as_json:
        print_json(as_data(record))
    else:
        print_standings(record, journal.read_log, stdout())
    say(f"journal digest: {journal.digest}")
    say(f"logs and journal: {journal.folder}")
    if report:
        say(f"report: {_write_report(journal)}")
    if stopping.asked:
        say(f"interrupted: these are the standings so far; arena resume {journal.folder} goes on")
        return INTERRUPTED
    for line in seed_lines_after(record.created):
        say(line)
    if record.skipped:
        say(f"not played, by errors of the arena: {', '.join(record.skipped)}; please report them")
        return BUG
    return DONE


def _write_report(journal: Journal) -> Path:
    from arena.report.files import write_report

    return write_report(journal, anew=False).report


def _announce(created: Created, folder: Path, workers: int | None) -> None:
    """Print what is going to be played. `workers` is the number of workers here; None on a cluster, whose
    workers are printed when they join."""
    from arena.cli.plan import worst_seconds

    matches = sum(planned_matches(created))
    at_a_time = f", {workers} at a time" if workers else ""
    say(
        f"{len(created.entrants)} bots, {counted(created.rounds, 'round')}, {counted(matches, 'match')} of "
        f"{counted(created.deals, 'deal')}{at_a_time}; results go to {folder}"
    )
    for line in seed_lines_before(created):
        say(line)
    if workers:
        say(f"if every bot used all its time: {duration(worst_seconds(created, matches, workers))}")
        if late := warning(created.limits.decision_ms, lag_ms(workers), workers):
            say(late)
    if len(created.seed) < SAFE_SEED_LENGTH:
        say("the seed is guessable: a bot could compute all hands")
