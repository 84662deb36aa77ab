"""SPEC.md as tests read it: its sections, tables and listings.

Knows Markdown, and of what stands in it only how the section of a game begins.
"""

import re
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from arena.games import GAMES

ROOT: Final = Path(__file__).parents[2]
TEXT: Final = (ROOT / "SPEC.md").read_text("utf-8")
HEADINGS: Final = {
    game: heading for heading, game in re.findall(r"^(### .*)\n\n`([a-z0-9-]+)`, by ", TEXT, re.MULTILINE)
}
"""By game, in the order of the document, the heading of the section that begins "`game`, by …"."""

every_game = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


def listing(language: str, holding: str) -> str:
    (found,) = (block for block in blocks(language) if holding in block)
    return found


def transcript_of(game: str) -> str:
    """Of one match, a block of its own; "" for the game of the dialogue."""
    return "".join(block for block in blocks("transcript") if block.startswith(f'{{"game":"{game}",'))


def section(heading: str) -> str:
    """What stands under a heading, up to the next one that is not below it."""
    level = heading.split()[0]
    start = TEXT.index(f"\n{heading}\n")
    end = re.compile(rf"^#{{1,{len(level)}}} ", re.MULTILINE).search(TEXT, start + len(heading) + 2)
    return TEXT[start : end.start() if end else None]


def rows(text: str) -> list[list[str]]:
    """The cells of all tables in `text`, heads and rules left out."""
    lines = text.splitlines()
    ruled = [at for at, line in enumerate(lines) if re.fullmatch(r"\|(-+\|)+", line.replace(" ", ""))]
    return [
        [cell.strip() for cell in line.strip("|").split(" | ")]
        for at, line in enumerate(lines)
        if line.startswith("|") and at not in ruled and at + 1 not in ruled
    ]


def first_cells(text: str) -> list[str]:
    """All names in code type that stand in the first column."""
    return [name for row in rows(text) for name in re.findall(r"`([^`]+)`", row[0])]


def fields(struct: Any) -> list[str]:
    return [field.name for field in msgspec.structs.fields(struct)]


def shown(cell: str) -> str:
    """What stands in a cell in code type, however many backticks that took."""
    found = re.fullmatch(r"(`+) ?(.*?) ?\1", cell)
    return found[2] if found else cell


def cases(heading: str) -> list[Any]:
    """The rows of a section as test cases, named by their first cell."""
    return [pytest.param(*map(shown, row), id=shown(row[0])) for row in rows(section(heading))]


def by_the_listing() -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec(listing("python", "def words"), names)
    names["POD"] = names["derive"]("7", "0/0")
    names["MATCH"] = names["derive"](names["POD"], "1")
    return names
