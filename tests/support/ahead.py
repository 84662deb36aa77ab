"""Tournaments on values, for who is ahead: results by strength and chance."""

from collections.abc import Callable, Iterable

import msgspec

from arena.director.entries import Created, MatchPlayed, RoundPaired
from arena.director.state import Record
from arena.entrants.entrant import Entrant
from arena.process.launch import Launch
from protocol.messages import Limits
from protocol.outcome import Outcome, best_first, totals
from protocol.streams import Stream
from tournaments.formats import format_named

Gains = Callable[[str, int], int]
"""By name and round: what a bot gains in the one deal of each match."""


def bot(name: str, title: str = "") -> Entrant:
    return Entrant(name, Launch(("true",), "/"), "", title=title)


def created(names: Iterable[str], rounds: int, **changed: object) -> Created:
    settings = Created(
        arena="0", seed="7", game="sticheln", rules=1, options={}, format="swiss", rounds=rounds, pod_size=4,
        duplicates=False, deals=1, limits=Limits(), faults=1, entrants=tuple(map(bot, names)), left_out=(),
    )  # fmt: skip
    return msgspec.structs.replace(settings, **changed)


def play(record: Record, gains: Gains, rounds: int = 99) -> Record:
    """Draws and plays so many more rounds, or until the tournament is over."""
    draw = format_named(record.created.format).draw
    for _ in range(rounds):
        pods = draw(record.field())
        if pods is None:
            break
        round_no = len(record.drawn) + 1
        record.add(RoundPaired(round_no, pods))
        for job in record.due():
            names = tuple(entrant.name for entrant in job.entrants)
            deals = (tuple(gains(name, round_no) for name in names),)
            outcome = Outcome(deals, deals, best_first(totals(deals, len(names))))
            pod_no = int(job.match_id[5:8])
            record.add(MatchPlayed(job.match_id, round_no, pod_no, job.seating_no, names, outcome, (), ""))
    return record


def by_strength(strength: dict[str, int], luck: int) -> Gains:
    """Its strength, and chance of ± luck."""
    chance = Stream("ahead")
    return lambda name, _: 100 * strength.get(name, 0) + chance.below(2 * luck + 1) - luck
