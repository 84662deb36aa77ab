"""Sixty archives at once, half an hour before a deadline: when does each author have an answer, and what did
that cost?

    python -m tests.bench.league_rush [--authors 60] [--slow 10] [--bombs 5] [--folder DIR]

A real league on this machine. Each author puts one zip file into its inbox: most hold a bot in Python,
`--slow` of them one with a build that computes for ten seconds, and `--bombs` unpack to much more than is
allowed. All arrive together, while the league is asleep. Prints how many were accepted and refused; the
minutes until half of them, 95 % and all were answered; the core seconds for a version of the league's
process and its checks, without builds and the bots themselves; and those of the whole machine, which plays
matches meanwhile.
"""

import datetime
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

import click

from arena.commands.league import NewAuthor, NewLeague, read
from arena.league.carried import RECEIVED
from arena.league.ids import HOUSE, author_of
from tests.cli.calls import ROOT
from tests.support.archives import zipped

TEN_SECONDS: Final = b"from time import process_time\nwhile process_time() < 10: pass\n"
SLOW: Final = b'command = "python3 -P bot.py"\nbuild = "python3 -P ten_seconds.py"\n'
BOMB: Final = bytes(400_000_000)
TICKS: Final = os.sysconf("SC_CLK_TCK")


def archive(path: Path, number: int, slow: int, bombs: int) -> None:
    """The zip file of author `number`."""
    bot = (ROOT / "bots" / "careful.py").read_bytes() + f"\n# {number}\n".encode()
    if number < slow:
        zipped(path, {"bot.py": bot, "bot.toml": SLOW, "ten_seconds.py": TEN_SECONDS})
    elif number < slow + bombs:
        zipped(path, {"bot.py": bot, "zeros": BOMB})
    else:
        zipped(path, {"bot.py": bot, "bot.toml": b'command = "python3 -P bot.py"\n'})


def answered(league: Path) -> dict[str, bool]:
    """By author, whether the program was accepted; the others wait."""
    versions = read(league, hidden=True).versions.values()
    found = {
        author_of(version.id): not version.why
        for version in versions
        if author_of(version.id) != HOUSE and version.status != RECEIVED
    }
    for answers in league.glob("inbox/*/answers.txt"):
        if re.search(r"unpacks to|MB", answers.read_text()):
            found[answers.parent.name] = False
    return found


def league_of(folder: Path, authors: int) -> Path:
    """A league of the sample bots that is asleep."""
    league = folder / "league"
    NewLeague(folder=str(league), boards=("sticheln:4",), deals=1, anchors=("heuristic",)).carry_out(print)
    for number in range(authors):
        NewAuthor(folder=str(league), author=f"author{number}").carry_out(print)
    arena("run", league, "--until-asleep")
    soon = datetime.datetime.now().astimezone() + datetime.timedelta(minutes=30)
    arena("close", league, "--reason", "the deadline", "--at", f"{soon:%Y-%m-%dT%H:%M}")
    return league


def arena(*words: object) -> None:
    command = [sys.executable, "-P", "-m", "arena", "league", *map(str, words)]
    subprocess.run(command, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=True, capture_output=True)


def core_seconds(pid: int) -> float:
    """What a process and those children have spent that have ended; the workers have not."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / TICKS


def busy_seconds() -> float:
    """The core seconds of the whole machine since it was started."""
    user, nice, system, _, _, irq, softirq, *_ = map(int, Path("/proc/stat").read_text().split()[1:11])
    return (user + nice + system + irq + softirq) / TICKS


@click.command()
@click.option("--authors", default=60, show_default=True)
@click.option("--slow", default=10, show_default=True)
@click.option("--bombs", default=5, show_default=True)
@click.option("--folder", type=click.Path(path_type=Path, exists=True, file_okay=False))
def main(authors: int, slow: int, bombs: int, folder: Path | None) -> None:
    """Print some lines."""
    with tempfile.TemporaryDirectory(dir=folder) as place:
        league = league_of(Path(place), authors)
        packed = Path(place) / "packed"
        packed.mkdir()
        for number in range(authors):
            archive(packed / f"{number}.zip", number, slow, bombs)
        daemon = subprocess.Popen(
            [sys.executable, "-P", "-m", "arena", "league", "run", str(league)],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.DEVNULL,
        )
        for number in range(authors):
            inbox = league / "inbox" / f"author{number}"
            inbox.mkdir(parents=True, exist_ok=True)
            (packed / f"{number}.zip").rename(inbox / "bot.zip")
        begun, busy, minutes = time.monotonic(), busy_seconds(), list[float]()
        while len(minutes) < authors:
            time.sleep(0.5)
            assert daemon.poll() is None, "the league has stopped"
            found = answered(league)
            minutes += [(time.monotonic() - begun) / 60] * (len(found) - len(minutes))
        spent, busy = core_seconds(daemon.pid), busy_seconds() - busy
        daemon.terminate()
        daemon.wait()
        accepted = sum(found.values())
        click.echo(f"{authors} archives: {accepted} accepted, {authors - accepted} refused")
        at = [minutes[round(part * (authors - 1))] for part in (0.5, 0.95, 1)]
        click.echo(f"answered after {at[0]:.1f} min (half), {at[1]:.1f} (95 %), {at[2]:.1f} (all)")
        click.echo(
            f"core seconds a version: {spent / authors:.1f}; of the whole machine {busy / authors:.1f}"
        )


if __name__ == "__main__":
    main()
