"""Where the things are that are shipped beside the code: the sample bots and the documents. In the source
they stand at its top; in what is installed they were put into `arena/share` (setup.py).
"""

from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).parent.parent
INSTALLED: Final = HERE / "share"


def shipped(name: str) -> Path:
    """The path of `bots`, `SPEC.md`, `docs/tutorial.md` …"""
    return (INSTALLED if INSTALLED.is_dir() else HERE.parent) / name
