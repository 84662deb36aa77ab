"""The options of a match's terms, and what names bots: words of the command line become values."""

import functools
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

import click
import msgspec

from arena.cli.options import GameType, limits_options, sandbox_options
from arena.games.game import Game, Options
from arena.playing.terms import Terms
from arena.process.walls import Walls
from arena.system.errors import UserError, did_you_mean
from protocol.messages import Limits

R = TypeVar("R")

_SWITCH: Final = ("true", "false")


seats_option = click.option(
    "--seats",
    type=int,
    help="Seats; house bots, which play at random, fill the empty ones.  [default: as many as needed]",
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
        walls: Walls,
        **others: Any,
    ) -> R:
        terms = Terms(
            game=game.id,
            options=msgspec.to_builtins(variant_of(game, options)),
            deals=deals,
            seed=seed,
            limits=limits,
            faults=faults,
            ponder=ponder,
            walls=walls,
        )
        return command(terms=terms, **others)

    return with_terms


def of_bots(words: Sequence[str], flag: str, question: str) -> dict[str, str]:
    """The words BOT=VALUE of an option as values by bot. Raises UserError, which asks the question."""
    found = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals:
            raise UserError(f"{flag} {word}: {question} {flag} {name}={flag[2:].upper()}")
        found[name] = value
    return found


def titles_from(words: Sequence[str]) -> dict[str, str]:
    """The titles of `--title`, by name. Raises UserError."""
    question = "it names a bot (a heading for the report: arena report DIR --title); what is it called?"
    return of_bots(words, "--title", question)


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
