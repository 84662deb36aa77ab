"""What a report tells while a tournament runs: as data, by the arena that writes it, and in a real browser
that asks for it.
"""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest
import trio
from playwright import sync_api as playwright

import arena.report.updates as live_pages
from arena.director.cache import tables_folder
from arena.director.entries import Created, JournalEntry, MatchAnnulled, MatchPlayed, RoundPaired, place
from arena.director.journal import Journal
from arena.director.state import Record, expected_matches
from arena.log.entries import LogWriter
from arena.report import LIVE, REPORT
from arena.report.files import write_live, write_report
from arena.report.hands import over
from arena.report.live import MATCHES, PLACES, Live, LiveTable, RunningMatch, live, places, settled
from arena.report.updates import LivePages
from tests.cli.calls import ROOT, arena
from tests.support.chromium import chromium
from tests.support.large import swiss
from tests.support.logs import chance_log
from tests.support.reports import copied, entries_of
from tests.support.served import HIDE, served


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three rounds of four, eight bots."""
    return swiss(tmp_path_factory.mktemp("live") / "run", bots=8, rounds=4, played=3)


@pytest.fixture(scope="module")
def entries(run: Path) -> list[JournalEntry]:
    """Round 3 is drawn; of its first pod three of four matches are played."""
    with Journal(run) as journal:
        found = list(journal.entries)
    third = next(
        at for at, entry in enumerate(found) if isinstance(entry, RoundPaired) and entry.round_no == 3
    )
    first_pod = [e for e in found[third:] if isinstance(e, MatchPlayed) and e.pod_no == 1]
    return [*found[: third + 1], *first_pod[:3]]


def last_of_the_pod(run: Path) -> JournalEntry:
    with Journal(run) as journal:
        return next(e for e in journal.entries if isinstance(e, MatchPlayed) and e.match_id == "r03-p001-s04")


def told(entries: list[JournalEntry], **more: Any) -> Live:
    return live(entries, places(entries), (), state="running", **more)


def test_the_table_moves_only_when_a_pod_has_ended(run: Path, entries: list[JournalEntry]) -> None:
    before = places([e for e in entries if not (isinstance(e, MatchPlayed) and e.round_no == 3)])
    assert places(entries) == before
    assert {row.climbed for row in before.rows} == {0}
    whole = [*entries, last_of_the_pod(run)]
    after = places(whole)
    assert [row.most for row in after.rows] != [row.most for row in before.rows]
    assert after.ahead == f"{after.rows[0].name} leads in round 3 of 4."
    ranks = {row.name: row.rank for row in before.rows}
    for row in after.rows:
        assert row.rank is not None
        assert row.climbed == (ranks[row.name] or 0) - row.rank


def test_what_is_counted_and_named(run: Path, entries: list[JournalEntry]) -> None:
    so_far = told(entries)
    assert (so_far.round_no, so_far.rounds, so_far.done, so_far.matches) == (3, 4, 2 * 8 + 3, 4 * 8)
    assert [(pod.pod_no, pod.done, pod.matches) for pod in so_far.pods] == [(1, 3, 4), (2, 0, 4)]
    assert {(pod.round_no, pod.pod_no) for pod in so_far.finished} == {(1, 1), (1, 2), (2, 1), (2, 2)}
    whole = [*entries, last_of_the_pod(run)]
    assert [pod.pod_no for pod in told(whole).pods] == [2]
    assert settled(Record(whole))[0] == "r03-p001-s01"
    assert live(whole, LiveTable(), {"r03-p001-s01"}, state="running").finished[0].replay == "r03-p001-s01"


def test_before_the_first_round_there_is_no_table(entries: list[JournalEntry]) -> None:
    start = told(entries[:1])
    assert (start.round_no, start.done, start.pods, start.finished, start.ahead) == (0, 0, (), (), "")
    assert {(row.rank, row.gain, row.most) for row in start.table} == {(None, None, "0")}


def test_later_rounds_are_as_large_as_the_last_one(entries: list[JournalEntry]) -> None:
    """Withdrawn bots may have left fewer tables."""
    created = entries[0]
    assert isinstance(created, Created)
    assert [expected_matches(created, drawn, 4) for drawn in ([], [8], [8, 4], [8] * 5)] == [32, 32, 20, 40]


@pytest.mark.thorough  # Ten seconds of processor.
def test_who_goes_on_with_a_tournament_keeps_its_pages(tmp_path: Path) -> None:
    bots = [ROOT / "bots" / f"{name}.py" for name in ("careful", "greedy", "random")]
    words = [*bots, "--seats", 3, "--rounds", 1, "--deals", 1, "--no-duplicates", "--seed", 7, "--quiet"]
    for name, more in (("followed", ["--report"]), ("plain", [])):
        assert arena("tournament", *words, "--out", tmp_path / name, *more).status == 0
        assert arena("resume", tmp_path / name, "--rounds", "+1", "--quiet").status == 0
    last = msgspec.json.decode((tmp_path / "followed" / LIVE).read_bytes(), type=Live)
    assert (last.state, last.round_no, last.done, last.matches) == ("over", 2, 2, 2)
    assert not (tmp_path / "plain" / LIVE).exists()


def test_a_server_tells_what_is_new_from_what_was_written_in_the_same_second(
    run: Path, entries: list[JournalEntry]
) -> None:
    """It says by whole seconds when a file was changed."""
    seconds = []
    for _ in range(3):
        tell(run, entries)
        seconds.append(int((run / LIVE).stat().st_mtime))
    assert seconds == sorted(set(seconds))
    assert seconds[-1] < time.time() + 5


def test_it_stays_small_and_holds_no_seed(tmp_path: Path) -> None:
    with Journal(swiss(tmp_path / "run", bots=160, rounds=2, played=1)) as journal:
        of_all = list(journal.entries)
    playing = [RunningMatch(1, 1, ("a",) * 4, 0.0)] * 50
    data = live([*of_all[:2], *of_all[-3:]], places(of_all), (), state="running", playing=playing)
    assert (len(data.table), len(data.playing), len(data.pods)) == (PLACES, MATCHES, MATCHES)
    assert (data.entrants, data.running, data.open_pods) == (160, 50, 40)
    encoded = msgspec.json.encode(data)
    assert len(encoded) < 20_000
    created = of_all[0]
    assert isinstance(created, Created)
    assert created.seed_sha256.encode() not in encoded
    assert b"seed" not in encoded


def test_a_disk_that_takes_no_file_is_told_once(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    with Journal(run) as journal:
        file = LivePages(journal, said.append)

        def full(*_: object) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(live_pages, "write_live", full)
        file.end("stopped")
        file.end("stopped")
    assert len(said) == 1
    assert "No space left" in said[0]


def stamp(path: Path) -> int:
    """When a file was written; 0 while there is none."""
    return path.stat().st_mtime_ns if path.exists() else 0


def replays(run: Path) -> set[str]:
    """The matches that have one."""
    return {path.stem for path in (run / "replays").glob("r*.html")}


def reported(run: Path) -> int:
    """The round after whose draw the report was written, as `live.json` says it."""
    return msgspec.json.decode((run / LIVE).read_bytes(), type=Live).reported if (run / LIVE).exists() else 0


async def kept(pages: LivePages, until: Callable[[], bool]) -> None:
    """Keeps the pages up to date until something is so. Their process gets only what others leave."""
    with trio.fail_after(600):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(pages.keep)
            while not until():
                await trio.sleep(0.01)
            nursery.cancel_scope.cancel()


def last_drawn(journal: Journal) -> RoundPaired:
    return next(entry for entry in reversed(journal.entries) if isinstance(entry, RoundPaired))


def test_before_the_first_match_there_is_a_report(twelve: Path, tmp_path: Path) -> None:
    run = copied(twelve, tmp_path / "run", 2)
    with Journal(run) as journal:
        drawn = last_drawn(journal)
        assert drawn == journal.entries[-1]
        LivePages(journal, pytest.fail).on_entry(drawn)
        assert stamp(run / REPORT)


@pytest.mark.thorough  # 2 s of processor.
async def test_a_report_follows_each_round_that_is_drawn(twelve: Path, tmp_path: Path) -> None:
    run = copied(twelve, tmp_path / "run", 60)
    with Journal(run) as journal:
        drawn = last_drawn(journal)
        pages = LivePages(journal, pytest.fail)
        pages.on_entry(drawn)
        assert drawn.round_no > 1
        assert not stamp(run / REPORT), "no bot waits while one is written"
        await kept(pages, lambda: reported(run) == drawn.round_no)
        assert stamp(run / REPORT)


@pytest.mark.thorough  # It waits for seconds, in which pages are written.
async def test_a_further_report_waits_until_it_has_its_share(
    twelve: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = copied(twelve, tmp_path / "run", 60)
    with Journal(run) as journal:
        first = last_drawn(journal)
        second = msgspec.structs.replace(first, round_no=first.round_no + 1)

        async def again(share: float, until: Callable[[int], bool]) -> None:
            """One report, then `until` something is so since that time after a further draw."""
            monkeypatch.setattr(live_pages, "SHARE_LEFT", share)
            pages = LivePages(journal, pytest.fail)
            await kept(pages, lambda: reported(run) == first.round_no)
            before = stamp(run / REPORT)
            pages.on_entry(second)
            await kept(pages, lambda: until(before))
            (run / LIVE).unlink()

        await again(1e9, lambda before: stamp(run / REPORT) > before)
        await again(1e-9, lambda before: time.time_ns() > before + 3e9 * live_pages.EVERY_SECONDS)
        assert stamp(run / REPORT) < time.time_ns() - 2e9 * live_pages.EVERY_SECONDS


@pytest.mark.thorough  # 2 s of processor.
async def test_what_is_annulled_while_its_replay_is_written_is_taken_away(
    twelve: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = copied(twelve, tmp_path / "run", 60)
    monkeypatch.setattr(live_pages, "SHARE_LEFT", 1e9)

    with Journal(run, write=True) as journal:
        first, *_ = settled(Record(journal.entries))
        pod = first[:-4]
        pages = LivePages(journal, pytest.fail)
        with trio.fail_after(120):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(pages.keep)
                while not (writers := page_writers()):
                    await trio.sleep(0.01)
                (writer,) = writers
                while not stamp(run / REPORT):
                    await trio.sleep(0.01)
                os.kill(writer, signal.SIGSTOP)
                # A replay is ordered a second after the report.
                await trio.sleep(3 * live_pages.EVERY_SECONDS)
                assert not replays(run)
                journal.add(annulled := MatchAnnulled(first, "a wrong clock"))
                pages.on_entry(annulled)
                os.kill(writer, signal.SIGCONT)
                while not replays(run) - {one for one in replays(run) if one.startswith(pod)}:
                    await trio.sleep(0.01)
                nursery.cancel_scope.cancel()
    assert not [one for one in replays(run) if one.startswith(pod)]


def page_writers() -> list[int]:
    """The processes of ours that write pages."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            parent = (path / "stat").read_text().rpartition(")")[2].split()[1]
            if int(parent) == os.getpid() and b"arena.report.page_writer" in (path / "cmdline").read_bytes():
                found.append(int(path.name))
    return found


async def test_without_its_writer_a_tournament_leaves_the_pages_until_the_end(
    twelve: Path, tmp_path: Path
) -> None:
    run = copied(twelve, tmp_path / "run", 60)
    said: list[str] = []
    with Journal(run) as journal:
        pages = LivePages(journal, said.append)
        with trio.fail_after(120):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(pages.keep)
                while not (writers := page_writers()):
                    await trio.sleep(0.01)
                cache = tables_folder()
                assert cache is not None
                halves = [place / f"unfinished-{writers[0]}-0123" for place in (run / "replays", cache)]
                for half in halves:
                    half.parent.mkdir(parents=True, exist_ok=True)
                    half.write_text("<!doc")
                os.kill(writers[0], signal.SIGKILL)
                while not said:
                    await trio.sleep(0.01)
                before = stamp(run / LIVE)
                pages.on_entry(journal.entries[-1])
                while stamp(run / LIVE) == before:
                    await trio.sleep(0.01)
                nursery.cancel_scope.cancel()
        assert said == [
            f"{run}: reports and replays are postponed until the end "
            "(a process of the arena was killed from outside, by SIGKILL)"
        ]
        assert not page_writers()
        assert not any(half.exists() for half in halves)
        written = pages.report()
        assert written is not None
        assert written.replays == len(over(Record(journal.entries)))


@pytest.mark.thorough  # 2 s of processor.
async def test_meanwhile_the_replays_come_one_by_one_and_at_the_end_all(
    twelve: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = copied(twelve, tmp_path / "run", 60)
    monkeypatch.setattr(live_pages, "SHARE_LEFT", 1e9)

    def linked() -> set[str]:
        return set(re.findall(r"replays/(r\d\d-p\d\d\d-s\d\d)\.html", (run / REPORT).read_text()))

    with Journal(run) as journal:
        ended = over(Record(journal.entries))
        pages = LivePages(journal, print)
        pages.report(missing=False)
        assert replays(run) == linked() == set()

        await kept(pages, lambda: len(replays(run)) > 1)
        few = replays(run)
        assert settled(Record(journal.entries))[0] in few < set(ended)
        pages.report(missing=False)
        assert linked() == replays(run) == few
        pages.report()
        assert linked() == replays(run) == set(ended)


@pytest.mark.thorough  # 4 s of processor.
async def test_a_replay_that_cannot_be_written_holds_up_no_other(
    twelve: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = copied(twelve, tmp_path / "run", 60)
    monkeypatch.setattr(live_pages, "SHARE_LEFT", 1e9)
    said: list[str] = []
    with Journal(run) as journal:
        # Of the pod whose replays come first.
        damaged, gone, *others = settled(Record(journal.entries))
        journal.log_path(damaged).write_text("{}")
        journal.log_path(gone).unlink()
        pages = LivePages(journal, said.append)
        await kept(pages, lambda: replays(run) >= set(others[:2]))
        assert [damaged in line for line in said] == [True]
        assert said[0].endswith("; this replay is postponed until the end, as is any other that fails")
        written = pages.report()
        assert written is not None
        assert replays(run) == set(over(Record(journal.entries))) - {damaged, gone}
    for one in (damaged, gone):
        assert str(journal.log_path(one)) in said[1]
    assert said[1].endswith(f"; {run / REPORT} is written without them (arena verify {run} shows more)")


@pytest.mark.thorough  # 3 s of processor.
async def test_a_report_that_cannot_be_written_is_not_asked_for(twelve: Path, tmp_path: Path) -> None:
    run = copied(twelve, tmp_path / "run", 60)
    (run / REPORT).mkdir()
    said: list[str] = []
    with Journal(run) as journal:
        pages = LivePages(journal, said.append)
        await kept(pages, lambda: bool(replays(run)))
        assert [str(run / REPORT) in line for line in said] == [True]
        assert msgspec.json.decode((run / LIVE).read_bytes(), type=Live).reported == 0
        (run / REPORT).rmdir()
        assert pages.report() is not None


@pytest.mark.thorough  # Its hundred deals alone take a second or two.
async def test_a_replay_that_takes_long_holds_up_nothing_else(tmp_path: Path) -> None:
    run = swiss(tmp_path / "run", bots=8, rounds=1)
    writer = LogWriter()
    for entry in chance_log("sticheln", 4, deals=100).entries:
        writer.add(entry)
    with Journal(run) as journal:
        missing = settled(Record(journal.entries))[0]
        entries = len(journal.entries)
    run = copied(run, tmp_path / "long", entries, {missing: writer.text()})
    with Journal(run) as journal:
        pages = LivePages(journal, pytest.fail)

        def written() -> int:
            return (run / LIVE).stat().st_mtime_ns if (run / LIVE).exists() else 0

        # The replay alone takes more than a hundredth of that, and would be given 300 times as long.
        with trio.fail_after(120):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(pages.keep)
                while not (run / "replays" / f"{missing}.html").exists():
                    await trio.sleep(0.05)
                before = written()
                pages.on_entry(journal.entries[-1])
                while written() == before:
                    await trio.sleep(0.05)
                nursery.cancel_scope.cancel()


def test_an_annulled_match_takes_the_hands_of_its_pod_away(run: Path) -> None:
    replays = run / "replays"
    replays.mkdir(exist_ok=True)
    for name in ("r01-p001-s01", "r01-p001-s04", "r01-p002-s01"):
        (replays / f"{name}.html").write_text("")
    annulled = MatchAnnulled("r01-p001-s02", "a wrong clock")
    with Journal(run, write=True) as journal:
        pages = LivePages(journal, pytest.fail)
        assert len(list(replays.iterdir())) == 3
        journal.add(annulled)
        pages.on_entry(annulled)
    assert [path.stem for path in replays.iterdir()] == ["r01-p002-s01"]


def test_who_goes_on_begins_without_the_hands_of_open_pods(tmp_path: Path) -> None:
    run = swiss(tmp_path / "run", bots=8, rounds=1)
    replays = run / "replays"
    replays.mkdir()
    for name in ("r01-p001-s01", "r01-p001-s02", "r01-p002-s01"):
        (replays / f"{name}.html").write_text("")
    with Journal(run, write=True) as journal:
        journal.add(MatchAnnulled("r01-p001-s02", "a wrong clock"))
        LivePages(journal, pytest.fail)
    assert [path.stem for path in replays.iterdir()] == ["r01-p002-s01"]


@pytest.mark.thorough  # 2 s of processor.
def test_annulled_between_two_runs_a_match_takes_the_hands_of_its_pod_away(
    twelve: Path, tmp_path: Path
) -> None:
    run = copied(twelve, tmp_path / "run", 60)
    assert arena("report", run).status == 0
    with Journal(run) as journal:
        annulled = over(Record(journal.entries))[0]
    pages = {path.stem for path in (run / "replays").iterdir()}
    shown = {one for one in pages if not one.startswith(annulled[:-4])}
    assert len(shown) < len(pages)
    call = arena("annul", run, annulled, "--reason", "a wrong clock")
    assert call.status == 0, call.err
    assert not (run / REPORT).exists()
    assert {path.stem for path in (run / "replays").iterdir()} == shown
    (run / LIVE).write_text("of a call before")
    (run / "replays" / f"{annulled}.html").write_text("of a call before")
    assert arena("report", run).status == 0
    assert {path.stem for path in (run / "replays").iterdir()} == shown
    told = msgspec.json.decode((run / LIVE).read_bytes(), type=Live)
    assert {pod.replay for pod in told.finished} <= shown | {""}


@pytest.mark.thorough  # 1 s of processor.
def test_a_replay_that_cannot_be_removed_keeps_no_other(twelve: Path, tmp_path: Path) -> None:
    run = copied(twelve, tmp_path / "run", 60)
    assert arena("report", run).status == 0
    with Journal(run) as journal:
        pod = over(Record(journal.entries))[0].rpartition("-")[0]
    first, *stay = sorted((run / "replays").glob(f"{pod}-*"))
    for path in stay[:2]:
        path.unlink()
        path.mkdir()
    call = arena("annul", run, first.stem, "--reason", "a wrong clock")
    assert call.status == 2
    assert sorted((run / "replays").glob(f"{pod}-*")) == stay[:2]
    assert f"{first.stem} is annulled; these pages may show hands that will be played again" in call.err
    for path in stay[:2]:
        assert f"{path}: " in call.err.replace("\n", " ").partition("could not be removed, so remove them")[2]
    call = arena("report", run)
    assert call.status == 2
    for path in stay[:2]:
        assert f"{path}: expected a file, got a folder; remove it; " in call.err


@pytest.fixture(scope="module")
def browser() -> Iterator["playwright.Browser"]:
    with chromium() as launched:
        yield launched


def tell(run: Path, entries: list[JournalEntry], **more: Any) -> None:
    with Journal(run) as journal:
        write_live(journal, told(entries, written=time.time(), **more))


@pytest.mark.needs("chromium")
@pytest.mark.thorough
def test_the_page_follows_asks_only_while_it_is_seen_and_waits_for_fingers(
    browser: "playwright.Browser", run: Path, entries: list[JournalEntry]
) -> None:
    with Journal(run) as journal:
        write_report(journal, replays=False)
        played = len(Record(journal.entries).played)
    # Who goes on with a tournament has written no report yet.
    tell(run, entries, ends=time.time() + 300, reported=0)
    with served(run) as (address, asked):
        page = browser.new_page()
        page.goto(address)
        page.get_by_text("Round 3 of 4 · 19 of 32 matches").first.wait_for()
        assert page.locator("#live .pace").inner_text().endswith("5 min left")
        assert page.locator("#live-newer").is_hidden()
        assert page.locator(".ahead .sentence").inner_text() == told(entries).ahead
        assert page.locator("#standings-as-of").inner_text().strip() == f"after {played} matches"
        names = page.locator("#live .live-board .name").all_inner_texts()
        assert len(names) == 8
        # Each leads to its bot, and keeps the focus while the table changes.
        links = page.locator("#live .live-board a")
        found = links.evaluate_all("(links) => links.map((link) => link.getAttribute('href'))")
        assert found == [f"#bot={name}" for name in names]
        links.first.focus()
        # Not while somebody touches the page.
        touching = page.evaluate(
            """() => setInterval(() => document.dispatchEvent(new Event("pointermove")), 200)"""
        )
        tell(run, [*entries, last_of_the_pod(run)])
        count = len(asked)
        while len(asked) < count + 3:
            page.wait_for_timeout(200)
        assert "19 of 32" in page.locator("#live .pace").inner_text()
        page.evaluate("(touching) => clearInterval(touching)", touching)
        page.get_by_text("Round 3 of 4 · 20 of 32 matches").first.wait_for()
        assert page.evaluate("document.activeElement.textContent") == names[0]
        page.evaluate(HIDE, True)
        page.wait_for_timeout(500)
        count = len(asked)
        page.wait_for_timeout(5000)
        assert len(asked) == count
        page.evaluate(HIDE, False)
        page.wait_for_timeout(1000)
        assert len(asked) > count
        # What has not changed is not sent again.
        unchanged = [size for path, size in asked if path == f"/{LIVE}"][-1]
        assert unchanged < 300
        page.close()


@pytest.mark.needs("chromium")
@pytest.mark.thorough
def test_from_the_disk_it_reloads_and_says_so(browser: "playwright.Browser", run: Path) -> None:
    with Journal(run, write=True) as journal:
        path = write_report(journal, replays=False).report
    context = browser.new_context()
    page = context.new_page()
    wrong: list[str] = []
    page.on("console", lambda message: wrong.append(message.text))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.clock.install()
    page.goto(path.as_uri())
    # The page was written just now.
    notice = page.locator("#live-notice")
    assert re.match(r"This page is \d+ s old.* 20 s", notice.inner_text())
    assert page.locator("#state").inner_text() == "being played"
    os.utime(path, (time.time() - 600, time.time() - 600))
    page.reload()
    assert "10 min old" in notice.inner_text()
    with page.expect_navigation():
        page.clock.run_for(21_000)
    # Whoever has opened or typed something keeps it, and so does who reads on by a key.
    page.keyboard.press("PageDown")
    page.evaluate("document.body.dataset.seen = 'yes'")
    page.clock.run_for(45_000)
    assert page.evaluate("document.body.dataset.seen") == "yes"
    page.locator("#all-numbers").check()
    page.clock.run_for(90_000)
    assert page.locator("#all-numbers").is_checked()
    assert "newer one" in notice.inner_text()
    assert wrong == []
    context.close()


@pytest.mark.needs("chromium")
@pytest.mark.thorough
@pytest.mark.parametrize("by_server", [True, False])
def test_what_was_stopped_is_called_so_and_stays(
    browser: "playwright.Browser", run: Path, by_server: bool
) -> None:
    (run / LIVE).unlink(missing_ok=True)
    with Journal(run) as journal:
        path = write_report(journal, replays=False).report
    with served(run) as (address, _):
        context = browser.new_context()
        page = context.new_page()
        page.clock.install()
        page.goto(address if by_server else path.as_uri())
        assert page.locator("#state").inner_text() == "stopped"
        assert page.locator("#live h2").inner_text() == "Stopped"
        page.evaluate("document.body.dataset.seen = 'yes'")
        page.clock.run_for(90_000)
        assert "topped before its end" in page.locator("#live-notice").inner_text()
        assert page.evaluate("document.body.dataset.seen") == "yes"
        context.close()


def test_when_all_is_played_the_tables_come_before_the_replays(twelve: Path, tmp_path: Path) -> None:
    run = copied(twelve, tmp_path / "run", len(entries_of(twelve)))
    with Journal(run, write=True) as journal:
        pages = LivePages(journal, pytest.fail)
        pages.conclude()
        page = (run / REPORT).read_text()
        assert "still being written" in page
        assert ">finished</span>" in page
        assert replays(run) == set()
        assert pages.report() is not None
    page = (run / REPORT).read_text()
    assert "still being written" not in page
    assert replays(run) == set(over(Record(entries_of(run))))


def test_who_gets_a_rank_first_moves_nobody_down(entries: list[JournalEntry]) -> None:
    before = {place.bot: place.rank for place in places(entries).rows}
    first = next(iter(before))
    assert any(place.climbed for place in places(entries, dict(before) | {first: 8}).rows)
    assert not any(place.climbed for place in places(entries, dict(before) | {first: None}).rows)


@pytest.mark.needs("chromium")
@pytest.mark.thorough
def test_the_stage_reveals_from_the_last_place_upwards(browser: "playwright.Browser", twelve: Path) -> None:
    with Journal(twelve) as journal:
        path = write_report(journal).report
        best = [row for row in Record(journal.entries).standings().entrants if row.rank == 1]
    page = browser.new_page(viewport={"width": 1920, "height": 1080})
    page.goto(f"{path.as_uri()}#stage")
    rows = page.locator("#stage .live-board li")
    names = page.locator("#stage .live-board .name:visible")
    assert (rows.count(), names.count()) == (12, 0)
    assert not page.locator("#standings").is_visible()
    seen = []
    for count in range(1, 13):
        page.keyboard.press("PageDown")
        assert names.count() == count
        seen.append(page.locator("#stage-revealed b").inner_text())
    assert seen == names.all_inner_texts()[::-1]
    assert seen[-1] in [row.name for row in best]
    page.keyboard.press("ArrowLeft")
    assert names.count() == 11
    # A replay plays beside it.
    frame = page.frame("stage")
    assert frame is not None
    frame.wait_for_selector(".staged .felt .card")
    assert page.evaluate("document.documentElement.scrollHeight") <= 1080
    page.keyboard.press("Escape")
    page.locator("#standings").wait_for()
    assert page.frame("stage") is None
    page.close()


@pytest.mark.needs("chromium")
@pytest.mark.thorough
def test_a_report_that_was_sent_alone_shows_no_broken_page_on_its_stage(
    browser: "playwright.Browser", twelve: Path, tmp_path: Path
) -> None:
    with Journal(twelve) as journal:
        report = write_report(journal).report
    alone = tmp_path / REPORT
    alone.write_bytes(report.read_bytes())
    for path, visibility in ((report, "visible"), (alone, "hidden")):
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.goto(f"{path.as_uri()}#stage")
        frame = page.locator("#stage-frame iframe")
        frame.wait_for(state="attached")
        seen = (
            f"getComputedStyle(document.querySelector('#stage-frame iframe')).visibility === '{visibility}'"
        )
        page.wait_for_load_state("load")
        page.wait_for_function(seen)
        page.close()


@pytest.mark.needs("chromium")
@pytest.mark.thorough
def test_a_tournament_is_watched_from_its_first_match_to_its_end(
    browser: "playwright.Browser", tmp_path: Path
) -> None:
    run = tmp_path / "run"
    bots = [str(ROOT / "bots" / f"{name}.py") for name in ("careful", "greedy", "random")]
    bots.append(f"again={ROOT}/bots/random.py")
    words = [*bots, "--rounds", "2", "--deals", "3", "--seed", "7", "--jobs", "1", "--report", "--quiet"]
    playing = subprocess.Popen(
        [sys.executable, "-m", "arena", "tournament", *words, "--out", str(run)],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    try:
        while not (run / LIVE).exists():
            assert playing.poll() is None, playing.communicate()
            time.sleep(0.1)
        with served(run) as (address, asked):
            page = browser.new_page()
            wrong: list[str] = []
            page.on("pageerror", lambda error: wrong.append(str(error)))
            page.goto(address)
            page.locator("#live .live-list b").first.wait_for()
            page.get_by_role("button", name="final report").wait_for(timeout=240_000)
            count = len(asked)
            page.wait_for_timeout(5000)
            assert len(asked) == count  # Nothing is asked for once it is over.
            assert page.get_by_text("finished", exact=True).is_visible()
            # On a phone the button is seen without scrolling.
            page.set_viewport_size({"width": 360, "height": 740})
            box = page.get_by_role("button", name="final report").bounding_box()
            assert box
            assert box["y"] + box["height"] <= 740
            with page.expect_navigation():
                page.get_by_role("button", name="final report").click()
            assert page.locator("#live").count() == 0
            assert wrong == []
            sizes = [size for path, size in asked if path == f"/{LIVE}"]
            print(f"{len(sizes)} requests, {sum(sizes)} bytes, {max(sizes)} at most")
            page.close()
    finally:
        playing.kill()
        playing.communicate()
    last = msgspec.json.decode((run / LIVE).read_bytes(), type=Live)
    assert (last.state, last.done, last.matches, last.playing) == ("over", 8, 8, ())
    assert all(pod.replay and place(pod.replay)[1] == pod.pod_no for pod in last.finished)
