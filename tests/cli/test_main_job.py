"""What the arena is for, from the outside: a tournament, a match, a replay, as a new user calls them."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.calls import BOTS, ROOT, Call, arena
from tests.support.jobs import alive
from tests.support.programs import MISBEHAVING, Program

QUICK = ("--seed", "7", "--rounds", "1", "--deals", "1", "--no-duplicates")


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Call]:
    """A tournament of the sample bots, and what it said."""
    folder = tmp_path_factory.mktemp("told") / "run"
    return folder, arena("tournament", *BOTS, *QUICK, "--jobs", 2, "--out", folder)


def test_a_tournament_ends_with_the_standings_of_every_bot(told: tuple[Path, Call]) -> None:
    _, call = told
    assert call.status == 0, call.err
    for path in BOTS:
        assert Path(path).stem in call.out
    assert "seed SHA-256: 7902699be42c8a8e46fbbb4501726517e86b22c56a189f7625a6da49081b2451" in call.err
    assert "guessable" in call.err
    assert "forfeit" not in call.err + call.out


def test_any_number_of_jobs_gives_the_same_bytes(told: tuple[Path, Call], tmp_path: Path) -> None:
    by_two, _ = told
    by_one = tmp_path / "run"
    assert arena("tournament", *BOTS, *QUICK, "--jobs", 1, "--out", by_one).status == 0
    tables = [arena("standings", folder, "--json").out for folder in (by_one, by_two)]
    assert tables[0] == tables[1]
    logs = [
        {path.name: re.sub(r'"us":\d+', "", path.read_text()) for path in sorted(folder.glob("matches/*"))}
        for folder in (by_one, by_two)
    ]
    assert len(logs[0]) == -(-len(BOTS) // 4)
    assert logs[0] == logs[1]


def test_true_logs_are_told_from_false_ones(told: tuple[Path, Call], tmp_path: Path) -> None:
    shutil.copytree(told[0] / "matches", tmp_path / "matches")
    paths = sorted((tmp_path / "matches").iterdir())
    call = arena("replay", "--verify", *paths)
    assert call.status == 0
    assert re.fullmatch(rf"{len(paths)} of {len(paths)} logs? verified\n", call.out)

    lines = paths[0].read_text().splitlines()
    at = next(at for at, line in enumerate(lines) if '"event":"played"' in line and at > 100)
    lines[at] = re.sub(r'"card":"([A-Z])(\d+)"', lambda m: f'"card":"{m[1]}{int(m[2]) ^ 1}"', lines[at])
    paths[0].write_text("\n".join(lines) + "\n")
    call = arena("replay", "--verify", *paths)
    assert call.status == 1
    assert re.search(rf"line {at + 1}, deal \d, seat \d: ", call.err)
    assert re.fullmatch(rf"{len(paths) - 1} of {len(paths)} logs? verified\n", call.out)


def test_without_node_the_javascript_bot_is_named_and_the_rest_plays(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    bots = [ROOT / "bots" / name for name in ("careful.py", "counter.js", "random.py")]
    words = ("--seed", 7, "--rounds", 1, "--deals", 1, "--seats", 3, "--no-duplicates")
    call = arena("tournament", *bots, *words, "--out", tmp_path / "run", env={"PATH": str(tmp_path / "bin")})
    assert call.status == 0
    assert "counter: left out, node is not on the PATH" in call.err
    assert re.search(r"counter +node is not on the PATH", call.out)
    assert re.search(r"1 +careful", call.out)


def test_every_kind_of_loser_forfeits_and_the_table_says_who_and_why(tmp_path: Path) -> None:
    names = ("exits", "sleeps", "nonsense", "lacks-the-card")
    for name in names:
        (tmp_path / f"{name}.py").write_text(MISBEHAVING[name].source())
    (tmp_path / "echo.py").write_text(Program().source())
    bots = sorted(tmp_path.glob("*.py"))
    words = ("--rounds", 1, "--deals", 1, "--no-duplicates", "--time", "200ms", "--seed", 7)
    call = arena("tournament", *bots, *words, "--out", tmp_path / "run")
    assert call.status == 0, call.err
    for name, kind in zip(names, ("exited", "timeout", "malformed", "illegal"), strict=True):
        assert re.search(rf"– +.*|\d +{name} .*{kind}", call.out)
        assert re.search(rf"{name} +{kind} +\d +r01-p\d+-s\d+, deal 1, request 9 ", call.out)
    assert "forfeits (timeout)" in call.err
    assert alive(tmp_path) == []


def test_a_match_its_log_and_its_replay(tmp_path: Path) -> None:
    log = tmp_path / "match.jsonl"
    bots = [ROOT / "bots" / name for name in ("greedy.py", "greedy.py", "careful.py")]
    match = arena("match", *bots, "--seed", "7", "--log", log)
    assert match.status == 0, match.err
    assert re.search(r"\d +careful +2 ", match.out)
    assert "greedy-2" in match.out

    whole = arena("replay", log)
    assert whole.status == 0
    assert whole.out.count("pain cards:") == 3
    assert len(re.findall(r"→ .* takes it", whole.out)) == 3 * 14

    one = arena("replay", log, "--deal", 2, "--seat", 1)
    assert one.out.count("pain cards:") == 1
    assert len(re.findall(r"^ +\S+ +(?:[A-Z]\d+ ?){15}$", one.out, re.MULTILINE)) == 1


@pytest.mark.thorough  # 1 s of processor; any number of jobs does the same.
def test_the_same_seed_is_the_same_match() -> None:
    bots = [ROOT / "bots" / name for name in ("greedy.py", "random.py", "careful.py")]
    one, two = (arena("match", *bots, "--seed", "abc", "--json") for _ in range(2))
    assert one.json["seats"] == two.json["seats"]  # type: ignore[index]


def test_help_loads_nothing_that_it_does_not_use() -> None:
    loaded = arena("--help", env={"PYTHONPROFILEIMPORTTIME": "1"}).err
    assert "arena.cli" in loaded
    for slow in ("trio", "rich", "numpy", "msgspec", "asyncio"):
        assert not re.search(rf"\| +{slow}$", loaded, re.MULTILINE), f"{slow} is loaded"


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("tournament",), "Missing argument 'BOT...'"),
        (("tournament", "bots/greedy.py"), "a tournament needs two bots, but there is only one"),
        (("tournament", "bots/greedy.py", "bots/greedy.py"), "two bots are called 'greedy'"),
        (("tournament", "nowhere.py", "bots/greedy.py"), "nowhere.py: there is no such file"),
        (("match", "README.md"), "not a bot"),
        (("match", "bots/greedy.py", "--game", "chess"), "unknown game 'chess'; choose from sticheln"),
        (("match", "bots/greedy.py", "--seats", "9"), "is played by 3 to 6 seats, not 9"),
        (("match", "bots/greedy.py", "--deals", "0"), "0 is not in the range"),
        (("match", "bots/greedy.py", "--time", "1parsec"), "not a time like 250ms, 1s or 2m"),
        (("match", "bots/greedy.py", "--option", "x=1"), "no such option"),
        (("match", "bots/greedy.py", "--log", "no/where/x"), "there is no folder"),
        (("replay", "nowhere.jsonl"), "nowhere.jsonl: No such file"),
        (("replay", "README.md"), "README.md: line 1: this is not an entry of a match log"),
        (("standings", "bots"), "bots: no tournament was run here"),
        (("frobnicate",), "unknown command 'frobnicate'"),
    ],
)
def test_a_wrong_call_gets_one_line_and_exit_2(words: tuple[str, ...], why: str) -> None:
    call = arena(*words)
    assert call.status == 2
    assert call.out == ""
    assert why in call.err
    assert call.err.count("\n") == 1
    assert "Traceback" not in call.err


def test_output_that_nobody_reads_to_the_end_is_no_error(tmp_path: Path) -> None:
    log = tmp_path / "match.jsonl"
    bots = [ROOT / "bots" / "greedy.py"] * 3
    assert arena("match", *bots, "--log", log).status == 0
    shell = shutil.which("sh")
    assert shell is not None
    command = f"{shlex.quote(sys.executable)} -m arena replay {log} --notes | head -1"
    done = subprocess.run([shell, "-c", command], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout.count("\n") == 1
    assert done.stderr == ""


def test_without_a_word_it_says_what_there_is() -> None:
    call = arena()
    assert call.status == 2
    assert call.err.startswith("Usage: arena")
    assert "\n  tournament  " in call.err


def test_an_option_without_its_value_names_the_help_of_its_command() -> None:
    call = arena("match", "--seats")
    assert call.status == 2
    assert call.err == "arena: Option '--seats' requires an argument. (see arena match --help)\n"
