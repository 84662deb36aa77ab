"""`arena check --game` without a bot: the laws that every game keeps, looked for in one game."""

import os
import sys
import time
from collections.abc import Sequence
from typing import Any, Final

import msgspec

from arena import registry
from arena.calls.wording import counted, duration
from arena.cli import DONE, NO
from arena.cli.output import clear_status, print_hanging, print_json, show_status, stdout
from arena.games.game import Game, Options
from arena.laws.apart import Begun, judged_apart
from arena.laws.judge import LAWS, Judged
from arena.laws.second import Second, agreement, named
from arena.laws.trial import Variant, trials, variants
from arena.laws.wording import LABEL_WIDTH, lines
from arena.system.errors import UserError
from arena.system.text import escaped

MATCHES: Final = 2
SECONDS: Final = 60.0


def check_game(
    game: Game,
    seats: int | None,
    options: Options | None,
    matches: int,
    seconds: float,
    judge: str | None,
    as_json: bool,
) -> int:
    """Look for every law in the variants of a game, print what is found, and return the exit code. None for
    `seats` and `options` stands for all numbers of seats, and for several values of each option."""
    if seats is not None and seats not in game.seats:
        raise UserError(f"{game.id} is played by {game.seats[0]} to {game.seats[-1]} seats, not {seats}")
    laws = (*LAWS, agreement(_second(judge))) if judge else LAWS
    of_game = [variant for variant in _variants(game, options) if seats in (None, variant.seats)]
    played = [list(trials(variant, matches)) for variant in of_game]
    found: list[Judged] = []
    begun_at = time.monotonic()

    def on_begun(begun: Begun) -> None:
        left = (time.monotonic() - begun_at) / len(found) * (len(laws) - len(found)) if found else None
        rest = f", {duration(left)} left" if left is not None else ""
        show_status(f"{len(found)} of {len(laws)}{rest} · {begun.law}: {begun.variant}")

    try:
        for judged in judged_apart(played, seconds, on_begun, laws):
            found.append(judged)
            clear_status()
            if not as_json:
                for line in lines(judged):
                    print_hanging(escaped(line), stdout(), LABEL_WIDTH)
    finally:
        clear_status()
    broken = [judged for judged in found if judged.broken]
    if as_json:
        print_json(_as_json(game, found))
    else:
        where = f"in {counted(len(of_game), 'variant')}, {counted(matches, 'match')} each"
        kept = (
            f"{counted(len(found), 'law')} kept"
            if not broken
            else f"{len(broken)} of {len(found)} laws broken"
        )
        stdout().print(f"{game.id}: {kept} {where}", soft_wrap=True)
    return NO if broken else DONE


def _variants(game: Game, options: Options | None) -> list[Variant]:
    return variants(game) if options is None else [Variant(game, seats, options) for seats in game.seats]


def _second(place: str) -> Second:
    """The second telling of the rules, from this folder or an installed package. Raises UserError."""
    sys.path.append(os.getcwd())
    try:
        return named(place)
    # An author's code can raise anything, and may even want to end the program.
    except (Exception, SystemExit) as error:
        raise UserError(f"--judge {place}: {type(error).__name__}: {error}") from None


def _as_json(game: Game, found: Sequence[Judged]) -> dict[str, Any]:
    package = registry.package_of(game.id)
    return {
        "game": game.id,
        "package": package and msgspec.to_builtins(package),
        "kept": not any(judged.broken for judged in found),
        "laws": msgspec.to_builtins(found),
    }
