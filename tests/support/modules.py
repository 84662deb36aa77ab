"""The modules of the product, by name."""

from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parent.parent.parent


STARTERS: Final = ROOT / "arena" / "starters"


ALONE: Final = [ROOT / "arena" / "players" / "house" / name for name in ("filler.py", "seat.py")]
"""Programs of the house that play without its packages."""


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES: Final = {
    module_name(path): path
    for package in ("arena", "protocol", "tournaments")
    for path in sorted((ROOT / package).rglob("*.py"))
    if path not in ALONE and (path.parent == STARTERS or not path.is_relative_to(STARTERS))
}
