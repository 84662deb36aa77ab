"""The state of a tournament after the entries of its journal: the settings, the rounds, the results, and the
matches that are still to be played.

Pure: entries in, values out; slow computations are cached (cache.py). This file maps the names of entrants to
the seats of matches.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from arena.director.cache import remembered
from arena.director.entries import (
    ByOrganiser,
    Created,
    Deadline,
    JournalEntry,
    MatchPlayed,
    Skipped,
    TimeUp,
    match_id,
    place,
)
from arena.director.journal import LOGS
from arena.entrants.entrant import Entrant
from arena.entrants.find import house_bot
from arena.games import registry
from arena.log.house_bugs import HouseBugRow, bug_row, together
from arena.playing.job import Job
from arena.playing.spent import Spent, total
from arena.system.errors import UserError, did_you_mean
from protocol.streams import pod_key, seating_labels
from tournaments.formats import FORMATS, PAIRING, Field, format_named
from tournaments.results import MatchResult, Round, in_match_order, is_house, withdrawn
from tournaments.seatings import seatings, williams_square
from tournaments.versions import BEGINS, by_version, earlier_versions

if TYPE_CHECKING:
    from tournaments.knockout import KnockoutResult
    from tournaments.standings import Standings


class StatisticsInput(NamedTuple):
    """The input of the statistics. `entrants` holds all; `gone` those that are withdrawn, or replaced by a
    new version."""

    results: tuple[MatchResult, ...]
    entrants: tuple[str, ...]
    gone: tuple[str, ...]


class Record:
    """The state of a tournament after some entries. Raises UserError for a game that is not installed, and
    for settings that cannot be played."""

    def __init__(self, entries: Sequence[JournalEntry]) -> None:
        created = entries[0]
        assert isinstance(created, Created)
        game, difference = registry.played(created.game, created.game_package, created.rules)
        if difference:
            raise UserError(f"a tournament of {game.id}, {difference}")
        if created.pairing > PAIRING:
            raise UserError(
                f"rounds drawn by version {created.pairing} of the pairing rules; this arena has version "
                f"{PAIRING}"
            )
        if reason := unplayable(created):
            raise UserError(f"this tournament is impossible: {reason}")
        self.created = created
        self.rounds = created.rounds
        self.entrants = {entrant.name: entrant for entrant in created.entrants}
        self.drawn: tuple[Round, ...] = ()
        self.played: dict[str, MatchPlayed] = {}
        self.skipped: dict[str, Skipped] = {}
        self.by_organiser: tuple[ByOrganiser, ...] = ()
        self.deadline: Deadline | None = None
        """The deadline in force; None once it has ended the tournament."""
        self.cut_off: frozenset[tuple[int, int]] = frozenset()
        """The pods, by round and number, that a deadline cut off. Their matches do not count."""
        self.times_up: tuple[TimeUp, ...] = ()
        self._rosters: list[dict[str, Entrant]] = []
        self.taken_out: list[str] = []
        self.joined: dict[str, int] = {}
        self.may_win: set[str] = set()
        self._replaced: defaultdict[str, list[int]] = defaultdict(list)
        self.deaths_from: dict[str, int] = {}
        """By name, the first round whose deaths count against the program that plays now."""
        self.results_by_id: dict[str, MatchResult] = {}
        self._matches: list[int] = []
        """The number of matches in each round."""
        self.ended: defaultdict[int, set[str]] = defaultdict(set)
        """The ids of the matches of each round that were played or skipped."""
        for entry in entries[1:]:
            self.add(entry)

    def add(self, entry: JournalEntry) -> None:
        """Apply the next entry."""
        # Clear the values computed from earlier entries.
        for name, attribute in vars(Record).items():
            if isinstance(attribute, cached_property):
                self.__dict__.pop(name, None)
        entry.apply(self)
        if isinstance(entry, ByOrganiser):
            self.by_organiser += (entry,)

    def begins(self, pods: Round) -> None:
        """Begin a round."""
        self.drawn += (pods,)
        self._matches.append(sum(matches_of_a_pod(self.created, len(pod)) for pod in pods))
        self._rosters.append(dict(self.entrants))

    def replace(self, entrant: Entrant) -> None:
        """Replace an entrant from the next round on. The same program elsewhere is no new version."""
        name, next_round = entrant.name, len(self.drawn) + 1
        known, self.entrants[name] = self.entrants[name], entrant
        if known.digest == entrant.digest:
            return
        begins = self._replaced[name]
        # A version that was never drawn has met nobody, so the new one takes its place.
        if begins[-1:] != [next_round] and any(name in pod for pods in self.drawn for pod in pods):
            begins.append(next_round)

    @cached_property
    def results(self) -> tuple[MatchResult, ...]:
        """The results that count, in the order of their entries."""
        return tuple(self.results_by_id.values())

    @property
    def in_order(self) -> list[MatchPlayed]:
        """The matches that count, by round, pod and seating."""
        return [self.played[match] for match in sorted(self.played, key=place)]

    @property
    def spent(self) -> Spent | None:
        """What the matches that count have cost; None if none was measured."""
        return total(played.spent for played in self.played.values() if played.spent is not None)

    @cached_property
    def bugs(self) -> tuple[HouseBugRow, ...]:
        """The failures of the arena's own bots, in matches that count."""
        return together(
            bug_row(played.match_id, name, self._program(name), bug, f"{LOGS}/{played.match_id}.jsonl")
            for played in self.in_order
            for bug in played.bugs
            for name in [played.entrants[bug.seat]]
        )

    def _program(self, name: str) -> str:
        return (self.entrants.get(name) or house_bot(name)).program

    @cached_property
    def names(self) -> tuple[str, ...]:
        """All entrants, withdrawn ones too, in the order in which they entered."""
        return tuple(self.entrants)

    def title(self, name: str) -> str:
        """The title of an entrant, or of an earlier version of it; "" if it has none."""
        return self.entrants[name.partition(BEGINS)[0]].title

    def called(self, name: str) -> str:
        """The text shown for a name: the entrant's title or name, and the rounds of an earlier version."""
        base, begins, rounds = name.partition(BEGINS)
        entrant = self.entrants.get(base)
        return f"{entrant.called}{begins}{rounds}" if entrant else name

    def roster(self, round_no: int) -> Mapping[str, Entrant]:
        """The entrants by name when a round was drawn; the current ones for a round that is not drawn yet."""
        return self._rosters[round_no - 1] if round_no <= len(self._rosters) else self.entrants

    @cached_property
    def withdrawn(self) -> tuple[str, ...]:
        """The entrants that play no further round: withdrawn by the organiser, or for dying too often.
        Complete only once all matches of a round have ended."""
        return tuple(dict.fromkeys([*self.taken_out, *self.died()]))

    def died(self, before: int | None = None) -> tuple[str, ...]:
        """The entrants that are withdrawn for dying too often, in the order of their withdrawal; with
        `before`, those withdrawn before that round was played."""
        results = (result for result in self.results if before is None or result.round_no < before)
        return tuple(name for name in withdrawn(results, self.deaths_from) if not is_house(name))

    @cached_property
    def fielded(self) -> StatisticsInput:
        """The input of the statistics, in which each version of an entrant counts separately."""
        earlier = earlier_versions(self.names, self._replaced)
        return StatisticsInput(
            by_version(self.results, self._replaced), (*self.names, *earlier), (*self.withdrawn, *earlier)
        )

    @property
    def independent_deals(self) -> bool:
        """Whether, by the game, nothing except the points carries over from one deal to the next."""
        return registry.game(self.created.game).independent_deals

    # Numpy and scipy are slow to load and most uses of a record need neither, so they are imported late.

    @cached_property
    def widening(self) -> float:
        """The factor by which intervals are wider because pods depend on results, estimated from the finished
        rounds, so once per round; infinite without intervals. Takes seconds unless cached."""
        over = min((round_no for round_no, _ in self.unfinished), default=len(self.drawn) + 1) - 1
        results = (result for result in self.results if result.round_no <= over)
        field = msgspec.structs.replace(
            self.field(),
            entrants=self.names,
            seed="",  # It does not matter here, and is secret.
            drawn=self.drawn[:over],
            results=tuple(in_match_order(results)),
        )

        def measured() -> float:
            from tournaments.resamples import widening  # noqa: PLC0415

            return widening(field, format_named(self.created.format), self.withdrawn)

        return remembered("widening", (field, self.created.format, self.withdrawn), float, measured)

    def standings(self, *, exact: bool = True) -> "Standings":
        """The standings. Without `exact` they take no time, but their intervals are too narrow."""
        from tournaments.standings import Standings, standings  # noqa: PLC0415

        has_intervals = format_named(self.created.format).HAS_INTERVALS
        widening = self.widening if exact or not has_intervals else 1.0
        begins = self.joined | {name: rounds[-1] for name, rounds in self._replaced.items() if rounds}
        may_win = sorted(self.may_win)

        def computed() -> Standings:
            return standings(*self.fielded, widening=widening, joined=begins, may_win=may_win)

        if not exact:
            return computed()
        fielded = self.fielded._replace(results=tuple(in_match_order(self.fielded.results)))
        return remembered("standings", (fielded, widening, begins, may_win), Standings, computed)

    @cached_property
    def course(self) -> "KnockoutResult | None":
        """How far each entrant of a knockout came; None for a format that eliminates nobody."""
        from tournaments.knockout import course  # noqa: PLC0415

        eliminates = format_named(self.created.format).ELIMINATES
        return course(self.field(), over=self.over) if eliminates else None

    def field(self) -> Field:
        """The tournament as the input of a format, without withdrawn entrants."""
        created = self.created
        named = {name: entrant.author for name, entrant in self.entrants.items() if entrant.author}
        return Field(
            entrants=tuple(name for name in self.names if name not in self.withdrawn),
            pod_size=created.pod_size,
            rounds=self.rounds,
            seed=created.seed,
            drawn=self.drawn,
            results=self.results,
            authors=named | created.authors,
            challengers=created.challengers,
            pairing=created.pairing,
        )

    @property
    def all_drawn(self) -> bool:
        """Whether no round is left to be drawn."""
        return self.over or len(self.drawn) >= self.rounds

    def may_go_on(self, newcomer: str = "") -> bool:
        """Whether a round is left to be drawn or can be added. A `newcomer` may make one possible."""
        return not self.all_drawn or not self.no_further(newcomer)

    def no_further(self, newcomer: str = "") -> str | None:
        """Why no round can be added; None if one can."""
        field = self.field()
        if newcomer and newcomer not in field.entrants:
            field = msgspec.structs.replace(field, entrants=(*field.entrants, newcomer))
        return format_named(self.created.format).no_further(field)

    @cached_property
    def over(self) -> bool:
        """Whether no match is due and the format draws no further round."""
        return not self.due() and format_named(self.created.format).draw(self.field()) is None

    def due(self) -> list[Job]:
        """The matches that are drawn and neither played nor skipped, in playing order: round by round, first
        the first seating of every pod, then the second, and so on. So matches with the same deals are far
        apart."""
        return [
            job
            for round_no in range(1, len(self.drawn) + 1)
            if len(self.ended[round_no]) < self._matches[round_no - 1]
            for job in sorted(self.jobs_of(round_no), key=lambda job: job.seating_no)
            if job.match_id not in self.ended[round_no] and place(job.match_id)[:2] not in self.cut_off
        ]

    @property
    def unfinished(self) -> tuple[tuple[int, int], ...]:
        """The pods, by round and number, that are drawn and not yet played in all their seatings."""
        return tuple(sorted({place(job.match_id)[:2] for job in self.due()}))

    @property
    def progress(self) -> str:
        """The text `round 3 of 6`; `round 3` while a deadline determines the number of rounds."""
        return f"round {len(self.drawn)}" + (f" of {self.rounds}" if self.deadline is None else "")

    def jobs_of(self, round_no: int) -> Iterator[Job]:
        """Every match of a round that was drawn, in match order."""
        return jobs(self.created, self._rosters[round_no - 1], round_no, self.drawn[round_no - 1])


def jobs(
    created: Created, entrants: Mapping[str, Entrant], round_no: int, pods: Iterable[Sequence[str]]
) -> Iterator[Job]:
    """The matches of a round: each pod plays the same deals in all seatings of its square or, without
    duplicates, in the first one. They use the currently installed code of the game."""
    package = registry.package_of(created.game)
    settings = msgspec.structs.replace(created.settings, game_package=package)
    for pod_no, pod in enumerate(pods, 1):
        key = pod_key(created.seed, round_no, pod_no)
        square = seatings(pod, seating_labels(key, len(pod)))
        for seating_no, names in enumerate(square if created.duplicates else square[:1], 1):
            yield Job(
                match_id=match_id(round_no, pod_no, seating_no),
                settings=settings,
                pod_key=key,
                seating_no=seating_no,
                entrants=tuple(entrants.get(name) or house_bot(name) for name in names),
                keep_bots=created.keep_bots,
            )


def planned_matches(created: Created, rounds: int | None = None) -> list[int]:
    """The number of matches by round if no entrant comes or goes. `rounds` defaults to those first
    planned."""
    pods = format_named(created.format).pods_by_round(
        len(created.entrants), created.pod_size, rounds or created.rounds, len(created.challengers)
    )
    return [count * matches_of_a_pod(created, created.pod_size) for count in pods]


def expected_matches(created: Created, drawn: Sequence[int], rounds: int | None = None) -> int:
    """The expected number of matches in all rounds, of which those `drawn` are known. Later rounds are scaled
    by the ratio of the last drawn round to its plan, since entrants come and go."""
    planned = planned_matches(created, rounds)
    share = drawn[-1] / planned[len(drawn) - 1] if drawn and len(drawn) <= len(planned) else 1
    return sum(drawn) + round(share * sum(planned[len(drawn) :]))


def matches_of_a_pod(created: Created, size: int) -> int:
    """The number of matches, one per seating, of a pod of this size."""
    return len(williams_square(size)) if created.duplicates else 1


def unplayable(created: Created) -> str | None:
    """Why a tournament with these settings is impossible; None if it is not."""
    game, names = registry.game(created.game), [entrant.name for entrant in created.entrants]
    if created.format not in FORMATS:
        return f"no format is called {created.format!r}{did_you_mean(created.format, FORMATS)}"
    if created.pod_size not in game.seats:
        return f"{game.id} cannot be played by {created.pod_size}"
    for name, times in Counter(names).items():
        if times > 1 or is_house(name):
            return (
                f"no entrant can be called {name}"
                if is_house(name)
                else f"{times} entrants are called {name}"
            )
    for name in (*created.authors, *created.groups, *created.challengers):
        if name not in names:
            return f"{name} has not entered"
    try:
        msgspec.convert(created.options, game.options)
    except msgspec.ValidationError as error:
        return f"options: {error}"
    return None
