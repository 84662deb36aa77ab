"""The pages of a league: they say what its tables say and nothing that is private, and in a real browser they
fit, ask nobody else, and follow what is played.
"""

import gzip
import re
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from playwright import sync_api as playwright

from arena.checking.cures import BY_KIND
from arena.commands.league import read
from arena.league import logs
from arena.league.entries import Closed, Frozen, Retired, Sealed
from arena.league.journal import FILE
from arena.league.numbers import lead_of
from arena.league.statements import Statements
from arena.league.tables import board_rows, expected, forecast, who_is_ahead
from arena.report.league import LIVE_FILE, LeagueStatus, league_page
from arena.report.league_pages import LeagueSnapshot, bots_shown, league_shown, live, shown_games
from arena.report.league_site import LeagueSite, write_site
from protocol.faults import FaultKind
from tests.cli.calls import ROOT, arena
from tests.league import quick
from tests.league.leagues import LAST, NEW, bot, copied, done, founded
from tests.league.simulated import SCRIPT, now_playing, simulated
from tests.support.boards import BOARD, closed, play, state_with, to_its_end
from tests.support.chromium import chromium
from tests.support.phones import MEASURED, PHONES, RENDERED
from tests.support.served import HIDE, served

SIZES = {360: 740, 390: 844, 1024: 768, 1440: 900}
PAGES = ("index.html", "bots/red.one.html", "bots/green.slow.html")
IN_THE_GATE = ((360, "index.html"), (1440, "bots/red.one.html"))
BESIDE_THE_SCALE = """() => [...document.querySelectorAll(".of-league table")].flatMap((table) => {
  const box = (one) => one.getBoundingClientRect();
  const scale = box(table.querySelector("thead .bar svg"));
  return [...table.querySelectorAll("tbody .bar svg[role=img]")].map((bar) => Math.round(Math.max(
    Math.abs(box(bar).left - scale.left), Math.abs(box(bar).right - scale.right))));
})"""
"""For each bar of a board, by how many pixels it is drawn beside its scale."""
LABELS_OF_PODS = """() => [...document.querySelectorAll(".of-league tbody .score")].map(
  (cell) => getComputedStyle(cell, "::before").content)"""
"""What a card says before the number of pods: nothing, since the word follows it."""


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def lately(league: Path) -> set[str]:
    """The last three draws of each version, which depend on how long the check of a newcomer took."""
    state = read(league)
    draws = [
        [str(no) for no, draw in sorted(state.draws.items()) if version in draw.versions]
        for version in state.versions
    ]
    return {no for own in draws for no in own[-3:]}


def test_the_pages_of_a_league_that_was_played(league: Path, tmp_path: Path) -> None:
    out = tmp_path / "site"
    assert done("report", league, "--out", out, "--title", "Autumn").out == f"{out / 'index.html'}\n"
    assert (out / "standings.json").read_bytes() == msgspec.json.encode(
        arena("league", "standings", league, "--json").json
    )
    index = (out / "index.html").read_text()
    assert 'href="bots/red.mybot.html">red/<wbr>mybot@1</a>' in index
    assert "to see it" in index
    assert "red.mybot.html" in names(out / "bots")
    # A game for each version of each draw that counts, and none of the one that was annulled.
    state = read(league)
    due = {f"{game.id}.html" for game in shown_games(state)}
    assert {name.partition("-")[0] for name in due} == lately(league) - {"4"}
    assert names(out / "replays") == due
    for game in shown_games(state):
        assert f'href="replays/{game.id}.html"' in index
        matches = state.played[game.no].matches[game.number - 1]
        assert lead_of(matches[game.seating_no - 1 : game.seating_no]) == min(
            lead_of([match]) for match in matches
        )


def test_the_terminal_calls_its_columns_as_the_page_does(league: Path, tmp_path: Path) -> None:
    write_site(league, tmp_path / "site", "")
    index = (tmp_path / "site" / "index.html").read_text()
    on_the_page = {word.lower() for word in re.findall(r'<th scope="col"[^>]*>([^<]+)', index)}
    heading = next(line for line in done("standings", league).out.splitlines() if "strength" in line)
    in_the_terminal = set(re.split(r"\s{2,}", heading.strip()))
    assert {"rank", "against its predecessor"} <= in_the_terminal
    assert in_the_terminal - {"plot"} <= on_the_page


def test_a_run_that_ends_leaves_no_replay_to_be_written(league: Path) -> None:
    """The last draw was annulled after it."""
    index = (league / "site" / "index.html").read_text()
    replays = names(league / "site" / "replays")
    assert {name.partition("-")[0] for name in replays} == lately(league)
    assert all(f'href="replays/{name}"' in index for name in replays)


def test_nothing_private_is_looked_at(league: Path, tmp_path: Path) -> None:
    """Without the private parts and the secret the pages are the same."""
    copy = copied(league, tmp_path)
    whole, bare = tmp_path / "whole", tmp_path / "bare"
    write_site(copy, whole, "x")
    secret = (copy / "secret").read_text().strip()
    shutil.rmtree(copy / "private")
    (copy / "secret").unlink()
    write_site(copy, bare, "x")
    for folder in ("bots", "replays"):
        assert names(whole / folder) == names(bare / folder)
        for name in names(whole / folder):
            assert (whole / folder / name).read_bytes() == (bare / folder / name).read_bytes()
    keys = {f'"{entry["pod_key"]}"' for entry in logged(copy)}
    for path in whole.rglob("*.*"):
        text = path.read_text()
        assert secret not in text
        assert not any(key in text for key in keys)


def logged(league: Path) -> Iterator[dict[str, Any]]:
    """The first lines of all public logs."""
    for path in league.glob("logs/*/*.gz"):
        for match in logs.matches(gzip.decompress(path.read_bytes())):
            yield msgspec.json.decode(match.splitlines()[0])


def test_what_nothing_leads_to_goes_and_what_is_not_ours_stays(league: Path, tmp_path: Path) -> None:
    copy, out = copied(league, tmp_path), tmp_path / "site"
    write_site(copy, out, "")
    for name in ("replays/99-1-1.html", "bots/gone.bot.html", "replays/mine.txt", "about.html"):
        (out / name).write_text("")
    done("annul", copy, 1, "--reason", "x")
    write_site(copy, out, "")
    assert "99-1-1.html" not in names(out / "replays")
    assert not any(name.startswith("1-") for name in names(out / "replays"))
    assert "gone.bot.html" not in names(out / "bots")
    assert "mine.txt" in names(out / "replays")
    assert "about.html" in names(out)


def test_pages_are_not_written_among_files_of_others(league: Path, tmp_path: Path) -> None:
    (tmp_path / "home" / "bots").mkdir(parents=True)
    (tmp_path / "home" / "notes.txt").touch()
    call = arena("league", "report", league, "--out", tmp_path / "home")
    assert (call.status, "it contains notes.txt, which is no page of a league" in call.err) == (2, True)
    assert names(tmp_path / "home") == {"bots", "notes.txt"}


def test_logs_that_are_pruned_or_forged_give_no_replay(league: Path, tmp_path: Path) -> None:
    copy, out = copied(league, tmp_path), tmp_path / "site"
    one, *others = sorted(copy.glob("logs/*/*.gz"))
    one.unlink()
    others[0].write_bytes(others[1].read_bytes())
    write_site(copy, out, "")
    gone = {path.name.partition(".")[0] for path in (one, others[0])}
    assert {name.partition("-")[0] for name in names(out / "replays")} == {"1", "2", "3"} - gone


@pytest.fixture(scope="module")
def seen() -> LeagueSnapshot:
    return simulated(150)


def test_a_bots_page_says_what_became_of_its_versions(seen: LeagueSnapshot) -> None:
    games = {game.id: game for game in shown_games(seen.state)}
    bots = {one.bot: one for one in bots_shown(seen, "x", games)}
    red = bots["red/one"]
    assert (red.current, red.status) == ("red/one@2", "current")
    assert [(one.version, one.status) for one in red.versions] == [
        ("red/one@3", "refused"),
        ("red/one@2", "current"),
        ("red/one@1", "resting"),
    ]
    assert red.versions[0].cure == "mend it"
    (board,) = red.boards
    assert board.place == 1
    assert [one.version for one in board.versions] == ["red/one@2", "red/one@1"]
    assert "red/one@1" in board.versions[0].compared
    (line,) = [line for line in board.history if line.version == "red/one@2"]
    assert line.points[-1] == (seen.state.last_draw, board.versions[0].strength)
    assert len(line.points) > 2
    slow = bots["green/slow"]
    (fault,) = slow.faults
    assert (fault.kind, fault.cure) == ("timeout", BY_KIND[FaultKind.TIMEOUT])
    assert fault.times >= 5
    assert all(place.has_replay for place in fault.places[-3:])
    assert slow.status == "paused"
    assert all("green/slow@1" in [one.version for one in draw.asked] for draw in slow.draws)
    assert bots["blue/new"].boards == ()
    assert [(one.version, one.why, one.cure) for one in red.off] == [
        ("red/one@3", f"it died {SCRIPT}", "mend it")
    ]
    (paused,) = slow.off
    assert "when the organiser restores it; a changed version" in paused.cure


@pytest.mark.thorough  # 2 s of processor.
def test_no_history_is_shorter_than_the_time_between_two_checkpoints() -> None:
    lengths = []
    for draws in range(30, 60, 2):
        for shown in bots_shown(simulated(draws), "x", {}):
            for board in shown.boards:
                noted = [no for line in board.history for no, _ in line.points]
                lengths.append(max(noted) - min(noted) if noted else None)
    assert None in lengths
    assert min(length for length in lengths if length is not None) >= 20


def test_from_the_first_page_each_bot_is_reached(seen: LeagueSnapshot) -> None:
    page = league_page(league_shown(seen, "x", 0.0, {}), live(seen, "x", 0.0, stopped=True))
    linked = set(re.findall(r'href="bots/([^"]+)\.html"', page))
    assert linked == {version.bot.replace("/", ".") for version in seen.state.versions.values()}
    shown = league_shown(seen, "x", 0.0, {})
    assert {(one.version, one.status) for one in shown.off} == {
        ("red/one@3", "refused"),
        ("green/slow@1", "paused"),
        ("house/f@1", "retired"),
    }


def test_what_is_counted_agrees_with_its_number_and_the_house_is_not_counted(seen: LeagueSnapshot) -> None:
    page = league_page(league_shown(seen, "x", 0.0, {}), live(seen, "x", 0.0, stopped=True))
    assert len(seen.state.authors) == 3
    assert len(seen.state.versions) > 6
    assert f"<span>{len(seen.state.versions) - 6} versions sent in</span>\n    <span>3 authors</span>" in page
    margin = dict(league_shown(seen, "x", 0.0, {}).boards[0].settings)["margin"]
    assert margin.startswith("1 gain a deal: ")
    alone = simulated(1)
    alone.state.add(Sealed(alone.state.at))
    page = league_page(league_shown(alone, "x", 0.0, {}), live(alone, "x", 0.0, stopped=True))
    assert '<span id="draws">1</span> <span id="draws-word">draw</span>' in page


def test_what_came_of_a_final_is_shown() -> None:
    state = closed()
    to_its_end(state)
    seen = LeagueSnapshot([], state, "x")
    shown = league_shown(seen, "x", 0.0, {})
    (board,) = shown.boards
    page = league_page(shown, live(seen, "x", 0.0, stopped=True))
    assert "The pairs that the final compared, with the mean of all" in page
    assert sum(met.comparisons for met in board.final) == 12
    for met in board.final:
        sums = state.numbers[BOARD.id].pairs
        found = sums[met.one, met.other] if (met.one, met.other) in sums else sums[met.other, met.one]
        assert (met.all, met.more) == (found.count, abs(found.apart / found.count))
        assert (found.apart > 0) == ((met.one, met.other) in sums)


def test_a_fault_of_every_kind_has_a_cure_that_anybody_may_read() -> None:
    assert {*BY_KIND} == {*FaultKind}


def test_who_is_ahead_claims_only_what_is_said(seen: LeagueSnapshot) -> None:
    nobody = "Nothing can be compared yet: too little has been played."
    fresh = state_with("red/one@1")
    zero, zero_alone = fresh.panels[BOARD.id].zero, False
    for _ in range(30):
        rows = board_rows(fresh, BOARD.id)
        sure = {row.version for row in rows if row.low is not None}
        if sure <= {zero}:
            # The zero is 0 by definition, and ahead of nobody by that.
            assert {(row.place, row.group) for row in rows} == {(None, None)}
            assert who_is_ahead(fresh, BOARD.id) == nobody
            strengths = [row.strength for row in rows if row.strength is not None]
            assert strengths == sorted(strengths, reverse=True)
            zero_alone |= len(strengths) > 1
        play(fresh, 1)
    assert zero_alone
    numbers = seen.state.numbers[BOARD.id]
    page = league_page(league_shown(seen, "x", 0.0, {}), live(seen, "x", 0.0, stopped=True))
    assert "however often you look" in page
    order = [row.version for row in board_rows(seen.state, BOARD.id) if row.low is not None]
    others, before = order[1:], numbers.statements
    assert order[0] == "red/one@2"
    told = []
    try:
        for ahead_of in ([], others[:2], others):
            # What is said the other way round, or of others, says nothing of the leader.
            said = dict.fromkeys([("red/one@2", one) for one in ahead_of[1:]], 0)
            said |= {(others[1], others[2]): 0, (others[3], "red/one@2"): 0}
            certain = frozenset(("red/one@2", one) for one in ahead_of[:1])
            numbers.statements = Statements(said, certain)
            told.append(who_is_ahead(seen.state, BOARD.id))
            row = board_rows(seen.state, BOARD.id)[0]
            assert (row.ahead_of, row.certain) == (len(ahead_of), len(certain))
    finally:
        numbers.statements = before
    nothing, some, everything = (one.removeprefix("red/one@2 ") for one in told)
    named = f"{others[0]}, {others[1]}, {others[2]}, {others[3]}"
    alone = "that rests on its strength alone"
    assert nothing == f"leads; {alone}; it cannot be told yet from {named} and 2 more."
    assert some.startswith(
        f"leads; it is ahead of 2 of {len(others)} others; it cannot be told yet from {others[2]}"
    )
    assert everything == f"leads; it is ahead of all {len(others)} others."


def test_that_anchors_stand_above_the_leader_is_explained() -> None:
    state = simulated(60).state
    assert "anchors" not in who_is_ahead(state, BOARD.id)
    for version in ("red/one@2", "green/slow@1"):
        state.add(Retired(version, "x"))
    assert who_is_ahead(state, BOARD.id).startswith("blue/one@1 leads, as anchors have no rank; ")


def test_at_the_end_nothing_is_said_to_be_still_to_come() -> None:
    seen = simulated(60)
    seen.state.add(Closed("the term is over", seen.state.at, 2))
    told = expected(seen.state, BOARD.id, forecast(seen.state, BOARD.id))
    assert "newcomer" not in told
    assert not told.startswith("0 ")
    seen.state.add(Sealed(seen.state.at))
    told = who_is_ahead(seen.state, BOARD.id)
    assert told.startswith(f"red/one@2 ({SCRIPT}")
    assert ") is first; " in told
    assert "yet" not in told


def test_what_is_shown_frozen_foretells_nothing() -> None:
    seen = simulated(60)
    told = live(seen, "x", 0.0, stopped=False).boards[0]
    assert "placements take about" in told.expected
    assert re.search(r"questions another \S+ \w+ to \S+ \w+", told.expected)
    assert {row.wait for row in told.rows} != {"–"}
    seen.state.add(Frozen("the last days", seen.state.at))
    told = live(seen, "x", 0.0, stopped=False).boards[0]
    assert re.fullmatch(r"(\d+ versions? to be placed and )?\d+ questions? open", told.expected)
    assert {row.wait for row in told.rows} == {"–"}


def test_each_that_waits_for_its_placement_is_marked_on_a_new_board() -> None:
    state = state_with("red/one@1", "blue/one@1")
    told = live(LeagueSnapshot([], state, "x"), "x", 0.0, stopped=False).boards[0]
    marked = [row.version for row in told.rows if "to be placed" in row.remark]
    assert len(marked) == forecast(state, BOARD.id).placements
    play(state, 60)
    told = live(LeagueSnapshot([], state, "x"), "x", 0.0, stopped=False).boards[0]
    assert not any("to be placed" in row.remark for row in told.rows if row.low is not None)


def test_what_is_told_live_is_small_and_holds_no_result_of_what_is_played() -> None:
    state = simulated(60, [f"team-{number}/bot@1" for number in range(120)])
    drawn = now_playing(state.state)
    told = live(state, "x", 0.0, stopped=False)
    assert (told.state, told.running, told.draws) == ("running", 1, 60)
    assert [one.versions for one in told.playing] == [drawn.versions]
    encoded = msgspec.json.encode(told)
    assert len(encoded) < 20_000
    assert len(told.boards[0].rows) == 100
    for companion in drawn.companions:
        assert companion not in msgspec.json.encode(told.playing).decode()
    assert live(state, "x", 0.0, stopped=True).playing == ()


@pytest.fixture(scope="module")
def site(seen: LeagueSnapshot, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages of the simulated league."""
    out = tmp_path_factory.mktemp("pages") / "site"
    LeagueSite(out.parent, out, f"Autumn {SCRIPT}", lambda: seen).write(replays=True)
    return out


@pytest.fixture(scope="module")
def browser() -> Iterator["playwright.Browser"]:
    with chromium() as launched:
        yield launched


def opened(browser: "playwright.Browser", width: int, wrong: list[str]) -> "playwright.Page":
    """A tab that notes whatever is wrong in it, and every wish for another server."""
    page = browser.new_page(viewport={"width": width, "height": SIZES[width]})
    page.on("console", lambda message: wrong.append(message.text))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("dialog", lambda dialog: (wrong.append(dialog.message), dialog.dismiss()))
    page.on(
        "request",
        lambda asked: (
            None if re.match(r"(file|blob):|http://127\.0\.0\.1:", asked.url) else wrong.append(asked.url)
        ),
    )
    return page


@pytest.mark.needs("chromium")
@pytest.mark.parametrize(
    ("width", "name"),
    [
        pytest.param(width, name, marks=() if (width, name) in IN_THE_GATE else pytest.mark.thorough)
        for width in SIZES
        for name in PAGES
    ],
)
def test_nothing_is_cut_off(browser: "playwright.Browser", site: Path, width: int, name: str) -> None:
    wrong: list[str] = []
    page = opened(browser, width, wrong)
    page.goto((site / name).as_uri())
    page.evaluate(RENDERED)
    measured: dict[str, Any] = page.evaluate(MEASURED)
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    if name == "index.html":
        box = page.locator(".of-league tbody th").first.bounding_box()
        assert box
        assert box["y"] <= SIZES[width] / (3 if width in PHONES else 1)
        assert set(page.evaluate(BESIDE_THE_SCALE)) == {0}
        if width in PHONES:
            assert set(page.evaluate(LABELS_OF_PODS)) == {"none"}
        page.check("#all-numbers")
    page.evaluate(RENDERED)
    for found in (measured, page.evaluate(MEASURED)):
        assert found["cut"] == []
        assert found["page"] <= width
    assert page.locator("script").count() <= 3
    assert wrong == []
    page.close()


@pytest.mark.thorough  # 2 s of processor.
@pytest.mark.needs("chromium")
def test_a_wide_screen_breaks_no_name(browser: "playwright.Browser", tmp_path: Path) -> None:
    wrong: list[str] = []
    longest = "author-author-nr/bot-bot-bot-bot-@1"
    seen = simulated(100, [longest])
    LeagueSite(tmp_path, tmp_path / "site", "x", lambda: seen).write(replays=False)
    page = opened(browser, 1440, wrong)
    page.goto((tmp_path / "site" / "index.html").as_uri())
    heights = {
        page.locator(f'[data-version="{one}"] .of-bot').evaluate("one => one.getBoundingClientRect().height")
        for one in ("red/one@2", longest)
    }
    assert len(heights) == 1
    assert page.evaluate(
        "[...document.querySelectorAll('.wide')].every((one) => one.scrollWidth <= one.clientWidth)"
    )
    page.close()


@pytest.mark.thorough  # 3 s of processor.
@pytest.mark.needs("chromium")
def test_a_league_of_sixty_is_six_screens_of_a_phone_with_times_of_its_zone(
    browser: "playwright.Browser", tmp_path: Path
) -> None:
    seen = simulated(60, [f"author{number}/bot@1" for number in range(52)])
    LeagueSite(tmp_path, tmp_path / "site", "x", lambda: seen).write(replays=False)
    page = browser.new_page(viewport={"width": 390, "height": 844}, timezone_id="Pacific/Kiritimati")
    page.goto((tmp_path / "site" / "index.html").as_uri())
    page.evaluate(RENDERED)
    assert page.evaluate("document.documentElement.scrollHeight") <= 6 * 844
    rows = page.locator("#table-1 tbody tr:visible")
    assert (rows.count(), page.locator("#last tbody tr:visible").count()) == (10, 6)
    page.get_by_label("Filter by bot or author").fill("author51")
    assert rows.count() == 1
    page.get_by_label("Filter by bot or author").fill("")
    assert rows.count() == len(board_rows(seen.state, BOARD.id))
    page.get_by_role("button", name="Show all 12").click()
    assert page.locator("#last tbody tr:visible").count() == 12
    assert not page.locator("#words").is_visible()
    page.get_by_role("link", name="Words").click()
    assert page.locator("#words").is_visible()
    # There it is tomorrow already, so a time has two dates.
    draw = page.locator("#last tbody tr").nth(1)
    assert draw.locator("time").text_content() == "2024-10-05 02:58 (2024-10-04 12:58 UTC)"
    for part in ("th", ".when"):
        assert draw.locator(part).evaluate("(part) => part.scrollWidth <= part.clientWidth"), part
    page.close()


@pytest.mark.thorough  # 3 s of processor.
@pytest.mark.needs("chromium")
def test_the_board_follows_what_is_told(browser: "playwright.Browser", site: Path, tmp_path: Path) -> None:
    wrong: list[str] = []
    copy = Path(shutil.copytree(site, tmp_path / "site"))
    told = msgspec.json.decode((copy / LIVE_FILE).read_bytes(), type=LeagueStatus)
    (board,) = told.boards
    # The last two rows change their places.
    *rows, above, below = [row for row in board.rows if row.place is not None]
    changed = [
        *rows,
        msgspec.structs.replace(
            below, place=above.place, strength=7.5, pods=99, better="better", wait="3 s", remark="anchor"
        ),
        msgspec.structs.replace(above, place=below.place),
    ]
    boards = (msgspec.structs.replace(board, ahead=SCRIPT, rows=tuple(changed)),)
    news = msgspec.structs.replace(told, state="running", written=time.time(), stamp="new", boards=boards)
    (copy / LIVE_FILE).write_bytes(msgspec.json.encode(news))
    with served(copy) as (address, asked):
        page = opened(browser, 1440, wrong)
        page.clock.install()
        page.goto(address.replace("report.html", "index.html"))
        page.get_by_text("being played", exact=True).wait_for()
        order = [row.get_attribute("data-version") for row in page.locator("[data-version]").all()]
        assert order[: len(changed)] == [row.version for row in changed]
        row = page.locator(f'[data-version="{below.version}"]')
        assert (row.locator(".gain").inner_text(), row.locator(".score").inner_text()) == ("+7.50", "99")
        assert [row.locator(name).inner_text() for name in (".better", ".remark")] == ["better", "anchor"]
        assert row.locator(".wait").text_content() == "3 s"
        assert page.locator("[data-live=ahead]").inner_text() == SCRIPT
        assert page.get_by_role("button", name="Show what is new").is_visible()
        page.evaluate(HIDE, True)
        count = len(asked)
        page.clock.run_for(20_000)
        assert len(asked) == count
        with page.expect_request("**/live.json"):
            page.evaluate(HIDE, False)
        page.close()
    assert wrong == []


@pytest.mark.needs("chromium")
@pytest.mark.thorough
def test_a_league_is_watched_while_it_is_played(browser: "playwright.Browser", tmp_path: Path) -> None:
    league, out = founded(tmp_path), tmp_path / "site"
    done("add", league, bot(tmp_path / "bots", "mybot", LAST), "--author", "red")
    words = ["league", "run", str(league), "--draws", "2", "--jobs", "1", "--pages", str(out)]
    playing = subprocess.Popen(
        [sys.executable, "-m", "arena", *words], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    wrong: list[str] = []
    try:
        while not (out / LIVE_FILE).exists():
            assert playing.poll() is None, playing.communicate()
            time.sleep(0.1)
        with served(out) as (address, asked):
            page = opened(browser, 360, wrong)
            page.goto(address.replace("report.html", "index.html"))
            page.get_by_text("being played", exact=True).wait_for()
            page.get_by_text("not being played, as of ").wait_for(timeout=600_000)
            assert page.locator("#draws").inner_text() == "2"
            page.get_by_role("button", name="Show what is new").click()
            page.locator("#last .draws").wait_for()
            page.goto(page.locator("#last .game").first.evaluate("link => link.href"))
            page.locator(".felt .card").first.wait_for()
            page.close()
            print(len(asked), "requests")
        assert wrong == []
        assert playing.wait(timeout=60) == 0
    finally:
        playing.kill()
        playing.communicate()


@pytest.mark.thorough
def test_a_league_goes_on_without_pages(tmp_path: Path) -> None:
    league, out = founded(tmp_path), tmp_path / "site"
    words = ["league", "run", str(league), "--draws", "2", "--jobs", "1", "--pages", str(out)]
    playing = subprocess.Popen(
        [sys.executable, "-m", "arena", *words], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    try:
        while not (out / LIVE_FILE).exists():
            assert playing.poll() is None, playing.communicate()
            time.sleep(0.1)
        shutil.rmtree(out)
        out.write_text("")
        said = playing.communicate(timeout=600)[0].decode()
    finally:
        playing.kill()
    assert said.count("the pages cannot be kept up to date") == 1
    assert "Traceback" not in said
    assert read(league).last_draw == 2


def test_a_league_that_was_just_founded_or_has_lost_files_has_pages_too(tmp_path: Path) -> None:
    league = tmp_path / "league"
    done("new", league, *NEW)
    index = Path(done("report", league, "--title", "<b>\u202e&").out.strip())
    assert "<h1>&lt;b&gt;" in index.read_text()
    quick.play(league, 2)
    for folder in ("logs", "private", "inbox", "versions"):
        shutil.rmtree(league / folder)
    done("report", league)
    assert not [*(league / "site" / "replays").iterdir()]
    db = sqlite3.connect(league / FILE)
    db.execute("UPDATE entries SET entry = '{' WHERE no = 9")
    db.commit()
    db.close()
    before = index.read_bytes()
    assert f"{FILE}: entry 9 is not what was written" in arena("league", "report", league).err
    assert index.read_bytes() == before
