"""The lines of SPEC.md that a bot can be fed, and what it promises to bots that search for text."""

import json
import re
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from arena.games import GAMES
from arena.games.game import Game
from arena.log.transcript import transcript
from protocol.codec import decode_from_bot, decode_from_referee, encode
from protocol.messages import End, Hello, Ready, Reply, Request
from tests.cli.calls import arena
from tests.spec import lines
from tests.spec.processes import PATIENCE_SECONDS, PYTHON, command, shortest
from tests.spec.text import ROOT, TEXT, blocks, every_game, fields, first_cells, listing, section
from tests.support.logs import chance_log
from tests.support.samples import BOTS

LINES: Final = [block.removesuffix("\n") for block in blocks("line")]


def test_they_are_what_the_code_makes() -> None:
    assert lines.lines() == LINES, "run tests/spec/lines.py, which writes them anew"
    assert arena("docs", "lines").out.splitlines() == LINES


HOLDS: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "The opening of a deal": lambda message, view: len(message["legal"]) == 15 and view["pain"] == [],
    "A trick that nobody took": lambda message, view: view["tricks"][-1]["taker"] is None,
    "A later deal": lambda message, view: (
        [event["event"] for event in message["events"]][-2:] == ["scored", "dealt"] and any(view["points"])
    ),
    "with a target of 20 points": lambda message, view: message["options"] == {"target": 20},
    "The target is also in `view`": lambda message, view: view["target"] == 20,
    "Your turn in a trick": lambda message, view: len(view["trick"]) == 2,
    "You lead": lambda message, view: view["trick"] == [] and len(message["legal"]) > 10,
    "Green was led": lambda message, view: message["legal"] == ["G1"] and view["trick"][0][0] == "G",
    "The opening: Y1": lambda message, view: (
        (view["phase"], view["table"]) == ("opening", "Y1") and "chip" not in message["legal"]
    ),
    "A typical turn": lambda message, view: (
        view["phase"] == "turn" and len(message["legal"]) > 1 and message["legal"][-1] == "chip"
    ),
    "A series that cannot continue": lambda message, view: (
        (view["phase"], message["legal"]) == ("series", ["chip"])
    ),
    "You lost the first deal": lambda message, view: (
        (message["legal"], view["top"], view["table"]) == (["red", "yellow"], None, None)
    ),
    "with `forced_play`": lambda message, view: message["options"] == {"forced_play": True},
    "A turn in which a card can be played": lambda message, view: message["legal"] == ["B8", "Y8"],
}
"""Words of the text, and what must hold for the line behind them and its view."""


@pytest.mark.parametrize("words", HOLDS)
def test_a_line_holds_what_the_text_says_of_it(words: str) -> None:
    _, _, behind = section("## Lines to feed").partition(words)
    message = json.loads(behind.split("```line\n")[1].partition("\n")[0])
    assert HOLDS[words](message, message.get("view"))


def test_they_are_what_one_process_may_read() -> None:
    messages = [decode_from_referee(line.encode()) for line in LINES]
    assert [message.id for message in messages if isinstance(message, Request)] == list(range(1, 13))
    assert [isinstance(message, Hello) for message in messages].count(True) == 5
    for before, message, line in zip([None, *messages], messages, LINES, strict=False):
        assert isinstance(message, Hello) == (before is None or isinstance(before, End))
        assert encode(message) == line.encode() + b"\n"


def test_they_can_be_cut_out_of_the_text_without_the_arena() -> None:
    (command_line,) = re.findall(r"`(grep [^`]*) > lines\.jsonl`", TEXT)
    cut = subprocess.run(["sh", "-c", command_line], cwd=ROOT, capture_output=True, text=True, check=True)
    assert cut.stdout == "".join(line + "\n" for line in LINES)


def bots(folder: Path) -> dict[str, tuple[str, ...]]:
    (folder / "shell.sh").write_text(listing("sh", "case"), "utf-8")
    listed = {"first": (*PYTHON, str(shortest(folder))), "shell": ("sh", str(folder / "shell.sh"))}
    return listed | dict.fromkeys(BOTS, ())


@pytest.mark.parametrize("name", ["first", "shell", *BOTS])
def test_a_correct_bot_answers_all_of_them(name: str, tmp_path: Path) -> None:
    run = subprocess.run(
        bots(tmp_path)[name] or command(name),
        input="".join(f"{line}\n" for line in LINES).encode(),
        capture_output=True,
        timeout=PATIENCE_SECONDS,
        check=True,
    )
    answers = [decode_from_bot(line) for line in run.stdout.splitlines()]
    due = [message for line in LINES if not isinstance(message := decode_from_referee(line.encode()), End)]
    for message, answer in zip(due, answers, strict=True):
        if isinstance(message, Hello):
            assert isinstance(answer, Ready)
        else:
            assert isinstance(answer, Reply)
            assert isinstance(message, Request)
            assert (answer.id, answer.action in message.legal) == (message.id, True)


def value_behind(line: str, key: str, *, last: bool = False) -> Any:
    """What stands behind the first or the last `"KEY":` of a line, found as text."""
    opening = f'"{key}":'
    at = line.rindex(opening) if last else line.index(opening)
    return json.JSONDecoder().raw_decode(line, at + len(opening))[0]


@every_game
@pytest.mark.parametrize("which", [0, -1], ids=["fewest", "most"])
def test_what_searching_bots_are_promised_holds(game: Game, which: int) -> None:
    """In every line of a match that is played by chance, the keys as the tables name them."""
    log = chance_log(game.id, game.seats[which], 2, text="why", faulty=1)
    keys = fields(game.views)
    told = [line for seat in range(game.seats[which]) for line in transcript(log, seat)]
    seen = set()
    for line in (sent.line.decode() for sent in told):
        message = json.loads(line)
        kind = message["type"]
        seen.add(kind)
        assert re.match(rf'{{"type":"{kind}"', line)
        assert all(not set('", :[]{}') & set(text) for text in texts(message))
        assert all(re.fullmatch("[a-z_]+", key) for key in keys_of(message))
        assert not any(None in items for items in lists_of(message))
        if kind == "hello":
            for key in first_cells(section("### `hello`")):
                assert value_behind(line, key) == message[key]
        elif kind == "request":
            for key in ("id", "decision", "legal", "events", "view", "ms"):
                assert line.count(f'"{key}":') == 1
                assert value_behind(line, key) == message[key]
            before, _, view = line.partition('"view":{')
            for key in keys:
                assert value_behind(view, key) == message["view"][key]
            listed = before[before.index('"events":[') + len('"events":[') :].removesuffix("],")
            events = [part for part in re.split(r'(?={"event":")', listed) if part]
            assert [json.loads(part.removesuffix(",")) for part in events] == message["events"]
        else:
            for key in ("points", "placings", "termination"):
                assert value_behind(line, key, last=True) == message[key]
    assert seen == {"hello", "request", "end"}


def keys_of(value: Any) -> list[str]:
    """All keys in a message, but for those of options and suits, which are texts of the game."""
    if isinstance(value, list):
        return [key for item in value for key in keys_of(item)]
    if not isinstance(value, dict):
        return []
    deeper = [key for name, item in value.items() if name != "suits" for key in keys_of(item)]
    return [*value, *deeper]


def lists_of(value: Any) -> list[list[Any]]:
    """All lists in a message."""
    if isinstance(value, dict):
        return [found for item in value.values() for found in lists_of(item)]
    if isinstance(value, list):
        return [value, *(found for item in value for found in lists_of(item))]
    return []


def texts(value: Any) -> list[str]:
    """All texts and keys in a message."""
    if isinstance(value, dict):
        return [text for key, item in value.items() for text in (key, *texts(item))]
    if isinstance(value, list):
        return [text for item in value for text in texts(item)]
    return [value] if isinstance(value, str) else []


def test_every_number_is_in_the_range_that_is_promised() -> None:
    for game in GAMES.values():
        log = chance_log(game.id, game.seats[-1], 2, text="why", faulty=1)
        for sent in transcript(log, 0):
            numbers = re.findall(rb"(?<=[:\[,])-?\d+", sent.line)
            assert all(-(2**31) <= int(number) < 2**31 for number in numbers)
            assert msgspec.json.decode(sent.line)
