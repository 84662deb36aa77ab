"""The pages in a real browser: opened from the disk, with the network blocked."""

import csv
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import msgspec
import pytest
from playwright import sync_api as playwright

from arena.director.journal import Journal
from arena.director.state import Record
from arena.games import GAMES
from arena.log.entries import Acted
from arena.log.retrace import of_entries, read
from arena.players.review.choices import choices
from arena.players.review.judge import Judge
from arena.report.files import write_report
from arena.report.replay import replay_page
from tests.report.knowing import told_to
from tests.support.chromium import chromium
from tests.support.logs import chance_log
from tests.support.reports import EXTREMES

pytestmark = pytest.mark.needs("chromium")

SEEN_AFTER = """(key) => {
  document.dispatchEvent(new KeyboardEvent("keydown", { key }));
  const all = (selector) => [...document.querySelectorAll(selector)];
  return {
    deal: document.querySelector("#where").textContent,
    cards: all("[data-card]").map((card) => card.dataset.card),
    handsOf: all(".hand [data-card]").map((card) => card.closest(".place").dataset.seat),
    secret: !document.querySelector("#now .sentences").textContent && !document.querySelector(".laid"),
  };
}"""
"""What can be seen of cards once a key was pressed."""

SEEN_IN_THE_FIRST_DEAL = f"""() => {{
  const [after, all] = [{SEEN_AFTER}, []];
  let seen = after("Home");
  for (; seen.deal.startsWith("Deal 1"); seen = after("ArrowRight")) all.push(seen);
  return [...all, seen];
}}"""
"""The same at each of its steps, and at the first of the next deal."""

PLACES_OF_THE_BUTTON = """() => {
  const places = new Set();
  for (let step = 0; step < 60; step++) {
    const { x, y, width, height } = document.querySelector(".play").getBoundingClientRect();
    places.add([x, y, width, height].join());
    document.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight" }));
  }
  return [...places];
}"""
"""Where it is drawn in sixty steps."""

DRAWN = """() => {
  const drawn = [document.querySelectorAll(".place").length, document.querySelectorAll(".hand.backs").length];
  document.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight" }));
  return drawn;
}"""
"""How many seats and hidden hands there are; then a step on."""

PHONE = {"width": 390, "height": 844}
PHONES = [(360, 740), (390, 844)]

CLIPPED = """() => [...document.querySelectorAll("body *")]
  .filter((one) => {
    const { left, right, width } = one.getBoundingClientRect();
    const style = getComputedStyle(one);
    if (!width || style.clipPath.startsWith("inset")) return false;
    const cut = style.overflowX !== "visible" && one.scrollWidth > one.clientWidth + 1;
    return (cut && style.textOverflow !== "ellipsis") || left < -1 || right > innerWidth + 1;
  })
  .map((one) => `${one.tagName} ${one.className} ${one.textContent}`)"""
"""What is cut off, or lies beside the screen."""

COVERED = """() => [...document.querySelectorAll(".felt .card + .card, .felt li + li > .card")]
  .map((card) => [card.previousElementSibling ?? card.parentElement.previousElementSibling.firstChild, card])
  .filter(([under, over]) => {
    const signs = [...under.children].map((sign) => sign.getBoundingClientRect());
    const [box, own] = [over.getBoundingClientRect(), under.getBoundingClientRect()];
    const right = Math.min(own.right, box.top < own.bottom && box.left > own.left ? box.left : Infinity);
    return signs.some((sign) => sign.right > right || sign.bottom > own.bottom);
  })
  .map(([under]) => under.dataset.card)"""
"""The cards whose value, shape or letter reaches below the next card or out of its own."""


OVERLAPPING = """() => {
  const all = [...document.querySelectorAll(".laid, .centre .says, .place")];
  const boxes = all.map((one) => one.getBoundingClientRect()).filter((box) => box.width);
  const beside = (one, other) => one.right <= other.left || other.right <= one.left;
  const above = (one, other) => one.bottom <= other.top || other.bottom <= one.top;
  const apart = (one, other) => beside(one, other) || above(one, other);
  return boxes.flatMap((one, at) => boxes.slice(0, at).filter((other) => !apart(one, other)));
}"""
"""The parts of a trick and the seats around it that lie on others."""


HIDDEN_ENDS = """(selector) => [...document.querySelectorAll(selector)].filter((one) => {
  const range = document.createRange();
  const texts = document.createTreeWalker(one, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) ;
  const last = texts.currentNode;
  range.setStart(last, last.data.length - 1);
  range.setEnd(last, last.data.length);
  const [letter, box] = [range.getBoundingClientRect(), one.getBoundingClientRect()];
  return letter.left < box.left - 1 || letter.right > box.right + 1;
}).map((one) => one.textContent)"""
"""The texts of which the last letter is not seen."""

ON_CARDS = """() => {
  const [says, ...laid] = [...document.querySelectorAll(".says, .laid")]
    .sort((one, other) => one.matches(".laid") - other.matches(".laid"))
    .map((one) => one.getBoundingClientRect());
  const beside = (one) => one.right <= says.left || says.right <= one.left;
  const above = (one) => one.bottom <= says.top || says.bottom <= one.top;
  return laid.filter((one) => !beside(one) && !above(one));
}"""
"""The cards, with the names below them, on which lies what is told of their trick."""


@pytest.fixture(scope="module")
def browser() -> Iterator["playwright.Browser"]:
    with chromium() as launched:
        yield launched


@pytest.fixture
def page(browser: "playwright.Browser") -> Iterator["playwright.Page"]:
    """A tab that fails the test for whatever is wrong in it, and for every wish for the network."""
    wrong: list[str] = []
    context = browser.new_context(offline=True, viewport={"width": 1280, "height": 900})
    tab = context.new_page()
    tab.on("console", lambda message: wrong.append(message.text) if message.type != "log" else None)
    tab.on("pageerror", lambda error: wrong.append(str(error)))
    tab.on("request", lambda request: None if request.url.startswith("file:") else wrong.append(request.url))
    tab.on("dialog", lambda dialog: (wrong.append(dialog.message), dialog.dismiss()))
    yield tab
    context.close()
    assert wrong == []


@pytest.fixture(scope="module")
def report(twelve: Path) -> Path:
    with Journal(twelve) as journal:
        return write_report(journal, with_stderr=True).report


def column(page: "playwright.Page", number: int) -> list[str]:
    cells = page.locator(f"#standings-table tbody tr:visible > :nth-child({number})")
    return [text.strip() for text in cells.all_inner_texts()]


def test_the_report_sorts_and_filters(page: "playwright.Page", report: Path) -> None:
    page.goto(report.as_uri())
    names = column(page, 2)
    ranks = column(page, 1)
    assert len(names) == 12
    assert page.get_by_text("<script>alert(1)</script>").count() > 0
    page.click("#standings-table thead button:has-text('Bot')")
    head = page.locator("#standings-table thead th:has-text('Bot')")
    assert head.get_attribute("aria-sort") == "ascending"
    assert column(page, 2) == sorted(names, key=str.lower)
    # By keyboard, and the other way round.
    page.keyboard.press("Enter")
    assert head.get_attribute("aria-sort") == "descending"
    assert column(page, 2) == sorted(names, key=str.lower, reverse=True)
    page.click("#standings-table thead button:has-text('Rank')")
    assert column(page, 1) == ranks
    page.fill("[data-filters=matches-table]", "noted r02")
    rows = page.locator("#matches-table tbody tr:visible").all_inner_texts()
    assert len(rows) == 4
    assert all("noted" in row and "r02" in row for row in rows)


@pytest.mark.thorough  # 3 s of processor.
def test_a_table_is_saved_as_csv(page: "playwright.Page", report: Path, tmp_path: Path) -> None:
    page.goto(report.as_uri())
    with page.expect_download() as download:
        page.get_by_label("Save as CSV: Standings, by rank").click()
    download.value.save_as(tmp_path / "saved.csv")
    with (tmp_path / "saved.csv").open(encoding="utf-8-sig", newline="") as saved:
        rows = list(csv.DictReader(saved))
    with Journal(report.parent) as journal:
        table = Record(journal.entries).standings()
    standings = (*table.entrants, *table.house)
    assert [float(row["Score"] or 0) for row in rows] == [row.score for row in standings]
    assert [float(row["Gain/deal"]) for row in rows] == [row.gain for row in standings]
    assert [row["Rank"] for row in rows] == [str(row.rank or "") for row in standings]


def test_a_replay_is_opened_stepped_through_and_seen_as_a_seat_saw_it(
    page: "playwright.Page", report: Path
) -> None:
    page.goto(report.as_uri())
    page.locator("#matches-table a").first.click()
    page.wait_for_selector(".felt .card")
    log = read(report.parent / "matches" / f"{Path(page.url.partition('#')[0]).stem}.jsonl")
    assert page.locator(".felt .card[data-card]").count() == len(log.game.deck(4))
    for seat in (0, log.seats - 1):
        page.select_option("#seat", str(seat))
        known = told_to(log, seat)
        at_most: set[str] = set()
        *of_the_deal, next_deal = page.evaluate(SEEN_IN_THE_FIRST_DEAL)
        assert len(of_the_deal) > 20
        for seen in of_the_deal:
            # Choices in secret are steps in which nothing becomes known.
            if not (seen["secret"] and at_most):
                at_most = next(known)
            assert set(seen["cards"]) <= at_most
            assert set(seen["handsOf"]) <= {str(seat)}
        assert next(known) >= set(next_deal["cards"])
    page.keyboard.press("a")
    assert page.locator(".felt .hand.backs").count() == 0


@pytest.mark.thorough  # 3 s of processor; the gate opens a link that was copied.
def test_an_address_leads_to_its_step(page: "playwright.Page", report: Path) -> None:
    replay = next((report.parent / "replays").iterdir())
    page.goto(f"{replay.as_uri()}#deal=2&trick=7")
    assert page.locator("#where").inner_text() == "Deal 2 of 2, trick 7"
    assert page.locator(".laid .card").count() == 1
    for key, place in (
        ("Shift+ArrowRight", "#deal=2&trick=8"),
        ("ArrowLeft", "#deal=2&trick=7&step=4"),
        ("PageUp", "#deal=2"),
        ("PageUp", "#deal=1"),
    ):
        page.keyboard.press(key)
        page.wait_for_url(f"**{place}")
    page.keyboard.press("End")
    assert page.locator(".placings li").count() == 4
    page.click("[data-go=back]")
    assert page.locator(".placings li").count() == 0
    page.click(".play")
    assert page.locator(".play").get_attribute("aria-pressed") == "true"
    page.keyboard.press("Space")
    assert page.locator(".play").get_attribute("aria-pressed") == "false"


@pytest.mark.thorough  # 3 s of processor.
def test_a_link_to_a_step_is_copied_and_opens_there(page: "playwright.Page", report: Path) -> None:
    replay = next((report.parent / "replays").iterdir())
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(replay.as_uri())
    page.keyboard.press("PageDown")
    page.keyboard.press("Shift+ArrowRight")
    page.get_by_role("button", name="Copy link").press("Enter")
    page.wait_for_selector("#copied:text('copied')")
    link = page.evaluate("navigator.clipboard.readText()")
    assert link == f"{replay.as_uri()}#deal=2&trick=1"
    page.goto("about:blank")
    page.goto(link)
    assert page.locator("#where").inner_text() == "Deal 2 of 2, trick 1"
    # Where a browser lets no page write to the clipboard, a person can.
    page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    page.keyboard.press("c")
    assert page.get_by_label("Link to this step").input_value() == link
    assert page.evaluate("document.activeElement.id") == "link"
    assert page.evaluate("String(getSelection())") == link


@pytest.mark.thorough  # 3 s of processor.
def test_the_result_lies_over_the_table_at_the_end(page: "playwright.Page", report: Path) -> None:
    first, second, *_ = sorted((report.parent / "replays").iterdir())
    page.goto(first.as_uri())
    result = page.get_by_role("region", name=re.compile("wins|share first place"))
    assert result.count() == 0
    page.keyboard.press("End")
    names = page.locator("h1 .of-title").evaluate_all("found => found.map((name) => name.firstChild.data)")
    assert page.locator(".placings li").count() == len(names) == 4
    winner = page.locator(".placings li").first.inner_text().rpartition(",")[0]
    assert page.locator("#winner").inner_text() == f"{winner} wins"
    # Who hears the page hears it too.
    assert f"{winner} wins." in page.locator("[aria-live]").inner_text()
    page.get_by_role("button", name="Show the table").press("Enter")
    assert result.count() == 0
    assert page.evaluate("document.activeElement.id") == "scrubber"
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowRight")
    assert result.count() == 1
    page.keyboard.press("Escape")
    assert result.count() == 0
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("End")
    result.get_by_role("link", name="Next match").click()
    page.wait_for_url(f"{second.as_uri()}**")


@pytest.mark.thorough  # 3 s of processor.
def test_a_page_says_how_its_game_works(page: "playwright.Page", tmp_path: Path) -> None:
    path = tmp_path / "replay.html"
    path.write_text(replay_page(chance_log("sticheln-1993", 4, deals=1)))
    page.set_viewport_size(PHONE)
    page.goto(path.as_uri())
    where = page.locator("#where").inner_text()
    page.get_by_role("button", name="How this game works").press("Enter")
    rules = page.get_by_role("dialog", name="How this game works")
    assert rules.get_by_text("need not follow suit").is_visible()
    box = rules.bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= PHONE["width"]
    # The keys of the page scroll the text now.
    page.keyboard.press("End")
    page.wait_for_function("() => document.querySelector('#rules .text').scrollTop > 0")
    page.keyboard.press("Escape")
    assert rules.count() == 0
    assert page.locator("#where").inner_text() == where
    assert page.evaluate("document.activeElement.textContent") == "How this game works"


@pytest.mark.thorough  # 3 s of processor.
def test_a_review_leads_from_error_to_error(page: "playwright.Page", tmp_path: Path) -> None:
    log = chance_log("sticheln", 3, 1)
    judged = [Judge(log.game).judged(choice) for choice in islice(choices(log, 1), 6, 12)]
    errors = [one for one in judged if one.sure]
    assert len(errors) > 3
    path = tmp_path / "review.html"
    path.write_text(replay_page(log, judged=judged))
    page.goto(path.as_uri())
    assert page.locator("#seat").input_value() == "1"
    assert page.locator(".mark").count() == len(errors)
    for one in errors:
        page.keyboard.press("m")
        cards = page.locator(".judgement .card").evaluate_all(
            "found => found.map((card) => card.dataset.card)"
        )
        assert cards == [one.better, one.played]
        assert f"{one.cost:.1f} ± {2 * one.error:.1f} points" in page.locator(".judgement").inner_text()
        assert page.locator(".hand .card.better").get_attribute("data-card") == one.better
    assert page.get_by_label("Next error").is_disabled()
    page.keyboard.press("M")
    assert errors[-2].better in page.locator(".judgement").inner_html()
    page.locator(".mark").first.click()
    assert errors[0].better in page.locator(".judgement").inner_html()
    # Another seat does not see what that hand holds.
    page.select_option("#seat", "0")
    assert page.locator(".judgement, .card.better").count() == 0
    page.keyboard.press("a")
    assert page.locator(".judgement").count() == 1


@pytest.mark.thorough  # 3 s of processor.
def test_the_slider_marks_faults_ends_and_swings(page: "playwright.Page", tmp_path: Path) -> None:
    path = tmp_path / "replay.html"
    path.write_text(replay_page(chance_log("sticheln", 3, deals=2, faulty=1)))
    page.goto(path.as_uri())
    marks = page.locator("#marks button")
    assert sorted(marks.evaluate_all("found => found.map((mark) => mark.className)")) == [
        "decisive", "end", "end", "fault", "swing", "swing",
    ]  # fmt: skip
    page.locator("#marks .fault").click()
    assert "bot-1: exited" in page.locator("#now .fault").inner_text()
    assert "bot-1\nthe substitute chose" in page.locator("#now dl").inner_text()
    sign = page.locator("#signs .fault").bounding_box()
    assert sign["width"] == sign["height"]
    # By keyboard, from the first to the last. The fault is in the step of a swing.
    page.keyboard.press("Home")
    here = page.locator("#moments [aria-current] .sign:not(.end)")
    # The deal that decided is the first one, and begins here.
    kinds = here.evaluate_all("found => found.map((sign) => sign.className)")
    for _ in range(2):
        page.keyboard.press("m")
        kinds += here.evaluate_all("found => found.map((sign) => sign.className)")
    assert sorted(kinds) == ["sign decisive", "sign fault", "sign swing", "sign swing"]
    assert page.get_by_label("Next moment").is_disabled()
    # From the list, which says the same, and begins with what decided. The signs are explained above it.
    assert "decided the match" in page.locator("#moments li").first.inner_text()
    assert page.locator("#signs .sign").count() == 4
    page.locator("#moments button", has_text="deal 1 ends").press("Enter")
    assert page.locator("#where").inner_text() == "Deal 1 of 2, trick 14"
    # Another seat does not know of the fault.
    page.select_option("#seat", "0")
    assert page.locator("#marks .fault:visible, #moments .fault:visible").count() == 0


@pytest.mark.thorough  # 2 s of processor.
def test_a_moment_that_is_chosen_on_a_phone_shows_the_table(page: "playwright.Page", tmp_path: Path) -> None:
    path = tmp_path / "replay.html"
    path.write_text(replay_page(chance_log("sticheln", 3, deals=2)))
    page.set_viewport_size(PHONE)
    page.goto(path.as_uri())
    page.locator("#moments button", has_text="largest swing").last.click()
    playwright.expect(page.locator("#table .centre")).to_be_in_viewport()


@pytest.mark.thorough  # 3 s of processor.
def test_pages_fit_a_phone(page: "playwright.Page", report: Path) -> None:
    page.set_viewport_size(PHONE)
    for path in (report, next((report.parent / "replays").iterdir())):
        page.goto(path.as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


@pytest.mark.thorough  # 5 s of processor.
def test_a_name_leads_to_its_bot_and_back_leads_to_the_name(page: "playwright.Page", report: Path) -> None:
    page.emulate_media(reduced_motion="reduce")
    page.goto(report.as_uri())
    shown = page.locator("#bot")
    heading = shown.locator("h1")
    for table in ("#standings-table", "#matches-table"):
        name = page.locator(f"{table} a.of-bot", has_text="noted").first
        name.focus()
        before = name.bounding_box()
        name.press("Enter")
        page.wait_for_url("**#bot=noted")
        heading.filter(has_text="noted").wait_for()
        assert page.evaluate("document.activeElement.id") == "bot-name"
        assert page.title().startswith("noted · ")
        assert page.evaluate("scrollY") == 0
        assert page.locator(".top:visible, #standings:visible").count() == 0
        page.go_back()
        shown.wait_for(state="hidden")
        assert name.evaluate("(link) => link === document.activeElement")
        assert abs(name.bounding_box()["y"] - before["y"]) < 2
    # From bot to bot, to a replay and back, and by the address alone.
    page.goto(report.as_uri() + "#bot=dies")
    page.locator(".opponents a", has_text="nasty").press("Enter")
    page.wait_for_url("**#bot=nasty")
    heading.filter(has_text="nasty").wait_for()
    page.locator(".matches a").first.click()
    page.wait_for_selector(".felt .card")
    page.go_back()
    heading.filter(has_text="nasty").wait_for()
    page.reload()
    heading.filter(has_text="nasty").wait_for()
    evidence = shown.get_by_role("link", name="What it was sent")
    evidence.scroll_into_view_if_needed()
    before = evidence.bounding_box()
    assert page.evaluate("scrollY") > 0
    evidence.press("Enter")
    shown.wait_for(state="hidden")
    assert page.locator("#faults").is_visible()
    page.go_back()
    heading.filter(has_text="nasty").wait_for()
    assert abs(evidence.bounding_box()["y"] - before["y"]) < 2


@pytest.mark.thorough  # 3 s of processor; test_bots reads the page.
def test_the_page_of_a_bot_says_what_to_mend_and_keeps_text_text(
    page: "playwright.Page", report: Path
) -> None:
    page.goto(report.as_uri() + "#bot=dies")
    assert "exited with status 1" in page.locator("#bot .cure").inner_text()
    assert page.locator("#bot .places a").count() == 8
    cost = page.locator("#bot .lead").first.inner_text()
    assert re.match(r"It forfeited (\d+) of its \1 matches.* each deal counts .* lowest gain", cost)
    page.goto(report.as_uri() + "#bot=nasty")
    assert "by <script>alert(1)</script>" in page.locator("#bot .facts").inner_text()
    assert page.locator("#bot script").count() == 0
    page.goto(report.as_uri() + "#bot=%3Cb%3Enobody%E0")
    assert "%3Cb%3Enobody%E0" in page.locator("#bot").inner_text()
    page.get_by_role("link", name="The standings").press("Enter")
    page.locator("#standings-table").wait_for(state="visible")


@pytest.mark.thorough  # 4 s of processor.
def test_a_count_of_faults_and_the_page_of_a_bot_lead_to_the_evidence(
    page: "playwright.Page", report: Path
) -> None:
    page.goto(report.as_uri())
    evidence = page.locator("#faults details[open]")
    assert evidence.count() == 0
    count = page.locator("#standings .forfeit").last
    kind, bot = (
        count.inner_text().split(" × ")[1],
        count.locator("xpath=ancestor::tr").get_by_role("rowheader"),
    )
    name = bot.inner_text()
    count.click()
    row = page.locator("#faults tr:has(details[open])")
    assert name in row.get_by_role("rowheader").inner_text()
    assert row.locator("strong").inner_text() == kind
    assert evidence.count() == 1
    page.reload()
    assert evidence.count() == 1
    page.goto(report.as_uri())
    page.locator("#faults th a").last.click()
    page.locator("#bot .fault a", has_text="What it was sent").last.click()
    page.locator("#faults tr").last.locator("dl").wait_for()
    assert evidence.count() == 1
    assert page.locator("#faults tr").last.evaluate("(row) => row.getBoundingClientRect().top < innerHeight")


@pytest.mark.thorough
@pytest.mark.parametrize("width", [360, 390, 1024, 1440, 1920])
def test_the_page_of_a_bot_fits(page: "playwright.Page", report: Path, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    for name in ("noted", "nasty", "dies"):
        page.goto(f"{report.as_uri()}#bot={name}")
        page.evaluate("document.querySelectorAll('#bot details').forEach((one) => { one.open = true; })")
        assert [one for one in page.evaluate(CLIPPED) if "unseen" not in one] == []


@pytest.mark.parametrize(
    "game",
    ["sticheln", *(pytest.param(game, marks=pytest.mark.thorough) for game in GAMES if game != "sticheln")],
)
def test_a_phone_shows_the_table_and_the_controls_on_one_screen(
    page: "playwright.Page", tmp_path: Path, game: str
) -> None:
    path = tmp_path / "replay.html"
    names = ["W" * 32, "a name of some length", "o", "lower-case-and-without-a-break"]
    path.write_text(replay_page(chance_log(game, 4, names=names, text=5 * "long ", faulty=1)))
    for width, height in PHONES:
        page.set_viewport_size({"width": width, "height": height})
        for place in ("#deal=1", "#deal=1&trick=7&step=3", "#deal=1&step=20", "#deal=2&trick=15&step=9"):
            page.goto(path.as_uri() + place)
            assert page.locator(".board").bounding_box()["height"] <= height, (width, place)
            assert page.evaluate(CLIPPED) == [], (width, place)


@pytest.mark.thorough  # 2 s of processor.
@pytest.mark.parametrize(("game", "seats"), [("sticheln", 6), ("ole", 8)])
def test_a_phone_shows_the_trick_of_many_without_scrolling(
    page: "playwright.Page", tmp_path: Path, game: str, seats: int
) -> None:
    path = tmp_path / "replay.html"
    path.write_text(replay_page(chance_log(game, seats, names=["W" * 32] * seats, deals=1)))
    width, height = PHONES[0]
    page.set_viewport_size({"width": width, "height": height})
    page.goto(path.as_uri() + "#deal=1&trick=7&step=3")
    centre, controls = (page.locator(place).bounding_box() for place in (".centre", ".controls"))
    assert centre["y"] + centre["height"] < controls["y"]
    page.keyboard.press("End")
    assert page.locator("#winner").bounding_box()["y"] < controls["y"]


@pytest.mark.thorough  # Layouts at many steps.
def test_a_phone_shows_the_seat_that_is_to_decide(page: "playwright.Page", tmp_path: Path) -> None:
    path = tmp_path / "replay.html"
    path.write_text(replay_page(chance_log("ole", 8, deals=1)))
    width, height = PHONES[0]
    page.set_viewport_size({"width": width, "height": height})
    # Without the movement there is nothing to wait for.
    page.emulate_media(reduced_motion="reduce")
    page.goto(path.as_uri())
    seen = set()
    for _ in range(20):
        due, table, controls = (page.locator(at).bounding_box() for at in (".due", "#table", "#controls"))
        assert due["y"] >= 0
        assert due["y"] + due["height"] <= controls["y"]
        seen.add(table["y"] < 0)
        page.keyboard.press("ArrowRight")
    assert seen == {True, False}
    # Who has scrolled on to what is told below stays there.
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    below = page.evaluate("scrollY")
    page.keyboard.press("ArrowLeft")
    assert page.evaluate("scrollY") == below


@pytest.mark.thorough  # Six layouts.
@pytest.mark.parametrize("game", ["sticheln", "david-and-goliath"])
def test_no_sign_of_a_card_is_covered(page: "playwright.Page", tmp_path: Path, game: str) -> None:
    path = tmp_path / f"{game}.html"
    path.write_text(replay_page(chance_log(game, 6, deals=1)))
    for place in ("#deal=1", "#deal=1&trick=9&step=2"):
        for width in (360, 1024, 1440):
            page.set_viewport_size({"width": width, "height": 900})
            page.goto(path.as_uri() + place)
            assert page.locator(".hand .wide").count() > 5
            assert page.evaluate(COVERED) == [], width


@pytest.mark.thorough  # A layout of many; test_no_sign_of_a_card_is_covered is of the gate.
@pytest.mark.parametrize("seats", [5, 6])
@pytest.mark.parametrize("game", ["sticheln", "david-and-goliath"])
def test_no_card_of_a_trick_of_many_is_covered_on_a_notebook(
    page: "playwright.Page", tmp_path: Path, game: str, seats: int
) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    path = tmp_path / "replay.html"
    names = [f"of some length {seat}" for seat in range(seats)]
    path.write_text(replay_page(chance_log(game, seats, names=names, deals=1)))
    page.goto(f"{path.as_uri()}#deal=1&trick=2&step={seats}")
    assert page.locator(".laid").count() == seats
    assert page.locator(".says").is_visible()
    assert page.evaluate(OVERLAPPING) == []


@pytest.mark.thorough  # As above.
@pytest.mark.parametrize(("game", "lines"), [("sticheln", 1), ("david-and-goliath", 2)])
def test_names_round_a_trick_keep_their_ends_and_leave_the_cards_free(
    page: "playwright.Page", tmp_path: Path, game: str, lines: int
) -> None:
    names = ["W" * 32, "W" * 31 + "M", "الروبوت الطويل جدا رقم واحد", "house/greedy@1"]
    path = tmp_path / "replay.html"
    path.write_text(replay_page(chance_log(game, 4, names=names, deals=1)))
    for width, height in ((1440, 900), (390, 844)):
        page.set_viewport_size({"width": width, "height": height})
        page.goto(f"{path.as_uri()}#deal=1&trick=7&step=4")
        assert page.locator(".laid .by").count() == 4
        assert page.locator(".says > span").count() == lines
        assert page.evaluate(HIDDEN_ENDS, ".by, .says > span") == []
        assert page.evaluate(ON_CARDS) == [], width


@pytest.mark.thorough  # 2 s of processor.
def test_the_cards_before_the_last_have_the_ends_of_names(page: "playwright.Page", tmp_path: Path) -> None:
    names = ["house/greedy@1", "house/greedy@2", "W" * 31 + "M", "W" * 32]
    path = tmp_path / "replay.html"
    path.write_text(replay_page(chance_log("ole", 4, names=names, deals=1)))
    for width in (1440, 360):
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(f"{path.as_uri()}#deal=1&step=8")
        assert page.locator(".trail .by").count() == 5
        assert page.evaluate(HIDDEN_ENDS, ".trail .by") == []


@pytest.mark.thorough  # Sixty layouts.
@pytest.mark.parametrize("game", ["ole", "david-and-goliath"])
@pytest.mark.parametrize("width", [1100, 1440, 1920])
def test_the_buttons_stay_where_they_are(
    page: "playwright.Page", tmp_path: Path, game: str, width: int
) -> None:
    path = tmp_path / "replay.html"
    path.write_text(replay_page(chance_log(game, 4, deals=1)))
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(path.as_uri())
    assert len(page.evaluate(PLACES_OF_THE_BUTTON)) == 1
    assert page.locator("#scrubber").input_value() != "0"


@pytest.mark.thorough  # 2 s of processor.
def test_a_game_without_tricks_has_no_way_from_trick_to_trick(
    page: "playwright.Page", tmp_path: Path
) -> None:
    path = tmp_path / "replay.html"
    for game, tricks in (("ole", False), ("sticheln", True)):
        path.write_text(replay_page(chance_log(game, 4)))
        page.goto(path.as_uri())
        page.click(".keys summary")
        ways = ("[data-go=trick-back]", "[data-go=trick-on]", ".keys dd:text-is('trick')")
        assert [page.locator(way).is_visible() for way in ways] == [tricks] * 3
        page.keyboard.press("Shift+ArrowRight")
        page.keyboard.press("Shift+ArrowLeft")
        assert page.locator("#where").inner_text().startswith("Deal 1 of 2")
        assert page.locator("#scrubber").input_value() == "0"


@pytest.mark.thorough  # 3 s of processor.
def test_the_table_of_points_has_times_where_the_log_has_them_and_breaks_no_version(
    page: "playwright.Page", tmp_path: Path
) -> None:
    log = chance_log("ole", 4, names=[f"house/greedy@{version}" for version in (1, 2, 12, 120)], deals=1)
    public = [msgspec.structs.replace(one, us=0) if isinstance(one, Acted) else one for one in log.entries]
    path = tmp_path / "replay.html"
    page.set_viewport_size({"width": 360, "height": 740})
    for entries, times in ((log.entries, ["time"]), (public, [])):
        path.write_text(replay_page(of_entries(entries)))
        page.goto(path.as_uri())
        heads = page.locator(".scores thead th").all_inner_texts()
        assert heads == ["seat", "penalty points", "last deal", *times]
        assert page.locator(".scores tbody tr").first.locator("> *").count() == len(heads)
        ends = page.locator(".scores tbody th span:last-child")
        assert ends.all_inner_texts() == ["greedy@1", "greedy@2", "greedy@12", "greedy@120"]
        assert max(ends.evaluate_all("(all) => all.map((one) => one.getClientRects().length)")) == 1
        assert max(ends.evaluate_all("(all) => all.map((one) => one.offsetHeight)")) < 24


@pytest.mark.thorough  # A layout of many.
def test_beside_the_stage_every_hand_is_seen(page: "playwright.Page", tmp_path: Path) -> None:
    path = tmp_path / "replay.html"
    path.write_text(replay_page(chance_log("ole", 4, deals=1)))
    page.set_viewport_size({"width": 516, "height": 430})
    page.add_init_script("window.name = 'stage'")
    for place in ("#deal=1", "#deal=1&step=12"):
        page.goto(path.as_uri() + place)
        page.wait_for_selector(".staged .near .card")
        # In one call: the replay moves on, and draws its places anew.
        near = "document.querySelector('.near .place').getBoundingClientRect().bottom"
        assert 0 < page.evaluate(near) <= 430
        assert page.evaluate("document.documentElement.scrollHeight") <= 430


def test_what_is_told_of_a_deal_has_the_minus_sign_of_all_numbers(
    page: "playwright.Page", tmp_path: Path
) -> None:
    path = tmp_path / "replay.html"
    path.write_text(replay_page(chance_log("sticheln", 4, deals=1)))
    page.goto(path.as_uri())
    assert page.locator("#story").is_hidden()
    page.keyboard.press("End")
    told = page.locator("#now .sentences").inner_text()
    assert re.search(r"bot-\d −\d", told)
    assert not re.search(r" -\d", told)
    assert page.locator("#story").is_visible()


@pytest.mark.thorough
@pytest.mark.parametrize(("game", "seats"), EXTREMES)
def test_every_scene_of_every_game_is_drawn(
    page: "playwright.Page", tmp_path: Path, game: str, seats: int
) -> None:
    log = chance_log(game, seats, deals=2, faulty=1)
    for seat in (None, 1):
        path = tmp_path / f"{seat}.html"
        path.write_text(replay_page(log, seat))
        page.goto(path.as_uri())
        steps = int(page.locator("#scrubber").get_attribute("max"))
        hidden = 0
        for _ in range(steps + 1):
            places, backs = page.evaluate(DRAWN)
            assert places == seats
            hidden += backs
        placings = page.locator(".placings li").all_text_contents()
        assert len(placings) == seats
        assert all(re.search(rf" −?\d+ {GAMES[game].counts}?$", line) for line in placings)
        assert [", forfeited with " in line for line in placings] == [False] * (seats - 1) + [True]
        assert page.locator(".scores th").nth(1).text_content() == GAMES[game].counts
        assert bool(hidden) == (seat is not None)
        assert page.evaluate("document.documentElement.scrollWidth") <= 1280
