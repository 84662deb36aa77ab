"""`arena check --game` without a bot: shows which laws a game keeps."""

import time
from typing import Any

import msgspec

from arena.cli import DONE, NO
from arena.cli.output import clear_status, print_hanging, print_json, say, show_status, stdout
from arena.commands.laws import CheckGame, CheckGameResult
from arena.laws.apart import LawStarted
from arena.laws.judge import LABEL_WIDTH, LawResult, lines
from arena.system.text import escaped
from arena.system.wording import counted, duration


def show_checked(call: CheckGame, *, as_json: bool) -> int:
    """Check every law in a game, print the results, and return the exit code."""
    found: list[LawResult] = []
    begun_at = time.monotonic()

    def on_begun(begun: LawStarted, laws: int) -> None:
        left = (time.monotonic() - begun_at) / len(found) * (laws - len(found)) if found else None
        rest = f", {duration(left)} left" if left is not None else ""
        show_status(f"{len(found)} of {laws}{rest} · {begun.law}: {begun.variant}")

    def on_judged(judged: LawResult) -> None:
        found.append(judged)
        clear_status()
        if not as_json:
            for line in lines(judged):
                print_hanging(escaped(line), stdout(), LABEL_WIDTH)

    try:
        game = call.carry_out(say, on_begun, on_judged)
    finally:
        clear_status()
    if as_json:
        print_json(as_data(game))
    else:
        where = f"in {counted(game.variants, 'variant')}, {counted(game.matches, 'match')} each"
        kept = (
            f"{len(game.broken)} of {len(game.laws)} laws broken"
            if game.broken
            else f"{counted(len(game.laws), 'law')} kept"
        )
        stdout().print(f"{game.game}: {kept} {where}", soft_wrap=True)
    return NO if game.broken else DONE


def as_data(game: CheckGameResult) -> dict[str, Any]:
    """The laws of a game for --json."""
    return {
        "game": game.game,
        "package": msgspec.to_builtins(game.package),
        "kept": not game.broken,
        "laws": msgspec.to_builtins(game.laws),
    }
