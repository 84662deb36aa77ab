"""`arena check` as an author calls it."""

import os
import shlex
import subprocess
from pathlib import Path

import pytest

from tests.arena.programs import Program
from tests.arena.test_sandbox import DAEMON, processes_of
from tests.check.test_check import CLASSIC
from tests.cli.calls import arena, path_with_arena
from tests.cli.terminals import Terminal


def test_a_failure_is_told_in_full_and_what_passes_is_counted(tmp_path: Path) -> None:
    (tmp_path / "ada.py").write_text(CLASSIC["crashed"].program.source())
    call = arena("check", "ada.py", "--game", "sticheln", "--transcript", "said.txt", folder=tmp_path)
    assert call.status == 1
    counts, *rest = call.out.splitlines()
    assert counts.startswith("ada: 4 of 23 steps passed, 1 failed, 18 not tried")
    assert "  FAILED  reply: answers its first request with a legal action" in rest
    assert "            KeyError: 'lgeal'" in rest
    assert rest[-1] == "            KeyError: 'lgeal'"
    assert "    mend    it crashed at request 1 with “KeyError: 'lgeal'”" in rest
    said = (tmp_path / "said.txt").read_text().splitlines()
    assert [line[:12] for line in said] == ['<- {"type":"', '-> {"type":"', '<- {"type":"']


def test_a_crash_is_seen_again_by_the_commands_that_are_told(tmp_path: Path) -> None:
    folder = tmp_path / "my bots" / "ada"
    folder.mkdir(parents=True)
    (folder / "bot.py").write_text(CLASSIC["crashed"].program.source())
    (folder / "bot.toml").write_text('command = "python3 bot.py"\n')
    out = arena("check", "my bots/ada", "--game", "ole", folder=tmp_path).out.splitlines()
    at = next(at for at, line in enumerate(out) if line.startswith("    again   arena check "))
    assert shlex.split(out[at])[3:] == [
        str(folder),
        *["--game", "ole", "--transcript", "dialogue.txt"],
    ]
    env = {**os.environ, "PATH": path_with_arena(tmp_path)}
    commands = "\n".join(line[12:] for line in out[at : at + 2])
    done = subprocess.run(commands, cwd=tmp_path, env=env, shell=True, capture_output=True, text=True)
    assert done.stderr.endswith("KeyError: 'lgeal'\n"), done.stderr


def test_long_lines_are_broken_between_words_in_a_terminal(tmp_path: Path) -> None:
    (tmp_path / "ada.py").write_text(CLASSIC["banner"].program.source())
    words = ("check", "ada.py", "--game", "ole")
    with Terminal(*words, folder=tmp_path, width=60, env={"COLUMNS": "60"}) as terminal:
        terminal.end()
        shown = terminal.screen.splitlines()
    at = next(at for at, line in enumerate(shown) if line.startswith("    mend    the first line has to"))
    assert [line for line in shown[at:] if len(line) > 60] == []
    assert shown[at + 1].startswith(" " * 12)
    said = " ".join(line.strip() for line in shown[at:])
    assert "and you printed “MyBot 1.0 by Ada”: send greetings and debugging text to standard error" in said


def test_several_bots_have_a_line_each(tmp_path: Path) -> None:
    (tmp_path / "ada.py").write_text(Program().source())
    (tmp_path / "bob.py").write_text(CLASSIC["banner"].program.source())
    (tmp_path / "cy").write_text("#!/no/such/interpreter\n")
    (tmp_path / "cy").chmod(0o755)
    (tmp_path / "notes.txt").write_text("not a bot")
    bots = sorted(path.name for path in tmp_path.iterdir())
    call = arena("check", *bots, "--game", "ole", folder=tmp_path)
    assert call.status == 1
    assert "notes.txt: passed over" in call.err
    (ada,) = [line for line in call.out.splitlines() if "ada" in line]
    assert len(ada.split()) == 4  # the name, the steps, the time and its unit
    assert "the first line has to be your `ready`, and you printed “MyBot 1.0 by Ada”" in call.out
    assert "its interpreter /no/such/interpreter is not there" in call.out


def test_the_games_are_those_that_the_bot_names(tmp_path: Path) -> None:
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot" / "bot.py").write_text(Program().source())
    (tmp_path / "bot" / "bot.toml").write_text('command = "python3 bot.py"\ngames = ["david-and-goliath"]\n')
    call = arena("check", "bot", "--json", folder=tmp_path)
    assert call.status == 0, call.out
    (checked,) = call.json
    assert checked["passed"] is True
    assert checked["pace"]["replies"] == 45 + 60 + 75 + 90
    assert {step["step"].split()[0] for step in checked["steps"]} & {"sticheln", "ole"} == set()


def test_a_build_that_fails_is_tried_once_and_shown(tmp_path: Path) -> None:
    (tmp_path / "bot").mkdir()
    build = f"sh -c 'echo tried >> {tmp_path}/tries; echo cannot execute; exit 3'"
    (tmp_path / "bot" / "bot.toml").write_text(f'command = "./x"\nbuild = "{build}"\n')
    call = arena("check", "bot", "--sandbox", "none", folder=tmp_path)
    assert call.status == 1
    assert "    mend    its build failed with exit status 3: cannot execute\n" in call.out
    assert (tmp_path / "tries").read_text() == "tried\n"


@pytest.mark.thorough
def test_what_a_bot_leaves_behind_ends_with_the_check(tmp_path: Path) -> None:
    (tmp_path / "ada.py").write_text(DAEMON.source())
    call = arena("check", "ada.py", "--game", "ole", "--sandbox", "none", folder=tmp_path)
    assert call.status == 0, call.out
    assert processes_of(tmp_path) == []


def test_wrong_calls_of_check(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("not a bot")
    for words, why in (
        (["gone.py"], "gone.py: there is no such file"),
        (["notes.txt"], "there is no bot among these"),
        (["a.py", "b.py", "--transcript", "t"], "--transcript is for one bot at a time"),
        (["a.py", "--transcript", "no/where"], "there is no folder"),
        (["a.py", "--game", "chess"], "unknown game 'chess'"),
    ):
        call = arena("check", *words, folder=tmp_path)
        assert (call.status, why in call.err) == (2, True), call.err
