"""A tournament of two thousand matches: its report stays small. How soon it opens is printed."""

from pathlib import Path

import pytest

from arena.director.journal import Journal
from arena.report.files import write_report
from tests.support.chromium import chromium
from tests.support.large import swiss

BOTS, ROUNDS = 64, 32
BYTES = 5_000_000
INSIDE = """(points) => points.length > 24 && points.every((point) => {
  const box = point.closest(".rises").getBoundingClientRect();
  const { top, bottom } = point.getBoundingClientRect();
  return box.top <= top && bottom <= box.bottom;
})"""
"""Whether all points lie in their drawing."""


@pytest.mark.thorough
@pytest.mark.needs("chromium")
def test_two_thousand_matches(tmp_path: Path) -> None:
    with Journal(swiss(tmp_path / "run", BOTS, ROUNDS)) as journal:
        path = write_report(journal, replays=False).report
    assert path.stat().st_size < BYTES
    with chromium() as browser:
        page = browser.new_page()
        page.goto(path.as_uri())
        assert page.locator("#matches-table tbody tr").count() == BOTS // 4 * 4 * ROUNDS
        # The first ones are drawn, with names and within the drawing.
        assert page.locator(".rises .name").count() == 24
        assert page.locator(".rises circle").evaluate_all(INSIDE)
        opened = page.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd / 1000")
        print(f"{path.stat().st_size / 1e6:.2f} MB, open after {opened:.2f} s")
