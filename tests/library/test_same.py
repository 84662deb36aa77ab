"""The same by a command and by a call: journals, logs, tables, verdicts."""

import copy
import pickle
from pathlib import Path
from typing import Any

import msgspec
import pytest

import arena
from arena.director.journal import Journal
from tests.cli.calls import ROOT
from tests.cli.calls import arena as command

BOTS = [str(ROOT / "bots" / name) for name in ("careful.py", "greedy.py", "random.py")]
SILENT: Any = {"on_progress": False}
BRIEF: Any = {"deals": 1, "seats": 3, "duplicates": False, "seed": 7}


def unmeasured(log: str) -> list[Any]:
    """The lines of a log without the times that were measured."""

    def without(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: without(part) for key, part in value.items() if key not in ("us", "measured")}
        return [without(part) for part in value] if isinstance(value, list) else value

    return [without(msgspec.json.decode(line)) for line in log.splitlines()]


def played(folder: Path) -> tuple[object, dict[str, list[Any]]]:
    """The first entry of the journal, and each match's log."""
    with Journal(folder) as journal:
        entries = [entry for entry in journal.entries if hasattr(entry, "outcome")]
        return journal.entries[0], {
            one.match_id: unmeasured(journal.read_log(one.match_id)) for one in entries
        }


FORMATS: list[tuple[list[str], dict[str, Any]]] = [
    (["--rounds", "1", "--deals", "1", "--no-duplicates", "--title", "greedy=Gierig"],
     {"rounds": 1, "deals": 1, "duplicates": False, "titles": {"greedy": "Gierig"}}),
    (["--game", "ole", "--format", "gauntlet", "--challenger", "careful", "--rounds", "2", "--no-duplicates",
      "--deals", "1", "--seats", "3", "--time", "2s+5s", "--author", "careful=Ada"],
     {"game": "ole", "format": "gauntlet", "challengers": ["careful"], "rounds": 2, "duplicates": False,
      "deals": 1, "seats": 3, "time": "2s+5s", "authors": {"careful": "Ada"}}),
    (["--game", "david-and-goliath", "--format", "knockout", "--deals", "1", "--seats", "3",
      "--no-duplicates", "--faults", "3", "--keep-bots", "--ponder", "--sandbox", "rlimits",
      "--memory", "256"],
     {"game": "david-and-goliath", "format": "knockout", "deals": 1, "seats": 3,
      "duplicates": False, "faults": 3, "keep_bots": True, "ponder": True, "sandbox": "rlimits",
      "memory": 256}),
]  # fmt: skip


@pytest.mark.thorough  # 6 s of processor.
@pytest.mark.parametrize(("words", "arguments"), FORMATS)
def test_a_tournament(words: list[str], arguments: dict[str, Any], tmp_path: Path) -> None:
    by_command, by_call = tmp_path / "command", tmp_path / "call"
    called = command("tournament", *BOTS, *words, "--seed", 7, "--out", by_command, "--quiet")
    assert called.status == 0, called.err
    run = arena.tournament(BOTS, **arguments, seed=7, out=by_call, **SILENT)
    assert played(by_command) == played(by_call)
    table = command("standings", by_command, "--json").out
    assert table == command("standings", by_call, "--json").out
    assert msgspec.json.decode(table) == run.standings_data()
    rows = [command("export", folder, "--rows", "matches").out for folder in (by_command, by_call)]
    assert rows[0] == rows[1]


def test_a_match(tmp_path: Path) -> None:
    log = tmp_path / "match.jsonl"
    called = command("match", *BOTS, "--seed", 7, "--deals", 2, "--log", log, "--json")
    assert called.status == 0, called.err
    by_call = arena.match(BOTS, seed=7, deals=2, **SILENT)
    assert unmeasured(log.read_text()) == unmeasured(by_call.text)
    assert by_call.seed == "7"
    assert arena.replay(log).story() == command("replay", log, "--print").out.removesuffix("\n")


@pytest.mark.thorough  # 5 s of processor; tests/cli/test_compare has the command.
def test_a_comparison(tmp_path: Path) -> None:
    """Its sentences have its numbers; those in JSON are these (tests/cli/test_compare.py)."""
    bots = [str(tmp_path / f"{name}.sh") for name in "abc"]
    for bot in bots:
        Path(bot).write_text("exit 3")
    words = ("compare", *bots[:2], "--against", bots[2], "--seed", 7, "--budget", 10, "--seats", 3)
    found = arena.compare(*bots[:2], against=bots[2:], seed=7, budget=10, seats=3, sandbox="none", **SILENT)
    assert command(*words, "--sandbox", "none").out.splitlines() == list(found.result)
    assert str(found.answer.units) in found.result[1]


@pytest.mark.thorough  # 2 s of processor.
def test_a_check(tmp_path: Path) -> None:
    by_command: Any = command("check", BOTS[1], "--game", "ole", "--json").json
    checked = arena.check(BOTS[1], game="ole", **SILENT)
    assert checked.passed
    steps = [finding.step for one in checked.checked for finding in one.findings]
    assert steps == [finding["step"] for finding in by_command[0]["steps"]]


@pytest.mark.thorough  # 5 s of processor; tests/cli/test_durable.py has the commands.
def test_the_organisers_hand(tmp_path: Path) -> None:
    run = arena.tournament(BOTS, rounds=1, **BRIEF, out=tmp_path / "run", **SILENT)
    first = run.matches[0].match
    assert not run.annul(first, "the machine was asleep").over
    again = run.resume(**SILENT)
    assert again.over
    assert not again.verify().wrong
    assert [row["reason"] for row in again.standings_data()["by_organiser"]] == ["the machine was asleep"]
    further = again.admit("heuristic", **SILENT).resume(rounds="+1", **SILENT)
    assert (further.over, further.settings.rounds) == (True, 2)
    assert "heuristic" in {row.bot for row in further.matches}
    assert not further.verify().wrong


@pytest.mark.thorough  # 2 s of processor.
def test_settings_written_by_a_command_are_arguments_of_a_call(tmp_path: Path) -> None:
    first = arena.tournament(BOTS, rounds=1, **BRIEF, out=tmp_path / "first", **SILENT)
    (tmp_path / "run.toml").write_text(first.config)
    second = arena.tournament(**arena.arguments(tmp_path / "run.toml"), out=tmp_path / "second", **SILENT)
    assert second.standings_data() == first.standings_data()


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: arena.match(["gone.py"], **SILENT), "gone.py: there is no such file"),
        (lambda: arena.match(BOTS, game="chess", **SILENT), "chess"),
        (lambda: arena.match(BOTS, deals=0, **SILENT), r"deals: Expected `int` >= 1"),
        (lambda: arena.match(BOTS, deals="two", **SILENT), r"deals: Expected"),
        (lambda: arena.match(BOTS, time="fast", **SILENT), "time: 'fast' is not a time like 250ms"),
        (lambda: arena.match(BOTS, sandbox="jail", **SILENT), "the levels are bwrap, rlimits, none"),
        (lambda: arena.match(BOTS, options={"x": 1}, **SILENT), "has no such option"),
        (lambda: arena.tournament(BOTS[:1], **SILENT), "a tournament needs two bots"),
        (lambda: arena.open("nowhere"), "nowhere"),
        (lambda: arena.replay("nowhere.jsonl"), "nowhere.jsonl: No such file"),
    ],
)
def test_a_mistake_is_one_line(call: Any, sentence: str) -> None:
    with pytest.raises(arena.UserError, match=sentence) as raised:
        call()
    assert "\n" not in str(raised.value)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> arena.Run:
    """A small one, played with its report."""
    told: list[arena.Progress] = []
    run = arena.tournament(
        ["heuristic", "h2=heuristic"],
        rounds=1,
        **BRIEF,
        out=tmp_path_factory.mktemp("small") / "run",
        report=True,
        on_progress=told.append,
    )
    assert told[-1].done == told[-1].total
    return run


@pytest.mark.thorough  # 3 s of processor.
def test_values_cannot_be_changed_through_what_they_hold(run: arena.Run) -> None:
    run = arena.open(run.folder)
    run.standings[0].forfeits["hack"] = 9
    run.settings.options["hack"] = 9
    assert run.standings[0].forfeits == {}
    assert run.settings.options == {}


def test_values_can_be_pickled_and_copied(run: arena.Run) -> None:
    replay = run.log(run.matches[0].match)
    for value in (run.standings, run.matches, replay.decisions, run.settings):
        assert pickle.loads(pickle.dumps(value)) == value
    assert pickle.loads(pickle.dumps(replay)) == replay == copy.deepcopy(replay)
    assert copy.deepcopy(run).standings_data() == run.standings_data()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"bots": "bots/careful.py"}, "expected a list of bots"),
        ({"bots": {"heuristic"}}, "expected a list of bots"),
        ({"bots": None}, "expected a list of bots"),
        ({"time": 1}, "time: '1' is not a time like 250ms"),
        ({"seed": 1.5}, "seed 1.5: expected a string or a whole number"),
        ({"seed": "\ud800"}, "an argument cannot be sent"),
        ({"options": ["a=b"]}, "options: expected a dictionary"),
        ({"titles": ["a=b"]}, "titles: expected a dictionary"),
        ({"memory": 1}, "^memory: Expected `int` >= 16"),
        ({"allow": "/opt"}, "allow: expected a list"),
        ({"log": ""}, "expected a path"),
        ({"log": "a\0b"}, "expected a path"),
        ({"on_progress": 5}, "on_progress 5: expected a function, None or False"),
        ({"seats": 9}, "^sticheln is played by 3 to 6 seats, not 9"),
        ({"titles": {"nobody": "x"}}, "^titles nobody=x: no bot is called 'nobody'"),
    ],
)
def test_an_argument_of_another_kind_is_named(arguments: dict[str, Any], sentence: str) -> None:
    with pytest.raises(arena.UserError, match=sentence):
        arena.match(**{"bots": ["heuristic"], **SILENT, **arguments})


def test_the_report_is_written_when_all_is_over(run: arena.Run) -> None:
    assert len([*(run.folder / "replays").iterdir()]) == len({row.match for row in run.matches})
