"""Writes the pages of a tournament: `report.html` in the run directory, and in a folder beside it a replay of
each match. Every page is written atomically.

Knows what pages need; does not know how they look.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from arena.log.entries import LogError, parse
from arena.log.retrace import of_entries
from arena.report.pages import page
from arena.report.replay import replay_page, stderr_beside
from arena.report.tournament import UNHEADED, Heading, report_data, unfinished
from arena.running.journal import Journal
from arena.running.state import Record
from arena.system import foreign
from arena.system.errors import UserError
from arena.system.files import write_whole

REPORT: Final = "report.html"
REPLAYS: Final = "replays"

STYLES: Final = ("base.css", "report.css")
SCRIPTS: Final = ("tables.js",)


class Written(NamedTuple):
    """The path of the report, and the number of replays written beside it."""

    report: Path
    replays: int


def write_report(
    journal: Journal,
    heading: Heading = UNHEADED,
    *,
    with_stderr: bool = False,
    replays: bool = True,
    anew: bool = True,
) -> Written:
    """Write the report of a tournament, finished or not, and a replay of every match whose pod has finished.
    Without `anew`, replays that are newer than their logs are kept. Raises UserError if a log is damaged or a
    file cannot be written."""
    try:
        written = sum(1 for _ in _replays(journal, with_stderr, anew)) if replays else 0
        data = report_data(journal, heading, with_stderr=with_stderr, replays=replays)
        linked = {match.match_id for match in data.matches if match.replay}
        html = page(
            "report.html", styles=STYLES, scripts=SCRIPTS, report=data, replays=REPLAYS, linked=linked
        )
        path = journal.folder / REPORT
        write_whole(path, html.encode(), journal.folder)
    except LogError as error:
        raise UserError(f"{journal.folder}: {error}; arena verify {journal.folder} says more") from None
    except OSError as error:
        place = error.filename or journal.folder
        raise UserError(f"{place}: the report cannot be written ({error.strerror})") from None
    return Written(path, written)


def _replays(journal: Journal, with_stderr: bool, anew: bool) -> Iterator[Path]:
    run = journal.folder
    foreign.require_files(run / REPLAYS, run)
    record = Record(journal.entries)
    open_pods = unfinished(record)
    following, moved = "", False
    # A page leads to the next one, so it is written again when that one comes or goes: from last to first.
    for match_id, played in sorted(record.played.items(), reverse=True):
        path, log = run / REPLAYS / f"{match_id}.html", journal.log_path(match_id)
        existed = path.exists()
        if (played.round_no, played.pod_no) in open_pods:
            # An annulled match may have a page already. It shows deals that are going to be played again.
            path.unlink(missing_ok=True)
            moved |= existed
            continue
        if anew or moved or not existed or path.stat().st_mtime_ns <= log.stat().st_mtime_ns:
            stderr = stderr_beside(log, len(played.entrants)) if with_stderr else None
            entries = parse(journal.read_log(match_id).encode())
            html = replay_page(of_entries(entries), stderr=stderr, home=f"../{REPORT}", following=following)
            # Not flushed to disk: there may be thousands, and a page lost in a power cut can be made again.
            write_whole(path, html.encode(), run, lasting=False)
            yield path
        following, moved = path.name, not existed
