"""axe-core finds nothing wrong with the pages for people who hear them, use keys, or see little contrast."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python import base as axe
from playwright import sync_api as playwright

from arena.director.journal import Journal
from arena.report.files import write_report
from arena.report.replay import replay_page
from tests.screens.web.served import Served
from tests.support.chromium import chromium
from tests.support.logs import chance_log
from tests.support.phones import folder
from tests.support.playing import bots
from tests.support.served import served

__all__ = ["bots", "folder"]

pytestmark = pytest.mark.needs("chromium")

THOROUGH = pytest.mark.thorough
WRONG = """async () => (await axe.run(document, { resultTypes: ["violations"] })).violations
  .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 120)}`))"""
"""Each element with the rule that it breaks."""


@pytest.fixture(scope="module")
def browser() -> Iterator["playwright.Browser"]:
    with chromium() as launched:
        yield launched


@pytest.fixture(scope="module")
def report(twelve: Path) -> str:
    with Journal(twelve) as journal:
        return write_report(journal, replays=False).report.as_uri()


def wrong(page: "playwright.Page") -> list[Any]:
    page.evaluate(axe.AXE_SCRIPT)
    found: list[Any] = page.evaluate(WRONG)
    page.close()
    return found


@pytest.mark.thorough  # 15 s of processor; the gate has a replay.
@pytest.mark.parametrize(
    "colours", ["light", pytest.param("dark", marks=THOROUGH)]
)  # axe-core looks for seconds.
@pytest.mark.parametrize("place", ["", pytest.param("#bot=dies", marks=THOROUGH)], ids=["report", "bot"])
def test_a_report(browser: "playwright.Browser", report: str, place: str, colours: str) -> None:
    page = browser.new_page(color_scheme=colours)
    page.goto(report + place)
    assert wrong(page) == []


@pytest.mark.thorough  # axe-core looks for seconds; `test_a_report` is of the gate.
@pytest.mark.parametrize("colours", ["light", "dark"])
def test_the_stage(browser: "playwright.Browser", report: str, colours: str) -> None:
    page = browser.new_page(color_scheme=colours)
    page.goto(f"{report}#stage")
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    assert wrong(page) == []


@pytest.mark.thorough
@pytest.mark.parametrize("colours", ["light", "dark"])
@pytest.mark.parametrize("place", ["", "#bot=dies"], ids=["report", "bot"])
def test_a_report_that_reads_files(
    browser: "playwright.Browser", folder: Path, place: str, colours: str
) -> None:
    page = browser.new_page(color_scheme=colours)
    with served(folder) as (address, _):
        page.goto(address + place)
        if not place:
            page.locator("#matches").scroll_into_view_if_needed()
        page.locator("#bot .matches tbody tr" if place else "#matches tbody tr").first.wait_for()
        assert wrong(page) == []


@pytest.mark.thorough  # 5 s of processor.
@pytest.mark.parametrize("colours", ["light", pytest.param("dark", marks=THOROUGH)])
def test_a_replay(browser: "playwright.Browser", tmp_path: Path, colours: str) -> None:
    path = tmp_path / "replay.html"
    path.write_text(replay_page(chance_log("sticheln", 4)))
    page = browser.new_page(color_scheme=colours)
    page.goto(path.as_uri())
    for _ in range(12):
        page.keyboard.press("ArrowRight")
    assert wrong(page) == []


@pytest.mark.parametrize("colours", ["light", pytest.param("dark", marks=THOROUGH)])
def test_playing(browser: "playwright.Browser", bots: list[str], tmp_path: Path, colours: str) -> None:
    with Served(*bots, "--log", tmp_path / "log.jsonl", folder=tmp_path) as served:
        page = browser.new_page(color_scheme=colours)
        page.goto(served.address)
        page.wait_for_selector(".near .hand [role=button], #words button")
        assert wrong(page) == []
