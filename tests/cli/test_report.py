"""`arena report` and `arena replay --html` from the command line."""

import shutil
from pathlib import Path

import pytest

from tests.cli.calls import BOTS, ROOT, arena
from tests.report.knowing import data_of

THREE = [ROOT / "bots" / name for name in ("careful.py", "greedy.py", "random.py")]


@pytest.fixture(scope="module")
def spring(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run directory of a tournament that wrote its own report."""
    run = tmp_path_factory.mktemp("report") / "spring"
    words = ("--seats", 3, "--rounds", 1, "--deals", 1, "--seed", 7, "--keep-bots", "--out", run, "--report")
    call = arena("tournament", *THREE, *words)
    assert call.status == 0, call.err
    assert f"report: {run / 'report.html'}" in call.err
    return run


def test_a_tournament_leaves_its_report(spring: Path) -> None:
    page = (spring / "report.html").read_text()
    assert "<h1>spring</h1>" in page
    assert "finished" in page
    assert len(list((spring / "replays").iterdir())) == 6


def test_a_report_names_the_page_that_it_wrote(spring: Path) -> None:
    call = arena("report", spring, "--no-replays")
    assert call.status == 0, call.err
    assert call.out.strip() == str(spring / "report.html")
    assert "replays/" not in (spring / "report.html").read_text().partition("<body")[2]
    call = arena("report", spring)
    assert "6 replays" in call.err


def test_a_report_that_lacks_something_is_written_and_says_so(spring: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(spring, run)
    log = run / "matches" / "r01-p001-s01.jsonl"
    whole = log.read_text()
    log.write_text(whole[:500])
    call = arena("report", run)
    assert (call.status, call.out.strip()) == (2, str(run / "report.html"))
    assert call.err.splitlines()[-1].startswith(f"arena: {log}: this is not the log that was written; ")
    assert "5 replays" in call.err
    log.write_text(whole)
    assert arena("report", run).status == 0


def test_a_log_that_is_missing_is_named_with_the_way_out(spring: Path, tmp_path: Path) -> None:
    run = shutil.copytree(spring, tmp_path / "run")
    log = run / "matches" / "r01-p001-s01.jsonl"
    log.unlink()
    told = f"{log}: cannot be read (No such file or directory); restore that file, or annul the match"
    for command in (("faults", run), ("export", run, "--rows", "decisions"), ("report", run)):
        call = arena(*command)
        assert call.status == 2
        assert told in call.err


@pytest.mark.thorough  # 2 s of processor.
@pytest.mark.parametrize("way", [(), ("--quiet",)])
def test_a_tournament_without_the_report_that_was_asked_for_says_so(
    spring: Path, tmp_path: Path, way: tuple[str, ...]
) -> None:
    run = shutil.copytree(spring, tmp_path / "run")
    (run / "report.html").unlink()
    (run / "report.html").mkdir()
    call = arena("resume", run, "--report", *way)
    assert call.status == 2
    why = "a folder is there, which a file cannot replace; move it away"
    assert f"{run / 'report.html'}: the report cannot be written ({why})" in call.err
    assert "next: arena report" not in call.err
    assert call.err.count(why) == 1
    assert "careful" in call.out
    (run / "report.html").rmdir()
    call = arena("resume", run, "--report", *way)
    assert (call.status, f"report: {run / 'report.html'}" in call.err) == (0, True)


def test_the_heading_is_the_organisers(spring: Path) -> None:
    words = ("--title", "Spring Cup", "--subtitle", "the finals", "--date", "7 May", "--organiser", "us")
    call = arena("report", spring, "--no-replays", *words)
    assert call.status == 0, call.err
    head = (spring / "report.html").read_text().partition("<body")[2].partition("<main")[0]
    for told in ("<h1>Spring Cup</h1>", "the finals", "7 May", "organised by us"):
        assert told in head


def test_the_help_teaches() -> None:
    told = arena("report", "--help").out
    for words in ("arena report spring", "--with-stderr", "no network", "reveal no cards"):
        assert words in told


def test_a_log_becomes_a_page_of_all_or_of_one_seat(spring: Path, tmp_path: Path) -> None:
    log = spring / "matches" / "r01-p001-s01.jsonl"
    page = tmp_path / "match.html"
    assert arena("replay", log, "--html", page).status == 0
    assert data_of(page.read_text())["seat"] is None
    assert arena("replay", log, "--html", page, "--seat", 2).status == 0
    assert data_of(page.read_text())["seat"] == 2


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("report", "nowhere"), "no tournament was run here"),
        (
            ("replay", "{log}", "--html", "no/such/folder/x.html"),
            "--html no/such/folder/x.html: there is no folder",
        ),
        (("replay", "{log}", "--html", "x.html", "--seat", 3), "seats 0 to 2"),
        (("replay", "{log}", "--html", "x.html", "--deal", 1), "--deal"),
        (("replay", "{log}", "--with-stderr"), "--html"),
    ],
)
def test_a_mistake_is_one_line(spring: Path, words: tuple[str, ...], told: str, tmp_path: Path) -> None:
    log = str(spring / "matches" / "r01-p001-s01.jsonl")
    call = arena(*(str(word).format(log=log) for word in words), folder=tmp_path)
    assert call.status == 2
    assert told in call.err
    assert len(call.err.splitlines()) == 1


@pytest.mark.thorough
def test_standard_error_comes_with_the_page_if_asked_for(tmp_path: Path) -> None:
    bot = tmp_path / "talks.py"
    bot.write_text("import sys\nprint('HELLO', file=sys.stderr, flush=True)\n" + Path(BOTS[0]).read_text())
    run = tmp_path / "run"
    assert arena("tournament", bot, *THREE[:2], "--seats", 3, "--rounds", 1, "--out", run).status == 0
    log, page = run / "matches" / "r01-p001-s01.jsonl", tmp_path / "page.html"
    assert arena("replay", log, "--html", page, "--with-stderr").status == 0
    assert [text.strip() for text in data_of(page.read_text())["stderr"]].count("HELLO") == 1
