"""The Python programs in the guides as files, one for each guide, for a type checker. `python -m
tests.support.examples FOLDER` writes them, and the game that your-game.md begins with. Not those of
tutorial.md, which are parts of a program that another test checks as a whole."""

import sys
from pathlib import Path
from typing import Final

from arena.starters import make_game
from tests.cli.calls import blocks

GUIDES: Final = ("cluster", "league", "library", "researcher", "tour")


def write(folder: Path) -> list[Path]:
    """The files, which are written into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    made = [folder / f"of_{guide}.py" for guide in GUIDES]
    for guide, path in zip(GUIDES, made, strict=True):
        path.write_text("\n\n".join(blocks(f"docs/{guide}.md", "python")))
    return made


if __name__ == "__main__":
    write(Path(sys.argv[1]))
    make_game(Path(sys.argv[1]) / "mygame", "mygame")
