"""`arena check`: what an author should know about a bot before anybody else does."""

import sys
from pathlib import Path
from typing import Any

import click
import msgspec
import trio

from arena.check.findings import Checked, Verdict
from arena.check.steps import check
from arena.check.telling import LABELLED, milliseconds, tell
from arena.cli import DONE, NO
from arena.cli.options import (
    GameType,
    bots_argument,
    file_option,
    json_option,
    limits_options,
    sandbox_options,
    write_file,
)
from arena.cli.output import Column, print_hanging, print_json, print_table, say, stdout
from arena.entrants import LeftOut, find
from arena.errors import UserError
from arena.games import GAMES
from arena.games.game import Game
from arena.job import Entrant
from arena.sandbox import Sandbox
from protocol.messages import Limits


@click.command("check")
@bots_argument
@click.option("--game", type=GameType(), help="Only this game.  [default: all that the bot plays]")
@limits_options
@sandbox_options
@file_option("--transcript", "Write the dialogue of a match here: the first that failed, else the first.")
@click.option("--verbose", is_flag=True, help="A line for every step.")
@json_option
def command(
    bots: tuple[str, ...],
    game: Game | None,
    limits: Limits,
    sandbox: Sandbox,
    sandbox_line: str,
    transcript: Path | None,
    verbose: bool,
    as_json: bool,
) -> int:
    """Play with a bot by itself, and say what is wrong with it and how to mend it. Exits with 1 if something
    is. With several bots there is one line for each.

    Example: arena check mybot.py --game sticheln --transcript dialogue.txt
    """
    if transcript is not None and len(bots) > 1:
        raise UserError("--transcript is for one bot at a time")
    games = (game,) if game else tuple(GAMES.values())
    results: list[Checked] = []
    for word in bots:
        bot, name, played = _found(word, games, sandbox)
        if bot is None:
            say(f"{word}: passed over, not a bot ({name})")
            continue
        results.append(trio.run(check, bot, name, played, limits, sandbox, _progress(name)))
    if not results:
        raise UserError("there is no bot among these")
    say(sandbox_line)
    if transcript is not None:
        text = "".join(f"{line}\n" for line in results[0].transcript)
        write_file("--transcript", transcript, text.encode())
    if as_json:
        print_json([_as_json(result) for result in results])
    elif len(results) == 1:
        commands = {line for finding in results[0].findings for line in finding.again.splitlines()}
        for line in tell(results[0], verbose):
            # What is to be copied stays in one piece.
            if line[LABELLED:] in commands:
                stdout().print(line, soft_wrap=True)
            else:
                print_hanging(line, stdout(), LABELLED)
    else:
        _print_summary(results)
    return DONE if all(result.passed for result in results) else NO


def _found(
    word: str, games: tuple[Game, ...], sandbox: Sandbox
) -> tuple[Entrant | str | None, str, tuple[Game, ...]]:
    """The bot, or what stands in its way; its name; the games among these that it plays. Or None, and why it
    cannot be a bot."""
    obstacle: LeftOut | None = None
    bots: list[tuple[Entrant, Game]] = []
    for game in games:
        found = find([word], game.id, sandbox)
        for _, reason in found.passed_over:
            return None, reason, ()
        bots += [(bot, game) for bot in found.entrants]
        obstacle = next(iter(found.left_out), obstacle)
        if obstacle is not None and not obstacle.plays:
            break
    if bots:
        bot, _ = bots[0]
        return bot, bot.name, tuple(game for _, game in bots)
    assert obstacle is not None
    return obstacle.reason, obstacle.name, games


def _progress(name: str) -> Any:
    """Where somebody is looking, what is being looked at."""
    if not sys.stderr.isatty():
        return lambda step: None
    return lambda step: click.echo(f"\r\x1b[K{name}: {step} …\r", err=True, nl=False)


def _as_json(checked: Checked) -> dict[str, Any]:
    return {
        "bot": checked.bot,
        "passed": checked.passed,
        "pace": msgspec.to_builtins(checked.pace),
        "steps": msgspec.to_builtins(checked.findings),
    }


def _print_summary(results: list[Checked]) -> None:
    columns = [Column("bot"), Column("steps", right=True), Column("99 % within", right=True, spare=1)]
    columns += [Column("first failure"), Column("how to mend it", folds=True)]
    rows = []
    for checked in results:
        first = next(iter(checked.of(Verdict.FAILED)), None)
        rows.append(
            (
                checked.bot,
                f"{len(checked.of(Verdict.PASSED)) + len(checked.of(Verdict.NOTED))}/{len(checked.findings)}",
                f"{milliseconds(checked.pace.p99)} ms" if checked.pace else "–",
                first.step if first else "",
                first.mend if first else "",
            )
        )
    print_table("Check", columns, rows, stdout())
