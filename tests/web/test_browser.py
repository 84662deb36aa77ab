"""A person's whole match in a real browser, by clicks and by keys, and a tab closed in the middle of it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.games import GAMES
from arena.log.entries import Acted, Faulted
from arena.show.position import WORDS
from tests.chromium import chromium, needs_chromium
from tests.cli.test_play import bots, nobody_left, verified
from tests.programs import Program
from tests.web.served import Served

__all__ = ["bots"]

playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
pytestmark = needs_chromium

CHOICE = ".near .hand [role=button], #words button"
STORY = "() => document.querySelector('#story').textContent"


@pytest.fixture(scope="module")
def browser() -> Iterator["playwright.Browser"]:
    with chromium() as launched:
        yield launched


@pytest.fixture
def page(browser: "playwright.Browser") -> Iterator["playwright.Page"]:
    """A tab that fails the test for whatever is wrong in it."""
    wrong: list[str] = []
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    tab = context.new_page()
    tab.on("console", lambda message: wrong.append(message.text))
    tab.on("pageerror", lambda error: wrong.append(str(error)))
    tab.on("dialog", lambda dialog: (wrong.append(dialog.message), dialog.dismiss()))
    yield tab
    context.close()
    assert wrong == []


def moved_on(page: "playwright.Page", story: str) -> None:
    page.wait_for_function("(story) => document.querySelector('#story').textContent !== story", arg=story)


@pytest.mark.parametrize(
    "game", ["ole", *(pytest.param(game, marks=pytest.mark.thorough) for game in GAMES if game != "ole")]
)
def test_a_whole_match_by_clicks(game: str, page: "playwright.Page", bots: list[str], tmp_path: Path) -> None:
    words = ("--game", game, "--deals", 2, "--seat", 1, "--seed", 7, "--log", tmp_path / "log.jsonl")
    chosen: list[str] = []
    with Served(*bots, *words, folder=tmp_path) as served:
        page.goto(served.address)
        while True:
            page.wait_for_selector(f"{CHOICE}, #between button, #between .soft")
            if page.locator("#between .soft").count():
                break
            if page.locator("#between button").count():
                page.click("#between button")
                page.wait_for_selector("#between", state="hidden")
                continue
            story = page.evaluate(STORY)
            seats = page.locator(".hand [data-card]").evaluate_all(
                "(cards) => cards.map((card) => card.closest('.place').dataset.seat)"
            )
            assert set(seats) <= {"1"}, "no other hand is to be seen"
            choice = page.locator(CHOICE).first
            chosen.append(choice.get_attribute("data-card") or choice.inner_text())
            choice.click()
            moved_on(page, story)
        placings = page.locator("#between .placings li").all_text_contents()
        assert [line.split(" ", 2)[2] for line in placings] == [GAMES[game].counts] * 4
        status, _ = served.end()
    assert status == 0
    log = verified(tmp_path)
    assert not any(isinstance(entry, Faulted) for entry in log.entries)
    actions = [entry.action for entry in log.entries if isinstance(entry, Acted) and entry.seat == 1]
    assert [WORDS.get(action, action) for action in actions] == chosen
    nobody_left(tmp_path)


def test_by_keys_with_a_hint_and_a_tab_that_is_closed(
    page: "playwright.Page", bots: list[str], tmp_path: Path
) -> None:
    nasty = tmp_path / "bots" / "nasty.py"
    note = "<img src=x onerror=alert(1)></script>"
    nasty.write_text(
        Program(asked=f"answer = answer[:-1] + ', \"note\": ' + json.dumps({note!r}) + '}}'").source()
    )
    with Served(*bots, "--hint", nasty, "--log", tmp_path / "log.jsonl", folder=tmp_path) as served:
        page.goto(served.address)
        page.wait_for_selector(CHOICE)
        page.keyboard.press("?")
        page.wait_for_selector(f"#hint:has-text('{note}')")

        # The second card from the left, by keys alone.
        page.keyboard.press("ArrowRight")
        second = page.locator(CHOICE).nth(1).get_attribute("data-card")
        story = page.evaluate(STORY)
        page.keyboard.press("Enter")
        moved_on(page, story)
        page.wait_for_selector(CHOICE)
        hand = page.locator(".near .hand").inner_text()
        assert second not in page.locator(".near .hand [data-card]").evaluate_all(
            "(cards) => cards.map((card) => card.dataset.card)"
        )

        # Nothing of the match was in the tab.
        page.goto("about:blank")
        page.goto(served.address)
        page.wait_for_selector(CHOICE)
        assert page.locator(".near .hand").inner_text() == hand
        page.goto("about:blank")
        served.interrupt()
        assert served.end()[0] == 130
    verified(tmp_path)
    nobody_left(tmp_path)
