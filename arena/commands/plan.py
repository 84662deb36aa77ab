"""A tournament that is planned and not played: how many matches, how long at worst, and how many rounds or
deals a given margin takes (`arena tournament --plan`)."""

from collections.abc import Iterator
from math import inf, isinf
from pathlib import Path

import msgspec

from arena.commands.tournament import worst_seconds
from arena.director.entries import Created
from arena.director.forecast import Expected, measured
from arena.director.journal import Journal
from arena.director.state import Record, planned_matches
from arena.games import registry
from arena.games.game import Game
from arena.system.errors import UserError
from arena.system.wording import flag
from tournaments.formats import format_named
from tournaments.plan import Spread, deals_for, margin_after, measured_spread, rounds_for
from tournaments.statistics import rounded


class PlannedSize(msgspec.Struct, frozen=True):
    """A possible tournament."""

    what: str
    """`as it is`, or how it reaches the margin: `±0.5 by rounds`, `±0.5 by deals`."""
    rounds: int
    deals: int
    """The number of deals in a match."""
    matches: int
    worst_seconds: float
    """The duration if every bot used all its time."""
    margin: float | None
    """Half the 95 % interval of a bot that plays all rounds, in gain per deal; None if there are too few
    rounds, or if the format gives no intervals."""
    expected_seconds: float | None = None
    """The duration by the matches of another run; None without one, or if its logs do not say."""


class PlanResult(msgspec.Struct, frozen=True):
    """What a tournament needs to reach a margin."""

    game: str
    format: str
    bots: int
    margin: float
    """The margin to reach, in gain per deal."""
    deviation: float
    """The standard deviation of a bot's gain in a deal."""
    correlation: float
    """The share of its variance that the deals of a pod have in common, from 0 to 1."""
    sizes: tuple[PlannedSize, ...]
    """The tournament as it is, then those that reach the margin."""
    has_intervals: bool
    """Whether the format gives intervals."""
    deals_suffice: bool
    """Whether some number of deals reaches the margin in as many rounds; true without intervals."""
    measured: bool = False
    """Whether the deviation is that of another run; otherwise it is typical of the game."""


def planned(created: Created, workers: int, margin: float, like: Path | None) -> PlanResult:
    """What reaching `margin` takes. The spread of gains is measured in the run `like`, if enough was played
    there; else it is the typical one of the game. Raises UserError if it is unknown."""
    own = None if like is None else _measured(created, like)
    spread = own or _typical(created)
    pace = None if like is None else measured_like(created, like, workers)
    sizes = tuple(_sizes(created, workers, margin, spread, pace))
    has_intervals = format_named(created.format).HAS_INTERVALS
    deals_suffice = not has_intervals or deals_for(margin, created.rounds, spread) is not None
    return PlanResult(
        game=created.game,
        format=created.format,
        bots=len(created.entrants),
        margin=margin,
        deviation=spread.deviation,
        correlation=spread.correlation,
        sizes=sizes,
        has_intervals=has_intervals,
        deals_suffice=deals_suffice,
        measured=own is not None,
    )


def measured_like(created: Created, like: Path, workers: int) -> Expected | None:
    """What a match takes of the time of so many workers, by those of an earlier run; None where its logs do
    not say, as those of earlier arenas do not. Raises UserError for another game or number of seats."""
    with Journal(like) as journal:
        _require_alike(created, Record(journal.entries).created, like)
        return measured(journal, workers, created.deals)


def _sizes(
    created: Created, workers: int, margin: float, spread: Spread, pace: Expected | None
) -> Iterator[PlannedSize]:
    has_intervals = format_named(created.format).HAS_INTERVALS

    def size(what: str, rounds: int | None, deals: int | None) -> Iterator[PlannedSize]:
        if rounds is None or deals is None:
            return
        of_size = msgspec.structs.replace(created, rounds=rounds, deals=deals)
        by_round = planned_matches(of_size)
        after = margin_after(rounds, deals, spread) if has_intervals else inf
        if len(by_round) == rounds:  # A knockout may end in fewer rounds.
            worst = worst_seconds(of_size, sum(by_round), workers)
            expected = None if pace is None else pace.seconds * deals / created.deals * sum(by_round)
            reached = None if isinf(after) else rounded(after)
            yield PlannedSize(what, rounds, deals, sum(by_round), worst, reached, expected)

    yield from size("as it is", created.rounds, created.deals)
    if not has_intervals:
        return
    yield from size(f"±{margin:g} by rounds", rounds_for(margin, created.deals, spread), created.deals)
    yield from size(f"±{margin:g} by deals", created.rounds, deals_for(margin, created.rounds, spread))


def typical(game: Game, *, duplicates: bool) -> Spread | None:
    """How far gains typically spread in a game; None where that is not known. The correlation within a pod
    depends on the bots, so it is 0 here."""
    if luck := registry.extras(game).luck:
        return Spread(luck.with_duplicates if duplicates else luck.without, 0.0)
    return None


def _typical(created: Created) -> Spread:
    spread = typical(registry.game(created.game), duplicates=created.duplicates)
    if spread is None:
        raise UserError(
            f"{flag('--plan', 'margin')}: the spread of {created.game} is not known yet; play a few rounds, "
            f"then pass that run with {flag.like} DIR"
        )
    return spread


def _require_alike(created: Created, earlier: Created, like: Path) -> None:
    for what, now, then in (
        ("game", created.game, earlier.game),
        ("seats", created.pod_size, earlier.pod_size),
        ("duplicates", created.duplicates, earlier.duplicates),
    ):
        if now != then:
            raise UserError(f"{flag.like} {like}: {what} there: {then}, here: {now}")


def _measured(created: Created, like: Path) -> Spread | None:
    """The spread of gains in an earlier run; None where too little was played, or gains do not vary. Raises
    UserError."""
    with Journal(like) as journal:
        record = Record(journal.entries)
    _require_alike(created, record.created, like)
    if not format_named(record.created.format).HAS_INTERVALS:
        return None
    spread = measured_spread(*record.fielded)
    return spread and spread._replace(deviation=rounded(spread.deviation * record.widening))
