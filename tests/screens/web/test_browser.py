"""A person's whole match in a real browser, by clicks and by keys, and a tab closed in the middle of it."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright import sync_api as playwright

from arena.games import GAMES
from arena.log.entries import Acted, Faulted
from arena.screens.show.position import WORDS
from tests.screens.web.served import GO_ON, Served
from tests.support.chromium import chromium
from tests.support.playing import bots, nobody_left, verified
from tests.support.programs import Program

__all__ = ["bots"]

pytestmark = pytest.mark.needs("chromium")

CHOICE = ".near .hand [role=button], #words button"
FOCUSED = """() => document.activeElement.matches(
  ".hand [role=button], #words button, #between button, #over"
)"""
HOSTILE = "<img src=x onerror=alert(1)>"
COVERED = """() => [...document.querySelectorAll(".near .hand [data-card]")].filter((card) => {
  const box = card.getBoundingClientRect();
  return !card.contains(document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2));
}).map((card) => card.dataset.card)"""
"""Cards of the hand that cannot be touched: out of the screen, or below something else."""
CLIPPED = """() => [...document.querySelectorAll("body *")].filter((one) => {
  const box = one.getBoundingClientRect();
  return box.width && (box.left < -1 || box.right > innerWidth + 1);
}).map((one) => one.outerHTML.slice(0, 120))"""
"""Elements that reach beyond the sides of the screen."""
SIDEWAYS = """() => {
  const { scrollWidth, clientWidth } = document.querySelector("#rules .text");
  return scrollWidth - clientWidth;
}"""
"""How far the rules scroll to the side."""
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
    context.on("console", lambda message: wrong.append(message.text))
    context.on("weberror", lambda error: wrong.append(str(error.error)))
    context.on("dialog", lambda dialog: (wrong.append(dialog.message), dialog.dismiss()))
    yield context.new_page()
    context.close()
    assert wrong == []


def moved_on(page: "playwright.Page", story: str) -> None:
    page.wait_for_function("(story) => document.querySelector('#story').textContent !== story", arg=story)


def leave(page: "playwright.Page", served: Served) -> int:
    """Press Ctrl-C; the exit status. The browser's tabs go first, and so miss no answer."""
    page.context.close()
    served.interrupt()
    return served.end()[0]


def two_of_four(*games: str) -> list[Any]:
    """The games, of which all but these are played before a release."""
    return [pytest.param(game, marks=() if game in games else pytest.mark.exhaustive) for game in GAMES]


@pytest.mark.thorough  # Ten seconds of processor each; the gate plays one by keys.
@pytest.mark.parametrize("game", two_of_four("sticheln", "ole"))
def test_a_whole_match_by_clicks(game: str, page: "playwright.Page", bots: list[str], tmp_path: Path) -> None:
    words = ("--game", game, "--deals", 2, "--seat", 1, "--seed", 7, "--log", tmp_path / "log.jsonl")
    chosen: list[str] = []
    with Served(*bots, *words, folder=tmp_path) as served:
        page.goto(served.address)
        while True:
            page.wait_for_selector(f"{CHOICE}, #between button")
            if page.evaluate(GO_ON):
                continue
            if page.locator("#between .outcome").count():
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
        assert len(placings) == 4
        assert all(re.search(rf", −?\d+ {GAMES[game].counts}?$", line) for line in placings)
        assert page.locator("#between .sheet tbody tr").count() == 2
        assert page.evaluate("() => document.activeElement.id") == "over", "Enter must not begin another"
        with page.context.expect_page() as opened:
            page.click("#between a")
        opened.value.wait_for_selector("#table .card")
        page.get_by_role("button", name="Play again").press("Enter")
        page.wait_for_selector(CHOICE)
        assert leave(page, served) == 130, "it is another match that was left"
    log = verified(tmp_path)
    assert not any(isinstance(entry, Faulted) for entry in log.entries)
    actions = [entry.action for entry in log.entries if isinstance(entry, Acted) and entry.seat == 1]
    assert [WORDS.get(action, action) for action in actions] == chosen
    nobody_left(tmp_path)


@pytest.mark.thorough
@pytest.mark.parametrize("game", two_of_four("sticheln-1993", "david-and-goliath"))
def test_a_whole_match_by_enter_and_tab(
    game: str, page: "playwright.Page", bots: list[str], tmp_path: Path
) -> None:
    words = ("--game", game, "--deals", 2, "--log", tmp_path / "log.jsonl")
    with Served(*bots, *words, folder=tmp_path) as served:
        page.goto(served.address)
        page.wait_for_selector(CHOICE)
        page.keyboard.press("ArrowRight")
        while True:
            page.wait_for_function(FOCUSED)
            if page.locator("#between .outcome").count():
                break
            before = page.evaluate_handle("() => document.activeElement")
            page.keyboard.press("Enter")
            page.wait_for_function("(before) => document.activeElement !== before", arg=before)
        # What is focused or added to the story is what a screen reader says.
        page.wait_for_function("() => document.activeElement.id === 'over'")
        assert page.locator("#story").get_attribute("aria-live") == "polite"
        while page.evaluate("() => document.activeElement.textContent") != "Play again":
            page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        page.wait_for_selector(CHOICE)
        assert page.get_by_label("your hand").count() == 1
        assert leave(page, served) == 130
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
        assert not page.evaluate(FOCUSED), "a card in focus would look like advice"
        page.keyboard.press("?")
        page.wait_for_selector(f"#hint:has-text('{note}')")
        hinted = page.locator(".hinted").get_attribute("data-card")
        assert f"would choose {hinted} " in page.locator("#hint").inner_text()

        # The second card from the left, by keys alone.
        page.keyboard.press("ArrowRight")
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
        assert leave(page, served) == 130
    verified(tmp_path)
    nobody_left(tmp_path)


@pytest.mark.thorough  # 5 s of processor.
def test_the_rules_are_in_a_drawer(page: "playwright.Page", bots: list[str], tmp_path: Path) -> None:
    with Served(*bots, "--log", tmp_path / "log.jsonl", folder=tmp_path) as served:
        page.goto(served.address)
        page.wait_for_selector(CHOICE)
        page.keyboard.press("ArrowRight")
        focused = "() => document.activeElement.dataset.card"
        chosen = page.evaluate(focused)
        assert chosen
        assert not page.is_visible("#rules")
        page.keyboard.press("r")
        page.wait_for_selector("#rules h3:has-text('Sticheln')")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Escape")
        page.wait_for_selector("#rules", state="hidden")
        assert page.evaluate(focused) == chosen, "the keys were for the drawer"
        page.click("#open-rules")
        page.click("#close-rules")
        page.wait_for_selector("#rules", state="hidden")
        assert "person" not in page.locator("body").inner_text()
        leave(page, served)
    nobody_left(tmp_path)


@pytest.mark.parametrize(
    ("game", "width"),
    [
        ("sticheln", 360),
        *(
            pytest.param(game, width, marks=pytest.mark.thorough)
            for game in GAMES
            for width in (360, 390)
            if (game, width) != ("sticheln", 360)
        ),
    ],
)
def test_on_a_phone_the_hand_is_always_at_hand(
    game: str, width: int, page: "playwright.Page", bots: list[str], tmp_path: Path
) -> None:
    page.set_viewport_size({"width": width, "height": 640})
    titles = ("--title", f"ada={HOSTILE}", "--title", "bob=" + "W" * 32)
    words = (*titles, "--game", game, "--deals", 1, "--seed", 7, "--log", tmp_path / "log.jsonl")
    with Served(*bots, *words, folder=tmp_path) as served:
        page.goto(served.address)
        page.wait_for_selector(CHOICE)
        for _ in range(3):
            for place in ("0", "document.body.scrollHeight"):
                page.evaluate(f"() => scrollTo(0, {place})")
                assert page.evaluate(COVERED) == []
                assert page.evaluate(CLIPPED) == []
            story = page.evaluate(STORY)
            page.locator(CHOICE).first.click()
            moved_on(page, story)
            page.evaluate(GO_ON)
            page.wait_for_selector(".go-on", state="detached")
            page.wait_for_selector(CHOICE)
        assert HOSTILE in page.locator("#table").inner_text()
        page.click("#open-rules")
        assert page.evaluate(CLIPPED) == []
        assert page.evaluate(SIDEWAYS) == 0
        page.keyboard.press("Escape")
        leave(page, served)
    nobody_left(tmp_path)
