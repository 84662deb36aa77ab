"""The report at the widths that people have, measured in a real browser: nothing is cut off, and nothing is
wider than the page. On a phone some tables scroll, with a sign at the edge where they go on.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.report.files import write_report
from arena.running.journal import Journal
from tests.chromium import chromium, needs_chromium
from tests.report.test_large import swiss

playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
pytestmark = needs_chromium

SIZES = {360: 740, 390: 844, 1024: 768, 1440: 900, 1920: 1080}
PHONES = (360, 390)
IN_THE_GATE = (("over", 360), ("running", 1440))
WIDE = {
    "Difference in gain per deal between each two bots",
    "Meetings of each two bots, and the difference in gain per deal in them",
    "Rank and adjusted gain after each round",
}
"""The captions of the tables that scroll on a phone."""
RENDERED = """() => {
  document.querySelectorAll("main > section").forEach((one) => { one.style.contentVisibility = "visible"; });
  return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
}"""
"""Has everything drawn, as if somebody had scrolled to it."""

MEASURED = """() => {
  const cut = [], scrolled = [];
  const told = (one) => `${one.tagName} ${one.getAttribute("class") ?? ""}: ${one.textContent.slice(0, 40)}`;
  const hides = (one) => {
    const { overflowX, textOverflow } = getComputedStyle(one);
    return overflowX !== "visible" && textOverflow !== "ellipsis" && !one.matches("nav, input, svg");
  };
  const signed = (one) => one.tabIndex === 0 && getComputedStyle(one).maskImage.includes("gradient");
  const scrolls = (one) => one.scrollWidth > one.clientWidth + 1;
  for (const part of document.querySelectorAll("header.top, main > section")) {
    // Nothing of a section is painted outside of it.
    const { left, right } = part.getBoundingClientRect();
    for (const one of part.querySelectorAll("*")) {
      if (!one.checkVisibility() || one.closest(".unseen, nav > a")) continue;
      const table = one.parentElement.closest(".wide");
      if (one.matches(".wide")) {
        if (scrolls(one)) scrolled.push(one.querySelector("caption").textContent);
        if (scrolls(one) && !signed(one)) cut.push(told(one));
      } else if (hides(one) && scrolls(one)) cut.push(told(one));
      if (table && scrolls(table)) continue;
      const box = one.getBoundingClientRect();
      const [from, to] = one.matches("nav") ? [0, innerWidth] : [left, right];
      if (box.width && (box.left < from - 1 || box.right > to + 1)) cut.push(told(one));
    }
  }
  return { cut, scrolled, page: document.documentElement.scrollWidth };
}"""
"""What is cut off without a sign, the captions of the tables that scroll, and the width of the page."""

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


@pytest.fixture(scope="module")
def reports(twelve: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Of a tournament with nasty texts that is over, and of one that goes on and has intervals."""
    running = swiss(tmp_path_factory.mktemp("fits") / "running", bots=12, rounds=5, played=4)
    paths = {}
    for name, folder in (("over", twelve), ("running", running)):
        with Journal(folder) as journal:
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
    assert all(page.evaluate(INTERVALS))
    page.evaluate(RENDERED)
    measured: dict[str, Any] = page.evaluate(MEASURED)
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    page.check("#all-numbers")
    page.evaluate(RENDERED)
    opened: dict[str, Any] = page.evaluate(MEASURED)
    for found in (measured, opened):
        assert set(found["scrolled"]) <= (WIDE if width in PHONES else set())
        assert found["cut"] == []
        assert found["page"] <= width
    page.close()


@pytest.mark.parametrize("state", ["over", "running"])
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
