"""The Python kit: as one copied file beside a bot, told the dialogue of which SPEC.md shows the ends."""

import json
import shutil
import subprocess
from pathlib import Path

from arena.process.launch import base_interpreter
from arena.starters.kit import kit
from arena.starters.kit.kit import Card
from tests.cli.calls import ROOT
from tests.spec.dialogue import dialogue

TOLD = [line.removeprefix("<- ") for line in dialogue() if line.startswith("<- ")]


def play(program: str, folder: Path) -> tuple[list[dict[str, object]], str]:
    """What a bot says that has the kit beside it and reads the dialogue; and its standard error."""
    shutil.copy(ROOT / "arena" / "starters" / "kit" / "kit.py", folder)
    (folder / "bot.py").write_text(program)
    done = subprocess.run(
        (base_interpreter(), "bot.py"),
        cwd=folder,
        input="\n".join(TOLD),
        capture_output=True,
        text=True,
        env={},
        check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines()], done.stderr


def test_the_starter_plays_its_lowest_card(tmp_path: Path) -> None:
    starter = (ROOT / "arena" / "starters" / "kit" / "bot.py").read_text()
    (ready, *replies), errors = play(starter, tmp_path)
    assert ready == {"type": "ready", "name": "mybot", "language": "Python"}
    assert [reply["id"] for reply in replies] == list(range(1, 16))
    assert [reply["action"] for reply in replies[:3]] == ["R0", "B0", "B0"]
    assert errors == ""


def test_what_a_bot_is_told_in_calls(tmp_path: Path) -> None:
    said, errors = play(
        "from kit import Card, End, Hello, Request, play\n"
        "def begin(hello: Hello) -> None:\n"
        "    print('begin', hello.game, hello.seats, hello.seat, hello.deals, hello.seed, hello.deck[-1])\n"
        "def choose(request: Request) -> tuple[Card, str]:\n"
        "    if request.decision == 'play' and request.trick:\n"
        "        print(request.hello.game, *request.trick, len(request.hand), request.view['leader'])\n"
        "    return request.cards[-1], 'the last'\n"
        "def finish(end: End) -> None:\n"
        "    print('finish', end.points, end.placings, end.events[-1]['event'], end.hello.seats)\n"
        "play(choose, name='mine', begin=begin, finish=finish)\n",
        tmp_path,
    )
    assert [message["type"] for message in said] == ["ready", *["reply"] * 15]
    assert said[1] == {"type": "reply", "id": 1, "action": "P6", "note": "the last"}
    first, second, *_, last = errors.splitlines()
    assert first == "begin sticheln 3 0 1 1281617044 P8"
    assert second == "sticheln R6 13 2"
    assert last == "finish [-1, 15, -14] [2, 1, 3] scored 3"


def test_a_card_is_its_text() -> None:
    assert str(kit.card("G11")) == "G11"
    assert kit.card("G11") == Card("G", 11)
    assert kit.card("chip") is None
    assert kit.cards(["R2", "chip", "B10"]) == (Card("R", 2), Card("B", 10))
    assert Card("R", 2) in kit.cards(["R2"])


def test_words_are_actions_too(tmp_path: Path) -> None:
    said, _ = play(
        "from kit import play\nplay(lambda request: (request.legal[0], ''), name='mine')\n", tmp_path
    )
    assert said[1] == {"type": "reply", "id": 1, "action": "R0", "note": ""}


def test_the_deadline_is_what_the_referee_allows(tmp_path: Path) -> None:
    _, errors = play(
        "import time\nfrom kit import play\n"
        "def choose(request):\n"
        "    print(request.deadline <= time.monotonic() + 11)\n"
        "    return request.legal[0]\n"
        "play(choose, name='mine')\n",
        tmp_path,
    )
    assert set(errors.splitlines()) == {"True"}
