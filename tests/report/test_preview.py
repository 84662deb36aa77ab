"""The picture by which a link to a report is shown, and the tags that lead to it."""

import io
import re
import struct
import zlib
from pathlib import Path

import pytest
from PIL import Image

from arena.director.journal import Journal
from arena.report.axes import axis
from arena.report.files import write_report
from arena.report.preview import HEIGHT, PREVIEW, WIDTH, PreviewRow, address_of, preview, preview_of
from arena.report.tournament import Heading
from arena.system.errors import UserError
from tests.cli.calls import ROOT, arena


def size(png: bytes) -> tuple[int, int]:
    """Width and height, by the header alone."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    assert zlib.crc32(png[12:29]) == struct.unpack(">I", png[29:33])[0]
    width, height = struct.unpack(">II", png[16:24])
    return width, height


def test_a_link_shows_a_picture_where_the_address_is_known(twelve: Path) -> None:
    with Journal(twelve) as journal:
        heading = Heading("Spring Cup", address="https://club.example/spring")
        page = write_report(journal, heading, replays=False).report.read_text()
        first = (twelve / PREVIEW).read_bytes()
        write_report(journal, heading, replays=False)
        plain = write_report(journal, replays=False).report.read_text()
    tags = dict(re.findall(r'<meta property="(og:[a-z:]+)" content="([^"]*)">', page))
    assert tags["og:url"] == "https://club.example/spring/"
    assert tags["og:image"] == f"https://club.example/spring/{PREVIEW}"
    assert size(first) == (int(tags["og:image:width"]), int(tags["og:image:height"])) == (WIDTH, HEIGHT)
    assert (twelve / PREVIEW).read_bytes() == first
    assert "og:image" not in plain


def test_the_picture_holds_any_text_within_its_edges() -> None:
    texts = ["", "x" * 5000, "春の大会", "<b>\u202eevil\u0000\ud800", "a b " * 400]
    scale = axis([-300.0, 5.0])
    for text in texts:
        places = [
            PreviewRow(None, text, "name", low, gain, 5.0) for low in (None, -300.0) for gain in (None, 0.0)
        ]
        png = preview(text, text, text, places * 4, scale)
        assert size(png) == (WIDTH, HEIGHT)
        assert edges(png) == {"#f7f5f0"}


def edges(png: bytes) -> set[str]:
    """The colours to the left and to the right of what is drawn."""
    picture = Image.open(io.BytesIO(png)).convert("RGB")
    strips = [picture.crop((left, 13, left + 50, HEIGHT)) for left in (0, WIDTH - 50)]
    seen = {colour for strip in strips for _, colour in strip.getcolors(50 * HEIGHT) or ()}
    return {"#" + bytes(colour).hex() for colour in seen if isinstance(colour, tuple)}


def test_a_name_in_another_script_is_shown_by_its_ascii_name() -> None:
    def drawn(called: str) -> bytes:
        return preview("", "", "", [PreviewRow(1, called, "modest", 0.0, 1.0, 2.0)], axis([2.0]))

    assert drawn("名前") == drawn("modest") != drawn("greedy")


@pytest.mark.parametrize(
    ("given", "address", "picture"),
    [
        ("https://club.example", "https://club.example/", "https://club.example/preview.png"),
        ("http://[::1]:80/a/", "http://[::1]:80/a/", "http://[::1]:80/a/preview.png"),
        ("https://c.example/a/x.html", "https://c.example/a/x.html", "https://c.example/a/preview.png"),
    ],
)
def test_an_address_is_that_of_the_page_or_of_its_folder(given: str, address: str, picture: str) -> None:
    assert address_of(given) == address
    assert preview_of(address) == picture


@pytest.mark.parametrize(
    "wrong",
    [
        "club.example",
        "javascript:alert(1)",
        "https://",
        'https://a/"><x>',
        "https://[",
        "ftp://a/",
        "https://a:99999/",
        "https://a/b\\c",
    ],
)
def test_anything_else_is_refused(wrong: str) -> None:
    with pytest.raises(UserError, match="it should be a web address"):
        address_of(wrong)


@pytest.mark.parametrize("private", ["https://me:secret@a/", "https://a/?token=secret", "https://a/#secret"])
def test_what_may_be_private_is_neither_published_nor_repeated(private: str) -> None:
    with pytest.raises(UserError) as refused:
        address_of(private)
    assert "secret" not in str(refused.value)


def names(run: Path) -> set[str]:
    """What is in a folder, but for what reading its database leaves there."""
    return {path.name for path in run.iterdir() if path.suffix not in (".db-wal", ".db-shm")}


def test_without_pillow_it_says_how_to_get_it(twelve: Path, tmp_path: Path) -> None:
    before = names(twelve)
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.modules['PIL'] = None\n")
    hidden = {"PYTHONPATH": f"{tmp_path}:{ROOT}"}
    call = arena("report", twelve, "--address", "https://club.example/", env=hidden, fresh=True)
    assert call.status == 2
    assert call.err == "arena: --address: the preview needs Pillow: pip install Pillow\n"
    assert names(twelve) == before
