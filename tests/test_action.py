"""action.yml, run as GitHub runs it: its command lines in its shell with its variables, on bots that are
good, wrong and hostile. And what the workflows may do. AppArmor and the upload are not tried.
"""

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml
from markdown_it import MarkdownIt

from tests.cli.calls import ROOT
from tests.cli.calls import arena as call
from tests.support.needs import require

ACTION = yaml.safe_load((ROOT / "action.yml").read_text())
WORKFLOWS = {
    name: yaml.safe_load((ROOT / ".github" / "workflows" / name).read_text())
    for name in ("checks.yml", "release.yml", "site.yml")
}
STEPS = {
    "action.yml": ACTION["runs"]["steps"],
    **{
        f"{name}: {job}": WORKFLOWS[name]["jobs"][job]["steps"]
        for name in WORKFLOWS
        for job in WORKFLOWS[name]["jobs"]
    },
}
SITE = {"name": "github-pages", "url": "${{ steps.published.outputs.page_url }}"}
GOOD = (ROOT / "bots" / "greedy.py").read_text()
WRONG = "import sys\nfor line in sys.stdin:\n    print('{}', flush=True)\n"
WORDS = "::error::gone</code><img src=x>|**bold** [link](https://example.org) @somebody ##[add-mask]dealt"
NASTY = "a\n::error::b"
"""A name."""
HOSTILE = f"""
import os, sys
print({WORDS!r}, flush=True)
print({WORDS!r}, file=sys.stderr, flush=True)
for name in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT", "GITHUB_ENV"):
    with open(os.environ.get(name, "/dev/stderr"), "a") as file:
        print("pages=/written-by-a-bot", file=file)
sys.stdin.read()
"""
AT_HELLO = '        if message["type"] == "hello":\n'
assert AT_HELLO in GOOD


class Ran(NamedTuple):
    status: int
    log: str
    summary: str
    outputs: Mapping[str, str]


def run(folder: Path, bots: str, **inputs: str) -> Ran:
    """The step that checks and plays, in the repository `folder / "repository"`. Its place to play is the
    environment of this test."""
    (step,) = (step for step in ACTION["runs"]["steps"] if step.get("id") == "play")
    given = {name: about.get("default", "") for name, about in ACTION["inputs"].items()}
    given |= {"bots": bots, "rounds": "1", **inputs}
    placed = folder / "action"
    placed.mkdir()
    (placed / ".ci").symlink_to(ROOT / ".ci")
    (placed / ".venv").symlink_to(sys.prefix)
    files = {"GITHUB_STEP_SUMMARY": folder / "summary", "GITHUB_OUTPUT": folder / "output"}
    for path in (*files.values(), folder / "env"):
        path.touch()
    script = folder / "script.sh"
    script.write_text(step["run"])
    done = subprocess.run(
        ("bash", "--noprofile", "--norc", "-eo", "pipefail", script),
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "PYTHONPATH": str(ROOT),
            "RUNNER_TEMP": str(folder),
            "GITHUB_ACTION_PATH": str(placed),
            "GITHUB_ENV": str(folder / "env"),
            "GITHUB_WORKSPACE": str(folder / "repository"),
            **{name: str(path) for name, path in files.items()},
            **{name: evaluated(value, given) for name, value in step["env"].items()},
        },
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert (folder / "env").read_text() == ""
    outputs = dict(line.split("=", 1) for line in files["GITHUB_OUTPUT"].read_text().splitlines())
    return Ran(done.returncode, done.stdout, files["GITHUB_STEP_SUMMARY"].read_text(), outputs)


def evaluated(value: str, inputs: Mapping[str, str]) -> str:
    found = re.fullmatch(r"\$\{\{ inputs\.(\w+) \}\}", value)
    assert found, f"{value}: only inputs are passed on"
    return inputs[found[1]]


def repository(folder: Path, **programs: str) -> None:
    entries = folder / "repository" / "entries"
    entries.mkdir(parents=True)
    (entries / "README.md").write_text("Our bots.\n")
    for name, program in programs.items():
        (entries / f"{name}.py").write_text(program)


def obeyed(log: str) -> list[str]:
    """The lines of a log that the runner takes for commands, as its ActionCommandManager.cs does: `::` at the
    beginning or `##[` anywhere, and after stop-commands nothing until the token that it named."""
    commands, token = [], None
    for line in log.splitlines():
        found = re.match(r"\s*::([\w-]+).*?::(.*)", line) or re.search(r"##\[([\w-]+).*?\](.*)", line)
        if found and token in (None, found[1]):
            commands.append(line)
            token = found[2] if found[1] == "stop-commands" else None
    return commands


class Page(HTMLParser):
    """The tags of a page, and the text of each cell and heading."""

    def __init__(self, markdown: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.rows: list[list[str]] = []
        self.text = ""
        self.feed(MarkdownIt("commonmark").enable("table").render(markdown))
        self.rows = [[cell.strip() for cell in row] for row in self.rows]

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.add(tag)
        assert not [name for name, _ in attrs if name != "style"]
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_data(self, data: str) -> None:
        self.text += data
        if self.rows and self.rows[-1]:
            self.rows[-1][-1] += data


@pytest.mark.needs("bwrap")
@pytest.mark.thorough  # A whole job.
def test_a_good_bot_plays_the_samples(tmp_path: Path) -> None:
    repository(tmp_path, mybot=GOOD)
    ran = run(tmp_path, "entries/*")
    assert ran.status == 0, ran.log
    rows = Page(ran.summary).rows
    assert ["mybot", "passed", ""] in [row[:3] for row in rows]
    ranked = [row[1] for row in rows if len(row) == 6]
    assert {"mybot", "sample-greedy", "sample-careful"} <= set(ranked)
    assert "**<code>mybot</code>**" in ran.summary
    pages = Path(ran.outputs["pages"])
    assert "mybot" in (pages / "report.html").read_text()
    assert (pages / "checks" / "mybot.html").exists()
    assert len(list((pages / "replays").glob("r01-*.html"))) == 4


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """A job with a good bot, one to be mended, a hostile one, and some that cannot enter."""
    require("bwrap")
    folder = tmp_path_factory.mktemp("mixed")
    good = ("mybot", "sample-greedy", "house-1", "a\nb", "b\udcff", "--game=sh -c id", NASTY)
    repository(folder, wrong=WRONG, hostile=HOSTILE, **dict.fromkeys(good, GOOD))
    entries = folder / "repository" / "entries"
    (entries / "mybot").mkdir()
    (entries / "mybot" / "main.py").write_text(GOOD)
    (entries / "mybot" / "bot.toml").write_text('command = ["python3", "main.py"]\n')
    (entries / "theirs").symlink_to("mybot")
    ran = run(folder, "entries/*\nentries/mybot/main.py\n")
    assert ran.status == 1, ran.log
    assert ran.outputs.keys() == {"pages"}
    assert ran.outputs["pages"].startswith(str(folder))
    return ran


@pytest.mark.thorough  # A whole job, 17 s of processor.
def test_a_bot_with_something_to_mend_fails_the_job_and_does_not_play(mixed: Ran) -> None:
    rows = Page(mixed.summary).rows
    assert ["wrong", "to mend"] in [row[:2] for row in rows]
    assert "wrong" not in [row[1] for row in rows if len(row) == 6]
    assert "mybot" in [row[1] for row in rows if len(row) == 6]


@pytest.mark.thorough  # The same job.
def test_what_strangers_say_is_neither_command_nor_markup(mixed: Ran) -> None:
    assert WORDS in mixed.log
    stop, resume = obeyed(mixed.log)
    assert stop.startswith("::stop-commands::")
    assert resume == f"::{stop.rpartition(':')[2]}::"
    page = Page(mixed.summary)
    assert page.tags <= {"h2", "h3", "p", "table", "thead", "tbody", "tr", "th", "td", "code", "strong"}
    assert all(len(row) in (4, 6) for row in page.rows)
    (cell,) = (row[2] for row in page.rows if row[0] == "hostile")
    assert WORDS[:40] in cell


def test_a_log_without_protection_would_be_obeyed() -> None:
    assert obeyed(f"{WORDS}\nquiet\n  ##[group]x\n") == [WORDS, "  ##[group]x"]
    assert obeyed("::stop-commands::t\n::error::a\n::t::\n::error::b\n") == [
        "::stop-commands::t",
        "::t::",
        "::error::b",
    ]


@pytest.mark.needs("bwrap")
@pytest.mark.parametrize(
    ("bots", "inputs", "why"),
    [
        ("", {}, "the input `bots` is empty"),
        ("gone/*", {}, "no file of the repository is called gone/*"),
        pytest.param(
            "entries/README.md", {}, "arena check: none of these is a bot", marks=pytest.mark.thorough
        ),
        pytest.param(
            "entries/mybot.py",
            {"game": "chess"},
            "arena check: Invalid value for '--game': unknown game 'chess'",
            marks=pytest.mark.thorough,
        ),
        ("entries/mybot.py", {"rounds": "0"}, "arena tournament: Invalid value for '--rounds': 0 is not in"),
    ],
)
def test_what_cannot_be_tried_says_why(
    bots: str, inputs: Mapping[str, str], why: str, tmp_path: Path
) -> None:
    repository(tmp_path, mybot=GOOD)
    ran = run(tmp_path, bots, **inputs)
    assert ran.status == 2, ran.log
    assert why in ran.log
    assert "Traceback" not in ran.log
    assert why in Page(ran.summary).text


@pytest.mark.thorough  # The same job.
def test_who_cannot_enter_keeps_nobody_from_playing(mixed: Ran) -> None:
    rows = Page(mixed.summary).rows
    ranked = {row[1] for row in rows if len(row) == 6}
    assert {"mybot", "sample-greedy"} <= ranked
    assert {"theirs", "main"}.isdisjoint(ranked)
    assert {row[2] for row in rows if row[1] == "left out"} == {
        "another entry has this name; give it another one",
        "the names of the sample bots begin with sample-; give it another name",
        "its name has signs that cannot be printed",
        "entries/house-1.py: names that begin with 'house-' belong to house bots; write 1=entries/house-1.py",
    }
    (theirs,) = (row for row in rows if row[0] == "theirs")
    assert theirs[1] == "to mend"
    assert "main: left out, mybot would see its files" in Page(mixed.summary).text


@pytest.mark.needs("bwrap")
@pytest.mark.thorough  # As above.
def test_a_bot_that_forfeits_in_the_gauntlet_fails_the_job(tmp_path: Path) -> None:
    """It knows the matches of the check, which always deals the same cards, and plays in no other."""
    seen = tmp_path / "seen"
    notes = f"            print(message['seed'], file=open({str(seen)!r}, 'a'))\n"
    repository(tmp_path, mybot=GOOD, shy=GOOD.replace(AT_HELLO, AT_HELLO + notes))
    shy = tmp_path / "repository" / "entries" / "shy.py"
    assert call("check", shy, "--game", "sticheln", "--sandbox", "none").status == 0
    known = f"            assert str(message['seed']) in {seen.read_text().split()}\n"
    shy.write_text(GOOD.replace(AT_HELLO, AT_HELLO + known))
    ran = run(tmp_path, "entries/*")
    assert ran.status == 1, ran.log
    assert ["shy", "passed", ""] in [row[:3] for row in Page(ran.summary).rows]
    assert "shy: forfeited matches (4 exited)" in Page(ran.summary).text


@pytest.mark.parametrize("name", STEPS)
def test_no_expression_becomes_a_command(name: str) -> None:
    """An expression in a command line is pasted before the shell reads it."""
    for step in STEPS[name]:
        assert "${{" not in step.get("run", "")


@pytest.mark.parametrize("name", STEPS)
def test_other_actions_are_named_by_commit(name: str) -> None:
    for step in STEPS[name]:
        assert re.fullmatch(r"\./|[\w./-]+@[0-9a-f]{40}", step.get("uses", "./"))


@pytest.mark.parametrize("name", WORKFLOWS)
def test_workflows_run_strangers_code_without_rights(name: str) -> None:
    workflow = WORKFLOWS[name]
    assert "pull_request_target" not in workflow[True]  # YAML 1.1 reads the key `on` as true.
    assert workflow["permissions"] == {"contents": "read"}
    assert "secrets." not in (ROOT / ".github" / "workflows" / name).read_text()
    for job in workflow["jobs"].values():
        for step in job["steps"]:
            if step.get("uses", "").startswith("actions/checkout@"):
                assert step["with"]["persist-credentials"] is False


def test_only_what_publishes_may_ask_for_an_identity() -> None:
    jobs = {(name, job): about for name in WORKFLOWS for job, about in WORKFLOWS[name]["jobs"].items()}
    asking = {key: about for key, about in jobs.items() if "permissions" in about}
    assert {key: about["permissions"] for key, about in asking.items()} == {
        ("release.yml", "publish"): {"id-token": "write"},
        ("site.yml", "publish"): {"pages": "write", "id-token": "write"},
    }
    for publish in asking.values():
        assert publish["environment"] in ("pypi", SITE)
        assert not [step for step in publish["steps"] if "run" in step]


def test_every_input_is_used_and_every_use_is_an_input() -> None:
    used = set(re.findall(r"inputs\.(\w+)", (ROOT / "action.yml").read_text()))
    assert used == set(ACTION["inputs"])
