"""Names made of any text, titles that fit a table, and which texts look alike."""

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import cell_len

from arena.entrants.names import NAME, is_house_like, is_pasteable, looks, name_of
from arena.system.text import TITLE_COLUMNS, called, columns, title

TEXTS = st.text(st.characters(), max_size=60)
STEMS = TEXTS | st.text("aAäßüé 0カ🃏а\u0301-._", max_size=40)


@given(STEMS)
def test_a_name_is_made_of_every_text(text: str) -> None:
    name = name_of(text)
    assert NAME.fullmatch(name)
    assert name_of(text) == name
    assert name_of(name) == name


@given(st.from_regex(NAME, fullmatch=True))
def test_what_can_be_a_name_is_it(text: str) -> None:
    assert name_of(text) == text


@given(st.lists(STEMS, min_size=2, max_size=8, unique_by=lambda text: unicodedata.normalize("NFC", text)))
@example(["my bot", "my-bot", "my_bot", "mÿ bot", "my  bot", "my bot "])
@example(["ä" * 33, "ä" * 34, "a" * 33, "a" * 34])
def test_two_texts_have_two_names(texts: list[str]) -> None:
    assert len({name_of(text) for text in texts}) == len(texts)


def test_names_are_what_they_have_always_been() -> None:
    """Names seed randomness: another spelling of one would deal its bot another stream."""
    made = {
        "größer": "grosser-45fbf6a6",
        "my bot": "my-bot-ccb0931f",
        "カード": "bot-a586e52c",
        "🃏": "bot-601cc02f",
        "house 1": "bot-house-1-a1979219",
        "x" * 40: f"{'x' * 23}-bd913ff6",
        "\udcff": "bot-8f1d0f9c",
    }
    assert {text: name_of(text) for text in made} == made


def test_a_file_from_another_machine_has_the_same_name() -> None:
    assert name_of(unicodedata.normalize("NFD", "größer")) == name_of("größer")


@given(TEXTS | st.text("ab\u0301\u0489\u05d0\u0915\u093f🃏\ufe0f\u200d\U0001f3fd\u3164 ", max_size=80))
@example("日本語" * 20)
@example("Z" + "\u0301" * 50)
@example("☰" * 40)
def test_a_title_fits_and_is_clean(text: str) -> None:
    cleaned = title(text)
    assert title(cleaned) == cleaned
    assert columns(cleaned) <= TITLE_COLUMNS
    assert cell_len(cleaned) <= TITLE_COLUMNS
    assert cleaned.isprintable()
    assert cleaned == cleaned.strip()


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("  Größer \n", "Größer"),
        ("abc\u202ecba", "abccba"),
        ("\u3164\u2800\u200b\ufe0f", ""),
        ("👨\u200d👩\u200d👧", "👨👩👧"),
        ("Z\u0323\u0323\u0323\u0323\u0323", "Ẓ\u0323\u0323"),
        ("\u0301x", "x"),
        ("x" * 33, f"{'x' * 23}…{'x' * 8}"),
        ("カ" * 17, f"{'カ' * 7}…{'カ' * 8}"),
        ("a title of an author, number 2 of 12", "a title of an author, n…2 of 12"),
        ("x" * 30 + "e" + "\u0323" * 3 + "234567", f"{'x' * 25}…234567"),
    ],
)
def test_what_a_title_keeps(text: str, cleaned: str) -> None:
    assert title(text) == cleaned


def test_numbers_stay_behind_a_title_from_right_to_left() -> None:
    assert called("bot", "שלום") == "שלום\u200e"
    assert called("bot", "größer") == "größer"
    assert called("bot", "") == "bot"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ada", "ADA"),
        ("ada", "аdа"),  # Cyrillic
        ("ada", "αdα"),  # Greek
        ("НОТ", "HOT"),
        ("ΗΟΤ", "hot"),
        ("ΝΗΣΙ", "νησι"),
        ("ada", "ａｄａ"),
        ("ada", "𝒶𝒹𝒶"),
        ("ada", "ⓐⓓⓐ"),
        ("ada", "🅰🅳🅰"),
        ("ada", "ᴀᴅᴀ"),
        ("ada", "a\u0301da\u0338"),
        ("ada", "Ꭺda"),
        ("Bob", "B0b"),
        ("Bill", "B1lI"),
        ("modern", "modem"),
        ("søren", "soren"),
        ("a-b", "a–b"),
        ("カード", "力ード"),
        ("ｶｰﾄﾞ", "カード"),
    ],
)
def test_texts_that_are_taken_for_each_other(one: str, other: str) -> None:
    assert looks(one) & looks(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("ada", "bob"), ("ハード", "バード"), ("bot 1", "bot 2"), ("कु", "क"), ("가", "나"), ("🃏", "🂡")],
)
def test_texts_that_are_not(one: str, other: str) -> None:
    assert not looks(one) & looks(other)


@given(TEXTS)
def test_a_text_looks_like_itself_in_any_case(text: str) -> None:
    assert looks(text) & looks(text.casefold())


@pytest.mark.parametrize(
    "text", ["house-1", "House-7", "hоuse‑1", "ｈｏｕｓｅ－３", "house 1", "house_2", "HOUSE1"]
)
def test_what_looks_like_a_house_bot(text: str) -> None:
    assert is_house_like(title(text))


@pytest.mark.parametrize("text", ["House of Cards", "lighthouse-1", "Housemaster", "Haus-1"])
def test_what_does_not(text: str) -> None:
    assert not is_house_like(text)


@pytest.mark.parametrize("text", ["a\nb", "a\x1b[31m", "a\u202eb", "a\udcff", "a\u2028b"])
def test_what_cannot_be_pasted(text: str) -> None:
    assert not is_pasteable(text)
    assert is_pasteable("👨\u200d👩 größer")
