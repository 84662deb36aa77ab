"""The logs of a league's matches, whole: the public part joined with the private one, where that is kept.
Reads a league, whether it is being played or not."""

import hashlib
import re
from pathlib import Path
from typing import Final

from arena.commands.league import read
from arena.journal.chained import DamageError
from arena.league.ids import VersionId
from arena.league.journal import LOGS, PRIVATE
from arena.league.logs import LogParts, joined, matches
from arena.league.logs import read as read_part
from arena.league.state import LeagueState
from arena.league.tables import fault_rows
from arena.log import fault_report
from arena.log.entries import LogError
from arena.log.fault_report import FaultRow
from arena.playing.terms import Say
from arena.system.errors import UserError
from arena.system.wording import counted

MATCH: Final = re.compile(r"([1-9][0-9]{0,8})-([12])-([1-9][0-9]{0,3})")
PUBLIC_ONLY: Final = (
    "only the public part of the log is here, without times, notes and evidence of faults; the private part "
    "is missing, or not what was written"
)


def match_log(folder: Path, match: str, say: Say, *, hidden: bool = False) -> bytes:
    """The log of a match, named as in the table of faults. Says so if its private part is not here. Raises
    UserError."""
    words = MATCH.fullmatch(match)
    if words is None:
        raise UserError(
            f"{match}: a match is DRAW-VERSION-SEATING, such as 12-1-3; `arena league faults` lists those "
            "that were forfeited"
        )
    no, version, seating = map(int, words.groups())
    state = read(folder, no, hidden=hidden)
    logs, is_whole = _logs_of(folder, state, no)
    seatings = len(logs) // len(state.draws[no].versions)
    if version > len(state.draws[no].versions) or seating > seatings:
        versions = "" if len(state.draws[no].versions) == 1 else f" and {no}-2-1 to {no}-2-{seatings}"
        raise UserError(f"{match}: the matches of draw {no} are {no}-1-1 to {no}-1-{seatings}{versions}")
    if not is_whole:
        say(f"{match}: {PUBLIC_ONLY}")
    return logs[(version - 1) * seatings + seating - 1]


def faults(folder: Path, bot: str | None, say: Say, *, hidden: bool = False) -> list[FaultRow]:
    """The forfeits of all versions, or of one bot, author or version, with what was sent and received, by
    draw. Raises UserError."""
    state, found = read(folder, hidden=hidden), list[FaultRow]()
    logs: dict[int, dict[str, bytes]] = {}
    lacking = 0
    for row in fault_rows(state, bot):
        no = int(row.match.partition("-")[0])
        if no not in logs:
            try:
                whole, is_whole = _logs_of(folder, state, no)
            except UserError as error:  # The others are shown.
                say(str(error))
                whole, is_whole = [], True
            lacking += not is_whole
            seatings = max(1, len(whole) // len(state.draws[no].versions))
            names = (f"{no}-{at // seatings + 1}-{at % seatings + 1}" for at in range(len(whole)))
            logs[no] = dict(zip(names, whole, strict=True))
        if row.match in logs[no]:
            found += _of_version(logs[no][row.match], row.version)
    if lacking:
        say(f"{counted(lacking, 'draw')}: {PUBLIC_ONLY}")
    return found


def _of_version(log: bytes, version: VersionId) -> list[FaultRow]:
    try:
        return [row for row in fault_report.fault_rows(log.decode()) if row.bot == version]
    except LogError as error:
        raise UserError(f"a log is damaged: {error}") from None


def _logs_of(folder: Path, state: LeagueState, no: int) -> tuple[list[bytes], bool]:
    """The logs of the matches of a draw, in their order, and whether they have their private part. Raises
    UserError."""
    drawn = state.draws.get(no)
    if drawn is None or no not in state.played:
        last = f"the last one is {state.last_draw}" if state.last_draw else "none was drawn yet"
        there = "it is not over yet" if drawn else last
        raise UserError(f"no log of draw {no} may be shown: {there}")
    public = read_part(folder, drawn.day, no, LOGS)
    if public is None:
        raise UserError(f"the log of draw {no} is not here: it was pruned, or this is a copy without it")
    if hashlib.sha256(public).hexdigest() != state.played[no].public:
        raise UserError(f"the log of draw {no} is not what was played; see `arena league verify`")
    try:
        private = read_part(folder, drawn.day, no, PRIVATE)
    except DamageError:
        private = None
    if private is None or hashlib.sha256(private).hexdigest() != state.played[no].private:
        return list(matches(public)), False
    return list(matches(joined(LogParts(public, private)))), True
