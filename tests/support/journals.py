"""Journals of tournaments, and what is wrong with them."""

from pathlib import Path

from arena.director.entries import Created, MatchPlayed, RoundPaired
from arena.director.journal import Journal
from arena.director.verify import findings
from arena.entrants.entrant import Entrant
from arena.process.launch import Launch
from protocol.messages import Limits
from protocol.outcome import Outcome

CREATED = Created(
    arena="0",
    seed="7",
    game="sticheln",
    rules=1,
    options={},
    format="swiss",
    rounds=3,
    pod_size=3,
    duplicates=True,
    deals=3,
    limits=Limits(),
    faults=1,
    entrants=tuple(Entrant(name, Launch((name,), "/"), "") for name in ("ada", "bob", "cy")),
    left_out=(),
)


def played(number: int) -> MatchPlayed:
    outcome = Outcome(((1, 2, 3),), ((1, 2, 3),), (3, 2, 1))
    return MatchPlayed(f"r01-p001-s{number:02}", 1, 1, number, ("ada", "bob", "cy"), outcome, (), "0" * 64)


def filled(folder: Path, matches: int = 20) -> str:
    with Journal.create(folder, CREATED) as journal:
        journal.add(RoundPaired(1, (("ada", "bob", "cy"),)))
        for number in range(1, matches + 1):
            journal.add(played(number))
        return journal.digest


def wrong(folder: Path) -> set[str | None]:
    with Journal(folder) as journal:
        return {finding.wrong for finding in findings(journal)}
