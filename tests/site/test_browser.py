"""The site in a real browser, on a telephone and on a desk."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright import sync_api as playwright

from tests.support.chromium import chromium

pytestmark = [pytest.mark.needs("chromium"), pytest.mark.thorough]  # As in test_site.

WIDTHS = (390, 1440)
DARK = "getComputedStyle(document.body).backgroundColor"


class Silent(SimpleHTTPRequestHandler):
    """Serves files, and writes nothing about it."""

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def served(folder: Path) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Silent, directory=folder)) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    with served(site) as address:
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator["playwright.Browser"]:
    with chromium() as browser:
        yield browser


def test_no_page_scrolls_sideways_or_asks_anybody_else(
    site: Path, address: str, browser: "playwright.Browser"
) -> None:
    page = browser.new_page()
    asked: set[str] = set()
    failed: list[str] = []
    page.on("request", lambda request: asked.add(request.url))
    page.on("response", lambda response: failed.append(response.url) if response.status >= 400 else None)
    page.on("pageerror", lambda error: failed.append(str(error)))
    for path in sorted(site.glob("**/*.html")):
        page.goto(address + str(path.relative_to(site)))
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 60})
            assert page.evaluate("document.documentElement.scrollWidth") <= width, path
    assert asked
    assert failed == []
    assert {url for url in asked if not url.startswith((address, "data:"))} == set()
    page.close()


# A telephone has a step more.
@pytest.mark.parametrize("width", [390, 1440])
def test_the_search_finds_a_trick(width: int, address: str, browser: "playwright.Browser") -> None:
    page = browser.new_page(viewport={"width": width, "height": 800})
    page.goto(address)
    if width < 1000:
        page.locator("label[for='__navigation']:visible").first.click()
    page.locator(".sidebar-search").fill("trick")
    page.keyboard.press("Enter")
    result = page.locator("#search-results li a", has_text="David & Goliath").first
    result.click()
    page.wait_for_url("**/games/david-and-goliath.html*")
    assert "trick" in page.locator("article").inner_text()
    page.close()


def test_dark_where_the_reader_wants_it_dark(address: str, browser: "playwright.Browser") -> None:
    shades = []
    for scheme in ("light", "dark"):
        page = browser.new_page(color_scheme=scheme)
        page.goto(address)
        shades.append(sum(map(int, page.evaluate(DARK).removeprefix("rgb(").removesuffix(")").split(", "))))
        page.close()
    light, dark = shades
    assert light > 600
    assert dark < 150
