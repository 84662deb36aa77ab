"""A person at a seat, by keys alone: whole matches, hints, and the ways to leave."""

import json
import re
import signal
from collections.abc import Mapping
from pathlib import Path

import pytest

from arena.games import GAMES
from arena.log.entries import Acted, Faulted, MatchClosed
from arena.log.transcript import transcript
from protocol.messages import Limits
from tests.cli.calls import ROOT, arena
from tests.cli.terminals import Terminal
from tests.support.playing import bots, nobody_left, play_to_the_end, verified
from tests.support.programs import Program

__all__ = ["bots"]

CAREFUL = ROOT / "bots" / "careful.py"


def sit(tmp_path: Path, bots: list[str], *words: object, env: Mapping[str, str] | None = None) -> Terminal:
    log = ("--log", tmp_path / "log.jsonl", "--seed", 7)
    return Terminal("play", *bots, *log, *words, folder=tmp_path, env=env)


@pytest.mark.parametrize(
    ("game", "deals"), [("ole", 1), *(pytest.param(game, 2, marks=pytest.mark.thorough) for game in GAMES)]
)
def test_a_whole_match_by_keys_alone(game: str, deals: int, bots: list[str], tmp_path: Path) -> None:
    with sit(tmp_path, bots, "--game", game, "--deals", deals, "--seat", 2) as terminal:
        chosen = play_to_the_end(terminal)
        assert "1. " in terminal.screen
        terminal.press("\r")
        assert terminal.end() == 0
        assert f"  {GAMES[game].counts}" in terminal.screen
        assert "arena replay" in terminal.screen
    log = verified(tmp_path)
    assert [entrant.name for entrant in log.opened.entrants] == ["ada", "bob", "person", "cy"]
    actions = [entry.action for entry in log.entries if isinstance(entry, Acted) and entry.seat == 2]
    assert actions == chosen
    assert not any(isinstance(entry, Faulted) for entry in log.entries)
    limits = [json.loads(next(transcript(log, seat)).line)["limits"]["decision_ms"] for seat in range(4)]
    assert limits == [1000, 1000, 86_400_000, 1000], "nobody hurries a person"
    nobody_left(tmp_path)


def test_whoever_leaves_forfeits_and_the_match_goes_on(bots: list[str], tmp_path: Path) -> None:
    with sit(tmp_path, bots, "--game", "ole") as terminal:
        terminal.until("choose")
        terminal.press("\x03")
        terminal.until("Leave?")
        terminal.press("n")
        terminal.until("choose")
        terminal.press("\x03\x03")
        assert terminal.end() == 130
        assert "you have left" in terminal.screen
        assert re.search("person .*forfeited: exited", terminal.screen)
    log = verified(tmp_path)
    assert [entry.seat for entry in log.entries if isinstance(entry, Faulted)] == [0]
    nobody_left(tmp_path)


def test_a_closed_terminal_leaves_nobody_and_a_whole_log(bots: list[str], tmp_path: Path) -> None:
    with sit(tmp_path, bots) as terminal:
        terminal.until("choose")
        terminal.press("aa")
        terminal.until("Play any card")
        terminal.close()
        assert terminal.process.wait(60) == 130
    log = verified(tmp_path)
    assert isinstance(log.entries[-1], MatchClosed)
    assert log.entries[-1].forfeits[0].seat == 0
    nobody_left(tmp_path)


@pytest.mark.thorough
@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("answers", [0, 1, 2, 3, 8, 20, 21])
def test_a_terminal_closed_at_any_moment(game: str, answers: int, bots: list[str], tmp_path: Path) -> None:
    with sit(tmp_path, bots, "--game", game) as terminal:
        play_to_the_end(terminal, answers)
        terminal.close()
        assert terminal.process.wait(60) == 130
    log = verified(tmp_path)
    # The last answer may have been on its way.
    assert sum(isinstance(e, Acted) and e.seat == 0 and e.id > 0 for e in log.entries) in (
        answers - 1,
        answers,
    )
    nobody_left(tmp_path)


@pytest.mark.thorough  # 1 s of processor; a closed terminal is one too.
@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM, signal.SIGINT])
def test_a_signal_is_like_leaving(number: signal.Signals, bots: list[str], tmp_path: Path) -> None:
    with sit(tmp_path, bots, "--deals", 1) as terminal:
        terminal.until("choose")
        terminal.process.send_signal(number)
        assert terminal.end() == 130
    verified(tmp_path)
    nobody_left(tmp_path)


@pytest.mark.thorough  # Half a minute of waiting.
def test_whoever_cannot_wait_for_the_end_drops_the_match(tmp_path: Path) -> None:
    folder = tmp_path / "bots"
    folder.mkdir()
    (folder / "slow.py").write_text(Program(asked="time.sleep(30)").source())
    with sit(tmp_path, [str(folder / "slow.py")], "--time", "60s", "--game", "ole") as terminal:
        terminal.until("the others play|choose")
        terminal.press("\x03\x03")
        terminal.until("you have left")
        terminal.press("\x03")
        assert terminal.end() == 130
    assert not (tmp_path / "log.jsonl").exists()
    nobody_left(tmp_path)


def test_a_hint_comes_from_a_bot_that_is_asked_the_same(bots: list[str], tmp_path: Path) -> None:
    with sit(tmp_path, bots, "--hint", CAREFUL) as terminal:
        terminal.until("choose")
        terminal.press("?")
        assert re.search(r"careful would choose \w+ \(costs \d+, one of \d+", terminal.until("would choose"))
        terminal.press("aa")
        terminal.until("Play any card")
        assert "would choose" not in terminal.screen, "that was for another decision"
        terminal.press("?")
        terminal.until(r"careful would choose \w+ \(worth")
        terminal.close()
    nobody_left(tmp_path)


def test_a_bot_that_fails_gives_no_hint_and_spoils_nothing(bots: list[str], tmp_path: Path) -> None:
    bad = tmp_path / "bots" / "bad.py"
    bad.write_text(Program(asked="answer = '\\x1b[2J[/nope]'").source())
    with sit(tmp_path, bots, "--hint", bad, "--game", "ole", "--deals", 1) as terminal:
        terminal.until("choose")
        terminal.press("?")
        terminal.until("no hint: bad failed")
        play_to_the_end(terminal)
        terminal.press("q")
        assert terminal.end() == 0
    verified(tmp_path)
    nobody_left(tmp_path)


def test_what_a_bot_says_does_nothing_to_the_screen(bots: list[str], tmp_path: Path) -> None:
    nasty = tmp_path / "bots" / "nasty.py"
    text = "\x1b]0;owned\x07\u202e[/nope]</script>"
    nasty.write_text(
        Program(asked=f"answer = answer[:-1] + ', \"note\": ' + json.dumps({text!r}) + '}}'").source()
    )
    with sit(tmp_path, bots, "--hint", nasty) as terminal:
        terminal.until("choose")
        terminal.press("?")
        assert "[/nope]</script>" in terminal.until("would choose")
        terminal.press("\x03\x03")
        terminal.end()
    assert b"owned\x07" not in terminal.received
    assert "\u202e".encode() not in terminal.received


def test_pages_beside_the_table(bots: list[str], tmp_path: Path) -> None:
    with sit(tmp_path, bots) as terminal:
        terminal.until("choose")
        terminal.press("H")
        assert "forfeit" in terminal.until("keys")
        terminal.press("\x1b")
        terminal.until("choose")
        terminal.press("\t")
        terminal.until("so far")
        terminal.press("\t")
        terminal.until("choose")
        terminal.press("\x1b[C")
        first = re.search(r"enter: (\w+) ", terminal.until(r"enter: \w+ "))
        assert first
        terminal.press("\x1b[C")
        terminal.until(rf"enter: (?!{first[1]} )")
        terminal.press("\x1b[D")
        terminal.until(first[0])


@pytest.mark.thorough  # 1 s of processor.
def test_whoever_wants_a_clock_sees_it(bots: list[str], tmp_path: Path) -> None:
    with sit(tmp_path, bots, "--own-time", "600s") as terminal:
        terminal.until("5\\d\\d s left")
        terminal.press("\x03\x03")
        terminal.end()
    assert verified(tmp_path).opened.entrants[0].limits == Limits(decision_ms=600_000, bank_ms=0)


def test_without_colours_there_are_none(bots: list[str], tmp_path: Path) -> None:
    with sit(tmp_path, bots, env={"NO_COLOR": "1"}) as terminal:
        terminal.until("choose")
        assert not re.search(rb"\x1b\[[0-9;]*3[0-9]", terminal.received)


def test_without_a_terminal_nobody_can_play() -> None:
    call = arena("play", CAREFUL)
    assert call.status == 2
    assert "needs a terminal, or --web" in call.err


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--seat", 3), "--seat 3: the seats are 0 to 2"),
        (("--name", "house-1"), "names that begin with 'house-' belong to house bots"),
        (("--log", "no/where.jsonl"), "there is no folder"),
        (("--hint", "nobody.py"), "there is no such file"),
    ],
)
def test_mistakes_are_told_before_anything_begins(
    words: tuple[object, ...], complaint: str, bots: list[str], tmp_path: Path
) -> None:
    with Terminal("play", *bots[:2], *words, folder=tmp_path) as terminal:
        assert terminal.end() == 2
        assert complaint in terminal.screen
        assert terminal.screens == 0
