"""`arena review`: what the decisions of a bot cost, in one match or over a run."""

import hashlib
import itertools
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Final, NamedTuple, TypeAlias

import msgspec

from arena.commands.replay import SeatNumber, checked_seat, read_log
from arena.director.journal import Journal
from arena.director.state import Record
from arena.log.entries import LogError, parse
from arena.log.retrace import Log, of_entries
from arena.log.settings import Number
from arena.players.review.choices import Choice, choices
from arena.players.review.judged import JudgedChoice, KindCost, dearest, kind_costs
from arena.playing.arguments import Argument, Command
from arena.playing.spellings import PathText, TextOrNumber
from arena.playing.terms import Say
from arena.system.errors import UserError, did_you_mean
from arena.system.places import PlaceKind
from arena.system.wording import counted, duration, flag
from protocol.outcome import Forfeit
from tournaments.clustered import clustered_mean

DEALS_OF_RUN: Final = 50
"""How many deals of a run are judged by default."""
DEAREST: Final = 10
FIRST_JUDGED: Final = 10
"""So many decisions are judged before the time left is told."""

OnJudged: TypeAlias = Callable[["ReviewPace"], None]
"""Is called with how far the review is, after each choice."""


class ReviewResult(msgspec.Struct, frozen=True, kw_only=True):
    """The choices of a bot, each with its cost."""

    place: str
    game: str
    bot: str
    title: str
    """What people read instead of the name; "" for the name itself."""
    seat: int | None
    """None if the bot sat at several seats in these deals."""
    deals: int
    """The number of deals judged. Deals of a run are drawn by lot."""
    deals_played: int
    """The number of deals that the bot played to their end."""
    matches_played: int
    """The number of matches with such a deal."""
    cost: float
    """The mean cost of the choices in a deal, in points."""
    low: float | None
    high: float | None
    """`low` to `high`: the 95 % interval of the cost, over pods; None with fewer than three pods."""
    kinds: tuple[KindCost, ...]
    judged: tuple[JudgedChoice, ...]

    @property
    def dearest(self) -> tuple[JudgedChoice, ...]:
        """The ten choices that cost most, of those that surely cost something."""
        return dearest(self.judged, DEAREST)


class ReviewPace:
    """How far a review is, and how long it will take at its present pace, since this was made. As text, for
    people."""

    def __init__(self, deals: int) -> None:
        self.deals = deals
        self.judged = 0
        self.share = 0.0
        """Of the deals."""
        self._begun = time.monotonic()

    def __str__(self) -> str:
        left = "" if self.seconds_left is None else f"{duration(self.seconds_left)} left · "
        return f"{left}{self.share:.0%} of {counted(self.deals, 'deal')} · {counted(self.judged, 'decision')}"

    @property
    def deals_done(self) -> int:
        """Deals of which all choices are judged."""
        return int(self.deals * self.share + 1e-9)

    @property
    def seconds_left(self) -> float | None:
        """None before enough is judged to say it: the first decisions of a deal take longest."""
        if self.judged < FIRST_JUDGED:
            return None
        return (time.monotonic() - self._begun) * (1 - self.share) / self.share


class Deal(NamedTuple):
    """A deal of a match, as one seat played it."""

    match: str
    seat: int
    number: int


class Subject(NamedTuple):
    """Whose choices are judged: the name and the title of a bot, and all deals of `game` that it has played
    itself, to their end. `log_of`: from a match id to its log."""

    bot: str
    title: str
    game: str
    played: Sequence[Deal]
    log_of: Callable[[str], Log]


class ReviewOptions(Command, frozen=True, kw_only=True):
    """What is said of a review, besides the seat."""

    bot: Annotated[str | None, Argument("Judge the decisions of this bot.", metavar="NAME")] = None
    deals: Annotated[
        Number | None,
        Argument("Judge at most this many random deals.", otherwise=f"all of a log, {DEALS_OF_RUN} of a run"),
    ] = None
    effort: Annotated[
        int, msgspec.Meta(ge=1, le=100), Argument("Think this many times as long about each decision.")
    ] = 1
    seed: Annotated[TextOrNumber, Argument("Any string; a different one imagines different deals.")] = ""


class Review(ReviewOptions, frozen=True):
    """Judges the choices of a bot, in a log or in a run."""

    place: Annotated[
        PathText,
        Argument(
            "A log, or a run.", metavar="LOG|DIR", positional=True, kind=(PlaceKind.LOG, PlaceKind.TOURNAMENT)
        ),
    ]
    seat: Annotated[SeatNumber | None, Argument("With a log: judge the decisions of this seat.")] = None

    def carry_out(self, say: Say, on_judged: OnJudged = lambda pace: None) -> ReviewResult:
        """Judges them. Raises UserError."""
        if os.path.isdir(self.place):
            return self._of_run(on_judged)
        log = read_log(Path(self.place), say)
        seats = self._seats_of(log)
        played = [
            Deal(log.opened.match_id, seat, number)
            for seat in seats
            for number in range(1, own_deals(len(log.closed.points), log.closed.forfeits, seat) + 1)
        ]
        entrant = log.opened.entrants[seats[0]]
        subject = Subject(entrant.name, entrant.title, log.game.id, played, lambda match: log)
        return self._reviewed(subject, self.deals or len(played), on_judged)

    def _of_run(self, on_judged: OnJudged) -> ReviewResult:
        if self.seat is not None:
            raise UserError(
                f"{flag.seat}: seats change from match to match in {self.place}; use {flag.bot} NAME"
            )
        with Journal(Path(self.place)) as journal:
            record = Record(journal.entries)
            names = list(record.names)
            if self.bot is None:
                raise UserError(
                    f"{flag.bot} NAME is missing; the bots in {self.place} are {', '.join(names)}"
                )
            played = [
                Deal(match_id, seat, number)
                for match_id, match in record.played.items()
                for seat, name in enumerate(match.entrants)
                if name == self.bot
                for number in range(1, own_deals(len(match.outcome.points), match.forfeits, seat) + 1)
            ]
            if self.bot not in names and not played:
                raise UserError(
                    f"{flag.bot} {self.bot}: no bot there has this name{did_you_mean(self.bot, names)}"
                )

            def log_of(match: str) -> Log:
                return of_entries(parse(journal.read_written_log(record.played[match]).encode()))

            subject = Subject(self.bot, record.title(self.bot), record.created.game, played, log_of)
            return self._reviewed(subject, self.deals or DEALS_OF_RUN, on_judged)

    def _seats_of(self, log: Log) -> list[int]:
        names = [entrant.name for entrant in log.opened.entrants]
        if self.seat is not None and self.bot is not None:
            raise UserError(f"give either {flag.seat} or {flag.bot} to say whose decisions to judge")
        if self.seat is not None:
            checked_seat(log, self.seat, Path(self.place))
            return [self.seat]
        if self.bot is None:
            seats = ", ".join(f"{seat} {name}" for seat, name in enumerate(names))
            raise UserError(f"{flag.seat} N is missing; the seats in {self.place} are {seats}")
        if self.bot not in names:
            raise UserError(
                f"{flag.bot} {self.bot}: no bot in {self.place} has this name{did_you_mean(self.bot, names)}"
            )
        return [seat for seat, name in enumerate(names) if name == self.bot]

    def _reviewed(self, subject: Subject, most: int, on_judged: OnJudged) -> ReviewResult:
        """The review of at most `most` deals. Raises UserError."""
        if not subject.played:
            raise UserError(f"{self.place}: this bot has not finished a deal")
        drawn = sorted(sorted(subject.played, key=self._lot)[:most])
        judged = tuple(self._judged(drawn, subject, on_judged))
        costs = dict.fromkeys(drawn, 0.0)
        for one in judged:
            costs[Deal(one.match, one.seat, one.deal)] += one.cost
        by_pod: dict[str, list[float]] = {}
        for deal, of_deal in costs.items():
            by_pod.setdefault(pod_of(deal.match), []).append(of_deal)
        cost, low, high = clustered_mean(by_pod)
        seats = {deal.seat for deal in drawn}
        return ReviewResult(
            place=str(self.place),
            game=subject.game,
            bot=subject.bot,
            title=subject.title,
            seat=seats.pop() if len(seats) == 1 else None,
            deals=len(drawn),
            deals_played=len(subject.played),
            matches_played=len({deal.match for deal in subject.played}),
            cost=cost,
            low=low,
            high=high,
            kinds=kind_costs(judged, len(drawn)),
            judged=judged,
        )

    def _judged(self, drawn: Sequence[Deal], subject: Subject, on_judged: OnJudged) -> Iterator[JudgedChoice]:
        """All choices of these deals, match by match."""
        # Loaded here, since numpy takes long to load.
        from arena.players.review.judge import Judge

        pace, done = ReviewPace(len(drawn)), 0
        for match, deals in itertools.groupby(drawn, key=lambda deal: deal.match):
            of_match = tuple(deals)
            log = self._log(match, subject.log_of)
            judge, due = Judge(log.game, str(self.seed), self.effort), tuple(self._choices(log, of_match))
            for number, choice in enumerate(due, 1):
                yield judge.judged(choice)
                pace.judged += 1
                pace.share = (done + len(of_match) * number / len(due)) / len(drawn)
                on_judged(pace)
            done += len(of_match)

    def _lot(self, deal: Deal) -> bytes:
        return hashlib.sha256(
            f"arena1/review/{self.seed}/{deal.match}/{deal.seat}/{deal.number}".encode()
        ).digest()

    def _log(self, match: str, log_of: Callable[[str], Log]) -> Log:
        try:
            return log_of(match)
        except LogError as error:
            raise UserError(f"{self.place}, match {match}: {error}") from None

    def _choices(self, log: Log, deals: Sequence[Deal]) -> Iterator[Choice]:
        wanted = set(deals)
        try:
            for seat in sorted({deal.seat for deal in deals}):
                for choice in choices(log, seat):
                    if Deal(choice.match, seat, choice.deal) in wanted:
                        yield choice
        except LogError as error:
            raise UserError(f"{self.place}, match {log.opened.match_id}: {error}") from None


def own_deals(deals: int, forfeits: Iterable[Forfeit], seat: int) -> int:
    """How many of the deals of a match a bot has played itself, to their end: a substitute plays on in the
    deal in which it forfeits."""
    return min([deals, *(max(0, one.deal_no - 1) for one in forfeits if one.seat == seat)])


def pod_of(match: str) -> str:
    """The part of a match id that all seatings of a pod share."""
    return match.rpartition("-s")[0] or match
