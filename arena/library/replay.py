"""Reads a match log: `arena.replay("match.jsonl")`. Knows one log; no tournament."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import msgspec

from arena.commands.replay import Contradiction, contradiction
from arena.commands.replay import events as events_of
from arena.commands.review import ReviewResult
from arena.library.markup import frame
from arena.library.rows import Rows
from arena.log.code import difference_of_code
from arena.log.decisions import Decision, decisions
from arena.log.entries import LOG_LIMIT, LogError, LoggedEntrant, parse
from arena.log.fault_report import ExcessRow, FaultRow, excess_in, faults_in
from arena.log.house_bugs import HouseBug, house_bugs
from arena.log.retrace import Log, of_entries, retrace
from arena.log.turns import Turn
from arena.playing.spellings import path_of
from arena.screens.show.story import story
from arena.system import foreign
from arena.system.errors import UserError
from arena.system.files import write_whole
from protocol.outcome import Forfeit, Outcome

FRAME_HEIGHT: Final = 940
"""In pixels: the whole table with its controls at a width of 1,000 pixels. A narrower page scrolls inside."""


class Replay(msgspec.Struct, frozen=True, eq=False):
    """A match that was played, from its log. Members that replay the log (events, decisions, turns,
    story, html) raise UserError if it is not true."""

    text: str
    """The log."""
    path: Path | None
    """The file of the log; None if it is not from a file."""
    _log: Log
    seed: str | None = None
    """Repeats the match; None if only its log is known."""

    @property
    def match(self) -> str:
        """The id of the match, such as r01-p002-s03."""
        return self._log.opened.match_id

    @property
    def game(self) -> str:
        """The id of the game, as --game takes it."""
        return self._log.game.id

    @property
    def entrants(self) -> tuple[LoggedEntrant, ...]:
        """The entrants by seat: name, title and the digest of the program."""
        return self._log.opened.entrants

    @property
    def deals(self) -> int:
        """The number of deals of the match, played or not."""
        return self._log.opened.deals

    @property
    def outcome(self) -> Outcome:
        """Points and gains by deal and seat, and placings by seat, which take account of forfeits. These are
        the log's claims: `verify()` tells whether they are true."""
        closed = self._log.closed
        return Outcome(closed.points, closed.gains, closed.placings)

    @property
    def forfeits(self) -> tuple[Forfeit, ...]:
        """The seats that lost the match by a fault."""
        return self._log.closed.forfeits

    @property
    def code(self) -> str | None:
        """A warning if the game was played with code other than that installed here; otherwise None."""
        return difference_of_code(self._log.opened)

    @property
    def faults(self) -> Rows[FaultRow]:
        """Every fault, including forgiven ones."""
        with self._true():
            return Rows(f"Faults of {self.match}", FaultRow, tuple(faults_in(self._log.entries)))

    @property
    def bugs(self) -> tuple[HouseBug, ...]:
        """The failures of the arena's own bots, by seat."""
        return house_bugs(self._log.entries)

    @property
    def excess(self) -> Rows[ExcessRow]:
        """The bots that computed while they were frozen."""
        with self._true():
            return Rows(f"Excess of {self.match}", ExcessRow, tuple(excess_in(self._log.entries)))

    @property
    def decisions(self) -> Rows[Decision]:
        """Every decision, with the view and the legal actions that the seat received."""
        with self._true():
            return Rows(f"Decisions of {self.match}", Decision, tuple(decisions(self._log)))

    def events(self, deal: int | None = None, seat: int | None = None) -> list[dict[str, Any]]:
        """The events in order, as `arena replay --json` prints them: of one deal (from 1) or
        all, known to one seat or any."""
        self._require(deal, seat)
        with self._true():
            return events_of(self._log, deal, seat)

    def turns(self) -> Iterator[Turn]:
        """The steps of the match, each with the state before, the actions, the events and the state after."""
        with self._true():
            yield from retrace(self._log)

    def story(self, deal: int | None = None, seat: int | None = None, *, notes: bool = False) -> str:
        """The match as lines of text: one deal (from 1) or all, and what one seat knew or everything; with
        `notes`, also the bots' notes on their decisions."""
        self._require(deal, seat)
        with self._true():
            return "\n".join(story(self._log, deal, seat, notes=notes))

    def html(
        self, seat: int | None = None, *, with_stderr: bool = False, review: ReviewResult | None = None
    ) -> str:
        """A page that replays the match in any browser, without a network: with the views of all seats, or
        with what one `seat` knew. `with_stderr`: include the bots' standard error, which requires the run
        directory around the log. `review`: a result of `arena.review` for this match, to be marked."""
        # Imported here since templates load slowly.
        from arena.report.replay import replay_page, stderr_beside  # noqa: PLC0415

        self._require(None, seat)
        if with_stderr and self.path is None:
            raise UserError(
                f"{self._place}: a log that is not a file has no standard error stored next to it"
            )
        stderr = stderr_beside(self.path, self._log.seats) if with_stderr and self.path else None
        with self._true():
            return replay_page(self._log, seat, stderr=stderr, judged=review.judged if review else ())

    def verify(self) -> Contradiction | None:
        """Deal again from the keys, play by the rules, and compare every line: None for a true log, otherwise
        the first contradiction."""
        return contradiction(self._log)

    def save(self, path: str | Path) -> Path:
        """Write the log to a file atomically. Raises UserError."""
        try:
            write_whole(Path(path), self.text.encode())
        except OSError as error:
            raise UserError(f"{path}: {error.strerror}") from None
        return Path(path)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Replay) and (self.text, self.path) == (other.text, other.path)

    def __hash__(self) -> int:
        return hash((self.text, self.path))

    def __reduce__(self) -> tuple[Any, ...]:
        return replay_of, (self.text, self.path, self.seed)

    def __repr__(self) -> str:
        names = ", ".join(entrant.called for entrant in self.entrants)
        return f"<Replay of {self.match}: {self.game}, {self.deals} deals, {names}>"

    def _repr_html_(self) -> str:
        """The replay with its controls, for a notebook."""
        return frame(self.html(), f"Replay of {self.match}", FRAME_HEIGHT)

    @property
    def _place(self) -> str:
        return str(self.path or self.match)

    def _require(self, deal: int | None, seat: int | None) -> None:
        if deal is not None and not 1 <= deal <= self.deals:
            raise UserError(f"deal {deal}: {self._place} has deals 1 to {self.deals}")
        if seat is not None and not 0 <= seat < self._log.seats:
            raise UserError(f"seat {seat}: {self._place} has seats 0 to {self._log.seats - 1}")

    @contextlib.contextmanager
    def _true(self) -> Iterator[None]:
        try:
            yield
        except LogError as error:
            raise UserError(f"{self._place}: {error}") from None


def replay(log: str | os.PathLike[str]) -> Replay:
    """Read the match log at this path. Raises UserError if there is none, it is incomplete, or its game is
    not known here."""
    path = Path(path_of(log))
    try:
        return _made(foreign.read(path, LOG_LIMIT), path, str(path))
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}") from None


def replay_of(text: str, path: Path | None = None, seed: str | None = None) -> Replay:
    """The match with this text as its log; `seed` repeats it. Raises UserError, as `replay` does."""
    # `parse` refuses invalid UTF-8.
    return msgspec.structs.replace(
        _made(text.encode("utf-8", "surrogatepass"), path, str(path or "the log")), seed=seed
    )


def _made(data: bytes, path: Path | None, place: str) -> Replay:
    try:
        log = of_entries(parse(data))
    except LogError as error:
        raise UserError(f"{place}: {error}") from None
    return Replay(data.decode(), path, log)
