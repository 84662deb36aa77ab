"""What is read first: the head of SPEC.md, and the short form of `arena docs llms` that begins with it."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Final

import arena as library
from arena.games import GAMES
from arena.games.game import Game
from tests.cli.calls import ROOT, arena
from tests.plugins.installed import environment
from tests.spec.text import HEADINGS, TEXT, every_game, section

MOST_LINES: Final = 300
MOST_BYTES: Final = 20_000 * 4
"""20,000 tokens, of four characters each."""
HEAD: Final = TEXT.partition("\n## Reference\n")[0]
FENCED: Final = re.compile(r"^```\w*\n.*?^```$", re.MULTILINE | re.DOTALL)
LINK: Final = re.compile(r"\[([^]]*)\]\([^)]*\)")


def test_the_first_half_hour_is_short_and_complete() -> None:
    assert TEXT.partition("\n## Games\n")[0].count("\n") <= MOST_LINES
    for heading in ("A complete bot", "Messages", "Flush your output", "Time", "Faults", "Common mistakes"):
        assert f"\n## {heading}\n" in HEAD
    for message in ("hello", "request", "end", "ready", "reply"):
        assert f"\n### `{message}`\n" in HEAD
        assert f'"type":"{message}"' in HEAD.replace('"type": ', '"type":')


def test_nothing_is_said_twice() -> None:
    """In the running text: no ten words come again. A game's section may say what another game's says."""
    games = section("## Games")
    text = FENCED.sub("", TEXT.replace(games[games.index("\n### ") :], ""))
    lines = [line for line in text.splitlines() if not line.startswith(("|", "#", "<"))]
    words = LINK.sub(r"\1", "\n".join(lines)).split()
    runs = Counter(" ".join(words[at : at + 10]) for at in range(len(words) - 9))
    assert [run for run, times in runs.items() if times > 1] == []


@every_game
def test_the_short_form_has_one_game_and_fits_a_prompt(game: Game) -> None:
    short = arena("docs", "llms", "--game", game.id).out
    assert len(short.encode()) <= MOST_BYTES
    assert HEAD.strip() in short
    assert arena("games", game.id, "--rules").out.strip() in short
    related = {game.id, "sticheln"} if game.id == "sticheln-1993" else {game.id}
    assert {other for other in HEADINGS if f"\n`{other}`, by " in short} == related
    schema = json.loads(short.rpartition("```json\n")[2].removesuffix("\n```\n"))
    assert schema == json.loads(arena("games", game.id, "--schema").out)
    for command in ("check", "match", "replay", "review", "compare"):
        assert f"`arena {command} " in short


def test_the_short_form_is_of_sticheln_unless_a_game_is_named() -> None:
    short = arena("docs", "llms", "--short").out
    assert short == arena("docs", "LLMS.md", "--game", "sticheln").out
    assert short == library.docs("llms", short=True)
    assert len(short) < len(arena("docs", "llms").out) / 3


def test_a_game_of_a_package_has_a_short_form(tmp_path: Path) -> None:
    env = environment(tmp_path, "hearts", "take-five")
    short = arena("docs", "llms", "--game", "hearts", env=env).out
    assert len(short.encode()) <= MOST_BYTES
    assert (ROOT / "tests/plugins/hearts/src/arena_hearts/rules.md").read_text().strip() in short
    assert "use `--game hearts` with `arena check`" in short
    assert not any(f"\n`{other}`, by " in short for other in GAMES)
    without_text = arena("docs", "llms", "--game", "take-five", env=env).out
    assert "Its package provides no text of the rules." in without_text
    assert "#/$defs/take-five" in without_text
