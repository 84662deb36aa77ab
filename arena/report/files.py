"""Writes the pages of a tournament into its run directory: `report.html`, and a replay of each match in a
folder beside it.

Up to ONE_FILE matches each page is a file that needs no other. Beyond, the report reads rows from files in
`report/`, and one page, `replay.html`, reads the match that its address names. Every file is written
atomically. Knows what pages need; does not know how they look.
"""

import contextlib
import hashlib
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from arena import registry
from arena.journal.chained import DamageError
from arena.log.entries import LogError, parse
from arena.log.retrace import of_entries
from arena.report import LIVE
from arena.report.bots import Bots, bots_of
from arena.report.folder import ROWS, files_of, outlined
from arena.report.live import Live, live, places
from arena.report.pages import embedded, page
from arena.report.preview import PREVIEW, Place, address_of, preview, preview_of
from arena.report.replay import reader_page, replay_file, replay_page, stderr_beside
from arena.report.rules import rules_html
from arena.report.tournament import UNHEADED, Heading, Report, report_data, unfinished, unreadable
from arena.running.cache import digest, keep, recall
from arena.running.journal import Journal
from arena.running.state import Record
from arena.system import foreign
from arena.system.errors import EXHAUSTED, UserError
from arena.system.files import left_by, write_all_whole, write_whole

REPORT: Final = "report.html"
REPLAYS: Final = "replays"
ROW_FILES: Final = "report"
READER: Final = "replay.html"
"""The page that shows every match of a large tournament. Behind its `?` stands where the page of one match
would be."""
OURS: Final = re.compile(r"r\d+-p\d+-s\d+\.(html|json)|[0-9a-f]{16}-(matches|round|bot)-[0-9-]+\.json")
"""The names of files in the two folders."""
ONE_FILE: Final = 2_500
"""The most matches of a report in one file. As many are some 5 MB, which take a browser about a second, and
250 MB of replays: each is 100 kB, of which 24 kB are its match."""
NAMED: Final = 3
"""At most so many of the logs are named that cannot be read; the others are counted."""
REPLAY_LIMIT: Final = 64 << 20
"""Bytes of a replay that is compared; a larger one is written again."""

STYLES: Final = ("base.css", "report.css", "bots.css", "live.css", "stage.css")
SCRIPTS: Final = ("elements.js", "numbers.js", "tables.js", "csv.js", "bots.js", "live.js", "stage.js")
Progress = Callable[[int, int], object]
"""Called with the number of replays that are done, and how many there will be."""

READING_STYLES: Final = ("reading.css",)
READING_SCRIPTS: Final = ("reading.js", "folder.js")


class Written(NamedTuple):
    """The path of the report, and the number of replays beside it. `served`: it reads files, which a browser
    allows only to pages that a server sends. `complaint`: what it lacks, why, and the way out, in one line;
    "" if it is whole."""

    report: Path
    replays: int
    served: bool
    complaint: str


def write_report(
    journal: Journal,
    heading: Heading = UNHEADED,
    *,
    with_stderr: bool = False,
    replays: bool = True,
    missing: bool = True,
    one_file: int = ONE_FILE,
    rows: int = ROWS,
    ends: float | None = None,
    progress: Progress = lambda done, total: None,
) -> Written:
    """Write the report of a tournament, finished or not, and a replay of every match whose pod has finished.
    `ends`: when the last match is expected to end, in seconds after 1970, as far as one knows.
    A replay that is there already is left as it is; with `missing` false no other is made. With more than
    `one_file` matches the report reads files of so many `rows`, and has to be served; what a report of the
    other kind has left is removed. What cannot be read of a log, or written as a replay, is left out, and
    the caller is told. Raises UserError if the report itself cannot be written."""
    heading = msgspec.structs.replace(heading, address=address_of(heading.address))
    record = Record(journal.entries)
    served = len(record.played) > one_file
    try:
        linked: set[str] = set()
        unread: dict[str, str] = {}
        blocked = ""
        if replays and missing:
            try:
                linked, unread = _write_replays(journal, with_stderr, progress, served=served)
            except OSError as error:
                if error.errno in EXHAUSTED:
                    raise
                place = error.filename or journal.folder
                blocked = f"{place}: there are no replays until this is mended ({error.strerror})"
        elif replays:
            linked = written_replays(journal, over(record), served=served)
        if replays and served:
            reader = reader_page(record.created.game, home=REPORT)
            write_whole(journal.folder / READER, reader.encode(), journal.folder)
        data = report_data(journal, heading, with_stderr=with_stderr, replays=linked)
        pages = f"{READER}?{REPLAYS}" if served else REPLAYS
        bots = bots_of(record, data, pages)
        row_files = _write_rows(journal, data, bots, rows) if served else ""
        html = page(
            "report.html",
            styles=STYLES + READING_STYLES * served,
            scripts=SCRIPTS + READING_SCRIPTS * served,
            served=served or not data.over,
            framing=True,
            report=data,
            bots=embedded(outlined(bots) if served else bots),
            row_files=row_files,
            rows_in_file=rows,
            replays=pages,
            linked=linked,
            preview=data.heading.address and preview_of(data.heading.address),
            rules=rules_html(record.created.game),
            live=embedded(
                live(
                    journal.entries,
                    places(journal.entries),
                    linked,
                    state="over" if data.over else "running" if journal.is_played else "stopped",
                    ends=ends,
                )
            ),
        )
        path = journal.folder / REPORT
        if data.heading.address:
            write_whole(journal.folder / PREVIEW, _preview(data), journal.folder)
        write_whole(path, html.encode(), journal.folder)
        _remove_others(journal.folder, row_files, replays=replays)
    except OSError as error:
        place = error.filename or journal.folder
        raise UserError(f"{place}: the report cannot be written ({error.strerror})") from None
    complaint = _complaint(path, blocked, {**unread, **data.unread})
    return Written(path, len(linked), served, complaint)


def _complaint(report: Path, blocked: str, unread: Mapping[str, str]) -> str:
    """What a report lacks, in one line. `blocked`: why it has no replays; `unread`: by match, why its log
    cannot be read."""
    whys = [why for _, why in sorted(unread.items())]
    lacks = [*filter(None, [blocked]), *whys[:NAMED]]
    if len(whys) > NAMED:
        lacks.append(f"{len(whys) - NAMED} more logs cannot be read")
    way_out = f" (arena verify {report.parent} says more)" if unread else ""
    return f"{'; '.join(lacks)}; {report} is written without{way_out}" if lacks else ""


def write_live(journal: Journal, data: Live) -> None:
    """Write the small file that a report asks for while a tournament runs. Raises OSError."""
    write_whole(journal.folder / LIVE, msgspec.json.encode(data), journal.folder, lasting=False)


def write_one_replay(journal: Journal, match_id: str) -> None:
    """Write the replay of a match whose pod has finished, as yet without a way to the next one, which
    `write_report` adds. Raises LogError, UserError and OSError."""
    foreign.require_files(journal.folder / REPLAYS, journal.folder)
    _write_replay(_replay_path(journal, match_id), journal, journal.read_log(match_id), None, "")


def remove_open_replays(journal: Journal) -> None:
    """Remove the replays of pods that have not finished: after a match was annulled their deals are going to
    be played again. Raises OSError."""
    shown = set(over(Record(journal.entries)))
    with contextlib.suppress(FileNotFoundError):
        _remove(journal.folder / REPLAYS, journal.folder, lambda name: name.partition(".")[0] not in shown)


def remove_left(journal: Journal, writer: int) -> None:
    """Remove what a process that wrote pages, and has ended, left unfinished."""
    for place in (".", REPLAYS, ROW_FILES):
        for path in left_by(writer, journal.folder / place):
            with contextlib.suppress(OSError):
                path.unlink()


def written_replays(journal: Journal, match_ids: Iterable[str], *, served: bool | None = None) -> set[str]:
    """Those of the matches that have a replay. `served`: in a report of that kind; None for the one that was
    written last."""
    return {one for one in match_ids if _replay_path(journal, one, served=served).exists()}


def over(record: Record) -> list[str]:
    """The matches of pods that have finished, the latest first: their hands may be seen."""
    open_pods = unfinished(record)
    played = [one for one, match in record.played.items() if (match.round_no, match.pod_no) not in open_pods]
    return sorted(played, reverse=True)


def _preview(data: Report) -> bytes:
    """The picture by which a link to the report is shown."""
    said = (data.game, data.progress, data.heading.date, data.heading.organiser)
    places = [
        Place(row.rank, data.called.get(row.name, row.name), row.name, row.low, row.gain, row.high)
        for row in data.standings.entrants
    ]
    return preview(data.heading.title, " · ".join(filter(None, said)), data.ahead, places, data.gains)


def _replay_path(journal: Journal, match_id: str, *, served: bool | None = None) -> Path:
    """The file of a replay. `served`: None for as the report is that was written last."""
    if served is None:
        served = (journal.folder / READER).exists()
    return journal.folder / REPLAYS / f"{match_id}{'.json' if served else '.html'}"


def _write_replays(
    journal: Journal, with_stderr: bool, progress: Progress, *, served: bool
) -> tuple[set[str], dict[str, str]]:
    """Writes the replays that are missing, or not what their logs give. Returns the matches that have one,
    and why others have none. Raises OSError."""
    run = journal.folder
    foreign.require_files(run / REPLAYS, run)
    remove_open_replays(journal)
    record = Record(journal.entries)
    shown = over(record)
    # By the digest of what a file follows from, the SHA-256 of the file that it gave.
    name = digest("replays", (journal.digests[0], served))
    before: dict[str, str] = recall(name, dict[str, str]) or {}
    files: dict[str, str] = {}
    failed: dict[str, str] = {}
    package = registry.package_of(record.created.game)
    following = ""
    # A replay leads to the next one: from last to first.
    for number, match_id in enumerate(shown, 1):
        path, log = _replay_path(journal, match_id, served=served), journal.log_path(match_id)
        stderr = stderr_beside(log, len(record.played[match_id].entrants)) if with_stderr else None
        try:
            text = journal.read_log(match_id)
            log_digest = hashlib.sha256(text.encode()).digest()
            follows_from = digest("replay", (log_digest, stderr, following, package))
            found = before.get(follows_from)
            if found is None or _sha256(path, run) != found:
                written = _write_replay(path, journal, text, stderr, following)
                found = hashlib.sha256(written).hexdigest()
        except (DamageError, LogError) as error:
            failed[match_id] = unreadable(journal, match_id, error)
        else:
            files[follows_from] = found
            following = match_id
        progress(number, len(shown))
    if files != before:
        keep(name, files)
    return set(shown) - failed.keys(), failed


def _sha256(path: Path, run: Path) -> str | None:
    """That of a file that is there; None where nothing is."""
    try:
        return hashlib.sha256(foreign.read(path, REPLAY_LIMIT, run)).hexdigest()
    except OSError:
        return None


def _write_replay(
    path: Path, journal: Journal, log: str, stderr: Sequence[str] | None, following: str
) -> bytes:
    """Writes the replay of a match by its log, and returns it."""
    entries = of_entries(parse(log.encode()))
    if path.suffix == ".json":
        data = replay_file(entries, stderr=stderr, following=following)
    else:
        after = following and f"{following}.html"
        data = replay_page(entries, stderr=stderr, home=f"../{REPORT}", following=after).encode()
    # Not flushed to disk: there may be thousands, and one lost in a power cut can be made again.
    write_whole(path, data, journal.folder, lasting=False)
    return data


def _write_rows(journal: Journal, data: Report, bots: Bots, rows: int) -> str:
    """Writes what the report reads, and returns the beginning of the paths. It is another one for other
    content, so that a page which somebody has open never reads the rows of a later one."""
    run = journal.folder
    foreign.require_files(run / ROW_FILES, run)
    files = dict(files_of(data, bots, rows))
    found = hashlib.sha256()
    for name, content in files.items():
        found.update(name.encode() + hashlib.sha256(content).digest())
    beginning = found.hexdigest()[:16]
    paths = {run / ROW_FILES / f"{beginning}-{name}.json": content for name, content in files.items()}
    write_all_whole(paths, run, lasting=False)
    return f"{ROW_FILES}/{beginning}"


def _remove_others(run: Path, beginning: str, *, replays: bool) -> None:
    """Removes the files of earlier reports: rows whose paths have another `beginning`, and with `replays`
    those of the other kind. Raises OSError."""
    kept = Path(beginning).name
    with contextlib.suppress(OSError):
        _remove(run / ROW_FILES, run, lambda name: not kept or not name.startswith(kept))
        if not kept:
            (run / ROW_FILES).rmdir()
    if replays:
        with contextlib.suppress(OSError):
            _remove(run / REPLAYS, run, lambda name: name.endswith(".html" if kept else ".json"))
        if not kept:
            (run / READER).unlink(missing_ok=True)


def _remove(folder: Path, run: Path, unwanted: Callable[[str], bool]) -> None:
    """Removes those of our files in a folder of the run that are `unwanted`. Raises OSError, also where it is
    no folder."""
    # By a descriptor, since a stranger's link might lead to a folder of the user's.
    with foreign.folder(folder, run) as inside:
        for name in os.listdir(inside):
            if OURS.fullmatch(name) and unwanted(name):
                os.unlink(name, dir_fd=inside)
