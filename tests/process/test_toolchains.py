"""Programs that only the home of whoever runs the arena has, behind a version manager's shims."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.entrants.build import BuildError, built
from arena.entrants.digest import version_of
from arena.entrants.find import find
from arena.process.sandbox import Level, Sandbox
from arena.process.toolchains import installed
from tests.support.needs import require

MANAGER = '#!/bin/sh\ntest "$1 $2" = "which zig" && echo "{real}"\n'


def script(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


@pytest.fixture(params=["rustup", "shims"])
def real(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """What the shim `zig` on the PATH stands for. It calls what is installed beside it."""
    home = tmp_path / "home"
    program = script(home / "versions" / "1" / "bin" / "zig", "#!/bin/sh\nthe-compiler > made\n")
    script(program.parent / "the-compiler", "#!/bin/sh\necho compiled\n")
    (home / "versions" / "1" / "lib").mkdir()
    if request.param == "rustup":
        script(home / "bin" / "rustup", MANAGER.format(real=program))
        (home / "bin" / "zig").symlink_to("rustup")
        folder = home / "bin"
    else:
        script(home / ".anyenv" / "bin" / "anyenv", MANAGER.format(real=program))
        folder = script(home / ".anyenv" / "shims" / "zig", "#!/bin/sh\nexit 1\n").parent
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    installed.cache_clear()
    yield program
    installed.cache_clear()


def test_a_shim_stands_for_the_program_that_its_manager_names(real: Path) -> None:
    assert installed("zig") == str(real)
    assert installed("no-such-program") is None
    assert installed("sh") in ("/bin/sh", "/usr/bin/sh")


@pytest.mark.parametrize("level", Level)
def test_a_build_finds_an_installed_program_and_what_that_calls(
    level: Level, real: Path, tmp_path: Path
) -> None:
    require(level)
    (tmp_path / "bot").mkdir()
    folder = built(
        tmp_path / "bot", tmp_path / "built", ("zig",), Sandbox(level), version_of([tmp_path / "bot"])
    )
    assert (folder / "made").read_text() == "compiled\n"


def test_a_build_whose_program_is_nowhere_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "bot").mkdir()
    with pytest.raises(BuildError, match="could not be started: no-such-program is not on the PATH"):
        built(
            tmp_path / "bot",
            tmp_path / "built",
            ("no-such-program",),
            Sandbox(Level.NONE),
            version_of([tmp_path / "bot"]),
        )


def test_a_command_too_is_found_where_it_is_installed(real: Path, tmp_path: Path) -> None:
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot" / "bot.toml").write_text('command = "zig bot.mk"\n')
    found = find([str(tmp_path / "bot"), "ada=zig bot.mk"], "ole", Sandbox(Level.NONE))
    assert [entrant.launch.argv for entrant in found.entrants] == [(str(real), "bot.mk")] * 2
