"""The documentation site: what stands on it, and that every link of it leads somewhere."""

import ast
import re
import shutil
from pathlib import Path

import click
import jsonschema
import msgspec
import pytest

import arena
from arena.cli import COMMANDS
from arena.cli import arena as command_line
from arena.games import GAMES, api
from tests.cli.calls import ROOT
from tests.cli.calls import arena as call
from tests.site.conftest import build
from tests.site.links import IN_STYLES, Page, broken, is_external, pages

pytestmark = pytest.mark.thorough  # Half a minute of processor; a workflow makes the site of each commit.

MARKUP = re.compile(r"^```\w+$|\]\([^)]+\)|</?\w+>", re.MULTILINE)
"""What of Markdown nobody reads: the names of blocks, where links lead, tags."""


def test_no_link_is_broken(site: Path) -> None:
    assert broken(site) == []


def test_what_a_broken_link_is(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(
        '<a href="b.html#here">right</a><a href="b.html#gone">no target</a><a href="c.html">no page</a>'
        '<img src="d.png"><a href="https://example.org">elsewhere</a>'
    )
    (tmp_path / "b.html").write_text('<p id="here"><a href="#here">right</a><a href="#gone">no target</a>')
    (tmp_path / "a.md").write_text("[right](b.html) [gone](e.md)")
    (tmp_path / "a.css").write_text('@import "f.css"; p { background: url(g.png) }')
    assert broken(tmp_path) == [
        "a.html: b.html#gone",
        "a.html: c.html",
        "a.html: d.png",
        "b.html: #gone",
        "a.css: f.css",
        "a.css: g.png",
        "a.md: e.md",
    ]


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    for path, page in pages(site).items():
        assert page.loads, f"{path}: not even a style"
        assert not list(filter(is_external, page.loads)), path
    for path in site.rglob("*.css"):
        assert not list(filter(is_external, IN_STYLES.findall(path.read_text()))), path


def test_every_document_is_a_page(site: Path) -> None:
    documents = ["SPEC", "CHANGELOG", *(f"docs/{path.stem}" for path in (ROOT / "docs").glob("*.md"))]
    for name in documents:
        title = re.findall(r"^# (.*)$", (ROOT / f"{name}.md").read_text(), re.MULTILINE)[0]
        assert title in Page(site / f"{name}.html").text


def _members(name: str) -> list[tuple[str, ...]]:
    """A command, and those in it."""
    command = command_line.get_command(click.Context(command_line), name)
    return [(name,), *((name, member) for member in getattr(command, "commands", ()))]


@pytest.mark.parametrize("words", [words for name in COMMANDS for words in _members(name)], ids=" ".join)
def test_every_command_has_a_page_with_its_help(words: tuple[str, ...], site: Path) -> None:
    page = Page(site / "commands" / f"{words[0]}.html")
    command: click.Command | None = command_line
    for word in words:
        assert isinstance(command, click.Group)
        command = command.get_command(click.Context(command), word)
    assert command is not None
    shown = call(*words, "--help").out
    # The page has all words of the help, in the order of the help, but for the line breaks and the headings.
    usage, _, rest = shown.partition("\n\n")
    about, options = re.split(r"\n[A-Z][a-z ]+:\n", rest, maxsplit=1)
    assert _plain(usage.removeprefix("Usage: ")) in _plain(page.text)
    for paragraph in about.removeprefix("Example: ").split("\n\n"):
        for part in re.split(r"Example: ", paragraph):
            assert _plain(part) in _plain(page.text)
    for parameter in command.get_params(click.Context(command)):
        if isinstance(parameter, click.Option) and not parameter.hidden:
            for option in (*parameter.opts, *parameter.secondary_opts):
                assert f"cmdoption-arena-{'-'.join(words)}-{option.strip('-')}" in page.targets, option
            assert _plain(parameter.help or "") in _plain(page.text)
    assert "--help" in options


def _plain(text: str) -> str:
    """Without what page and terminal show in different ways: white space, and the marks of code."""
    return re.sub(r"[\s`]", "", text)


def test_exit_codes_stand_beside_the_commands(site: Path) -> None:
    text = Page(site / "commands" / "index.html").text
    for line in ("0: done", "1: the answer is no", "2: your mistake", "3: undecided", "130: interrupted"):
        assert line in text


@pytest.mark.parametrize("name", GAMES)
def test_every_game_has_its_rules(name: str, site: Path) -> None:
    text = Page(site / "games" / f"{name}.html").text
    rules = call("games", name, "--rules").out
    assert len(rules) > 1000
    assert set(re.findall(r"\w+", MARKUP.sub("", rules))) <= set(re.findall(r"\w+", text))


def test_every_public_name_is_in_the_reference(site: Path) -> None:
    library = Page(site / "reference" / "arena.html")
    assert {_target(f"arena.{name}") for name in arena.__all__} <= library.targets
    games = Page(site / "reference" / "arena.games.api.html")
    assert set(map(_target, api.__all__)) <= games.targets
    for module, names in {
        "arena.games": {"GAMES"},
        "arena.players.learning.batches": {"Environments", "BatchStep"},
        "arena.laws.second": {"FixedChance", "Second"},
        "arena.laws.strategies": {"variants", "keys", "actions", "states"},
        "arena.players.learning.environment": {"Environment"},
        **{f"protocol.{path.stem}": _defined(path) for path in (ROOT / "protocol").glob("[a-z]*.py")},
    }.items():
        assert set(map(_target, names)) <= Page(site / "reference" / f"{module}.html").targets, module


def _defined(path: Path) -> set[str]:
    """The functions and classes of a file."""
    nodes = ast.parse(path.read_text()).body
    return {
        node.name
        for node in nodes
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name[0] != "_"
    }


def _target(name: str) -> str:
    """What a heading is called in links."""
    return name.lower().replace(".", "-").replace("_", "-")


def test_what_programs_read(site: Path) -> None:
    title, _, summary, *rest = (site / "llms.txt").read_text().splitlines()
    assert title == "# card-arena"
    assert summary.startswith("> ")
    assert [line for line in rest if line.startswith("#")] == ["## Write a bot", "## Games", "## Optional"]
    everything = (site / "llms-full.txt").read_text()
    assert everything == call("docs", "llms").out
    assert everything.startswith((ROOT / "SPEC.md").read_text())
    schema = everything.rpartition("```json\n")[2].removesuffix("```\n")
    assert schema == (site / "schema.json").read_text() == call("docs", "schema").out
    jsonschema.Draft202012Validator.check_schema(msgspec.json.decode(schema))


@pytest.mark.usefixtures("site")
def test_another_folder_stays_as_it_is(tmp_path: Path) -> None:
    kept = tmp_path / "thesis.txt"
    kept.write_text("mine")
    for words, reason in (
        ((tmp_path,), f"{tmp_path}: not empty; remove it first"),
        ((kept,), f"{kept}: not a folder"),
        (("--help",), "name the folder"),
    ):
        done = build(*words)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith(f"docs.site: {reason}")
    assert [path.read_text() for path in tmp_path.iterdir()] == ["mine"]


@pytest.mark.usefixtures("site")
@pytest.mark.parametrize(
    "link",
    [
        "[gone](tour.md#gone)",
        *(
            pytest.param(link, marks=pytest.mark.exhaustive)  # The site is made for each.
            for link in ("[gone](gone.md)", "[gone](#gone)", "![gone](gone.png)")
        ),
    ],
)
def test_a_broken_link_is_an_error(link: str, tmp_path: Path) -> None:
    source = tmp_path / "source"
    for name in ("arena", "bots", "docs", "protocol", "tournaments"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("README.md", "SPEC.md", "CHANGELOG.md"):
        shutil.copy(ROOT / name, source)
    tutorial = source / "docs" / "tutorial.md"
    tutorial.write_text(f"{tutorial.read_text()}\n{link}\n")
    done = build(tmp_path / "site", source)
    assert done.returncode == 1
    assert "docs/tutorial.md" in done.stderr
    assert not (tmp_path / "site").exists()
