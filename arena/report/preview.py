"""The preview of a page: the picture that messengers and forums show beside a link to it. It has the title,
who is ahead, and the first places with their intervals.

Drawn by Pillow, an extra, which is loaded only for pages whose address is known: without an address no
preview can be named. Knows neither tournament nor league.
"""

import bisect
import contextlib
import importlib.util
import io
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import urljoin, urlsplit

from arena.entrants.names import plain
from arena.report.axes import Axis
from arena.system.errors import UserError
from arena.system.wording import flag, gain_text, minus

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw
    from PIL.ImageFont import FreeTypeFont, ImageFont

    Font = FreeTypeFont | ImageFont

PREVIEW: Final = "preview.png"
"""The file, beside the page."""
WIDTH, HEIGHT = 1200, 630
"""Pixels: the usual size of such pictures."""
PLACES: Final = 6
"""The number of rows that are drawn."""

FONTS: Final = ("DejaVuSans.ttf", "NotoSans-Regular.ttf", "LiberationSans-Regular.ttf", "Arial.ttf")
"""Fonts to look for on the machine, in this order. Pillow's own font has little more than ASCII."""
DASHES: Final = dict.fromkeys("–—−", "-")
"""Replacements for dashes that the font lacks."""
# As in static/base.css, in light.
PAPER, INK, SOFT, LINE, ACCENT, BAND = "#f7f5f0", "#20262b", "#5c666d", "#e2dcd0", "#1d6650", "#9dbcae"
LEFT, RIGHT, TOP, ROW = 60, 60, 56, 54
NAME, BAR, GAIN = 120, 560, 1140
"""Where names and bars begin, and gains end."""


class PreviewRow(NamedTuple):
    """A row. `name` is shown if the font lacks letters of `called`. The interval is None if there is none."""

    rank: int | None
    called: str
    name: str
    low: float | None
    gain: float | None
    high: float | None


def address_of(text: str) -> str:
    """The address of a page that will be at `text`, or in that folder; "" for "". Raises UserError."""
    if not text:
        return ""
    try:
        parts = urlsplit(text)
        whole = parts.scheme in ("http", "https") and bool(parts.hostname)
        _ = parts.port  # Raises ValueError if there is none such.
    except ValueError:
        whole = False
    if whole and "@" in parts.netloc:
        # Do not repeat it in the message, which may be kept in a log.
        raise UserError(
            f"{flag.address}: everybody will read it, so it must not contain a user name or a password"
        )
    if whole and (parts.query or parts.fragment):
        raise UserError(f"{flag.address}: give the address without ?… or #…")
    if not whole or not text.isprintable() or any(char in text for char in " \"'<>\\"):
        raise UserError(
            f"{flag.address} {text}: it should be a web address, such as https://club.example/spring/"
        )
    if importlib.util.find_spec("PIL") is None:
        raise UserError(f"{flag.address}: the preview needs Pillow: pip install Pillow")
    return text if parts.path.endswith((".html", "/")) else f"{text}/"


def preview_of(address: str) -> str:
    """The address of the preview of a page."""
    return urljoin(address, PREVIEW)


def preview(
    title: str,
    below: str,
    sentence: str,
    places: Sequence[PreviewRow],
    axis: Axis,
    unit: str = "gain per deal",
) -> bytes:
    """The picture as PNG. `unit`: what the numbers mean. The same values give the same bytes on the same
    machine."""
    # Imported here because it is an extra, and only few pages have a preview.
    from PIL import Image, ImageDraw  # noqa: PLC0415

    picture = Image.new("RGB", (WIDTH, HEIGHT), PAPER)
    draw = ImageDraw.Draw(picture)
    large, normal, small = map(_font, (54, 28, 24))
    room = WIDTH - LEFT - RIGHT
    draw.rectangle((0, 0, WIDTH, 12), ACCENT)
    draw.text((LEFT, TOP), _fitting(_writable(title, large), large, room), INK, large)
    draw.text((LEFT, TOP + 76), _fitting(_writable(below, small), small, room), SOFT, small)
    top = TOP + 126
    for place in places:
        if _writable(place.called, normal) != place.called:
            sentence = sentence.replace(place.called, place.name)
    for line in _lines(_writable(sentence, normal), normal, room, 2):
        draw.text((LEFT, top), line, INK, normal)
        top += 40
    top = HEIGHT - 12 - ROW * PLACES
    draw.text((GAIN, top - 6), unit, SOFT, small, anchor="rs")
    for number, place in enumerate(places[:PLACES]):
        _draw_place(draw, normal, top + ROW * number, place, axis)
    data = io.BytesIO()
    picture.save(data, "PNG", optimize=True)
    return data.getvalue()


def _draw_place(draw: "ImageDraw", font: "Font", top: int, place: PreviewRow, axis: Axis) -> None:
    middle = top + ROW // 2

    def across(value: float) -> float:
        return BAR + (GAIN - 130 - BAR) * axis.at(value) / 100

    draw.line((LEFT, top, WIDTH - RIGHT, top), LINE)
    draw.text(
        (LEFT, middle),
        _writable("–" if place.rank is None else str(place.rank), font),
        SOFT,
        font,
        anchor="lm",
    )
    called = place.called if _writable(place.called, font) == place.called else place.name
    draw.text((NAME, middle), _fitting(called, font, BAR - NAME - 30), INK, font, anchor="lm")
    draw.line((across(0), top + 6, across(0), top + ROW - 6), LINE, 2)
    if place.low is not None and place.high is not None:
        ends = (across(place.low), middle - 7, across(place.high), middle + 7)
        draw.rounded_rectangle(ends, 7, BAND)
    if place.gain is not None:
        draw.line((across(place.gain), middle - 13, across(place.gain), middle + 13), ACCENT, 5)
        gain = _writable(minus(gain_text(place.gain)), font)
        draw.text((GAIN, middle), gain, INK, font, anchor="rm")


def _font(size: int) -> "Font":
    from PIL import ImageFont  # noqa: PLC0415

    for name in FONTS:
        with contextlib.suppress(OSError):
            return ImageFont.truetype(name, size)
    return ImageFont.load_default(size)


def _writable(text: str, font: "Font") -> str:
    """The text with the nearest Latin letters for those that the font lacks, or without them."""
    lacking = bytes(font.getmask("\uffff"))

    def nearest(char: str) -> str:
        has = char == " " or bytes(font.getmask(char)) != lacking
        return char if has else DASHES.get(char, plain(char))

    by_char = {char: nearest(char) for char in set(text)}
    return " ".join("".join(by_char[char] for char in text).split())


def _fitting(text: str, font: "Font", room: int) -> str:
    """As much of the text as fits into `room` pixels."""
    if font.getlength(text) <= room:
        return text

    def too_long(count: int) -> bool:
        return font.getlength(f"{text[:count]}…") > room

    fits = bisect.bisect_left(range(1, len(text) + 1), True, key=too_long)
    return f"{text[:fits].rstrip()}…"


def _lines(text: str, font: "Font", room: int, most: int) -> Iterator[str]:
    """The text in at most this many lines."""
    line, words = "", text.split(" ")
    while words and most > 1 and font.getlength(f"{line} {words[0]}".strip()) <= room:
        line = f"{line} {words.pop(0)}".strip()
    if most == 1 or not line:
        yield _fitting(" ".join([line, *words]).strip(), font, room)
        return
    yield line
    if words:
        yield from _lines(" ".join(words), font, room, most - 1)
