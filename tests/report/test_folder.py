"""A report of thousands of matches: its page and its replays read files, and have to be served. Here a few
dozen are many, but for one thorough test.
"""

import html
import re
import shutil
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import msgspec
import pytest
from playwright import sync_api as playwright

from arena.cli.report import command as report_command
from arena.director.entries import MatchAnnulled, MatchPlayed
from arena.director.journal import Journal
from arena.director.state import Record
from arena.report import REPORT
from arena.report.bots import Bots, MatchOfBots, bots_of
from arena.report.files import (
    ONE_FILE,
    READER,
    WrittenReport,
    write_report,
)
from arena.report.folder import BotFile, PodOfRound
from arena.report.hands import over, remove_open_replays
from arena.report.replay_files import write_one_replay, written_replays
from arena.report.tournament import report_data
from arena.system.errors import UserError
from tests.bench.tables import SIZES, Size, chance_run, play
from tests.cli.calls import ROOT
from tests.support.chromium import chromium
from tests.support.reports import copied, entries_of
from tests.support.served import served

ROWS = 5
REPORT_BYTES = 10_000_000
FILE_BYTES = 300_000
"""Of what a report reads at once."""


def written(run: Path, one_file: int = 10) -> WrittenReport:
    with Journal(run) as journal:
        return write_report(journal, one_file=one_file, rows=ROWS)


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} if folder.exists() else set()


@pytest.fixture(scope="module")
def run(twelve: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """24 matches of twelve bots, one with nasty texts and one that dies; a report that reads files."""
    folder = tmp_path_factory.mktemp("folder") / "run"
    shutil.copytree(twelve, folder)
    assert written(folder).served
    return folder


def content(run: Path, name: str) -> bytes:
    (path,) = (run / "report").glob(f"*-{name}.json")
    return path.read_bytes()


def test_files_hold_every_row_once_and_no_more_than_they_may(run: Path) -> None:
    with Journal(run) as journal:
        data = report_data(journal, replays=over(Record(journal.entries)))
        bots = bots_of(Record(journal.entries), data, "")
    kind = list[MatchOfBots]
    parts = [msgspec.json.decode(content(run, f"matches-{part}"), type=kind) for part in range(1, 6)]
    assert [len(part) for part in parts] == [5, 5, 5, 5, 4]
    assert tuple(chain(*parts)) == bots.matches
    for round_no in (1, 2):
        pods = msgspec.json.decode(content(run, f"round-{round_no}-1"), type=list[PodOfRound])
        assert [pod.pod_no for pod in pods] == [1, 2, 3]
        assert [name for pod in pods for name, _ in pod.members] == [
            name for pod in data.drawings[round_no - 1] for name in pod.names
        ]
        assert all(len(pod.games) == 4 and all(replay for *_, replay in pod.games) for pod in pods)
    for at, bot in enumerate(bots.bots):
        found = msgspec.json.decode(content(run, f"bot-{at + 1}"), type=BotFile)
        own = [match for match in bots.matches if at in [seat.bot for seat in match.seats]]
        assert found.bot == msgspec.structs.replace(bot, best=found.bot.best, worst=found.bot.worst)
        assert list(found.matches) == [match for match in bots.matches if match in found.matches]
        assert {match.match_id for match in own[-ROWS:]} <= {match.match_id for match in found.matches}
        for now, before in ((found.bot.best, bot.best), (found.bot.worst, bot.worst)):
            assert now is not None
            assert before is not None
            assert found.matches[now] == bots.matches[before]
    page = (run / REPORT).read_text()
    embedded = re.findall(r'id="bots" data-rows="report/[0-9a-f]{16}">(.*?)</script>', page)
    assert msgspec.json.decode(embedded[0], type=Bots).matches == ()


def test_only_pages_that_read_may_ask_and_only_their_own_server(run: Path) -> None:
    for name in (REPORT, READER):
        page = (run / name).read_text()
        policy = re.findall(r'Content-Security-Policy" content="(.*?)"', page)[0]
        assert html.unescape(policy).partition("; connect-src ")[2].partition(";")[0] == "'self'"
        assert html.unescape(policy).startswith("default-src 'none'; ")
        assert re.findall(r"url\(|@import|https?://(?!www\.w3\.org/2000/svg|127\.0\.0\.1)", page) == []
        assert page.count("<script") == page.count("</script") == (3 if name == REPORT else 2)
    before_faults = (run / REPORT).read_text().partition("<main")[2].partition('<section id="faults"')[0]
    assert "r01-p001-s01.html" not in before_faults


def test_a_run_that_grows_changes_over_and_back(tmp_path: Path) -> None:
    run = chance_run(tmp_path / "run", Size(8, 2))
    before = written(run, one_file=12)
    assert not before.served
    page = before.report.read_bytes()
    assert len(names(run / "replays")) == 12
    with Journal(run, write=True) as journal:
        record = Record(journal.entries)
        play(journal, record, record.due())
    whole = written(run, one_file=16)
    replays, of_one_file = names(run / "replays"), whole.report.read_bytes()
    assert not whole.served
    assert not (run / READER).exists()
    (run / "replays" / "mine.html").write_text("")
    assert written(run, one_file=15) == (run / REPORT, 16, True, "")
    assert names(run / "replays") == {f"{Path(name).stem}.json" for name in replays} | {"mine.html"}
    rows = names(run / "report")
    assert rows
    assert written(run, one_file=14).served
    assert names(run / "report") == rows
    # With fewer rows in a file the names are others, and those of before are gone.
    with Journal(run) as journal:
        write_report(journal, one_file=0, rows=3)
    assert not rows & names(run / "report")
    written(run, one_file=16)
    assert (run / REPORT).read_bytes() == of_one_file
    assert names(run / "replays") == replays | {"mine.html"}
    assert not (run / "report").exists()
    assert not (run / READER).exists()
    assert page != of_one_file


def test_hands_are_only_those_of_pods_that_are_over(twelve: Path, tmp_path: Path) -> None:
    entries = entries_of(twelve)
    at = max(at for at, entry in enumerate(entries) if isinstance(entry, MatchPlayed))
    run = copied(twelve, tmp_path / "run", at)
    assert written(run).served
    last = entries[at]
    assert isinstance(last, MatchPlayed)
    assert f"{last.match_id[:8]}-s01.json" not in names(run / "replays")
    assert len(names(run / "replays")) == 20
    with Journal(run) as journal:
        assert written_replays(journal, ["r01-p001-s01", "r01-p001-s02"]) == {"r01-p001-s01", "r01-p001-s02"}
    with Journal(run, write=True) as journal:
        journal.add(MatchAnnulled("r01-p001-s03", "a wrong clock"))
        remove_open_replays(journal)
        assert written_replays(journal, ["r01-p001-s01", "r01-p002-s01"]) == {"r01-p002-s01"}
        assert f"{last.match_id[:8]}-s01.json" not in names(run / "replays")
        (run / "replays" / "r01-p002-s01.json").unlink()
        # The first as one that was ordered before.
        for match_id in ("r01-p001-s01", "r01-p002-s01"):
            write_one_replay(journal, match_id)
        assert written_replays(journal, ["r01-p001-s01", "r01-p002-s01"]) == {"r01-p002-s01"}


def test_help_and_guide_say_from_when_on() -> None:
    said = f"eyond {ONE_FILE:,} matches"
    assert said in " ".join((report_command.help or "").split())
    assert said in (ROOT / "docs" / "organiser.md").read_text()


def test_a_stranger_s_link_is_not_followed(twelve: Path, tmp_path: Path) -> None:
    run = copied(twelve, tmp_path / "run", len(entries_of(twelve)))
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    (theirs / "0123456789abcdef-bot-1.json").write_text("")
    (run / "report").symlink_to(theirs)
    with pytest.raises(UserError, match="expected a folder, got a symbolic link"):
        written(run)
    assert not written(run, one_file=24).served
    assert len(names(theirs)) == 1


@pytest.fixture(scope="module")
def browser() -> Iterator["playwright.Browser"]:
    with chromium() as launched:
        yield launched


@pytest.fixture
def page(browser: "playwright.Browser") -> Iterator["playwright.Page"]:
    """A tab that fails the test for whatever is wrong in it."""
    wrong: list[str] = []
    context = browser.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    tab = context.new_page()
    tab.on("console", lambda message: wrong.append(message.text))
    tab.on("pageerror", lambda error: wrong.append(str(error)))
    tab.on("dialog", lambda dialog: (wrong.append(dialog.message), dialog.dismiss()))
    yield tab
    context.close()
    assert wrong == []


@pytest.mark.thorough  # 5 s of processor.
@pytest.mark.needs("chromium")
def test_served_it_reads_what_is_opened_or_searched(page: "playwright.Page", run: Path) -> None:
    with served(run) as (address, asked):
        page.goto(address)
        assert page.locator("#standings-table tbody tr").count() == 12
        assert [path for path, _ in asked] == ["/report.html"]
        # A table of matches in parts.
        matches = page.locator("#matches tbody tr")
        page.locator("#matches").scroll_into_view_if_needed()
        page.get_by_text("1–5 of 24").wait_for()
        assert matches.count() == 5
        page.get_by_role("button", name="Next").press("Enter")
        page.get_by_text("6–10 of 24").wait_for()
        assert page.evaluate("document.activeElement.textContent") == "Next →"
        page.fill("[data-searches]", "noted r02")
        page.locator("#matches output", has_text="4 of 24").wait_for()
        assert all("noted" in row and "r02" in row for row in matches.all_inner_texts())
        assert matches.count() == 4
        # Pairings of a round.
        page.locator("#pairings summary", has_text="Round 2").press("Enter")
        page.locator("#pairings .games a").first.wait_for()
        assert page.locator("#pairings .games a").count() == 12
        assert len([path for path, _ in asked if "-round-" in path]) == 1
        # The page of a bot, on its way to all of its matches.
        page.locator("#standings-table a.of-bot", has_text="dies").press("Enter")
        page.locator("#bot .cure").wait_for()
        assert page.evaluate("document.activeElement.id") == "bot-name"
        assert page.locator("#bot .opponents tbody tr").count() > 5
        assert page.locator("#bot .matches tbody tr").count() == 8
        page.goto(address + "#bot=noted")
        page.get_by_role("link", name="all 8").press("Enter")
        page.locator("#matches output", has_text="8 of 24").wait_for()
        assert page.get_by_text("1–5 of 8").is_visible()
        page.goto(address + "#bot=nasty")
        assert "by <script>alert(1)</script>" in page.locator("#bot .facts").inner_text()
        page.locator("#bot .matches").wait_for()
        assert page.locator("#bot script, #bot .extremes b").count() == 2


@pytest.mark.thorough  # 4 s of processor.
@pytest.mark.needs("chromium")
def test_a_page_that_is_loaded_again_shows_the_fault_of_its_address(
    page: "playwright.Page", run: Path
) -> None:
    with served(run) as (address, _):
        page.goto(address)
        page.goto(f"{address}#fault-1")
        fault = page.locator("#fault-1")
        for _ in range(2):
            playwright.expect(fault.locator("dl")).to_be_in_viewport()
            page.evaluate("scrollTo(0, 0)")
            page.reload()
        # On the ways of Back and Forward too: after it was loaded again, and from the page of the bot.
        page.go_back()
        page.wait_for_url(address)
        page.go_forward()
        playwright.expect(fault.locator("dl")).to_be_in_viewport()
        page.goto(f"{address}#bot=dies")
        page.get_by_role("link", name="What it was sent").press("Enter")
        for _ in range(2):
            page.wait_for_url("**#fault-*")
            playwright.expect(page.locator("#faults details[open] dl").last).to_be_in_viewport()
            page.go_back()
            page.locator("#bot-name").wait_for()
            page.go_forward()


@pytest.mark.needs("chromium")
def test_one_page_shows_every_match(page: "playwright.Page", run: Path) -> None:
    first, second, *_, last = sorted(path.stem for path in (run / "replays").iterdir())
    with served(run) as (address, asked):
        page.goto(f"{address}#bot=noted")
        page.locator("#bot .matches a").first.click()
        page.wait_for_url(f"**/{READER}?replays/r*.html**")
        reader = address.replace(REPORT, READER)
        page.goto(f"{reader}?replays/{first}.html#deal=2&trick=7")
        page.locator("#where", has_text="Deal 2 of 2, trick 7").wait_for()
        names = page.locator("h1 .of-title").evaluate_all(
            "found => found.map((name) => name.firstChild.data)"
        )
        assert page.title().startswith(", ".join(names))
        assert page.locator(".laid .card").count() == 1
        page.keyboard.press("Shift+ArrowRight")
        page.wait_for_url(f"**?replays/{first}.html#deal=2&trick=8")
        page.get_by_role("link", name="Next match").first.click()
        page.wait_for_url(f"**?replays/{second}.html**")
        page.locator(".felt .card").first.wait_for()
        page.goto(f"{reader}?replays/{last}.html")
        page.locator(".felt .card").first.wait_for()
        assert page.get_by_role("link", name="Next match").count() == 0
        page.get_by_role("link", name="Report").click()
        page.wait_for_url(address)
        page.goto(f"{reader}?replays/../report.html")
        page.get_by_text("the address does not name a match").wait_for()
        assert {path.partition("?")[0] for path, _ in asked} >= {f"/{READER}", f"/replays/{first}.json"}


@pytest.mark.thorough  # 3 s of processor.
@pytest.mark.needs("chromium")
def test_opened_from_the_disk_it_says_what_to_do(page: "playwright.Page", run: Path) -> None:
    report = (run / REPORT).as_uri()
    page.goto(report)
    assert "python3 -m http.server" in page.locator(".top .unread").inner_text()
    assert page.locator("#standings-table tbody tr").count() == 12
    page.locator("#matches").scroll_into_view_if_needed()
    page.locator("#matches .unread", has_text="127.0.0.1:8000/report.html").wait_for()
    page.goto(f"{report}#bot=dies")
    assert "Forfeits" in page.locator("#bot .figures").inner_text()
    page.locator("#bot .unread", has_text="report.html#bot=dies").wait_for()
    page.goto(f"{(run / READER).as_uri()}?replays/r01-p001-s01.html#deal=2")
    page.get_by_text("127.0.0.1:8000/replay.html?replays/r01-p001-s01.html#deal=2").wait_for()


@pytest.mark.needs("chromium")
@pytest.mark.exhaustive  # Four minutes of one process; `test_large` has two thousand.
def test_ten_thousand_matches(page: "playwright.Page", tmp_path: Path) -> None:
    """What is sent stays small; how soon the page opens is printed."""
    run = chance_run(tmp_path / "run", SIZES[10_000])
    with Journal(run, write=True) as journal:
        record = Record(journal.entries)
        play(journal, record, record.due())
        report = write_report(journal)
        matches = len(record.played)
    assert report.served
    assert report.replays == len(names(run / "replays")) == matches
    files = [path.stat().st_size for name in ("report", "replays") for path in (run / name).iterdir()]
    weight = report.report.stat().st_size
    assert max(files) < FILE_BYTES
    assert weight < REPORT_BYTES
    with served(run) as (address, asked):
        page.goto(address)
        opened = page.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd / 1000")
        print(f"{weight / 1e6:.2f} MB, open after {opened:.2f} s")
        assert len(asked) == 1
        page.fill("[data-searches]", "bot-042 r07-")
        page.locator("#matches output", has_text=f"4 of {matches}").wait_for()
        assert page.locator("#matches tbody tr").count() == 4
        page.goto(f"{address}#bot=bot-042")
        page.locator("#bot .matches").wait_for()
        assert page.locator("#bot .matches tbody tr").count() > 390
        page.locator("#bot .matches a[href*=replay]").last.click()
        page.locator(".felt .card").first.wait_for()


def test_in_the_way_of_rows_only_what_is_in_their_places(run: Path, tmp_path: Path) -> None:
    other = shutil.copytree(run, tmp_path / "run")
    (other / "report" / "notes").mkdir()
    (other / "report" / "of-mine").symlink_to("/etc/passwd")
    assert written(other).complaint == ""
    stays = other / "report" / f"{'0' * 16}-bot-1.json"
    stays.mkdir()
    told = written(other)
    assert told.complaint.startswith(
        f"{stays}: cannot be removed, and may show hands that are still to be played ("
    )
    assert told.report.is_file()
    assert (other / "report" / "notes").is_dir()
