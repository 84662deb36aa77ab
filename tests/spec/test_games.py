"""What SPEC.md says of each game, against its rules: fields, decks, rulings, worked examples."""

import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.games import GAMES
from arena.games.david_and_goliath.rules import high_and_low, pile_points
from arena.games.game import Game
from arena.games.ole.rules import hand_points, rule
from arena.games.sticheln.rules import taking
from tests.spec.text import HEADINGS, ROOT, every_game, fields, first_cells, listing, rows, section

COMMON: Final = ["deal_no", "deals", "seats", "seat", "leader", "hand", "points"]


def test_every_game_has_its_section() -> None:
    assert list(HEADINGS) == list(GAMES), "sections of SPEC.md that begin with `game`, by AUTHOR"
    glance, fields_of_all = section("## Games").split("a view begins with these fields:")
    told = {row[0]: row for row in rows(glance) if row[0].startswith("[")}
    assert [name.partition("`](")[0].removeprefix("[`") for name in told] == list(GAMES)
    for game, (_, seats, decisions, _, view, best) in zip(GAMES.values(), told.values(), strict=True):
        assert seats == f"{game.seats[0]}–{game.seats[-1]}"
        assert decisions == ", ".join(f"`{decision}`" for decision in game.decisions)
        assert view == ", ".join(f"`{name}`" for name in fields(game.views)[len(COMMON) :])
        assert best == ("fewest points" if game.counts == "penalty points" else "most points")
    assert first_cells(fields_of_all.partition("An event is")[0]) == COMMON


def between(text: str, start: str, end: str) -> str:
    return text[text.index(start) : text.index(end)]


@every_game
def test_every_field_of_a_view_is_documented_in_order(game: Game) -> None:
    assert fields(game.views)[: len(COMMON)] == COMMON
    view = between(section(HEADINGS[game.id]), "**View**", "**Events**")
    assert first_cells(view) == fields(game.views)[len(COMMON) :]
    for nested in structs_in(game.views):
        for name in fields(nested):
            assert f"`{name}`" in view, f"{nested.__name__}.{name}"


def structs_in(view: Any) -> list[Any]:
    """The structs that stand in the fields of a view."""
    types = [field.type for field in msgspec.inspect.type_info(view).fields]
    items = [kind.item_type for kind in types if isinstance(kind, msgspec.inspect.VarTupleType)]
    return [item.cls for item in items if isinstance(item, msgspec.inspect.StructType)]


def tag(struct: Any) -> str:
    return str(struct.__struct_config__.tag)


@every_game
def test_every_field_of_an_event_is_documented_in_order(game: Game) -> None:
    games = section("## Games")
    common = {row[0]: row[1] for row in rows(games[: games.index("\n###")]) if len(row) == 3}
    text = section(HEADINGS[game.id])
    own = {row[0]: row[1] for row in rows(text[text.index("**Events**") :])}
    for event in game.events.__args__:
        told = (common | own)[f"`{tag(event)}`"]
        places = [told.index(f"`{name}`") for name in fields(event)]
        assert places == sorted(places), event.__name__


@every_game
def test_every_decision_is_documented(game: Game) -> None:
    decisions = between(section(HEADINGS[game.id]), "**Decisions**", "**View**")
    assert [row[0].strip("`") for row in rows(decisions)] == list(game.decisions)


@every_game
def test_every_option_is_documented_with_its_default(game: Game) -> None:
    text = section(HEADINGS[game.id])
    for name, default in msgspec.to_builtins(game.options()).items():
        (row,) = [row for row in rows(text) if row[0] == f"`{name}`" and len(row) == 4]
        assert row[2] == str(default).lower()
        assert name in msgspec.json.decode(msgspec.json.encode(game.options()))
    if game.id == "sticheln-1993":
        for target in (0, 10_000):
            msgspec.convert({"target": target}, game.options)
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert({"target": 10_001}, game.options)


@every_game
def test_every_ruling_is_told_and_tested_by_its_name(game: Game) -> None:
    rules = inspect.getmodule(type(game))
    assert rules is not None
    told = re.findall(r"^\| ([A-Z]-\d+[ab]?) \|", section(HEADINGS[game.id]), re.MULTILINE)
    letter = told[0][0]
    cited = set(re.findall(rf"\b{letter}-\d+[ab]?", inspect.getsource(rules)))
    assert cited <= set(told), "a ruling that the rules cite is not in SPEC.md"
    tests = ROOT / "tests" / "games" / f"test_{rules.__name__.split('.')[-2]}.py"
    names = "".join(re.findall(r"^def test((?:_[a-z]\d+[ab]?)+)_", tests.read_text(), re.MULTILINE))
    tested = {f"{letter}-{ruling}" for ruling in re.findall(rf"_{letter.lower()}(\d+[ab]?)", names)}
    assert set(told) == tested, f"{tests.name} has no test_{letter.lower()}…, or SPEC.md has no such ruling"


@every_game
def test_every_deck_is_told(game: Game) -> None:
    text = section(HEADINGS[game.id])
    for letter, name in game.suits(max(game.seats)).items():
        assert f"{letter} {name}" in text
    for seats in game.seats:
        deck, suits = game.deck(seats), game.suits(seats)
        row = next(row for row in rows(text) if row[0] == str(seats))
        ranges = {letter: [card for card in deck if card[0] == letter] for letter in suits}
        runs = {letter: f"{own[0][1:]} … {own[-1][1:]}" for letter, own in ranges.items()}
        if len(row) == 4:
            (run,) = set(runs.values())
            assert row[1:] == [" ".join(suits), run, str(len(deck))]
        else:
            assert row[3:] == [str(len(deck)), str(len(deck) // seats)]
            (pairs,) = re.findall(r"^\| seats \| (.) and (.) \| (.) and (.) \|", text, re.MULTILINE)
            assert runs == dict(zip(pairs, (row[1], row[1], row[2], row[2]), strict=True))


def listed(function: str, instead: Mapping[str, str] = {}) -> Callable[..., Any]:
    """A function of a listing in Python, some of its words changed."""
    code, names = listing("python", f"def {function}("), dict[str, Any]()
    for told, changed in instead.items():
        assert told in code
        code = code.replace(told, changed)
    exec(code, names)
    found: Callable[..., Any] = names[function]
    return found


tricks = given(seats=st.integers(3, 6), data=st.data())


def drawn_trick(game: str, seats: int, data: st.DataObject) -> list[str]:
    """Cards of different values and of equal ones; zeros are as likely as all others together."""
    deck = GAMES[game].deck(seats)
    cards = st.sampled_from([card for card in deck if int(card[1:]) < 4]) | st.sampled_from(deck)
    return data.draw(st.lists(cards, min_size=seats, max_size=seats, unique=True))


@tricks
def test_the_listing_of_who_takes_a_trick_is_right(seats: int, data: st.DataObject) -> None:
    cards, leader = drawn_trick("sticheln", seats, data), data.draw(st.integers(0, seats - 1))
    at = taking(cards, led_zero_takes=False)
    assert listed("taker")(cards, leader, seats) == (None if at is None else (leader + at) % seats)
    at = taking(cards, led_zero_takes=True)
    assert at is not None
    first_edition = listed("taker", instead={"return None": "return leader"})
    assert first_edition(cards, leader, seats) == (leader + at) % seats


@tricks
def test_the_listing_of_who_wins_what_is_right(seats: int, data: st.DataObject) -> None:
    cards, leader = drawn_trick("david-and-goliath", seats, data), data.draw(st.integers(0, seats - 1))
    high, low = high_and_low(cards)
    assert listed("split")(cards, leader, seats) == ((leader + low) % seats, (leader + high) % seats)


@pytest.mark.parametrize("top", ["red", "yellow"])
def test_the_listing_of_which_card_may_be_laid_is_right(top: str) -> None:
    told, deck = listed("rule"), GAMES["ole"].deck(8)
    assert all(told(card, table, top) == rule(card, table, top) for card in deck for table in deck)


def examples(heading: str, head: str) -> list[list[str]]:
    """The rows below the line of column heads, in a table of worked examples."""
    text = section(heading)
    return rows(text[text.index(head) :].partition("\n\n")[0])


@pytest.mark.parametrize(("game", "led_zero_takes"), [("sticheln", False), ("sticheln-1993", True)])
def test_the_examples_of_tricks_are_right(game: str, led_zero_takes: bool) -> None:
    told = examples(HEADINGS[game], "| trick | taken by |")
    assert len(told) >= 4
    for trick, card, *_ in told:
        at = taking(trick.split(), led_zero_takes)
        assert card == ("nobody" if at is None else trick.split()[at])


def test_the_examples_of_high_and_low_cards_are_right() -> None:
    told = examples("### David & Goliath", "| trick | high card |")
    assert len(told) >= 4
    for trick, high, low, *_ in told:
        assert tuple(trick.split()[at] for at in high_and_low(trick.split())) == (high, low)
    won = "R4 R10 R11 Y8 G5 G9 B2 B3 B6 B10 B12 V10 V12"
    assert pile_points(tuple(won.split())) == 52
    assert all(card in section("### David & Goliath") for card in won.split())


def test_the_examples_of_rules_are_right() -> None:
    told = examples("### Olé!", "| table | card |")
    assert len(told) >= 4
    for table, cards, result in told:
        said = [int(number) for number in re.findall(r"rule (\d)", result)] or [0]
        for number, card in enumerate(re.findall(r"[RBGY]\d+", cards)):
            by = rule(card, table, "red")
            if "then" in cards:
                table, said = card, [3, 3, 3, 2]
                assert by == said[number]
            else:
                assert [by] == said
    assert hand_points(["R2", "B10"], chips=3) == 27
