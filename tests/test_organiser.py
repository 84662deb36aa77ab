"""docs/organiser.md does what it says, in an evening that is interrupted so that the organiser's hand has
something to do; and the evening of a class of thirty.
"""

import csv
import json
import shutil
import signal
import subprocess
import zipfile
from pathlib import Path

import pytest

from tests.cli.calls import ROOT, blocks, path_with_arena
from tests.support.waiting import until

GUIDE = "docs/organiser.md"
EVENING = "--out spring"
HAND = "arena withdraw"
CLASS = "arena check class.csv"
ANSWERS = ("arena rerun", "arena rematch")
"""Whose exit code says what they found."""


@pytest.mark.thorough
def test_every_command_does_what_it_says(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "bots", tmp_path / "bots", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(tmp_path / "bots" / "greedy.py", tmp_path / "late.py")
    path = path_with_arena(tmp_path)

    def begun(line: str) -> "subprocess.Popen[str]":
        words = ("bash", "-c", f"exec {line}")
        return subprocess.Popen(
            words, cwd=tmp_path, env={"PATH": path}, text=True, stderr=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def done(line: str) -> None:
        process = begun(line)
        _, err = process.communicate()
        assert process.returncode in ((0, 1) if line.startswith(ANSWERS) else (0,)), f"{line}: {err}"

    before, evening, after = [], "", []
    for block in blocks(GUIDE, "sh"):
        if CLASS in block:
            continue
        for line in block.splitlines():
            if EVENING in line:
                evening = line
            else:
                (after if evening else before).append(line)
    hand = after[(at := next(n for n, line in enumerate(after) if line.startswith(HAND))) : at + 5]

    for line in before:
        done(line)
    tournament = begun(evening)
    until(lambda: (tmp_path / "spring" / "matches" / "r01-p001-s01.jsonl").exists())
    tournament.send_signal(signal.SIGINT)
    tournament.communicate()
    assert tournament.returncode == 130
    for line in [*hand, *(line for line in after if line not in hand)]:
        done(line)
    assert (tmp_path / "spring" / "report.html").exists()


AUTHORS = [f"author-{number:02}" for number in range(30)]
BROKEN = {
    "author-03": "print('hello')\n",
    "author-07": "import no_such_module\n",
    "author-11": "def f(:\n",
}


def hand_in(folder: Path) -> dict[str, str]:
    """Thirty authors hand in files, folders and archives; some programs are broken, one archive is a bomb,
    one leads out of its folder, and one author hands in nothing. The path of each, by author."""
    folder.mkdir()
    programs = [(ROOT / "bots" / name).read_text() for name in ("careful.py", "greedy.py", "random.py")]
    paths = {}
    for number, author in enumerate(AUTHORS):
        program = BROKEN.get(author, programs[number % 3])
        if author == "author-29":
            paths[author] = f"{author}.py"
        elif number % 3 == 0:
            (folder / f"{author}.py").write_text(program)
            paths[author] = f"{author}.py"
        elif number % 3 == 1:
            (folder / author).mkdir()
            (folder / author / "bot.py").write_text(program)
            paths[author] = author
        else:
            with zipfile.ZipFile(folder / f"{author}.zip", "w", zipfile.ZIP_DEFLATED) as archive:
                archive.writestr("../bot.py" if author == "author-17" else "my bot/bot.py", program)
                if author == "author-23":
                    with archive.open("my bot/data", "w", force_zip64=True) as file:
                        for _ in range(1100):
                            file.write(bytes(1 << 20))
            paths[author] = f"{author}.zip"
    return paths


@pytest.mark.thorough
def test_the_evening_of_a_class(tmp_path: Path) -> None:
    paths = hand_in(tmp_path / "handed-in")
    with (tmp_path / "class.csv").open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file, delimiter=";")
        writer.writerow(["Group", "Bot", "Author", "Mark"])
        for number, (author, path) in enumerate(paths.items()):
            writer.writerow([f"7{'ab'[number % 2]}", f"handed-in/{path}", author.title(), ""])
    path = path_with_arena(tmp_path)
    (block,) = (block for block in blocks(GUIDE, "sh") if CLASS in block)
    for line in block.splitlines():
        done = subprocess.run(
            ("bash", "-c", line),
            cwd=tmp_path,
            env={"PATH": path, "XDG_CACHE_HOME": str(tmp_path / "cache")},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == (1 if line.startswith(CLASS) else 0), f"{line}: {done.stderr}"

    wrong = {*BROKEN, "author-17", "author-23", "author-29"}
    with (tmp_path / "pages" / "results.csv").open(encoding="utf-8-sig", newline="") as file:
        results = {row["bot"]: row for row in csv.DictReader(file)}
    failed = {bot: row["mend"] for bot, row in results.items() if row["result"] == "to mend"}
    assert failed.keys() == wrong, failed
    assert sorted(results) == AUTHORS
    assert all((tmp_path / "pages" / row["page"]).is_file() for row in results.values())
    assert "unpacks to more than 1024 MB" in results["author-23"]["mend"]
    assert "which points outside it" in results["author-17"]["mend"]

    standings = subprocess.run(
        ("arena", "standings", "evening", "--json"),
        cwd=tmp_path,
        env={"PATH": path},
        capture_output=True,
        check=True,
    )
    found = json.loads(standings.stdout)
    out = {"author-17", "author-23", "author-29"}
    # Who is left out is named as the table names the author.
    assert {row["name"] for row in found["left_out"]} == {name.title() for name in out}
    assert {row["name"] for row in found["entrants"]} == {*AUTHORS} - out
    groups = {group["group"]: [row["name"] for row in group["entrants"]] for group in found["groups"]}
    assert sorted(groups["7a"]) == [author for author in AUTHORS[::2] if author not in out]
    assert sorted(groups["7b"]) == [author for author in AUTHORS[1::2] if author not in out]
    assert not (tmp_path / "bot.py").exists()
