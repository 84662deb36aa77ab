"""The data of each bot's page in a report: results by opponent, by seat and by round, best and worst match,
faults with advice, time. A script draws the page when somebody opens it.

Gains are per deal and relative to the table. As in the standings, a bot that forfeits has the lowest gain of
every deal of that match. Knows no HTML and no log.
"""

import statistics
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import Final

import msgspec

from arena.director.entries import match_id
from arena.director.state import Record
from arena.director.wording import possible_ranks
from arena.report.tournament import EntrantShown, FaultGroup, Report, TimeUse
from protocol.outcome import decisive_deal, totals
from tournaments.results import MatchResult, in_match_order
from tournaments.standings import Standing
from tournaments.versions import BEGINS

FEWEST_PODS: Final = 3
"""With fewer pods a gain has no standard error."""


class OpponentRecord(msgspec.Struct, frozen=True, array_like=True):
    """The results against one opponent: the number of matches in which the bot was placed ahead of it, level
    with it and behind it, and how much more it gained per deal (None without a finished deal). `bot` is the
    index of the opponent among the bots."""

    bot: int
    ahead: int
    level: int
    behind: int
    gain: float | None


class InSeat(msgspec.Struct, frozen=True, array_like=True):
    """The results in one seat. `error` is the standard error of the gain, over the pods; None below
    FEWEST_PODS."""

    seat: int
    matches: int
    gain: float | None
    error: float | None


class SeatResult(msgspec.Struct, frozen=True, array_like=True):
    """The result of a seat in a match. `bot` is its index among the bots; `forfeit` is the kind of the fault,
    "" if it did not forfeit."""

    bot: int
    placing: int
    points: int
    gain: float | None
    forfeit: str


class MatchOfBots(msgspec.Struct, frozen=True, array_like=True):
    """A match that counts, with its seats in order. `replay`: whether it has a replay page; `decisive`: the
    deal that decided it, None if none did."""

    match_id: str
    replay: bool
    seats: tuple[SeatResult, ...]
    decisive: int | None


class FaultOfBot(msgspec.Struct, frozen=True):
    """A group of similar faults."""

    no: int
    """Its number in the report."""
    kind: str
    meaning: str
    why: str
    cure: str | None
    """Advice for the author, if there is any."""
    times: int
    forfeits: int
    places: tuple[tuple[str, int], ...]
    """Match and deal of some of them."""


class BotPage(msgspec.Struct, frozen=True):
    """One bot, or one version of it."""

    name: str
    called: str
    """The title or name shown to people."""
    profile: EntrantShown
    state: str
    """Why it has no rank; "" if it has one."""
    could_be: str
    """The ranks that the intervals allow."""
    row: Standing
    versions: tuple[int, ...]
    """The indices of all its versions among the bots; empty if it has only one."""
    against: tuple[OpponentRecord, ...]
    seats: tuple[InSeat, ...]
    best: int | None
    """The index of the match in which it gained most; None below two matches."""
    worst: int | None
    ranks: tuple[int | None, ...]
    """After each round."""
    gains: tuple[float | None, ...]
    """After each round."""
    faults: tuple[FaultOfBot, ...]
    time: TimeUse | None


class Bots(msgspec.Struct, frozen=True):
    """All bots in the order of the standings, house bots last, and the matches between them, in order."""

    ranked: int
    rounds: int
    counts: str
    decision_ms: int
    replays: str
    bots: tuple[BotPage, ...]
    matches: tuple[MatchOfBots, ...]


class _Appearance(msgspec.Struct, frozen=True):
    """One bot in one match, given by the index `match`. `gains` are those of all seats."""

    match: int
    seat: int
    gains: tuple[float, ...] | None
    result: MatchResult

    @property
    def gain(self) -> float | None:
        """The gain of this bot."""
        return None if self.gains is None else self.gains[self.seat]


def bots_of(record: Record, report: Report, replays: str) -> Bots:
    """All bots of a report on `record`; replays are in the folder `replays`."""
    rows = [*report.standings.entrants, *report.standings.house]
    number = {row.name: at for at, row in enumerate(rows)}
    results = in_match_order(record.fielded.results)
    with_replay = {match.match_id for match in report.matches if match.replay}
    gains = [_gains(result) for result in results]
    seats = defaultdict[str, list[_Appearance]](list)
    for at, result in enumerate(results):
        for seat, name in enumerate(result.entrants):
            seats[name].append(_Appearance(at, seat, gains[at], result))
    profiles = {one.name: one for one in report.entrants}
    rises = {rise.name: rise for rise in report.rises}
    times = {time.name: time for time in report.times}
    versions = defaultdict[str, list[int]](list)
    for row in rows:
        versions[_base(row.name)].append(number[row.name])
    # Earlier versions in the order of their rounds, then the current one.
    for of_one in versions.values():
        of_one.sort(key=lambda at: min((seat.match for seat in seats[rows[at].name]), default=len(results)))
    faults = defaultdict[str, list[FaultOfBot]](list)
    for fault in report.faults:
        faults[fault.bot].append(_fault(fault))
    bots = []
    for row in rows:
        mine, rise, of_one = seats[row.name], rises.get(row.name), versions[_base(row.name)]
        best, worst = _best_and_worst(mine)
        bots.append(
            BotPage(
                name=row.name,
                called=record.called(row.name),
                profile=profiles.get(row.name) or _earlier(profiles.get(_base(row.name)), row.name),
                state=report.unranked.get(row.name, ""),
                could_be=possible_ranks(row),
                row=row,
                versions=tuple(of_one) if len(of_one) > 1 else (),
                against=tuple(_against(mine, number)),
                seats=tuple(_by_seat(mine)),
                best=best,
                worst=worst,
                ranks=rise.ranks if rise else (),
                gains=rise.gains if rise else (),
                faults=tuple(faults[row.name]),
                time=times.get(row.name),
            )
        )
    return Bots(
        ranked=len(report.ranked),
        rounds=report.rounds,
        counts=report.counts,
        decision_ms=report.decision_ms,
        replays=replays,
        bots=tuple(bots),
        matches=tuple(
            _match(record, result, of_match, number, with_replay)
            for result, of_match in zip(results, gains, strict=True)
        ),
    )


def _gains(result: MatchResult) -> tuple[float, ...] | None:
    """The gain of each seat per deal; None without a finished deal."""
    if not result.gains:
        return None
    forfeited = {forfeit.seat for forfeit in result.forfeits}
    counted = [
        [min(gains) if seat in forfeited else gain for seat, gain in enumerate(gains)]
        for gains in result.gains
    ]
    mean = statistics.fmean(statistics.fmean(gains) for gains in result.gains)
    return tuple(round(statistics.fmean(of_seat) - mean, 3) for of_seat in zip(*counted, strict=True))


def _base(name: str) -> str:
    return name.partition(BEGINS)[0]


def _earlier(now: EntrantShown | None, name: str) -> EntrantShown:
    """The profile of an earlier version, of which only the author is certain, or of a house bot."""
    return EntrantShown(name, "", now.author if now else "", "", "", "")


def _fault(fault: FaultGroup) -> FaultOfBot:
    return FaultOfBot(
        fault.no,
        str(fault.kind),
        fault.meaning,
        fault.why,
        fault.cure,
        fault.times,
        fault.forfeits,
        fault.places,
    )


def _best_and_worst(mine: Sequence[_Appearance]) -> tuple[int | None, int | None]:
    """The matches in which a bot gained most and least, the first of equals; None below two matches."""
    finished = [(one.gain, one.match) for one in mine if one.gain is not None]
    if len(finished) < 2:
        return None, None
    _, worst = min(finished)
    return min(finished, key=lambda one: (-one[0], one[1]))[1], worst


def _against(mine: Iterable[_Appearance], number: Mapping[str, int]) -> Iterator[OpponentRecord]:
    """The records against each opponent, in the order of the standings."""
    met = defaultdict[str, list[tuple[int, float | None]]](list)
    for one in mine:
        placings, own = one.result.placings, one.seat
        for other, name in enumerate(one.result.entrants):
            if other != own:
                more = None if one.gains is None else one.gains[own] - one.gains[other]
                met[name].append((placings[other] - placings[own], more))
    for name in sorted(met, key=number.__getitem__):
        gaps = [gap for gap, _ in met[name]]
        yield OpponentRecord(
            number[name],
            sum(gap > 0 for gap in gaps),
            sum(gap == 0 for gap in gaps),
            sum(gap < 0 for gap in gaps),
            _mean(more for _, more in met[name]),
        )


def _by_seat(mine: Iterable[_Appearance]) -> Iterator[InSeat]:
    by_seat = defaultdict[int, list[_Appearance]](list)
    for one in mine:
        by_seat[one.seat].append(one)
    for seat, appearances in sorted(by_seat.items()):
        of_pods = defaultdict[tuple[int, int], list[float]](list)
        for one in appearances:
            if one.gain is not None:
                of_pods[one.result.round_no, one.result.pod_no].append(one.gain)
        means = [statistics.fmean(gains) for gains in of_pods.values()]
        error = statistics.stdev(means) / len(means) ** 0.5 if len(means) >= FEWEST_PODS else None
        gain = _mean(one.gain for one in appearances)
        yield InSeat(seat, len(appearances), gain, None if error is None else round(error, 3))


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return round(statistics.fmean(known), 3) if known else None


def _match(
    record: Record,
    result: MatchResult,
    gains: Sequence[float] | None,
    number: Mapping[str, int],
    with_replay: Container[str],
) -> MatchOfBots:
    id = match_id(result.round_no, result.pod_no, result.seating_no)
    outcome = record.played[id].outcome
    points = totals(outcome.points, len(result.entrants))
    forfeits = {forfeit.seat: str(forfeit.kind) for forfeit in result.forfeits}
    return MatchOfBots(
        id,
        id in with_replay,
        tuple(
            SeatResult(
                number[name],
                result.placings[seat],
                points[seat],
                None if gains is None else gains[seat],
                forfeits.get(seat, ""),
            )
            for seat, name in enumerate(result.entrants)
        ),
        decisive_deal(outcome.gains, outcome.placings),
    )
