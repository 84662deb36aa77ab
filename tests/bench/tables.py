"""Seconds of CPU of `standings`, `standings --full`, `report` and `verify` for runs of 100 to 10,000 matches:
first, again, after one more pod, after the last pod of the round, and then anew without a cache; and whether
the bytes are the same.

    python -m tests.bench.tables [--matches 1000] [--command report] [--code FOLDER] [--once]

Chance plays every seat, by the rules, so that `verify` finds the runs true. `--code` measures another version
of the arena, such as a worktree of the one before.
"""

import hashlib
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

import click

from arena.director.entries import Created, MatchPlayed, RoundPaired, place
from arena.director.journal import Journal
from arena.director.state import Record
from arena.entrants.entrant import Entrant
from arena.games import GAMES
from arena.log.entries import LogWriter, MatchClosed
from arena.playing.job import Job, opening
from arena.process.launch import Launch
from protocol.messages import Limits
from protocol.outcome import Outcome
from tests.support.logs import chance_log
from tournaments.formats import PAIRING, format_named


class Size(NamedTuple):
    """Pods are of four, and play four seatings."""

    bots: int
    rounds: int


SIZES: Final = {100: Size(20, 5), 720: Size(12, 60), 1_000: Size(40, 25), 10_000: Size(100, 100)}
"""By the number of matches."""

COMMANDS: Final = {
    "standings": ("standings", "--json"),
    "--full": ("standings", "--full", "--json"),
    "report": ("report",),
    "verify": ("verify",),
}


def chance_run(folder: Path, size: Size, game: str = "david-and-goliath", *, due: int = 1) -> Path:
    """A Swiss of one deal a match, in which nobody was ever started; so many of its pods are still due."""
    created = Created(
        arena="0", seed="7", game=game, rules=GAMES[game].rules, options={}, format="swiss",
        rounds=size.rounds, pod_size=4, duplicates=True, deals=1, limits=Limits(), faults=1, left_out=(),
        pairing=PAIRING,
        entrants=tuple(
            Entrant(f"bot-{number:03}", Launch(("true",), "/"), hashlib.sha256(b"%d" % number).hexdigest())
            for number in range(size.bots)
        ),
    )  # fmt: skip
    with Journal.create(folder, created) as journal:
        record = Record(journal.entries)
        while (pods := format_named("swiss").draw(record.field())) is not None:
            drawn = RoundPaired(len(record.drawn) + 1, pods)
            journal.add(drawn)
            record.add(drawn)
            last = drawn.round_no == size.rounds
            play(
                journal,
                record,
                [job for job in record.due() if not last or place(job.match_id)[1] <= len(pods) - due],
            )
    return folder


def play(journal: Journal, record: Record, jobs: Sequence[Job]) -> None:
    """Plays matches by chance, and writes their logs and rows."""
    logs: dict[str, str] = {}
    closed: dict[str, MatchClosed] = {}
    for job in jobs:
        log = chance_log(job.settings.game, len(job.entrants), opened=opening(job))
        writer = LogWriter()
        for entry in log.entries:
            writer.add(entry)
        logs[job.match_id], closed[job.match_id] = writer.text(), log.closed
    digests = journal.save_logs(logs)
    entries = [
        MatchPlayed(
            match_id=job.match_id,
            round_no=place(job.match_id)[0],
            pod_no=place(job.match_id)[1],
            seating_no=job.seating_no,
            entrants=tuple(one.name for one in job.entrants),
            outcome=Outcome(end.points, end.gains, end.placings),
            forfeits=end.forfeits,
            log=digests[job.match_id],
        )
        for job in jobs
        for end in [closed[job.match_id]]
    ]
    journal.add(*entries)
    for entry in entries:
        record.add(entry)


PAGES: Final = ("*.html", "replays/*", "report/*")
"""What `report` writes."""


class Times(NamedTuple):
    """Seconds of CPU, which do not depend on how busy the machine is, and a digest of what was printed and
    written."""

    cpu: float
    digest: str


def measured(command: str, folder: Path, code: Path) -> Times:
    """What a command costs and gives; `folder` has the cache of the user beside it."""
    name, *options = COMMANDS[command]
    environment = os.environ | {"PYTHONPATH": str(code), "XDG_CACHE_HOME": str(folder.parent / "cache")}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    words = [sys.executable, "-m", "arena", name, str(folder), *options]
    done = subprocess.run(words, env=environment, capture_output=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise click.ClickException(done.stderr.decode())
    found = hashlib.sha256(done.stdout)
    if name == "report":
        for path in sorted(path for name in PAGES for path in folder.glob(name)):
            found.update(path.read_bytes())
    return Times(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, found.hexdigest())


def without_cache(folder: Path) -> Path:
    """The same run where nothing was worked out yet."""
    shutil.rmtree(folder.parent / "cache", ignore_errors=True)
    for name in ("replays", "report"):
        shutil.rmtree(folder / name, ignore_errors=True)
    return folder


@click.command()
@click.option("--matches", "sizes", type=click.Choice([str(size) for size in SIZES]), multiple=True)
@click.option("--command", "commands", type=click.Choice(list(COMMANDS)), multiple=True)
@click.option("--code", type=click.Path(path_type=Path, exists=True), default=Path.cwd, help="Of the arena.")
@click.option("--keep", type=click.Path(path_type=Path), help="Where runs are kept for the next time.")
@click.option("--once", is_flag=True, help="Only the first time, for an arena that keeps nothing.")
def main(
    sizes: tuple[str, ...], commands: tuple[str, ...], code: Path, keep: Path | None, once: bool
) -> None:
    """Print what the tables of large tournaments cost."""
    print(" matches  command      first   again one pod a round    anew  same bytes")
    for matches in map(int, sizes or SIZES):
        with tempfile.TemporaryDirectory() as temporary:
            made = (keep or Path(temporary)) / str(matches)
            if not made.exists():
                chance_run(made, SIZES[matches], due=2)
            for command in commands or COMMANDS:
                beside = Path(temporary, command)
                folder = Path(shutil.copytree(made, beside / "run"))
                found = [measured(command, folder, code)]
                if not once:
                    found.append(measured(command, folder, code))
                    for _ in range(2):
                        with Journal(folder, write=True) as journal:
                            record = Record(journal.entries)
                            due = record.due()
                            pod = place(due[0].match_id)[:2]
                            play(journal, record, [job for job in due if place(job.match_id)[:2] == pod])
                        found.append(measured(command, folder, code))
                    found.append(measured(command, without_cache(folder), code))
                seconds = " ".join(f"{one.cpu:7.2f}" for one in found)
                same = once or (found[0].digest, found[3].digest) == (found[1].digest, found[4].digest)
                print(f"{matches:>8}  {command:<10} {seconds}  {'yes' if same else 'NO'}", flush=True)
                shutil.rmtree(beside)


if __name__ == "__main__":
    main()
