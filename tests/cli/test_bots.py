"""`arena bots` and `arena docs`: what comes with the arena, found from anywhere."""

import re
from pathlib import Path

import click
import pytest

from arena.cli import COMMANDS, TAKE_BOTS
from arena.cli import arena as command
from arena.entrants.find import BUILTIN_BOTS
from arena.entrants.manifest import MANIFEST
from arena.games import GAMES
from tests.cli.calls import ROOT, SAMPLES, arena
from tests.cli.terminals import Terminal


@pytest.mark.thorough  # 2 s of processor.
def test_the_bots_that_come_along_are_named_with_what_they_do(tmp_path: Path) -> None:
    call = arena("bots", "--json", folder=tmp_path)
    assert call.status == 0
    assert [bot["path"] for bot in call.json] == [*SAMPLES, *(None for _ in BUILTIN_BOTS)]
    assert tuple(bot["bot"] for bot in call.json[len(SAMPLES) :]) == BUILTIN_BOTS
    for bot in call.json:
        assert bot["language"]
        assert bot["does"].endswith(".")


@pytest.mark.thorough  # 2 s of processor.
@pytest.mark.parametrize("width", [160, 100, 60, 40])
def test_the_table_of_bots_cuts_nothing_and_names_the_folder_once(width: int, tmp_path: Path) -> None:
    with Terminal("bots", folder=tmp_path, width=width) as terminal:
        assert terminal.end() == 0
        lines = terminal.screen.splitlines()
    assert {line.split()[0] for line in lines if line.strip()} >= {
        *(Path(path).name for path in SAMPLES),
        *BUILTIN_BOTS,
    }
    text = " ".join(line[14:].strip() for line in lines)
    assert "never asks what comes next." in re.sub(r"\s+", " ", re.sub("  .*?(Python|Lua|Perl)", "", text))
    assert "…" not in terminal.screen
    assert terminal.screen.count(str(ROOT / "bots")) == 1
    assert "heuristic and search need no path" in terminal.screen


def test_a_copy_is_the_same_and_is_listed_where_it_is(tmp_path: Path) -> None:
    call = arena("bots", "--copy", "mine", "--json", folder=tmp_path)
    assert call.status == 0
    assert [sample["path"] for sample in call.json] == [f"mine/{Path(path).name}" for path in SAMPLES]
    for path in map(Path, SAMPLES):
        assert (tmp_path / "mine" / path.name).read_bytes() == path.read_bytes()
    again = arena("bots", "--copy", "mine", folder=tmp_path)
    assert (again.status, again.out) == (2, "")
    assert "mine: it already exists; choose a different folder" in again.err


def test_documents_are_listed_and_printed(tmp_path: Path) -> None:
    call = arena("docs", folder=tmp_path)
    assert call.status == 0
    named = dict(line.split(maxsplit=1) for line in call.out.splitlines())
    assert named.keys() >= {"changes", "spec", *(path.stem for path in (ROOT / "docs").glob("*.md"))}
    assert all(named.values())
    assert max(map(len, call.out.splitlines())) <= 80
    for name in ("spec", "SPEC", "Spec.md"):
        assert arena("docs", name, folder=tmp_path).out == (ROOT / "SPEC.md").read_text()
    wrong = arena("docs", "tutoral", folder=tmp_path)
    assert (wrong.status, wrong.out) == (2, "")
    assert "unknown document 'tutoral'; did you mean 'tutorial'?" in wrong.err


def test_in_a_terminal_a_document_goes_through_the_pager(tmp_path: Path) -> None:
    pager = tmp_path / "pager"
    pager.write_text("#!/bin/sh\necho PAGED; head -1\n")
    pager.chmod(0o755)
    with Terminal("docs", "tutorial", folder=tmp_path, env={"PAGER": str(pager)}) as terminal:
        assert terminal.end() == 0
        assert terminal.screen.splitlines()[:2] == ["PAGED", "# From nothing to a bot that beats greedy"]


def test_help_is_a_command_too(tmp_path: Path) -> None:
    for words, as_option in ((("help",), ("--help",)), (("help", "match"), ("match", "--help"))):
        call = arena(*words, folder=tmp_path)
        assert call.status == 0
        assert call.out == arena(*as_option, folder=tmp_path).out
    wrong = arena("help", "mach", folder=tmp_path)
    assert (wrong.status, wrong.err) == (2, "arena: unknown command 'mach'; did you mean 'match'?\n")


@pytest.mark.parametrize("name", ["match", "tournament", "compare", "play"])
def test_a_long_help_lists_every_option_once_in_a_section(name: str) -> None:
    found = command.get_command(click.Context(command), name)
    assert found is not None
    context = click.Context(found)
    lines = found.get_help(context).splitlines()
    headings = [line for line in lines if re.fullmatch(r"[A-Z][a-z ]+:", line)]
    assert {"Options:", "Match:", "Time and faults:", "Sandbox:", "Output:"} <= {*headings}
    assert len({*headings}) == len(headings)
    options = lines[lines.index(headings[0]) :]
    listed = [match[1] for line in options if (match := re.match(r" +(?:-h, )?(--[a-z-]+)", line))]
    flags = [option.opts[-1] for option in found.get_params(context) if isinstance(option, click.Option)]
    assert sorted(listed) == sorted(flags)


@pytest.mark.parametrize("name", COMMANDS)
def test_where_a_bot_is_an_argument_the_help_says_what_it_may_be(name: str) -> None:
    context = click.Context(command)
    found = command.get_command(context, name)
    assert found is not None
    told = " ".join(found.get_help(context).split())
    assert ("A BOT is an executable" in told) == (name in TAKE_BOTS)
    usage = " ".join(found.collect_usage_pieces(context))
    assert re.search(r"\bBOT\b", usage) is None or name in TAKE_BOTS
    if name in TAKE_BOTS:
        assert all(word in told for word in (*BUILTIN_BOTS, MANIFEST, "NAME=COMMAND LINE"))


@pytest.mark.parametrize("game", GAMES)
def test_a_game_names_where_its_rules_are(game: str) -> None:
    assert f"\nrules: arena games {game} --rules; for bots: --schema\n" in arena("games", game).out
    rules = arena("games", game, "--rules").out
    assert f"`{game}`, by " in rules
    assert "\n## " not in rules
    assert f"\n\n##{rules}" in (ROOT / "SPEC.md").read_text()  # With the text of its folder, word by word.
