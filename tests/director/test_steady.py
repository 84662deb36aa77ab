"""What counts as another program, told by the files alone."""

from pathlib import Path

import msgspec
import pytest

from arena.director.steady import ProgramGuard
from arena.entrants.entrant import Entrant
from arena.entrants.find import find
from arena.process.launch import Launch
from arena.process.sandbox import Level, Sandbox
from arena.system.errors import MachineError
from tests.support.programs import ECHO


def entered(path: Path) -> Entrant:
    """A bot as the journals of older arenas have it, which started it where it was."""
    (found,) = find([str(path)], "sticheln", Sandbox(Level.NONE)).entrants
    return msgspec.structs.replace(found, launch=msgspec.structs.replace(found.launch, kept=""))


@pytest.mark.parametrize("folder", [False, True])
def test_a_bot_that_was_changed_between_its_entry_and_its_first_match_does_not_play(
    folder: bool, tmp_path: Path
) -> None:
    source = tmp_path / "ada" / "bot.py"
    source.parent.mkdir()
    source.write_text(ECHO.source())
    if folder:
        (tmp_path / "ada" / "bot.toml").write_text('command = ["python3", "bot.py"]\n')
    ada = entered(source.parent if folder else source)
    ProgramGuard(Level.NONE).begin([ada], "go on")

    source.write_text("broken(")
    with pytest.raises(MachineError, match=r"the files of .* changed while it was entering; go on"):
        ProgramGuard(Level.NONE).begin([ada], "go on")


def test_what_becomes_of_the_original_is_nothing_to_the_copy(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(ECHO.source())
    (found,) = find([str(tmp_path / "bot.py")], "sticheln", Sandbox(Level.NONE)).entrants
    (tmp_path / "bot.py").unlink()
    for level in Level:
        steady = ProgramGuard(level)
        steady.begin([found], "go on")
        steady.require([found], "go on")


def test_what_is_built_has_the_digest_of_its_source(tmp_path: Path) -> None:
    ada = tmp_path / "ada"
    ada.mkdir()
    (ada / "bot.txt").write_text(ECHO.source())
    (ada / "bot.toml").write_text(
        'build = ["cp", "bot.txt", "built.py"]\ncommand = ["python3", "built.py"]\n'
    )
    (found,) = find([str(ada)], "sticheln", Sandbox(Level.NONE), tmp_path / "builds").entrants
    ProgramGuard(Level.BWRAP).begin([found], "go on")


def test_files_that_python_adds_to_what_a_bot_of_ours_needs_make_it_no_other_program(tmp_path: Path) -> None:
    needed, bot = tmp_path / "arena", tmp_path / "bot.py"
    needed.mkdir()
    bot.write_text(ECHO.source())
    ours = Entrant("ours", Launch(("python3", str(bot)), str(tmp_path), needs=(str(needed),)), "0" * 64)
    steady = ProgramGuard(Level.BWRAP)
    steady.begin([ours], "go on")
    (needed / "__pycache__").mkdir()
    steady.require([ours], "go on")
    bot.write_text("broken(")
    with pytest.raises(MachineError, match="the files of ours changed while it was playing"):
        steady.require([ours], "go on")
