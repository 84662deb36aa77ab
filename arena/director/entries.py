"""The entries of a tournament's journal, the only source of truth: standings are always computed from them.
Each entry judges whether it is valid at its place, and leads from one state to the next.

Knows the operations of the state (state.py), neither how matches are played nor files.
"""

import functools
import hashlib
from collections import Counter
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Final, Self, TypeAlias

import msgspec

from arena.entrants.entrant import Entrant
from arena.entrants.names import NAME
from arena.journal.entry import REASON_LIMIT, AnyEntry, Problem
from arena.log.house_bugs import HouseBug
from arena.log.settings import MatchSettings, Number
from arena.playing.spent import Spent
from arena.system.errors import did_you_mean
from arena.system.text import caption, title, visible
from arena.system.wording import flag
from protocol.outcome import Forfeit, Outcome
from protocol.streams import mixed_seed
from tournaments.formats import format_named
from tournaments.results import MatchResult, is_house

if TYPE_CHECKING:
    from arena.director.state import Record

LATEST: Final = 250_000_000_000
"""The latest deadline, in seconds since 1970, so that its year has four digits."""
MOST_SEATS: Final = 64
"""More than any game has, and small enough for a square of seatings."""

# A run directory may come from a stranger. So a text that becomes a file name or a key must match a pattern,
# and all other text is sanitised when it is read.
Name: TypeAlias = Annotated[str, msgspec.Meta(pattern=rf"^{NAME.pattern}\Z")]
MatchId: TypeAlias = Annotated[str, msgspec.Meta(pattern=r"^r[0-9]{1,9}-p[0-9]{1,9}-s[0-9]{1,9}\Z")]
Pod: TypeAlias = Annotated[tuple[Name, ...], msgspec.Meta(min_length=1, max_length=MOST_SEATS)]
Seed: TypeAlias = Annotated[str, msgspec.Meta(pattern=r"^[\x21-\x7e]+\Z")]
# Each value has one spelling, without capital letters. With several, the person who enters it could choose
# among seeds.
Public: TypeAlias = Annotated[
    str, msgspec.Meta(pattern=r"^[\x21-\x40\x5b-\x7e]+(?: [\x21-\x40\x5b-\x7e]+)*\Z", max_length=256)
]


class SeedSources(msgspec.Struct, frozen=True):
    """The two texts from which the seed of a tournament was mixed."""

    secret: Seed
    """Its SHA-256 was published before the entries closed."""
    public: Public
    """A value that nobody controls, and that became known only after that."""

    @property
    def commitment(self) -> str:
        """The published SHA-256 of the secret."""
        return hashlib.sha256(self.secret.encode()).hexdigest()

    @property
    def seed(self) -> str:
        """The seed mixed from both texts."""
        return mixed_seed(self.secret, self.public)


class RunEntry(AnyEntry["Record"], frozen=True):
    """An entry of a tournament."""


class OfOrganiser(RunEntry, frozen=True):
    """An entry of the organiser."""

    def row(self) -> tuple[str, str, str]:
        """The action, the entrant or match that it concerns, and the reason."""
        raise NotImplementedError

    def sentence(self) -> str:
        what, of, reason = self.row()
        return f"by the organiser: {what} {of}, {reason}"


class LeftOut(msgspec.Struct, frozen=True):
    """A bot that could not enter."""

    name: str
    reason: str
    plays: tuple[str, ...] = ()
    """The games that it plays, if this one is not among them."""


class Created(RunEntry, MatchSettings, frozen=True, tag="tournament"):
    """The first entry: all settings."""

    arena: str
    """The version of the arena."""
    seed: Seed
    rules: int
    """The version of the game's rules."""
    format: str
    rounds: Number
    pod_size: Annotated[int, msgspec.Meta(ge=2, le=MOST_SEATS)]
    duplicates: bool
    """Whether a pod plays the same deals in several seatings."""
    entrants: tuple[Entrant, ...]
    left_out: tuple[LeftOut, ...]
    authors: dict[Name, str] = msgspec.field(default_factory=dict)
    """The organiser's authors by entrant, which override what bots say of themselves."""
    groups: dict[Name, str] = msgspec.field(default_factory=dict)
    """By entrant. Each group has a table of its own."""
    challengers: tuple[Name, ...] = ()
    """The entrants that a gauntlet tests."""
    keep_bots: bool = False
    """Whether a process may play several matches."""
    pairing: Annotated[int, msgspec.Meta(ge=0)] = 0
    """The version of the pairing rules; 0 in journals from before they had versions."""
    announced: SeedSources | None = None
    """None if the seed was not announced."""

    @property
    def seed_sha256(self) -> str:
        """The SHA-256 of the seed, printed before the first match so that nobody can change the seed
        afterwards. It does not prove that the seed was not chosen on purpose."""
        return hashlib.sha256(self.seed.encode()).hexdigest()

    def problem(self, record: "Record") -> Problem | None:
        return Problem("the settings must come first, and only once")

    def apply(self, record: "Record") -> None:
        """Do nothing: a record begins with this entry."""

    @property
    def cleaned(self) -> Self:
        return msgspec.structs.replace(
            self,
            arena=caption(self.arena),
            entrants=tuple(map(_named, self.entrants)),
            left_out=tuple(
                LeftOut(caption(bot.name), caption(bot.reason, REASON_LIMIT), tuple(map(caption, bot.plays)))
                for bot in self.left_out
            ),
            authors={name: caption(author) for name, author in self.authors.items()},
            groups={name: caption(group) for name, group in self.groups.items()},
        )


class RoundPaired(RunEntry, frozen=True, tag="round"):
    """A round, written before any of it is played. `pods` holds the names, those of house bots included."""

    round_no: Number
    pods: Annotated[tuple[Pod, ...], msgspec.Meta(min_length=1)]

    def problem(self, record: "Record") -> Problem | None:
        round_no, size = len(record.drawn) + 1, record.created.pod_size
        if self.round_no != round_no:
            return Problem(f"expected round {round_no}, got round {self.round_no}")
        if any(len(pod) != size for pod in self.pods):
            return Problem(f"a pod of round {round_no} is not one of {size}")
        for name, times in Counter(name for pod in self.pods for name in pod).items():
            if times > 1:
                return Problem(f"{name} sits {times} times in round {round_no}")
            if not is_house(name) and name not in record.entrants:
                return Problem(f"{name} sits in round {round_no} but has not entered")
        return None

    def apply(self, record: "Record") -> None:
        record.begins(self.pods)


class MatchPlayed(RunEntry, frozen=True, tag="match", omit_defaults=True):
    """A finished match. Of several entries with the same id the last one counts; the others were annulled."""

    match_id: MatchId
    round_no: Number
    pod_no: Number
    seating_no: Number
    entrants: tuple[str, ...]
    """Names by seat."""
    outcome: Outcome
    forfeits: tuple[Forfeit, ...]
    log: str
    """The SHA-256 of its log."""
    bugs: tuple[HouseBug, ...] = ()
    """The failures of the arena's own bots."""
    spent: Spent | None = None
    """What it cost; None for what earlier arenas played."""

    def problem(self, record: "Record") -> Problem | None:
        if self.match_id in record.played:
            return Problem("it was already played, and not annulled")
        if self.match_id in record.skipped:
            return Problem("it was skipped")
        if place(self.match_id)[:2] in record.cut_off:
            return Problem("the deadline had cut off its pod")
        if self.match_id != match_id(self.round_no, self.pod_no, self.seating_no):
            return Problem("its round, pod and seating do not match its id")
        return None

    def apply(self, record: "Record") -> None:
        record.played[self.match_id] = self
        record.results_by_id[self.match_id] = self.result
        record.ended[self.round_no].add(self.match_id)

    @property
    def result(self) -> MatchResult:
        """The match as pairing and statistics need it."""
        return MatchResult(
            round_no=self.round_no,
            pod_no=self.pod_no,
            seating_no=self.seating_no,
            entrants=self.entrants,
            gains=self.outcome.gains,
            placings=self.outcome.placings,
            forfeits=self.forfeits,
        )

    @property
    def cleaned(self) -> Self:
        _require_names(self.entrants)
        self._require_whole()
        if not self.bugs:
            return self
        return msgspec.structs.replace(self, bugs=tuple(bug.cleaned for bug in self.bugs))

    def _require_whole(self) -> None:
        """Raises ValueError if the result does not cover all seats in all deals."""
        seats, outcome = len(self.entrants), self.outcome
        rows = (*outcome.points, *outcome.gains, outcome.placings)
        named = {*(forfeit.seat for forfeit in self.forfeits), *(bug.seat for bug in self.bugs)}
        if not (
            len(outcome.points) == len(outcome.gains)
            and seats
            and all(len(row) == seats for row in rows)
            and named <= {*range(seats)}
        ):
            raise ValueError("its result does not cover all seats in all deals")


class Skipped(RunEntry, frozen=True, tag="skipped"):
    """A match that errors of the arena spoilt too often. It does not count."""

    SENTENCE = "{0.match_id}: skipped because of an arena error"

    match_id: MatchId
    round_no: Number
    reason: str

    def problem(self, record: "Record") -> Problem | None:
        if self.match_id not in {job.match_id for job in record.due()}:
            return Problem("it was not due to be played")
        if place(self.match_id)[0] != self.round_no:
            return Problem("its round does not match its id")
        return None

    def apply(self, record: "Record") -> None:
        record.skipped[self.match_id] = self
        record.ended[self.round_no].add(self.match_id)

    @property
    def cleaned(self) -> Self:
        # The reason of our bugs has several lines.
        return msgspec.structs.replace(self, reason=visible(self.reason.encode(), REASON_LIMIT))


class Withdrawn(OfOrganiser, frozen=True, tag="withdrawn"):
    """The organiser withdraws an entrant, from the next round on."""

    name: Name
    reason: str

    def problem(self, record: "Record") -> Problem | None:
        if self.name not in record.entrants:
            return not_entered(self.name, record)
        return Problem(f"{self.name} is already withdrawn") if self.name in record.withdrawn else None

    def apply(self, record: "Record") -> None:
        record.taken_out.append(self.name)

    def row(self) -> tuple[str, str, str]:
        return "withdrawn", self.name, self.reason


class Admitted(OfOrganiser, frozen=True, tag="admitted"):
    """A late entrant, from the next round on. To rank first it must play half of the rounds, or `may_win`."""

    entrant: Entrant
    may_win: bool = False

    def problem(self, record: "Record") -> Problem | None:
        name = self.entrant.name
        if not record.may_go_on(name):
            return Problem("no round is left to play in")
        if name in record.entrants or is_house(name):
            return Problem(f"no other entrant can be called {name}")
        return None

    def apply(self, record: "Record") -> None:
        record.entrants[self.entrant.name] = self.entrant
        if record.drawn:
            record.joined[self.entrant.name] = len(record.drawn) + 1
        if self.may_win:
            record.may_win.add(self.entrant.name)

    def row(self) -> tuple[str, str, str]:
        # The row is published, and must not show where on this machine the folder is.
        return "admitted", self.entrant.name, f"from {caption(self.entrant.source.rpartition('/')[2])}"

    @property
    def cleaned(self) -> Self:
        return msgspec.structs.replace(self, entrant=_named(self.entrant))


class Replaced(OfOrganiser, frozen=True, tag="replaced"):
    """A new version of an entrant, under the same name, from the next round on."""

    entrant: Entrant
    reason: str
    afresh: bool = False
    """Whether it plays again if it was withdrawn, and earlier deaths no longer count. Older journals lack it,
    and there deaths counted."""

    def problem(self, record: "Record") -> Problem | None:
        name = self.entrant.name
        if not record.may_go_on(name):
            return Problem("no round is left to play in")
        return None if name in record.entrants else not_entered(name, record)

    def apply(self, record: "Record") -> None:
        name = self.entrant.name
        if self.afresh:
            record.taken_out = [other for other in record.taken_out if other != name]
            record.deaths_from[name] = len(record.drawn) + 1
        record.replace(self.entrant)

    def row(self) -> tuple[str, str, str]:
        return "replaced", self.entrant.name, self.reason

    @property
    def cleaned(self) -> Self:
        return msgspec.structs.replace(super().cleaned, entrant=_named(self.entrant))


class MatchAnnulled(OfOrganiser, frozen=True, tag="annulled"):
    """A match no longer counts, and is played again under the same id."""

    match_id: MatchId
    reason: str

    def problem(self, record: "Record") -> Problem | None:
        return None if self.match_id in record.played else Problem("it was not played")

    def apply(self, record: "Record") -> None:
        record.played.pop(self.match_id, None)
        record.results_by_id.pop(self.match_id, None)
        if self.match_id not in record.skipped:
            record.ended[place(self.match_id)[0]].discard(self.match_id)

    def row(self) -> tuple[str, str, str]:
        return "annulled", self.match_id, self.reason


class Extended(OfOrganiser, frozen=True, tag="extended"):
    """The tournament now has this many rounds, more than before."""

    rounds: Number

    def problem(self, record: "Record") -> Problem | None:
        impossible = self.rounds <= record.rounds or record.no_further()
        return Problem(f"there cannot be {self.rounds} rounds") if impossible else None

    def apply(self, record: "Record") -> None:
        record.rounds, record.deadline = self.rounds, None

    def row(self) -> tuple[str, str, str]:
        return "extended", f"{self.rounds} rounds", "more rounds than were planned"


class Deadline(OfOrganiser, frozen=True, tag="deadline"):
    """The tournament plays the rounds that fit before `at`. A later deadline or `Extended` replaces it."""

    at: Annotated[int, msgspec.Meta(ge=0, le=LATEST)]
    """In seconds since 1970 (UTC)."""
    most_rounds: Number
    """The most rounds in all."""
    by_clock: bool = True
    """Whether it follows the wall clock; otherwise it is a duration, which ignores changes of the clock."""

    def problem(self, record: "Record") -> Problem | None:
        if self.most_rounds < len(record.drawn):
            return Problem(f"{len(record.drawn)} rounds were already drawn")
        reason = no_deadline(record.created.format)
        return Problem(reason) if reason else None

    def apply(self, record: "Record") -> None:
        record.rounds, record.deadline = self.most_rounds, self

    def row(self) -> tuple[str, str, str]:
        # In UTC, so that the same journal gives the same page everywhere.
        until = datetime.fromtimestamp(self.at, UTC)
        return "deadline", f"{until:%Y-%m-%d %H:%M:%S} UTC", "as many rounds as fit"


class TimeUp(RunEntry, frozen=True, tag="time-up"):
    """The deadline ended the tournament."""

    rounds: Annotated[int, msgspec.Meta(ge=0)]
    """The rounds that were begun, one that was cut off included."""
    unfinished: tuple[tuple[Number, Number], ...] = ()
    """The pods, by round and number, that did not finish all their seatings. None of their matches counts."""

    def problem(self, record: "Record") -> Problem | None:
        if record.deadline is None:
            return Problem("there was no deadline")
        if self.rounds != len(record.drawn):
            return Problem(f"{len(record.drawn)} rounds were drawn")
        if self.unfinished != record.unfinished:
            return Problem("the pods that were cut off are not those that were unfinished")
        return None

    def apply(self, record: "Record") -> None:
        record.rounds, record.deadline = self.rounds, None
        record.cut_off |= frozenset(self.unfinished)
        record.times_up += (self,)
        for match in [match for match in record.played if place(match)[:2] in record.cut_off]:
            del record.played[match], record.results_by_id[match]


ByOrganiser = Withdrawn | Admitted | Replaced | MatchAnnulled | Extended | Deadline
JournalEntry = Created | RoundPaired | MatchPlayed | Skipped | TimeUp | ByOrganiser


def match_id(round_no: int, pod_no: int, seating_no: int) -> str:
    """The id of a match, such as r01-p002-s03."""
    return f"r{round_no:02}-p{pod_no:03}-s{seating_no:02}"


def place(match_id: str) -> tuple[int, int, int]:
    """The round, pod and seating in a match id."""
    round_no, pod_no, seating_no = (int(part[1:]) for part in match_id.split("-"))
    return round_no, pod_no, seating_no


def no_deadline(format: str) -> str | None:
    """Why a format cannot have a deadline; None if it can."""
    if not format_named(format).ELIMINATES:
        return None
    return (
        f"a {format} is played until its final, so it cannot end at a given time; {flag.format} swiss, "
        "round-robin and gauntlet can"
    )


def not_entered(name: str, record: "Record") -> Problem:
    """The problem that no entrant has this name."""
    known = did_you_mean(name, record.names)
    return Problem(f"{name} has not entered", f"no entrant is called {name!r}{known}")


@functools.lru_cache(maxsize=1024)
def _require_names(names: tuple[str, ...]) -> None:
    """Raises ValueError for an invalid name. Thousands of matches have the same few names, so the cache is
    faster than the pattern."""
    for name in names:
        if not NAME.fullmatch(name):
            raise ValueError(f"{name!r} cannot be a name")


def _named(entrant: Entrant) -> Entrant:
    """The entrant with its texts sanitised, except the paths of its program, which must not change. Raises
    ValueError for an invalid name."""
    _require_names((entrant.name,))
    return msgspec.structs.replace(entrant, author=caption(entrant.author), title=title(entrant.title))
