"""A journal and its logs as the data of a report: everything that the page shows, computed and in order.

It leaves out what would reveal cards that are still being played: the seed, and what was sent to the bots of
an unfinished pod. Knows no HTML.
"""

import math
from array import array
from collections import defaultdict
from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from functools import partial
from itertools import combinations, takewhile
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from arena.checking.logged import advice
from arena.director.ahead import bands, who_is_ahead, winners
from arena.director.cache import remembered
from arena.director.caveats import caveats
from arena.director.entries import Created, MatchPlayed, match_id
from arena.director.figures import SIGNIFICANT, Figures, figures
from arena.director.groups import GroupRow, groups_of
from arena.director.journal import Journal
from arena.director.state import Record, matches_of_a_pod
from arena.director.wording import named, spent_text, time_up_text, why_unranked
from arena.games import registry
from arena.log.entries import Acted, AnyEntry, Greeted, LogError, MatchOpened, parse
from arena.log.fault_report import FaultRow, alike, faults_in
from arena.process.sandbox import MEANING as SANDBOX_MEANING
from arena.report.axes import Axis, axis
from arena.system.errors import UserError
from arena.system.text import caption
from protocol.faults import MEANING as FAULT_MEANING
from protocol.faults import FaultKind
from protocol.outcome import decisive_deal, totals
from tournaments.explain import ExplainedPod, before_each_round, explain
from tournaments.meetings import Meeting
from tournaments.results import MatchResult, in_match_order
from tournaments.standings import Standing, Standings, ranks_of
from tournaments.statistics import Estimate, gains_by_round

LINKED: Final = 12
"""The number of matches named for a group of similar faults; the rest are counted."""

LEAST_WIDENING: Final = 1.005
"""The smallest factor that is not 1.00 at two decimals."""

LEVELS: Final = ((0.001, "clear"), (0.01, "strong"), (SIGNIFICANT, "likely"))
"""Upper bounds of p, each with the shade of a difference below it."""

TOLD_LATER: Final = "shown once all games at its table are over, since it may reveal cards"
"""Replaces the reason of a fault in a match whose deals are still played."""


class RankHistory(msgspec.Struct, frozen=True):
    """An entrant's rank and adjusted gain after each round; None if it had none."""

    name: str
    ranks: tuple[int | None, ...]
    gains: tuple[float | None, ...]

    @property
    def last_rank(self) -> float:
        """The rank after the last round; infinity if it has none."""
        return math.inf if not self.ranks or self.ranks[-1] is None else self.ranks[-1]


class SeatInMatch(msgspec.Struct, frozen=True):
    """The result of one seat in a match. `forfeit` is the kind of the fault; "" if it did not forfeit."""

    name: str
    placing: int
    points: int
    forfeit: str


class MatchShown(msgspec.Struct, frozen=True):
    """A match that counts. `seats` are ordered by placing. `replay`: whether it has a replay page;
    `decisive`: the deal that decided it, None if none did."""

    match_id: str
    round_no: int
    pod_no: int
    seating_no: int
    seats: tuple[SeatInMatch, ...]
    replay: bool
    decisive: int | None


class PodShown(msgspec.Struct, frozen=True):
    """A pod, why it was paired, and its matches so far. `explained` uses the titles of its members; `names`
    are their names in the same order."""

    names: tuple[str, ...]
    explained: ExplainedPod
    matches: tuple[MatchShown, ...]


class Pair(msgspec.Struct, frozen=True):
    """How much more the bot of the row gains per deal than the bot of the column, with Holm's p; `level` is
    its shade."""

    difference: float
    p: float
    level: str


class FaultGroup(msgspec.Struct, frozen=True):
    """A group of similar faults; `no` counts from 1. `first`: the evidence of the first one, without secrets.
    `places`: match and deal of some of them; `more`: the number of the others."""

    no: int
    bot: str
    kind: str
    meaning: str
    why: str
    times: int
    forfeits: int
    first: FaultRow
    places: tuple[tuple[str, int], ...]
    more: int
    blameless: int
    """The number of these faults for which the machine may be to blame."""
    cure: str | None
    """Advice for the bot's author; None if the log does not say enough."""


class TimeUse(msgspec.Struct, frozen=True):
    """A bot's times in milliseconds. `start` is the median start-up time; `median` and the next two are about
    its decisions."""

    name: str
    decisions: int
    start: float
    median: float
    most: float
    """99 % of the decisions took no longer."""
    longest: float
    match: float
    """The mean over its matches of the time for all decisions."""


class EntrantShown(msgspec.Struct, frozen=True):
    """An entrant. `says`: how the bot named itself in its first match; `language`: the language that it gave
    there; "" if it never started."""

    name: str
    title: str
    author: str
    language: str
    says: str
    digest: str


class Heading(msgspec.Struct, frozen=True):
    """The organiser's texts about a tournament. "" omits a field; the title is then the name of the run
    directory. `address`: where the page will be published, which gives it a preview."""

    title: str = ""
    subtitle: str = ""
    date: str = ""
    organiser: str = ""
    address: str = ""


UNHEADED: Final = Heading()


class Report(msgspec.Struct, frozen=True):
    """All data of a report. Entrants are given by name everywhere."""

    heading: Heading
    game: str
    counts: str
    """The game's word for points."""
    format: str
    over: bool
    round_no: int
    rounds: int
    progress: str
    """`round 3 of 6`, or `round 3` while a deadline determines the number of rounds."""
    matches: tuple[MatchShown, ...]
    ahead: str
    """The sentence on who is ahead."""
    winners: tuple[str, ...]
    """Empty until somebody has won."""
    standings: Standings
    bands: tuple[int, ...]
    """The indices in the standings at which a band begins after the first one."""
    groups: Mapping[str, tuple[GroupRow, ...]]
    gains: Axis
    rises: tuple[RankHistory, ...]
    drawings: tuple[tuple[PodShown, ...], ...]
    """The pods of each round."""
    compared: tuple[str, ...]
    """The rows and columns of the matrix of differences."""
    pairs: Mapping[str, Mapping[str, Pair]]
    """By the names of row and column."""
    met: Mapping[str, Mapping[str, Meeting]]
    """By the names of row and column; only bots that have met."""
    figures: Figures
    seats: Axis
    caveats: tuple[str, ...]
    unread: Mapping[str, str]
    """By match whose log is missing or damaged, the reason. Its faults and times are missing here."""
    faults: tuple[FaultGroup, ...]
    times: tuple[TimeUse, ...]
    decision_ms: int
    deals: int
    duplicates: bool
    """Whether each table plays the same deals in several seatings."""
    short_tables: int
    """Tables that have begun and lack some of their matches."""
    entrants: tuple[EntrantShown, ...]
    called: Mapping[str, str]
    """Titles by name, where they differ."""
    unranked: Mapping[str, str]
    """By bot without a rank, the reason."""
    left_out: tuple[tuple[str, str], ...]
    """Names and reasons."""
    skipped: tuple[tuple[str, str], ...]
    bugs: tuple[str, ...]
    by_organiser: tuple[tuple[str, str, str], ...]
    settings: tuple[tuple[str, str], ...]
    with_stderr: bool

    @property
    def never_met(self) -> int:
        """The number of pairs in the matrix of differences that have never met."""
        pairs = combinations(self.compared, 2)
        return sum(other in self.pairs[one] and other not in self.met.get(one, {}) for one, other in pairs)

    @property
    def shaded(self) -> bool:
        """Whether a difference in the matrix is unlikely to be chance."""
        return any(one.holm < SIGNIFICANT for one in self.figures.superiority)

    @property
    def met_often(self) -> bool:
        """Whether a difference in the table of meetings has an interval."""
        return any(one.low is not None for one in self.figures.meetings)

    @property
    def unranked_rounds(self) -> int:
        """The number of rounds at the beginning after which no bot had a rank."""
        ranks = zip(*(rise.ranks for rise in self.rises), strict=True)
        return sum(1 for _ in takewhile(lambda of_round: not any(of_round), ranks))

    @property
    def ranked_later(self) -> bool:
        """Whether a bot got its first rank later than others."""
        first = self.unranked_rounds
        return any(rise.ranks[first : first + 1] == (None,) and any(rise.ranks) for rise in self.rises)

    @property
    def seats_are_fair(self) -> str:
        """A sentence that says whether chance explains the gains of the seats (Bonferroni, at .05)."""
        seats = self.figures.seats
        if any(seat.p is None for seat in seats):
            return "There are too few matches to say whether a seat is better than others."
        unlikely = [f"seat {seat.seat}" for seat in seats if (seat.p or 0) * len(seats) < SIGNIFICANT]
        if not unlikely:
            needed = f"with {len(seats)} seats it would need p below {SIGNIFICANT / len(seats):.3f}"
            return f"No seat has a significant gain: {needed}."
        return f"Chance does not explain the gain of {named(unlikely)}."

    @property
    def widened(self) -> bool:
        """Whether the intervals of the standings are wider than Student's."""
        return self.standings.widening >= LEAST_WIDENING

    @property
    def ranked(self) -> Sequence[Standing]:
        """The rows of entrants that have a rank."""
        return [row for row in self.standings.entrants if row.rank is not None]


def report_data(
    journal: Journal, heading: Heading = UNHEADED, *, with_stderr: bool = False, replays: Container[str] = ()
) -> Report:
    """The data of a report. `replays`: the matches that have a page."""
    record = Record(journal.entries)
    created = record.created
    game = registry.game(created.game)
    open_pods = set(record.unfinished)
    logs, unread = _Logs(), dict[str, str]()
    versions = {
        match_id(one.round_no, one.pod_no, one.seating_no): one.entrants for one in record.fielded.results
    }
    for played in record.in_order:
        match = played.match_id
        secret = (played.round_no, played.pod_no) in open_pods
        try:
            logs.read(journal.read_written_log(played), versions[match], secret=secret)
        except (UserError, LogError) as error:
            unread[match] = unreadable(journal, match, error)
    table = record.standings()
    found = figures(record)
    matches = {one.match_id: _match(one, one.match_id in replays) for one in record.in_order}
    drawings = _drawings(record, matches.values())
    ranked = [row.name for row in table.entrants if row.rank is not None]
    pairs = _pairs(found)
    seat_ends = [seat.gain + way * (seat.error or 0) for seat in found.seats for way in (-2, 2)]
    return Report(
        heading=_heading(heading, journal.folder),
        game=game.title,
        counts=game.counts,
        format=created.format,
        over=record.over,
        round_no=len(record.drawn),
        rounds=record.rounds,
        progress=record.progress,
        matches=tuple(matches.values()),
        ahead=who_is_ahead(record, table),
        winners=winners(record, table),
        standings=table,
        bands=bands([row for row in table.entrants if row.rank is not None]),
        groups=groups_of(record, table),
        gains=_gains(table),
        rises=_rises(record, [row.name for row in table.entrants]),
        drawings=drawings,
        compared=tuple(name for name in ranked if name in pairs),
        pairs=pairs,
        met=_met(found),
        figures=found,
        seats=axis(seat_ends),
        caveats=(
            *map(time_up_text, record.times_up),
            *caveats(table, record.entrants.values(), record.called),
            *_unread_text(unread),
        ),
        unread=unread,
        faults=tuple(_faults(logs.faults, with_stderr)),
        times=tuple(logs.times([*ranked, *sorted(logs.spent.keys() - set(ranked))])),
        decision_ms=created.limits.decision_ms,
        deals=created.deals,
        duplicates=created.duplicates,
        short_tables=sum(
            0 < len(pod.matches) < matches_of_a_pod(created, len(pod.names))
            for pods in drawings
            for pod in pods
        ),
        entrants=tuple(_entrants(record, logs)),
        called={name: record.called(name) for name in record.fielded.entrants if record.title(name)},
        unranked={
            row.name: why_unranked(row, record, house="house bot")
            for row in (*table.entrants, *table.house)
            if row.rank is None
        },
        left_out=tuple((out.name, out.reason) for out in created.left_out),
        bugs=tuple(bug.sentence for bug in record.bugs),
        skipped=tuple(
            (entry.match_id, entry.reason.strip().rpartition("\n")[2]) for entry in record.skipped.values()
        ),
        by_organiser=tuple(entry.row() for entry in record.by_organiser),
        settings=tuple(_settings(record, journal.digest, table, logs.faults)),
        with_stderr=with_stderr,
    )


def unreadable(journal: Journal, match: str, error: UserError | LogError) -> str:
    """Why the log of a match cannot be used."""
    return str(error) if isinstance(error, UserError) else f"{journal.log_path(match)}: {error}"


def _unread_text(unread: Collection[str]) -> Iterable[str]:
    if len(unread) == 1:
        [of] = unread
        yield (
            f"the log of {of} is missing or damaged: its result counts, but its faults and times are unknown"
        )
    elif unread:
        of = named(unread)
        yield (
            f"the logs of {of} are missing or damaged: their results count, but their faults and times are "
            "unknown"
        )


def _heading(given: Heading, folder: Path) -> Heading:
    """The heading with its texts sanitised, and a title."""
    name = folder.absolute().name
    return Heading(
        title=caption(given.title) or caption(name),
        subtitle=caption(given.subtitle),
        date=caption(given.date),
        organiser=caption(given.organiser),
        address=given.address,
    )


class _Logs:
    """Totals over the logs of all matches; each log is read once. Times are in microseconds, by bot."""

    def __init__(self) -> None:
        self.faults: list[FaultRow] = []
        self.spent: dict[str, array[int]] = defaultdict(lambda: array("q"))
        self.starts: dict[str, array[int]] = defaultdict(lambda: array("q"))
        self.says: dict[str, str] = {}
        self.languages: dict[str, str] = {}

    def read(self, log: str, names: Sequence[str], *, secret: bool) -> None:
        """Add a log; `names` are those of its seats, by version. With `secret`, nothing that a bot wrote is
        shown, and faults without cards. Raises LogError."""
        entries = parse(log.encode())
        _require_seats(entries, len(names))
        for row in faults_in(entries):
            row = msgspec.structs.replace(row, bot=names[row.seat])
            self.faults.append(_without_cards(row) if secret else row)
        for entry in entries:
            match entry:
                case Acted(seat=seat, us=us) if not entry.by_substitute:
                    self.spent[names[seat]].append(us)
                case Greeted(seat=seat, us=us):
                    self.starts[names[seat]].append(us)
                    parts = (entry.name, entry.version, entry.language, entry.author and f"by {entry.author}")
                    # Only the first `ready`, when a kept bot knows no deal that it could reveal. From an open
                    # pod not even that, since an earlier match of it may have been annulled.
                    self.languages.setdefault(names[seat], "" if secret else entry.language)
                    self.says.setdefault(names[seat], "" if secret else " ".join(filter(None, parts)))
                case _:
                    pass

    def times(self, names: Iterable[str]) -> Iterable[TimeUse]:
        """The times of those bots among `names` that have answered at least once."""
        for name in names:
            if us := sorted(self.spent.get(name, ())):
                starts = sorted(self.starts[name])
                yield TimeUse(
                    name=name,
                    decisions=len(us),
                    start=starts[len(starts) // 2] / 1000,
                    median=us[len(us) // 2] / 1000,
                    most=us[math.ceil(0.99 * len(us)) - 1] / 1000,
                    longest=us[-1] / 1000,
                    match=sum(us) / len(starts) / 1000,
                )


def _require_seats(entries: Sequence[AnyEntry], seats: int) -> None:
    """Raise LogError unless this many seats play, and each sends `ready` before it answers."""
    opened = entries[0]
    assert isinstance(opened, MatchOpened)
    if seats != len(opened.entrants):
        raise LogError(f"line 1: there are {seats} seats")
    greeted = set[int]()
    for line_no, entry in enumerate(entries, 1):
        if not isinstance(entry, Acted | Greeted):
            continue
        if not 0 <= entry.seat < seats:
            raise LogError(f"line {line_no}: there is no seat {entry.seat}")
        if isinstance(entry, Greeted):
            greeted.add(entry.seat)
        elif not entry.by_substitute and entry.seat not in greeted:
            raise LogError(f"line {line_no}: seat {entry.seat} answers without its `ready`")


def _entrants(record: Record, logs: _Logs) -> Iterable[EntrantShown]:
    authors = record.created.authors
    for name, entrant in record.entrants.items():
        author, says = authors.get(name) or entrant.author, logs.says.get(name, "")
        language = logs.languages.get(name, "")
        yield EntrantShown(name, entrant.title, author, language, says, entrant.digest)


def _match(played: MatchPlayed, replay: bool) -> MatchShown:
    outcome = played.outcome
    points = totals(outcome.points, len(played.entrants))
    forfeits = {forfeit.seat: str(forfeit.kind) for forfeit in played.forfeits}
    placings = played.result.placings
    seats = [
        SeatInMatch(name, placings[seat], points[seat], forfeits.get(seat, ""))
        for seat, name in enumerate(played.entrants)
    ]
    seats.sort(key=lambda one: one.placing)
    return MatchShown(
        match_id=played.match_id,
        round_no=played.round_no,
        pod_no=played.pod_no,
        seating_no=played.seating_no,
        seats=tuple(seats),
        replay=replay,
        decisive=decisive_deal(outcome.gains, placings),
    )


def _gains(table: Standings) -> Axis:
    """The axis of the standings. It fits the ranked bots only, so that a bot without a rank does not squeeze
    the intervals that matter."""
    rows = [row for row in table.entrants if row.rank is not None] or [*table.entrants, *table.house]
    return axis(end for row in rows for end in (row.low, row.gain, row.high) if end is not None)


def _rises(record: Record, names: Sequence[str]) -> tuple[RankHistory, ...]:
    """Ranks and gains after each round, up to the first unfinished round, ordered by the last of these ranks.
    As in the standings, a bot that had left by then has no rank; after the last round, these are the
    standings."""
    results, entrants, withdrawn = record.fielded
    over = min((round_no for round_no, _ in record.unfinished), default=len(record.drawn) + 1) - 1
    finished = [one for one in in_match_order(results) if one.round_no <= over]
    last_rounds = {name: one.round_no for one in results for name in one.entrants}
    gone = [
        [name for name in withdrawn if round_no == len(record.drawn) or last_rounds.get(name, 0) < round_no]
        for round_no in range(1, over + 1)
    ]
    computed = partial(_risen, finished, entrants, gone)
    tables = remembered("rises", (finished, entrants, gone), list[dict[str, _Risen]], computed)
    rises = (
        RankHistory(
            name,
            tuple(rows[name].rank if name in rows else None for rows in tables),
            tuple(rows[name].gain if name in rows else None for rows in tables),
        )
        for name in names
    )
    # While a round is played, the standings are already newer.
    return tuple(sorted(rises, key=lambda rise: rise.last_rank))


class _Risen(NamedTuple):
    """The rank and adjusted gain of an entrant after a round."""

    rank: int | None
    gain: float | None


def _risen(
    results: Sequence[MatchResult], entrants: Sequence[str], gone: Sequence[Collection[str]]
) -> list[dict[str, _Risen]]:
    """After each round, the rank and gain of every entrant that has played; `gone`: who had left by then."""
    rounds: list[list[MatchResult]] = [[] for _ in gone]
    for one in results:
        rounds[one.round_no - 1].append(one)
    tables = []
    for gains, left in zip(gains_by_round(rounds, entrants, gone), gone, strict=True):
        names = [name for name in entrants if name not in left]
        ranks = ranks_of([gains.get(name, Estimate()) for name in names])
        rank = {name: of_name.rank for name, of_name in zip(names, ranks, strict=True)}
        tables.append({name: _Risen(rank.get(name), gains[name].gain) for name in entrants if name in gains})
    return tables


def _drawings(record: Record, matches: Iterable[MatchShown]) -> tuple[tuple[PodShown, ...], ...]:
    of_pod = defaultdict[tuple[int, int], list[MatchShown]](list)
    for match in matches:
        of_pod[match.round_no, match.pod_no].append(match)
    fields = before_each_round(record.field())
    return tuple(
        tuple(
            PodShown(
                tuple(explained.scores),
                explained.with_names(record.called),
                tuple(of_pod[round_no, explained.pod_no]),
            )
            for explained in explain(field, pods)
        )
        for round_no, (field, pods) in enumerate(zip(fields, record.drawn, strict=True), 1)
    )


def _pairs(found: Figures) -> dict[str, dict[str, Pair]]:
    pairs = defaultdict[str, dict[str, Pair]](dict)
    for one in found.superiority:
        level = next((word for below, word in LEVELS if one.holm < below), "open")
        pairs[one.better][one.worse] = Pair(one.difference, one.holm, level)
        pairs[one.worse][one.better] = Pair(-one.difference, one.holm, level)
    return dict(pairs)


def _met(found: Figures) -> dict[str, dict[str, Meeting]]:
    met = defaultdict[str, dict[str, Meeting]](dict)
    for pair in found.meetings:
        met[pair.one][pair.other] = pair
        met[pair.other][pair.one] = pair.turned
    return dict(met)


def _without_cards(fault: FaultRow) -> FaultRow:
    """A fault while the deals of its match are still played, without anything that may reveal hands: what the
    bot was sent and what it wrote."""
    return msgspec.structs.replace(fault, sent="", reply="", stderr="", detail=TOLD_LATER)


def _faults(rows: Iterable[FaultRow], with_stderr: bool) -> Iterable[FaultGroup]:
    for no, group in enumerate(alike(rows, with_stderr=with_stderr), 1):
        first = group.rows[0]
        yield FaultGroup(
            no=no,
            bot=first.bot,
            kind=first.kind,
            meaning=FAULT_MEANING[first.kind],
            why=group.why,
            times=len(group.rows),
            forfeits=sum(row.forfeits for row in group.rows),
            first=first if with_stderr else msgspec.structs.replace(first, stderr=""),
            places=tuple((row.match, row.deal) for row in group.rows[:LINKED]),
            more=max(0, len(group.rows) - LINKED),
            blameless=sum(row.machine_may_be_to_blame for row in group.rows),
            cure=advice(first, with_stderr=with_stderr),
        )


def _settings(
    record: Record, digest: str, table: Standings, faults: Sequence[FaultRow]
) -> Iterable[tuple[str, str]]:
    created = record.created
    limits, sandbox = created.limits, created.sandbox
    yield "game", f"{registry.game(created.game).title} ({created.game}, rules version {created.rules})"
    if created.game_package is not None:
        yield "package of the game", str(created.game_package)
    options = ", ".join(f"{key} {value}" for key, value in created.options.items())
    yield "options", options or "none"
    rounds = f"{record.rounds} rounds" if record.deadline is None else "as many rounds as fit"
    yield "format", f"{created.format}, {rounds}, pods of {created.pod_size}"
    if created.challengers:
        yield "challengers", ", ".join(map(record.called, created.challengers))
    seatings = "the same deals in several seatings" if created.duplicates else "every deal once"
    yield "deals", f"{created.deals} in a match; {seatings}"
    yield (
        "time",
        (
            f"{limits.decision_ms} ms a decision, {limits.bank_ms} ms in the bank for a match, "
            f"{limits.start_ms} ms to start up"
        ),
    )
    yield "faults", f"fault number {created.faults} forfeits the match"
    yield "times that ran out", _times_out(faults)
    level = f"{sandbox.level}: {SANDBOX_MEANING[sandbox.level]}"
    yield "sandbox", f"{level}; {sandbox.memory_mb} MB of memory"
    if record.spent is not None:
        yield "processor time of the matches", spent_text(record.spent)
    if LEAST_WIDENING <= table.widening < math.inf:
        yield "intervals", f"{table.widening:.2f} times Student's, because pods were drawn from results"
    yield "arena", f"version {created.arena}"
    yield from _seed(created, record.over)
    yield "journal digest", digest


def _seed(created: Created, over: bool) -> Iterable[tuple[str, str]]:
    secret = "secret until the last match is played"
    yield "seed", created.seed if over else secret
    if created.announced is None:
        yield "SHA-256 of the seed", created.seed_sha256
    else:
        mixed = created.announced
        yield "the seed is mixed from", f"a secret seed and the public value “{mixed.public}”"
        yield "secret seed", mixed.secret if over else secret
        yield "SHA-256 of the secret seed", mixed.commitment


def _times_out(faults: Sequence[FaultRow]) -> str:
    rows = [row for row in faults if row.measured is not None or row.kind == FaultKind.TIMEOUT]
    seen = [row.measured for row in rows if row.measured is not None]
    if not seen:
        return f"{len(rows)}, not measured" if rows else "none"
    own = sum(one.own_core for one in seen)
    late = math.ceil(max(one.lag_us for one in seen) / 1000)
    blamed = sum(row.machine_may_be_to_blame for row in rows)
    return (
        f"{len(rows)}, of which {own} on a core without another match; the machine was at most {late} ms "
        f"late, and may be to blame for {blamed or 'none'} of them"
    )
