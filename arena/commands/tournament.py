"""A tournament, from the bots that are named to the last round: `arena tournament`."""

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Final, Protocol, TypeAlias

import msgspec
import trio

from arena import __version__
from arena.commands.seed import announced, seed_lines_before
from arena.commands.workers import Address, WorkerPlan, playing
from arena.director import director
from arena.director.director import GRACE_SECONDS, Stopping, until_stopped
from arena.director.ends import ForMinutes, Until, clock_text, when
from arena.director.entries import Created, Deadline, JournalEntry, LeftOut, no_deadline
from arena.director.forecast import Expected
from arena.director.journal import Journal
from arena.director.orders import enter
from arena.director.state import Record, planned_matches
from arena.entrants.apart import require_unread
from arena.entrants.entrant import Entrant, Function
from arena.entrants.find import NoEntrant, require_unique
from arena.entrants.roster import Roster, RosterResult, find_entries
from arena.games import registry
from arena.playing.arguments import Argument
from arena.playing.pool import PlayAll, ignore_begun
from arena.playing.spellings import Bots, ByName, Names, PathText, Word, plain_words
from arena.playing.terms import (
    BotWords,
    KeepBots,
    MatchesAtATime,
    Say,
    Seats,
    SettledTerms,
    Terms,
    Thousand,
    Titles,
    require_plays,
    require_seats,
    with_titles,
)
from arena.process.interruptible import run_tasks
from arena.process.lag import too_late
from arena.process.launch import Launch
from arena.system.errors import UserError, require_numeric
from arena.system.outputs import unused
from arena.system.places import PlaceKind
from arena.system.processors import at_a_time
from arena.system.text import caption
from arena.system.wording import counted, duration, flag
from tournaments.formats import FORMATS, PAIRING, format_named

if TYPE_CHECKING:  # numpy and scipy are slow to load, and no match has to wait for them.
    from arena.commands.plan import PlanResult
    from arena.report.live import State
    from arena.report.updates import LivePages

require_numeric()  # Before anything is played: without them there is no table of it.

MOST_ROUNDS: Final = 1000
SAFE_SEED_LENGTH: Final = 32
"""A shorter seed is guessable; 32 hex digits are not."""
STOPPING: Final = (
    f"stopping: running matches have {GRACE_SECONDS:g} s to finish; press Ctrl-C again to end them at once"
)


class Display(Protocol):
    """Shows a tournament while it runs."""

    def on_entry(self, entry: JournalEntry) -> None:
        """To be called with every new entry of the journal."""

    def say(self, line: str) -> None:
        """Shows a line that is not in the journal."""


class NoDisplay:
    """Shows nothing."""

    def on_entry(self, entry: JournalEntry) -> None:
        pass

    def say(self, line: str) -> None:
        pass


Report: TypeAlias = Annotated[bool, Argument("Write report.html and replays, and keep them up to date.")]
Shown: TypeAlias = Callable[[Created, list[JournalEntry]], AbstractContextManager[Display]]
"""Opens a display; the list is the journal's own, which grows."""


def no_display(created: Created, entries: list[JournalEntry]) -> AbstractContextManager[Display]:
    """Shows nothing."""
    return nullcontext(NoDisplay())


class TournamentResult(msgspec.Struct, frozen=True):
    """A tournament that was run, to its end unless it was `interrupted`. `report` is the path of the page, ""
    for none; `served` says whether it needs a server, and `lacking` whether something could not be written
    (already reported)."""

    folder: str
    interrupted: bool
    report: str = ""
    served: bool = False
    lacking: bool = False


class TournamentOptions(Terms, frozen=True, kw_only=True):
    """The settings of a tournament besides its bots."""

    format: Annotated[str, Argument("How pods are paired.", choices=FORMATS, section="Tournament")] = "swiss"
    rounds: Annotated[Thousand | None, Argument("Number of rounds.", otherwise="the format's")] = None
    seats: Annotated[Seats, Argument("Number of seats: entrants in a pod.")] = 4
    duplicates: Annotated[bool, Argument("Play each deal of a pod in several seatings, or only once.")] = True
    seed_file: Annotated[
        PathText | None,
        Argument(
            "Deal from this secret seed, made by `arena seed --commit`, whose SHA-256 you have published.",
            metavar="FILE",
            kind="path",
            section="Secret seed",
            after="allow",
        ),
    ] = None
    public: Annotated[
        str | None,
        Argument(
            "With {flag.seed_file}: a public value that nobody controls, or knew before entries closed.",
            metavar="VALUE",
        ),
    ] = None
    challengers: Annotated[
        Names, Argument("Test this bot in a gauntlet; may be repeated.", metavar="BOT", section="Entrants")
    ] = ()
    authors: Annotated[
        ByName,
        Argument(
            "Name a bot's author. Bots by the same author are kept apart if possible.",
            question="who wrote it?",
        ),
    ] = msgspec.field(default_factory=dict)
    groups: Annotated[
        ByName,
        Argument(
            "Put a bot into a group, such as a class, which gets its own standings; may be repeated.",
            question="which one is it in?",
        ),
    ] = msgspec.field(default_factory=dict)
    titles: Titles = msgspec.field(default_factory=dict)
    like: Annotated[
        PathText | None,
        Argument(
            "Predict how long matches take from this run, and for a plan, if it has three rounds, how much "
            "gains vary.",
            metavar="DIR",
            kind=(PlaceKind.TOURNAMENT,),
        ),
    ] = None
    until: Until = None
    minutes: ForMinutes = None
    keep_bots: KeepBots = False
    jobs: MatchesAtATime = None
    dask: Address = None
    out: Annotated[
        PathText | None, Argument("Directory for the run.", otherwise="arena-<date>-<n>", kind="path")
    ] = None
    report: Report = False

    def created(self, bots: Bots, say: Say, terms: SettledTerms | None = None) -> Created:
        """The journal's first entry. Raises UserError."""
        terms = terms or self.settled()
        require_seats(terms.game, self.seats)
        if self.format not in FORMATS:
            raise UserError(f"{flag.format} {self.format}: the formats are {', '.join(FORMATS)}")
        seed_file = None if self.seed_file is None else Path(self.seed_file)
        mixed = announced(seed_file, self.public, self.seed, say)
        if terms.options.open_ended and self.duplicates:
            raise UserError(
                "with these options the number of deals depends on play, but duplicate deals need the same "
                f"number in every seating: add {flag.no_duplicates}"
            )
        entered, programs = _entered(plain_words(bots), terms, say)
        left_out = entered.found.left_out
        entrants = with_titles(programs, self.titles, say)
        named = tuple(self.challengers)
        challengers = _challengers(named, entrants, left_out)
        if (self.format == "gauntlet") != bool(named):
            raise UserError(
                f"{flag.format} gauntlet needs {flag.challengers} BOT, and no other format takes it"
            )
        planned = format_named(self.format).default_rounds
        return Created(
            arena=__version__,
            seed=mixed.seed if mixed else terms.seed,
            **msgspec.structs.asdict(terms.settings(self.seats)),
            rules=terms.game.rules,
            format=self.format,
            rounds=self.rounds or planned(len(entrants), self.seats, len(challengers)),
            pod_size=self.seats,
            duplicates=self.duplicates,
            entrants=tuple(sorted(entrants, key=lambda entrant: entrant.name)),
            left_out=tuple(LeftOut(one.name, one.reason, one.plays) for one in left_out),
            authors=entered.authors | _told(self.authors, entrants, flag.authors, "who wrote it?"),
            groups=entered.groups | _told(self.groups, entrants, flag.groups, "which one is it in?"),
            challengers=challengers,
            keep_bots=self.keep_bots,
            pairing=PAIRING,
            announced=mixed,
        )


class RunTournament(TournamentOptions, frozen=True):
    """Pairs bots over several rounds. Every pod plays the same deals in all balanced seatings, or without
    `duplicates` each deal once."""

    bots: BotWords

    def carry_out(
        self, say: Say, shown: Shown = no_display, here_by: PlayAll | None = None, *, quiet: bool = False
    ) -> TournamentResult:
        """Runs it; if `quiet`, says nothing while all goes well. Says so if the journal cannot be continued
        elsewhere. Raises UserError."""
        ends = when(self.until, self.minutes)
        if self.minutes == 0:
            raise UserError(
                f"{flag.minutes} 0: no round fits; use 0 only with `arena resume`, to end a tournament"
            )
        if ends is not None and self.format in FORMATS and (reason := no_deadline(self.format)):
            raise UserError(f"--{'until' if ends.by_clock else 'minutes'}: {reason}")
        terms = self.settled()
        created = self.created(self.bots, say, terms)
        folder = Path(self.out) if self.out is not None else unused()
        for place in (folder, None if self.seed_file is None else Path(self.seed_file)):
            require_unread(place, created.entrants, terms.sandbox)
        known = None if self.like is None else _measured_like(created, Path(self.like))
        with (
            playing(self.dask, self.jobs, say, quiet=quiet, here_by=here_by) as how,
            Journal.create(folder, created) as journal,
        ):
            say(terms.sandbox_line)
            if not journal.made_here:
                say(f"{journal.stranger}; arena resume will ask for {flag.trust}")
            deadline = None if ends is None else ends.deadline(self._most_rounds(created))
            if deadline is not None:
                enter(deadline, Record(journal.entries), folder, journal.add)
            before = known and known._replace(seconds=known.seconds / how.workers)
            if not quiet:
                _announce(created, folder, None if self.dask else how.workers, say, deadline)
                if before is not None:
                    round_takes = duration(before.seconds * planned_matches(created, 1)[0])
                    say(f"about {round_takes} a round, judging by {self.like}")
            if not self.dask and (late := too_late(created.limits.decision_ms, how.workers)):
                say(late)
            return run(journal, how, say, shown, report=self.report, before=before)

    def _most_rounds(self, created: Created) -> int:
        """The most rounds before a deadline: those requested. A schedule that does not depend on results has
        an end."""
        if self.rounds is not None or not format_named(self.format).ADAPTIVE:
            return created.rounds
        return MOST_ROUNDS


class PlanTournament(TournamentOptions, frozen=True):
    """What it takes to know gains per deal to a margin; plays nothing. `like` is a run in which the spread of
    gains is measured; without one, the game's typical spread is used."""

    bots: BotWords
    margin: Annotated[
        float,
        msgspec.Meta(gt=0),
        Argument(
            "Play nothing; print how many rounds it takes to know gains per deal to ±MARGIN.",
            flag="--plan",
            metavar="MARGIN",
            section="How long it takes",
        ),
    ]

    def carry_out(self, say: Say) -> "PlanResult":
        """Raises UserError."""
        from arena.commands.plan import planned

        if self.until is not None or self.minutes is not None:
            raise UserError(
                f"{flag('--plan', 'margin')} plays nothing: leave out {flag.until} and {flag.minutes}"
            )
        created = self.created(self.bots, say)
        workers = self.jobs or at_a_time()
        return planned(created, workers, self.margin, None if self.like is None else Path(self.like))


def run(
    journal: Journal,
    how: WorkerPlan,
    say: Say,
    shown: Shown,
    *,
    report: bool,
    before: Expected | None = None,
    launches: Mapping[Entrant, Launch] = MappingProxyType({}),
) -> TournamentResult:
    """Runs the tournament from the present state of its journal until it ends or is interrupted. `before`:
    what a match is expected to take, until one has been played. `launches`: how to start entrants differently
    from what the journal says."""
    pages = _live_pages(journal, say) if report else None
    with shown(Record(journal.entries).created, journal.entries) as display:

        def on_entry(entry: JournalEntry) -> None:
            display.on_entry(entry)
            if pages:
                pages.on_entry(entry)

        stopping = Stopping(lambda: display.say(STOPPING))
        state: State = "stopped"
        try:
            run_tasks(_play, journal, how, on_entry, stopping, pages, before, launches)
            state = "stopped" if stopping.asked else "over"
            if pages:
                pages.conclude()
        finally:
            if pages:
                pages.end(state)
        written = pages.report() if pages else None
    if written is None:
        return TournamentResult(str(journal.folder), stopping.asked, lacking=report)
    lacking = bool(written.complaint)
    return TournamentResult(str(journal.folder), stopping.asked, str(written.report), written.served, lacking)


async def _play(
    journal: Journal,
    how: WorkerPlan,
    on_entry: Callable[[JournalEntry], None],
    stopping: Stopping,
    pages: "LivePages | None",
    before: Expected | None,
    launches: Mapping[Entrant, Launch],
) -> None:
    """Plays the tournament, and keeps its pages up to date meanwhile."""
    on_begun = pages.on_begun if pages else ignore_begun
    async with trio.open_nursery() as nursery:
        if pages:
            nursery.start_soon(pages.keep)
        how_played = (stopping, how.play_all, how.cores, on_begun, before, launches)
        await until_stopped(partial(director.run, journal, how.workers, on_entry, *how_played), stopping)
        nursery.cancel_scope.cancel()


def worst_seconds(created: Created, matches: int, workers: int) -> float:
    """The duration of the matches if every seat used all its time, with a decision for each card it is
    dealt."""
    limits, deck = created.limits, registry.game(created.game).deck(created.pod_size)
    decisions = created.deals * len(deck)
    ms = created.pod_size * (limits.start_ms + limits.bank_ms) + decisions * limits.decision_ms
    return -(-matches // workers) * ms / 1000


def _measured_like(created: Created, like: Path) -> Expected | None:
    from arena.commands.plan import measured_like

    return measured_like(created, like, 1)


def _live_pages(journal: Journal, say: Say) -> "LivePages":
    from arena.report.updates import LivePages

    return LivePages(journal, say)


def _entered(
    words: Sequence[Word], terms: SettledTerms, say: Say
) -> tuple[RosterResult, tuple[Entrant, ...]]:
    """What the words name, and the bots among that with the functions, two at least. Says which words are
    passed over, and which bots are left out. Raises UserError."""
    roster = Roster()
    entries = [entry for word in words if isinstance(word, str) for entry in roster.of(word)]
    for remark in roster.remarks:
        say(remark)
    entered = find_entries(entries, terms.game.id, terms.sandbox)
    found = entered.found
    for word, reason in found.passed_over:
        if "=" in word and not os.path.exists(word):
            raise UserError(f"{word}: not a bot ({reason})")
        say(f"{word}: skipped, not a bot ({reason})")
    for left_out in found.left_out:
        say(f"{left_out.name}: left out, {left_out.reason}")
    entrants = (*found.entrants, *(word.entrant for word in words if isinstance(word, Function)))
    require_unique(entrants)
    if len(entrants) < 2:
        raise UserError(f"a tournament needs two bots, but there {'is only one' if entrants else 'are none'}")
    return entered, entrants


def _challengers(
    names: Sequence[str], entrants: Sequence[Entrant], left_out: Sequence[NoEntrant]
) -> tuple[str, ...]:
    """Those that play. Raises UserError for a name that no bot has, and if all of them are left out."""
    reasons = {one.name: one.reason for one in left_out}
    for name in names:
        if name not in reasons:
            require_plays(name, entrants, f"{flag.challengers} {name}")
    playing = tuple(name for name in names if name not in reasons)
    if names and not playing:
        raise UserError(f"{flag.challengers} {names[0]}: it is left out, {reasons[names[0]]}")
    return playing


def _told(values: Mapping[str, str], entrants: Sequence[Entrant], flag: str, question: str) -> dict[str, str]:
    """What an option says of each bot, made harmless. Raises UserError, which asks the question."""
    for name, value in values.items():
        require_plays(name, entrants, f"{flag} {name}={value}")
        if not value:
            raise UserError(f"{flag} {name}=: {question} {flag} {name}={flag[2:].upper()}")
    return {name: caption(value) for name, value in values.items()}


def _announce(
    created: Created, folder: Path, workers: int | None, say: Say, deadline: Deadline | None
) -> None:
    """Says what is going to be played. `workers` is the number of workers here; None on a cluster, whose
    workers are named when they join."""
    matches = sum(planned_matches(created, None if deadline is None else 1))
    at_a_time = f", {workers} at a time" if workers else ""
    rounds = f"{counted(created.rounds, 'round')}, {counted(matches, 'match')}"
    if deadline is not None:
        most = "" if deadline.most_rounds == MOST_ROUNDS else f" ({deadline.most_rounds} at most)"
        rounds = (
            f"as many rounds{most} as fit before {clock_text(deadline)}, each {counted(matches, 'match')}"
        )
    say(
        f"{len(created.entrants)} bots, {rounds} of "
        f"{counted(created.deals, 'deal')}{at_a_time}; results go to {folder}"
    )
    for line in seed_lines_before(created):
        say(line)
    if workers:
        worst = duration(worst_seconds(created, matches, workers))
        say(f"at most {worst}{'' if deadline is None else ' a round'}, if every bot used all its time")
    if len(created.seed) < SAFE_SEED_LENGTH:
        say("the seed is guessable: a bot could compute all hands")
