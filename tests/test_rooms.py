"""The rooms of the house: who may import whom. An arrow is an import, and all arrows point down."""

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
STARTERS = ROOT / "arena" / "starters"
ALONE = [ROOT / "arena" / "house" / name for name in ("filler.py", "seat.py")]
"""Programs of the house that play without its packages."""

ROOMS = {
    "ground": ["protocol"],
    "rules": ["arena.games", "arena.selfplay"],
    "tournaments": ["tournaments"],
    "house": ["arena.house"],
    "match": [
        "arena.adviser",
        "arena.launch",
        "arena.botprocess",
        "arena.cgroup",
        "arena.conversation",
        "arena.cores",
        "arena.descendants",
        "arena.excess",
        "arena.foreign",
        "arena.entrant",
        "arena.greeting",
        "arena.inner",
        "arena.inquest",
        "arena.job",
        "arena.kept",
        "arena.keyring",
        "arena.machine",
        "arena.matchlog",
        "arena.person",
        "arena.retold",
        "arena.referee",
        "arena.replay",
        "arena.sandbox",
        "arena.sanitise",
        "arena.scenes",
        "arena.seccomp",
        "arena.spawn",
        "arena.stderr",
        "arena.toolchains",
        "arena.watchdog",
        "arena.worker",
        "arena.workerprocess",
    ],
    "screens": ["arena.screen"],
    "tournament": [
        "arena.apart",
        "arena.build",
        "arena.compare",
        "arena.check",
        "arena.digest",
        "arena.director",
        "arena.entrants",
        "arena.export",
        "arena.caveats",
        "arena.faults",
        "arena.figures",
        "arena.filesystem",
        "arena.quota",
        "arena.durable",
        "arena.journal",
        "arena.kit",
        "arena.lag",
        "arena.manifest",
        "arena.naming",
        "arena.pool",
        "arena.record",
        "arena.shipped",
        "arena.starters",
        "arena.steady",
        "arena.titles",
        "arena.trust",
        "arena.verify",
    ],
    "cluster": ["arena.cluster"],
    "learning": ["arena.learning"],
    "pages": ["arena.report"],
    "web": ["arena.web"],
    "roof": ["arena.cli", "arena.__main__"],
}

BELOW = {
    "ground": {"ground"},
    "rules": {"rules", "ground"},
    "tournaments": {"tournaments", "ground"},
    "house": {"house", "rules", "ground"},
    "match": {"match", "rules", "ground"},
    "tournament": {"tournament", "match", "rules", "tournaments", "ground"},
    "learning": {"learning", "rules", "ground"},
    "cluster": {"cluster", "tournament", "match", "rules", "tournaments", "ground"},
    "pages": {"pages", "tournament", "match", "rules", "tournaments", "ground"},
    "screens": {"screens", "match", "rules", "ground"},
    "web": {"web", "screens", "pages", "match", "rules", "ground"},
    "roof": {
        "roof",
        "web",
        "screens",
        "pages",
        "cluster",
        "tournament",
        "match",
        "rules",
        "tournaments",
        "ground",
    },
}

EVERYWHERE = ["arena", "arena.errors"]
"""The version, and the one error that every room above the rules may raise."""

FOREIGN = {
    "ground": {"msgspec"},
    "rules": {"msgspec"},
    "tournaments": {"msgspec", "numpy", "scipy"},
    "house": {"msgspec"},
    "match": {"msgspec", "trio"},
    "tournament": {"msgspec", "trio"},
    "cluster": {"msgspec", "trio", "distributed"},
    "learning": {"msgspec", "numpy", "gymnasium", "pettingzoo"},
    "pages": {"msgspec", "jinja2", "markupsafe"},
    "screens": {"msgspec", "trio", "rich"},
    "web": {"msgspec", "trio", "h11"},
    "roof": {"msgspec", "trio", "click", "rich"},
}

IMPURE = {
    "random",
    "time",
    "datetime",
    "os",
    "sys",
    "io",
    "pathlib",
    "secrets",
    "socket",
    "subprocess",
    "threading",
}


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {
    module_name(path): path
    for package in ("arena", "protocol", "tournaments")
    for path in sorted((ROOT / package).rglob("*.py"))
    if path not in ALONE and path.parent.parent != STARTERS
}


def room_of(module: str) -> str | None:
    for room, prefixes in ROOMS.items():
        if any(module == prefix or module.startswith(f"{prefix}.") for prefix in prefixes):
            return room
    return None


def imports(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute here"
            assert node.module is not None
            # `from arena.games import GAMES` names a value, `from arena.cli import output` a module.
            found |= {
                f"{node.module}.{alias.name}" if f"{node.module}.{alias.name}" in MODULES else node.module
                for alias in node.names
            }
    return found


@pytest.mark.parametrize("module", MODULES)
def test_every_module_has_a_room(module: str) -> None:
    assert module in EVERYWHERE or room_of(module) is not None


@pytest.mark.parametrize("module", [module for module in MODULES if module not in EVERYWHERE])
def test_all_arrows_point_down(module: str) -> None:
    room = room_of(module)
    assert room is not None
    for imported in imports(MODULES[module]):
        if imported in MODULES:
            allowed = imported in EVERYWHERE or room_of(imported) in BELOW[room]
            assert allowed, f"{module} ({room}) imports {imported} ({room_of(imported)})"
        else:
            package = imported.split(".")[0]
            known = package in sys.stdlib_module_names or package in FOREIGN[room]
            assert known, f"{module} ({room}) imports {imported}"


@pytest.mark.parametrize("module", [m for m in MODULES if room_of(m) in ("ground", "rules", "tournaments")])
def test_pure_rooms_touch_neither_files_nor_clocks_nor_chance(module: str) -> None:
    assert not {name.split(".")[0] for name in imports(MODULES[module])} & IMPURE


@pytest.mark.parametrize("path", [*sorted((ROOT / "bots").glob("*.py")), *ALONE])
def test_bots_import_only_the_standard_library(path: Path) -> None:
    assert {name.split(".")[0] for name in imports(path)} <= sys.stdlib_module_names


@pytest.mark.parametrize("path", [ROOT / "arena" / "kit.py", *sorted(STARTERS.glob("*/*.py"))])
def test_so_do_starters_and_the_kit_beside_one(path: Path) -> None:
    beside = {"kit"} if path.parent.name == "kit" else set()
    assert {name.split(".")[0] for name in imports(path)} <= sys.stdlib_module_names | beside
