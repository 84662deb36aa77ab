"""Writes the pages of a tournament: `report.html` in the run directory, and in a folder beside it a replay of
each match. Every page is written atomically.

Knows what pages need; does not know how they look.
"""

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from arena import registry
from arena.log.entries import LogError, parse
from arena.log.retrace import of_entries
from arena.report.bots import bots_of
from arena.report.live import Live, live, places
from arena.report.pages import embedded, page
from arena.report.replay import replay_page, stderr_beside
from arena.report.rules import rules_html
from arena.report.tournament import UNHEADED, Heading, report_data, unfinished
from arena.running.cache import digest, keep, recall
from arena.running.journal import Journal
from arena.running.state import Record
from arena.system import foreign
from arena.system.errors import UserError
from arena.system.files import write_whole

REPORT: Final = "report.html"
REPLAYS: Final = "replays"
LIVE: Final = "live.json"
PAGE_LIMIT: Final = 64 << 20
"""Bytes of a replay that is compared; a larger one is written again."""

STYLES: Final = ("base.css", "report.css", "bots.css", "live.css", "stage.css")
SCRIPTS: Final = ("elements.js", "tables.js", "csv.js", "bots.js", "live.js", "stage.js")


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
            "report.html",
            styles=STYLES,
            scripts=SCRIPTS,
            served=not data.over,
            framing=True,
            report=data,
            bots=embedded(bots_of(Record(journal.entries), data, REPLAYS)),
            replays=REPLAYS,
            linked=linked,
            rules=rules_html(Record(journal.entries).created.game),
            live=embedded(
                live(
                    journal.entries,
                    places(journal.entries),
                    linked,
                    state="over" if data.over else "running",
                )
            ),
        )
        path = journal.folder / REPORT
        write_whole(path, html.encode(), journal.folder)
    except LogError as error:
        raise UserError(f"{journal.folder}: {error}; arena verify {journal.folder} says more") from None
    except OSError as error:
        place = error.filename or journal.folder
        raise UserError(f"{place}: the report cannot be written ({error.strerror})") from None
    return Written(path, written)


def write_live(journal: Journal, data: Live) -> None:
    """Write the small file that a report asks for while a tournament runs. Raises OSError."""
    write_whole(journal.folder / LIVE, msgspec.json.encode(data), journal.folder, lasting=False)


def write_one_replay(journal: Journal, match_id: str) -> None:
    """Write the replay of a match whose pod has finished, as yet without a way to the next one, which
    `write_report` adds. Raises LogError, UserError and OSError."""
    foreign.require_files(journal.folder / REPLAYS, journal.folder)
    _write_replay(journal, match_id, journal.read_log(match_id), None, "")


def remove_replays(journal: Journal, round_no: int, pod_no: int) -> None:
    """Remove the pages of a pod of which a match is played again with the same deals. Raises OSError."""
    for path in (journal.folder / REPLAYS).glob(f"r{round_no:02}-p{pod_no:03}-s*.html"):
        path.unlink(missing_ok=True)


def written_replays(journal: Journal, match_ids: Iterable[str]) -> set[str]:
    """Those of the matches that have a page."""
    folder = journal.folder / REPLAYS
    return {match_id for match_id in match_ids if (folder / f"{match_id}.html").exists()}


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
            html = _write_replay(journal, match_id, text, stderr, following)
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


def _write_replay(
    journal: Journal, match_id: str, log: str, stderr: Sequence[str] | None, following: str
) -> bytes:
    """Writes the page of a match by its log, and returns it."""
    entries = of_entries(parse(log.encode()))
    html = replay_page(entries, stderr=stderr, home=f"../{REPORT}", following=following).encode()
    # Not flushed to disk: there may be thousands, and a page lost in a power cut can be made again.
    write_whole(journal.folder / REPLAYS / f"{match_id}.html", html, journal.folder, lasting=False)
    return html
