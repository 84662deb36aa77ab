"""The terms of a match: turns the requested settings, and the words that name bots, into seated entrants and
a worker's job. Knows neither commands nor how a match is played.
"""

import os
import re
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Annotated, Any, Final, TypeAlias

import msgspec

from arena.entrants.entrant import Entrant, Function
from arena.entrants.find import house_bot, numbered
from arena.entrants.roster import Entry, Roster, find_entries
from arena.entrants.titles import entitled
from arena.games import registry
from arena.games.game import Game, Options
from arena.log.entries import SINGLE_MATCH
from arena.log.settings import MatchSettings
from arena.playing.arguments import Argument, Command
from arena.playing.job import Job
from arena.playing.spellings import (
    Bots,
    ByName,
    GameOptions,
    LevelName,
    Paths,
    TextOrNumber,
    TimeText,
    plain_words,
)
from arena.playing.times import clock, milliseconds, read
from arena.process import walls
from arena.process.sandbox import DEFAULT_MEMORY_MB, Level, Sandbox
from arena.system.errors import UserError, did_you_mean
from arena.system.wording import flag
from protocol.messages import Limits
from protocol.streams import pod_key

_SEED: Final = re.compile(r"[\x21-\x7e]{1,64}")

Thousand: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=1000)]
"""A number of deals, faults or rounds."""
Seats: TypeAlias = Annotated[int, msgspec.Meta(ge=2, le=8)]
Jobs: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=1024)]

Say: TypeAlias = Callable[[str], None]
"""Shows a message to people."""


RUNNING: Final = "How it runs"
MatchesAtATime: TypeAlias = Annotated[
    Jobs | None, Argument("Matches at a time.", otherwise="one per core", section=RUNNING)
]
KeepBots: TypeAlias = Annotated[
    bool,
    Argument(
        "Start bots once, not for each match. Faster; each process plays only one of a pod's seatings.",
        section=RUNNING,
    ),
]
BotWords: TypeAlias = Annotated[
    Bots,
    Argument(
        "Bots, named as on the command line, or functions.", metavar="BOT...", positional=True, kind="bot"
    ),
]
Titles: TypeAlias = Annotated[
    ByName,
    Argument(
        "Show a bot under this title in tables and pages, in any script.",
        question="it names a bot (a heading for the report: arena report DIR --title); what is it called?",
    ),
]


class Walls(Command, frozen=True, kw_only=True):
    """The requested sandbox."""

    sandbox: Annotated[
        LevelName | None,
        Argument(
            "bwrap: bots see only their own files, and no network. rlimits: they see everything, but their "
            "resources are limited. none: no sandbox.",
            otherwise="the best available",
            section="Sandbox",
        ),
    ] = None
    memory: Annotated[
        int,
        msgspec.Meta(ge=16, le=1 << 20),
        Argument("Memory limit of a bot, for all its processes together.", metavar="MB"),
    ] = DEFAULT_MEMORY_MB
    allow: Annotated[
        Paths, Argument("Let every bot read this folder, such as that of an interpreter.", metavar="PATH")
    ] = ()

    def walled(self) -> tuple[Sandbox, str]:
        """The sandbox, and a sentence about it to show once all other arguments have proved valid. Raises
        UserError."""
        level = None if self.sandbox is None else Level(self.sandbox)
        return walls.settled(level, self.memory, (os.fspath(path) for path in self.allow))


class Clocks(Walls, frozen=True, kw_only=True):
    """The requested sandbox and clocks of a match."""

    time: Annotated[
        TimeText,
        Argument(
            "Time for each decision, plus a bank for the whole match, from which slower decisions draw.",
            kind="clock",
            section="Time and faults",
        ),
    ] = "1s+10s"
    startup: Annotated[TimeText, Argument("Time a bot may take to start.", kind="time")] = "10s"

    @property
    def limits(self) -> Limits:
        """The clocks. Raises UserError."""
        start_ms = read(flag.startup, self.startup, milliseconds)
        return msgspec.structs.replace(read(flag.time, self.time, clock), start_ms=start_ms)


class Terms(Clocks, frozen=True, kw_only=True):
    """The requested settings of a match besides its bots."""

    game: Annotated[str, Argument("The game to play.", kind="game", section="Match")] = "sticheln"
    options: Annotated[GameOptions, Argument("Set an option of the game.")] = msgspec.field(
        default_factory=dict
    )
    deals: Annotated[Thousand | None, Argument("Deals in a match.", otherwise="the game's")] = None
    seed: Annotated[
        TextOrNumber | None, Argument("Take deals, seats and pairings from this seed.", otherwise="random")
    ] = None
    faults: Annotated[
        Thousand,
        Argument(
            "Forfeit the match at this number of faults; earlier ones cost only the action.",
            after="startup",
        ),
    ] = 1
    ponder: Annotated[
        bool,
        Argument(
            "Do not freeze bots between their turns, so they may think while others move. Faster with quick "
            "bots."
        ),
    ] = False

    def settled(self) -> "SettledTerms":
        """Fill in the defaults, and validate. Raises UserError."""
        game = registry.game(self.game)
        seed = _random_seed() if self.seed is None else str(self.seed)
        if not _SEED.fullmatch(seed):
            raise UserError(
                f"{flag.seed} {seed!r}: a seed is 1 to 64 printable ASCII characters without spaces"
            )
        variant = options_of(game, self.options)
        sandbox, line = self.walled()
        return SettledTerms(self, game, variant, seed, self.limits, sandbox, line)


class SettledTerms(msgspec.Struct, frozen=True):
    """The settings of a match besides its bots, with defaults filled in. `sandbox_line`: a sentence."""

    terms: Terms
    game: Game
    options: Options
    seed: str
    limits: Limits
    sandbox: Sandbox
    sandbox_line: str

    def with_other_cards(self) -> "SettledTerms":
        """The same settings with a new random seed, for another match."""
        return msgspec.structs.replace(self, seed=_random_seed())

    def deals(self, seats: int) -> int:
        """The deals of a match at this number of seats."""
        return self.terms.deals or self.game.deals(seats, self.options)

    def settings(self, seats: int) -> MatchSettings:
        """The settings of a match at this number of seats."""
        return MatchSettings(
            game=self.game.id,
            options=msgspec.to_builtins(self.options),
            deals=self.deals(seats),
            limits=self.limits,
            faults=self.terms.faults,
            sandbox=self.sandbox,
            ponder=self.terms.ponder,
            game_package=registry.package_of(self.game.id),
        )

    def playable(self, bots: Bots, *, one_each: bool = False) -> tuple[Entrant, ...]:
        """The bots that these words name. Raises UserError."""
        return playable(bots, self.game.id, self.sandbox, asks_game=True, one_each=one_each)

    def seated(
        self, entrants: Sequence[Entrant], seats: int | None, titles: Mapping[str, str], say: Say
    ) -> tuple[Entrant, ...]:
        """The entrants by seat, with house bots on empty seats. `seats`: None for as many as needed.
        `titles`: by name. Raises UserError if the game does not have that number of seats."""
        wanted = max(len(entrants), self.game.seats[0]) if seats is None else seats
        require_seats(self.game, wanted)
        if wanted < len(entrants):
            raise UserError(
                f"{flag.seats} {wanted}: {len(entrants)} bots do not fit; leave out {len(entrants) - wanted}"
            )
        houses = (house_bot(f"house-{number}") for number in range(1, wanted - len(entrants) + 1))
        return (*with_titles(numbered(entrants), titles, say), *houses)

    def job(self, entrants: tuple[Entrant, ...], *, keep_bots: bool = False, watched: bool = False) -> Job:
        """A match that belongs to no tournament, between these entrants by seat."""
        return Job(
            match_id=SINGLE_MATCH,
            settings=self.settings(len(entrants)),
            pod_key=pod_key(self.seed, 0, 0),
            seating_no=1,
            entrants=entrants,
            keep_bots=keep_bots,
            watched=watched,
        )


def _random_seed() -> str:
    return secrets.token_hex(16)


def playable(
    bots: Bots,
    game: str,
    sandbox: Sandbox,
    *,
    asks_game: bool = False,
    one_each: bool = False,
) -> tuple[Entrant, ...]:
    """The bots that these words name, in their order. Raises UserError for a word that names no bot, or for a
    bot that cannot play. `asks_game`: the command has --game, which the error may suggest. `one_each`: a
    table or an archive of several bots is an error."""
    roster = Roster()
    entries: list[Entry | Function] = []
    for word in plain_words(bots):
        named = roster.of(word) if isinstance(word, str) else [word]
        if one_each and len(named) > 1:
            raise UserError(f"{word}: it contains {len(named)} bots, but this takes only one; unpack it")
        entries += named
    found = find_entries([entry for entry in entries if isinstance(entry, Entry)], game, sandbox).found
    for left_out in found.left_out:
        known = [plays for plays in left_out.plays if registry.is_known(plays)] if asks_game else []
        way_out = f"; use {flag.game} {known[0]}" if known else ""
        raise UserError(f"{left_out.name} cannot play: {left_out.reason}{way_out}")
    for word, reason in found.passed_over:
        raise UserError(f"{word}: not a bot ({reason})")
    programs = iter(found.entrants)
    return tuple(entry.entrant if isinstance(entry, Function) else next(programs) for entry in entries)


def with_titles(
    entrants: Sequence[Entrant], titles: Mapping[str, str], say: Say, beside: Iterable[Entrant] = ()
) -> tuple[Entrant, ...]:
    """The entrants with their titles, by the rules of arena.entrants.titles; reports dropped titles by `say`.
    `titles`: by name. `beside`: entrants that are already in the tournament. Raises UserError."""
    for name, text in titles.items():
        require_plays(name, entrants, f"{flag.titles} {name}={text}")
    found = entitled(entrants, titles, beside)
    for remark in found.remarks:
        say(remark)
    return found.entrants


def require_plays(name: str, entrants: Iterable[Entrant], place: str) -> None:
    """Raise a UserError that begins with `place` if no entrant has this name."""
    names = [entrant.name for entrant in entrants]
    if name not in names:
        raise UserError(f"{place}: no bot is called {name!r}{did_you_mean(name, names)}")


def require_seats(game: Game, seats: int) -> None:
    """Raise UserError if `game` cannot be played at this number of seats."""
    if seats not in game.seats:
        raise UserError(f"{game.id} is played by {game.seats[0]} to {game.seats[-1]} seats, not {seats}")


def options_of(game: Game, values: Mapping[str, Any]) -> Options:
    """The options of `game` from plain values. Raises UserError with the key and the allowed values."""
    known = {field.name for field in msgspec.structs.fields(game.options)}
    for key in values:
        if key not in known:
            allowed = did_you_mean(key, sorted(known)) if known else "; it has none"
            raise UserError(f"{flag.options} {key}: {game.id} has no such option{allowed}")
    try:
        return msgspec.convert(values, game.options)
    except msgspec.ValidationError as error:
        raise UserError(f"{flag.options} of {game.id}: {error}") from None
