"""`arena check`: tests single bots, or the rules of a game, and says how to fix them."""

import time
from collections.abc import Callable, Sequence
from typing import Any, Final

import click
import msgspec
from rich.cells import cell_len, set_cell_size

from arena.checking.findings import Checked, Finding, NotChecked, Verdict
from arena.checking.lines import LABEL_WIDTH, milliseconds, result_lines
from arena.cli import DONE, NO, USER_ERROR
from arena.cli.derived import argument, built, derived_option, takes
from arena.cli.match import command as match
from arena.cli.onward import log_for, onward, said_again
from arena.cli.options import json_option, refuse_given
from arena.cli.output import Status, clear_status, print_hanging, print_json, say, stdout
from arena.commands.check import CheckBots, CheckOptions
from arena.commands.laws import CheckGame, CheckGameOptions
from arena.entrants.find import BUILTIN_BOTS
from arena.games import registry
from arena.playing.arguments import declared
from arena.playing.spellings import words_of
from arena.playing.terms import Terms
from arena.system.errors import UserError
from arena.system.wording import counted, duration

_BOTH: Final = ("game", "budget")
FOR_BOTS: Final = {
    **{one.name: one.flag for one in declared(CheckOptions) if one.flag and one.name not in _BOTH},
    "verbose": "--verbose",
}
_OF_GAMES: Final = [one for one in declared(CheckGameOptions) if one.flag and one.name not in _BOTH]
FOR_GAMES: Final = {one.name: one.flag for one in _OF_GAMES}
"""Options that make sense only with bots, and only without, by the names of their parameters."""


def _without_a_bot(name: str) -> str:
    """Text of an option about the check of a game."""
    one = argument(CheckGame, name)
    said = f"{one.help[0].lower()}{one.help[1:]}"
    default = "" if one.required or one.default is None else f"  [default: {one.default}]"
    return f"Without a bot: {said}{default}"


def _of_games(command: Callable[..., Any]) -> Callable[..., Any]:
    for one in reversed(_OF_GAMES):
        derived_option(one, help=_without_a_bot(one.name), default=None, show_default=False)(command)
    return command


CHANGES: Final = {
    name: {"help": f"{argument(CheckBots, name).help}  {_without_a_bot(name)}"} for name in _BOTH
}


@click.command("check")
@takes(CheckBots, CHANGES | {"bots": {"required": False}}, time=_of_games)
@click.option("--verbose", is_flag=True, help="Print a line for every step.")
@json_option
@click.pass_context
def command(context: click.Context, /, call: CheckBots, verbose: bool, as_json: bool, **of_game: Any) -> int:
    """Play with a single bot, and show what is wrong with it and how to fix it. With several bots, print a
    line for each. Exits with 0 if all is well, with 1 if a bot needs fixing, and with 2 if a bot could not be
    found; the others are still checked.

    Without a bot, check the rules of the game that --game names: play it at random, and show which of the
    laws of every game it breaks.

    If a bot does not answer in time, the check waits twice as long again, 20 s at most, to distinguish a slow
    bot from one that hangs.

    \b
    arena check mybot.py --game sticheln --transcript dialogue.txt
    arena check bots/* --html pages       # a class: a page for each author
    arena check class.csv --html pages    # the same from a table or archive
    arena check --game mygame --seats 4   # a game that you wrote
    """
    bots = words_of("bots", call.bots)
    if not bots:
        refuse_given(context, FOR_BOTS, "without a bot, the command checks the rules of a game")
        given = {name: value for name, value in {**of_game, "budget": call.budget}.items() if value}
        return _check_game(call.game, given, as_json)
    refuse_given(context, FOR_GAMES, "it is for checking the rules of a game, which takes no bots")
    board: CheckProgress | StepDisplay = StepDisplay()

    def on_begun(names: Sequence[str]) -> None:
        nonlocal board
        if len(bots) > 1 or len(names) > 1:  # One word may name a class.
            board = CheckProgress(rows=not as_json)
        board.on_begun(names)

    found = call.carry_out(
        say, lambda *step: board.on_step(*step), lambda *done: board.on_done(*done), on_begun
    )
    if found.page:
        click.echo(found.page, err=True)
    if as_json:
        results = [_as_json(*pair) for pair in zip(found.words, found.results, strict=True)]
        print_json([*results, *(_not_checked(none.word, none.word, none.why) for none in found.not_found)])
    elif isinstance(board, StepDisplay):
        _print_in_full(found.checked[0], verbose)
        if found.passed:
            say(_next(bots, found.games[0], given=call.game is not None))
    if not found.complete:
        return USER_ERROR
    return DONE if found.passed else NO


def _next(bots: Sequence[str], games: Sequence[str], *, given: bool) -> str:
    """A command that shows the only bot in a match of a game it plays. `given`: --game was given."""
    default = Terms().game
    played = default if not given and default in games else games[0]
    named = () if given or played == default else ("--game", played)
    others = BUILTIN_BOTS[: registry.game(played).seats[-1] - 1]
    words = (bots[0], *others, *named, *said_again(match), "--log", log_for(bots))
    return f"next: {onward('match', *words)}"


def _check_game(game: str | None, given: dict[str, Any], as_json: bool) -> int:
    """Check the laws in a game. Raises UserError if none was named."""
    # Imported here because most checks are of bots.
    from arena.cli.laws import show_checked

    if game is None:
        raise UserError(
            "name what to check: `arena check BOT...` checks bots, `arena check --game ID` a game"
        )
    return show_checked(built(CheckGame, {"game": game, **given}), as_json=as_json)


class StepDisplay:
    """Shows the step of the only bot."""

    def __init__(self) -> None:
        self._status = Status()

    def on_begun(self, names: Sequence[str]) -> None:
        """The check begins."""
        (self._name,) = names

    def on_step(self, number: int, step: str) -> None:
        """The bot has reached a step."""
        self._status.show(f"checking {self._name}: {step} …")

    def on_done(self, number: int, result: Checked | NotChecked) -> None:
        """The result is printed in full elsewhere."""


class CheckProgress:
    """Prints a row for each finished bot, from time to time the progress of the others, and a summary at the
    end. Without `rows`, only the progress: the output is JSON."""

    def __init__(self, *, rows: bool) -> None:
        self._rows = rows
        self._status = Status()
        self._names: Sequence[str] = ()
        self._begun_at = 0.0
        self._steps: dict[int, str] = {}
        self._done: list[Checked | NotChecked] = []

    def on_begun(self, names: Sequence[str]) -> None:
        """The checks of the bots with these names begin."""
        self._names = names
        self._begun_at = time.monotonic()

    def on_step(self, number: int, step: str) -> None:
        """A bot, by its index among the names, has reached a step."""
        self._steps[number] = step
        self._show_rest()

    def on_done(self, number: int, result: Checked | NotChecked) -> None:
        """A bot, by its index among the names, is done."""
        self._done.append(result)
        self._steps.pop(number, None)
        clear_status()
        if self._rows:
            total = len(self._names)
            name = set_cell_size(self._names[number], max(map(cell_len, self._names)))
            line = f"{len(self._done):>{len(str(total))}} of {total}  {name}  "
            print_hanging(f"{line}{_row(result)}", stdout(), 6 + 2 * len(str(total)))
        self._show_rest()
        if len(self._done) == len(self._names):
            self._close()

    def _close(self) -> None:
        """Print the summary."""
        clear_status()
        found = [result for result in self._done if isinstance(result, Checked)]
        passed = sum(result.passed for result in found)
        parts = [f"{passed} passed", f"{len(found) - passed} failed"]
        if missing := len(self._done) - len(found):
            parts.append(f"{missing} not checked")
        say(f"{counted(len(self._done), 'bot')} in {duration(self._seconds)}: {', '.join(parts)}")

    @property
    def _seconds(self) -> float:
        return time.monotonic() - self._begun_at

    def _show_rest(self) -> None:
        """One line: how many are done, the time left, and the step of each bot that is being checked."""
        if not self._steps:
            return
        done, total = len(self._done), len(self._names)
        left = f", {duration(self._seconds / done * (total - done))} left" if done else ""
        now = ", ".join(f"{self._names[number]}: {step}" for number, step in self._steps.items())
        self._status.show(f"{done} of {total}{left} · {now}")


def _row(result: Checked | NotChecked) -> str:
    """One bot's line: the steps passed, its pace, and its first failure."""
    if isinstance(result, NotChecked):
        return f"{'–':>5}  {'–':>7}  not checked: {result.why}"
    passed = len(result.of(Verdict.PASSED)) + len(result.of(Verdict.NOTED))
    pace = f"{milliseconds(result.pace.p99)} ms" if result.pace else "–"
    numbers = f"{passed:>2}/{len(result.findings):<2}  {pace:>7}"
    first = next(iter(result.of(Verdict.FAILED)), None)
    if first is not None:
        # In one line, the message of a build says more than the advice about it.
        what = first.fault if first.diagnosis == "build-failed" else first.mend
        return f"{numbers}  {first.step}: {what}"
    skipped = result.of(Verdict.SKIPPED)
    return f"{numbers}  passed" + (f", {len(skipped)} not tried: {skipped[0].remark}" if skipped else "")


def _print_in_full(checked: Checked, verbose: bool) -> None:
    commands = {line for finding in checked.findings for line in finding.again.splitlines()}
    for line in result_lines(checked, verbose):
        # Commands are not wrapped, so that they can be copied.
        if line[LABEL_WIDTH:] in commands:
            stdout().print(line, soft_wrap=True)
        else:
            print_hanging(line, stdout(), LABEL_WIDTH)


def _as_json(word: str, result: Checked | NotChecked) -> dict[str, Any]:
    if isinstance(result, NotChecked):
        return _not_checked(word, result.bot, result.why)
    return {
        "bot": result.bot,
        "word": word,
        "passed": result.passed,
        "why": None,
        "pace": msgspec.to_builtins(result.pace),
        "steps": [_step(finding) for finding in result.findings],
    }


def _step(finding: Finding) -> dict[str, Any]:
    """Its fields but for `kind`, which `fault` begins with."""
    return {key: value for key, value in msgspec.to_builtins(finding).items() if key != "kind"}


def _not_checked(word: str, bot: str, why: str) -> dict[str, Any]:
    return {"bot": bot, "word": word, "passed": False, "why": why, "pace": None, "steps": []}
