"""Writes the pages of a tournament: `report.html` in the run directory, and in a folder beside it a replay of
each match. Every page is written atomically.

Knows what pages need; does not know how they look.
"""

import hashlib
from pathlib import Path
from typing import Final, NamedTuple

from arena import registry
from arena.log.entries import LogError, parse
from arena.log.retrace import of_entries
from arena.report.pages import page
from arena.report.replay import replay_page, stderr_beside
from arena.report.tournament import UNHEADED, Heading, report_data, unfinished
from arena.running.cache import digest, keep, recall
from arena.running.journal import Journal
from arena.running.state import Record
from arena.system import foreign
from arena.system.errors import UserError
from arena.system.files import write_whole

REPORT: Final = "report.html"
REPLAYS: Final = "replays"
PAGE_LIMIT: Final = 64 << 20
"""Bytes of a replay that is compared; a larger one is written again."""

STYLES: Final = ("base.css", "report.css")
SCRIPTS: Final = ("tables.js",)


class Written(NamedTuple):
    """The path of the report, and the number of replays beside it."""

    report: Path
    replays: int


def write_report(
    journal: Journal, heading: Heading = UNHEADED, *, with_stderr: bool = False, replays: bool = True
) -> Written:
    """Write the report of a tournament, finished or not, and a replay of every match whose pod has finished.
    A replay that is there already is left as it is. Raises UserError if a log is damaged or a file cannot be
    written."""
    try:
        written = _write_replays(journal, with_stderr) if replays else 0
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


def _write_replays(journal: Journal, with_stderr: bool) -> int:
    """Writes the replays that are missing, or not what their logs give; returns how many there are then."""
    run = journal.folder
    foreign.require_files(run / REPLAYS, run)
    record = Record(journal.entries)
    open_pods = unfinished(record)
    # By the digest of what a page follows from, the SHA-256 of the page that it gave.
    name = digest("replays", journal.digests[0])
    before: dict[str, str] = recall(name, dict[str, str]) or {}
    pages: dict[str, str] = {}
    package = registry.package_of(record.created.game)
    count, following = 0, ""
    # A page leads to the next one: from last to first.
    for match_id, played in sorted(record.played.items(), reverse=True):
        path, log = run / REPLAYS / f"{match_id}.html", journal.log_path(match_id)
        if (played.round_no, played.pod_no) in open_pods:
            # An annulled match may have a page already. It shows deals that are going to be played again.
            path.unlink(missing_ok=True)
            continue
        count += 1
        text = journal.read_log(match_id)
        stderr = stderr_beside(log, len(played.entrants)) if with_stderr else None
        log_digest = hashlib.sha256(text.encode()).digest()
        follows_from = digest("replay", (log_digest, stderr, following, package))
        found = before.get(follows_from)
        if found is None or _sha256(path, run) != found:
            entries = of_entries(parse(text.encode()))
            html = replay_page(entries, stderr=stderr, home=f"../{REPORT}", following=following).encode()
            # Not flushed to disk: there may be thousands, and a page lost in a power cut can be made again.
            write_whole(path, html, run, lasting=False)
            found = hashlib.sha256(html).hexdigest()
        pages[follows_from] = found
        following = path.name
    if pages != before:
        keep(name, pages)
    return count


def _sha256(path: Path, run: Path) -> str | None:
    """That of a page that is there; None where nothing is."""
    try:
        return hashlib.sha256(foreign.read(path, PAGE_LIMIT, run)).hexdigest()
    except OSError:
        return None
