"""Results of a large Swiss tournament, without playing it."""

from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path

import msgspec

from arena.director.entries import Created, MatchPlayed, RoundPaired
from arena.director.journal import Journal
from arena.director.state import Record
from arena.entrants.entrant import Entrant
from arena.games import GAMES
from arena.log.entries import LoggedEntrant, LogWriter, MatchClosed
from arena.process.launch import Launch
from protocol.messages import Limits
from protocol.outcome import Outcome, best_first, totals
from protocol.streams import Stream
from tests.support.logs import chance_log
from tournaments.formats import format_named


def swiss(
    folder: Path,
    bots: int,
    rounds: int,
    *,
    played: int | None = None,
    luck: int = 40,
    titles: Sequence[str] = (),
) -> Path:
    """Drawn as a Swiss is drawn, but all matches have the cards of one; gains are strength, from 0 to 15, and
    luck. With `played`, only so many rounds have been drawn and played. The first bots have `titles`."""
    names = [f"entrant-number-{number:02}" for number in range(bots)]
    created = Created(
        arena="0", seed="7", game="sticheln", rules=GAMES["sticheln"].rules, options={}, format="swiss",
        rounds=rounds, pod_size=4, duplicates=True, deals=1, limits=Limits(), faults=1,
        entrants=tuple(
            Entrant(name, Launch(("true",), "/"), name[-2:] * 32, title=title)
            for name, title in zip_longest(names, titles, fillvalue="")
        ),
        left_out=(),
    )  # fmt: skip
    log, chance = (
        chance_log("sticheln", 4, deals=1, text="a note of some length, as bots write them"),
        Stream(""),
    )
    with Journal.create(folder, created) as journal:
        for round_no in range(1, (played or rounds) + 1):
            pods = format_named("swiss").draw(Record(journal.entries).field())
            assert pods is not None
            journal.add(RoundPaired(round_no, pods))
            for job in Record(journal.entries).due():
                seated = tuple(entrant.name for entrant in job.entrants)
                gains = (tuple(16 * int(name[-2:]) // bots + chance.below(luck) for name in seated),)
                outcome = Outcome(gains, gains, best_first(totals(gains, 4)))
                writer = LogWriter()
                entrants = tuple(LoggedEntrant(name, "") for name in seated)
                writer.add(msgspec.structs.replace(log.opened, match_id=job.match_id, entrants=entrants))
                for entry in log.entries[1:-1]:
                    writer.add(entry)
                writer.add(MatchClosed(outcome.points, outcome.gains, outcome.placings))
                place = (round_no, int(job.match_id[5:8]), job.seating_no)
                digest = journal.save_logs({job.match_id: writer.text()})[job.match_id]
                journal.add(MatchPlayed(job.match_id, *place, seated, outcome, (), digest))
    return folder
