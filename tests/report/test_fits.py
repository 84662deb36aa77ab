"""The report at the widths that people have, measured in a real browser: nothing is cut off, and nothing is
wider than the page.
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

SIZES = {1024: 768, 1440: 900, 1920: 1080}
IN_THE_GATE = (1440,)
MEASURED = """() => {
  const cut = [], scrolled = [];
  const told = (one) => `${one.tagName} ${one.getAttribute("class") ?? ""}: ${one.textContent.slice(0, 40)}`;
  const hides = (one) => getComputedStyle(one).overflowX !== "visible" && !one.matches("nav, input, svg");
  const scrolls = (one) => one.scrollWidth > one.clientWidth + 1;
  for (const part of document.querySelectorAll("header.top, main > section")) {
    // Nothing of a section is painted outside of it.
    const { left, right } = part.getBoundingClientRect();
    for (const one of part.querySelectorAll("*")) {
      if (!one.checkVisibility() || one.closest(".unseen, nav > a")) continue;
      const table = one.parentElement.closest(".wide");
      if (one.matches(".wide")) {
        if (scrolls(one)) scrolled.push(one.querySelector("caption").textContent);
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
    "width",
    [pytest.param(width, marks=() if width in IN_THE_GATE else pytest.mark.thorough) for width in SIZES],
)
@pytest.mark.parametrize("state", ["over", "running"])
def test_nothing_is_cut_off(
    browser: "playwright.Browser", reports: dict[str, Path], state: str, width: int
) -> None:
    page = browser.new_page(viewport={"width": width, "height": SIZES[width]})
    page.goto(reports[state].as_uri())
    assert all(page.evaluate(INTERVALS))
    measured: dict[str, Any] = page.evaluate(MEASURED)
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    page.check("#all-numbers")
    opened: dict[str, Any] = page.evaluate(MEASURED)
    for found in (measured, opened):
        assert found["scrolled"] == []
        assert found["cut"] == []
        assert found["page"] <= width
    page.close()
