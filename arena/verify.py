"""Whether a tournament is what its journal says: every match's log is there, is the one that was written, is
true, and is of the match that the seed gives.

Knows journals and logs; writes nothing.
"""

import hashlib
from collections.abc import Iterator
from typing import NamedTuple

from arena.errors import UserError
from arena.job import Job
from arena.journal import Journal, Played
from arena.matchlog import Closed, LogError, parse
from arena.record import Record
from arena.replay import of_entries, verify


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
    seated = tuple(entrant.name for entrant in opened.entrants)
    if (opened.pod_key, opened.seating_no, opened.deals) != (job.pod_key, job.seating_no, job.deals):
        return "the deals are not those that the seed gives"
    if seated != played.entrants or seated != tuple(entrant.name for entrant in job.entrants):
        return "the seats are not those that were drawn"
    return None
