"""What `import arena` loads, and what it says of another project's packages."""

import importlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

import arena
from arena.commands.match import PlayMatch
from arena.commands.rerun import Rerun
from arena.library.messages import decode_call, encode_call
from arena.playing.arguments import Command

ROOT = Path(__file__).parents[2]


def python(source: str, *paths: Path) -> "subprocess.CompletedProcess[str]":
    path = os.pathsep.join(map(str, [*paths, ROOT]))
    return subprocess.run(
        [sys.executable, "-P", "-c", source],
        env={"PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )


def test_nothing_is_loaded_before_it_is_used() -> None:
    loaded = python("import sys, arena; print(*sys.modules)").stdout.split()
    watched = {"arena", "protocol", "tournaments", "trio", "msgspec", "numpy", "rich", "click"}
    assert {name for name in loaded if name.partition(".")[0] in watched} == {"arena"}


def test_what_ranks_nobody_needs_no_numpy(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.modules.update(numpy=None, scipy=None)")
    played = """
import arena
played = arena.match([lambda view, legal: legal[0], "heuristic"], deals=1, seed=7, on_progress=False)
print(played.verify(), played.outcome.placings, len(arena.all_games()) >= 4)
try:
    arena.tournament
except arena.MachineError as error:
    print(error)
"""
    done = python(played, tmp_path)
    assert done.stdout.splitlines() == [
        "None (3, 1, 2) True",
        "numpy is needed here but is not installed: pip install numpy scipy",
    ], done.stderr


def test_every_call_that_starts_programs_can_be_sent() -> None:
    assert all(hasattr(arena, name) for name in arena.__all__)  # All modules are loaded.
    calls = [one for one in subclasses(Command) if hasattr(one, "carry_out") and not one.__subclasses__()]
    assert len(calls) > 12
    for call in calls:
        assert getattr(importlib.import_module(call.__module__), call.__name__) is call
    for sent in (PlayMatch(["a"], seed="7"), Rerun("log", 0, ("a", "b"))):
        assert decode_call(encode_call(sent)) == msgspec.convert(msgspec.to_builtins(sent), type(sent))


def subclasses(kind: type) -> Iterator[type]:
    for one in kind.__subclasses__():
        yield one
        yield from subclasses(one)


def test_every_public_name_is_there() -> None:
    for name in arena.__all__:
        assert getattr(arena, name) is not None
    assert set(arena.__all__) <= set(dir(arena))
    with pytest.raises(AttributeError, match="no attribute 'metch'"):
        arena.metch  # noqa: B018


@pytest.mark.parametrize("name", ["protocol", "tournaments"])
@pytest.mark.parametrize("form", ["package", "module", "namespace"])
def test_a_foreign_package_is_named_at_import(tmp_path: Path, name: str, form: str) -> None:
    if form == "module":
        foreign = tmp_path / f"{name}.py"
        foreign.write_text("raise RuntimeError('it was imported')")
    else:
        foreign = tmp_path / name
        foreign.mkdir()
        if form == "package":
            (foreign / "__init__.py").write_text("raise RuntimeError('it was imported')")
    done = python("import arena; print('imported')", tmp_path)
    if form == "namespace":  # A folder without __init__.py yields to ours, wherever it stands.
        assert done.stdout == "imported\n", done.stderr
        return
    assert f"ImportError: the arena needs its own package '{name}', in {ROOT / name}" in done.stderr
    assert str(foreign) in done.stderr
