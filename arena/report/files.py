"""Writes the pages of a tournament into its run directory: `report.html`, and a folder with a replay of each
match.

Up to ONE_FILE matches each page is a file that needs no other. Beyond that, the report loads rows from files
in `report/`, and one page, `replay.html`, loads the match that its address names. Every file is written
atomically. Knows what pages need, but not how they look.
"""

import contextlib
import errno
import hashlib
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from arena.director.cache import tables_folder
from arena.director.journal import Journal
from arena.director.state import Record
from arena.director.wording import named, possible_ranks
from arena.report import LIVE, REPLAYS, REPORT, ROW_FILES
from arena.report.bots import Bots, bots_of
from arena.report.folder import ROWS, files_of, outlined
from arena.report.hands import OURS, over, remove_open_replays, remove_ours, retract_if_annulled
from arena.report.live import Live, State, live, places
from arena.report.pages import embedded, page
from arena.report.preview import PREVIEW, PreviewRow, address_of, preview, preview_of
from arena.report.replay import reader_page
from arena.report.replay_files import Progress, write_replays, written_replays
from arena.report.rules import rules_html
from arena.report.tournament import UNHEADED, Heading, Report, report_data
from arena.system import foreign
from arena.system.errors import EXHAUSTED, UserError
from arena.system.files import left_by, write_all_whole, write_whole
from arena.system.text import shell_word
from arena.system.wording import flag

READER: Final = "replay.html"
"""The page that shows every match of a large tournament. After the `?` of its address comes the path of a
match."""
ONE_FILE: Final = 2_500
"""The largest number of matches for a report in one file. That is some 5 MB, which take a browser about a
second, and 250 MB of replays: each has 100 kB, of which 24 kB are its match."""
NAMED: Final = 3
"""A complaint names at most this many missing logs, and this many places where it cannot write; it counts the
others."""
WAYS_OUT: Final = {
    errno.ENOSPC: "; make room",
    errno.EDQUOT: "; make room",
    errno.EACCES: "; it needs permission to write there",
    errno.EPERM: "; it needs permission to write there",
}
"""By errno, what to do if the report cannot be written."""

MAY_SHOW: Final = "cannot be removed, and may show hands that are still to be played"

STYLES: Final = ("base.css", "report.css", "bots.css", "live.css", "stage.css")
SCRIPTS: Final = ("elements.js", "numbers.js", "tables.js", "csv.js", "bots.js", "live.js", "stage.js")

READING_STYLES: Final = ("reading.css",)
READING_SCRIPTS: Final = ("reading.js", "folder.js")


class WrittenReport(NamedTuple):
    """The path of the report, and the number of its replays. `served`: it loads files, so it needs a web
    server. `complaint`: what it lacks, why, and what to do, in one line; "" if it is complete."""

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
    ended: bool = False,
    progress: Progress = lambda done, total: None,
) -> WrittenReport:
    """Write the report of a tournament, finished or not, and a replay of every match whose pod has finished.

    `ends`: when the last match is expected to end, in seconds since 1970, None if unknown. `ended`: nobody
    plays the tournament any more. `missing`: also make replays that do not exist yet; existing ones are kept.
    With more than `one_file` matches the report loads files of this many `rows`, and has to be served; files
    of the other kind of report are removed.

    A log that cannot be read, or a replay that cannot be written, is left out and reported in `complaint`; on
    a full disk, all new replays are left out. Raises UserError if the report itself cannot be written, or if
    a match was annulled meanwhile."""
    heading = msgspec.structs.replace(heading, address=address_of(heading.address))
    served = len(Record(journal.entries).played) > one_file
    asked = _Asked(journal, heading, with_stderr, replays, missing, served, rows, ends, ended, progress)
    new: set[Path] = set()
    try:
        try:
            written = _write(asked, new)
        except OSError as error:
            if not new or error.errno not in EXHAUSTED:
                raise
            written = _write_without(asked, new, error)
    except OSError as error:
        place = error.filename or journal.folder
        way_out = WAYS_OUT.get(error.errno or 0, "")
        raise UserError(f"{place}: the report cannot be written ({error.strerror}{way_out})") from None
    retract_if_annulled(journal)
    return written


class _Asked(NamedTuple):
    """The arguments of `write_report`; `served` follows from the number of matches."""

    journal: Journal
    heading: Heading
    with_stderr: bool
    replays: bool
    missing: bool
    served: bool
    rows: int
    ends: float | None
    ended: bool
    progress: Progress

    @property
    def is_played(self) -> bool:
        """Whether a process is playing the tournament, or adding an entry."""
        return self.journal.is_played and not self.ended


def _write(asked: _Asked, new: set[Path]) -> WrittenReport:
    """Write replays, rows and report, in this order, so that every link works. Add the replays that it
    wrote to `new`. Raises OSError and UserError."""
    journal, served = asked.journal, asked.served
    record = Record(journal.entries)
    linked, odd, unread = _settle_replays(asked, record, new)
    data = report_data(journal, asked.heading, with_stderr=asked.with_stderr, replays=linked)
    pages = f"{READER}?{REPLAYS}" if served else REPLAYS
    bots = bots_of(record, data, pages)
    row_files = _write_rows(journal, data, bots, asked.rows) if served else ""
    running = asked.is_played
    state: State = "over" if data.over else "running" if running else "stopped"
    now = live(journal.entries, places(journal.entries), linked, state=state, ends=asked.ends)
    lost = sorted(set(over(record)) - linked) if asked.replays else []
    html = page(
        "report.html",
        styles=STYLES + READING_STYLES * served,
        scripts=SCRIPTS + READING_SCRIPTS * served,
        served=served or not data.over,
        framing=True,
        report=data,
        possible_ranks=possible_ranks,
        bots=embedded(outlined(bots) if served else bots),
        row_files=row_files,
        rows_in_file=asked.rows,
        replays=pages,
        linked=linked,
        lost=named(lost) if lost and asked.missing else "",
        lost_count=len(lost),
        awaited=bool(lost) and asked.ended and not asked.missing,
        preview=data.heading.address and preview_of(data.heading.address),
        rules=rules_html(record.created.game),
        live=embedded(now),
    )
    path = journal.folder / REPORT
    write_whole(path, html.encode(), journal.folder)
    retract_if_annulled(journal)
    odd |= _write_beside(journal, data, now, running=running)
    odd |= _remove_others(journal.folder, row_files, replays=asked.replays)
    return WrittenReport(path, len(linked), served, _complaint(path, odd, {**unread, **data.unread}))


def _write_beside(journal: Journal, data: Report, now: Live, *, running: bool) -> dict[Path, str]:
    """Write the optional files of a report. Returns, by path, why some cannot be written."""
    odd: dict[Path, str] = {}
    if data.heading.address:
        picture = journal.folder / PREVIEW
        odd |= _attempted(picture, lambda: write_whole(picture, _preview(data), journal.folder))
    # Open pages load it, and a change by the organiser may have outdated it.
    if not running and os.path.lexists(journal.folder / LIVE):
        odd |= _attempted(journal.folder / LIVE, lambda: write_live(journal, now))
    return odd


def _write_without(asked: _Asked, new: Collection[Path], error: OSError) -> WrittenReport:
    """Write a report on a full disk after removing the `new` replays. Raises OSError and UserError."""
    for one in new:
        one.unlink(missing_ok=True)
    written = _write(asked._replace(missing=False), set())
    why = f"{error.strerror}; make room, or leave out replays with {flag.no_replays}"
    told = _complaint(written.report, {asked.journal.folder / REPLAYS: why}, {})
    return written._replace(complaint="; ".join(filter(None, (told, written.complaint))))


def _settle_replays(
    asked: _Asked, record: Record, new: set[Path]
) -> tuple[set[str], dict[Path, str], dict[str, str]]:
    """Write the requested replays, add them to `new`, and remove those of pods that have not finished.
    Returns the matches that have a replay; by path, what is in the way of a page; and by match, why a log
    could not be read. Raises OSError if the machine has no more room."""
    journal, served = asked.journal, asked.served
    unread: dict[str, str] = {}
    if asked.replays and asked.missing:
        odd = _clear_way(journal)
        linked, unread = write_replays(
            journal,
            odd,
            new,
            served=served,
            with_stderr=asked.with_stderr,
            is_played=asked.is_played,
            progress=asked.progress,
        )
    else:
        odd = _remove_open_replays(journal)
        linked = written_replays(journal, over(record), served=served) if asked.replays else set()
    if asked.replays and served:
        reader = reader_page(record.created.game, home=REPORT)
        write_whole(journal.folder / READER, reader.encode(), journal.folder)
    return linked, odd, unread


def _attempted(path: Path, write: Callable[[], None]) -> dict[Path, str]:
    """Write an optional file of a report. Returns, by path, why it cannot be written; empty if it can."""
    try:
        write()
    except OSError as error:
        return {path: error.strerror or str(error)}
    return {}


def _complaint(report: Path, odd: Mapping[Path, str], unread: Mapping[str, str]) -> str:
    """What a report lacks, in one line. `odd`: by path, what is in the way of a page; `unread`: by match, why
    its log cannot be used."""
    lacks = _named([f"{place}: {why}" for place, why in odd.items()], "more like this")
    lacks += _named([why for _, why in sorted(unread.items())], "more logs are missing or damaged")
    way_out = f" (arena verify {shell_word(report.parent)} shows more)" if unread else ""
    without = "it" if len(odd) + len(unread) == 1 else "them"
    return f"{'; '.join(lacks)}; {report} is written without {without}{way_out}" if lacks else ""


def _named(all_of_them: Sequence[str], others: str) -> list[str]:
    """The first NAMED of these, and the number of `others`."""
    more = len(all_of_them) - NAMED
    return [*all_of_them[:NAMED], *([f"{more} {others}"] if more > 0 else [])]


def write_live(journal: Journal, data: Live) -> None:
    """Write the small file that a report loads while a tournament runs. Raises OSError."""
    write_whole(journal.folder / LIVE, msgspec.json.encode(data), journal.folder, lasting=False)


def remove_left(journal: Journal, writer: int) -> None:
    """Remove unfinished files of a process that wrote pages and has ended."""
    places = [journal.folder / place for place in (".", REPLAYS, ROW_FILES)]
    for place in filter(None, (*places, tables_folder())):
        for path in left_by(writer, place):
            with contextlib.suppress(OSError):
                path.unlink()


def _preview(data: Report) -> bytes:
    said = (data.game, data.progress, data.heading.date, data.heading.organiser)
    places = [
        PreviewRow(row.rank, data.called.get(row.name, row.name), row.name, row.low, row.gain, row.high)
        for row in data.standings.entrants
    ]
    return preview(data.heading.title, " · ".join(filter(None, said)), data.ahead, places, data.gains)


def _remove_open_replays(journal: Journal) -> dict[Path, str]:
    """Remove the replays of pods that have not finished. Returns, by path, why some stay."""
    return {place: f"{MAY_SHOW} ({why})" for place, why in remove_open_replays(journal).items()}


def _clear_way(journal: Journal) -> dict[Path, str]:
    """By path, what prevents replays from being written or removed, and why. The folder itself stands for all
    of them. Raises OSError if the machine has no more room."""
    replays, stays = journal.folder / REPLAYS, _remove_open_replays(journal)
    try:
        odd = foreign.odd_files(replays, journal.folder)
    except OSError as error:
        if error.errno in EXHAUSTED:
            raise
        return {replays: error.strerror or str(error)}
    # A link is not followed: its target may be private. Odd names that no page needs are ignored.
    return stays | {place: f"{what}; remove it" for place, what in odd.items() if OURS.fullmatch(place.name)}


def _write_rows(journal: Journal, data: Report, bots: Bots, rows: int) -> str:
    """Write the files that the report loads, and return the beginning of their paths. It depends on the
    content, so that an open page never loads the rows of a later report."""
    run = journal.folder
    with foreign.folder(run / ROW_FILES, run, make=True):
        pass
    files = dict(files_of(data, bots, rows))
    found = hashlib.sha256()
    for name, content in files.items():
        found.update(name.encode() + hashlib.sha256(content).digest())
    beginning = found.hexdigest()[:16]
    paths = {run / ROW_FILES / f"{beginning}-{name}.json": content for name, content in files.items()}
    write_all_whole(paths, run, lasting=False)
    return f"{ROW_FILES}/{beginning}"


def _remove_others(run: Path, beginning: str, *, replays: bool) -> dict[Path, str]:
    """Remove the files of earlier reports: rows whose paths have another `beginning`, and with `replays`
    those of the other kind. Returns, by path, why rows stay, which may quote what will be played again.
    Raises OSError."""
    kept, stays = Path(beginning).name, dict[Path, str]()
    was_served = (run / ROW_FILES).is_dir()
    with contextlib.suppress(OSError):
        rows = remove_ours(run / ROW_FILES, run, lambda name: not kept or not name.startswith(kept))
        stays = {place: f"{MAY_SHOW} ({why})" for place, why in rows.items()}
        if not kept:
            (run / ROW_FILES).rmdir()
    if replays:
        with contextlib.suppress(OSError):
            remove_ours(run / REPLAYS, run, lambda name: name.endswith(".html" if kept else ".json"))
            # If the report is in one file, a file of that name belongs to somebody else.
            if was_served and not kept:
                (run / READER).unlink(missing_ok=True)
    return stays
