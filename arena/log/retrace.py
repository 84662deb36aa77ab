"""Replays a logged match: deals from its key, applies its actions by the rules, and compares each line.

This is the only code that walks along a log with the rules. It yields turns, from which stories, scenes,
transcripts and rows are made. To verify a log, iterate to the end. Measured times, captions and bots' output
are not reproducible, and not compared. Knows no process. Reads files, writes none.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from arena.games import registry
from arena.games.game import Action, Game, State, Step
from arena.log.entries import (
    ERROR_LIMIT,
    LOG_LIMIT,
    Acted,
    AnyEntry,
    Faulted,
    Greeted,
    Happened,
    LogError,
    MatchClosed,
    MatchOpened,
    SeatEntry,
    events_of,
    parse,
    raw_events,
)
from arena.log.turns import Turn
from arena.system import foreign
from arena.system.errors import UserError
from arena.system.text import caption
from protocol.codec import raw
from protocol.faults import FORGIVABLE, FaultKind
from protocol.outcome import Forfeit, with_forfeits
from protocol.streams import DealSource, match_key, substitute_stream

UNSTARTED: Final = frozenset({FaultKind.SPAWN, FaultKind.HANDSHAKE})
"""Faults that only occur at the handshake. The FORGIVABLE ones only occur at a request."""


class Mismatch(LogError):
    """A line contradicts the first line of its log, or the rules. `detail` says what it states and what is
    right; `seat` is None if the line concerns no seat."""

    def __init__(self, line_no: int, deal_no: int, seat: int | None, detail: str) -> None:
        self.line_no, self.deal_no, self.seat = line_no, deal_no, seat
        self.detail = caption(detail, ERROR_LIMIT)
        place = f"line {line_no}, deal {deal_no}" + ("" if seat is None else f", seat {seat}")
        super().__init__(f"{place}: {detail}")


class Log(NamedTuple):
    """A complete log of an installed game and version of its rules. `opened` is its first entry."""

    opened: MatchOpened
    game: Game
    entries: Sequence[AnyEntry]

    @property
    def seats(self) -> int:
        """The number of seats."""
        return len(self.opened.entrants)

    @property
    def closed(self) -> MatchClosed:
        """The last entry, which is verified once the log is retraced to its end."""
        closed = self.entries[-1]
        assert isinstance(closed, MatchClosed)
        return closed


def read(path: Path) -> Log:
    """Read a log from a file. Raises LogError, also as in `of_entries`, and OSError."""
    return of_entries(parse(foreign.read(path, LOG_LIMIT)))


def of_entries(entries: Sequence[AnyEntry]) -> Log:
    """The log with these entries, which `parse` returned. Raises LogError if the game, the version of its
    rules, or the number of seats or deals cannot be played here."""
    opened = entries[0]
    assert isinstance(opened, MatchOpened)
    try:
        game, difference = registry.played(opened.game, opened.game_package, opened.rules)
    except UserError as error:
        raise LogError(f"line 1: {error}") from None
    if difference:
        raise LogError(f"line 1: {game.id}, {difference}")
    if len(opened.entrants) not in game.seats:
        raise LogError(f"line 1: {game.id} cannot be played by {len(opened.entrants)} seats")
    if opened.deals < 1:
        raise LogError(f"line 1: a match of {opened.deals} deals")
    return Log(opened, game, entries)


def verify(log: Log) -> None:
    """Raises Mismatch at the first line that contradicts the rules and the keys."""
    for _ in retrace(log):
        pass


def retrace(log: Log) -> Iterator[Turn]:
    """Check and yield the turns of a match, then check the outcome. Raises Mismatch."""
    return filter(None, map(Walk(log).take, log.entries))


class Walk:
    """The position in a match that is being retraced: the state, the actions chosen for the next step, and
    what must follow."""

    def __init__(self, log: Log) -> None:
        self._log = log
        opened = log.opened
        key = match_key(opened.pod_key, opened.seating_no)
        self._substitutes = [substitute_stream(key, seat) for seat in range(log.seats)]
        self._requests = [0] * log.seats
        self._replies = [0] * log.seats
        self._faults = [0] * log.seats
        self._greeted: list[int] = []
        self._forfeits: dict[int, Forfeit] = {}
        self._entries: list[SeatEntry] = []
        self._chosen: dict[int, Action] = {}
        self._faulted: int | None = None
        self._closed = False
        self._line_no = 0
        self._state: State | None = None

    def take(self, entry: AnyEntry) -> Turn | None:
        """Check and apply the next entry; return the turn that it completes. Raises Mismatch, and BrokenGame
        if the game's package fails."""
        self._line_no += 1
        try:
            return self._taken(entry)
        except LogError:
            raise
        except (Exception, SystemExit) as error:
            if reason := registry.blame(error, self._log.game.id):
                raise registry.BrokenGame(reason) from error
            raise

    def _taken(self, entry: AnyEntry) -> Turn | None:
        self._require(not self._closed, None, "nothing may follow the outcome")
        match entry:
            case MatchOpened():
                self._require(self._line_no == 1, None, "a second `match` line")
            case Greeted(seat=seat):
                self._start(seat)
            case Faulted():
                self._fault(entry)
            case Acted():
                self._act(entry)
            case Happened():
                return self._turn(self._happened(entry))
            case MatchClosed():
                self._close(entry)
        # A turn's entries are bounded: a seat starts once, and has one fault and one action per decision.
        if isinstance(entry, SeatEntry):
            self._entries.append(entry)
        return None

    def _turn(self, step: Step) -> Turn:
        turn = Turn(self._state, tuple(self._entries), step.events, step.state)
        self._state, self._entries, self._chosen = step.state, [], {}
        return turn

    def _start(self, seat: int) -> None:
        due = len(self._greeted)
        self._require(self._state is None and due < self._log.seats, seat, "all seats had started")
        self._require(seat == due, seat, f"the handshake of seat {due} was expected")
        self._greeted.append(seat)

    def _fault(self, entry: Faulted) -> None:
        impossible = FORGIVABLE if entry.id == 0 else UNSTARTED
        self._require(
            entry.kind not in impossible,
            entry.seat,
            f"`{entry.kind}` cannot be a fault of request {entry.id}",
        )
        if entry.id == 0:
            self._start(entry.seat)
        else:
            self._require(
                entry.seat == self._due_seat(), entry.seat, "the fault of a seat that was not asked"
            )
            self._require(
                entry.seat not in self._forfeits, entry.seat, "a fault of a seat that had forfeited"
            )
            self._require(self._faulted is None, entry.seat, "a second fault in one decision")
            self._asked(entry.seat, entry.id)
            self._faulted = entry.seat
        deal_no = 0 if self._state is None else self._state.deal_no
        self._require(entry.deal_no == deal_no, entry.seat, f"the fault was in deal {deal_no}")
        self._faults[entry.seat] += 1
        forfeits = entry.kind not in FORGIVABLE or self._faults[entry.seat] >= self._log.opened.faults
        self._require(entry.forfeits == forfeits, entry.seat, f"`forfeits` had to be {forfeits}")
        # An illegal reply still counts as a reply.
        self._replies[entry.seat] += entry.kind == "illegal"
        if forfeits:
            answered = self._replies[entry.seat] > 0
            self._forfeits[entry.seat] = Forfeit(entry.seat, deal_no, entry.kind, answered)

    def _act(self, entry: Acted) -> None:
        seat, state = entry.seat, self._state
        self._require(
            state is not None and seat == self._due_seat(), seat, "an action of a seat that was not asked"
        )
        assert state is not None
        legal = state.legal(seat)
        if entry.by_substitute:
            self._require(
                seat in self._forfeits or seat == self._faulted,
                seat,
                "a substitute without a fault before it",
            )
            drawn = self._substitutes[seat].choice(legal)
            self._require(entry.action == drawn, seat, f"the substitute chose {drawn}, not {entry.action}")
        else:
            self._require(seat not in self._forfeits, seat, "a reply of a seat that had forfeited")
            self._require(self._faulted is None, seat, "a reply after a fault in the same decision")
            self._asked(seat, entry.id)
            self._replies[seat] += 1
            self._require(
                entry.action in legal,
                seat,
                f"{entry.action} was not legal; the legal actions were {' '.join(legal)}",
            )
        self._faulted = None
        self._chosen[seat] = entry.action

    def _happened(self, entry: Happened) -> Step:
        opened = self._log.opened
        if self._state is None:
            self._require(len(self._greeted) == self._log.seats, None, "events before all seats had started")
            try:
                options = msgspec.convert(opened.options, self._log.game.options)
            except msgspec.ValidationError as error:
                raise Mismatch(1, 0, None, f"options: {error}") from None
            source = DealSource(opened.pod_key)
            step = self._log.game.start(self._log.seats, options, opened.deals, source)
        else:
            self._require(not self._over(), None, "events after the end")
            self._require(
                self._chosen.keys() == self._state.pending.keys(), None, "events before all had chosen"
            )
            step = self._state.apply(self._chosen)
        self._compare(entry, step.events)
        return step

    def _compare(self, entry: Happened, events: Sequence[msgspec.Struct]) -> None:
        try:
            lines = raw_events(entry)
            logged = events_of(self._log.game, lines)
        except msgspec.ValidationError as error:
            raise self._mismatch(None, f"not an event of {self._log.game.id}: {error}") from None
        for index, event in enumerate(events):
            if index >= len(logged) or logged[index] != event:
                there = bytes(lines[index]).decode() if index < len(logged) else "nothing"
                seat = _whose(event, logged[index] if index < len(logged) else None)
                raise self._mismatch(seat, f"expected {bytes(raw(event)).decode()}, got {there}")
        self._require(len(logged) == len(events), None, f"{len(logged) - len(events)} events too many")

    def _close(self, entry: MatchClosed) -> None:
        state = self._state
        in_step = self._chosen or self._faulted is not None
        self._require(state is not None and not in_step, None, "the outcome in the middle of a step")
        assert state is not None
        self._require(self._over(), None, "an outcome before the end")
        tally = state.tally()
        placings = with_forfeits(tally.placings, self._forfeits)
        forfeits = tuple(self._forfeits[seat] for seat in sorted(self._forfeits))
        due = MatchClosed(tally.points, tally.gains, placings, forfeits, entry.us)
        self._require(entry == due, None, f"the outcome was {msgspec.json.encode(due).decode()}")
        self._closed = True

    def _over(self) -> bool:
        """Whether no further step may follow: the game is over, or every seat has forfeited. A step that has
        begun is always finished."""
        if self._chosen or self._faulted is not None:
            return False
        return self._state is not None and (not self._state.pending or len(self._forfeits) == self._log.seats)

    def _due_seat(self) -> int | None:
        """The seat whose decision must come next; None if none is due."""
        if self._state is None or self._over():
            return None
        return next((seat for seat in self._state.pending if seat not in self._chosen), None)

    def _asked(self, seat: int, request_id: int) -> None:
        self._requests[seat] += 1
        due = self._requests[seat]
        self._require(request_id == due, seat, f"expected request {due}, got {request_id}")

    def _require(self, truth: bool, seat: int | None, detail: str) -> None:
        if not truth:
            raise self._mismatch(seat, detail)

    def _mismatch(self, seat: int | None, detail: str) -> Mismatch:
        return Mismatch(self._line_no, 0 if self._state is None else self._state.deal_no, seat, detail)


def _whose(due: msgspec.Struct, found: msgspec.Struct | None) -> int | None:
    """The seat about which two versions of an event differ: the event's own, or the first seat whose value
    differs in a field with one value per seat. None if there is no such seat."""
    seat: int | None = getattr(due, "seat", None)
    if seat is not None:
        return seat
    if type(found) is type(due):
        for row, other in zip(msgspec.structs.astuple(due), msgspec.structs.astuple(found), strict=True):
            if isinstance(row, tuple) and isinstance(other, tuple) and row != other:
                return next((at for at, (a, b) in enumerate(zip(row, other, strict=False)) if a != b), None)
    return None
