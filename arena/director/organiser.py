"""What the organiser may enter into a journal, and from when it takes effect. The rules are the same for a
command that holds the journal's lock and for a running director.

An order is the entry itself. Repeating an order adds no second entry, so it can be sent again if no answer
came. Knows the state of a tournament, neither who asks nor who writes.
"""

from pathlib import Path
from typing import NamedTuple

import msgspec

from arena.director.entries import (
    Admitted,
    ByOrganiser,
    Deadline,
    Extended,
    MatchAnnulled,
    Replaced,
    Withdrawn,
    no_deadline,
    not_entered,
)
from arena.director.state import Record
from arena.entrants.apart import require_apart
from arena.entrants.entrant import Entrant
from arena.entrants.find import require_unique
from arena.entrants.titles import entitled
from arena.system.errors import UserError, did_you_mean
from arena.system.text import shell_word
from arena.system.wording import flag


class OrderDone(msgspec.Struct, frozen=True, tag="done"):
    """The effect of an order."""

    text: str
    new: bool = True
    """Whether an entry was added; otherwise the journal had it already."""
    waits: bool = False
    """Whether it has no effect until the organiser adds a round."""


class Proposal(NamedTuple):
    """An entry that may be added, and its effect."""

    entry: ByOrganiser
    done: OrderDone


def decided(entry: ByOrganiser, record: Record, folder: Path) -> Proposal:
    """Decide whether an entry may follow those of `record`. Raises UserError if it may not."""
    if isinstance(entry, Withdrawn | Replaced | MatchAnnulled) and not entry.reason.strip():
        raise UserError(f"{flag.reason} is empty: give a reason, for everybody who reads the standings")
    match entry:
        case Withdrawn():
            return Proposal(entry, _withdrawn(entry, record))
        case Admitted():
            return _admitted(entry, record, folder)
        case Replaced():
            return _replaced(entry, record, folder)
        case MatchAnnulled():
            return Proposal(entry, _annulled(entry, record, folder))
        case Extended():
            return Proposal(entry, _extended(entry, record, folder))
        case Deadline():
            return Proposal(entry, _deadline(entry, record, folder))


def _withdrawn(entry: Withdrawn, record: Record) -> OrderDone:
    name = entry.name
    if problem := entry.problem(record):
        if name in record.withdrawn and entry in record.by_organiser:
            return OrderDone(f"{name} is already withdrawn, for this reason", new=False)
        raise UserError(problem.refused)
    if record.all_drawn:
        return OrderDone(f"{name} is now listed last, without a rank; all rounds were already drawn")
    return OrderDone(f"{name} stops playing {_from(record)}")


def _admitted(entry: Admitted, record: Record, folder: Path) -> Proposal:
    entrant, name = entry.entrant, entry.entrant.name
    if (known := record.entrants.get(name)) is not None:
        earlier = record.by_organiser
        before = [entry for entry in earlier if isinstance(entry, Admitted) and entry.entrant == known]
        if not before or known.digest != entrant.digest:
            another = shell_word(f"NAME={entrant.source.removeprefix(f'{name}=')}")
            raise UserError(
                f"{name!r} has already entered; to replace its program: {_to_replace(entrant, folder)}; to "
                f"admit a different bot: {another}"
            )
        if name in record.withdrawn:
            raise UserError(
                f"{name} was admitted and then withdrawn; to let it play again: "
                f"{_to_replace(entrant, folder)}"
            )
        if before[-1].may_win != entry.may_win:
            how = "with" if before[-1].may_win else "without"
            raise UserError(
                f"{name} was already admitted, {how} {flag.may_win}; an entry cannot be changed afterwards"
            )
        return Proposal(entry, OrderDone(f"{name} was already admitted, with this program", new=False))
    others = list(record.entrants.values())
    require_unique([*others, entrant])
    _require_further(record, folder, name)
    require_apart(entrant, others, record.created.sandbox, folder)
    (entrant,) = entitled([entrant], beside=others).entrants
    return Proposal(
        msgspec.structs.replace(entry, entrant=entrant), _plays(f"{name} plays {_from(record)}", record)
    )


def _replaced(entry: Replaced, record: Record, folder: Path) -> Proposal:
    entrant, name = entry.entrant, entry.entrant.name
    if name not in record.entrants:
        raise UserError(not_entered(name, record).refused)
    known, is_back = record.entrants[name], name in record.withdrawn
    if (entrant.digest, entrant.launch) == (known.digest, known.launch) and not is_back:
        return Proposal(entry, OrderDone(f"{name} already plays with this program", new=False))
    _require_further(record, folder, name)
    others = [other for other in record.entrants.values() if other.name != name]
    require_apart(entrant, others, record.created.sandbox, folder)
    (entrant,) = entitled([entrant], beside=others).entrants
    what = "in its new version"
    if entrant.digest == known.digest:
        what = "as the same program" + " from its new place" * (entrant.launch != known.launch)
    done = _plays(f"{name} plays {'again, ' * is_back}{what} {_from(record)}", record)
    afresh = is_back or entrant.digest != known.digest
    return Proposal(msgspec.structs.replace(entry, entrant=entrant, afresh=afresh), done)


def _annulled(entry: MatchAnnulled, record: Record, folder: Path) -> OrderDone:
    match_id, played = entry.match_id, record.played
    if entry in record.by_organiser:
        # Otherwise a repeated order would annul the match that was played in between.
        again = "was played again" if match_id in played else "will be played again"
        way_out = "; a different reason annuls it once more" if match_id in played else ""
        return OrderDone(f"{match_id} was already annulled, for this reason, and {again}{way_out}", new=False)
    if match_id in played:
        return OrderDone(f"{match_id} will be played again")
    if match_id in {job.match_id for job in record.due()}:
        raise UserError(f"{folder}: {match_id} has no result yet that could be annulled")
    known = did_you_mean(match_id, sorted(played)) if played else ""
    raise UserError(f"{folder}: no match {match_id!r} was played{known}")


def _extended(entry: Extended, record: Record, folder: Path) -> OrderDone:
    rounds = entry.rounds
    if rounds == record.rounds and entry in record.by_organiser:
        return OrderDone(f"planned rounds: already {rounds}", new=False)
    if rounds <= record.rounds:
        raise UserError(
            f"{folder}: planned rounds: already {record.rounds}; use {flag.rounds} {record.rounds + 1} or "
            f"more, or let `arena resume {shell_word(folder)}` play what is left"
        )
    _require_possible(record, folder)
    return OrderDone(f"planned rounds: {rounds} now, {record.rounds} before")


def _deadline(entry: Deadline, record: Record, folder: Path) -> OrderDone:
    if entry == record.deadline:
        return OrderDone("this is already the deadline", new=False)
    if reason := no_deadline(record.created.format):
        raise UserError(f"{folder}: {reason}")
    if record.over:
        _require_possible(record, folder)
    if entry.most_rounds <= len(record.drawn) - (not record.over):
        raise UserError(
            f"{folder}: {len(record.drawn)} rounds are already drawn; use {flag.rounds} "
            f"{len(record.drawn) + 1} or more, or leave it out"
        )
    return OrderDone(f"as many rounds as fit, at most {entry.most_rounds} in all")


def _require_further(record: Record, folder: Path, newcomer: str = "") -> None:
    """Raises UserError if no round is left to play in, and none can be added."""
    if not record.may_go_on(newcomer):
        _require_possible(record, folder, newcomer)


def _require_possible(record: Record, folder: Path, newcomer: str = "") -> None:
    """Raises UserError if no round can be added. A `newcomer` may make one possible."""
    if reason := record.no_further(newcomer):
        raise UserError(
            f"{folder}: no further round can be played, since {reason}; begin a new tournament with `arena "
            "tournament`"
        )


def _to_replace(entrant: Entrant, folder: Path) -> str:
    source = entrant.source.removeprefix(f"{entrant.name}=")
    word = shell_word(f"{entrant.name}={source}")
    return f"arena replace {shell_word(folder)} {word} --reason …"


def _from(record: Record) -> str:
    return f"from the next round on, round {len(record.drawn) + 1}"


def _plays(text: str, record: Record) -> OrderDone:
    waits = record.all_drawn
    return OrderDone(f"{text}, once one is added" if waits else text, waits=waits)
