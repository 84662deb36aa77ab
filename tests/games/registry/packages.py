"""Packages with games, laid out as an installation has them, without a call of pip: the code, and beside it
the metadata by which it is found."""

import shutil
from pathlib import Path

from arena.starters import make_game


def install(site: Path, id: str = "mygame", *, package: str = "") -> Path:
    """Installs the game that `arena new --game` makes into the folder `site`, and returns the folder of its
    code."""
    made = site.parent / f"source of {id}"
    make_game(made, id)
    module = f"arena_{id.replace('-', '_')}"
    shutil.copytree(made / "src" / module, site / module)
    shutil.rmtree(made)
    describe(site, package or f"arena-{id}", "1.0", {id: f"{module}:GAME"})
    return site / module


def describe(site: Path, package: str, version: str, games: dict[str, str]) -> None:
    """Writes the metadata of a package that lists these games, by id."""
    folder = site / f"{package.replace('-', '_')}-{version}.dist-info"
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\nSummary: A game of {package}\n"
    )
    lines = [f"{id} = {place}" for id, place in games.items()]
    (folder / "entry_points.txt").write_text("\n".join(["[arena.games]", *lines, ""]))


def edit(path: Path, old: str, new: str) -> None:
    """Replaces the one occurrence of `old`. The bytecode goes: Python knows the source that it is of only by
    its size and second."""
    text = path.read_text()
    assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {path.name}"
    path.write_text(text.replace(old, new))
    shutil.rmtree(path.parent / "__pycache__", ignore_errors=True)
