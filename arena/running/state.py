"""What a journal's entries add up to: the settings, the rounds, the results, and what is still to be played.

Pure: entries in, values out. Here the names of entrants meet the seats of matches.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from arena.entrants.entrant import Entrant
from arena.entrants.find import house_bot
from arena.games import GAMES
from arena.match.job import Job
from arena.running.journal import (
    Admitted,
    Annulled,
    ByOrganiser,
    Created,
    Drawn,
    Entry,
    Played,
    Replaced,
    Skipped,
    Withdrawn,
)
from arena.system.errors import UserError, meant
from arena.system.text import caption
from protocol.streams import pod_key, seating_labels
from tournaments.formats import FORMATS, PAIRING, Field, format_named
from tournaments.results import HOUSE_PREFIX, MatchResult, Round, is_house, withdrawn
from tournaments.seatings import seatings, williams_square
from tournaments.versions import BEGINS, by_version, earlier_versions

if TYPE_CHECKING:
    from tournaments.knockout import Course
    from tournaments.standings import Standings


class Fielded(NamedTuple):
    """`entrants` are all, the `gone` among them: the withdrawn and those that a new version has replaced."""

    results: tuple[MatchResult, ...]
    entrants: tuple[str, ...]
    gone: tuple[str, ...]


class Record:
    """The state of a tournament after some entries. Raises UserError for a game that is not known here."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        created = entries[0]
        assert isinstance(created, Created)
        game = GAMES.get(created.game)
        if game is None or game.rules != created.rules:
            known = f"here are {', '.join(f'{id} {game.rules}' for id, game in GAMES.items())}"
            raise UserError(f"a tournament of {created.game}, rules version {created.rules}; {known}")
        if created.pairing > PAIRING:
            raise UserError(f"rounds drawn by version {created.pairing} of the rules; here is {PAIRING}")
        if reason := unplayable(created):
            raise UserError(f"no tournament can be like this one: {reason}")
        self.created = created
        self.entrants = {entrant.name: entrant for entrant in created.entrants}
        self.drawn: tuple[Round, ...] = ()
        self.played: dict[str, Played] = {}
        self.skipped: dict[str, Skipped] = {}
        self.by_organiser: tuple[ByOrganiser, ...] = ()
        self._rosters: list[dict[str, Entrant]] = []
        self._taken_out: list[str] = []
        self._joined: dict[str, int] = {}
        self._may_win: set[str] = set()
        self._replaced: defaultdict[str, list[int]] = defaultdict(list)
        self._results: dict[str, MatchResult] = {}
        self._matches: list[int] = []  # how many, by round from the first
        self._ended: defaultdict[int, set[str]] = defaultdict(set)  # by round
        for entry in entries[1:]:
            self.add(entry)

    def add(self, entry: Entry) -> None:
        """One more entry, in its place behind all others."""
        for name, attribute in vars(Record).items():
            if isinstance(attribute, cached_property):
                self.__dict__.pop(name, None)
        match entry:
            case Drawn(pods=pods):
                self.drawn += (pods,)
                self._matches.append(sum(matches_of_a_pod(self.created, len(pod)) for pod in pods))
                self._rosters.append(dict(self.entrants))
            case Played(match_id=match_id):
                self.played[match_id] = entry
                self._results[match_id] = result(entry)
                self._ended[entry.round_no].add(match_id)
            case Skipped(match_id=match_id):
                self.skipped[match_id] = entry
                self._ended[entry.round_no].add(match_id)
            case Annulled(match_id=match_id):
                self.played.pop(match_id, None)
                self._results.pop(match_id, None)
                if match_id not in self.skipped:
                    self._ended[place(match_id)[0]].discard(match_id)
            case Admitted(entrant=entrant, may_win=may_win):
                self.entrants[entrant.name] = entrant
                if self.drawn:
                    self._joined[entrant.name] = len(self.drawn) + 1
                if may_win:
                    self._may_win.add(entrant.name)
            case Replaced(entrant=entrant):
                self.entrants[entrant.name] = entrant
                begins, next_round = self._replaced[entrant.name], len(self.drawn) + 1
                # A version that was never drawn is none that anybody met.
                if begins[-1:] != [next_round] and any(
                    entrant.name in pod for pods in self.drawn for pod in pods
                ):
                    begins.append(next_round)
            case Withdrawn(name=name):
                self._taken_out.append(name)
        if isinstance(entry, ByOrganiser):
            self.by_organiser += (entry,)

    @cached_property
    def results(self) -> tuple[MatchResult, ...]:
        return tuple(self._results.values())

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(self.entrants)

    def title(self, name: str) -> str:
        """That of an entrant or of an earlier version of it; "" if it has none."""
        return self.entrants[name.partition(BEGINS)[0]].title

    def called(self, name: str) -> str:
        """What people read: the title of the entrant of that name, if it has one; of an earlier version that
        and its rounds."""
        base, begins, rounds = name.partition(BEGINS)
        entrant = self.entrants.get(base)
        return f"{entrant.called}{begins}{rounds}" if entrant else name

    @cached_property
    def withdrawn(self) -> tuple[str, ...]:
        """Who plays no further round, by the organiser's word or by dying too often. Complete only when all
        matches of a round are in."""
        died = (name for name in withdrawn(self.results) if not name.startswith(HOUSE_PREFIX))
        return tuple(dict.fromkeys([*self._taken_out, *died]))

    @cached_property
    def fielded(self) -> Fielded:
        """What statistics count: each version of an entrant by itself."""
        earlier = earlier_versions(self.names, self._replaced)
        return Fielded(
            by_version(self.results, self._replaced), (*self.names, *earlier), (*self.withdrawn, *earlier)
        )

    @property
    def independent_deals(self) -> bool:
        return GAMES[self.created.game].independent_deals

    # Numpy and scipy are slow to load, and most that is asked of a record needs neither.

    @cached_property
    def widening(self) -> float:
        """How much wider intervals must be because pods were drawn from results. Takes seconds."""
        from tournaments.resamples import widening  # noqa: PLC0415

        field = msgspec.structs.replace(self.field(), entrants=self.names)
        return widening(field, format_named(self.created.format), self.withdrawn)

    def standings(self, *, honest: bool = True) -> "Standings":
        """Without `honest`, at once and with intervals that are too narrow."""
        from tournaments.standings import standings  # noqa: PLC0415

        widening = self.widening if honest else 1.0
        begins = self._joined | {name: rounds[-1] for name, rounds in self._replaced.items() if rounds}
        return standings(*self.fielded, widening=widening, joined=begins, may_win=self._may_win)

    @cached_property
    def course(self) -> "Course | None":
        """How far each came; None where nobody is eliminated."""
        from tournaments.knockout import course  # noqa: PLC0415

        eliminates = format_named(self.created.format).ELIMINATES
        return course(self.field(), over=self.over) if eliminates else None

    def field(self) -> Field:
        """The tournament as a format sees it: without those who are withdrawn."""
        created = self.created
        named = {name: entrant.author for name, entrant in self.entrants.items() if entrant.author}
        return Field(
            entrants=tuple(name for name in self.names if name not in self.withdrawn),
            pod_size=created.pod_size,
            rounds=created.rounds,
            seed=created.seed,
            drawn=self.drawn,
            results=self.results,
            authors=named | created.authors,
            challengers=created.challengers,
            pairing=created.pairing,
        )

    @cached_property
    def over(self) -> bool:
        """Whether all is played: nothing due, and no further round to draw."""
        return not self.due() and format_named(self.created.format).draw(self.field()) is None

    def jobs(self) -> Iterator[Job]:
        """Every match that was drawn, in match order."""
        for round_no in range(1, len(self.drawn) + 1):
            yield from self.jobs_of(round_no)

    def due(self) -> list[Job]:
        """The matches that are drawn and neither played nor skipped, as they shall be played: round by round,
        in each the first seating of every pod, then the second ones. So the same deals are far apart."""
        return [
            job
            for round_no in range(1, len(self.drawn) + 1)
            if len(self._ended[round_no]) < self._matches[round_no - 1]
            for job in sorted(self.jobs_of(round_no), key=lambda job: job.seating_no)
            if job.match_id not in self._ended[round_no]
        ]

    def jobs_of(self, round_no: int) -> Iterator[Job]:
        """Those of a round that was drawn, in match order."""
        return jobs(self.created, self._rosters[round_no - 1], round_no, self.drawn[round_no - 1])


def match_id(round_no: int, pod_no: int, seating_no: int) -> str:
    return f"r{round_no:02}-p{pod_no:03}-s{seating_no:02}"


def place(match_id: str) -> tuple[int, int, int]:
    """Round, pod and seating of a match id."""
    round_no, pod_no, seating_no = (int(part[1:]) for part in match_id.split("-"))
    return round_no, pod_no, seating_no


def jobs(
    created: Created, entrants: Mapping[str, Entrant], round_no: int, pods: Iterable[Sequence[str]]
) -> Iterator[Job]:
    """Every match of a round: each pod plays the same deals in all seatings of its square; without
    duplicates, in one of them."""
    for pod_no, pod in enumerate(pods, 1):
        key = pod_key(created.seed, round_no, pod_no)
        square = seatings(pod, seating_labels(key, len(pod)))
        for seating_no, names in enumerate(square if created.duplicates else square[:1], 1):
            yield Job(
                match_id=match_id(round_no, pod_no, seating_no),
                **created.settings,
                pod_key=key,
                seating_no=seating_no,
                entrants=tuple(entrants.get(name) or house_bot(name) for name in names),
                keep_bots=created.keep_bots,
            )


def planned_matches(created: Created) -> list[int]:
    """By round, while nobody is withdrawn or admitted."""
    pods = format_named(created.format).pods_by_round(
        len(created.entrants), created.pod_size, created.rounds, len(created.challengers)
    )
    return [count * matches_of_a_pod(created, created.pod_size) for count in pods]


def matches_of_a_pod(created: Created, size: int) -> int:
    return len(williams_square(size)) if created.duplicates else 1


def result(played: Played) -> MatchResult:
    return MatchResult(
        round_no=played.round_no,
        pod_no=played.pod_no,
        seating_no=played.seating_no,
        entrants=played.entrants,
        gains=played.outcome.gains,
        placings=played.outcome.placings,
        forfeits=played.forfeits,
    )


def deed(entry: ByOrganiser) -> tuple[str, str, str]:
    """What the organiser did, to whom or what, and why."""
    match entry:
        case Admitted(entrant=entrant):
            # It is published: where the folder was is nobody's business.
            return "admitted", entrant.name, f"from {caption(entrant.source.rpartition('/')[2])}"
        case Replaced(entrant=entrant, reason=reason):
            return "replaced", entrant.name, reason
        case Withdrawn(name=name, reason=reason):
            return "withdrawn", name, reason
        case Annulled(match_id=match_id, reason=reason):
            return "annulled", match_id, reason


def unplayable(created: Created) -> str | None:
    """Why no tournament can have these settings."""
    game, names = GAMES[created.game], [entrant.name for entrant in created.entrants]
    if created.format not in FORMATS:
        return f"no format is called {created.format!r}{meant(created.format, FORMATS)}"
    if created.pod_size not in game.seats:
        return f"{game.id} is not played by {created.pod_size}"
    for name, times in Counter(names).items():
        if times > 1 or is_house(name):
            return (
                f"no entrant can be called {name}"
                if is_house(name)
                else f"{times} entrants are called {name}"
            )
    for name in (*created.authors, *created.challengers):
        if name not in names:
            return f"{name} has not entered"
    try:
        msgspec.convert(created.options, game.options)
    except msgspec.ValidationError as error:
        return f"options: {error}"
    return None
