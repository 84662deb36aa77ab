"""`arena replay` and `arena match --watch` in a terminal, and where there is none."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import cast

import msgspec
import pytest
import trio

from arena.cli import match
from arena.games import GAMES
from arena.playing.job import Job, Report, Void
from tests.cli.calls import arena
from tests.cli.terminals import Terminal
from tests.screens.show.logs import entries
from tests.support.playing import bots, nobody_left, somebody_plays
from tests.support.programs import Program

__all__ = ["bots"]


def logged(folder: Path, game: str = "sticheln", names: tuple[str, ...] = ("ada", "bob", "cy")) -> Path:
    path = folder / "log.jsonl"
    lines = (msgspec.json.encode(entry) + b"\n" for entry in entries(game, 3, names=names))
    path.write_bytes(b"".join(lines))
    return path


@pytest.mark.parametrize("game", GAMES)
def test_a_log_is_stepped_through_by_keys(game: str, tmp_path: Path) -> None:
    with Terminal("replay", logged(tmp_path, game), folder=tmp_path) as terminal:
        assert "deal 1 of 2" in terminal.until("step 1 of")
        terminal.press("\x1b[C")
        terminal.until("step 2 of")
        terminal.press("\x1b[6~")
        terminal.until("deal 2 of 2")
        terminal.press("1")
        terminal.until("as seat 1 saw it")
        terminal.press("?")
        for other in ("\x1b", "\x1bOP", " "):
            terminal.until("any key to go back")
            terminal.press(other)
            terminal.until("step [0-9]+ of")
            terminal.press("?")
        terminal.until("any key to go back")
        terminal.press(" g1\r")
        terminal.until("deal 1 of 2")
        terminal.press("\x1b[F")
        terminal.until("the end: 1. ")
        terminal.press("q")
        assert terminal.end() == 0


def test_where_to_begin_and_as_whom(tmp_path: Path) -> None:
    with Terminal("replay", logged(tmp_path), "--deal", 2, "--seat", 2, folder=tmp_path) as terminal:
        shown = terminal.until("hand of cy")
        assert "deal 2 of 2" in shown
        assert "as seat 2 saw it" in shown


def test_it_is_printed_where_it_is_asked_for_or_can_only_be_printed(tmp_path: Path) -> None:
    path = logged(tmp_path)
    with Terminal("replay", path, "--print", folder=tmp_path) as terminal:
        assert terminal.end() == 0
        printed = terminal.screen
        assert terminal.screens == 0
    with Terminal("replay", path, folder=tmp_path, env={"TERM": "dumb"}) as terminal:
        assert terminal.end() == 0
        assert terminal.screen == printed
    assert arena("replay", path).out == printed


def test_a_small_terminal_that_grows(tmp_path: Path) -> None:
    with Terminal("replay", logged(tmp_path), folder=tmp_path, lines=5, width=30) as terminal:
        terminal.until("step 1 of")
        terminal.resize(24, 80)
        assert terminal.next().count("\n") == 23


def test_the_story_stands_beside_the_table_where_there_is_room(tmp_path: Path) -> None:
    with Terminal("replay", logged(tmp_path), folder=tmp_path, width=119) as terminal:
        terminal.until("step 1 of")
        terminal.press("\x1b[6~")
        assert "│" not in terminal.until("deal 2 of 2")
        terminal.resize(24, 120)
        lines = terminal.next().split("\n")
        assert [len(line) for line in lines] == [120] * 24
        assert all(line[80:83] == " │ " for line in lines[1:-1])
        beside = [line[83:].strip() for line in lines[1:-1]]
        assert "deal 2 — bob begins" in beside
        assert any(re.search(r"\b1 +bob ", line[:80]) for line in lines)


def test_the_live_table_says_how_many_bots_it_does_not_show(bots: list[str], tmp_path: Path) -> None:
    copies = [f"bot-{number}={bots[0]}" for number in range(30)]
    with Terminal("tournament", *copies, "--game", "ole", "--deals", 1, folder=tmp_path) as terminal:
        terminal.wait_for(r"… \d+ more")
        last = re.search(r"rank((?:(?!rank).)*)… (\d+) more", terminal.screen, re.DOTALL)
        assert last is not None
        assert last[1].count("bot-") + int(last[2]) == 30


def test_a_log_that_is_not_true_is_not_shown(tmp_path: Path) -> None:
    path = logged(tmp_path)
    path.write_text(path.read_text().replace('"pod_key":"', '"pod_key":"another'))
    with Terminal("replay", path, folder=tmp_path) as terminal:
        assert terminal.end() == 2
        assert ", got " in terminal.screen
        assert terminal.screens == 0


def test_names_do_nothing_to_the_screen(tmp_path: Path) -> None:
    names = ("\x1b]0;owned\x07", "[/nope]", "<script>\u202e" + "x" * 200)
    with Terminal("replay", logged(tmp_path, names=names), folder=tmp_path) as terminal:
        assert "[/nope]" in terminal.until("step 1 of")
        terminal.press("\x1b[Fq")
        assert terminal.end() == 0
        assert b"owned\x07" not in terminal.received
        assert "\u202e".encode() not in terminal.received


@pytest.mark.thorough  # 2 s of processor.
def test_a_match_is_seen_as_it_is_played(bots: list[str], tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    words = ("match", *bots, "--watch", "--pause", "50ms", "--deals", 1, "--log", log)
    with Terminal(*words, folder=tmp_path) as terminal:
        terminal.until("step 3 of .* running")
        terminal.press(" ")
        terminal.until("stopped")
        terminal.press(" ")
        terminal.until("the end: 1. ")
        terminal.press("\x1b[H")
        terminal.until("step 1 of")
        terminal.press("q")
        assert terminal.end() == 0
        assert re.search("place +bot +seat", terminal.screen)
    assert arena("replay", "--verify", log).status == 0


def test_whoever_has_seen_enough_still_gets_the_result(bots: list[str], tmp_path: Path) -> None:
    with Terminal("match", *bots, "--watch", "--pause", "10s", folder=tmp_path) as terminal:
        terminal.until("step 1 of")
        terminal.press("q")
        assert terminal.end() == 0
        assert re.search("place +bot +seat", terminal.screen)


def test_ctrl_c_while_watching_ends_the_match(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = tmp_path / "bots"
    folder.mkdir()
    (folder / "slow.py").write_text(Program(asked="time.sleep(300)").source())
    with Terminal("match", folder / "slow.py", "--time", "400s", "--watch", folder=tmp_path) as terminal:
        terminal.until("being played")
        somebody_plays(tmp_path)
        terminal.press("\x03")
        assert terminal.end() == 130
    nobody_left(tmp_path)


async def test_a_void_match_is_not_watched_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    async def play_all(jobs: list[Job], _: int, done: Callable[[Report], None], on_line: object) -> None:
        done(Void("match", "our bug"))

    monkeypatch.setattr(match, "play_all", play_all)
    reports: list[Report] = []
    with trio.fail_after(5):
        await match.watch(0.1, cast(Job, None), reports.append)
    assert reports == [Void("match", "our bug")]


def test_without_a_terminal_nobody_can_watch(bots: list[str]) -> None:
    call = arena("match", *bots, "--watch")
    assert call.status == 2
    assert call.err.startswith("arena: --watch needs a terminal")
