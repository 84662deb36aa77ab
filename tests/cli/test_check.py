"""`arena check` as an author calls it."""

import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from arena.cli.check import command
from tests.cli.calls import ROOT, arena, path_with_arena
from tests.cli.terminals import Terminal
from tests.support.boxed import DAEMON, processes_of
from tests.support.checked import CLASSIC
from tests.support.programs import Program


def test_a_failure_is_told_in_full_and_what_passes_is_counted(tmp_path: Path) -> None:
    (tmp_path / "ada.py").write_text(CLASSIC["crashed"].program.source())
    call = arena("check", "ada.py", "--game", "sticheln", "--transcript", "said.txt", folder=tmp_path)
    assert call.status == 1
    counts, *rest = call.out.splitlines()
    assert counts.startswith("ada: 4 of 24 steps passed, 1 failed, 19 not tried")
    assert "  FAILED  reply: answers its first request with a legal action" in rest
    assert "            KeyError: 'xyzzy'" in rest
    assert rest[-1] == "            KeyError: 'xyzzy'"
    assert "    fix     it crashed at request 1 with “KeyError: 'xyzzy'”" in rest
    said = (tmp_path / "said.txt").read_text().splitlines()
    assert [line[:12] for line in said] == ['<- {"type":"', '-> {"type":"', '<- {"type":"']


@pytest.mark.thorough  # 2 s of processor.
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
    assert done.stderr.endswith("KeyError: 'xyzzy'\n"), done.stderr


def test_long_lines_are_broken_between_words_in_a_terminal(tmp_path: Path) -> None:
    (tmp_path / "ada.py").write_text(CLASSIC["banner"].program.source())
    words = ("check", "ada.py", "--game", "ole")
    with Terminal(*words, folder=tmp_path, width=60, env={"COLUMNS": "60"}) as terminal:
        terminal.end()
        shown = terminal.screen.splitlines()
    at = next(at for at, line in enumerate(shown) if line.startswith("    fix     the first line has to"))
    assert [line for line in shown[at:] if len(line) > 60] == []
    assert shown[at + 1].startswith(" " * 12)
    said = " ".join(line.strip() for line in shown[at:])
    assert "but you printed “MyBot 1.0 by Ada”: send greetings and debugging text to standard error" in said


def test_several_bots_have_a_line_each(tmp_path: Path) -> None:
    (tmp_path / "ada.py").write_text(Program().source())
    (tmp_path / "bob.py").write_text(CLASSIC["banner"].program.source())
    (tmp_path / "cy").write_text("#!/no/such/interpreter\n")
    (tmp_path / "cy").chmod(0o755)
    (tmp_path / "notes.txt").write_text("not a bot")
    bots = sorted(path.name for path in tmp_path.iterdir())
    call = arena("check", *bots, "--game", "ole", folder=tmp_path)
    assert call.status == 1
    assert "notes.txt: skipped, not a bot" in call.err
    assert [line[:6] for line in call.out.splitlines()] == ["1 of 3", "2 of 3", "3 of 3"]
    (ada,) = [line for line in call.out.splitlines() if "ada" in line]
    assert ada.split()[3] == "ada"
    assert ada.endswith("ms  passed")
    assert call.err.splitlines()[-1].endswith(": 1 passed, 2 failed")
    assert "the first line has to be your `ready`, but you printed “MyBot 1.0 by Ada”" in call.out
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
    (tmp_path / "bot" / "bot.toml").write_text(f'name = "lowdown"\ncommand = "./x"\nbuild = "{build}"\n')
    call = arena("check", "bot", "--sandbox", "none", folder=tmp_path)
    assert call.status == 1
    assert call.out.startswith("lowdown: ")
    assert "    fault   spawn: its build failed with exit status 3: cannot execute\n" in call.out
    assert "    fix     fix what its build reports, until" in call.out
    assert call.out.count("cannot execute") == 1
    assert (tmp_path / "tries").read_text() == "tried\n"


@pytest.mark.thorough  # 7 s of processor.
def test_what_is_said_to_come_next_works_from_the_folder_of_the_bot_too(tmp_path: Path) -> None:
    (tmp_path / "ada").mkdir()
    (tmp_path / "ada" / "bot.py").write_text(Program().source())
    (tmp_path / "ada" / "bot.toml").write_text('command = "python3 bot.py"\ngames = ["ole"]\n')
    for folder, bot, log in ((tmp_path, "ada", "match.jsonl"), (tmp_path / "ada", ".", "../match-2.jsonl")):
        # With a game of its own it is not said what is clear, and it is said next.
        named = ("--game", "ole") if folder == tmp_path else ()
        call = arena("check", bot, *named, folder=folder)
        assert call.status == 0, call.out
        assert "  tried: 1 game, 3 to 8 seats, " in call.out
        line = call.err.splitlines()[-1].removeprefix("next: arena ")
        assert line == f"match {bot} heuristic search --game ole --log {log}"
        played = arena(*shlex.split(line), "--time", "2ms+9s", "--deals", 1, folder=folder)
        assert played.status == 0, played.err


def test_a_long_check_says_how_it_goes_where_no_terminal_shows_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("arena.cli.output.LINES_EVERY_SECONDS", 0.0)
    command.main([str(ROOT / "bots" / "greedy.py"), "--game", "ole", "--json"], standalone_mode=False)
    said = capsys.readouterr().err.splitlines()
    assert any(re.fullmatch(r"checking greedy: ole 3 \(step 6 of \d+\) …", line) for line in said), said


@pytest.mark.thorough
def test_what_a_bot_leaves_behind_ends_with_the_check(tmp_path: Path) -> None:
    (tmp_path / "ada.py").write_text(DAEMON.source())
    env = {"XDG_CACHE_HOME": str(tmp_path / "cache")}  # Where it plays, by which it is told.
    call = arena("check", "ada.py", "--game", "ole", "--sandbox", "none", folder=tmp_path, env=env)
    assert call.status == 0, call.out
    assert processes_of(tmp_path) == []


def test_wrong_calls_of_check(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("not a bot")
    for words, why in (
        (["gone.py"], "gone.py: there is no such file"),
        (["notes.txt"], "none of these is a bot"),
        (["a.py", "b.py", "--transcript", "t"], "--transcript works only with one bot"),
        (["a.py", "--transcript", "no/where"], "there is no folder"),
        (["a.py", "--game", "chess"], "unknown game 'chess'"),
    ):
        call = arena("check", *words, folder=tmp_path)
        assert (call.status, why in call.err) == (2, True), call.err


def test_all_bad_words_are_told_at_once_and_the_others_are_checked(tmp_path: Path) -> None:
    (tmp_path / "ada.py").write_text(Program().source())
    call = arena("check", "gone.py", "ada.py", "no name=x", "bob.py", "--game", "ole", folder=tmp_path)
    assert call.status == 2
    assert "gone.py: there is no such file" in call.err
    assert "'no name' cannot be a name" in call.err
    assert "bob.py: there is no such file" in call.err
    assert call.out.startswith("1 of 1  ada")
    assert call.out.endswith("passed\n")


def test_nothing_but_bad_words_are_all_told(tmp_path: Path) -> None:
    call = arena("check", "gone.py", "bob.py", folder=tmp_path)
    assert (call.status, call.out) == (2, "")
    assert [line.split(":")[1] for line in call.err.splitlines()] == [" gone.py", " bob.py"]


@pytest.mark.thorough  # 1 s of processor.
def test_several_at_a_time_stand_in_the_order_of_the_words_in_json(tmp_path: Path) -> None:
    (tmp_path / "ada.py").write_text(Program().source())
    (tmp_path / "bob.py").write_text(CLASSIC["banner"].program.source())
    (tmp_path / "notes.txt").write_text("no bot")
    words = ("notes.txt", "ada.py", "gone.py", "bob.py")
    call = arena("check", *words, "--game", "ole", "--jobs", "2", "--json", folder=tmp_path)
    assert call.status == 2
    checked = call.json
    assert isinstance(checked, list)
    assert [(bot["word"], bot["bot"], bot["passed"]) for bot in checked] == [
        ("ada.py", "ada", True),
        ("bob.py", "bob", False),
        ("gone.py", "gone.py", False),
    ]
    assert checked[0]["why"] is None
    assert checked[2]["why"].startswith("gone.py: there is no such file")


@pytest.mark.thorough  # 2 s of processor.
def test_names_that_are_not_utf8_are_told_in_json_too(tmp_path: Path) -> None:
    names = ("ada.py", "b\udcff.py", "d\udcff/bob.py")
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(Program().source())
    call = arena("check", *names, "--game", "ole", "--json", folder=tmp_path, fresh=True)
    assert call.status == 1, call.err
    checked = call.json
    assert isinstance(checked, list)
    assert [(bot["word"], bot["passed"]) for bot in checked] == [
        ("ada.py", True),
        ("b?.py", False),
        ("d?/bob.py", False),
    ]


@pytest.mark.thorough  # 4 s of processor.
def test_where_somebody_looks_the_rest_is_told_below_the_rows(tmp_path: Path) -> None:
    for name in ("ada", "bob"):
        (tmp_path / f"{name}.py").write_text(Program().source())
    words = ("check", "ada.py", "bob.py", "--game", "ole", "--jobs", "1")
    with Terminal(*words, folder=tmp_path) as terminal:
        assert terminal.end() == 0
        shown = terminal.screen
    assert "0 of 2 · ada: " in shown
    assert re.search(r"1 of 2, \d+ s left · bob: ", shown)
    assert re.search(r"^2 of 2  bob  26/26 +[\d.]+ ms  passed$", shown.replace("\r", "\n"), re.MULTILINE)


def test_what_checks_a_bot_may_die_and_the_others_are_checked(tmp_path: Path) -> None:
    """By a fault of ours or of the machine: that is no answer to whether the bot is well."""
    killer = "import signal\nos.kill(os.getppid(), signal.SIGKILL)\ntime.sleep(60)"
    (tmp_path / "ada.py").write_text(Program(before=killer).source())
    (tmp_path / "bob.py").write_text(Program().source())
    call = arena("check", "ada.py", "bob.py", "--game", "ole", "--sandbox", "none", folder=tmp_path)
    assert call.status == 2
    assert (
        "ada      –        –  not checked: a process of the arena was killed from outside, by SIGKILL"
        in call.out
    )
    assert next(line for line in call.out.splitlines() if "bob" in line).endswith("passed")


HOSTILE = "<script>alert(1)</script>"


@pytest.mark.thorough  # 3 s of processor.
def test_a_page_for_each_author_is_one_file_and_nothing_in_it_is_markup(tmp_path: Path) -> None:
    bots = tmp_path / "class"
    bots.mkdir()
    (bots / "ada.py").write_text(Program().source())
    (bots / "index.py").write_text(CLASSIC["crashed"].program.source())
    (bots / "eve.py").write_text(Program(before=f"say({HOSTILE!r})").source())
    call = arena("check", *sorted(bots.iterdir()), "--game", "ole", "--html", "pages", folder=tmp_path)
    assert call.status == 1
    assert call.err.splitlines()[-1] == "pages/index.html"
    pages = {path.name: path.read_text() for path in (tmp_path / "pages").iterdir()}
    assert sorted(pages) == ["ada.html", "eve.html", "index-2.html", "index.html", "results.csv"]
    for name, page in pages.items():
        assert HOSTILE not in page or name == "results.csv"
        assert str(tmp_path) not in page
        assert not re.search(r'(src|href)="(https?:|/|data:)', page)
    assert "&lt;script&gt;alert(1)" in pages["eve.html"]
    assert "Nothing to fix" in pages["ada.html"]
    assert "KeyError: &#39;xyzzy&#39;" in pages["index-2.html"]
    assert "arena check index.py --game ole --transcript dialogue.txt" in pages["index-2.html"]
    assert 'href="index-2.html"' in pages["index.html"]
    counts = r"(\d+) of (\d+) steps passed.*?(\d+) failed because of 1 mistake.*?(\d+) not tried"
    told = re.search(counts, pages["index-2.html"], re.DOTALL)
    assert told
    passed, steps, failed, skipped = map(int, told.groups())
    assert passed + failed + skipped == steps


def test_the_index_says_why_steps_were_not_tried(tmp_path: Path) -> None:
    (tmp_path / "ada.py").write_text(Program().source())
    words = ("--game", "sticheln", "--budget", "10ms", "--html", "pages")
    arena("check", "ada.py", *words, folder=tmp_path)
    index = (tmp_path / "pages" / "index.html").read_text()
    assert "<title>1 bot ·" in index
    assert re.search(r"\d+ steps not tried: the 0.01 s for this bot were used up", index)


def test_a_link_that_leads_to_itself_is_told(tmp_path: Path) -> None:
    (tmp_path / "self.py").symlink_to("self.py")
    for name, link in (("no-program", "bot"), ("no-manifest", "bot.toml")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "bot.toml").write_text('command = "./bot"\n')
        (tmp_path / name / link).unlink(missing_ok=True)
        (tmp_path / name / link).symlink_to(link)
    told = "is a symbolic link that points back to itself"
    call = arena("check", "self.py", folder=tmp_path)
    assert call.status == 1
    assert f"it {told}" in call.out
    assert f"./bot {told}" in arena("check", "no-program", folder=tmp_path).out
    assert f"its bot.toml {told}" in arena("check", "no-manifest", folder=tmp_path).err


@pytest.mark.thorough  # 1 s of processor.
def test_a_command_can_be_pasted_whatever_the_file_is_called(tmp_path: Path) -> None:
    """And says nothing to the terminal."""
    folder = tmp_path / "my\x1b[31m\nbots 'x"
    folder.mkdir()
    (folder / "ada.py").write_text(CLASSIC["crashed"].program.source())
    call = arena("check", f"{folder}/ada.py", "--game", "ole", folder=tmp_path)
    again = next(line for line in call.out.splitlines() if line.startswith("    again   "))[12:]
    assert again.isprintable()
    (tmp_path / "bin").mkdir()
    env = {**os.environ, "PATH": path_with_arena(tmp_path / "bin")}
    done = subprocess.run(("bash", "-c", again), cwd=tmp_path, env=env, capture_output=True, text=True)
    assert done.returncode == 1
    assert "KeyError: 'xyzzy'" in done.stdout
