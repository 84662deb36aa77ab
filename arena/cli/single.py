"""Prints the result of a single match, outside a tournament."""

import hashlib
from pathlib import Path
from typing import Any

from arena.cli.faults import print_faults, say_bugs
from arena.cli.onward import onward
from arena.cli.output import Column, print_json, print_table, say, stdout
from arena.commands.match import PlayedMatch
from arena.director.titles import with_title
from arena.entrants.entrant import Entrant
from arena.games import registry
from arena.log.fault_report import fault_rows
from arena.playing.job import Finished, Job, bug_rows
from arena.system.files import kept
from protocol.outcome import seats_by_placing, totals


def show(played: PlayedMatch, *, log: Path | None, as_json: bool) -> None:
    """Print the result of a match, its faults and what to do next."""
    job, finished, seed = played.job, played.finished, played.seed
    bugs = bug_rows(job, finished, str(log or kept(finished.log, "match.jsonl")) if finished.bugs else "")
    if as_json:
        print_json(_as_data(job, finished, seed) | {"bugs": bugs})
        say_bugs(bugs)
        return
    _print(job, finished)
    say_bugs(bugs)
    if seed is not None:
        say(f"seed: {seed}")
    if log is not None:
        say(f"{onward('replay', log)} shows it trick by trick")
        forfeited = {forfeit.seat for forfeit in finished.forfeits}
        seat = next((seat for seat in range(len(job.entrants)) if seat not in forfeited), None)
        if seat is not None:
            called = job.entrants[seat].called
            say(f"{onward('review', log, '--seat', seat)} shows which decisions cost {called} most")
    if faults := fault_rows(finished.log):
        _say_what_to_do(job.entrants[faults[0].seat], log)


def _say_what_to_do(faulty: Entrant, log: Path | None) -> None:
    # Persons and house bots have no source.
    if faulty.source:
        say(f"{onward('check', faulty.source)} says how to fix it")
    if log is not None:
        say(f"{onward('faults', log, '--full')} shows what was sent")


def _as_data(job: Job, finished: Finished, seed: str | None) -> dict[str, Any]:
    points = finished.outcome.points
    return {
        "game": job.settings.game,
        "options": job.settings.options,
        "seed": seed,
        "deals": job.settings.deals,
        "seats": [
            with_title({"seat": seat, "name": entrant.name}, entrant.title)
            | {
                "points": [deal[seat] for deal in points],
                "total": totals(points, len(job.entrants))[seat],
                "placing": finished.outcome.placings[seat],
            }
            for seat, entrant in enumerate(job.entrants)
        ],
        "faults": fault_rows(finished.log),
        "log_sha256": hashlib.sha256(finished.log.encode()).hexdigest(),
    }


def _print(job: Job, finished: Finished) -> None:
    game = registry.game(job.settings.game)
    points, placings = finished.outcome.points, finished.outcome.placings
    sums = totals(points, len(job.entrants))
    forfeited = {forfeit.seat: forfeit.kind for forfeit in finished.forfeits}
    columns = [Column("place", right=True), Column("bot"), Column("seat", right=True)]
    columns += [Column(f"deal {deal_no}", right=True, spare=deal_no) for deal_no in range(1, len(points) + 1)]
    columns += [Column(game.counts, right=True), Column("")]
    rows = [
        (
            str(placings[seat]),
            job.entrants[seat].called,
            str(seat),
            *(str(deal[seat]) for deal in points),
            str(sums[seat]),
            f"forfeited: {forfeited[seat]}" if seat in forfeited else "",
        )
        for seat in seats_by_placing(placings)
    ]
    print_table(game.title, columns, rows, stdout())
    print_faults(fault_rows(finished.log), stdout())
