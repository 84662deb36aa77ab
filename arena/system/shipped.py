"""Locates what is shipped with the code: the sample bots and the documents. They are at the top of the source
tree, and in `arena/share` of an installation (setup.py). Knows nothing about their contents."""

from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).parent.parent
INSTALLED: Final = HERE / "share"


def shipped(name: str) -> Path:
    """The path of `name`, which is relative to the top of the source: `bots`, `SPEC.md` …"""
    return (INSTALLED if INSTALLED.is_dir() else HERE.parent) / name
