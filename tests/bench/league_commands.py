"""What authors and an organiser do to a league that is played, at random: for tests.bench.league_hour.

A command that ends well has said that something was written; such claims are kept, to be looked for in the
journal.
"""

import hashlib
import os
import random
import shutil
import subprocess
import sys
import zipfile
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from arena.starters import STARTERS, make, missing
from tests.bench.league_oracle import Entry, Oracle
from tests.cli.calls import ROOT
from tests.support.programs import MISBEHAVING, Program

AUTHORS = ("red", "blue", "green", "tongues", "naughty", "flood")
NAUGHTY = r"^naughty/|^flood/"
SLOW = r"^tongues/|^house/search@"
"""Versions that may exceed their time: some languages take long for a decision, and `search` uses it all."""
COMMENTS = {".py": "#", ".pl": "#", ".sh": "#", ".js": "//"}
FLOOD = 60
"""Programs that one author puts into the inbox at once."""
PATIENCE_SECONDS = 600


class Done(NamedTuple):
    """How a call of the command ended."""

    status: int
    out: str
    err: str


class Commands:
    """The league as people use it, with what it said to them."""

    def __init__(self, league: Path, work: Path, env: Mapping[str, str]) -> None:
        self.league = league
        self.work = work
        self.env = env
        self.claims: list[Entry] = []
        self.dropped: list[tuple[str, str]] = []
        """What was put into the inbox, by author and bot."""
        self.wrong: list[str] = []
        self.refusals: Counter[str] = Counter()
        self.calls: Counter[str] = Counter()
        self.excused: set[str] = set()
        """Versions of which a process was killed during their intake."""
        self.shown_frozen: tuple[int, str] | None = None
        """Since which freeze, by its place in the journal, the board is frozen, and the board then."""
        self._numbers = iter(range(1, 10**6))
        self.starters = [name for name, starter in STARTERS.items() if not missing(starter)]

    def call(self, *words: object) -> Done:
        """A call of `arena league`, in a process of its own."""
        done = subprocess.run(
            [sys.executable, "-P", "-m", "arena", "league", *map(str, words)],
            cwd=ROOT,
            env=self.env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE_SECONDS,
            check=False,
        )
        self.calls[str(words[0])] += 1
        if done.returncode not in (0, 1, 2) or "Traceback" in done.stderr:
            self.wrong.append(f"{' '.join(map(str, words))}: {done.returncode}: {done.stderr[-2000:]}")
        if done.returncode == 2:
            self.refusals[f"{words[0]}: {done.stderr.strip()[-160:]}"] += 1
        return Done(done.returncode, done.stdout, done.stderr)

    def found(self, *more: object) -> None:
        """Founds the league."""
        new = self.call("new", self.league, *more)
        assert new.status == 0, new.err
        for author in AUTHORS:
            self.author(author)

    def author(self, author: str) -> None:
        """An author is registered, or gets another token."""
        done = self.call("author", self.league, author, "--title", f"Team {author}")
        if done.status == 0:
            token = hashlib.sha256(done.out.strip().encode()).hexdigest()
            self.claims.append({"type": "author", "author": author, "token": token})

    def something(self, lots: random.Random) -> None:
        """Does one of the things that people do."""
        now = Oracle.reading(self.league)
        deeds: list[tuple[Callable[[random.Random, Oracle], None], int]] = [
            (self._add, 8),
            (self._drop, 4),
            (self._again, 2),
            (self._hand, 6),
            (self._annul, 3),
            (self._panel, 2),
            (self._curtain, 3),
            (self._prune, 1),
            (self._copy, 3),
            (self._look, 8),
            (lambda lots, now: self.author(lots.choice(AUTHORS)), 1),
        ]
        deed = lots.choices([one for one, _ in deeds], [weight for _, weight in deeds])[0]
        deed(lots, now)

    def flood(self) -> None:
        """More programs at once than an author may send on a day, none of which runs."""
        for number in range(FLOOD):
            self._put("flood", f"f{number}", b"raise SystemExit\n")

    def _new(self, lots: random.Random) -> tuple[str, str, Path]:
        """Author, bot and file of a program that nobody has sent."""
        number = next(self._numbers)
        folder = self.work / f"sent-{number}"
        folder.mkdir()
        if lots.random() < 0.3 and self.starters:
            language = lots.choice(self.starters)
            make(language, folder / language, language)
            (folder / language / "notes.txt").write_text(f"{number}\n")
            return "tongues", language, folder / language
        if lots.random() < 0.2:
            name = lots.choice(["exits", "sleeps", "floods", "nonsense", "crashes-before-ready"])
            path = folder / f"{name}.py"
            path.write_text(f"{MISBEHAVING[name].source()}# {number}\n")
            return "naughty", name[:16], path
        sample = lots.choice(sorted((ROOT / "bots").glob("*.*")))
        path = folder / sample.name
        shutil.copy(sample, path)
        path.write_text(f"{path.read_text()}\n{COMMENTS[path.suffix]} {number}\n")
        return lots.choice(("red", "blue", "green")), lots.choice((path.stem, f"b{number % 7}")), path

    def _add(self, lots: random.Random, now: Oracle) -> None:
        author, name, path = self._new(lots)
        if path.is_file() and lots.random() < 0.3:
            packed = path.with_suffix(".zip")
            with zipfile.ZipFile(packed, "w") as archive:
                archive.write(path, path.name)
            path = packed
        self._added(self.call("add", self.league, path, "--author", author, "--name", name))
        shutil.rmtree(path.parent)

    def _again(self, lots: random.Random, now: Oracle) -> None:
        """Sends a sample bot as it is: the program of an anchor, or one that came before."""
        author, bot = lots.choice(("red", "blue")), lots.choice(("greedy", "careful"))
        self._added(
            self.call("add", self.league, ROOT / "bots" / f"{bot}.py", "--author", author, "--name", "old")
        )

    def _added(self, done: Done) -> None:
        if done.status not in (0, 1):
            return
        version, _, status = done.out.strip().rpartition("\n")[2].partition(": ")
        self.claims.append({"type": "received", "version": version})
        if status in ("current", "refused"):
            self.claims.append({"type": status, "version": version})

    def _drop(self, lots: random.Random, now: Oracle) -> None:
        number = next(self._numbers)
        program = Program(asked="answer = answer.replace(m['legal'][0], m['legal'][-1])").source()
        self._put(lots.choice(("red", "blue", "green")), f"in-{number}", f"{program}# {number}\n".encode())

    def _put(self, author: str, bot: str, program: bytes) -> None:
        path = self.league / "inbox" / author / f"{bot}.py"
        unfinished = path.with_name(f".{path.name}")
        unfinished.write_bytes(program)
        os.rename(unfinished, path)
        self.dropped.append((author, bot))

    def _hand(self, lots: random.Random, now: Oracle) -> None:
        kind, word = lots.choice([("paused", "pause"), ("retired", "retire"), ("restored", "restore")])
        stopped = now.stopped()
        versions = now.playing() if kind != "restored" else stopped
        theirs = sorted(one for one in versions if not one.startswith("house/"))
        if not theirs or (kind != "restored" and len(theirs) < 6 and stopped):
            return
        version, reason = lots.choice(theirs), f"by lot {next(self._numbers)}"
        done = self.call(word, self.league, version, "--reason", reason)
        if done.status == 0 and "already the case" not in done.out:
            self.claims.append({"type": kind, "version": version, "reason": reason})

    def _annul(self, lots: random.Random, now: Oracle) -> None:
        if draws := now.played():
            no, reason = lots.choice(draws[-20:]), f"by lot {next(self._numbers)}"
            done = self.call("annul", self.league, no, "--reason", reason)
            if done.status == 0 and "already the case" not in done.out:
                self.claims.append({"type": "annulled", "no": no, "reason": reason})

    def _panel(self, lots: random.Random, now: Oracle) -> None:
        """Renews the panel of a board: all anchors, and some that have a strength."""
        board = lots.choice(now.boards())
        known = [one for one in now.strengths(board) if one in now.playing()]
        anchors = [one for one in now.anchors() if one in known]
        others = [one for one in known if one not in anchors]
        members = anchors + lots.sample(others, min(2, len(others)))
        if len(members) > 5:
            done = self.call("panel", self.league, *members, "--board", board)
            if done.status == 0 and "already the case" not in done.out:
                self.claims.append({"type": "panel", "board": board, "members": members})

    def _curtain(self, lots: random.Random, now: Oracle) -> None:
        """Freezes the league, or reveals it; frozen, it looks as it looked then."""
        if now.frozen() is None:
            reason = f"by lot {next(self._numbers)}"
            if self.call("freeze", self.league, "--reason", reason).status == 0:
                self.claims.append({"type": "frozen", "reason": reason})
            return
        seen = self.call("standings", self.league, "--json")
        since = Oracle.reading(self.league).frozen()
        if self.shown_frozen and self.shown_frozen[0] == since and self.shown_frozen[1] != seen.out:
            self.wrong.append("the board was another one although the league is frozen")
        if seen.status == 0 and since == now.frozen() and since is not None:
            self.shown_frozen = since, seen.out
        if lots.random() < 0.5:
            self.call("reveal", self.league)

    def _prune(self, lots: random.Random, now: Oracle) -> None:
        if (last := max(now.played(), default=0) - 100) > 0:
            words = ["--private"] if lots.random() < 0.7 else []
            if self.call("prune", self.league, "--to", last, *words).status == 0:
                self.claims.append({"type": "pruned", "last": last, "private_only": bool(words)})

    def _copy(self, lots: random.Random, now: Oracle) -> None:
        target = self.work / f"copy-{next(self._numbers)}"
        done = self.call("export", self.league, target, *(["--backup"] if lots.random() < 0.7 else []))
        if done.status != 0:
            self.wrong.append(f"export: {done.err.strip()}")
        elif self.call("standings", target, "--json").status != 0:
            self.wrong.append(f"{target.name} has no board")
        shutil.rmtree(target, ignore_errors=True)

    def _look(self, lots: random.Random, now: Oracle) -> None:
        version = lots.choice(sorted(now.playing()))
        words = lots.choice(
            [
                ("standings", self.league),
                ("standings", self.league, "--json"),
                ("faults", self.league),
                ("panel", self.league),
                ("versions", self.league, version.partition("@")[0], "--hidden"),
                ("why", self.league, lots.choice(now.played() or [1]), "--hidden"),
                ("report", self.league, "--out", self.work / "pages"),
            ]
        )
        (self.work / "pages").mkdir(exist_ok=True)
        if words[0] == "why" and not now.played():
            return
        done = self.call(*words)
        if done.status != 0:
            self.wrong.append(f"{' '.join(map(str, words))}: {done.err.strip()}")
