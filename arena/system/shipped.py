"""Finds what is shipped beside the code: the sample bots and the documents. In the source tree they stand at
its top; an installation has them in `arena/share` (setup.py). Knows nothing of what is in them.
"""

from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).parent.parent
INSTALLED: Final = HERE / "share"


def shipped(name: str) -> Path:
    """The path of `name`, which is relative to the top of the source: `bots`, `SPEC.md` …"""
    return (INSTALLED if INSTALLED.is_dir() else HERE.parent) / name
