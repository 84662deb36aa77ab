"""What `import arena` loads, and what it says of another project's packages."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import arena

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
