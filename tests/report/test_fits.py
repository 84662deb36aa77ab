"""The report, the page of a bot, the stage and a report that reads files, at the widths that people have and
measured in a real browser: nothing is cut off, and nothing is wider than the page. On a phone some tables
scroll, with a sign at the edge where they go on.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from playwright import sync_api as playwright

from arena.director.journal import Journal
from arena.report.files import write_report
from arena.report.live import RunningPod
from tests.support.chromium import chromium
from tests.support.large import swiss
from tests.support.phones import MEASURED, PHONES, RENDERED, folder
from tests.support.served import served

__all__ = ["folder"]

pytestmark = pytest.mark.needs("chromium")

SIZES = {360: 740, 390: 844, 1024: 768, 1440: 900, 1920: 1080}
IN_THE_GATE = (("over", 360),)
WIDE = {
    "Difference in gain per deal between each two bots",
    "Meetings of each two bots, and the difference in gain per deal in them",
    "Rank and adjusted gain after each round",
}
"""The captions of the tables that scroll on a phone."""


BARS = """() => [...document.querySelectorAll(".cards tbody td.bar")].filter((one) => one.checkVisibility())
  .map((one) => one.offsetWidth / one.parentElement.offsetWidth)"""
"""On a phone, what part of the width each bar has."""

LOWEST = """() => Math.max(...[...document.querySelectorAll("#stage *")]
  .filter((one) => one.checkVisibility()).map((one) => one.getBoundingClientRect().bottom))"""
"""Where the lowest part of the stage ends."""

FIRST_SCREEN = """() => {
  const box = (selector) => document.querySelector(selector).getBoundingClientRect();
  const first = document.querySelector("#live .name") ? "#live .name" : ".standings tbody th";
  const line = parseFloat(getComputedStyle(document.body).lineHeight);
  return [box(first).top, box("nav").height, line];
}"""
"""Where the first rank begins, the height of the navigation, and that of a line."""

INTERVALS = """() => [...document.querySelectorAll(".standings tbody tr:not(.unranked)")].map((row) => {
  const scale = document.querySelector(".standings thead .bar").getBoundingClientRect();
  const drawn = [...row.querySelectorAll(".bar .interval, .bar .point")];
  const within = ({ left, right }) => left >= scale.left - 2 && right <= scale.right + 2;
  return drawn.length > 0 && drawn.every((one) => within(one.getBoundingClientRect()));
})"""
"""For each ranked row, whether its gain is drawn within the scale above."""


UNSEEN_ENDS = """() => [...document.querySelectorAll("#stage .name, .matrix th a, .rises .name")]
  .filter((one) => one.checkVisibility())
  .filter((one) => {
    const texts = document.createTreeWalker(one, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) ;
    const last = texts.currentNode;
    const range = document.createRange();
    const end = last.data.replace("\\u200e", "").length;
    range.setStart(last, end - 1);
    range.setEnd(last, end);
    const letter = range.getBoundingClientRect();
    const box = one.closest("li, th, foreignObject").getBoundingClientRect();
    const beside = letter.left < box.left - 1 || letter.right > box.right + 1;
    return beside || letter.top < box.top - 1 || letter.bottom > box.bottom + 1;
  })
  .map((one) => one.textContent)"""
"""The names of which the last letter is not seen in their row, heading or drawing."""

LONG = (
    "die-unglaublich-lange-bezeichnung-a-1234",
    "die-unglaublich-lange-bezeichnung-b-1234",
    "W" * 40,
    "W" * 39 + "M",
    "الروبوت الطويل جدا للغاية رقم واحد وعشرون",
    "الروبوت الطويل جدا للغاية رقم ثلاثة وعشرون",
)
"""Titles that are told apart by what comes last."""


@pytest.fixture(scope="module")
def reports(twelve: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Of a tournament with nasty texts that is over, of one that goes on and has intervals, and of one with
    long titles."""
    running = swiss(tmp_path_factory.mktemp("fits") / "running", bots=12, rounds=5, played=4)
    paths = {}
    long = swiss(tmp_path_factory.mktemp("long") / "long", bots=12, rounds=4, titles=LONG)
    for name, run in (("over", twelve), ("running", running), ("long", long)):
        with Journal(run) as journal:
            paths[name] = write_report(journal, with_stderr=True, replays=False).report
    return paths


@pytest.fixture(scope="module")
def browser() -> Iterator["playwright.Browser"]:
    with chromium() as launched:
        yield launched


@pytest.mark.parametrize(
    ("state", "width"),
    [
        pytest.param(state, width, marks=() if (state, width) in IN_THE_GATE else pytest.mark.thorough)
        for state in ("over", "running")
        for width in SIZES
    ],
)
def test_nothing_is_cut_off(
    browser: "playwright.Browser", reports: dict[str, Path], state: str, width: int
) -> None:
    page = browser.new_page(viewport={"width": width, "height": SIZES[width]})
    page.goto(reports[state].as_uri())
    # On a phone the rest of a long table is behind a button.
    page.evaluate("document.querySelectorAll('.others').forEach((one) => one.click())")
    assert all(page.evaluate(INTERVALS))
    page.evaluate(RENDERED)
    measured: dict[str, Any] = page.evaluate(MEASURED)
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    page.check("#all-numbers")
    page.evaluate(RENDERED)
    opened: dict[str, Any] = page.evaluate(MEASURED)
    if width in PHONES:
        assert min(page.evaluate(BARS)) > 0.5
    for found in (measured, opened):
        assert set(found["scrolled"]) <= (WIDE if width in PHONES else set())
        assert found["cut"] == []
        assert found["page"] <= width
    page.close()


@pytest.mark.thorough
@pytest.mark.parametrize("state", ["over", "running"])
def test_on_paper_no_column_is_beside_the_sheet(
    browser: "playwright.Browser", reports: dict[str, Path], state: str
) -> None:
    """A4 within margins is some 720 pixels wide, for which Chromium lays out 960 and makes them smaller."""
    page = browser.new_page(viewport={"width": 720, "height": 1000})
    page.goto(reports[state].as_uri())
    page.emulate_media(media="print")
    page.evaluate("document.querySelectorAll('#run tbody td').forEach((one) => one.append('W'.repeat(80)))")
    rights = "[...document.querySelectorAll('table')].map((one) => one.getBoundingClientRect().right)"
    assert max(page.evaluate(rights)) <= 960
    page.close()


@pytest.mark.parametrize(
    "width", [360, *(pytest.param(width, marks=pytest.mark.thorough) for width in (390, 1440))]
)
def test_the_page_of_a_bot_stands_alone_and_fits(
    browser: "playwright.Browser", reports: dict[str, Path], width: int
) -> None:
    page = browser.new_page(viewport={"width": width, "height": SIZES[width]})
    page.goto(f"{reports['over'].as_uri()}#bot=nasty")
    assert not page.locator("header.top").is_visible()
    assert page.locator("#bot h1").is_visible()
    measured = page.evaluate(MEASURED)
    assert (measured["scrolled"], measured["cut"]) == ([], [])
    assert measured["page"] <= width
    page.close()


@pytest.mark.thorough
def test_on_a_phone_the_page_of_a_bot_begins_with_its_first_matches(
    browser: "playwright.Browser", tmp_path: Path
) -> None:
    with Journal(swiss(tmp_path / "run", bots=8, rounds=10)) as journal:
        path = write_report(journal, replays=False).report
    page = browser.new_page(viewport={"width": 390, "height": SIZES[390]})
    page.goto(f"{path.as_uri()}#bot=entrant-number-00")
    assert page.evaluate("document.documentElement.scrollHeight") <= 6 * SIZES[390]
    matches = page.locator("#bot .matches tbody tr")
    assert (matches.count(), matches.locator("visible=true").count()) == (40, 10)
    page.get_by_role("button", name="Show all 40").click()
    assert matches.locator("visible=true").count() == 40
    page.close()


@pytest.mark.thorough
@pytest.mark.parametrize("width", SIZES)
def test_a_report_that_reads_files_fits(browser: "playwright.Browser", folder: Path, width: int) -> None:
    page = browser.new_page(viewport={"width": width, "height": SIZES[width]})
    with served(folder) as (address, _):
        page.goto(address)
        page.locator("#matches").scroll_into_view_if_needed()
        page.locator("#matches tbody tr").first.wait_for()
        page.evaluate(
            "document.querySelectorAll('#pairings > details').forEach((one) => { one.open = true; })"
        )
        page.locator("#pairings details:last-of-type .games a").first.wait_for()
        page.evaluate(RENDERED)
        found = [page.evaluate(MEASURED)]
        page.goto(f"{address}#bot=dies")
        page.locator("#bot .matches tbody tr").first.wait_for()
        found.append(page.evaluate(MEASURED))
    for measured in found:
        assert set(measured["scrolled"]) <= (WIDE if width in PHONES else set())
        assert measured["cut"] == []
        assert measured["page"] <= width
    page.close()


@pytest.mark.thorough  # 2 s of processor.
@pytest.mark.parametrize("state", ["over", "running"])
@pytest.mark.parametrize("width", SIZES)
def test_the_stage_fits_at_every_step(
    browser: "playwright.Browser", reports: dict[str, Path], state: str, width: int
) -> None:
    page = browser.new_page(viewport={"width": width, "height": SIZES[width]})
    page.goto(f"{reports[state].as_uri()}#stage")
    for _ in range(13 if state == "over" else 1):
        measured = page.evaluate(MEASURED)
        assert measured["cut"] == []
        assert measured["page"] <= width
        if width not in PHONES:
            # A projector does not scroll.
            assert page.evaluate(LOWEST) <= SIZES[width]
        page.keyboard.press("ArrowRight")
    page.close()


@pytest.mark.parametrize(
    "state", ["over", pytest.param("running", marks=pytest.mark.thorough)]
)  # A page each.
@pytest.mark.parametrize("width", [360, pytest.param(390, marks=pytest.mark.thorough)])
def test_a_phone_shows_the_first_rank_at_once(
    browser: "playwright.Browser", reports: dict[str, Path], width: int, state: str
) -> None:
    page = browser.new_page(viewport={"width": width, "height": SIZES[width]})
    page.goto(reports[state].as_uri())
    first, navigation, line = page.evaluate(FIRST_SCREEN)
    assert first <= SIZES[width] / 3
    assert navigation < 2 * line
    page.close()


@pytest.mark.thorough  # 2 s of processor.
def test_the_names_of_a_matrix_are_one_line_each(
    browser: "playwright.Browser", reports: dict[str, Path]
) -> None:
    page = browser.new_page(viewport={"width": 390, "height": SIZES[390]})
    page.goto(reports["running"].as_uri())
    page.evaluate("document.body.classList.add('many')")
    heights = page.locator(".matrix tbody tr").evaluate_all("(rows) => rows.map((row) => row.offsetHeight)")
    assert heights
    assert max(heights) < 60
    page.close()


@pytest.mark.thorough  # Each scrolls for more than a second.
@pytest.mark.parametrize("part", ["matches", "faults", "run"])
@pytest.mark.parametrize("width", [390, 1440])
def test_the_first_click_on_a_part_leads_to_its_heading(
    browser: "playwright.Browser", reports: dict[str, Path], part: str, width: int
) -> None:
    """Though parts that nobody has seen are not drawn, and have no height that is known."""
    page = browser.new_page(viewport={"width": width, "height": SIZES[width]})
    page.goto(reports["over"].as_uri())
    page.click(f"header.top nav a[href='#{part}']")
    page.wait_for_timeout(1500)
    top = page.evaluate(f"document.getElementById('{part}').getBoundingClientRect().top")
    left = page.evaluate("document.documentElement.scrollHeight - scrollY - innerHeight")
    assert 0 <= top <= (20 if left > 1 else SIZES[width] - 100)  # The page may end before.
    page.close()


@pytest.mark.thorough  # 2 s of processor.
@pytest.mark.parametrize("width", SIZES)
def test_the_end_of_a_long_name_is_seen(
    browser: "playwright.Browser", reports: dict[str, Path], width: int
) -> None:
    """So that two of one family are told apart."""
    page = browser.new_page(viewport={"width": width, "height": SIZES[width]})
    page.goto(reports["long"].as_uri())
    page.evaluate(RENDERED)
    assert page.locator(".matrix th a", has_text="g-a-1234").count() == 4
    assert page.evaluate(UNSEEN_ENDS) == []
    assert page.evaluate(MEASURED)["cut"] == []
    page.goto(f"{reports['long'].as_uri()}#stage")
    page.click("#stage-all")
    assert page.evaluate(UNSEEN_ENDS) == []
    assert page.evaluate(MEASURED)["cut"] == []
    page.close()


@pytest.mark.thorough  # 2 s of processor.
def test_the_stage_says_what_rank_1_means_and_has_nothing_left_to_reveal(
    browser: "playwright.Browser", reports: dict[str, Path]
) -> None:
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.goto(f"{reports['long'].as_uri()}#stage")
    page.keyboard.press("ArrowRight")
    assert page.locator(".claim").count() == 0
    assert page.locator("#stage-all").is_enabled()
    page.click("#stage-all")
    assert page.locator("#stage-all").is_disabled()
    sentence = page.locator(".ahead .sentence").text_content()
    assert "could be the best" in sentence
    assert page.locator("#stage-revealed .claim").inner_text() == sentence
    page.close()


@pytest.mark.thorough  # A dozen layouts.
def test_a_phone_shows_the_place_that_was_just_revealed(
    browser: "playwright.Browser", reports: dict[str, Path]
) -> None:
    page = browser.new_page(viewport={"width": 360, "height": 480})
    page.goto(f"{reports['long'].as_uri()}#stage")
    for _ in range(12):
        page.click("#stage-next")
        row, footer = (page.locator(at).bounding_box() for at in (".latest", "#stage footer"))
        assert row["y"] >= 0
        assert row["y"] + row["height"] <= footer["y"] + 1
    page.close()


def test_the_games_of_a_table_stand_in_one_line(
    browser: "playwright.Browser", reports: dict[str, Path], tmp_path: Path
) -> None:
    text = reports["running"].read_text()
    pods = [
        RunningPod(number, ("a-bot", "b" * (number + 10), "c" * 20, "d" * 20), 1, 4) for number in range(1, 5)
    ]
    assert text.count('"pods":[]') == 1
    path = tmp_path / "report.html"
    path.write_text(text.replace('"pods":[]', f'"pods":{msgspec.json.encode(pods).decode()}'))
    for width in range(1024, 1921, 128):
        page = browser.new_page(viewport={"width": width, "height": 900})
        page.goto(f"{path.as_uri()}#stage")
        games = page.locator("#stage-pods li .soft")
        assert games.all_inner_texts() == ["1 of 4 matches"] * 4
        lines = games.evaluate_all("(all) => all.map((one) => one.getClientRects().length)")
        assert lines == [1] * 4, width
        page.close()
