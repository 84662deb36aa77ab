"""Whether a tournament is what its journal says: every match's log is there, is the one that was written, is
true, and is of the match that the seed gives.

Knows journals and logs; writes nothing.
"""

import hashlib
from collections.abc import Iterator
from typing import Final, NamedTuple

import msgspec

from arena.errors import UserError
from arena.games.game import Game
from arena.job import Job
from arena.journal import Journal, Played
from arena.matchlog import Closed, LogError, LoggedEntrant, Opened, opening, parse
from arena.record import Record
from arena.replay import of_entries, verify
from tournaments.results import HOUSE_PREFIX

_UNDEALT: Final = "the deals are not those that the seed gives"
SAID: Final = {
    "pod_key": _UNDEALT,
    "seating_no": _UNDEALT,
    "deals": _UNDEALT,
    "entrants": "the seats, or the programs in them, are not those that were drawn",
}
"""By the field of a log's first line, what it means that the journal gives it otherwise."""


class Finding(NamedTuple):
    """What is wrong with a match; None if nothing is."""

    match_id: str
    wrong: str | None


def findings(journal: Journal) -> Iterator[Finding]:
    """One for each match that counts, in match order, as it is looked at."""
    record = Record(journal.entries)
    drawn = {job.match_id: job for job in record.jobs()}
    for match_id, played in sorted(record.played.items()):
        job = drawn.get(match_id)
        yield Finding(match_id, "it was never drawn" if job is None else _wrong(journal, played, job))


def _wrong(journal: Journal, played: Played, job: Job) -> str | None:
    try:
        data = journal.read_log(played.match_id).encode()
        if hashlib.sha256(data).hexdigest() != played.log:
            return f"{journal.log_path(played.match_id)} is not the log that was written"
        entries = parse(data)
        log = of_entries(entries)
        verify(log)
    except (LogError, UserError) as error:
        return str(error)
    closed, opened = entries[-1], log.opened
    assert isinstance(closed, Closed)
    told = (closed.points, closed.gains, closed.placings, closed.forfeits)
    outcome = played.outcome
    if told != (outcome.points, outcome.gains, outcome.placings, played.forfeits):
        return "the journal gives another outcome than the log"
    if tuple(entrant.name for entrant in opened.entrants) != played.entrants:
        return "the journal has others in the seats than the log"
    return _otherwise(log.game, opened, opening(job))


def _otherwise(game: Game, opened: Opened, due: Opened) -> str | None:
    """What of a log's first line the journal gives otherwise. Not looked at: the version that played, and the
    programs of house bots, which come with it."""
    for field in Opened.__struct_fields__:
        logged, drawn = getattr(opened, field), getattr(due, field)
        match field:
            case "arena":
                continue
            case "options":
                # A version may have played that did not know all options there are now.
                logged, drawn = (msgspec.convert(options, game.options) for options in (logged, drawn))
            case "entrants":
                logged, drawn = ([*map(_without_house_digest, seats)] for seats in (logged, drawn))
        if logged != drawn:
            return SAID.get(field) or f"{field}: the log says {_text(logged)}, the journal {_text(drawn)}"
    return None


def _without_house_digest(entrant: LoggedEntrant) -> LoggedEntrant:
    ours = entrant.name.startswith(HOUSE_PREFIX)
    return msgspec.structs.replace(entrant, digest="") if ours else entrant


def _text(value: object) -> str:
    return msgspec.json.encode(value).decode()
