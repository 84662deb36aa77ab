"""What the documents show is there: commands and their options, programs, files, links. And README.md,
docs/tour.md and docs/contributor.md do what they say, command by command; the other guides have such tests
beside this one.
"""

import importlib.util
import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from arena.cli import COMMANDS
from arena.cli import arena as command
from tests.cli.calls import ROOT, blocks, path_with_arena
from tests.cli.terminals import Terminal
from tests.screens.web.served import Served
from tests.support.clone import copy
from tournaments.formats import FORMATS

DOCUMENTS = [
    "README.md",
    "SPEC.md",
    "CHANGELOG.md",
    *(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md")),
]
CONTRIBUTOR, INSTALL, TOUR = "docs/contributor.md", "docs/install.md", "docs/tour.md"

FENCE = re.compile(r"^ *```(\w*)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
SPAN = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
LINK = re.compile(r"\]\(([^)\s]+)\)")

QUICK = ("arena new", "arena match", "arena replay", "arena rerun")
"""What the gate does; the rest of the tour takes minutes."""
CUTS = {"compare": " --budget 10 --keep-bots", "match": " --deals 1"}
"""What the gate adds to a command of the readme."""
FOREIGN = {"--local-directory", "--as"}
"""Options of other programs that are spoken of."""


def without_code(document: str) -> str:
    return FENCE.sub("", (ROOT / document).read_text())


def spans(document: str) -> Iterator[str]:
    """What is set as code within the text."""
    yield from (" ".join(found[2].split()) for found in SPAN.finditer(without_code(document)))


def shown(document: str) -> Iterator[str]:
    """The lines that a reader could type, from blocks and out of the text."""
    for language, text in FENCE.findall((ROOT / document).read_text()):
        if language in ("sh", ""):
            yield from map(str.strip, text.splitlines())
    yield from spans(document)


def options(of: click.Command) -> set[str]:
    taken = {name for parameter in of.params for name in (*parameter.opts, *parameter.secondary_opts)}
    return {*taken, "-h", "--help"}


def all_options(of: click.Command) -> set[str]:
    """Those of a command and of all that are below it."""
    below = of.commands.values() if isinstance(of, click.Group) else ()
    return options(of).union(*map(all_options, below))


def named(name: str) -> click.Command:
    found = command.get_command(click.Context(command), name)
    assert found is not None, f"there is no command {name!r}"
    return found


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_command_is_there_and_takes_the_options_that_are_shown(document: str) -> None:
    for line in shown(document):
        words = re.findall(r"(?:^|&& |/)arena ([^&|>]*)", line.partition(" #")[0])
        for word, *rest in map(shlex.split, words):
            of = command if word.startswith("-") else named(word)
            ours = rest[: rest.index("--")] if "--" in rest else rest
            if isinstance(of, click.Group) and of is not command and ours:
                assert ours[0] in of.commands, line
                of = of.commands[ours[0]]
            unknown = {one for one in (word, *ours) if one.startswith("--")} - options(of)
            assert not unknown, f"{line}: {of.name} has no {unknown}"


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_option_that_is_spoken_of_is_there(document: str) -> None:
    known = options(command).union(*(all_options(named(name)) for name in COMMANDS), FOREIGN)
    told = {span.split()[0] for span in spans(document) if re.match("--[a-z]", span)}
    assert told <= known


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_program_and_every_file_is_there(document: str) -> None:
    for line in shown(document):
        for module in re.findall(r"python -m (tests\S+)", line):
            assert importlib.util.find_spec(module) is not None, line
        for path in re.findall(r"(?:^|\s)((?:arena|bots|docs|protocol|tests|tournaments)/[\w./-]+)", line):
            made_by_the_reader = "your" in path or line.startswith("arena ")
            assert made_by_the_reader or (ROOT / path).exists(), line


def test_the_tour_names_every_format() -> None:
    assert set(FORMATS) <= set(spans(TOUR))


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_link_leads_somewhere(document: str) -> None:
    for link in LINK.findall(without_code(document)):
        file, _, part = link.partition("#")
        if not file.startswith("http"):
            target = (ROOT / document).parent / file if file else ROOT / document
            assert target.exists(), link
            assert not part or part in anchors(target.read_text()), link


def anchors(text: str) -> set[str]:
    """What the headings are called in links, by the way of GitHub."""
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in HEADING.findall(text)}


def commands(document: str) -> list[str]:
    """The lines of `arena`, as they stand there."""
    lines = "".join(blocks(document, "sh")).splitlines()
    return [line.partition(" #")[0].strip() for line in lines if line.startswith("arena ")]


def follow(lines: list[str], folder: Path) -> None:
    """Do what the lines say, one after the other. One that needs a person is looked at, and left."""
    (folder / "bots").symlink_to(ROOT / "bots")
    path = path_with_arena(folder)
    for line in lines:
        if "--web" in line:
            with Served(*words(line, 2), folder=folder):
                continue
        if "--watch" in line or line.startswith("arena play"):
            with Terminal(*words(line), folder=folder) as terminal:
                terminal.until("deal 1 of")
                continue
        done = subprocess.run(
            ("sh", "-c", line.replace("tcp://head:8786", "local")),
            cwd=folder,
            env={"PATH": path, "HOME": str(folder), "LANG": "C.UTF-8"},
            capture_output=True,
            text=True,
            check=False,
        )
        # A comparison may also say no, or end undecided.
        assert done.returncode in ((0, 1, 3) if "compare" in line else (0,)), f"{line}: {done.stderr}"


def words(line: str, behind: int = 1) -> list[str]:
    return [word for word in shlex.split(line)[behind:] if word != "--web"]


@pytest.mark.parametrize(
    "brief",
    [
        True,
        # As it stands a comparison plays until it is sure, or for 4000 deals.
        pytest.param(False, marks=pytest.mark.thorough),
    ],
)
def test_the_readme_from_a_new_bot_to_a_replay(brief: bool, tmp_path: Path) -> None:
    cuts = CUTS if brief else {}
    follow([line + cuts.get(line.split()[1], "") for line in commands("README.md")], tmp_path)
    assert (tmp_path / "match.jsonl").is_file()


@pytest.mark.thorough  # 5 s of processor; the gate has the readme.
def test_the_tour_from_a_new_bot_to_a_match_and_what_came_of_it(tmp_path: Path) -> None:
    quick = [line for line in commands(TOUR) if line.startswith(QUICK) and "--watch" not in line]
    assert len(quick) == 7
    follow(quick, tmp_path)
    assert (tmp_path / "match.html").is_file()


@pytest.mark.thorough
def test_all_that_the_tour_says(tmp_path: Path) -> None:
    follow(commands(TOUR), tmp_path)
    assert (tmp_path / "spring" / "report.html").is_file()


INSTALLING = {
    document: [block for block in blocks(document, "sh") if ".venv" in block]
    for document in ("README.md", INSTALL, CONTRIBUTOR)
}


@pytest.mark.parametrize(
    ("document", "installing"),
    [
        # The readme's second block is the gate itself: `.ci/run` takes it from there.
        pytest.param("README.md", INSTALLING["README.md"][:1], marks=pytest.mark.thorough),
        pytest.param(INSTALL, INSTALLING[INSTALL], marks=pytest.mark.thorough),
        # It installs what the gate installs, and runs tests that it runs.
        pytest.param(CONTRIBUTOR, INSTALLING[CONTRIBUTOR], marks=pytest.mark.exhaustive),
    ],
)
def test_installed_and_tested_as_it_says(document: str, installing: list[str], tmp_path: Path) -> None:
    """In a copy of the project as it is handed out, with what has not been committed yet."""
    clone = copy(tmp_path / "clone")
    if "-m venv" not in installing[0]:
        subprocess.run(("python3", "-m", "venv", ".venv"), cwd=clone, check=True)
    for block in installing:
        done = subprocess.run(("sh", "-ec", block), cwd=clone, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr


def test_the_gate_is_what_the_readme_says() -> None:
    gate = INSTALLING["README.md"][1]
    assert "-m pytest" in gate
    assert f"<!-- test command -->\n```sh\n{gate}```" in (ROOT / "README.md").read_text()
    assert "<!-- test command -->" in (ROOT / ".ci" / "run").read_text()


@pytest.mark.parametrize("block", blocks(CONTRIBUTOR, "sh"))
def test_what_contributors_run_finds_its_tests(block: str) -> None:
    for line in block.splitlines():
        if "-m pytest" in line:
            paths = [word for word in shlex.split(line) if word.startswith("tests/")]
            assert paths
            assert all((ROOT / path).exists() for path in paths), line
