"""The example dialogue of SPEC.md, line by line."""

import subprocess
from pathlib import Path

import msgspec

from arena.games import GAMES
from protocol.codec import decode_from_bot, decode_from_referee, encode
from protocol.messages import Request
from tests.spec import dialogue
from tests.spec.processes import PATIENCE_SECONDS, PYTHON, shortest
from tests.spec.text import blocks


def test_the_dialogue_is_what_the_code_makes() -> None:
    assert blocks("dialogue") == [dialogue.block()], "run tests/spec/dialogue.py, which writes it anew"


def test_every_line_of_json_is_what_the_code_would_write() -> None:
    game = GAMES["sticheln"]
    encoder = msgspec.json.Encoder()
    for line in dialogue.dialogue():
        side, text = line[:3], line[3:].encode()
        if side == "-> ":
            assert decode_from_bot(text)
            continue
        message = decode_from_referee(text)
        assert encode(message) == text + b"\n"
        if isinstance(message, Request):
            assert encoder.encode(msgspec.convert(message.view, game.views)) == encoder.encode(message.view)
    for line in blocks("json")[0].splitlines():
        assert encoder.encode(msgspec.json.decode(line, type=game.events)).decode() == line
        assert line in blocks("dialogue")[0], "examples are taken from the dialogue"


def test_the_shortest_bot_answers_the_dialogue_word_for_word(tmp_path: Path) -> None:
    lines = dialogue.dialogue()
    read = "".join(line[3:] + "\n" for line in lines if line.startswith("<- "))
    run = subprocess.run(
        [*PYTHON, str(shortest(tmp_path))],
        input=read,
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
    )
    assert run.stdout.splitlines() == [line[3:] for line in lines if line.startswith("-> ")]
    assert (run.returncode, run.stderr) == (0, "")
