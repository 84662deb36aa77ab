"""Every wrong call gets its exit code and one line that names the place and the way out, and leaves nothing
half-written behind.
"""

import contextlib
import re
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest

from arena.cli import COMMANDS
from tests.cli.calls import ROOT, arena

ECHO = (ROOT / "tests" / "bench" / "echo.py").read_text()

CHEAP = ("--keep-bots", "--sandbox", "none", "--jobs", 1)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all that the calls name: bots good and bad, a run, logs whole and broken, settings."""
    folder = tmp_path_factory.mktemp("place")
    (folder / "bots").mkdir()
    for name in ("ada", "bob", "cy"):
        (folder / "bots" / f"{name}.py").write_text(ECHO)
    (folder / "other").mkdir()
    (folder / "other" / "ada.py").write_text(ECHO)
    (folder / "house-1.py").write_text(ECHO)
    (folder / "dé.py").write_text(ECHO)
    (folder / "kit").mkdir()
    (folder / "kit" / "bot.toml").write_text("command = 'true'\ngames = ['chess', 'ole']\n")
    (folder / "empty").mkdir()
    (folder / "notes.txt").write_text("not a bot")
    (folder / "class.csv").write_text("bot,title\nbots/ada.py,A\n,B\n")
    (folder / "two.csv").write_text("bot\nbots/ada.py\nbots/bob.py\n")
    (folder / "other.csv").write_text("a,b\n1,2\n")
    (folder / "class.xlsx").write_bytes(b"PK")
    for name in ("blank/tournament.db", "bare/league-0001.db"):
        (folder / name).parent.mkdir()
        (folder / name).touch()
    (folder / "no.zip").write_text("no archive")
    (folder / "no.rar").write_text("Rar!")
    (folder / "ok.seed").write_text("5a" * 32)
    (folder / "ok.seed").chmod(0o600)
    (folder / "lost").write_text("#!/no/such/interpreter\n")
    (folder / "lost").chmod(0o755)
    (folder / "broken.toml").write_text("rounds = = 3\n")
    (folder / "unknown.toml").write_text("ronds = 3\n")
    (folder / "bad.toml").write_text('time = "1parsec"\n')
    (folder / "marked.toml").write_text('\ufefftime = "1parsec"\n')
    (folder / "table.toml").write_text("[rounds]\nx = 1\n")
    (folder / "latin.toml").write_bytes(b'game = "\xe9"\n')
    bots = ["bots/ada.py", "bots/bob.py", "bots/cy.py"]
    match = arena("match", *bots, "--seed", 7, "--deals", 1, "--log", "whole.jsonl", folder=folder)
    assert match.status == 0, match.err
    whole = (folder / "whole.jsonl").read_text()
    (folder / "cut.jsonl").write_text(whole[: len(whole) // 2])
    (folder / "tail.jsonl").write_text("".join(whole.splitlines(keepends=True)[:-1]))
    (folder / "binary.jsonl").write_bytes(bytes(range(256)) * 20)
    (folder / "nothing.jsonl").write_bytes(b"")
    (folder / "rules.jsonl").write_text(whole.replace('"rules":', '"rules":9', 1))
    (folder / "format.jsonl").write_text(whole.replace('"format":1', '"format":2', 1))
    (folder / "chess.jsonl").write_text(whole.replace('"game":"sticheln"', '"game":"chess"', 1))
    (folder / "false.jsonl").write_text(re.sub(r'"pod_key":"..', '"pod_key":"zz', whole, count=1))
    (folder / "headless.jsonl").write_text("".join(whole.splitlines(keepends=True)[1:]))
    words = ("--seats", 3, "--rounds", 1, "--deals", 1, "--no-duplicates", *CHEAP, "--out", "run")
    run = arena("tournament", *bots, *words, folder=folder)
    assert run.status == 0, run.err
    for name, change in (
        ("damaged", "UPDATE entries SET entry = replace(entry, 'ada', 'adb') WHERE no = 1"),
        ("newer", "PRAGMA user_version = 99"),
    ):
        (folder / name).mkdir()
        (folder / name / "tournament.db").write_bytes((folder / "run" / "tournament.db").read_bytes())
        db = sqlite3.connect(folder / name / "tournament.db")
        db.execute(change)
        db.commit()
        db.close()
    with contextlib.suppress(OSError):
        (ROOT / "bots" / "__pycache__").mkdir(exist_ok=True)  # As Python leaves it.
    for words in (("new", "season", "--board", "sticheln:3"), ("author", "season", "red")):
        call = arena("league", *words, folder=folder)
        assert call.status == 0, call.err
        assert "__pycache__" not in call.err
    shutil.copytree(folder / "season", folder / "it's")
    shutil.copytree(folder / "run", folder / "d'or")
    (folder / "pages").mkdir()
    (folder / "pages" / "index.html").write_text("<!doctype html>somebody's")
    (folder / "garbage").mkdir()
    (folder / "garbage" / "tournament.db").write_bytes(b"no database at all" * 1000)
    return folder


class Wrong(NamedTuple):
    call: str
    why: str
    status: int = 2


CALLS = [
    Wrong("frobnicate", "unknown command 'frobnicate'"),
    Wrong("turnament", "did you mean 'tournament'?"),
    Wrong("--frob", "No such option '--frob'"),
    Wrong("tournament", "Missing argument 'BOT...'"),
    Wrong("new --language python x", "takes no flag: arena new [OPTIONS] LANGUAGE DIR"),
    Wrong("compare bots/ada.py bots/bob.py --margin nan", "nan is not a finite number"),
    Wrong("standings run --margin inf", "inf is not a finite number"),
    Wrong("standings", "Missing argument 'DIR...'"),
    Wrong("standings run run", "run: the same tournament as run; name each only once"),
    Wrong("standings run gone", "gone: no tournament was run here"),
    Wrong("standings run damaged", "damaged/tournament.db: entry 1 is not what was written"),
    Wrong("standings run --points 3,4", "3,4: no place can give more than the one before it"),
    Wrong("standings run --points 3,x", "'3,x': whole numbers from 0 to 1000000, as in 10,8,6,5,4"),
    Wrong("standings run --points 3000000,2", "whole numbers from 0 to 1000000"),
    Wrong("standings run --points 3,-1", "'3,-1': whole numbers from 0 to 1000000, as in 10,8,6,5,4"),
    Wrong("standings run gone --margin 1", "--margin is about the rounds of a single tournament"),
    Wrong("export run gone", "gone: no tournament was run here"),
    Wrong("report run gone", "gone: no tournament was run here"),
    Wrong("report run --points 3,2", "--out and --points need several tournaments"),
    Wrong("report run run --with-stderr", "--with-stderr needs a single tournament"),
    Wrong("report run run --address https://a.example/", "--address needs a single tournament"),
    Wrong("report run --address a.example", "--address a.example: it should be a web address, such as"),
    Wrong("league report season --address a.example", "--address a.example: it should be a web address"),
    Wrong("report run gone --out no/such/place.html", "--out no/such/place.html: there is no folder"),
    Wrong("export", "Missing argument 'DIR...'"),
    Wrong("tournament notes.txt", "a tournament needs two bots, but there are none"),
    Wrong("tournament bots/ada.py", "a tournament needs two bots, but there is only one"),
    Wrong("tournament bots/ada.py gone.py", "gone.py: there is no such file"),
    Wrong("tournament bots/ada.py empty", "a tournament needs two bots, but there is only one"),
    Wrong("tournament bots/ada.py lost", "a tournament needs two bots, but there is only one"),
    Wrong("tournament bots/ada.py other/ada.py", "two bots are called 'ada'"),
    Wrong("tournament bots/ada.py bots/ada.py", "rename one of them: NAME="),
    Wrong("tournament bots/ada.py house-1.py", "names that begin with 'house-' belong to house bots"),
    Wrong("match bots/ada.py house-1.py bots/bob.py", "names that begin with 'house-' belong to house bots"),
    Wrong("compare bots/ada.py house-1.py", "names that begin with 'house-' belong to house bots; write 1="),
    Wrong("check house-1.py", "names that begin with 'house-' belong to house bots"),
    Wrong("play bots/ada.py house-1.py", "names that begin with 'house-' belong to house bots"),
    Wrong("play bots/ada.py bots/bob.py --name house-2", "names that begin with 'house-'"),
    Wrong("rematch whole.jsonl --seat 0 house-1.py", "names that begin with 'house-' belong to house bots"),
    Wrong("tournament bots/ada.py bots/bob.py --title ada=Bob", "it looks like the name 'bob'"),
    Wrong("tournament bots/ada.py bots/bob.py --title ada", "what is it called? --title ada=TITLE"),
    Wrong("match bots/ada.py bots/bob.py --title eve=Eve", "no bot is called 'eve'"),
    Wrong("compare bots/ada.py bots/bob.py --title ada=hоuse-1", "it looks like a house bot's name"),
    Wrong(
        "compare bots/ada.py bots/bob.py --final --bounded", "--final and --bounded cannot be used together"
    ),
    Wrong(
        "compare bots/ada.py bots/bob.py --deals 5 --budget 49",
        "9 pods of 5 deals, but a verdict takes 10 pods; ",
    ),
    Wrong("compare bots/ada.py bots/bob.py --deals 5 --budget 49", "use --budget 50, or a smaller --deals"),
    Wrong("compare bots/ada.py bots/bob.py --alpha 0.5", "0.5 is not in the range"),
    Wrong(
        "compare bots/ada.py bots/bob.py --against bots/ada.py --against bots/bob.py --seats 3", "leave out 1"
    ),
    Wrong("tournament class.csv", "class.csv, line 3, column bot: it is empty; name the bot's file"),
    Wrong("tournament class.csv", "a tournament needs two bots, but there is only one"),
    Wrong("tournament class.xlsx bots/ada.py", "a spreadsheet file: save it as CSV"),
    Wrong("standings blank", "blank/tournament.db: it is empty (0 bytes)"),
    Wrong("verify blank", "copy it again, or delete it and start over", status=1),
    Wrong("resume blank", "copy it again, or delete it and start over"),
    Wrong("tournament bots/ada.py bots/bob.py --out blank", "copy it again, or delete it and start over"),
    Wrong("league standings bare", "bare/league-0001.db: it is empty (0 bytes)"),
    Wrong("league new bare --board sticheln:3", "bare/league-0001.db: it is empty (0 bytes)"),
    Wrong("match two.csv bots/cy.py other.csv", "other.csv: not a bot (the table has no column `bot`; "),
    Wrong("compare two.csv bots/cy.py", "two.csv: it contains 2 bots"),
    Wrong("play bots/ada.py no.zip", "no cannot play: no.zip is damaged"),
    Wrong("match bots/ada.py no.rar", "no cannot play: no.rar is a rar archive; pack it again as .zip or"),
    Wrong("tournament two.csv --group ada", "which one is it in? --group ada=GROUP"),
    Wrong("tournament bots/ada.py bots/bob.py x=notes.txt", "x=notes.txt: not a bot"),
    Wrong("tournament bots/ada.py bots/bob.py --author ada", "who wrote it? --author ada=AUTHOR"),
    Wrong("tournament bots/ada.py bots/bob.py --out bots", "it contains something else (ada.py)"),
    Wrong("tournament bots/ada.py bots/bob.py --seed-file notes.txt", "--public VALUE must be used together"),
    Wrong("tournament bots/ada.py bots/bob.py --public x", "with only one of them, the seed could be chosen"),
    Wrong(
        "tournament bots/ada.py bots/bob.py --seed-file notes.txt --public x",
        "notes.txt: contains no secret seed (64 hex digits); `arena seed --commit` draws one",
    ),
    Wrong(
        "tournament bots/ada.py bots/bob.py --seed-file gone --public x", "`arena seed --commit` draws one"
    ),
    Wrong("tournament bots/ada.py bots/bob.py --seed 7 --seed-file x --public x", "either given or mixed"),
    Wrong("tournament bots/ada.py bots/bob.py --seed-file ok.seed --public dé", "printable ASCII characters"),
    Wrong("seed", "secret.seed: cannot be read (No such file or directory)"),
    Wrong("seed --commit notes.txt", "notes.txt already exists: a seed is drawn only once"),
    Wrong("seed --commit gone/x", "gone/x: cannot be written"),
    Wrong("verify run --commitment 12", "64 hex digits"),
    Wrong("verify run --digest 12", "expected 64 hex digits"),
    Wrong("resume run --minutes 0", "run: the tournament is over"),
    Wrong("tournament bots/ada.py bots/bob.py --plan 1 --until noon", "--plan plays nothing"),
    Wrong("admit run bots/ada.py", "'ada' has already entered; to replace its program: arena replace"),
    Wrong("replace run bots/nobody.py --reason x", "nobody"),
    Wrong("resume run --rounds 1", "planned rounds: already 1; use --rounds 2 or more"),
    Wrong("resume run --rounds two", "'two' is not a number of rounds"),
    Wrong("resume run --rounds +1000", "there are at most 1000"),
    Wrong("resume run --rounds +99999", "at most 1000 in all"),
    Wrong("report run gone --out run/tournament.db", "--out run/tournament.db: this file is not a page"),
    Wrong("replay whole.jsonl --html run/tournament.db", "--html run/tournament.db: this file is not a page"),
    Wrong("replay whole.jsonl --html bots/ada.py", "choose a different name, or delete it yourself"),
    Wrong("review whole.jsonl --seat 0 --html bots/ada.py", "--html bots/ada.py: this file is not a page"),
    Wrong("match bots/ada.py --log bots/bob.py", "--log bots/bob.py: this file is not a page"),
    Wrong("play sticheln --log notes.txt", "--log notes.txt: this file is not a page"),
    Wrong("check bots/ada.py --transcript bots/bob.py", "--transcript bots/bob.py: this file is not a page"),
    Wrong("check bots/ada.py --game ole --html run", "--html run: this folder contains other files"),
    Wrong("annul run r07-p001-s01 --reason x", "no match 'r07-p001-s01' was played"),
    Wrong("tournament bots/ada.py a/b=./x", "'a/b' cannot be a name"),
    Wrong("tournament bots/ada.py x=", "a command line must follow"),
    Wrong("tournament bots/ada.py x='y", "not a command line"),
    Wrong("tournament bots/ada.py bots/bob.py --game chess", "unknown game 'chess'"),
    Wrong("tournament bots/ada.py bots/bob.py --game stichlen", "did you mean 'sticheln'?"),
    Wrong("tournament bots/ada.py bots/bob.py --seats 9", "9 is not in the range"),
    Wrong("tournament bots/ada.py bots/bob.py --seats 2", "sticheln is played by 3 to 6 seats"),
    Wrong("tournament bots/ada.py bots/bob.py --deals 0", "0 is not in the range"),
    Wrong("tournament bots/ada.py bots/bob.py --deals x", "'x' is not a valid integer"),
    Wrong("tournament bots/ada.py bots/bob.py --rounds 0", "0 is not in the range"),
    Wrong("tournament bots/ada.py bots/bob.py --jobs -1", "-1 is not in the range"),
    Wrong("tournament bots/ada.py bots/bob.py --time 1parsec", "'1parsec' is not a time like"),
    Wrong("tournament bots/ada.py bots/bob.py --time 1s+", "'' is not a time like"),
    Wrong("tournament bots/ada.py bots/bob.py --time 0s", "'0s' is not a time like"),
    Wrong("tournament bots/ada.py bots/bob.py --startup 99999m", "'99999m' is not a time like"),
    Wrong("tournament bots/ada.py bots/bob.py --faults 0", "0 is not in the range"),
    Wrong("tournament bots/ada.py bots/bob.py --format chess", "'chess' is not"),
    Wrong("tournament bots/ada.py bots/bob.py --option target=3", "no such option"),
    Wrong("tournament bots/ada.py bots/bob.py --option target", "no such option"),
    Wrong("tournament bots/ada.py bots/bob.py --seed ü", "printable ASCII"),
    Wrong("tournament bots/ada.py bots/bob.py --out run", "`arena resume run` continues it"),
    Wrong("tournament bots/ada.py bots/bob.py --out notes.txt", "notes.txt: cannot be written"),
    Wrong("tournament bots/ada.py bots/bob.py --out /proc/arena", "/proc/arena: cannot be written"),
    Wrong("tournament --config gone.toml", "gone.toml: No such file"),
    Wrong("tournament --config broken.toml", "broken.toml: not TOML"),
    Wrong("tournament --config marked.toml", "'1parsec' is not a time like"),
    Wrong("tournament --config latin.toml", "latin.toml: not TOML"),
    Wrong("tournament --config unknown.toml", "unknown.toml: unknown key 'ronds'; did you mean 'rounds'?"),
    Wrong("tournament --config bad.toml", "bad.toml: time: '1parsec' is not a time like"),
    Wrong("tournament --config table.toml", "table.toml: rounds: "),
    Wrong("match", "Missing argument 'BOT...'"),
    Wrong("match notes.txt", "notes.txt: not a bot"),
    Wrong("match empty", "empty: not a bot (a folder without bot.toml; if it contains bots, use empty/*)"),
    Wrong("match kit", "does not play sticheln: its bot.toml says chess, ole; use --game ole"),
    Wrong("rematch whole.jsonl --seat 0 kit bots/ada.py", "its bot.toml says chess, ole\n"),
    Wrong("match bots/ada.py --game ole --option forced_play", "needs a value: --option forced_play=true"),
    Wrong("match bots/ada.py --game ole --option forced_play=yes", "is true or false, not 'yes'"),
    Wrong("match bots/ada.py --option goal=1", "sticheln has no such option"),
    Wrong("match lost", "lost cannot play: its interpreter /no/such/interpreter is not there"),
    Wrong("match bots/ada.py --seats 9", "sticheln is played by 3 to 6 seats, not 9"),
    Wrong("match bots/ada.py --seats 0", "sticheln is played by 3 to 6 seats, not 0"),
    Wrong("match bots/ada.py bots/bob.py bots/cy.py bots/ada.py --seats 3", "4 bots do not fit; leave out 1"),
    Wrong("match bots/ada.py --log no/where", "there is no folder"),
    Wrong("match bots/ada.py --log empty", "'empty' is a directory"),
    Wrong("review gone.jsonl --seat 0", "gone.jsonl: No such file"),
    Wrong("review cut.jsonl --seat 0", "cut.jsonl: line "),
    Wrong("review nothing.jsonl --deals 0", "'--deals': 0 is not in the range 1<=x<=1000000"),
    Wrong("play bots/ada.py bots/bob.py --port 8000", "--port works only with --web"),
    Wrong("replay", "Missing argument 'LOG...'"),
    # What another command takes.
    Wrong(
        "replay --verify whole.jsonl --html x.html",
        "--html cannot be used here: --verify compares whole logs",
    ),
    Wrong("replay --verify whole.jsonl --seat 9", "--seat cannot be used here"),
    Wrong(
        "replay run", "run is a tournament: arena replay run/matches/r01-p001-s01.jsonl works on one of its"
    ),
    Wrong("replay run", "arena report run writes pages of all"),
    Wrong("replay --verify run", "run is a tournament: arena verify run"),
    Wrong(
        "rerun run --seat 0 -- true", "arena rerun run/matches/r01-p001-s01.jsonl works on one of its matches"
    ),
    Wrong("replay season", "season is a league: arena league standings season"),
    Wrong("replay bots/ada.py", "bots/ada.py is a bot: arena check bots/ada.py"),
    Wrong("replay two.csv", "two.csv is a class of bots: arena check two.csv"),
    Wrong("replay pages/index.html", "pages/index.html is a page for a browser: open it in one"),
    Wrong("verify season", "season is a league: arena league verify season"),
    Wrong("verify whole.jsonl", "whole.jsonl is the log of a match: arena replay --verify whole.jsonl"),
    Wrong("verify run/tournament.db", "run/tournament.db is in a tournament: arena verify run"),
    Wrong("standings run season", "season is a league: arena league standings season"),
    Wrong("report season/league-0001.db", "season/league-0001.db is a league: arena league report season"),
    Wrong("resume season", "season is a league: arena league run season"),
    Wrong("faults season", "season is a league: arena league faults season"),
    Wrong("pairings season", "season is a league: arena league standings season"),
    Wrong("review season", "season is a league: arena league standings season"),
    Wrong("admit season bots/ada.py", "season is a league: arena league add season …"),
    Wrong("export kit", "kit is a bot: arena check kit"),
    Wrong("standings it's", "it's is a league: arena league standings 'it'\"'\"'s'"),
    Wrong("resume d'or --rounds 1", "`arena resume 'd'\"'\"'or'` play what is left"),
    Wrong("tournament bots/ada.py bots/bob.py --out d'or", "`arena resume 'd'\"'\"'or'` continues it"),
    Wrong("admit d'or bots/ada.py", "arena replace 'd'\"'\"'or' ada="),
    Wrong("league verify run", "run is a tournament: arena verify run"),
    Wrong("league run run", "run is a tournament: arena resume run"),
    Wrong("league add run bots/ada.py --author red", "run is a tournament: arena admit run …"),
    Wrong("league why run 1", "run is a tournament: arena standings run"),
    Wrong("league new autumn --after run", "run is a tournament: arena standings run"),
    Wrong("league new autumn --after season/league-0001.db", "is in a league: --after season"),
    Wrong("tournament bots/ada.py bots/bob.py --plan 1 --like season", "arena league standings season"),
    Wrong("match bots/ada.py run", "run: not a bot (a tournament)"),
    Wrong("match bots/ada.py whole.jsonl", "whole.jsonl: not a bot (the log of a match)"),
    Wrong("replay gone.jsonl", "gone.jsonl: No such file"),
    Wrong("replay empty", "empty is a folder, but a log is a file"),
    Wrong("replay binary.jsonl", "binary.jsonl: line 1: this is not an entry of a match log"),
    Wrong("replay nothing.jsonl", "nothing.jsonl: the file is empty"),
    Wrong("replay cut.jsonl", "cut.jsonl: line "),
    Wrong("replay tail.jsonl", "the log is cut off"),
    Wrong("replay headless.jsonl", "a match log begins with its `match` line"),
    Wrong("replay rules.jsonl", "rules version 9"),
    Wrong("replay format.jsonl", "does not know format 2, only 1"),
    Wrong("replay chess.jsonl", "unknown game 'chess'"),
    Wrong("replay false.jsonl", "false.jsonl: line "),
    Wrong("replay --verify false.jsonl", ", got ", status=1),
    Wrong("replay whole.jsonl cut.jsonl", "one log at a time can be shown"),
    Wrong("replay whole.jsonl --deal 7", "whole.jsonl has deals 1 to 1"),
    Wrong("replay whole.jsonl --seat 3", "whole.jsonl has seats 0 to 2"),
    Wrong("standings", "Missing argument 'DIR...'"),
    Wrong("standings empty", "empty: no tournament was run here"),
    Wrong("standings gone", "gone: no tournament was run here"),
    Wrong("standings damaged", "entry 1 is not what was written"),
    Wrong("standings newer", "does not know format 99, only 1"),
    Wrong("standings garbage", "damaged (file is not a database)"),
    Wrong("tournament bots/ada.py bots/bob.py --plan 0", "Invalid value for '--plan'"),
    Wrong("tournament bots/ada.py bots/bob.py --like empty", "--like DIR needs --plan MARGIN"),
    Wrong("tournament bots/ada.py bots/bob.py --until noon", "'noon' is not a time like 11:30"),
    Wrong("tournament bots/ada.py bots/bob.py --until 2020-01-01T10:00", "name a time in the future"),
    Wrong("tournament bots/ada.py bots/bob.py --minutes -1", "Invalid value for '--minutes'"),
    Wrong("tournament bots/ada.py bots/bob.py --minutes 0", "no round fits"),
    Wrong("tournament bots/ada.py bots/bob.py --minutes 5 --until 11:30", "give only one of them"),
    Wrong(
        "tournament bots/ada.py bots/bob.py --minutes 5 --format knockout", "--format swiss, round-robin and"
    ),
    Wrong("tournament bots/ada.py bots/bob.py --minutes 5 --like empty", "empty: no tournament was run here"),
    Wrong("resume run --until noon", "'noon' is not a time like 11:30"),
    Wrong("tournament bots/ada.py bots/bob.py --plan 1 --like empty", "empty: no tournament was run here"),
    Wrong("check", "`arena check BOT...` checks bots, `arena check --game ID` a game"),
    Wrong("check --game chess", "unknown game 'chess'"),
    Wrong("check --game ole --seats 2", "ole is played by 3 to 8 seats, not 2"),
    Wrong("check --game ole --seats 9", "9 is not in the range"),
    Wrong("check --game ole --matches 0", "0 is not in the range"),
    Wrong("check --game ole --judge gone:second", "--judge gone:second: ModuleNotFoundError: No module"),
    Wrong("check --game ole --judge second", "--judge second: ValueError: write it as MODULE:FUNCTION"),
    Wrong("check --game ole --html pages", "--html cannot be used here: without a bot, the command"),
    Wrong(
        "check bots/ada.py --matches 3",
        "--matches cannot be used here: it is for checking the rules of a game",
    ),
    Wrong("check gone.py", "gone.py: there is no such file"),
    Wrong("check notes.txt", "none of these is a bot"),
    Wrong("check bots/ada.py --transcript no/where", "there is no folder"),
    Wrong("check bots/ada.py --game chess", "unknown game 'chess'"),
    Wrong("faults", "Missing argument 'DIR'"),
    Wrong("faults empty", "empty: no tournament was run here"),
    Wrong("faults cut.jsonl", "cut.jsonl: line "),
    Wrong("rerun whole.jsonl -- true", "Missing option '--seat'"),
    Wrong("rerun false.jsonl --seat 0 -- true", "false.jsonl: line "),
    Wrong("rematch whole.jsonl --seat 9 bots/ada.py", "whole.jsonl has seats 0 to 2"),
    Wrong("rematch whole.jsonl --seat 0 notes.txt", "notes.txt: not a bot"),
    Wrong("config empty", "empty: no tournament was run here"),
    Wrong("games chess", "unknown game 'chess'"),
    Wrong("games --rules", "arena games GAME --rules"),
    Wrong("games --schema", "arena games GAME --schema"),
    Wrong("completion tcsh", "'tcsh' is not one of"),
    Wrong("new", "arena new python mybot"),
    Wrong("new mine", "arena new python mine"),
    Wrong("new python", "arena new python mybot"),
    Wrong("new --kit --game mine", "a language and a folder"),
    Wrong(
        "new --game ole",
        "there is already a game with this name; for a bot: arena new python mybot --game ole",
    ),
    Wrong("new --game My_Game", "a game's name is letters a–z, digits and single hyphens"),
    Wrong("bots chess", "unexpected extra argument (chess)"),
    Wrong("pairings empty", "empty: no tournament was run here"),
    Wrong("report empty", "empty: no tournament was run here"),
    Wrong("resume empty", "empty: no tournament was run here"),
    Wrong("withdraw run ada", "Missing option '--reason'"),
    Wrong("annul run r01-p001-s01", "Missing option '--reason'"),
    Wrong("league frobnicate", "No such command 'frobnicate'"),
    Wrong("league new", "Missing argument 'DIR'"),
    Wrong("league new autumn", "--board GAME:SEATS, such as sticheln:4"),
    Wrong("league new autumn --board sticheln", "a board is GAME:SEATS, such as sticheln:4"),
    Wrong("league new autumn --board sticheln:99", "sticheln is played by 3 to 6 seats, not 99"),
    Wrong("league new autumn --board chess:4", "unknown game 'chess'"),
    Wrong("league new autumn --board sticheln:2", "sticheln is played by 3 to 6 seats, not 2"),
    Wrong("league new autumn --board ole:4 --board ole:4", "--board: a board may be named only once"),
    Wrong("league new autumn --board ole:4 --anchor greedy", "not a builtin bot; they are heuristic, search"),
    Wrong("league new season --board sticheln:3", "play it with `arena league run season`"),
    Wrong("league new run --board sticheln:3", "it contains something else"),
    Wrong(
        "league author empty red",
        "empty: there is no league here (league-0001.db is missing); to begin one: `arena league new`",
    ),
    Wrong("league author season Red", "'Red' cannot be an author's name (1 to 16 of a–z 0–9 -)"),
    Wrong("league author season house", "house is the author of the anchors; choose another name"),
    Wrong("league add season bots/ada.py", "Missing option '--author'"),
    Wrong("league add season bots/ada.py --author blue", "no author is called 'blue'"),
    Wrong("league add season gone.py --author red", "gone.py: there is no such file or folder"),
    Wrong("league add season bots/ada.py --author red --name A/B", "a bot's name is 1 to 16 of a–z 0–9 -"),
    Wrong("league run empty", "empty: there is no league"),
    Wrong("league run season --draws -1", "-1 is not in the range"),
    Wrong("league run season --pages gone/site", "--pages gone/site: there is no folder"),
    Wrong("league report empty", "empty: there is no league here (league-0001.db is missing)"),
    Wrong("league report season --out pages", "pages: it contains index.html, which is no page of a league"),
    Wrong("match bots/ada.py --log /dev/null", "--log /dev/null: a device is there, which a file"),
    Wrong("league report season --out gone/site", "--out gone/site: there is no folder"),
    Wrong("league report season --out damaged/tournament.db", "is a file"),
    Wrong("league standings run", "run is a tournament: arena standings run"),
    Wrong("league versions season reb", "no bot or author is called 'reb'; did you mean 'red'?"),
    Wrong("league why season 1", "there is no draw 1; none was drawn yet"),
    Wrong("league pause season red/mybot@1 --reason x", "no version is called 'red/mybot@1'"),
    Wrong("league retire season house/random@1", "Missing option '--reason'"),
    Wrong("league annul season 1 --reason x", "no draw 1 was played"),
    Wrong("league close season --reason x --finals -1", "-1 is not in the range"),
    Wrong("league panel season house/random@1", "a panel of sticheln:3 needs at least 4 versions"),
    Wrong("league panel season house/random@2", "house/random@2 is not a version on sticheln:3"),
    Wrong("league panel season house/random@1 --board ole:5", "there is no board 'ole:5'"),
    Wrong("league freeze season", "Missing option '--reason'"),
    Wrong("league reveal empty", "empty: there is no league"),
    Wrong("league prune season --to 1", "draw 1 is not over yet"),
    Wrong("league export season run", "run: it already exists; choose a different folder"),
    Wrong("league verify empty", "empty: there is no league"),
    Wrong("export empty", "empty: no tournament was run here"),
    Wrong("docs novel", "unknown document 'novel'"),
    Wrong("docs tutorial --short", "--short: only llms has a short form"),
    Wrong("docs --game ole", "--game: only llms has a short form"),
    Wrong("docs llms --game chess", "unknown game 'chess'"),
]


def tree(folder: Path) -> dict[str, float]:
    """Everything below a folder but what reading a database leaves beside it."""
    return {
        str(path): path.stat().st_mtime_ns
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.suffix not in (".db-wal", ".db-shm")
    }


def test_every_command_is_called_wrongly() -> None:
    called = {word for wrong in CALLS for word in wrong.call.split()[:1]}
    assert called >= {*COMMANDS}


@pytest.mark.parametrize("wrong", CALLS, ids=lambda wrong: wrong.call)
def test_a_wrong_call(wrong: Wrong, place: Path) -> None:
    before = tree(place)
    words = re.findall(r"\S+", wrong.call)
    call = arena(*words, folder=place)
    assert wrong.why in call.err
    assert call.status == wrong.status
    errors = [
        line
        for line in call.err.splitlines()
        if not re.search("skipped, not a bot|left out|shares? (its )?core", line)
    ]
    assert len(errors) == 1
    assert call.out in ("", "0 of 1 log verified\n")
    assert tree(place) == before


def test_there_are_at_least_forty() -> None:
    assert len(CALLS) >= 40


@pytest.mark.parametrize(
    "call", ["tournament bots/ada.py --json", "standings empty --json", "replay gone.jsonl --json"]
)
def test_with_json_the_error_is_json_too(call: str, place: Path) -> None:
    done = arena(*call.split(), folder=place)
    assert done.status == 2
    error = msgspec.json.decode(done.out)
    assert error["exit"] == 2
    assert f"arena: {error['error']}\n" in done.err


@pytest.mark.needs("root")
def test_a_full_disk_costs_nothing_that_was_played(place: Path, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", disk], check=True)
    try:
        bots = ["bots/ada.py", "bots/bob.py", "bots/cy.py"]
        call = arena(
            "tournament", *bots, "--seats", 3, "--rounds", 9, *CHEAP, "--out", disk / "run", folder=place
        )
        assert call.status == 2
        assert "Traceback" not in call.err
        assert "what was played before is safe" in call.err
        logs = sorted((disk / "run" / "matches").glob("*"))
        assert arena("replay", "--verify", *logs).status == 0
        assert arena("standings", disk / "run").status == 0
    finally:
        subprocess.run(["umount", disk], check=True)


def test_an_error_of_ours_says_so(place: Path) -> None:
    """Exit 4, the only case in which there is a traceback."""
    code = (
        "import sys, arena.cli, arena.commands.games\n"
        "arena.commands.games._facts = None\n"
        "sys.argv = ['arena', 'games', '--json']\n"
        "arena.cli.main()"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 4
    assert "Traceback" in done.stderr
    assert "this is a bug in the arena" in done.stderr
