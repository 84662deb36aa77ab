"""What a process keeps outside of any object. Everything else is a value, or belongs to an object that
somebody holds. Whoever adds such a thing adds its reason here.
"""

import ast
from collections.abc import Iterator
from typing import Final

from tests.support.modules import MODULES

KEPT: Final = {
    "arena.process.tree._numbers": "no two launches of a bot have the same mark",
    "arena.process.cgroup._numbers": "no two groups of this process have the same name",
    "arena.process.sandbox._seats": "no two bots of this process have the same user id",
    "arena.playing.conversation._shared": "all conversations share a thread and its core",
    "arena.system.interruption._asked": "that this process was interrupted, whoever asks",
    "arena.system.interruption._begun": "signals come to the process; so does what they do now",
    "arena.system.interruption._held": "the same",
    "arena.system.interruption._waiting": "the same",
    "arena.system.interruption._since": "the same",
    "arena.system.interruption._raised": "the same",
    "arena.system.interruption._listeners": "the same",
    "arena.library.caller.stopper": "a task shares it with the thread that calls for it",
    "arena.system.wording._in_python": "for whom the sentences of this context are made",
    "arena.cluster.remote._children": "Dask calls a function: between its calls only the module remembers",
    "arena.cluster.remote._launches": "the same",
    "arena.cluster.remote._lock": "guards the two before it, since Dask has several threads",
}
MUTABLE: Final = ("dict", "list", "set", "defaultdict", "deque", "Counter")
"""Calls and annotations of containers. A container that is Final is a table, which nobody changes."""


def is_mutable(annotation: ast.expr | None, value: ast.expr | None) -> bool:
    """Whether an assignment in a module looks like state."""
    if isinstance(value, ast.Call):
        called = ast.unparse(value.func).split(".")[-1]
        return called in ("count", "Lock", "ContextVar") or (called in MUTABLE and not is_final(annotation))
    return isinstance(value, ast.List | ast.Dict | ast.Set) and not is_final(annotation)


def is_final(annotation: ast.expr | None) -> bool:
    return annotation is not None and ast.unparse(annotation).startswith("Final")


def changes(defined: ast.ClassDef) -> bool:
    """Whether objects of a class look like state: nothing is known of it but that it sets attributes."""
    made = (member.name for member in defined.body if isinstance(member, ast.FunctionDef))
    return not defined.bases and "__init__" in made


def kept_by(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Global):
            yield from node.names
    changing = {node.name for node in tree.body if isinstance(node, ast.ClassDef) and changes(node)}
    for node in tree.body:
        match node:
            case ast.Assign([ast.Name(name)], ast.Call(ast.Name(called))) if called in changing:
                yield name
            case ast.AnnAssign(ast.Name(name), _, ast.Call(ast.Name(called))) if called in changing:
                yield name
            case ast.Assign([ast.Name(name)], value) if is_mutable(None, value) and name != "__all__":
                yield name
            case ast.AnnAssign(ast.Name(name), annotation, value) if is_mutable(annotation, value):
                yield name
            case ast.ClassDef():
                for member in node.body:
                    match member:
                        case ast.AnnAssign(ast.Name(name), kind) if "ClassVar" in ast.unparse(kind):
                            yield f"{node.name}.{name}"


def test_state_outside_of_objects_is_listed_with_its_reason() -> None:
    found = {
        f"{module}.{name}"
        for module, path in MODULES.items()
        for name in kept_by(ast.parse(path.read_text()))
    }
    assert found == KEPT.keys()


def test_state_is_found_in_all_its_shapes() -> None:
    source = """
table: Final = {}
found: dict[str, int] = {}
bare = []
numbers: Final = itertools.count()
class Shared:
    seen: ClassVar[int] = 0
    field: int = 0
    def __init__(self):
        self.at = 0
shared: Final = Shared()
def function():
    global last
    inside = {}
"""
    assert {*kept_by(ast.parse(source))} == {
        "found",
        "bare",
        "numbers",
        "Shared.seen",
        "shared",
        "last",
    }
