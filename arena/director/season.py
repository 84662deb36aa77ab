"""A season: several tournaments of one game, as one table.

Strength is a program's, and a program is its digest: an entrant's new version counts for itself, and a
program that entered under another name goes on. So results are told again with programs in place of names,
and all rounds counted through, so that no two pods of two tournaments are taken for one. Then the statistics
of one tournament hold: pods are what is independent, and intervals are as much wider as in that tournament
whose pods were drawn from results most. What people follow over time, points and who beat whom, goes by name.

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
"""An error names so many of what makes tournaments incomparable; --json names all."""


class SeasonEvent(NamedTuple):
    """A tournament of a season, what it is called there, and the number of rounds before it."""

    label: str
    record: Record
    before: int


class Program(msgspec.Struct, frozen=True):
    """A program of a season. name: the last one that it had, with the tournaments behind it if another
    program has it now, as in `ada (spring)`. called: what people read for that. digest: the SHA-256 of its
    files. names: all that it had, in the order in which it had them. events: the tournaments that it entered.
    whole: it took part in all of every tournament. replaced: another program has its name now. withdrawn:
    from its last tournament."""

    name: str
    called: str
    digest: str
    names: tuple[str, ...]
    events: tuple[str, ...]
    whole: bool
    replaced: bool
    withdrawn: bool


class HeadToHead(msgspec.Struct, frozen=True):
    """Two names in all tournaments, and in each; None where they did not meet."""

    all: Meeting
    events: tuple[Meeting | None, ...]


class _Had(NamedTuple):
    """That a program had a name from one round to another; `entrant` is the last that said so."""

    event: int
    name: str
    first: int
    last: int
    entrant: Entrant


class SeasonRecord:
    """Some tournaments, in the order in which they were played, each with what it is called. Raises UserError
    for several games."""

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
                    f"{event.label} is a tournament of {event.record.created.game}, {first.label} one of "
                    f"{first.record.created.game}: a season is of one game"
                )
        self.differences = tuple(_differences(self.events))
        self._had = _all_had(self.events)

    @property
    def records(self) -> tuple[Record, ...]:
        """The tournaments alone."""
        return tuple(event.record for event in self.events)

    @cached_property
    def programs(self) -> Mapping[str, Program]:
        """By name in the season, in the order in which they first entered."""
        return {one.name: one for one in self._by_key.values()}

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
        """`now`: by name, the key of the program that has it now. `sharing`: how many programs had a name in
        a tournament."""
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
        """The keys of the programs that were there from the beginning to the end of every tournament."""
        return frozenset.intersection(
            *(
                frozenset(_key(at, one) for one in entrants)
                for at, event in enumerate(self.events)
                for entrants in (event.record.created.entrants, event.record.entrants.values())
            )
        )

    def program_of(self, event: int, round_no: int, name: str) -> Program | None:
        """The program that played under a name in a round of a tournament; None for house bots and for a name
        that had not entered."""
        entrant = self.events[event].record.roster(round_no).get(name)
        return None if entrant is None else self._by_key.get(_key(event, entrant))

    def _told_again(self, event: int, result: MatchResult) -> MatchResult:
        """A result with programs in place of names, and its round counted through."""
        found = {name: self.program_of(event, result.round_no, name) for name in {*result.entrants}}
        return msgspec.structs.replace(
            result,
            round_no=self.events[event].before + result.round_no,
            entrants=tuple(
                program.name if (program := found[name]) else name if is_house(name) else HOUSE_PREFIX + name
                for name in result.entrants
            ),
        )

    @cached_property
    def fielded(self) -> StatisticsInput:
        """What statistics count: programs. Raises UserError where the tournaments cannot be compared."""
        if self.differences:
            more = len(self.differences) - DIFFERENCES_NAMED
            which = "; ".join(self.differences[:DIFFERENCES_NAMED]) + f"; and {more} more" * (more > 0)
            raise UserError(
                f"{which}: gains under other conditions cannot be put into one table; leave a run out, or "
                f"count points alone ({flag.points} 10,8,6,5,4)"
            )
        results = tuple(
            self._told_again(at, result)
            for at, event in enumerate(self.events)
            for result in event.record.results
        )
        gone = tuple(one.name for one in self.programs.values() if one.replaced or one.withdrawn)
        return StatisticsInput(results, tuple(self.programs), gone)

    @property
    def withdrawn(self) -> tuple[str, ...]:
        """The programs that were withdrawn from their last tournament."""
        return tuple(one.name for one in self.programs.values() if one.withdrawn)

    def called(self, name: str) -> str:
        """What people read for the name of a program, or for a name that an entrant had."""
        if name in self.programs:
            return self.programs[name].called
        return next((one.called(name) for one in reversed(self.records) if name in one.entrants), name)

    @cached_property
    def widening(self) -> float:
        """How much wider intervals must be because pods were drawn from results: as much as in the tournament
        where that is most. Takes seconds."""
        return max(record.widening for record in self.records)

    @cached_property
    def table(self) -> Standings:
        """The table of programs. One that was not in all of every tournament is first only if it played in
        half of the rounds; `joined` is the round of the season in which it entered."""
        joined = {
            self._by_key[key].name: self.events[spells[0].event].before + spells[0].first
            for key, spells in self._had.items()
            if not self._by_key[key].whole
        }
        return standings(*self.fielded, widening=self.widening, joined=joined)

    @cached_property
    def superiority(self) -> tuple[Superiority, ...]:
        """Which program is better than which."""
        return superiorities(*self.fielded, widening=self.widening)

    @cached_property
    def head_to_head(self) -> tuple[HeadToHead, ...]:
        """Every two names that met. What both gained there is theirs, whatever programs had the names."""
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
        """One sentence on who gained most, and how surely."""
        rows = [row for row in self.table.entrants if row.rank is not None and row.gain is not None]
        if not rows:
            found = "The gains of the bots cannot be compared."
            return found if self.fielded.results else "No match has been played yet."
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
        """What has to be known to read the table, one sentence each."""
        return (*caveats(self.table, (), self.called), *self._remarks())

    def _remarks(self) -> Iterator[str]:
        for one in self.programs.values():
            if len(one.names) > 1:
                yield f"{named(map(self.called, one.names))} are the same program, which has one row"
        arenas = {event.record.created.arena: event.label for event in reversed(self.events)}
        if len(arenas) > 1:
            yield (
                f"versions {named(reversed(arenas))} of the arena were used: "
                "their house bots count as the same"
            )
        if functions := {
            name for record in self.records for name, one in record.entrants.items() if one.is_function
        }:
            yield f"of functions of a program, such as {min(functions)}, no more than the name is known"


def _key(event: int, entrant: Entrant) -> str:
    """What a program is told by: its digest; without one, its name in that tournament alone."""
    return entrant.digest or f"{event}/{entrant.name}"


def _all_had(events: Sequence[SeasonEvent]) -> Mapping[str, tuple[_Had, ...]]:
    """By key of a program, the names that it had, in the order in which it had them."""
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
    """In what the tournaments differ so that their gains cannot be compared, one clause each."""
    first = events[0]
    for event in events[1:]:
        for (what, here), (_, there) in zip(
            _conditions(event.record.created), _conditions(first.record.created), strict=True
        ):
            if here != there:
                yield f"{event.label} has {what} {caption(here)}, {first.label} {caption(there)}"
    seeds: dict[str, str] = {}
    for event in events:
        if (same := seeds.setdefault(event.record.created.seed, event.label)) != event.label:
            yield f"{event.label} has the seed of {same}, so that its cards are the same"


def _conditions(created: Created) -> Iterator[tuple[str, str]]:
    """What bots play under, by what it is called."""
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
