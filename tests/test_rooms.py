"""The rooms of the house are its folders: what each is for stands in its `__init__.py`, whom it may import
here. An arrow is an import, and all arrows point down. `python -m tests.test_rooms` prints floors and arrows.
"""

import ast
import functools
import re
import sys
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from tests.support.modules import ALONE, MODULES, ROOT, STARTERS

PLUGINS: Final = {path.name for path in (ROOT / "tests" / "plugins").glob("*/src/*")}
"""Games that are packages of their own."""


class Room(NamedTuple):
    """The rooms that a room may import, and the libraries that are not Python's own."""

    below: str = ""
    foreign: str = ""


ROOMS: Final[Mapping[str, Room]] = {
    "protocol": Room("", "msgspec"),
    "system": Room(),
    "tournaments": Room("protocol", "msgspec numpy scipy"),
    "games": Room("protocol system", "msgspec numpy"),
    "process": Room("system", "msgspec trio"),
    "journal": Room("system", "msgspec trio"),
    "starters": Room("system process"),
    "entrants": Room("protocol system games tournaments process", "msgspec"),
    "log": Room("protocol system games process", "msgspec"),
    "playing": Room("protocol system games process entrants log", "msgspec trio"),
    "players": Room("protocol system games log", "msgspec numpy gymnasium pettingzoo"),
    "laws": Room("protocol system games players", "msgspec numpy pytest hypothesis"),
    "cluster": Room("games system process entrants playing", "msgspec trio distributed"),
    "checking": Room("protocol system games process entrants log playing", "msgspec trio"),
    "director": Room(
        "protocol system games tournaments process journal entrants log playing", "msgspec trio"
    ),
    "league": Room(
        "protocol system games tournaments process journal entrants log playing checking director",
        "msgspec trio",
    ),
    "report": Room(
        "protocol system games tournaments process journal entrants log playing players checking director "
        "league",
        "msgspec jinja2 markdown_it markupsafe PIL trio",
    ),
    "screens": Room("protocol system games process entrants log playing report", "msgspec rich trio h11"),
    "commands": Room(
        "protocol system games tournaments process journal starters entrants log playing players laws "
        "cluster checking director league report",
        "msgspec tomli_w trio",
    ),
    "library": Room(
        "protocol system games tournaments process entrants log playing laws checking director "
        "league report screens commands",
        "markupsafe msgspec trio",
    ),
    "cli": Room(
        "protocol system games tournaments process entrants log playing players laws checking "
        "director league report screens commands",
        "click msgspec rich trio",
    ),
}
"""Everything that a module imports lies in its own room or in one of these, which stand before it here."""

IMPORTED_AS: Final = {"pillow": "PIL", "markdown-it-py": "markdown_it", "pyyaml": "yaml"}
"""Libraries whose module has another name; a `-` is a `_` in all others."""

EXTRAS: Final = {"laws": "test", "players": "pettingzoo", "cluster": "dask", "report": "preview"}
"""Rooms that need this extra, as a whole or for the files that are of use only with it."""

ROOF: Final = "__main__"
PURE: Final = ("protocol", "tournaments")
MACHINERY_OF_GAMES: Final = re.compile(
    r"arena\.games\.((registry|door|package|advice|named|observation)$|instep\b"
    r"|\w+\.(batch|advice_in_step|likelihood)$)"
)
"""What in that room is no rule: how packages are found, and what goes by arrays."""
IMPURE: Final = {
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


def room_of(module: str) -> str:
    """The folder, or "arena" for what everybody may know: the version."""
    first, *rest = module.split(".")
    return rest[0] if first == "arena" and rest else first


def modules_of(room: str) -> list[str]:
    return [module for module in MODULES if room_of(module) == room]


def top(module: str) -> str:
    """The package that one is of."""
    return module.partition(".")[0]


@functools.cache
def imports(path: Path) -> frozenset[str]:
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
    return frozenset(found)


def arrows() -> set[tuple[str, str]]:
    """From room to room."""
    return {
        (room_of(module), room_of(imported))
        for module, path in MODULES.items()
        if room_of(module) in ROOMS
        for imported in imports(path)
        if imported in MODULES and room_of(imported) not in (room_of(module), "arena")
    }


def floors(drawn: Iterable[tuple[str, str]]) -> dict[str, int]:
    """Each room one above the highest that it imports."""
    found: dict[str, int] = {}
    for room in ROOMS:
        found[room] = 1 + max((found[to] for by, to in drawn if by == room), default=0)
    return found


def test_every_room_says_what_it_is_for() -> None:
    assert {room_of(module) for module in MODULES} == {*ROOMS, "arena", ROOF}
    for room in ROOMS:
        module = room if room in MODULES else f"arena.{room}"
        assert ast.get_docstring(ast.parse(MODULES[module].read_text())), room


def test_rooms_stand_above_those_they_import() -> None:
    for at, room in enumerate(ROOMS):
        assert set(ROOMS[room].below.split()) <= {*list(ROOMS)[:at]}, room


@pytest.mark.parametrize("room", ROOMS)
def test_all_arrows_point_down(room: str) -> None:
    allowed = {room, "arena", *ROOMS[room].below.split()}
    known = {*sys.stdlib_module_names, *ROOMS[room].foreign.split()}
    assert [
        f"{module} imports {imported}"
        for module in modules_of(room)
        for imported in imports(MODULES[module])
        if (room_of(imported) not in allowed if imported in MODULES else top(imported) not in known)
    ] == []


def test_no_arrow_is_allowed_that_nobody_needs() -> None:
    allowed = {(room, below) for room, (names, _) in ROOMS.items() for below in names.split()}
    assert allowed == arrows()


def libraries(paths: Iterable[Path]) -> set[str]:
    """What the files import that is neither Python's own nor ours."""
    found = {top(name) for path in paths for name in imports(path)}
    return found - sys.stdlib_module_names - {"arena", "protocol", "tournaments", "tests", "docs"} - PLUGINS


def declared(*extras: str) -> set[str]:
    """The modules of the libraries that pyproject.toml names with a lower bound."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    of_extras = [line for extra in extras for line in project["optional-dependencies"][extra]]
    return {
        IMPORTED_AS.get(name, name.replace("-", "_"))
        for name, bound, _ in (line.partition(">=") for line in [*project["dependencies"], *of_extras])
        if bound
    }


@pytest.mark.parametrize("room", ROOMS)
def test_the_libraries_of_a_room_are_declared_and_needed(room: str) -> None:
    foreign = set(ROOMS[room].foreign.split())
    assert foreign == libraries(MODULES[module] for module in modules_of(room))
    assert foreign <= declared(*EXTRAS.get(room, "").split())


def test_the_libraries_of_tests_are_declared() -> None:
    assert libraries((ROOT / "tests").rglob("*.py")) <= declared("test", *EXTRAS.values())


def test_the_libraries_of_the_site_are_declared() -> None:
    assert libraries((ROOT / "docs" / "site").glob("*.py")) <= declared("docs")


def test_no_test_imports_a_test() -> None:
    """What several need stands in tests/support/."""
    found = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in (ROOT / "tests").rglob("*.py")
        for name in imports(path)
        if re.search(r"^tests\..*\btest_\w+", name)
    ]
    assert found == []


@pytest.mark.parametrize("room", PURE)
def test_pure_rooms_touch_neither_files_nor_clocks_nor_chance(room: str) -> None:
    assert [
        f"{module} imports {name}"
        for module in modules_of(room)
        for name in imports(MODULES[module])
        if top(name) in IMPURE
    ] == []


def test_rules_know_neither_machine_nor_arrays() -> None:
    """They are what a referee plays by, and what a package's author reads."""
    rules = [module for module in modules_of("games") if not MACHINERY_OF_GAMES.match(module)]
    assert len(rules) > 12
    assert [
        f"{module} imports {name}"
        for module in rules
        for name in imports(MODULES[module])
        if top(name) in IMPURE | {"numpy"} or room_of(name) == "system" or MACHINERY_OF_GAMES.match(name)
    ] == []


def test_bots_starters_and_the_kit_beside_one_import_only_the_standard_library() -> None:
    for path in (*(ROOT / "bots").glob("*.py"), *ALONE, *STARTERS.glob("*/*.py")):
        beside = {"kit"} if path.parent.name == "kit" else set()
        assert {*map(top, imports(path))} <= sys.stdlib_module_names | beside, path


if __name__ == "__main__":
    drawn = arrows()
    height = floors(drawn)
    for floor in sorted(set(height.values()), reverse=True):
        print(floor, " ".join(room for room in ROOMS if height[room] == floor))
    print(f"{len(ROOMS)} rooms, {max(height.values())} floors, {len(drawn)} arrows")
