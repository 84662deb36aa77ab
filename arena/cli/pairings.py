"""`arena pairings`: who met whom in each round, and why."""

from pathlib import Path

import click

from arena.cli.options import folder_argument
from arena.cli.output import Column, print_json, print_table, stdout
from arena.director.journal import Journal
from arena.director.pairings import as_data, pairings
from arena.director.state import Record
from arena.director.wording import pod_cells
from arena.system.errors import UserError


@click.command("pairings")
@folder_argument
@click.option("--round", "round_no", type=click.IntRange(1), help="Show only this round.")
@click.option("--explain", is_flag=True, help="Also show which entrants had met, and the cheapest exchange.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON on standard output, with explanations.")
def command(folder: Path, round_no: int | None, explain: bool, as_json: bool) -> None:
    """Show the pods of each round of the tournament in DIR. The pairing minimises these costs, in this order:
    repeats (m² for two entrants that have met m times), bots by the same author in a pod, house bots (m² for
    each one in a pod with an entrant that has met m of them), and squared gaps in score.

    Example: arena pairings spring --round 3 --explain
    """
    with Journal(folder) as journal:
        record = Record(journal.entries)
    if round_no is not None and round_no > len(record.drawn):
        raise UserError(f"--round {round_no}: {folder} has drawn {len(record.drawn)} rounds so far")
    if as_json:
        print_json(as_data(record, round_no))
        return
    columns = [Column("pod", right=True), Column("entrants and their scores", folds=True)]
    if explain:
        columns += [Column("had met", folds=True), Column("gap", right=True)]
        columns += [Column("cheapest exchange", folds=True)]
    for number, drawing in pairings(record, round_no):
        rows = [[*pod_cells(pod, record.called).values()][: len(columns)] for pod in drawing]
        print_table(f"Round {number}", columns, rows, stdout())
