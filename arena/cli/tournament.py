"""`arena tournament`: runs a tournament, from the bots on the command line to the final table."""

from pathlib import Path

import click
import msgspec

from arena.cli import BUG, DONE, INTERRUPTED, USER_ERROR
from arena.cli.config import config_option
from arena.cli.derived import argument, derived_option, takes
from arena.cli.faults import say_bugs
from arena.cli.live import shown
from arena.cli.onward import how_to_serve, onward
from arena.cli.options import SectionCommand, json_option
from arena.cli.output import print_json, say, stdout
from arena.commands.seed import seed_lines_after
from arena.commands.tournament import PlanTournament, RunTournament, TournamentResult
from arena.director.journal import Journal
from arena.director.state import Record
from arena.system.errors import UserError
from arena.system.text import shell_word

quiet_option = click.option("--quiet", is_flag=True, help="Show no progress.")
_plan = argument(PlanTournament, "margin")
plan_option = derived_option(_plan, required=False)


@click.command("tournament", cls=SectionCommand)
@takes(RunTournament, out=json_option, report=quiet_option, like=plan_option)
@config_option
def command(call: RunTournament, as_json: bool, quiet: bool, margin: float | None) -> int:
    """Play a tournament: pair the bots over several rounds, have every pod play the same deals in all
    balanced seatings, and rank the bots by gain per deal. A table (class.csv) or an archive (class.zip) may
    contain several bots.

    Example: arena tournament bots/* --game sticheln --rounds 5 --seed 7
    """
    if margin is not None:
        from arena.cli.plan import print_plan

        plan = PlanTournament(**msgspec.structs.asdict(call), margin=margin)
        print_plan(plan.carry_out(say), plan.like, stdout(), as_json=as_json)
        return DONE
    if call.like is not None and call.until is None and call.minutes is None:
        raise UserError("--like DIR needs --plan MARGIN, --until or --minutes")
    return show_ended(call.carry_out(say, shown(quiet=quiet), quiet=quiet), as_json=as_json)


def show_ended(ran: TournamentResult, *, as_json: bool) -> int:
    """Print the table of a tournament that has ended or was interrupted. Returns the exit status."""
    # Imported here because numpy and scipy are slow to load, and no match should wait for them.
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
        say(
            f"interrupted: these are the standings so far; to continue: arena resume {shell_word(ran.folder)}"
        )
        return INTERRUPTED
    for line in seed_lines_after(record.created):
        say(line)
    if record.skipped:
        say(f"not played because of arena errors: {', '.join(record.skipped)}; please report them")
        return BUG
    if any(played.forfeits for played in record.in_order):
        say(f"next: {onward('faults', ran.folder, '--full')} shows what bots did wrong")
    if not ran.report and not ran.lacking:
        say(f"next: {onward('report', ran.folder)} writes pages for a browser, with every replay")
    return USER_ERROR if ran.lacking else DONE
