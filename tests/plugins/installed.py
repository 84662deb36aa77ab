"""Games of packages as far as Python's metadata says, for processes of their own: nothing is built."""

import os
from pathlib import Path

from tests.cli.calls import ROOT

PLUGINS = Path(__file__).parent


def listed(folder: Path, id: str, place: str) -> None:
    """Lists a game in `folder`, which a PYTHONPATH then has to name."""
    metadata = folder / f"arena_{id.replace('-', '_')}-1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: arena-{id}\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(f"[arena.games]\n{id} = {place}\n")


def environment(folder: Path, *packages: str) -> dict[str, str]:
    """The environment in which the packages of these folders beside this file are found, and what `folder`
    lists."""
    for id in packages:
        listed(folder, id, f"arena_{id.replace('-', '_')}:GAME")
    sources = [str(PLUGINS / id / "src") for id in packages]
    return {"PYTHONPATH": os.pathsep.join([str(folder), *sources, str(ROOT)])}
