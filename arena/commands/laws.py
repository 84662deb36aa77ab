"""The laws that every game keeps, looked for in one game: `arena check --game` without a bot."""

import os
import sys
from collections.abc import Callable
from typing import Annotated, TypeAlias

import msgspec

from arena.games import registry
from arena.games.game import MOST_SEATS, Game
from arena.games.package import GamePackage
from arena.laws.apart import LawStarted, judged_apart
from arena.laws.judge import LAWS, LawResult
from arena.laws.second import Second, agreement, named
from arena.laws.trial import Variant, trials, variants
from arena.playing.arguments import Argument, Command
from arena.playing.spellings import GameOptions, TimeText
from arena.playing.terms import Say, Thousand, options_of, require_seats
from arena.playing.times import milliseconds, read
from arena.system.errors import UserError
from arena.system.wording import flag

OnBegun: TypeAlias = Callable[[LawStarted, int], None]
"""Called when the check of a law begins in a variant, and with the number of laws in all."""
OnJudged: TypeAlias = Callable[[LawResult], None]
"""Called with each law that was checked."""


class CheckGameResult(msgspec.Struct, frozen=True, kw_only=True):
    """The result of each law in the variants of a game."""

    game: str
    package: GamePackage | None
    """The package that brings the game; None for the arena's own."""
    laws: tuple[LawResult, ...]
    variants: int
    """The number of variants."""
    matches: int
    """The number of matches played of each variant."""

    @property
    def broken(self) -> tuple[LawResult, ...]:
        """The laws that the game breaks."""
        return tuple(judged for judged in self.laws if judged.broken)


class CheckGameOptions(Command, frozen=True, kw_only=True):
    """The settings of the check of a game."""

    seats: Annotated[
        Annotated[int, msgspec.Meta(ge=2, le=MOST_SEATS)] | None,
        Argument("Check only this number of seats.", otherwise="all"),
    ] = None
    options: Annotated[
        GameOptions | None,
        Argument("Set this option of the game.", otherwise="each option at one or two values"),
    ] = None
    matches: Annotated[Thousand, Argument("Random matches for each number of seats and option.")] = 2
    judge: Annotated[
        str | None,
        Argument(
            "A second implementation of the rules, to compare the game with (arena/laws/second.py).",
            metavar="MODULE:FUNCTION",
        ),
    ] = None
    budget: Annotated[TimeText, Argument("Time for each law at each number of seats.", kind="time")] = "60s"


class CheckGame(CheckGameOptions, frozen=True):
    """Checks every law in random matches."""

    game: Annotated[str, Argument("The game to check.", kind="game")]

    def carry_out(
        self,
        say: Say,
        on_begun: OnBegun = lambda begun, laws: None,
        on_judged: OnJudged = lambda judged: None,
    ) -> CheckGameResult:
        """Checks them, in separate processes. There are no remarks. Raises UserError."""
        game = registry.game(self.game)
        if self.seats is not None:
            require_seats(game, self.seats)
        laws = (*LAWS, agreement(_second(self.judge))) if self.judge else LAWS
        of_game = [variant for variant in self._variants(game) if self.seats in (None, variant.seats)]
        played = [list(trials(variant, self.matches)) for variant in of_game]
        found = []
        ms = read(flag.budget, self.budget, milliseconds)
        for judged in judged_apart(played, ms / 1000, lambda begun: on_begun(begun, len(laws)), laws):
            found.append(judged)
            on_judged(judged)
        return CheckGameResult(
            game=game.id,
            package=registry.package_of(game.id),
            laws=tuple(found),
            variants=len(of_game),
            matches=self.matches,
        )

    def _variants(self, game: Game) -> list[Variant]:
        if self.options is None:
            return variants(game)
        options = options_of(game, self.options)
        return [Variant(game, seats, options) for seats in game.seats]


def _second(place: str) -> Second:
    """The second implementation of the rules, from this folder or an installed package. Raises UserError."""
    sys.path.append(os.getcwd())
    try:
        return named(place)
    # An author's code can raise anything, and may even want to end the program.
    except (Exception, SystemExit) as error:
        raise UserError(f"{flag.judge} {place}: {type(error).__name__}: {error}") from None
