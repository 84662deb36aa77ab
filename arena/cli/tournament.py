"""`arena tournament`: everything from the bots on the command line to the table at the end."""

import datetime
import os
from pathlib import Path

import click
import msgspec
import trio
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from arena import __version__
from arena.cli.options import checked_seed, game_options, play_options, with_startup
from arena.cli.output import print_json, say, stderr, stdout
from arena.cli.standings import as_data, print_standings
from arena.director import run
from arena.entrants import find, require_unique
from arena.errors import UserError
from arena.games.game import Game
from arena.journal import Created, Drawn, Entry, Journal, Played
from arena.record import Record
from protocol.messages import Limits
from tournaments.formats import FORMATS, format_named
from tournaments.seatings import williams_square

WEAK_SEED = 32
"""Hex digits of a seed that nobody guesses."""


@click.command("tournament")
@click.argument("bots", nargs=-1, required=True, metavar="BOT...")
@click.option("--format", "format_name", type=click.Choice(list(FORMATS)), default="swiss", show_default=True)
@click.option("--rounds", type=click.IntRange(1, 1000), help="Rounds.  [default: the format's]")
@click.option("--seats", type=click.IntRange(2, 8), default=4, show_default=True, help="Entrants in a pod.")
@play_options
@click.option("--jobs", type=click.IntRange(1, 1024), help="Matches at a time.  [default: one a core]")
@click.option(
    "--out", type=click.Path(path_type=Path), help="The run directory.  [default: arena-<date>-<n>]"
)
def command(
    bots: tuple[str, ...],
    format_name: str,
    rounds: int | None,
    seats: int,
    game: Game,
    options: tuple[str, ...],
    deals: int | None,
    seed: str | None,
    time: Limits,
    startup: int,
    faults: int,
    as_json: bool,
    jobs: int | None,
    out: Path | None,
) -> None:
    """Pair bots over several rounds, seat every pod in all balanced seatings of the same deals, and rank
    the bots by what they gain per deal.

    Example: arena tournament bots/* --game sticheln --rounds 5 --seed 7
    """
    if seats not in game.seats:
        raise UserError(f"--seats {seats}: {game.id} is played by {game.seats[0]} to {game.seats[-1]} seats")
    found = find(bots, game.id)
    for word, reason in found.passed_over:
        say(f"{word}: passed over, not a bot ({reason})")
    for left_out in found.left_out:
        say(f"{left_out.name}: left out, {left_out.reason}")
    require_unique(found.entrants)
    if len(found.entrants) < 2:
        raise UserError(f"a tournament needs two bots, here {'is one' if found.entrants else 'are none'}")
    created = Created(
        arena=__version__,
        seed=checked_seed(seed),
        game=game.id,
        rules=game.rules,
        options=msgspec.to_builtins(game_options(game, options)),
        format=format_name,
        rounds=rounds or format_named(format_name).default_rounds(len(found.entrants)),
        pod_size=seats,
        deals=deals or game.deals(seats),
        limits=with_startup(time, startup),
        faults=faults,
        entrants=tuple(sorted(found.entrants, key=lambda entrant: entrant.name)),
        left_out=found.left_out,
    )
    folder = out or _fresh_folder()
    workers = jobs or len(
        os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else range(os.cpu_count() or 1)
    )
    with Journal.create(folder, created) as journal:
        _announce(created, folder, workers)
        with ProgressLine(created) as progress:
            trio.run(run, journal, workers, progress.told)
        if as_json:
            print_json(as_data(Record(journal.entries)))
        else:
            print_standings(journal, stdout())
        say(f"seed: {created.seed}")
        say(f"journal digest: {journal.digest}")
        say(f"logs and journal: {folder}")


def matches_a_round(created: Created) -> int:
    pods = -(-len(created.entrants) // created.pod_size)
    return pods * len(williams_square(created.pod_size))


def _announce(created: Created, folder: Path, workers: int) -> None:
    matches = created.rounds * matches_a_round(created)
    say(
        f"{len(created.entrants)} bots, {created.rounds} rounds, {matches} matches of {created.deals} deals, "
        f"{workers} at a time; results go to {folder}"
    )
    say(f"SHA-256 of the seed: {created.seed_sha256}")
    if len(created.seed) < WEAK_SEED:
        say("the seed is guessable: a bot could compute all hands")


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _fresh_folder() -> Path:
    today = datetime.date.today().isoformat()
    number = 1
    while (folder := Path(f"arena-{today}-{number}")).exists():
        number += 1
    return folder


class ProgressLine:
    """Matches done and to do, and the time left, on standard error."""

    def __init__(self, created: Created) -> None:
        self._total = created.rounds * matches_a_round(created)
        self._progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("left", markup=False),
            TimeRemainingColumn(),
            console=stderr(),
            transient=True,
        )
        self._rounds = created.rounds
        self._task = self._progress.add_task("starting", total=self._total)

    def __enter__(self) -> "ProgressLine":
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def told(self, entry: Entry) -> None:
        match entry:
            case Drawn(round_no=round_no):
                self._progress.update(self._task, description=f"round {round_no} of {self._rounds}")
            case Played(forfeits=forfeits, entrants=names, match_id=match_id):
                self._progress.advance(self._task)
                for forfeit in forfeits:
                    self._progress.console.print(
                        f"{match_id}: {names[forfeit.seat]} forfeits ({forfeit.kind})"
                    )
