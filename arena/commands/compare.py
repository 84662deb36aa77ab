"""Finding out whether one bot is better than another, by pods that are played until that is settled:
`arena compare`."""

import hashlib
import sys
from collections.abc import Callable, Iterator
from math import inf
from typing import Annotated, Final, TypeAlias

import msgspec

from arena.commands.workers import Address, playing
from arena.director.comparison import Comparison
from arena.entrants.entrant import Entrant
from arena.entrants.find import BUILTIN_BOTS, builtin_bot
from arena.log.house_bugs import HouseBugRow
from arena.playing.arguments import Argument
from arena.playing.pool import PlayAll
from arena.playing.spellings import Bot, Bots
from arena.playing.terms import KeepBots, MatchesAtATime, Say, Seats, SettledTerms, Terms, Thousand, Titles
from arena.process.interruptible import run_tasks
from arena.process.lag import too_late
from arena.system.errors import UserError
from arena.system.text import called
from arena.system.wording import counted, flag, interval
from tournaments.compare import FEWEST_UNITS, ComparisonEstimate, Question, answer

NEIGHBOUR: Final = "heuristic"
"""The arena's own bot that takes empty seats. Beside strong bots a difference shows in fewer deals than
beside bots that play at random. `search` is stronger, but takes all the time that a match allows."""

Alpha: TypeAlias = Annotated[float, msgspec.Meta(gt=0, lt=0.5)]
Difference: TypeAlias = Annotated[float, msgspec.Meta(ge=0, le=sys.float_info.max)]
"""Any finite difference, since JSON cannot express infinity."""
Budget: TypeAlias = Annotated[int, msgspec.Meta(ge=FEWEST_UNITS)]


class CompareResult(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of two bots from the pods played so far. Bots are identified by their names."""

    one: str
    other: str
    against: tuple[str, ...]
    """The bots at the other seats."""
    titles: dict[str, str]
    """What people read instead of a name, for each bot that has a title."""
    answer: ComparisonEstimate
    question: Question
    deals: int
    """The number of deals in a match."""
    budget: int
    """The maximum number of deals."""
    matches: int
    """The number of matches that count."""
    forfeits: dict[str, dict[str, int]]
    """By bot: how often it forfeited for each kind of fault."""
    seed: str
    left_out: int = 0
    """The number of pods that do not count, since a bot of the arena's own kept failing in them."""
    bugs: tuple[HouseBugRow, ...] = ()
    """The failures of the arena's own bots; the matches in which they happened do not count."""

    @property
    def result(self) -> tuple[str, ...]:
        """The verdict, how sure it is, and who forfeited, as lines for people."""
        known = (self._verdict, self.sentence, self.still_held, self.promise)
        return tuple(line for line in (*known, *self._forfeits(), self._without) if line)

    @property
    def _verdict(self) -> str:
        answer = self.answer
        if answer.verdict in (None, "undecided"):
            return "undecided"
        weaker = answer.verdict == "not better" and answer.high is not None and answer.high < 0
        how = "weaker" if weaker else answer.verdict
        return f"{self._called(self.one)} is {how} than {self._called(self.other)}"

    @property
    def sentence(self) -> str:
        """The difference, its interval and what was played, in one line."""
        answer = self.answer
        pods = f"{counted(answer.units, 'pod')} of {self.deals} deals"
        played = counted(answer.units, "deal") if self.deals == 1 else pods
        if answer.difference is None:
            return played
        one, other = self._called(self.one), self._called(self.other)
        less = "less" if answer.difference < 0 else "more"
        how = f"{abs(answer.difference):.2f} points a deal {less} than" if answer.difference else "as much as"
        return f"{one} gains {how} {other}{self._sure()}; {played}"

    def _sure(self) -> str:
        """How sure the difference is. An interval that does not lie evenly around it has no single ±."""
        answer = self.answer
        if answer.difference is None or answer.low is None or answer.high is None:
            return ""
        level = f"{100 * (1 - self.question.alpha):g} % interval {interval(answer.low, answer.high)}"
        below, above = (f"{abs(end - answer.difference):.2f}" for end in (answer.low, answer.high))
        return f", sure to ±{above} ({level})" if below == above else f", {level}"

    @property
    def still_held(self) -> str:
        """Why there is a verdict although the interval contains the value that it excludes; "" if it does
        not."""
        answer = self.answer
        edge = {"better": 0.0, "not better": self.question.margin}.get(answer.verdict or "")
        low = -inf if answer.low is None else answer.low
        high = inf if answer.high is None else answer.high
        if edge is None or not low <= edge <= high:
            return ""
        return (
            f"The interval still contains {edge:g}: it divides its {100 * self.question.alpha:g} % between "
            "two sides, but a verdict needs only one side."
        )

    @property
    def promise(self) -> str:
        """The probability of a wrong verdict, and the condition for it."""
        question = self.question
        chance = f"A verdict is wrong with a probability of at most {100 * question.alpha:g} %"
        if question.bound is not None:
            return (
                f"{chance}, however many deals are played and whatever happens in them: under the rules, "
                f"one seat can gain at most {question.bound:g} a deal more than another."
            )
        if question.final:
            most = counted(question.budget * self.deals, "deal")
            return f"{chance} if no more than {most} are ever played, and if differences are not very skewed."
        return (
            f"{chance}, however many deals are played, if differences are not very skewed ({flag.bounded} "
            "does not need that assumption)."
        )

    def _forfeits(self) -> Iterator[str]:
        """A line for each bot that forfeited, with the kinds of its faults."""
        for name, kinds in self.forfeits.items():
            why = ", ".join(f"{count} × {kind}" for kind, count in kinds.items())
            total = sum(kinds.values())
            yield f"{self._called(name)} forfeited {total} of {self.matches} matches: {why}"

    @property
    def _without(self) -> str:
        """How many pods do not count; "" if all do."""
        if not self.left_out:
            return ""
        return f"{counted(self.left_out, 'pod')} left out, since one of the arena's own bots failed"

    def _called(self, name: str) -> str:
        return called(name, self.titles.get(name, ""))


OnAnswer: TypeAlias = Callable[[CompareResult], None]
"""Is called before the first pod, when nothing is known, and after each."""


class CompareOptions(Terms, frozen=True, kw_only=True):
    """The settings of a comparison besides the two bots."""

    against: Annotated[
        Bots, Argument("Seat this bot with the two; may be repeated.", metavar="BOT", kind="bot")
    ] = ()
    seats: Annotated[Seats, Argument(f"Number of seats; {NEIGHBOUR} takes the empty ones.")] = 4
    alpha: Annotated[Alpha, Argument("The maximum probability of a wrong verdict.")] = 0.05
    margin: Annotated[Difference, Argument("The smallest difference in gain per deal that matters.")] = 0.0
    budget: Annotated[Budget, Argument("Play at most this many deals.")] = 1000
    final: Annotated[
        bool,
        Argument(
            "Promise never to add deals to the budget. Finds small differences more often, large ones later."
        ),
    ] = False
    bounded: Annotated[
        bool,
        Argument(
            "Assume only that differences stay within what the rules allow. Still valid if a rare deal or "
            "forfeit costs very much; takes more deals."
        ),
    ] = False
    titles: Titles = msgspec.field(default_factory=dict)
    keep_bots: KeepBots = False
    jobs: MatchesAtATime = None
    dask: Address = None
    deals: Annotated[
        Thousand | None,
        Argument("Deals in a match.", otherwise="1, or the game's if a deal depends on the one before"),
    ] = None


class Compare(CompareOptions, frozen=True):
    """Finds out whether one bot is better than another, by pods that are played until that is settled or the
    budget is spent. A match has one deal, or the game's number where a deal depends on the last, unless its
    number is said."""

    one: Annotated[
        Bot, Argument("The bot that may be better, or a function.", metavar="A", positional=True, kind="bot")
    ]
    other: Annotated[
        Bot,
        Argument(
            "The bot that it is compared with, or a function.", metavar="B", positional=True, kind="bot"
        ),
    ]

    def carry_out(
        self, say: Say, on_answer: OnAnswer = lambda compared: None, here_by: PlayAll | None = None
    ) -> CompareResult:
        """Plays until there is a verdict. Raises UserError, and RuntimeError for an error of ours."""
        terms = self.settled()
        if terms.options.open_ended:
            raise UserError(
                "with these options the number of deals depends on play, but all seatings need the same "
                "number"
            )
        if self.final and self.bounded:
            raise UserError(f"{flag.final} and {flag.bounded} cannot be used together: choose one")
        entrants = self._entrants(terms, say)
        if self.deals is None and terms.game.independent_deals:
            terms = msgspec.structs.replace(terms, terms=msgspec.structs.replace(self, deals=1))
        job = terms.job(entrants, keep_bots=self.keep_bots)
        # Our own bots keep nothing from match to match, and take longer to start than to play a deal.
        job = msgspec.structs.replace(
            job, keep=tuple(bot.name for bot in entrants if bot.source in BUILTIN_BOTS)
        )
        bound = terms.game.largest_lead(self.seats) if self.bounded else None
        question = Question(
            self.alpha, self.margin, pods_of(self.budget, job.settings.deals), self.final, bound
        )
        comparison = Comparison(job, terms.seed, question)

        def so_far(found: ComparisonEstimate) -> CompareResult:
            return self._compared(comparison, found)

        say(terms.sandbox_line)
        _announce(entrants, job.settings.deals, terms.seed, say)
        with playing(self.dask, self.jobs, say, here_by=here_by) as how:
            if not self.dask and (late := too_late(job.settings.limits.decision_ms, how.workers)):
                say(late)
            on_answer(so_far(answer((), question)))
            found = run_tasks(
                comparison.settle,
                how.workers,
                lambda found: on_answer(so_far(found)),
                how.play_all,
                how.cores,
            )
        return so_far(found)

    def _entrants(self, terms: SettledTerms, say: Say) -> tuple[Entrant, ...]:
        """The two, and their neighbours. Raises UserError."""
        named = terms.playable((self.one, self.other, *self.against), one_each=True)
        neighbours = [builtin_bot(NEIGHBOUR, terms.game.id)] * (self.seats - len(named))
        return terms.seated((*named, *neighbours), self.seats, self.titles, say)

    def _compared(self, comparison: Comparison, found: ComparisonEstimate) -> CompareResult:
        """What is known with this answer."""
        job = comparison.job
        one, other, *neighbours = job.entrants
        return CompareResult(
            one=one.name,
            other=other.name,
            against=tuple(neighbour.name for neighbour in neighbours),
            titles={entrant.name: entrant.title for entrant in job.entrants if entrant.title},
            answer=found,
            question=comparison.question,
            deals=job.settings.deals,
            budget=self.budget,
            matches=comparison.matches,
            forfeits={name: dict(kinds) for name, kinds in comparison.forfeits.items()},
            seed=comparison.seed,
            left_out=len(comparison.left_out),
            bugs=comparison.bugs,
        )


def pods_of(budget: int, deals: int) -> int:
    """The number of pods of `deals` deals in the budget. Raises UserError if they are too few."""
    pods = budget // deals
    if pods < FEWEST_UNITS:
        raise UserError(
            f"{flag.budget} {budget}: {counted(pods, 'pod')} of {counted(deals, 'deal')}, but a verdict "
            f"takes {FEWEST_UNITS} pods; use {flag.budget} {FEWEST_UNITS * deals}, or a smaller {flag.deals}"
        )
    return pods


def _announce(entrants: tuple[Entrant, ...], deals: int, seed: str, say: Say) -> None:
    """Says what is going to be played."""
    say(f"with them: {', '.join(neighbour.called for neighbour in entrants[2:]) or 'nobody'}")
    say(f"matches of {counted(deals, 'deal')}, every deal in all seatings")
    say(f"seed SHA-256: {hashlib.sha256(seed.encode()).hexdigest()}")
