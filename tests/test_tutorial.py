"""The tutorial, as somebody does it: every command in order in an empty folder, every function put into the
bot, every output compared. The gate leaves out what takes a minute.
"""

import re
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.cli.calls import ROOT, path_with_arena

TEXT = (ROOT / "docs" / "tutorial.md").read_text()
SLOW = ("arena compare", "arena tournament", "arena standings")
PLACE = "# ---- the wire"


class Block(NamedTuple):
    language: str
    text: str


BLOCKS = [Block(*found) for found in re.findall(r"^```(\w*)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)]


@pytest.fixture
def path(tmp_path: Path) -> str:
    (tmp_path / "bin").mkdir()
    return path_with_arena(tmp_path / "bin")


def functions(text: str) -> Iterable[tuple[str, str]]:
    """The functions at the top level of a program, each with its name."""
    for part in re.split(r"\n{3,}", text.strip("\n")):
        if found := re.match(r"def (\w+)\(", part):
            yield found[1], part


def put(text: str, program: Path) -> None:
    """Each function of `text` in place of the one of its name, or beside the others."""
    source = program.read_text()
    there = dict(functions(source))
    for name, function in functions(text):
        if name in there:
            source = source.replace(there[name], function)
        else:
            source = source.replace(PLACE, f"{function}\n\n\n{PLACE}")
    program.write_text(source)


def follow(blocks: Iterable[Block], folder: Path, path: str) -> None:
    """Do what the tutorial says. `…` in an output stands for anything."""
    said = ""
    for block in blocks:
        if block.language == "python":
            put(block.text, folder / "mybot" / "bot.py")
        elif block.language == "text":
            expected = "\n".join(line.strip() for line in block.text.splitlines())
            pattern = re.escape(expected).replace("…", ".*")
            assert re.search(pattern, said, re.DOTALL), f"{block.text}\nis not in\n{said}"
        else:
            assert block.language == "sh"
            done = subprocess.run(
                ("sh", "-x"),
                cwd=folder,
                env={"PATH": path, "HOME": str(folder), "LANG": "C.UTF-8"},
                input=block.text,
                capture_output=True,
                text=True,
                check=False,
            )
            # A comparison may say no.
            assert done.returncode in (0, 1) if "compare" in block.text else done.returncode == 0, done
            said = "\n".join(line.strip() for line in done.stdout.splitlines())


def is_slow(block: Block) -> bool:
    return block.language == "sh" and any(command in block.text for command in SLOW)


def test_the_tutorial_is_short_and_every_block_is_executed() -> None:
    assert len(TEXT.splitlines()) < 280
    assert TEXT.count("```") == 2 * len(BLOCKS)
    assert {block.language for block in BLOCKS} == {"sh", "python", "text"}
    *_, greedy, before, _ = [block.text for block in BLOCKS if is_slow(block)]
    assert "arena compare mybot bots/greedy.py" in greedy
    assert "arena compare mybot second" in before


@pytest.mark.thorough  # 4 s of processor.
def test_the_first_part_of_the_tutorial(tmp_path: Path, path: str) -> None:
    """Up to the review: made, checked, played, replayed."""
    follow(
        BLOCKS[: next(at for at, block in enumerate(BLOCKS) if "arena review" in block.text)], tmp_path, path
    )


@pytest.mark.thorough
def test_the_tutorial_ends_with_a_bot_that_beats_greedy(tmp_path: Path, path: str) -> None:
    follow(BLOCKS, tmp_path, path)
    assert (tmp_path / "spring" / "tournament.db").is_file()
