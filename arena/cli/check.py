"""`arena check`: tests bots by themselves, or the rules of a game, and says how to mend them."""

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import click
import msgspec
import trio
from click.core import ParameterSource
from rich.cells import cell_len, set_cell_size

from arena import registry
from arena.calls.outputs import write_file
from arena.calls.walls import Walls
from arena.calls.wording import counted, duration
from arena.calls.workers import playing
from arena.checking.alone import NotChecked, Task
from arena.checking.findings import Checked, Verdict
from arena.checking.several import check_all
from arena.checking.steps import check
from arena.checking.wording import LABEL_WIDTH, milliseconds, result_lines
from arena.cli import DONE, NO, USER_ERROR
from arena.cli.options import (
    DurationType,
    GameType,
    file_option,
    json_option,
    limits_options,
    sandbox_options,
)
from arena.cli.output import clear_status, print_hanging, print_json, say, show_status, stdout
from arena.cli.terms import variant_of
from arena.entrants.entrant import Entrant
from arena.entrants.find import LeftOut, find
from arena.games import GAMES
from arena.games.game import MOST_SEATS, Game
from arena.process.sandbox import Sandbox
from arena.system.errors import UserError
from arena.system.text import caption, shell_word
from protocol.messages import Limits

BUDGET_MS: Final = 30_000
"""The default for each of several bots; a good bot takes a few seconds."""
FOR_BOTS: Final = {
    "time": "--time",
    "startup": "--startup",
    "level": "--sandbox",
    "memory": "--memory",
    "allowed": "--allow",
    "jobs": "--jobs",
    "html": "--html",
    "transcript": "--transcript",
    "verbose": "--verbose",
}
FOR_GAMES: Final = {"seats": "--seats", "chosen": "--option", "matches": "--matches", "judge": "--judge"}
"""Options that make sense only with bots, and only without, by the names of their parameters."""


@click.command("check")
@click.argument("bots", nargs=-1, metavar="[BOT...]", type=click.Path())
@click.option(
    "--game",
    type=GameType(),
    help="Only this game.  [default: all that the bot plays]  Without a bot: the game that is checked.",
)
@click.option(
    "--seats",
    type=click.IntRange(2, MOST_SEATS),
    help="Without a bot: only this number of seats.  [default: all]",
)
@click.option(
    "--option",
    "chosen",
    multiple=True,
    metavar="KEY=VALUE",
    help="Without a bot: with this option of the game.  [default: each option at one or two values]",
)
@click.option(
    "--matches",
    type=click.IntRange(1, 1000),
    help="Without a bot: matches by random play for each number of seats and option.  [default: 2]",
)
@click.option(
    "--judge",
    metavar="MODULE:FUNCTION",
    help="Without a bot: a second telling of the rules, with which the game is compared "
    "(arena/laws/second.py).",
)
@limits_options
@sandbox_options
@click.option(
    "--budget",
    type=DurationType(),
    help="Time for a bot; after it, steps that only cost time are left out.  "
    "[default: 30s for each of several]  Without a bot: time for a law at a number of seats.  "
    "[default: 60s]",
)
@click.option(
    "--jobs",
    type=click.IntRange(1, 1024),
    help="Bots checked at a time; each has a core to itself, as in a tournament, so that its times are its "
    "own.  [default: one per core]",
)
@click.option(
    "--html",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Write a page for each bot to DIR, for its author, and index.html for you.",
)
@file_option("--transcript", "Write the dialogue of a match here: the first that failed, else the first.")
@click.option("--verbose", is_flag=True, help="Print a line for every step.")
@json_option
@click.pass_context
def command(
    context: click.Context,
    bots: tuple[str, ...],
    game: Game | None,
    seats: int | None,
    chosen: tuple[str, ...],
    matches: int | None,
    judge: str | None,
    limits: Limits,
    walls: Walls,
    budget: int | None,
    jobs: int | None,
    html: Path | None,
    transcript: Path | None,
    verbose: bool,
    as_json: bool,
) -> int:
    """Play with a bot by itself, and say what is wrong with it and how to mend it. Exits with 1 if something
    is wrong. Several bots get one line each as they are done; if one cannot be found, the others are checked
    all the same, and the exit status is 2.

    Without a bot, check the rules of the game that --game names: play it at random, and say which of the laws
    that every game keeps it breaks.

    If a bot does not answer in time, the check waits twice as long again, 20 s at most, to tell a slow bot
    from one that hangs.

    \b
    arena check mybot.py --game sticheln --transcript dialogue.txt
    arena check bots/* --html pages               # a class: a page for each author
    arena check --game mygame --seats 4           # a game that you wrote
    """
    sandbox, sandbox_line = walls.settled()
    if not bots:
        _refuse_given(context, FOR_BOTS, "without a bot the rules of a game are checked")
        return _check_game(game, seats, chosen, matches, budget, judge, as_json)
    _refuse_given(context, FOR_GAMES, "the rules of a game are checked without bots")
    if transcript is not None and len(bots) > 1:
        raise UserError("--transcript is for one bot at a time")
    games = (game,) if game else tuple(GAMES.values())
    seconds = (budget or BUDGET_MS) / 1000 if budget or len(bots) > 1 else None
    tasks, wrong = _tasks(bots, games, limits, sandbox, seconds)
    if not tasks:
        return _refuse(wrong)
    if html is not None:
        _make_folder(html)
    say(sandbox_line)
    for line in wrong:
        say(f"arena: {line}")
    results = _checked(tasks, jobs, rows=not as_json) if len(bots) > 1 else [_checked_alone(tasks[0])]
    found = [result for result in results if isinstance(result, Checked)]
    if transcript is not None:
        text = "".join(f"{line}\n" for line in found[0].transcript)
        write_file("--transcript", transcript, text.encode())
    if html is not None:
        _write_pages(html, tasks, results)
    if as_json:
        print_json([_as_json(result) for result in found])
    elif len(bots) == 1:
        _print_in_full(found[0], verbose)
    if wrong or len(found) < len(tasks):
        return USER_ERROR
    return DONE if all(result.passed for result in found) else NO


def _refuse_given(context: click.Context, names: Mapping[str, str], why: str) -> None:
    """Raises UserError if one of these options was given."""
    for name, flag in names.items():
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise UserError(f"{flag} cannot be used here: {why}")


def _check_game(
    game: Game | None,
    seats: int | None,
    chosen: tuple[str, ...],
    matches: int | None,
    budget: int | None,
    judge: str | None,
    as_json: bool,
) -> int:
    """Look for the laws in a game. Raises UserError if none was named."""
    # Imported here because most checks are of bots.
    from arena.cli.laws import MATCHES, SECONDS, check_game

    if game is None:
        raise UserError(
            "what is to be checked? `arena check BOT...` checks bots, `arena check --game ID` a game"
        )
    options = variant_of(game, chosen) if chosen else None
    seconds = budget / 1000 if budget else SECONDS
    return check_game(game, seats, options, matches or MATCHES, seconds, judge, as_json)


def _tasks(
    words: Sequence[str], games: tuple[Game, ...], limits: Limits, sandbox: Sandbox, budget: float | None
) -> tuple[list[Task], list[str]]:
    """A task for each word that names a bot, and an error message for each other word. Raises UserError
    instead if there is only one word."""
    tasks, wrong = [], []
    for word in words:
        try:
            bot, name, played = _find(word, games, sandbox)
        except UserError as error:
            if len(words) == 1:
                raise
            wrong.append(caption(str(error), 1000))
            continue
        if bot is None:
            say(f"{shell_word(word)}: passed over, not a bot ({name})")
        else:
            tasks.append(Task(bot, name, tuple(game.id for game in played), limits, sandbox, budget))
    return tasks, wrong


def _refuse(wrong: Sequence[str]) -> int:
    """Raises UserError with the last of these errors, and prints the others."""
    if not wrong:
        raise UserError("there is no bot among these")
    for line in wrong[:-1]:
        say(f"arena: {line}")
    raise UserError(wrong[-1])


def _make_folder(folder: Path) -> None:
    """Made before the checks, so that an error costs no time. Raises UserError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"--html {folder}: {error.strerror}") from None


def _write_pages(folder: Path, tasks: Sequence[Task], results: Sequence[Checked | NotChecked]) -> None:
    # Imported here because the templates are slow to load.
    from arena.report.checks import write_checks

    click.echo(write_checks(folder, tasks, results), err=True)


def _checked_alone(task: Task) -> Checked:
    games = [registry.game(game) for game in task.games]
    on_step = _progress(task.name)
    budget = float("inf") if task.budget is None else task.budget
    return trio.run(check, task.bot, task.name, games, task.limits, task.sandbox, on_step, budget)


def _checked(tasks: Sequence[Task], jobs: int | None, *, rows: bool) -> list[Checked | NotChecked]:
    """The results in the order of the tasks. `rows` prints a line for each bot as it is done."""
    results: dict[int, Checked | NotChecked] = {}
    board = Board(tasks, rows)

    def on_done(number: int, result: Checked | NotChecked) -> None:
        results[number] = result
        board.on_done(number, result)

    with playing(None, jobs, say) as how:
        trio.run(check_all, tasks, how.workers, how.cores, board.on_step, on_done)
    board.close(list(results.values()))
    return [results[number] for number in range(len(tasks))]


class Board:
    """Prints a row for each bot that is done, and in a terminal a line about the others below them."""

    def __init__(self, tasks: Sequence[Task], rows: bool) -> None:
        self._tasks = tasks
        self._rows = rows
        self._begun_at = time.monotonic()
        self._steps: dict[int, str] = {}
        self._done = 0
        self._name_cells = max(cell_len(task.name) for task in tasks)

    def on_step(self, number: int, step: str) -> None:
        """A bot, by the number of its task, has come to a step."""
        self._steps[number] = step
        self._show_rest()

    def on_done(self, number: int, result: Checked | NotChecked) -> None:
        """A bot, by the number of its task, is done."""
        self._done += 1
        self._steps.pop(number, None)
        clear_status()
        if self._rows:
            total = len(self._tasks)
            name = set_cell_size(self._tasks[number].name, self._name_cells)
            line = f"{self._done:>{len(str(total))}} of {total}  {name}  "
            print_hanging(f"{line}{_row(result)}", stdout(), 6 + 2 * len(str(total)))
        self._show_rest()

    def close(self, results: Sequence[Checked | NotChecked]) -> None:
        """Print the summary."""
        clear_status()
        found = [result for result in results if isinstance(result, Checked)]
        passed = sum(result.passed for result in found)
        parts = [f"{passed} passed", f"{len(found) - passed} failed"]
        if missing := len(results) - len(found):
            parts.append(f"{missing} not checked")
        say(f"{counted(len(results), 'bot')} in {duration(self._seconds)}: {', '.join(parts)}")

    @property
    def _seconds(self) -> float:
        return time.monotonic() - self._begun_at

    def _show_rest(self) -> None:
        """One line: how many are done, the time left, and the step of each bot that is being checked."""
        if not self._steps:
            return
        rest = len(self._tasks) - self._done
        left = f", {duration(self._seconds / self._done * rest)} left" if self._done else ""
        now = ", ".join(f"{self._tasks[number].name}: {step}" for number, step in self._steps.items())
        show_status(f"{self._done} of {len(self._tasks)}{left} · {now}")


def _row(result: Checked | NotChecked) -> str:
    """One bot's line: the steps passed, its pace, and its first failure."""
    if isinstance(result, NotChecked):
        return f"{'–':>5}  {'–':>7}  not checked: {result.why}"
    passed = len(result.of(Verdict.PASSED)) + len(result.of(Verdict.NOTED))
    pace = f"{milliseconds(result.pace.p99)} ms" if result.pace else "–"
    numbers = f"{passed:>2}/{len(result.findings):<2}  {pace:>7}"
    first = next(iter(result.of(Verdict.FAILED)), None)
    if first is not None:
        return f"{numbers}  {first.step}: {first.mend}"
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


def _find(
    word: str, games: tuple[Game, ...], sandbox: Sandbox
) -> tuple[Entrant | str | None, str, tuple[Game, ...]]:
    """The bot, or why it cannot be started; its name; the games of `games` that it plays or, if `games` are
    all of the arena's own, also those of packages that its bot.toml names. If the word is no bot: None, the
    reason, ()."""
    obstacle: LeftOut | None = None
    bots: list[tuple[Entrant, Game]] = []
    queue = list(games)
    for game in queue:
        found = find([word], game.id, sandbox)
        for _, reason in found.passed_over:
            return None, reason, ()
        bots += [(bot, game) for bot in found.entrants]
        obstacle = next(iter(found.left_out), obstacle)
        if obstacle is not None and not obstacle.plays:
            break
        if obstacle is not None and len(games) == len(GAMES):
            queued = {game.id for game in queue}
            queue += [
                registry.game(id) for id in obstacle.plays if id not in queued and registry.is_known(id)
            ]
    if bots:
        bot, _ = bots[0]
        return bot, bot.name, tuple(game for _, game in bots)
    assert obstacle is not None
    return obstacle.reason, obstacle.name, games


def _progress(name: str) -> Callable[[str], None]:
    """A callback that shows the step that begins."""
    return lambda step: show_status(f"{name}: {step} …")


def _as_json(checked: Checked) -> dict[str, Any]:
    return {
        "bot": checked.bot,
        "passed": checked.passed,
        "pace": msgspec.to_builtins(checked.pace),
        "steps": msgspec.to_builtins(checked.findings),
    }
