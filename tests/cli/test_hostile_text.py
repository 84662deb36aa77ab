"""Bots that call themselves something nasty, and logs that were made to look so: harmless wherever their text
comes out.
"""

import json
import re
import unicodedata
from pathlib import Path

import pytest

from arena.system.text import caption, shell_word, visible
from tests.cli.calls import Call, arena
from tests.support.nasty import nasty
from tests.support.programs import Program

BRIEF = ("--rounds", 1, "--deals", 1, "--no-duplicates")
NASTY = {
    "markup": "[/red][bold]x[/nope]",
    "escape": "\x1b]0;owned\x07\x1b[2Jx",
    "script": "<script>alert(1)</script>",
    "override": "abc\u202edcba\u2066",
    "long": "n" * 10_000,
    "lines": "one\ntwo\r\nthree\u2028four",
    "controls": "a\x00b\x08c\x7fd\x9be",
    "blank": " \t ",
}


def harmless(text: str) -> bool:
    """No control or format character but the line breaks that we print."""
    return not any(
        unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp") for char in text if char != "\n"
    )


@pytest.mark.parametrize("name", NASTY)
def test_a_caption_is_one_harmless_line(name: str) -> None:
    cleaned = caption(NASTY[name], 32)
    assert len(cleaned) <= 32
    assert harmless(cleaned)
    assert "\n" not in cleaned


def test_no_letter_carries_a_tower_of_marks() -> None:
    tower = "\u0301\u20dd\u0489" * 60
    assert caption(f"a{tower}b e\u0302\u0323") == f"a{tower[:3]}b e\u0302\u0323"
    assert caption(f"{tower} {tower}x") == "x"
    shown = visible(f"a{tower}\nok\n".encode(), 1000)
    assert shown.startswith(f"a{tower[:3]}\\u0301\\u20dd")
    assert shown.endswith("\nok\n")
    assert shell_word(f"a{tower}").isascii()
    assert shell_word("größer\u0301") == "'größer\u0301'"


def test_what_was_written_is_shown_and_not_done() -> None:
    assert visible(b"ok\n\x1b[2J \xff \xe2\x80\xae", 100) == "ok\n\\x1b[2J \\xff \\u202e"
    assert visible("größer".encode(), 100) == "größer"
    assert visible(b"x" * 100, 10) == "x" * 10


@pytest.mark.parametrize(
    "names",
    [
        ("markup", "escape", "script"),
        pytest.param(("override", "long", "lines"), marks=pytest.mark.thorough),
        pytest.param(("controls", "blank", "lines"), marks=pytest.mark.thorough),
    ],
)
def test_nothing_that_a_bot_says_reaches_a_screen_as_it_is(names: tuple[str, ...], tmp_path: Path) -> None:
    for at, name in enumerate(names):
        (tmp_path / f"bot-{at}.py").write_text(nasty(NASTY[name]).source())
    bots = sorted(tmp_path.glob("*.py"))
    log = tmp_path / "log.jsonl"
    match = arena("match", *bots, "--deals", 1, "--log", log)
    calls: list[Call] = [
        match,
        arena("match", *bots, "--deals", 1, "--json"),
        arena("replay", log, "--notes"),
        arena("replay", log, "--json"),
        arena("replay", "--verify", log),
        arena("tournament", *bots, "--seats", 3, *BRIEF, "--out", tmp_path / "run"),
        arena("standings", tmp_path / "run"),
    ]
    for call in calls:
        assert call.status == 0, call.err
        assert harmless(call.out)
        assert harmless(call.err)
    assert harmless(log.read_text())
    assert len(re.findall(r"bot-\d +malformed", match.out)) == 3


def test_a_log_from_a_stranger_is_cleaned_at_the_door(tmp_path: Path) -> None:
    for at in range(3):
        (tmp_path / f"bot-{at}.py").write_text(Program(asked="if m['id'] == 5: sys.exit(1)").source())
    log = tmp_path / "log.jsonl"
    assert arena("match", *sorted(tmp_path.glob("*.py")), "--deals", 1, "--log", log).status == 0
    poison = json.dumps("\x1b[2J\u202e[/nope]")[1:-1]
    text = log.read_text().replace('"bot-0"', f'"{poison}"').replace('"detail":"', f'"detail":"{poison}')
    log.write_text(text.replace('"match_id":"match"', f'"match_id":"{poison}"'))
    for call in (arena("replay", log), arena("replay", log, "--json")):
        assert call.status == 0, call.err
        assert harmless(call.out)
        assert "[/nope]" in call.out
    log.write_text(log.read_text().replace('"game":"sticheln"', f'"game":"{poison}"'))
    refused = arena("replay", log)
    assert refused.status == 2
    assert harmless(refused.err)
