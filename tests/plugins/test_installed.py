"""Two games as packages, installed beside the wheel into an empty environment: everything that the arena does
with its own games it does with these, and none of its lines was changed for it.
"""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.cli.terminals import Terminal
from tests.screens.web.served import GO_ON, Served
from tests.support.chromium import chromium
from tests.support.playing import play_to_the_end
from tests.support.wheels import ENVIRONMENT, dist, environment, run

__all__ = ["dist"]

pytestmark = pytest.mark.thorough

PLUGINS = Path(__file__).parent
SHORT = ("--deals", 1, "--seed", 3, "--time", "50ms+20s")
SPELL = "from arena.games.package import code_digest; import sys; print(code_digest(sys.argv[1]))"
LOWEST = """#!/usr/bin/env python3
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if asked["type"] == "hello":
        print('{"type":"ready","name":"lowest"}', flush=True)
    elif asked["type"] == "request":
        print(json.dumps({"type": "reply", "id": asked["id"], "action": asked["legal"][0]}), flush=True)
"""


@pytest.fixture(scope="module")
def commands(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The commands of an environment with the wheel and both games."""
    folder = tmp_path_factory.mktemp("beside")
    (wheel,) = dist.glob("*.whl")
    found = environment(folder / "environment")
    run(found / "pip", "install", "-q", f"{wheel}[dask]", folder=folder)
    games = [source(game, folder) for game in ("hearts", "oh-hell")]
    run(found / "pip", "install", "-q", *games, folder=folder)
    return found


def source(game: str, folder: Path) -> Path:
    """A copy of a package's source, since building leaves its traces there."""
    made = folder / f"source of {game}"
    shutil.copytree(PLUGINS / game, made, ignore=shutil.ignore_patterns("*.egg-info", "build", "__pycache__"))
    return made


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("ada", "bob"):
        (tmp_path / f"{name}.py").write_text(f"{LOWEST}# {name}\n")
    return tmp_path


def test_both_are_listed_and_described(commands: Path, tmp_path: Path) -> None:
    listed = json.loads(run(commands / "arena", "games", "--json", folder=tmp_path))
    assert [one["game"] for one in listed if "obstacle" in one] == ["hearts", "oh-hell"]
    assert "rules: hearts 1, of arena-hearts" in run(commands / "arena", "--version", folder=tmp_path)
    for game in ("hearts", "oh-hell"):
        assert len(run(commands / "arena", "games", game, "--rules", folder=tmp_path)) > 1000
        assert "anyOf" in json.loads(run(commands / "arena", "games", game, "--schema", folder=tmp_path))


@pytest.mark.parametrize("game", ["hearts", pytest.param("oh-hell", marks=pytest.mark.exhaustive)])
def test_every_command_takes_them(game: str, commands: Path, folder: Path) -> None:
    arena = commands / "arena"

    def played(*words: object) -> Any:
        done = subprocess.run(
            [str(arena), *map(str, words), "--json"],
            cwd=folder,
            env=ENVIRONMENT,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode in (0, 1, 3), done.stderr
        return json.loads(done.stdout)

    of = ("--game", game)
    run(arena, "check", *of, folder=folder)
    run(arena, "check", "ada.py", *of, folder=folder)
    run(arena, "new", "python", "mybot", *of, folder=folder)
    match = played("match", "mybot", "search", "heuristic", "ada.py", *of, *SHORT, "--log", "match.jsonl")
    assert match["faults"] == []
    assert "deal 1" in run(arena, "replay", "match.jsonl", folder=folder)
    run(arena, "replay", "match.jsonl", "--html", "match.html", folder=folder)
    run(arena, "replay", "--verify", "match.jsonl", folder=folder)
    run(arena, "rerun", "match.jsonl", "--seat", 3, "ada.py", folder=folder)
    assert played("rematch", "match.jsonl", "--seat", 0, "bob.py", "ada.py", "mybot")["faults"] == []

    bots = ("ada.py", "bob.py", "search", "heuristic", *of, "--rounds", 1, *SHORT, "--quiet")
    played("tournament", *bots, "--out", "run", "--report")
    played("tournament", *bots, "--out", "dask", "--dask", "local")
    for place in ("run", "dask"):
        assert played("faults", place)["faults"] == []
        assert played("verify", place)["wrong"] == []
    rows = run(arena, "export", "run", "--rows", "decisions", "--json", folder=folder)
    assert all("action" in json.loads(row) for row in rows.splitlines())
    assert (folder / "run" / "report.html").stat().st_size > 10_000
    assert "hearts" in run(arena, "tournament", *bots[:6], "--plan", 0.5, folder=folder) or game != "hearts"
    compared = played("compare", "ada.py", "heuristic", *of, "--budget", 12, *SHORT)
    assert compared["forfeits"] == {}

    with Terminal(
        "play", "ada.py", "search", "heuristic", *of, *SHORT, folder=folder, command=(arena,)
    ) as terminal:
        chosen = play_to_the_end(terminal)
        terminal.press("\r")
        assert terminal.end() == 0
    assert len(chosen) >= 10


@pytest.mark.needs("chromium")
@pytest.mark.parametrize("game", ["hearts", "oh-hell"])
def test_a_browser_plays_and_replays_them(game: str, commands: Path, folder: Path) -> None:
    wrong: list[str] = []
    words = ("ada.py", "search", "heuristic", "--game", game, *SHORT, "--log", "match.jsonl")
    with chromium() as browser, Served(*words, folder=folder, command=(commands / "arena",)) as served:
        page = browser.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.goto(served.address)
        choice = page.locator(".near .hand [role=button], #words button")
        while True:
            page.wait_for_selector(".near .hand [role=button], #words button, #between .placings")
            if page.evaluate(GO_ON):
                continue
            if page.locator("#between .placings").count():
                break
            story = page.evaluate("() => document.querySelector('#story').textContent")
            choice.first.click()
            page.wait_for_function(
                "(before) => document.querySelector('#story').textContent !== before"
                " || document.querySelector('#between .placings')",
                arg=story,
            )
        page.get_by_role("button", name="Finish").click()
        assert served.end()[0] == 0
        run(commands / "arena", "replay", "match.jsonl", "--html", "match.html", folder=folder)
        page.goto((folder / "match.html").as_uri())
        for _ in range(12):
            page.keyboard.press("ArrowRight")
        assert page.locator(".place").count() == 4
        assert page.locator(".centre .lines, .centre .trick").count()
    assert not wrong


def test_a_wheel_and_an_editable_installation_are_the_same_code(commands: Path, tmp_path: Path) -> None:
    python = commands / "python"
    as_wheel = run(python, "-c", SPELL, "arena_hearts:GAME", folder=tmp_path)
    run(commands / "pip", "install", "-q", "--no-deps", "-e", source("hearts", tmp_path), folder=tmp_path)
    where = run(python, "-c", "import arena_hearts; print(arena_hearts.__file__)", folder=tmp_path)
    assert where.startswith(str(tmp_path))
    assert run(python, "-c", SPELL, "arena_hearts:GAME", folder=tmp_path) == as_wheel
    (tmp_path / "ada.py").write_text(LOWEST)
    words = ("ada.py", "search", "heuristic", "--game", "hearts", *SHORT, "--json")
    match = json.loads(run(commands / "arena", "match", *words, folder=tmp_path))
    assert match["faults"] == []
