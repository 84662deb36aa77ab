"""A season: several tournaments of one game, as one table.

Strength belongs to a program, which its digest identifies: a new version of an entrant counts separately, and
a program that entered again under another name continues. So results are rewritten with programs in place of
names, and rounds are numbered through all tournaments, so that their pods stay distinct. The statistics of a
single tournament then hold: pods are independent, and intervals are widened as in the tournament whose pods
depended most on results. What people follow over time, points and head-to-heads, goes by name.

Pure: records in, values out.
"""

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final, NamedTuple

import msgspec

from arena.director.ahead import how_surely
from arena.director.caveats import caveats
from arena.director.entries import Created
from arena.director.state import Record, StatisticsInput
from arena.director.wording import named
from arena.entrants.entrant import Entrant
from arena.system.errors import UserError
from arena.system.text import caption
from arena.system.wording import flag
from tournaments.meetings import Meeting, meetings
from tournaments.results import HOUSE_PREFIX, MatchResult, is_house
from tournaments.standings import Standing, Standings, standings
from tournaments.superiority import Superiority, superiorities
from tournaments.versions import BEGINS, rounds_of

DIFFERENCES_NAMED: Final = 6
"""An error names this many differences between tournaments; --json names all."""


class SeasonEvent(NamedTuple):
    """A tournament of a season, its label there, and the number of rounds before it."""

    label: str
    record: Record
    before: int


class Program(msgspec.Struct, frozen=True):
    """A program of a season."""

    name: str
    """Its last name, followed by its tournaments if another program has that name now: `ada (spring)`."""
    called: str
    """The same with its title, for people."""
    digest: str
    """The SHA-256 of its files."""
    names: tuple[str, ...]
    """All its names, in order of first use."""
    events: tuple[str, ...]
    """The tournaments that it entered."""
    whole: bool
    """Whether it took part in all of every tournament."""
    replaced: bool
    """Whether another program has its name now."""
    withdrawn: bool
    """Whether it was withdrawn from its last tournament."""


class HeadToHead(msgspec.Struct, frozen=True):
    """The meetings of two names in all tournaments, and in each; None where they did not meet."""

    all: Meeting
    events: tuple[Meeting | None, ...]


class _Had(NamedTuple):
    """A spell: a program had a name from one round to another. `entrant` is the last one with both."""

    event: int
    name: str
    first: int
    last: int
    entrant: Entrant


class SeasonRecord:
    """Tournaments by label, in playing order. Raises UserError if they are of several games."""

    def __init__(self, records: Mapping[str, Record]) -> None:
        before, events = 0, []
        for label, record in records.items():
            events.append(SeasonEvent(label, record, before))
            played = max((result.round_no for result in record.results), default=0)
            before += max(len(record.drawn), played)
        self.events = tuple(events)
        first = self.events[0]
        for event in self.events:
            if event.record.created.game != first.record.created.game:
                raise UserError(
                    f"{event.label} is a tournament of {event.record.created.game}, but {first.label} is "
                    f"one of {first.record.created.game}: a season has only one game"
                )
        self.differences = tuple(_differences(self.events))
        self._had = _all_had(self.events)

    @property
    def records(self) -> tuple[Record, ...]:
        """The records of the tournaments."""
        return tuple(event.record for event in self.events)

    @cached_property
    def programs(self) -> Mapping[str, Program]:
        """The programs by name in the season, in the order in which they first entered."""
        return {program.name: program for program in self._by_key.values()}

    @cached_property
    def _by_key(self) -> Mapping[str, Program]:
        spells = [(had.event, had.last, had.name, key) for key, of in self._had.items() for had in of]
        now = {name: key for _, _, name, key in sorted(spells)}
        sharing = Counter((event, name) for event, _, name, _ in spells)
        found = {key: self._program(key, now, sharing) for key in self._had}
        # Two runs may have given one title to two programs.
        times = Counter(program.called for program in found.values())
        return {
            key: one if times[one.called] == 1 else msgspec.structs.replace(one, called=one.name)
            for key, one in found.items()
        }

    def _program(self, key: str, now: Mapping[str, str], sharing: Mapping[tuple[int, str], int]) -> Program:
        """`now`: the key of each name's current program; `sharing`: programs per tournament and name."""
        spells = self._had[key]
        last = min(spells, key=lambda had: (-had.event, -had.last, had.name))
        name, called, replaced = last.name, last.entrant.called, now[last.name] != key
        if replaced:
            when = [
                self.events[had.event].label
                + (f", {rounds_of(had.first, had.last)}" if sharing[had.event, name] > 1 else "")
                for had in spells
                if had.name == name
            ]
            behind = f"{BEGINS}{', '.join(when)})"
            name, called = name + behind, called + behind
        return Program(
            name=name,
            called=called,
            digest=last.entrant.digest,
            names=tuple(dict.fromkeys(had.name for had in spells)),
            events=tuple(dict.fromkeys(self.events[had.event].label for had in spells)),
            whole=key in self._whole,
            replaced=replaced,
            withdrawn=not replaced and last.name in self.events[last.event].record.withdrawn,
        )

    @cached_property
    def _whole(self) -> frozenset[str]:
        """The keys of the programs that took part in every tournament from beginning to end."""
        return frozenset.intersection(
            *(
                frozenset(_key(at, one) for one in entrants)
                for at, event in enumerate(self.events)
                for entrants in (event.record.created.entrants, event.record.entrants.values())
            )
        )

    def program_of(self, event: int, round_no: int, name: str) -> Program | None:
        """The program of a name in a round of a tournament; None for house bots and later entrants."""
        entrant = self.events[event].record.roster(round_no).get(name)
        return None if entrant is None else self._by_key.get(_key(event, entrant))

    def _told_again(self, event: int, result: MatchResult) -> MatchResult:
        """A result with programs in place of names, and the round number of the season."""
        programs = {name: self.program_of(event, result.round_no, name) for name in {*result.entrants}}
        return msgspec.structs.replace(
            result,
            round_no=self.events[event].before + result.round_no,
            entrants=tuple(
                known.name if (known := programs[name]) else name if is_house(name) else HOUSE_PREFIX + name
                for name in result.entrants
            ),
        )

    @cached_property
    def fielded(self) -> StatisticsInput:
        """The input of the statistics, by program. Raises UserError if the tournaments cannot be compared."""
        if self.differences:
            more = len(self.differences) - DIFFERENCES_NAMED
            which = "; ".join(self.differences[:DIFFERENCES_NAMED]) + f"; and {more} more" * (more > 0)
            raise UserError(
                f"{which}: gains under different conditions cannot share a table; leave a run out, or count "
                f"only points ({flag.points} 10,8,6,5,4)"
            )
        results = tuple(
            self._told_again(at, result)
            for at, event in enumerate(self.events)
            for result in event.record.results
        )
        programs = self.programs.values()
        gone = tuple(program.name for program in programs if program.replaced or program.withdrawn)
        return StatisticsInput(results, tuple(self.programs), gone)

    @property
    def withdrawn(self) -> tuple[str, ...]:
        """The programs that were withdrawn from their last tournament."""
        return tuple(program.name for program in self.programs.values() if program.withdrawn)

    def called(self, name: str) -> str:
        """The text shown for the name of a program or of an entrant."""
        if name in self.programs:
            return self.programs[name].called
        return next((one.called(name) for one in reversed(self.records) if name in one.entrants), name)

    @cached_property
    def widening(self) -> float:
        """The greatest `Record.widening` of all tournaments. Takes seconds."""
        return max(record.widening for record in self.records)

    @cached_property
    def table(self) -> Standings:
        """The standings of programs. A program that missed a part of any tournament is ranked first only if
        it played half of the rounds; `joined` is the round of the season in which it entered."""
        joined = {
            self._by_key[key].name: self.events[spells[0].event].before + spells[0].first
            for key, spells in self._had.items()
            if not self._by_key[key].whole
        }
        return standings(*self.fielded, widening=self.widening, joined=joined)

    @cached_property
    def superiority(self) -> tuple[Superiority, ...]:
        """The comparisons of all pairs of programs."""
        return superiorities(*self.fielded, widening=self.widening)

    @cached_property
    def head_to_head(self) -> tuple[HeadToHead, ...]:
        """The meetings of every two names, whatever programs had them."""
        everything: list[MatchResult] = []
        by_event = []
        for event in self.events:
            by_event.append({(m.one, m.other): m for m in meetings(event.record.results, event.record.names)})
            everything += [
                msgspec.structs.replace(result, round_no=event.before + result.round_no)
                for result in event.record.results
            ]
        names = {name for record in self.records for name in record.names}
        return tuple(
            HeadToHead(both, tuple(of_event.get((both.one, both.other)) for of_event in by_event))
            for both in meetings(everything, names)
        )

    @property
    def ahead(self) -> str:
        """One sentence on who gained most, and how certain that is."""
        rows = [row for row in self.table.entrants if row.rank is not None and row.gain is not None]
        if not rows:
            no_order = "The gains of the bots cannot be compared."
            return no_order if self.fielded.results else "No match has been played yet."
        best = [row for row in rows if row.rank == rows[0].rank]

        def names(of: Sequence[Standing]) -> str:
            return named(self.called(row.name) for row in of)

        clauses = [f"{names(best)} {'gains' if len(best) == 1 else 'gain'} most per deal"]
        if few := [row for row in rows if (row.gain or 0) > (best[0].gain or 0)]:
            clauses = [f"{names(best)} {'is' if len(best) == 1 else 'are'} first"]
            clauses.append(f"{names(few)} gained more, but in fewer than half of the rounds")
        else:
            clauses += how_surely(best, rows, names)
        return f"{'; '.join(clauses)}."

    @property
    def caveats(self) -> tuple[str, ...]:
        """The caveats to the table, one sentence each."""
        return (*caveats(self.table, (), self.called), *self._remarks())

    def _remarks(self) -> Iterator[str]:
        for program in self.programs.values():
            if len(program.names) > 1:
                yield f"{named(map(self.called, program.names))} are the same program, which has one row"
        arenas = {event.record.created.arena: event.label for event in reversed(self.events)}
        if len(arenas) > 1:
            yield (
                f"versions {named(reversed(arenas))} of the arena were used: their house bots count as the "
                "same bots"
            )
        if functions := {
            name for record in self.records for name, one in record.entrants.items() if one.is_function
        }:
            yield (
                f"for bots that are functions of a program, such as {min(functions)}, only the name is known"
            )


def _key(event: int, entrant: Entrant) -> str:
    """What identifies a program: its digest or, without one, its name in that tournament alone."""
    return entrant.digest or f"{event}/{entrant.name}"


def _all_had(events: Sequence[SeasonEvent]) -> Mapping[str, tuple[_Had, ...]]:
    """The spells of each program by its key, in the order of their beginning."""
    found = defaultdict[str, dict[tuple[int, str], _Had]](dict)
    for at, event in enumerate(events):
        record = event.record
        drawn = [tuple(itertools.chain.from_iterable(pods)) for pods in record.drawn]
        for round_no, names in enumerate((*drawn, record.names), 1):
            for name in names:
                entrant = record.roster(round_no).get(name)
                if entrant is None:
                    continue
                spells = found[_key(at, entrant)]
                had = spells.setdefault((at, name), _Had(at, name, round_no, round_no, entrant))
                last = max(had.last, min(round_no, len(drawn)))
                spells[at, name] = had._replace(last=last, entrant=entrant)
    return {key: tuple(spells.values()) for key, spells in found.items()}


def _differences(events: Sequence[SeasonEvent]) -> Iterator[str]:
    """The differences between tournaments that make gains incomparable, one clause each."""
    first = events[0]
    for event in events[1:]:
        own, others = _conditions(event.record.created), _conditions(first.record.created)
        for (what, value), (_, other) in zip(own, others, strict=True):
            if value != other:
                yield f"{event.label} has {what} {caption(value)}, {first.label} {caption(other)}"
    seeds: dict[str, str] = {}
    for event in events:
        if (same := seeds.setdefault(event.record.created.seed, event.label)) != event.label:
            yield f"{event.label} has the same seed as {same}, so its cards are the same"


def _conditions(created: Created) -> Iterator[tuple[str, str]]:
    limits = created.limits
    yield "rules", str(created.rules)
    yield "the package", str(created.game_package or "of the arena")
    yield "options", ", ".join(f"{key} {value}" for key, value in sorted(created.options.items())) or "none"
    yield "seats", str(created.pod_size)
    yield "time for a decision", f"{limits.decision_ms} ms"
    yield "time in the bank", f"{limits.bank_ms} ms"
    yield "time to start", f"{limits.start_ms} ms"
    yield "memory", f"{created.sandbox.memory_mb} MB"
    yield "faults that forfeit", str(created.faults)
    yield "thinking on others' time", "allowed" if created.ponder else "not allowed"
