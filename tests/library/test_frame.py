"""A replay in a notebook's cell, in a real browser: its frame has no address, no network and no way out."""

from pathlib import Path

import pytest

from arena.library.replay import replay_of
from arena.log.entries import LogWriter
from tests.support.chromium import chromium
from tests.support.logs import chance_log

pytestmark = pytest.mark.needs("chromium")

CELL = "<!doctype html><meta charset=utf-8><style>* {{ color: rgb(1, 2, 3) }}</style><p id=cell>cell</p>{}"
"""A page whose styles would show inside of the frame if they reached it."""


@pytest.mark.thorough  # 3 s of processor.
def test_a_replay_is_stepped_through_in_its_frame(tmp_path: Path) -> None:
    script = '"></iframe><script>alert(1)</script>'
    writer = LogWriter()
    for entry in chance_log("sticheln", 3, text=script).entries:
        writer.add(entry)
    path = tmp_path / "cell.html"
    path.write_text(CELL.format(replay_of(writer.text())._repr_html_()))
    wrong: list[str] = []
    with chromium() as browser:
        page = browser.new_context(offline=True, viewport={"width": 1000, "height": 1000}).new_page()
        page.on("console", lambda message: wrong.append(message.text))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on(
            "request", lambda request: wrong.append(request.url) if request.url != path.as_uri() else None
        )
        page.on("dialog", lambda dialog: (wrong.append(dialog.message), dialog.dismiss()))
        page.goto(path.as_uri())
        frame = page.frame_locator("iframe")
        frame.locator(".felt .card").first.wait_for()
        assert frame.locator("#where").inner_text() == "Deal 1 of 2"
        frame.locator("[data-go=deal-on]").click()
        assert frame.locator("#where").inner_text() == "Deal 2 of 2"
        frame.locator("[data-go=trick-on]").click()
        assert "trick" in frame.locator("#where").inner_text()
        frame.locator("#seat").select_option("1")
        assert frame.locator(".hand.backs").count() == 2
        # Once a step's name would have gone into the address.
        page.wait_for_timeout(300)
        # The table and all its controls are seen at once, and the notebook is as it was.
        assert frame.locator(".board").evaluate("one => one.getBoundingClientRect().bottom <= innerHeight")
        assert frame.locator("h1").evaluate("one => getComputedStyle(one).color") != "rgb(1, 2, 3)"
        assert page.url == path.as_uri()
        assert page.locator("#cell").inner_text() == "cell"
        page.set_viewport_size({"width": 390, "height": 844})
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert frame.locator("html").evaluate("one => one.scrollWidth <= one.clientWidth")
    assert wrong == []
