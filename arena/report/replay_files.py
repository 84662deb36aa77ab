"""The replays of a tournament's matches as files in its run directory. Many of them are written at the same
time: `python -m arena.report.replay_files` is a process that writes some of them for its parent.

Every file is written atomically. Knows whose hands may be seen, but not how a replay looks.
"""

import contextlib
import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from arena.director.cache import digest, keep, recall
from arena.director.entries import MatchPlayed
from arena.director.journal import Journal
from arena.director.state import Record
from arena.games import registry
from arena.games.package import GamePackage
from arena.log.entries import LogError, parse
from arena.log.retrace import of_entries
from arena.process.shared import answers, serve
from arena.report import REPLAYS, REPORT, ROW_FILES
from arena.report.hands import over, retract_if_annulled
from arena.report.replay import replay_file, replay_page, stderr_beside
from arena.report.tournament import unreadable
from arena.system import foreign
from arena.system.errors import EXHAUSTED, UserError
from arena.system.files import write_whole
from arena.system.processors import at_a_time

REPLAY_LIMIT: Final = 64 << 20
"""A replay of up to this many bytes is compared; a larger one is written again."""
FEWEST: Final = 300
"""Fewer replays are written before another process would have started."""

Progress = Callable[[int, int], object]
"""Called with the number of replays that are done, and how many there will be."""


class _Run(NamedTuple):
    """The run whose replays are written. `served`: the kind of its report."""

    journal: Journal
    served: bool
    with_stderr: bool
    package: GamePackage | None
    """The package of its game."""


class _Order(msgspec.Struct, frozen=True):
    """An order for the replay of a match, with a link to the match `following`."""

    run: str
    served: bool
    with_stderr: bool
    match_id: str
    following: str


_encoder = msgspec.json.Encoder()
_order = msgspec.json.Decoder(_Order)
_files = msgspec.json.Decoder(dict[str, str])


def write_replays(
    journal: Journal,
    odd: dict[Path, str],
    new: set[Path],
    *,
    served: bool,
    with_stderr: bool,
    is_played: bool,
    progress: Progress,
    fewest: int = FEWEST,
) -> tuple[set[str], dict[str, str]]:
    """Write the replays that are missing or differ from what their logs give, but none at an `odd` place; if
    at least `fewest` are missing, by a process for each core, unless matches need the cores.

    Add to `odd` why others cannot be written, and to `new` those that were written. Returns the matches that
    have a replay, and why logs could not be read. Raises OSError if the machine has no more room."""
    if journal.folder / REPLAYS in odd:
        return set(), {}
    record = Record(journal.entries)
    run = _Run(journal, served, with_stderr, registry.package_of(record.created.game))
    # From last to first, since each replay links to the next one.
    shown = over(record)
    paths = {match_id: _path(journal, match_id, served=served) for match_id in shown}
    # By the digest of the inputs of a file, the SHA-256 of the file.
    name = digest("replays", (journal.digests[0], served))
    kept: dict[str, str] = recall(name, dict[str, str]) or {}
    before, files = dict(kept), dict[str, str]()
    linked: set[str] = set()
    failed: dict[str, str] = {}
    orders = _orders(run, {match_id: path for match_id, path in paths.items() if path not in odd})
    processes = at_a_time() if len(orders) >= fewest and not is_played else 0
    following = ""
    with contextlib.closing(answers("arena.report.replay_files", [*orders.values()], processes)) as written:
        for number, (match_id, path) in enumerate(paths.items(), 1):
            if match_id in orders and (line := next(written)) is not None and (there := _files.decode(line)):
                before |= there
                new.add(path)
            if path in odd:
                continue
            try:
                files |= _bring_up_to_date(run, path, record.played[match_id], following, before, new)
            except (UserError, LogError) as error:
                failed[match_id] = unreadable(journal, match_id, error)
            except OSError as error:
                if error.errno in EXHAUSTED:
                    raise
                odd[path] = error.strerror or str(error)
            else:
                # Not only at the end: an interruption before it would leave hands that will be played again.
                retract_if_annulled(journal)
                linked.add(match_id)
                following = match_id
            progress(number, len(shown))
    if files != kept:
        keep(name, files)
    return linked, failed


def _orders(run: _Run, paths: Mapping[str, Path]) -> dict[str, bytes]:
    """By match, the orders for those of these replays that do not exist. If a match turns out to have no
    replay, the one before it is written again, with another link."""
    orders, following, folder = {}, "", str(run.journal.folder.absolute())
    for match_id, path in paths.items():
        if not path.exists():
            orders[match_id] = _encoder.encode(
                _Order(folder, run.served, run.with_stderr, match_id, following)
            )
        following = match_id
    return orders


def _bring_up_to_date(
    run: _Run,
    path: Path,
    played: MatchPlayed,
    following: str,
    before: Mapping[str, str],
    new: set[Path],
) -> dict[str, str]:
    """Write a replay, and add it to `new`, unless it was written `before` and is still what its log gives.
    Returns the SHA-256 of the file, by the digest of its inputs. Raises LogError, UserError, OSError."""
    journal = run.journal
    log = journal.log_path(played.match_id)
    stderr = stderr_beside(log, len(played.entrants)) if run.with_stderr else None
    text = journal.read_written_log(played)
    follows_from = digest("replay", (played.log, stderr, following, run.package))
    found = before.get(follows_from)
    if found is None or _sha256(path, journal.folder) != found:
        found = hashlib.sha256(_write(path, journal, text, stderr, following)).hexdigest()
        new.add(path)
    return {follows_from: found}


def _sha256(path: Path, run: Path) -> str | None:
    """The SHA-256 of the file; None if there is none."""
    try:
        return hashlib.sha256(foreign.read(path, REPLAY_LIMIT, run)).hexdigest()
    except OSError:
        return None


def write_one_replay(journal: Journal, match_id: str) -> None:
    """Write the replay of a match whose pod has finished, still without a link to the next one, which
    `write_replays` adds. Writes nothing if the match was annulled meanwhile. Raises LogError, UserError and
    OSError."""
    record = Record(journal.entries)
    if match_id not in over(record):
        return
    log = journal.read_written_log(record.played[match_id])
    with foreign.folder(journal.folder / REPLAYS, journal.folder, make=True):
        _write(_path(journal, match_id), journal, log, None, "")


def written_replays(journal: Journal, match_ids: Iterable[str], *, served: bool | None = None) -> set[str]:
    """Those of the matches that have a replay. `served`: the kind of report; None for the last one."""
    paths = {one: _path(journal, one, served=served) for one in match_ids}
    return {one for one, path in paths.items() if path.is_file() and not path.is_symlink()}


def _path(journal: Journal, match_id: str, *, served: bool | None = None) -> Path:
    """The file of a replay. `served`: the kind of report; None for the one written last."""
    if served is None:
        served = (journal.folder / ROW_FILES).exists()
    return journal.folder / REPLAYS / f"{match_id}{'.json' if served else '.html'}"


def _write(path: Path, journal: Journal, log: str, stderr: Sequence[str] | None, following: str) -> bytes:
    """Write the replay of a match from its log; return the bytes."""
    entries = of_entries(parse(log.encode()))
    if path.suffix == ".json":
        data = replay_file(entries, stderr=stderr, following=following)
    else:
        after = following and f"{following}.html"
        data = replay_page(entries, stderr=stderr, home=f"../{REPORT}", following=after).encode()
    # Not flushed to disk: there may be thousands, and one lost in a power cut can be written again.
    write_whole(path, data, journal.folder, lasting=False)
    return data


@cache
def _opened(folder: str) -> tuple[Journal, dict[str, MatchPlayed], GamePackage | None]:
    """The journal of a run, the matches whose hands may be seen, and the package of its game."""
    journal = Journal(Path(folder))
    record = Record(journal.entries)
    shown = {match_id: record.played[match_id] for match_id in over(record)}
    return journal, shown, registry.package_of(record.created.game)


def _answer(line: bytes) -> bytes:
    """Write a replay. Answers with the SHA-256 of the file, by the digest of its inputs; with nothing if it
    could not be written, whose reason the parent will find out."""
    order = _order.decode(line)
    journal, shown, package = _opened(order.run)
    run = _Run(journal, order.served, order.with_stderr, package)
    path, written = _path(journal, order.match_id, served=order.served), {}
    if order.match_id in shown:
        with contextlib.suppress(UserError, LogError, OSError):
            written = _bring_up_to_date(run, path, shown[order.match_id], order.following, {}, set())
            retract_if_annulled(journal)
    return _encoder.encode(written)


if __name__ == "__main__":
    serve(_answer)
