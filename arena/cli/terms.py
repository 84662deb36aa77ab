"""The terms of a match: from the options for game, deals, clock and sandbox, and from the words that name
bots, to entrants at their seats and to a worker's job.

Knows no command: what a command adds to the terms is in its own file.
"""

import functools
import re
import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

import click
import msgspec

from arena import registry
from arena.cli.options import GameType, limits_options, sandbox_options
from arena.cli.output import say
from arena.entrants.apart import Apart
from arena.entrants.entrant import Entrant
from arena.entrants.find import find, house_bot, numbered
from arena.entrants.titles import entitled
from arena.games.game import Game, Options
from arena.log.settings import MatchSettings
from arena.playing.job import Job
from arena.process.sandbox import Sandbox
from arena.system.errors import UserError, did_you_mean
from protocol.messages import Limits
from protocol.streams import pod_key

R = TypeVar("R")

_SWITCH: Final = ("true", "false")
_SEED: Final = re.compile(r"[\x21-\x7e]{1,64}")


seats_option = click.option(
    "--seats", type=int, help="Seats; house bots fill the empty ones.  [default: as many as needed]"
)


class Terms(msgspec.Struct, frozen=True):
    """The settings of a match besides its bots. `asked_deals` is None for the game's own number of deals."""

    game: Game
    options: Options
    asked_deals: int | None
    seed: str
    limits: Limits
    faults: int
    ponder: bool
    sandbox: Sandbox
    sandbox_line: str

    def deals(self, seats: int) -> int:
        """The deals of a match at this number of seats."""
        return self.asked_deals or self.game.deals(seats, self.options)

    def settings(self, seats: int) -> dict[str, Any]:
        """The fields of MatchSettings for a match at this number of seats."""
        return MatchSettings(
            game=self.game.id,
            options=msgspec.to_builtins(self.options),
            deals=self.deals(seats),
            limits=self.limits,
            faults=self.faults,
            sandbox=self.sandbox,
            ponder=self.ponder,
            game_package=registry.package_of(self.game.id),
        ).settings

    def playable(self, words: Iterable[str]) -> tuple[Entrant, ...]:
        """The bots that these words name. Raises UserError."""
        return playable(words, self.game.id, self.sandbox, asks_game=True)

    def seated(
        self, entrants: Sequence[Entrant], seats: int | None, titles: Iterable[str]
    ) -> tuple[Entrant, ...]:
        """The entrants by seat, with house bots on the empty seats. `seats` None means as many as needed;
        `titles` are BOT=TITLE. Raises UserError if the game does not have that number of seats."""
        wanted = max(len(entrants), self.game.seats[0]) if seats is None else seats
        require_seats(self.game, wanted)
        if wanted < len(entrants):
            raise UserError(
                f"--seats {wanted}: {len(entrants)} bots do not fit; leave out {len(entrants) - wanted}"
            )
        houses = (house_bot(f"house-{number}") for number in range(1, wanted - len(entrants) + 1))
        return (*with_titles(numbered(entrants), titles), *houses)

    def job(self, entrants: tuple[Entrant, ...], *, keep_bots: bool = False, watched: bool = False) -> Job:
        """A match that belongs to no tournament, between these entrants by seat."""
        return Job(
            match_id="match",
            **self.settings(len(entrants)),
            pod_key=pod_key(self.seed, 0, 0),
            seating_no=1,
            entrants=entrants,
            keep_bots=keep_bots,
            watched=watched,
        )


def terms_options(command: Callable[..., R], deals: str = "the game's") -> Callable[..., R]:
    """The options that a match and a tournament share; the command gets them as `terms`. `deals` describes
    the default number of deals in the help."""

    @click.option("--game", type=GameType(), default="sticheln", show_default=True, help="The rules.")
    @click.option("--option", "options", multiple=True, metavar="KEY=VALUE", help="An option of the game.")
    @click.option("--deals", type=click.IntRange(1, 1000), help=f"Deals of a match.  [default: {deals}]")
    @click.option("--seed", help="Repeat what was played with this seed.  [default: random]")
    @limits_options
    @click.option(
        "--faults",
        type=click.IntRange(1, 1000),
        default=1,
        show_default=True,
        help="The fault of this number forfeits a match; earlier ones only cost the action.",
    )
    @click.option(
        "--ponder",
        is_flag=True,
        help="Do not freeze bots between their turns: they may think on the others' time. Faster with quick "
        "bots.",
    )
    @sandbox_options
    @functools.wraps(command)
    def with_terms(
        *,
        game: Game,
        options: tuple[str, ...],
        deals: int | None,
        seed: str | None,
        limits: Limits,
        faults: int,
        ponder: bool,
        sandbox: Sandbox,
        sandbox_line: str,
        **others: Any,
    ) -> R:
        variant, seed = variant_of(game, options), _checked_seed(seed)
        terms = Terms(game, variant, deals, seed, limits, faults, ponder, sandbox, sandbox_line)
        return command(terms=terms, **others)

    return with_terms


def playable(
    words: Iterable[str], game: str, sandbox: Sandbox, *, asks_game: bool = False
) -> tuple[Entrant, ...]:
    """The bots that these words name. Raises UserError for a word that names none, or a bot that cannot play.
    `asks_game` says that the command has --game, which the error may suggest."""
    found = find(words, game, sandbox)
    for left_out in found.left_out:
        known = [plays for plays in left_out.plays if registry.is_known(plays)] if asks_game else []
        way_out = f"; say --game {known[0]}" if known else ""
        raise UserError(f"{left_out.name} cannot play: {left_out.reason}{way_out}")
    for word, reason in found.passed_over:
        raise UserError(f"{word}: not a bot ({reason})")
    return found.entrants


def require_apart(
    bot: Entrant, others: Iterable[Entrant], sandbox: Sandbox, results: Path | None = None
) -> None:
    """Raises UserError if the bot could read files of the others, or they its files, or it the `results`."""
    apart = Apart(sandbox, others)
    if reason := apart.obstacle(bot):
        raise UserError(f"{bot.name} cannot play: {reason}")
    require_unread(results, [bot], sandbox)


def require_unread(results: Path | None, bots: Iterable[Entrant], sandbox: Sandbox) -> None:
    """Raises UserError if a bot could read `results`, the folder or file into which results are written."""
    if results is not None and (reader := Apart(sandbox, bots).reader(results)):
        raise UserError(
            f"{results}: {reader} would see the results there; choose a folder outside of its own"
        )


def with_titles(
    entrants: Sequence[Entrant], words: Iterable[str], beside: Iterable[Entrant] = ()
) -> tuple[Entrant, ...]:
    """The entrants with their titles, by the rules of arena.entrants.titles; prints which titles are dropped.
    `words` are BOT=TITLE. Raises UserError."""
    found = entitled(entrants, dict(of_bots(words, entrants, "--title", "what is it called?")), beside)
    for remark in found.remarks:
        say(remark)
    return found.entrants


def of_bots(
    words: Iterable[str], entrants: Sequence[Entrant], flag: str, question: str = ""
) -> Iterator[tuple[str, str]]:
    """Each word BOT=VALUE as (BOT, VALUE). Without a `question`, which the error asks, the word may be BOT
    alone. Raises UserError if BOT does not play."""
    names = [entrant.name for entrant in entrants]
    for word in words:
        name, equals, value = word.partition("=")
        if name not in names:
            raise UserError(f"{flag} {word}: no bot is called {name!r}{did_you_mean(name, names)}")
        if question and not equals:
            raise UserError(f"{flag} {word}: {question} {flag} {name}={flag[2:].upper()}")
        yield name, value


def require_seats(game: Game, seats: int) -> None:
    """Raises UserError if `game` is not played at this number of seats."""
    if seats not in game.seats:
        raise UserError(f"{game.id} is played by {game.seats[0]} to {game.seats[-1]} seats, not {seats}")


def variant_of(game: Game, pairs: Sequence[str]) -> Options:
    """The options of `game` from texts KEY=VALUE. Raises UserError with the key and the allowed values."""
    known = {field.name for field in msgspec.structs.fields(game.options)}
    values: dict[str, str] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if key not in known:
            allowed = did_you_mean(key, sorted(known)) if known else "; it has none"
            raise UserError(f"--option {pair}: {game.id} has no such option{allowed}")
        switch = isinstance(getattr(game.options(), key), bool)
        if not equals:
            raise UserError(
                f"--option {key}: {key} needs a value: --option {key}={'true' if switch else 100}"
            )
        if switch and value.lower() not in (*_SWITCH, "1", "0"):
            raise UserError(f"--option {pair}: {key} is {' or '.join(_SWITCH)}, not {value!r}")
        values[key] = value
    try:
        return msgspec.convert(values, game.options, strict=False)
    except msgspec.ValidationError as error:
        raise UserError(f"--option of {game.id}: {error}") from None


def _checked_seed(seed: str | None) -> str:
    """The seed as given, or 128 fresh random bits. Raises UserError."""
    if seed is None:
        return secrets.token_hex(16)
    if not _SEED.fullmatch(seed):
        raise UserError(f"--seed {seed!r}: a seed is 1 to 64 printable ASCII characters without spaces")
    return seed
