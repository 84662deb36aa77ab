"""Games from packages: how they are listed, loaded, refused, and told apart by their code."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.games import GAMES, registry
from arena.games.package import GamePackage, MissingCodeError, code_digest, is_id, listed
from arena.system.errors import MachineError
from arena.system.text import CAPTION_LIMIT
from protocol.streams import DealSource
from tests.cli.calls import ROOT, Call, arena
from tests.games.registry.packages import describe, edit, install

OTHER_CODE = "0" * 64


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder on the path of this process, into which packages are installed before anything is asked."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)
    forget()
    yield folder
    forget()
    for module in [name for name in sys.modules if name.startswith("arena_")]:
        del sys.modules[module]


def forget() -> None:
    listed.cache_clear()
    registry._loaded.cache_clear()


def call(site: Path, *words: object, folder: Path = ROOT) -> Call:
    """The command, with the packages of `site` installed."""
    return arena(*words, folder=folder, env={"PYTHONPATH": f"{ROOT}:{site}"})


def test_a_game_of_a_package_is_a_game(site: Path) -> None:
    install(site)
    assert registry.ids() == (*GAMES, "mygame")
    assert registry.game("mygame").title == "Mygame"
    package = registry.package_of("mygame")
    assert package is not None
    assert (package.name, package.version) == ("arena-mygame", "1.0")
    assert registry.extras(registry.game("mygame")).rules.startswith("# Mygame")
    assert registry.package_of("ole") is None
    with pytest.raises(registry.UnknownGame, match="unknown game 'migame'; did you mean 'mygame'"):
        registry.game("migame")


def test_the_code_has_one_digest_wherever_it_lies_and_another_after_any_change(site: Path) -> None:
    code = install(site)
    seen = {code_digest("arena_mygame:GAME")}
    (code / "__pycache__").mkdir(exist_ok=True)
    (code / "__pycache__" / "game.cpython-311.pyc").write_bytes(b"made by Python")
    assert seen == {code_digest("arena_mygame.game:whatever")}

    changes = (
        lambda: (code / "rules.md").write_text("other rules"),
        lambda: (code / "rules.md").rename(code / "rules.txt"),
        lambda: (code / "__pycache__" / "game.py").write_text("can be imported"),
        lambda: (code / "konst.pyc").write_bytes(b"can be imported"),
        lambda: (code / ".hidden").write_text("can be read"),
        lambda: (code / "linked").symlink_to(site),
        lambda: (code / os.fsdecode(b"\xff")).write_text("a name that is no text"),
    )
    for number, change in enumerate(changes, 2):
        change()
        seen.add(code_digest("arena_mygame:GAME"))
        assert len(seen) == number
    os.truncate(code / "rules.txt", 20 * 1024**3)
    with pytest.raises(MissingCodeError, match="larger than 64 MB"):
        code_digest("arena_mygame:GAME")


@pytest.mark.thorough  # 2 s of processor.
def test_a_wheel_and_an_editable_installation_have_the_same_digest(tmp_path: Path) -> None:
    """As pip lays them out: the files of the wheel in site-packages, or a line of a .pth file."""
    source = tmp_path / "source"
    assert arena("new", "--game", "mygame", folder=_made(source)).status == 0
    packed = tmp_path / "packed"
    shutil.copytree(source / "mygame" / "src", packed)
    program = "from arena.games.package import code_digest; print(code_digest('arena_mygame:GAME'))"
    digests = {
        subprocess.check_output(
            [sys.executable, "-c", f"import sys; sys.path += [{str(ROOT)!r}, {str(path)!r}]; {program}"]
        )
        for path in (source / "mygame" / "src", packed)
    }
    assert len(digests) == 1


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


BROKEN = {
    "raises": ("__init__.py", 'RULES = ', "1 / 0\nRULES = ", r"ZeroDivisionError: .*__init__.py, line \d+"),
    "leaves": ("__init__.py", 'RULES = ', "raise GeneratorExit\nRULES = ", "GeneratorExit: "),
    "method": ("game.py", "    @property\n    def open_trick", "    def open_trick", "is not a property"),
    "exits": ("__init__.py", 'RULES = ', "raise SystemExit(3)\nRULES = ", "SystemExit: 3"),
    "spelt": ("game.py", "class MyGameRules:", "class MyGameRules", "SyntaxError"),
    "lies": ("game.py", 'id = "ID"', 'id = "ole"', "it calls itself 'ole', but its package lists it as 'ID'"),
    "old": ("game.py", "api = 1", "api = 2", "arena.games.api; this arena has version 1"),
    "mute": ("game.py", "    api = 1\n", "", "does not say which `api`"),
    "class": ("__init__.py", "GAME = MyGameRules(", "GAME = MyGameRules\n(", "names the class MyGameRules"),
    "wide": ("game.py", "range(3, 7)", "range(3, 10)", "a match has 2 to 8"),
    "rules": ("game.py", "rules = 1", "rules = 0", "versions of rules count from 1"),
    "text": ("game.py", "rules = 1", 'rules = "one"', "its `rules` is 'one' but should be of type int"),
    "suit": ("game.py", '"R": "red"', '"RR": "red"', "the suit 'RR': a suit is one capital letter"),
    "name": ("game.py", '"R": "red"', '"R": "bright red"', "the suit's name 'bright red'"),
    "high": ("game.py", "range(1, 2 * seats + 1)", "range(99, 101)", "the card 'R100': a card is"),
    "double": ("game.py", "return deck(dict.fromkeys(SUITS, range(1, 2 * seats + 1)))", 'return ("R1", "R1")',
               "R1 is in the deck twice at 3 seats"),
    "order": ("game.py", "return deck(dict.fromkeys(SUITS, range(1, 2 * seats + 1)))", 'return ("R2", "R1")',
              "the deck at 3 seats is not in order"),
    "word": ("game.py", "words: tuple[Action, ...] = ()", 'words = ("pass it",)', "contains 'pass it'"),
    "card": ("game.py", "words: tuple[Action, ...] = ()", 'words = ("A7",)', "which is spelled like a card"),
    "event": ("game.py", "events = Dealt | Played", "events = int | Dealt | Played", "a subclass of Event"),
    "view": ("game.py", "    views = MyGameView", "    views = dict", "`views` is not a subclass of View"),
    "imagine": ("game.py", "    def imagine(", "    def imagined(", "it has no method `imagine`"),
}  # fmt: skip


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_game_names_its_package_and_what_is_wrong(kind: str, site: Path) -> None:
    file, old, new, reason = BROKEN[kind]
    id = f"game-{kind}"
    code = install(site, id)
    camel = f"Game{kind.capitalize()}"
    edit(code / file, *(text.replace("MyGame", camel).replace("ID", id) for text in (old, new)))
    expected = reason.replace("MyGame", camel).replace("ID", id)
    with pytest.raises(registry.BrokenGame, match=rf"{expected}.*from the package arena-{id} 1.0"):
        registry.game(id)
    assert registry.game("sticheln").id == "sticheln"


def test_code_that_is_not_there_is_named(site: Path) -> None:
    describe(site, "arena-lost", "1.0", {"lost": "arena_lost:GAME", "partly": "arena_partly:GAME"})
    (site / "arena_partly").mkdir()
    (site / "arena_partly" / "__init__.py").write_text("")
    with pytest.raises(registry.BrokenGame, match="there is no module arena_lost"):
        registry.game("lost")
    with pytest.raises(registry.BrokenGame, match="has no attribute 'GAME'"):
        registry.game("partly")


def test_two_packages_at_odds_are_both_named(site: Path) -> None:
    install(site, package="arena-one")
    describe(site, "arena-two", "2.0", {"mygame": "arena_two:GAME"})
    with pytest.raises(
        registry.BrokenGame, match=r"two packages provide it, arena-one 1\.0 and arena-two 2\.0"
    ):
        registry.game("mygame")


def test_the_ids_of_our_own_games_are_reserved(site: Path) -> None:
    describe(site, "arena-thief", "1.0", {"ole": "arena_thief:GAME", "Bad Id": "arena_thief:GAME"})
    assert registry.game("ole") is GAMES["ole"]
    assert registry.package_of("ole") is None
    obstacles = {one.id: one.obstacle for one in registry.from_packages()}
    assert obstacles["ole"] == "the arena itself has a game with this name"
    assert "an id is letters a–z" in (obstacles["Bad Id"] or "")
    with pytest.raises(registry.BrokenGame, match="an id is letters a–z"):
        registry.game("Bad Id")


@pytest.mark.parametrize("id", ["a", "oh-hell", "skat2", "a" * 32])
def test_an_id(id: str) -> None:
    assert is_id(id)


@pytest.mark.parametrize("text", ["", "A", "2skat", "-a", "a-", "a--b", "a_b", "a b", "a" * 33, "a\n", "é"])
def test_no_id(text: str) -> None:
    assert not is_id(text)


def test_a_match_is_played_only_with_the_code_it_is_meant_for(site: Path) -> None:
    install(site)
    package = registry.package_of("mygame")
    assert registry.required("mygame", package) is registry.game("mygame")
    assert registry.required("ole", None) is GAMES["ole"]
    for other in (None, GamePackage("arena-mygame", "1.0", OTHER_CODE)):
        with pytest.raises(
            MachineError, match=r"mygame must be played with .*, but .* has arena-mygame 1\.0"
        ):
            registry.required("mygame", other)
    with pytest.raises(MachineError, match="has the arena's own code"):
        registry.required("ole", package)


PICTURE = "    return Picture("
"""In the template: what a picture is made with."""


@pytest.mark.parametrize(
    ("instead", "line"),
    [
        ("    1 / 0\n    return Picture(", "its package cannot draw it: ZeroDivisionError: division by zero"),
        ("    view = view.nothing\n    return Picture(", "its package cannot draw it: AttributeError"),
        ("    takers = names = {}\n    return Picture(", "its package cannot draw it: "),
        ("    view.seats = 2\n    return Picture(", "its package cannot draw it: AttributeError"),
    ],
)
def test_a_package_that_cannot_draw_costs_the_picture_only(instead: str, line: str, site: Path) -> None:
    edit(install(site) / "picture.py", PICTURE, instead)
    game = registry.game("mygame")
    state, _ = game.start(3, game.options(), 1, DealSource("a key"))
    picture = registry.picture_of(game, state.view(0), ("ada", "bob", "cyd"))
    assert picture is not None
    assert picture.lines[0].startswith(line)
    assert len(picture.rows) == 3


def test_a_picture_is_made_harmless_and_no_larger_than_a_screen(site: Path) -> None:
    flood = 'progress="\\x1b[2J", lines=["\\x1b]0;x\\x07\\n"] * 999, legend=["y" * 9999]'
    edit(install(site) / "picture.py", "return Picture(", f"return Picture({flood})\n    Picture(")
    game = registry.game("mygame")
    state, _ = game.start(3, game.options(), 1, DealSource("a key"))
    picture = registry.picture_of(game, state.view(0), ("ada", "bob", "cyd"))
    assert picture is not None
    assert len(picture.lines) == registry.MOST_LINES
    assert all(text.isprintable() for text in (picture.progress, *picture.lines))
    assert len(picture.legend[0]) <= CAPTION_LIMIT


def malformed(folder: Path, kind: str) -> None:
    """Makes the metadata of a package unreadable in one of the ways that were seen to break a listing."""
    match kind:
        case "bytes":
            (folder / "METADATA").write_bytes(b"Metadata-Version: 2.1\nName: x\nVersion: 1\nSummary: \xff\n")
        case "line":
            (folder / "entry_points.txt").write_text("[other.group]\nno value\n")
        case "points":
            (folder / "entry_points.txt").write_bytes(b"\xff\xfe[arena.games]\n")
        case "loop":
            (folder / "METADATA").unlink()
            (folder / "METADATA").symlink_to("METADATA")
        case "pipe":
            (folder / "METADATA").unlink()
            os.mkfifo(folder / "METADATA")
        case "none":
            (folder / "METADATA").unlink()


@pytest.mark.parametrize("kind", ["bytes", "line", "points", "loop", "pipe", "none"])
def test_malformed_metadata_spoils_no_other_game(kind: str, tmp_path: Path) -> None:
    site = tmp_path / "site"
    install(site)
    describe(site, "arena-bad", "1.0", {"bad": "arena_bad:GAME"})
    malformed(site / "arena_bad-1.0.dist-info", kind)
    listed = call(site, "games")
    assert listed.status == 0, listed.err
    assert "arena-mygame 1.0" in listed.out
    assert call(site, "games", "mygame").status == 0
    if kind == "bytes":
        assert "arena_bad-1.0 ?" in listed.out
        assert "its metadata cannot be read" in listed.out


SOUND = "        check(self, actions)\n"
"""In the template: where `apply` begins."""

ERRORS = {
    "raises": ("raise ValueError('oops \\x1b[2J')", r"ValueError: oops .*\(game.py, line \d+\)"),
    "exits": ("raise SystemExit(0)", "SystemExit: 0"),
    "leaves": ("raise BrokenPipeError", "BrokenPipeError"),
    "machine": ("raise OSError(28, 'No space left on device')", r"OSError: \[Errno 28\]"),
    "nothing": ("return None", "cannot continue: "),
}


@pytest.mark.thorough  # Ten commands each, most of which play.
@pytest.mark.parametrize("kind", ERRORS)
def test_no_bot_pays_for_a_game_that_fails_in_the_middle(kind: str, tmp_path: Path) -> None:
    """The tournament stops and says whose fault it is; nothing is skipped, and once the game is mended it
    goes on. What was played stays true."""
    statement, reason = ERRORS[kind]
    site = tmp_path / "site"
    failing = f"        if self.deal_no == 2 and len(self.tricks) == 3:\n            {statement}\n"
    game = install(site) / "game.py"
    sound = game.read_text()
    bots = [tmp_path / f"{name}.py" for name in ("ada", "bob", "cyd")]
    for bot in bots:
        bot.write_text(f"{LOWEST}# {bot.stem}\n")
    edit(game, SOUND, SOUND + failing)
    settings = ("--game", "mygame", "--rounds", 1, "--deals", 2, "--seed", 5, "--sandbox", "none")
    stopped = call(site, "tournament", *bots, *settings, "--out", tmp_path / "run", "--quiet")
    assert stopped.status == 2, stopped.err
    assert re.search(f"mygame cannot continue: .*{reason}|{reason}", stopped.err)
    assert "from the package arena-mygame 1.0" in stopped.err
    assert "arena resume" in stopped.err
    assert not {"Traceback", "bug in the arena", "\x1b"} & {word for word in WORDS if word in stopped.err}

    match = call(site, "match", *bots, "--game", "mygame", "--deals", 2, "--sandbox", "none", "--seed", 1)
    assert match.status == 2
    assert "from the package arena-mygame 1.0" in match.err

    game.write_text(sound)
    resumed = call(site, "resume", tmp_path / "run", "--quiet")
    assert resumed.status == 0, resumed.err
    assert call(site, "faults", tmp_path / "run", "--json").json["faults"] == []  # type: ignore[index]
    assert call(site, "verify", tmp_path / "run").status == 0

    log = next((tmp_path / "run" / "matches").iterdir())
    edit(game, SOUND, SOUND + failing)
    for words in (["verify", tmp_path / "run"], ["replay", "--verify", log], ["replay", log]):
        seen = call(site, *words)
        assert seen.status in (1, 2), (words, seen.out)
        if kind != "nothing":
            assert "from the package arena-mygame 1.0" in seen.err


WORDS = ("Traceback", "bug in the arena", "\x1b")


def test_a_request_that_no_bot_can_read_is_the_fault_of_the_game(tmp_path: Path) -> None:
    site = tmp_path / "site"
    game = install(site) / "game.py"
    edit(game, "            self.trick.cards,\n", '            ("R1",) * 20000,\n')
    bot = tmp_path / "ada.py"
    bot.write_text(LOWEST)
    match = call(site, "match", bot, "--game", "mygame", "--sandbox", "none")
    assert match.status == 2
    assert "a request of 98 KiB; bots read lines of 64 KiB" in match.err
    assert "from the package arena-mygame 1.0" in match.err


def test_a_sentence_of_a_game_is_made_harmless(tmp_path: Path) -> None:
    site = tmp_path / "site"
    game = install(site) / "game.py"
    edit(game, 'return f"{name(self.seat)} takes the trick"', 'return "\\x1b]0;x\\x07\\r\\n" + 9999 * "z"')
    bot = tmp_path / "ada.py"
    bot.write_text(LOWEST)
    log = tmp_path / "m.jsonl"
    words = ("match", bot, "--game", "mygame", "--deals", 1, "--sandbox", "none", "--log", log)
    assert call(site, *words).status == 0
    shown = call(site, "replay", log, "--print").out
    assert "\x1b" not in shown
    assert "\x07" not in shown
    assert max(map(len, shown.splitlines())) < 3000


def test_fifty_packages_are_listed_and_none_is_imported(tmp_path: Path) -> None:
    site = tmp_path / "site"
    for number in range(50):
        describe(site, f"arena-game{number}", "1.0", {f"game{number}": f"arena_game{number}:GAME"})
        (site / f"arena_game{number}.py").write_text(f"open({str(tmp_path / 'imported')!r}, 'w')\n1 / 0\n")
    for words in (["--help"], ["games"], ["games", "--json"], ["games", "ole"], ["match", "--help"]):
        assert call(site, *words).status == 0
    assert "game49" in call(site, "games").out
    assert not (tmp_path / "imported").exists()
    assert "ZeroDivisionError" in call(site, "games", "game7").err
    assert (tmp_path / "imported").exists()


def test_a_broken_game_spoils_no_other(tmp_path: Path) -> None:
    site = tmp_path / "site"
    edit(install(site, "sour") / "__init__.py", "RULES = ", "1 / 0\nRULES = ")
    match = call(site, "match", "--game", "sticheln", "bots/greedy.py", "--deals", 1, "--sandbox", "none")
    assert match.status == 0, match.err
    version = call(site, "--version").out
    assert "rules: sour cannot be played: ZeroDivisionError" in version
    assert "rules: sticheln 1" in version
    broken = call(site, "match", "--game", "sour", "bots/greedy.py")
    assert broken.status == 2
    assert "It comes from the package arena-sour 1.0 (arena_sour:GAME)" in broken.err
    assert "Traceback" not in broken.err


def test_a_bot_that_plays_nothing_else_is_checked_with_its_game(tmp_path: Path) -> None:
    site = tmp_path / "site"
    install(site)
    assert call(site, "new", "python", "mine", "--game", "mygame", folder=tmp_path).status == 0
    checked = call(site, "check", "mine", "--sandbox", "none", folder=tmp_path)
    assert checked.status == 0, checked.out
    assert "steps passed" in checked.out


@pytest.mark.thorough  # 2 s of processor.
def test_what_is_known_of_a_log_whose_game_changed(tmp_path: Path) -> None:
    site = tmp_path / "site"
    code = install(site)
    first, second = tmp_path / "first.py", tmp_path / "second.py"
    for path in (first, second):
        path.write_text(LOWEST)
    tournament = ("tournament", first, second, "--game", "mygame", "--rounds", 1, "--deals", 1)
    played = call(site, *tournament, "--sandbox", "none", "--out", tmp_path / "run", "--seed", 1, "--quiet")
    assert played.status == 0, played.err
    log = next((tmp_path / "run" / "matches").iterdir())
    assert '"game_package":{"name":"arena-mygame","version":"1.0","digest":"' in log.read_text()

    edit(code / "rules.md", "For 3 to 6 seats.", "For three to six seats.")
    for words in (["verify", tmp_path / "run"], ["replay", "--verify", log], ["replay", log, "--print"]):
        seen = call(site, *words)
        assert seen.status == 0, seen.err
        assert "mygame: it was played with arena-mygame 1.0 (code " in seen.err
        assert "with the same version of the rules" in seen.err

    edit(code / "game.py", "    rules = 1\n", "    rules = 2\n")
    assert "rules version 1; this arena has version 2" in call(site, "verify", tmp_path / "run").err
    assert "mygame, rules version 1; this arena has version 2" in call(site, "replay", log).err

    (site / "arena_mygame-1.0.dist-info").rename(tmp_path / "gone")
    describe(site, "arena-other", "1.0", {"mygame": "arena_mygame:GAME"})
    words = "mygame, from the package arena-mygame; here the game is from the package arena-other"
    assert words in call(site, "replay", log).err
    assert words in call(site, "verify", tmp_path / "run").err
    (site / "arena_other-1.0.dist-info").rename(tmp_path / "gone too")
    words = "mygame is not installed; it was played with the package arena-mygame 1.0"
    assert words in call(site, "replay", log).err
    assert words in call(site, "verify", tmp_path / "run").err


LOWEST = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if asked["type"] == "hello":
        print('{"type":"ready","name":"lowest"}', flush=True)
    elif asked["type"] == "request":
        print(json.dumps({"type": "reply", "id": asked["id"], "action": asked["legal"][0]}), flush=True)
"""
