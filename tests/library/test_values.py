"""What `import arena` gives back when it reads: the same as the commands print, as values."""

import asyncio
import csv
import importlib
import io
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
import trio

from arena.director.director import run
from arena.director.journal import FILE, Journal
from arena.library.replay import Replay, replay, replay_of
from arena.library.rows import Rows
from arena.library.run import Run, open_run
from arena.log.entries import AnyEntry, LogWriter
from arena.system.errors import UserError
from tests.cli.calls import arena as called
from tests.support.directors import created, nothing
from tests.support.logs import chance_log
from tests.support.programs import ECHO, MISBEHAVING, Program, entrant

MARKUP = "<b>&"
NOTED = Program(asked='answer = answer[:-1] + \', "note": "=<i>lowest</i>"}\'')
TABLES = (
    "entrants",
    "standings",
    "superiority",
    "meetings",
    "seat_gains",
    "matches",
    "deals",
    "decisions",
    "faults",
    "excess",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of a finished run: three rounds of four bots, one of which dies, and two house bots; each
    deal is played once."""
    made = tmp_path_factory.mktemp("values")
    programs = {"ada": ECHO, "bob": NOTED, "cy": ECHO, "dies": MISBEHAVING["exits"]}
    entrants = [entrant(made, name, program) for name, program in programs.items()]
    entrants[3] = msgspec.structs.replace(entrants[3], title=MARKUP)
    settings = msgspec.structs.replace(created(made, rounds=3), entrants=tuple(entrants), duplicates=False)
    with Journal.create(made / "run", settings) as journal:
        trio.run(run, journal, 2, nothing)
    return made / "run"


@pytest.fixture(scope="module")
def opened(folder: Path) -> Run:
    return open_run(folder)


@pytest.fixture(scope="module")
def forfeited(opened: Run) -> Replay:
    """A match that the bot that dies has lost."""
    return opened.log(next(row.match for row in opened.matches if row.forfeit))


def written(entries: list[AnyEntry]) -> str:
    log = LogWriter()
    for entry in entries:
        log.add(entry)
    return log.text()


def table(opened: Run, name: str) -> Rows[msgspec.Struct]:
    rows = getattr(opened, name)
    assert isinstance(rows, Rows)
    return rows


@pytest.mark.thorough  # 4 s of processor; tests/library/test_same.py compares calls with commands.
def test_standings_are_those_of_the_command(folder: Path, opened: Run) -> None:
    assert opened.standings_data() == called("standings", folder, "--json").json
    with_figures = called("standings", folder, "--json", "--margin", 0.5).json
    assert opened.standings_data(margin=0.5) == with_figures
    assert isinstance(with_figures, dict)
    assert opened.rounds_for(0.5) == with_figures["rounds_for_margin"]
    assert opened.superiority.to_dicts() == with_figures["superiority"]
    assert opened.meetings.to_dicts() == with_figures["meetings"]
    assert opened.seat_gains.to_dicts() == with_figures["seats"]
    names = [row["name"] for row in with_figures["entrants"] + with_figures["house"]]
    assert [row.name for row in opened.standings] == names
    assert list(opened.caveats) == with_figures["caveats"]


@pytest.mark.thorough  # 2 s of processor.
@pytest.mark.parametrize("kind", ["matches", "deals", "decisions"])
def test_rows_are_those_of_the_command(folder: Path, opened: Run, tmp_path: Path, kind: str) -> None:
    as_json = called("export", folder, "--rows", kind, "--json").out
    plain = [msgspec.json.decode(line) for line in as_json.splitlines()]
    assert msgspec.json.decode(msgspec.json.encode(table(opened, kind).to_dicts())) == plain
    assert opened.export(tmp_path / "rows", kind, as_json=True).read_text() == as_json
    as_csv = called("export", folder, "--rows", kind).out
    assert opened.export(tmp_path / "rows", kind).read_text() == as_csv
    assert tuple(next(csv.reader(io.StringIO(as_csv)))) == table(opened, kind).columns


def test_everything_else_is_what_the_commands_say(folder: Path, opened: Run) -> None:
    found = called("faults", folder, "--json").json
    assert msgspec.to_builtins({"faults": opened.faults.values, "excess": opened.excess.values}) == (
        msgspec.convert(found, dict[str, tuple[Any, ...]])
    )
    assert opened.config == called("config", folder).out
    verified = opened.verify(opened.digest)
    assert verified.true
    assert verified.as_data() == called("verify", folder, "--json").json
    assert not opened.verify("0" * 64).true
    rounds = called("pairings", folder, "--round", 2, "--json").json
    assert isinstance(rounds, list)
    pods = [{key: value for key, value in pod.items() if key != "round"} for pod in rounds[0]["pods"]]
    explained = [msgspec.json.decode(msgspec.json.encode(pod)) for pod in opened.pairings(2)]
    assert [{key: value for key, value in pod.items() if key != "round"} for pod in explained] == pods
    assert (opened.over, opened.seed, opened.settings.game) == (True, "7", "sticheln")


def test_a_replay_is_what_the_command_says(folder: Path, forfeited: Replay, tmp_path: Path) -> None:
    path = folder / "matches" / f"{forfeited.match}.jsonl"
    assert forfeited.text == path.read_text()
    for words in ([], ["--seat", 1]):
        shown = called("replay", path, "--json", *words).json
        assert isinstance(shown, dict)
        events = forfeited.events(seat=1 if words else None)
        assert msgspec.json.decode(msgspec.json.encode(events)) == shown["events"]
    assert f"{forfeited.story(notes=True)}\n" == called("replay", path, "--notes").out
    page = tmp_path / "page.html"
    assert called("replay", path, "--html", page).status == 0
    assert forfeited.html() == page.read_text()
    assert forfeited.verify() is None
    assert [fault.match for fault in forfeited.faults] == [forfeited.match]
    assert len(forfeited.decisions) == sum(len(turn.actions) for turn in forfeited.turns())
    again = replay(forfeited.save(tmp_path / "log.jsonl"))
    assert again.outcome == forfeited.outcome
    assert "standard error" in forfeited.html(with_stderr=True)


def test_rows_are_a_sequence(opened: Run) -> None:
    rows = opened.deals
    assert rows[0] in rows
    assert list(rows[2:4]) == [rows[2], rows[3]]
    assert rows[1:].columns == rows.columns
    assert rows[:] == rows
    assert len(rows[:0]) == 0
    assert repr(rows[:1]).startswith("<Deals of run: 1 row of match, round, ")
    with pytest.raises(AttributeError):
        rows.values = ()  # type: ignore[misc]


@pytest.mark.thorough  # 2 s of processor.
@pytest.mark.parametrize("name", TABLES)
def test_pandas_and_polars_hold_all_of_it(opened: Run, name: str) -> None:
    rows = table(opened, name)[-90:]
    dicts = rows.to_dicts()
    pandas, polars = rows.to_pandas(), rows.to_polars()
    assert tuple(pandas.columns) == tuple(polars.columns) == rows.columns
    assert len(pandas) == len(polars) == len(rows)
    for at, row in enumerate(dicts):
        for column, value in row.items():
            there = pandas[column].iloc[at]
            # None is None, NaN or NA, as the column has it.
            assert str(there) in ("None", "nan", "<NA>") if value is None else there == value
        back = polars.row(at, named=True)
        for column, value in row.items():
            held = back[column]
            as_text = isinstance(held, str) and not isinstance(value, str)
            plain = msgspec.json.decode(msgspec.json.encode(value))
            assert (msgspec.json.decode(held) if as_text else held) == plain
    # The kinds of empty columns are known too.
    assert rows[:0].to_polars().schema == polars.schema


def test_a_library_that_is_missing_is_named(opened: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)

    monkeypatch.setattr(importlib, "import_module", missing)
    with pytest.raises(UserError, match="pandas is not installed: pip install pandas"):
        opened.deals.to_pandas()
    with pytest.raises(UserError, match="polars is not installed: pip install polars"):
        opened.deals.to_polars()


def test_a_notebook_shows_titles_and_no_markup_of_strangers(opened: Run) -> None:
    shown = opened._repr_html_()
    assert shown == opened.standings._repr_html_()
    assert "&lt;b&gt;&amp;" in shown
    assert "× exited" in shown
    for name in TABLES:
        html = table(opened, name)._repr_html_()
        assert type(html) is str
        assert MARKUP not in html
        assert "<i>" not in html
        assert "http" not in html
    noted = next(row.match for row in opened.matches if row.bot == "bob")
    assert "=&lt;i&gt;lowest" in opened.log(noted).decisions[:60]._repr_html_()


def test_a_long_table_is_shown_in_part(opened: Run) -> None:
    rows = opened.decisions
    html = rows._repr_html_()
    left_out = len(rows) - 30
    assert f"… {left_out} rows left out …" in html
    assert html.count("<tr>") == 1 + 30 + 1
    assert "left out" not in rows[:60]._repr_html_()


def test_the_log_of_a_stranger_is_text_in_a_frame() -> None:
    script = '"></iframe><script>alert(1)</script>'
    log = replay_of(written(list(chance_log("sticheln", 3, names=("a", "b", "c"), text=script).entries)))
    for html in (log._repr_html_(), log.decisions._repr_html_()):
        assert "<script" not in html
        assert html.count("iframe>") in (0, 1)
    assert 'sandbox="allow-scripts"' in log._repr_html_()


def broken(folder: Path, path: Path) -> None:
    shutil.copytree(folder, path)
    with open(path / FILE, "r+b") as file:
        file.write(b"x" * 100)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda at, run: open_run(at / "none"), "none: no tournament was run here"),
        (lambda at, run: (broken(run.folder, at / "b"), open_run(at / "b")), "damaged"),
        (lambda at, run: replay(at / "none"), "No such file or directory"),
        (lambda at, run: replay(at), "a folder"),
        (lambda at, run: replay_of("{}"), "the log: line 1: "),
        (lambda at, run: replay_of("\ud800"), "the log: line 1: "),
        (lambda at, run: replay_of(run.log(run.matches[0].match).text[:-300]), "line "),
        (lambda at, run: run.log("r01-p001-s99"), "no match 'r01-p001-s99' was played"),
        (lambda at, run: run.pairings(9), "round 9: .* has drawn 3 rounds so far"),
        (lambda at, run: run.export(at / "rows", "cards"), "choose from matches, deals, decisions"),
        (lambda at, run: run.export(at / "no" / "rows"), "No such file or directory"),
        (lambda at, run: run.rounds_for(0), "more than 0"),
        (lambda at, run: run.verify(commitment="x"), "expected 64 hex digits"),
        (lambda at, run: run.log(run.matches[0].match).story(deal=2), "deal 2: .* has deals 1 to 1"),
        (lambda at, run: run.log(run.matches[0].match).html(seat=3), "seat 3: .* has seats 0 to 2"),
    ],
)
def test_a_mistake_is_one_line(
    opened: Run, tmp_path: Path, call: Callable[[Path, Run], object], message: str
) -> None:
    with pytest.raises(UserError, match=message) as caught:
        call(tmp_path, opened)
    assert len(str(caught.value).splitlines()) == 1


def test_a_log_that_is_not_true_says_where(forfeited: Replay) -> None:
    assert forfeited.path is not None
    lie = replay_of(forfeited.text.replace('"points":[[', '"points":[[1', 1))
    found = lie.verify()
    assert found is not None
    assert found.line == len(forfeited.text.splitlines())
    assert "the outcome was" in found.text
    for call in (lie.story, lie.html, lie.events, lambda: lie.decisions, lambda: list(lie.turns())):
        with pytest.raises(UserError, match="the outcome was"):
            call()


def test_a_snapshot_stays_as_it_was(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "run")
    opened = open_run(tmp_path / "run")
    (tmp_path / "run" / FILE).unlink()
    assert len(opened.standings) == 6
    assert len(opened.decisions) == sum(
        len(opened.log(id).decisions) for id in {r.match for r in opened.matches}
    )
    with pytest.raises(UserError):
        opened.report()


def test_the_report_is_that_of_the_command(folder: Path, opened: Run) -> None:
    assert called("report", folder, "--no-replays").status == 0
    page = (folder / "report.html").read_text()
    assert opened.report(replays=False).read_text() == page


def test_it_works_in_any_thread_and_inside_of_event_loops(folder: Path) -> None:
    def reads() -> list[Any]:
        opened = open_run(folder)
        return [opened.standings.to_dicts(), len(opened.faults), opened.verify().true]

    async def inside() -> list[Any]:
        return reads()

    found = [reads(), asyncio.run(inside()), trio.run(inside)]
    thread = threading.Thread(target=lambda: found.append(reads()))
    thread.start()
    thread.join()
    assert all(one == found[0] for one in found[1:])
    assert len(found) == 4
