"""A page for each public module beside `import arena`: its names in the order of the source, with what their
docstrings say.

Functions and classes are told as in the reference of the library; constants and types are read in the source,
where their text stands below them.
"""

import ast
import functools
import importlib
import inspect
import itertools
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, Final, NamedTuple

from arena.commands.reference import section, signature


class Public(NamedTuple):
    """A module's subject, and the `names` that are public in it; by default its `__all__`, or all that is
    defined in it without an underscore."""

    about: str
    names: tuple[str, ...] | None = None


MODULES: Final[Mapping[str, Public]] = {
    "arena.games": Public("the arena's own games"),
    "arena.games.api": Public("what a game of your own is written against"),
    "arena.laws.pytest_plugin": Public("the laws that every game keeps, as tests of pytest", ()),
    "arena.laws.strategies": Public("strategies of hypothesis for the tests of a game"),
    "arena.laws.second": Public("a second implementation of a game's rules", ("FixedChance", "Second")),
    "arena.players.learning.environment": Public("games as PettingZoo environments", ("Environment",)),
    "arena.games.observation": Public("views as rows of numbers", ("Observation",)),
    "arena.players.learning.batches": Public(
        "a thousand matches in step, as arrays", ("Environments", "BatchStep")
    ),
    "arena.games.instep.registered": Public("the rules of a game in step", ("batch_for",)),
    "arena.games.instep.batch": Public("what rules in step are made of"),
    "protocol.messages": Public("the messages of the wire"),
    "protocol.codec": Public("messages as lines of JSON"),
    "protocol.inbox": Public("what a bot has written, as an answer or a fault"),
    "protocol.dialogue": Public("who may say what when"),
    "protocol.faults": Public("what a bot can do wrong"),
    "protocol.outcome": Public("points, placings, scores"),
    "protocol.cards": Public("cards as text"),
    "protocol.streams": Public("keys, and the randomness that is drawn from them"),
    "protocol.units": Public("numbers with a unit"),
}
"""Each module that programs import beside `arena`."""


def module_pages() -> dict[str, str]:
    """By path: a page for each public module."""
    return {f"reference/{name}.md": _page(importlib.import_module(name)) for name in MODULES}


def _names(module: ModuleType) -> Sequence[str]:
    """The names that are public in a module."""
    if (chosen := MODULES[module.__name__].names) is not None:
        return chosen
    listed: list[str] | None = getattr(module, "__all__", None)
    return listed or [name for name in _defined(module) if not name.startswith("_")]


def _page(module: ModuleType) -> str:
    about, names = inspect.cleandoc(module.__doc__ or ""), _names(module)
    public = {name: getattr(module, name) for name in names}
    told = [_told(name, module, public) for name in names]
    return "\n\n".join([f"# {module.__name__}", about, *(["## Names"] if names else []), *told]) + "\n"


def _told(name: str, module: ModuleType, public: dict[str, Any]) -> str:
    home, there = _home(module, name)
    match _defined(home)[there]:
        case ast.ClassDef() if "__init__" in vars(public[name]):
            heading, _, rest = section(name, public[name], public).partition("\n\n")
            call = signature(name, public[name].__init__, left_out=1).removesuffix(" -> None")
            return f"{heading}\n\n```python\n{call}\n```\n\n{rest}"
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return section(name, public[name], public)
        case node:
            return "\n\n".join(_assigned(name, node, home))


def _home(module: ModuleType, name: str) -> tuple[ModuleType, str]:
    """The module that defines a name, and what it is called there."""
    if name in _defined(module):
        return module, name
    for node in ast.walk(_tree(module)):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            for alias in node.names:
                if name == (alias.asname or alias.name):
                    return _home(importlib.import_module(node.module), alias.name)
    raise AssertionError(f"{module.__name__}.{name}: neither defined nor imported there")


def _assigned(name: str, node: ast.stmt, home: ModuleType) -> Iterator[str]:
    """A constant or a type: as it is defined, and the text below it."""
    yield f"### {name}"
    yield f"```python\n{ast.unparse(node)}\n```"
    body = _tree(home).body
    below = next((after for at, after in itertools.pairwise(body) if at is node), None)
    match below:
        case ast.Expr(value=ast.Constant(value=str(text))):
            yield inspect.cleandoc(text)


@functools.cache
def _tree(module: ModuleType) -> ast.Module:
    return ast.parse(Path(inspect.getfile(module)).read_text("utf-8"))


def _defined(module: ModuleType) -> dict[str, ast.stmt]:
    """What the module defines by itself, by name."""
    found: dict[str, ast.stmt] = {}
    for node in _tree(module).body:
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                found[name] = node
            case ast.AnnAssign(target=ast.Name(id=name)) | ast.Assign(targets=[ast.Name(id=name)]):
                found[name] = node
    return found
