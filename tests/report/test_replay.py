"""The page of a match: it holds all of it, or only what one seat knew, and text stays text."""

from typing import Any

import msgspec
import pytest

from arena.games import GAMES
from arena.log.retrace import of_entries, retrace
from arena.log.scenes import scenes
from arena.report.replay import replay_page
from arena.report.rules import rules_html
from arena.screens.show.position import Position, picture
from tests.report.knowing import cards_in, data_of, told_to
from tests.support.logs import KEY, chance_log
from tests.support.reports import EXTREMES

NASTY = "<script>alert(1)</script></script><!--[/nope]\u2028&amp;"


@pytest.mark.parametrize(("game", "seats"), EXTREMES)
def test_the_page_of_a_seat_holds_no_card_before_that_seat_knew_it(game: str, seats: int) -> None:
    log = chance_log(game, seats, faulty=seats - 1)
    for seat in range(seats):
        page = replay_page(log, seat)
        data = data_of(page)
        known = told_to(log, seat)
        at_most: set[str] = set()
        for change in data["changes"]:
            # Where several choose in secret, a choice is a step without an event.
            if not ("decided" in change and "sentences" not in change):
                at_most = next(known)
            assert cards_in(change, log) <= at_most
        assert next(known, None) is None
        assert cards_in({key: value for key, value in data.items() if key != "changes"}, log) == set()
        # The rules have cards in their examples, the same ones for everybody.
        body = page.partition('id="data"')[0].partition("</style>")[2].replace(rules_html(game), "")
        assert cards_in(body, log) == set()
        assert f"Contains only the names and what seat {seat}" in page


@pytest.mark.parametrize(("game", "seats"), EXTREMES)
def test_the_whole_page_holds_every_hand(game: str, seats: int) -> None:
    log = chance_log(game, seats)
    data = data_of(replay_page(log))
    first = data["changes"][0]
    held = cards_in(first, log)
    assert held == set(log.game.deck(log.seats))
    assert data["seat"] is None


def test_the_way_back_has_the_name_of_where_it_leads() -> None:
    log = chance_log("ole", 3, deals=1)
    for home, name in (("../report.html", "Report"), ("../index.html", "League")):
        assert f'<a class="home" href="{home}">← {name}</a>' in replay_page(log, home=home)
    assert 'class="home"' not in replay_page(log)


def test_the_line_above_the_title_has_words() -> None:
    for match_id, words in (
        ("r01-p002-s13", "Round 1, pod 2, match 13"),
        ("96-1-4", "Draw 96, version 1, seating 4"),
        ("of-my-own", "of-my-own"),
    ):
        log = chance_log("ole", 3, deals=1)
        opened = msgspec.structs.replace(log.opened, match_id=match_id)
        page = replay_page(of_entries([opened, *log.entries[1:]]))
        assert f'<p class="eyebrow">Olé! · {words}</p>' in page


def test_a_page_says_nothing_from_which_cards_could_be_dealt_again() -> None:
    assert KEY not in msgspec.json.encode(data_of(replay_page(chance_log("sticheln", 3), 0))).decode()


@pytest.mark.parametrize("seat", [None, 0, 1])
def test_text_of_strangers_stays_text(seat: int | None) -> None:
    log = chance_log("sticheln", 3, deals=1, names=[NASTY, NASTY, "[/nope]\x1b[2J"], text=NASTY, faulty=1)
    page = replay_page(log, seat, stderr=[NASTY] * 3)
    assert page.count("<script") == page.count("</script") == 2
    assert "<!--" not in page
    assert "\u2028" not in page.partition('id="data"')[2]
    assert "alert(1)</" not in page
    data = data_of(page)
    assert data["names"][0] == NASTY
    notes = {one["note"] for change in data["changes"] for one in change.get("decided", ()) if "note" in one}
    assert notes == {NASTY}


def test_what_a_bot_wrote_to_its_standard_error_is_shown_only_if_asked_for() -> None:
    log = chance_log("sticheln", 3, deals=1, text="SECRET-PATH", faulty=1)
    faults = [fault for change in data_of(replay_page(log))["changes"] for fault in change.get("faults", ())]
    assert [fault.get("stderr") for fault in faults] == [None]
    shown = data_of(replay_page(log, stderr=["one", "two", "three"]))
    faults = [fault for change in shown["changes"] for fault in change.get("faults", ())]
    assert [fault["stderr"] for fault in faults] == ["SECRET-PATH"]
    assert shown["stderr"] == ["one", "two", "three"]
    assert data_of(replay_page(log, 1, stderr=["one", "two", "three"]))["stderr"] == ["", "two", ""]


def test_a_seat_s_page_has_nothing_that_the_others_thought() -> None:
    log = chance_log("ole", 3, text="my secret plan", faulty=1)
    data = data_of(replay_page(log, 0))
    assert {one["seat"] for change in data["changes"] for one in change.get("decided", ())} == {0}
    assert not any("faults" in change for change in data["changes"])
    assert [caption.get("name") for caption in data["captions"]] == ["my secret plan", None, None]


@pytest.mark.parametrize("game", GAMES)
def test_the_points_of_the_deal_so_far_are_those_that_a_terminal_shows(game: str) -> None:
    log = chance_log(game, 4)
    names = tuple(entrant.called for entrant in log.opened.entrants)
    shown = (scene.deal_points for scene in scenes(log) if scene.sentences or not scene.decided)
    for turn in retrace(log):
        for state, _ in turn.by_deal:
            drawn = picture(Position(log.game, state.view(0), names))
            rows = [dict(zip(drawn.headings, row, strict=True)) for row in drawn.rows]
            terminal = [str(row.get("deal", "")) for row in rows]
            assert terminal == [str(points) for points in next(shown) or [""] * 4]
    assert next(shown, None) is None


def test_changes_add_up_to_the_scenes_again() -> None:
    log = chance_log("david-and-goliath", 4)
    table: dict[str, Any] = {}
    for change, scene in zip(data_of(replay_page(log))["changes"], scenes(log), strict=True):
        table |= change.get("put", {})
        for name, tail in change.get("add", {}).items():
            table[name] = table[name] + tail
        for name, value in scene.shared.items():
            assert table[name] == msgspec.json.decode(msgspec.json.encode(value))
