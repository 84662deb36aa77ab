"""`arena faults`: every fault of a run or of one match, and which bots computed while they were frozen."""

import os
from collections.abc import Iterable
from pathlib import Path

import msgspec

from arena.director.journal import Journal
from arena.director.state import Record
from arena.log.entries import LOG_LIMIT, LogError, parse
from arena.log.fault_report import ExcessRow, FaultRow, excess_in, faults_in, names_in
from arena.system import foreign
from arena.system.errors import UserError


class FaultReport(msgspec.Struct, frozen=True):
    """The rows in the order of match ids. `names` are all entrants, those too that have not played yet."""

    faults: tuple[FaultRow, ...]
    excess: tuple[ExcessRow, ...]
    names: frozenset[str]


def faults_at(place: Path) -> FaultReport:
    """The faults of a run directory, or of the log of one match. Raises UserError."""
    if not os.path.lexists(place):
        raise UserError(f"{place}: there is no folder or log with this name")
    if not os.path.isdir(place):
        return _report([(place, _log(place))])
    with Journal(place) as journal:
        return faults_of(journal, Record(journal.entries))


def faults_of(journal: Journal, record: Record) -> FaultReport:
    """The faults of the matches that count. Reads all logs, also after the journal is closed. Raises
    UserError."""
    logs = (
        (journal.log_path(played.match_id), journal.read_written_log(played)) for played in record.in_order
    )
    return _report(logs, record.entrants)


def _log(path: Path) -> str:
    try:
        return foreign.read(path, LOG_LIMIT).decode()
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: {error}") from None


def _report(logs: Iterable[tuple[Path, str]], entrants: Iterable[str] = ()) -> FaultReport:
    faults: list[FaultRow] = []
    excess: list[ExcessRow] = []
    names = set(entrants)
    for path, log in logs:
        try:
            entries = parse(log.encode())
            names |= names_in(entries)
            faults += faults_in(entries)
            excess += excess_in(entries)
        except LogError as error:
            raise UserError(f"{path}: {error}") from None
    return FaultReport(tuple(faults), tuple(excess), frozenset(names))
