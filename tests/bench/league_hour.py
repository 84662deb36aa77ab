"""An hour of a league: real bots of several authors, what people do to it at random, and kill -9 of its
daemon, its workers and its bots at random moments.

    python -m tests.bench.league_hour [--minutes M] [--seed N] [--light] [--folder DIR]

Every few minutes, and at the end, the league's files are looked at by code that shares nothing with it
(league_oracle.py); the board is computed once more from a copy of the journal alone; everything is verified.
Prints a line a minute and what was wrong; exits with 1 if anything was.
"""

import contextlib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

import click

from tests.bench.league_commands import NAUGHTY, SLOW, Commands
from tests.bench.league_oracle import Kill, Oracle
from tests.cli.calls import ROOT

JOBS: Final = 2
BOARDS: Final = ("--board", "sticheln:4", "--board", "ole:5", "--anchor", "heuristic", "--anchor", "search")
LIGHT: Final = ("--board", "sticheln:3", "--anchor", "heuristic", "--sandbox", "none")
"""For a machine that is busy."""
SHORT: Final = ("--deals", "1", "--time", "50ms+3s", "--segment", "120")
COMMAND_SECONDS: Final = 12.0
"""Between two commands of one of two people, on average."""
AGAIN_SECONDS: Final = 5.0
"""Before a daemon that found another writer is started again."""
CHECK_SECONDS: Final = 240.0
PATIENCE_SECONDS: Final = 90.0
"""After this long the daemon or a worker is killed again although nothing was played since."""
GONE_SECONDS: Final = 10.0
"""After this long nothing is left of a daemon that was killed."""
PROGRAM: Final = re.compile(r"/(?:versions|built)/([0-9a-f]{64})")


def commands_in(folder: Path) -> dict[int, str]:
    """The processes that name a folder in their command line, or work in it."""
    found = {}
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            words = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            where = os.readlink(entry / "cwd")
            if f"{folder}/" in f"{words} {where}/" and int(entry.name) != os.getpid():
                found[int(entry.name)] = f"{words} {where}"
    return found


def children(pid: int) -> list[int]:
    """Of a process."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if int((entry / "stat").read_text().rpartition(")")[2].split()[1]) == pid:
                found.append(int(entry.name))
    return found


def control_groups() -> set[Path]:
    """The groups of bots that there are on this machine."""
    return {path for path in Path("/sys/fs/cgroup").glob("**/arena-*") if path.is_dir()}


class Hour:
    """A league, who plays it, who kills that, and who asks for something."""

    def __init__(
        self, folder: Path, minutes: float, seed: int, boards: Sequence[str], kill_seconds: float
    ) -> None:
        self.boards = boards
        self.kill_seconds = kill_seconds
        self.folder = folder
        self.league = folder / "league"
        self.seed = seed
        self.minutes = minutes
        self.groups_before = control_groups()
        (folder / "tmp").mkdir(parents=True)
        env = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(folder / "tmp")}
        self.commands = Commands(self.league, folder, env)
        self.oracle = Oracle(self.league, JOBS, NAUGHTY, SLOW)
        self.kills: Counter[str] = Counter()
        self.wrong: list[str] = []
        self.checks = self.verified = 0
        self.restarts_refused = 0
        self._results, self._cut = -1, 0.0
        """How many results there were when the daemon or a worker was killed last, and when that was."""
        self._daemon: subprocess.Popen[bytes] | None = None
        self._over = threading.Event()
        self._turns = {name: threading.Lock() for name in ("kills", "first", "second")}
        """Who holds all of them is alone with the league."""
        self._said = (folder / "daemon.log").open("ab")
        self._verifying: threading.Thread | None = None

    def run(self) -> int:
        """Plays the hour; the number of things that were wrong."""
        self.commands.found(*self.boards, *SHORT)
        begun = time.monotonic()
        threads = [
            threading.Thread(target=self._every, args=(self.kill_seconds, "kills", self._kill)),
            threading.Thread(target=self._every, args=(COMMAND_SECONDS, "first", self.commands.something)),
            threading.Thread(target=self._every, args=(COMMAND_SECONDS, "second", self.commands.something)),
        ]
        for thread in threads:
            thread.start()
        minute, checked, flooded = 0, begun, False
        while (now := time.monotonic()) - begun < self.minutes * 60:
            self._keep_playing()
            if now - begun > minute * 60:
                self._print(minute)
                minute += 1
            if now - checked > CHECK_SECONDS:
                self._check()
                checked = time.monotonic()
            if not flooded and now - begun > self.minutes * 30:
                self.commands.flood()
                flooded = True
            time.sleep(0.5)
        self._over.set()
        for thread in threads:
            thread.join()
        try:
            self._end()
        finally:
            found = self._summary()
        return found

    def _every(self, seconds: float, name: str, do: Callable[[random.Random], object]) -> None:
        lots = random.Random(f"{self.seed}-{name}")
        while not self._over.wait(lots.expovariate(1 / seconds)):
            with self._turns[name]:
                try:
                    do(lots)
                except Exception as error:  # One mistake of ours must not end the hour.
                    self.wrong.append(f"{name}: {type(error).__name__}: {error}")

    def _keep_playing(self) -> None:
        """Starts the daemon if it has ended."""
        if self._daemon is not None and self._daemon.poll() is not None:
            if self._daemon.returncode not in (-signal.SIGKILL, 0):
                # Another process may write the journal: `add` goes on with an intake by itself.
                self.restarts_refused += self._daemon.returncode == 2
                if self._daemon.returncode != 2:
                    self.wrong.append(f"the daemon ended with {self._daemon.returncode}; see daemon.log")
                time.sleep(AGAIN_SECONDS)
            self._daemon = None
        if self._daemon is None:
            words = [
                sys.executable,
                "-P",
                "-m",
                "arena",
                "league",
                "run",
                str(self.league),
                "--jobs",
                str(JOBS),
            ]
            self._daemon = subprocess.Popen(
                words,
                cwd=ROOT,
                env=self.commands.env,
                stdin=subprocess.DEVNULL,
                stdout=self._said,
                stderr=self._said,
            )

    def _kill(self, lots: random.Random) -> None:
        """Kills the daemon, a worker or a process of a bot."""
        daemon = self._daemon
        if daemon is None or daemon.poll() is not None:
            return
        kind = lots.choices(("daemon", "worker", "bot"), (35, 30, 35))[0]
        workers = [pid for pid in children(daemon.pid) if "arena.playing.worker" in command(pid)]
        bots = {
            pid: found[1]
            for pid, words in commands_in(self.league).items()
            if pid != daemon.pid and "arena league" not in words and (found := PROGRAM.search(words))
        }
        if (kind == "worker" and not workers) or (kind == "bot" and not bots):
            return
        if kind != "bot":
            # On a busy machine nothing would ever be played if every draw was cut off.
            results = len(Oracle.reading(self.league).played())
            if results == self._results and time.monotonic() - self._cut < PATIENCE_SECONDS:
                return
            self._results, self._cut = results, time.monotonic()
        if kind == "daemon":
            daemon.kill()
        elif kind == "worker":
            kill(lots.choice(workers))
        else:
            victim = lots.choice(sorted(bots))
            before = self.oracle.open_draws()
            now = Oracle.reading(self.league)
            versions = now.versions_of(bots[victim])
            kill(victim)
            after = self.oracle.open_draws()
            draws = {
                no
                for no, draw in (before | after).items()
                if versions & {*draw["versions"], *draw["companions"]}
            }
            self.oracle.kills.append(Kill(frozenset(versions), frozenset(draws)))
            self.commands.excused |= versions
        self.kills[kind] += 1

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """Nobody asks for anything, and nobody kills."""
        with contextlib.ExitStack() as held:
            for lock in self._turns.values():
                held.enter_context(lock)
            yield

    def _check(self) -> None:
        """Kills the daemon, and looks at what it leaves."""
        with self._alone():
            if self._daemon is not None:
                self._daemon.kill()
                self._daemon.wait()
                self.kills["daemon"] += 1
            self._look()
            if self._verifying is None or not self._verifying.is_alive():
                backup = self.folder / f"backup-{self.checks}"
                done = self.commands.call("export", self.league, backup, "--backup")
                if done.status != 0:
                    self.wrong.append(f"export: {done.err}")
                self._verifying = threading.Thread(target=self._verify, args=(backup,))
                self._verifying.start()

    def _look(self) -> None:
        """What is wrong while nobody plays."""
        self.checks += 1
        until = time.monotonic() + GONE_SECONDS
        while (left := commands_in(self.league)) and time.monotonic() < until:
            time.sleep(0.1)
        self._complain(f"still there: {words}" for words in left.values())
        self._complain(self.oracle.complaints())
        self._complain(
            f"was said to be written, and is not: {one}"
            for one in self.commands.claims
            if self.oracle.lacks(one)
        )
        refused = {one["version"]: one["reason"] for one in self.oracle.entries if one["type"] == "refused"}
        self._complain(
            f"{version} was refused: {reason}"
            for version, reason in refused.items()
            if version not in self.commands.excused and not re.search(NAUGHTY, version)
        )
        self._complain(self._lost_in_the_inbox())
        self._complain(self._other_boards())

    def _lost_in_the_inbox(self) -> Iterator[str]:
        """Programs that were taken, and of which neither the journal nor their author knows."""
        received = {
            one["version"].partition("@")[0] for one in self.oracle.entries if one["type"] == "received"
        }
        for author, bot in self.commands.dropped:
            inbox = self.league / "inbox" / author
            told = (inbox / "answers.txt").read_text() if (inbox / "answers.txt").exists() else ""
            known = f"{author}/{bot}" in received or "today; try again tomorrow" in told
            if not known and not (inbox / f"{bot}.py").exists():
                yield f"{author}/{bot} was taken from the inbox, and is nowhere"

    def _other_boards(self) -> Iterator[str]:
        """Whether the board is not what follows from a copy of the journal alone, or from counting."""
        seen = self.commands.call("standings", self.league, "--json", "--hidden").out
        with tempfile.TemporaryDirectory(dir=self.folder) as alone:
            for file in self.league.glob("league-*.db*"):
                shutil.copy(file, alone)
            again = self.commands.call("standings", alone, "--json", "--hidden").out
        if not seen or seen != again:
            yield "the board from a copy of the journal alone is another one"
            return
        boards = json.loads(seen)["boards"]
        pods = self.oracle.pods()
        for board, rows in boards.items():
            for row in rows:
                if row["pods"] != pods[board, row["version"]]:
                    played = pods[board, row["version"]]
                    yield f"{row['version']} has {row['pods']} pods on {board}, and played {played}"
        shown = {row["version"] for rows in boards.values() for row in rows if row["status"] == "current"}
        if shown != self.oracle.playing():
            yield f"on one board only: {sorted(shown ^ self.oracle.playing())}"

    def _verify(self, backup: Path) -> None:
        """A backup has a board, and can be verified."""
        found = self.commands.call("verify", backup, "--json", "--hidden")
        if found.status == 2:
            self.wrong.append(f"verify: {found.err}")
        else:
            said = json.loads(found.out)
            self.verified = said["draws"]
            self._complain(f"verify: {one}" for one in said["wrong"][:5])
        shutil.rmtree(backup, ignore_errors=True)

    def _end(self) -> None:
        """Lets what is in flight end, and looks once more, also at what is left behind."""
        if self._daemon is not None and self._daemon.poll() is None:
            self._daemon.send_signal(signal.SIGINT)
            if self._daemon.wait(60) != 130:
                self.wrong.append(f"after Ctrl-C the daemon ended with {self._daemon.returncode}")
        if self._verifying is not None:
            self._verifying.join()
        for path in (*self.league.rglob("unfinished-*"), *self.league.rglob("unpacked-*")):
            os.utime(path, (0, 0))  # As if nobody had written it for a long time.
        last = self.commands.call("run", self.league, "--jobs", JOBS, "--draws", 1)
        if last.status != 0:
            self.wrong.append(f"the last run: {last.err[-500:]}")
        self._look()
        if left := self.oracle.open_draws():
            self.wrong.append(f"draws without a result: {sorted(left)}")
        backup = self.folder / "backup-last"
        self.commands.call("export", self.league, backup, "--backup")
        if (went_on := self.commands.call("run", backup, "--jobs", JOBS, "--draws", 2)).status != 0:
            self.wrong.append(f"a backup does not go on: {went_on.err[-500:]}")
        self._verify(backup)
        self._complain(self._left_behind())

    def _left_behind(self) -> Iterator[str]:
        for pattern in ("unfinished-*", "unpacked-*", "played-*", "*.new*"):
            for path in self.league.rglob(pattern):
                yield f"left behind: {path.relative_to(self.folder)}"
        locks = f"arena-{os.geteuid()}"
        for path in (self.folder / "tmp").iterdir():
            if path.name != locks:
                yield f"left behind: {path.relative_to(self.folder)}"
        for path in control_groups() - self.groups_before:
            maker = re.search(r"arena-(\d+)-", path.name)
            if maker and not Path("/proc", maker[1]).exists():
                yield f"left behind: {path}"

    def _complain(self, found: Iterator[str]) -> None:
        for one in found:
            if one not in self.wrong:
                self.wrong.append(one)
                print(f"wrong: {one}", flush=True)

    def _print(self, minute: int) -> None:
        now = Oracle.reading(self.league)
        kinds = Counter(entry["type"] for entry in now.entries)
        print(
            f"{minute:3} min: {kinds['draw']} draws, {kinds['played']} played, {kinds['void']} void; "
            f"{kinds['received']} versions, {len(now.playing())} current; kills {dict(self.kills)}; "
            f"{self.commands.calls.total()} commands; {len(self.wrong) + len(self.commands.wrong)} wrong",
            flush=True,
        )

    def _summary(self) -> int:
        self._print(round(self.minutes))
        self._complain(iter(list(self.commands.wrong)))
        said = (self.folder / "daemon.log").read_text(errors="replace")
        if "Traceback" in said:
            self._complain(iter(["the daemon printed a traceback; see daemon.log"]))
        print(f"{sum(self.kills.values())} kills: {dict(self.kills)}")
        print(f"commands: {dict(self.commands.calls)}")
        print(f"{len(self.commands.claims)} of them said that something was written, and it was")
        print(f"{self.checks} checks; {self.verified} draws verified at the end")
        print(f"{self.oracle.explained} forfeits by a kill; late who may be: {dict(self.oracle.late)}")
        print(f"late because other programs had the core: {dict(self.oracle.starved)}")
        print(f"the daemon found another writer {self.restarts_refused} times")
        for reason, times in self.commands.refusals.most_common(12):
            print(f"{times} times: {reason}")
        print(f"{len(self.wrong)} things were wrong")
        for one in self.wrong:
            print(f"  {one}")
        return len(self.wrong)


def command(pid: int) -> str:
    """The command line of a process, "" if it is gone."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    return ""


def kill(pid: int) -> None:
    """Ends a process that may be gone."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


@click.command()
@click.option("--minutes", default=60.0, show_default=True)
@click.option("--seed", default=7, show_default=True)
@click.option("--kill-seconds", default=24.0, show_default=True, help="Between two kills, on average.")
@click.option("--light", is_flag=True, help="One board, one strong anchor, no sandbox: on a busy machine.")
@click.option("--folder", type=click.Path(path_type=Path), help="Keep everything here.")
def main(minutes: float, seed: int, kill_seconds: float, folder: Path | None, *, light: bool) -> None:
    """Print what happens to a league, and what it does not survive."""
    with tempfile.TemporaryDirectory() as below:
        boards = LIGHT if light else BOARDS
        hour = Hour(folder or Path(below) / "hour", minutes, seed, boards, kill_seconds)
        sys.exit(hour.run() > 0)


if __name__ == "__main__":
    main()
